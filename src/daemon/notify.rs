//! What systemd is told: readiness, state and signs of life (sd_notify(3)).

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_gettime,
    timerfd_settime,
};

use crate::server::Handle;

/// How long a full queue of the service manager is waited for: it has other things to do at times, and a lost READY=1
/// would have the service started again.
const SEND_TIME: Duration = Duration::from_secs(1);

/// The way to the service manager, if there is one.
pub(super) struct Notifier {
    to: Option<(UnixDatagram, SocketAddr)>,
}

impl Notifier {
    /// The socket that `NOTIFY_SOCKET` names: a path, or a name in the abstract namespace after an `@`.
    ///
    /// # Errors
    /// When there is such a name and no socket can be had for it.
    pub(super) fn from_env() -> io::Result<Self> {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Ok(Self { to: None });
        };
        let address = match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
            _ => SocketAddr::from_pathname(&name)?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(SEND_TIME))?;
        Ok(Self { to: Some((socket, address)) })
    }

    /// Sends assignments, one a line.
    pub(super) fn send(&self, state: &str) {
        if let Some((socket, address)) = &self.to {
            // A service manager that is not there does not miss it.
            let _ = socket.send_to_addr(state.as_bytes(), address);
        }
    }

    /// Serving; `status` is a line for who looks.
    pub(super) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// Taking up a changed configuration until the next READY=1. The time is what Type=notify-reload asks for.
    pub(super) fn reloading(&self) {
        match monotonic_micros() {
            Ok(now) => self.send(&format!("RELOADING=1\nMONOTONIC_USEC={now}")),
            Err(_) => self.send("RELOADING=1"),
        }
    }
}

/// The kernel's monotonic clock, which `Instant` keeps to itself: what is left of a timer that is set to a time on that
/// clock. Asking the clock through rustix would bring its own search for the vDSO, which is 3 KiB.
fn monotonic_micros() -> io::Result<i64> {
    /// A time that no clock comes to, in seconds: 285 years after the start of the machine. The kernel counts to 292.
    const NEVER: i64 = 9_000_000_000;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let at = |tv_sec| Timespec { tv_sec, tv_nsec: 0 };
    let setting = Itimerspec { it_interval: at(0), it_value: at(NEVER) };
    timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME, &setting)?;
    let left = timerfd_gettime(&timer)?.it_value;
    Ok((NEVER - left.tv_sec) * 1_000_000 - left.tv_nsec / 1000)
}

/// Signs of life, for as long as every worker gives them.
pub(super) struct Watchdog {
    every: Duration,
    /// When to look next.
    pub(super) next: Instant,
    seen: Vec<Option<u64>>,
}

impl Watchdog {
    /// Half of the time that `WATCHDOG_USEC` gives, if it is this process that `WATCHDOG_PID` means.
    pub(super) fn from_env() -> Option<Self> {
        let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        if number("WATCHDOG_PID").is_some_and(|pid| pid != u64::from(std::process::id())) {
            return None;
        }
        let time = Duration::from_micros(number("WATCHDOG_USEC").filter(|time| *time > 0)?);
        Some(Self::every(time / 2))
    }

    fn every(every: Duration) -> Self {
        Self { every, next: Instant::now() + every, seen: Vec::new() }
    }

    /// The workers whose loops have not turned since the last look, by their numbers; none means that all are well. Those
    /// that have ended are. Makes idle ones turn until the next look.
    pub(super) fn stuck(&mut self, handle: &Handle) -> Vec<usize> {
        let now = handle.heartbeats();
        let mut stuck = Vec::new();
        for (worker, turns) in now.iter().enumerate() {
            if turns.is_some() && self.seen.get(worker) == Some(turns) {
                stuck.push(worker);
            }
        }
        self.seen = now;
        self.next = Instant::now() + self.every;
        handle.wake();
        stuck
    }
}

#[cfg(test)]
mod tests;

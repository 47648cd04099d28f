//! Signals, and whatever else the thread that looks after the server waits for.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGTERM or SIGINT: an end.
    End,
    /// SIGHUP: the log file anew.
    Reload,
}

/// The signals of the process: each sets its flag, and a byte through a socket ends the wait.
pub(super) struct Signals {
    bell: UnixStream,
    button: UnixStream,
    end: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
}

impl Signals {
    /// Takes the signals over, from their default action too.
    ///
    /// # Errors
    /// What the kernel says to a pair of sockets or to the handlers.
    pub(super) fn new() -> io::Result<Self> {
        let (bell, button) = UnixStream::pair()?;
        // A full socket has rung already.
        button.set_nonblocking(true)?;
        let (end, reload) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        for (signal, flag) in [(SIGTERM, &end), (SIGINT, &end), (SIGHUP, &reload)] {
            // In this order: who is woken finds the flag.
            flag::register(signal, Arc::clone(flag))?;
            pipe::register(signal, button.try_clone()?)?;
        }
        Ok(Self { bell, button, end, reload })
    }

    /// What ends a wait from another thread.
    ///
    /// # Errors
    /// Without another descriptor.
    pub(super) fn waker(&self) -> io::Result<impl Fn() + Send + 'static> {
        let button = self.button.try_clone()?;
        Ok(move || {
            let _ = (&button).write(&[0]);
        })
    }

    /// A signal that came since the last call.
    pub(super) fn take(&self) -> Option<Signal> {
        let came = |flag: &AtomicBool| flag.swap(false, Ordering::SeqCst);
        if came(&self.end) {
            return Some(Signal::End);
        }
        came(&self.reload).then_some(Signal::Reload)
    }

    /// Waits until something came, or until then; may return for nothing.
    pub(super) fn wait(&mut self, until: Option<Instant>) {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // No time at all would mean for ever.
        if left.is_none_or(|left| !left.is_zero()) && self.bell.set_read_timeout(left).is_ok() {
            let _ = self.bell.read(&mut [0; 64]);
        }
    }
}

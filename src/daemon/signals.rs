//! Signals as bytes in sockets, so that one poll(2) waits for them and for all else.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::low_level::pipe::register;

/// The signals that boardd listens to.
pub(super) struct Signals {
    /// A byte for each SIGTERM and SIGINT.
    pub(super) end: UnixStream,
    /// A byte for each SIGHUP.
    pub(super) reload: UnixStream,
}

impl Signals {
    /// Listens from now on, instead of ending at once.
    ///
    /// # Errors
    /// When there are no descriptors for it.
    pub(super) fn new() -> io::Result<Self> {
        let (end, ends) = UnixStream::pair()?;
        let (reload, reloads) = UnixStream::pair()?;
        end.set_nonblocking(true)?;
        reload.set_nonblocking(true)?;
        register(Signal::TERM.as_raw(), ends.try_clone()?)?;
        register(Signal::INT.as_raw(), ends)?;
        register(Signal::HUP.as_raw(), reloads)?;
        Ok(Self { end, reload })
    }
}

/// Whether a signal came since the last call.
pub(super) fn came(mut signals: &UnixStream) -> bool {
    signals.read(&mut [0; 64]).is_ok()
}

//! Ctrl-C: the first asks the run to end and report what it has, the second leaves at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code a shell expects from a program ended by SIGINT: 128 + 2.
const EXIT_INTERRUPTED: i32 = 130;

const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Listens for SIGINT and SIGTERM; the flag is set by the first.
///
/// # Errors
/// When the signals can't be listened for.
pub(crate) fn stop_flag() -> io::Result<&'static AtomicBool> {
    for signal in SIGNALS {
        // In this order: the first finds no flag yet.
        flag::register_conditional_shutdown(signal, EXIT_INTERRUPTED, Arc::clone(&STOP))?;
        flag::register(signal, Arc::clone(&STOP))?;
    }
    Ok(&STOP)
}

/// From now on `flag` is set whenever the stop flag is, so that a run may listen to more than Ctrl-C.
///
/// # Errors
/// When the signals can't be listened for.
pub(crate) fn set_too(flag: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in SIGNALS {
        flag::register(signal, Arc::clone(flag))?;
    }
    // One that came before.
    flag.fetch_or(STOP.load(Ordering::Relaxed), Ordering::Relaxed);
    Ok(())
}

//! Ctrl-C: the first asks the run to end and report what it has, the second leaves at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use async_signal::{Signal, Signals};
use smol::stream::StreamExt;

/// The exit code a shell expects from a program ended by SIGINT: 128 + 2.
const EXIT_INTERRUPTED: i32 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens for SIGINT and SIGTERM on a thread of its own; the flag is set by the first.
///
/// # Errors
/// When the signals can't be listened for.
pub(crate) fn stop_flag() -> io::Result<&'static AtomicBool> {
    let mut signals = Signals::new([Signal::Int, Signal::Term])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        smol::block_on(async {
            while let Some(Ok(_)) = signals.next().await {
                if STOP.swap(true, Ordering::Relaxed) {
                    std::process::exit(EXIT_INTERRUPTED);
                }
            }
        });
    })?;
    Ok(&STOP)
}

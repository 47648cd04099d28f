//! What a server has to say beside its answers, and who takes it.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

/// How grave a message is. The numbers are syslog's, which journald reads as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something does not work.
    Error = 3,
    /// Something will not work for long, or not for all.
    Warning = 4,
    /// Nothing is wrong, and it should be known.
    Notice = 5,
    /// What happens in the usual course.
    Info = 6,
    /// What only who looks for a fault wants to know.
    Debug = 7,
}

/// Takes messages.
pub trait Log: Send + Sync {
    /// Takes one message of one line. `subject` is the same for all messages about the same trouble, so that their number
    /// can be limited; it belongs before the text. Workers call this: it must return at once, whoever reads or does not.
    fn log(&self, level: Level, subject: &'static str, text: &str);
}

thread_local! {
    static LOG: RefCell<Option<Arc<dyn Log>>> = const { RefCell::new(None) };
}

/// Makes this the log of the calling worker.
pub(super) fn enter(log: &Arc<dyn Log>) {
    LOG.set(Some(Arc::clone(log)));
}

/// Says something in the log of the calling worker; on other threads nothing.
pub(super) fn say(level: Level, subject: &'static str, text: &str) {
    let log = LOG.with_borrow(Clone::clone);
    if let Some(log) = log {
        log.log(level, subject, text);
    }
}

/// The error output without a limit, for a server that was given nothing better: it waits while a pipe there is full.
pub(super) struct ErrorOutput;

impl Log for ErrorOutput {
    fn log(&self, _: Level, subject: &'static str, text: &str) {
        // That nobody reads it any more is no reason to stop serving, and `eprintln` panics.
        let _ = writeln!(std::io::stderr(), "boardd: {subject}: {text}");
    }
}

//! Messages of boardd and of its workers on the error output, which may be a pipe that nobody empties: they go through a
//! bounded queue to a thread that nobody waits for.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::server::{Level, Log};

/// Bytes that may wait to be written: a few hundred lines. More of them are counted and lost.
const MOST_BYTES: usize = 32 * 1024;

/// The least time between two messages about the same subject.
const PER_SUBJECT: Duration = Duration::from_secs(1);

/// The form of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `boardd: message`.
    Plain,
    /// `<level>message`, as journald takes the level from a line (sd-daemon(3)); it adds name and time itself.
    Journal,
}

impl Style {
    /// Journal when the error output goes to journald, by what systemd leaves in `JOURNAL_STREAM` (systemd.exec(5)): device
    /// and inode of that stream. Inherited by a program whose output was led elsewhere, it does not fit.
    #[must_use]
    pub fn detect() -> Self {
        let error_output = std::io::stderr().as_fd().try_clone_to_owned().map(std::fs::File::from);
        let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
        let metadata = error_output.and_then(|file| file.metadata());
        match metadata {
            Ok(found) if stream == format!("{}:{}", found.dev(), found.ino()) => Self::Journal,
            _ => Self::Plain,
        }
    }

    /// Appends one line. Bytes that could begin another, or command a terminal, become `?`.
    pub(super) fn line(self, level: Level, subject: &str, text: &str, to: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Plain => to.write_str("boardd: "),
            Self::Journal => write!(to, "<{}>", level as u8),
        };
        let separator = if subject.is_empty() { "" } else { ": " };
        let chars = subject.chars().chain(separator.chars()).chain(text.chars());
        to.extend(chars.map(|c| if c.is_control() { '?' } else { c }));
        to.push('\n');
    }
}

impl FromStr for Style {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "plain" => Ok(Self::Plain),
            "journal" => Ok(Self::Journal),
            _ => Err(()),
        }
    }
}

/// The least grave level that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLevel(pub Level);

impl Default for LogLevel {
    fn default() -> Self {
        Self(Level::Info)
    }
}

impl FromStr for LogLevel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(Self(match text {
            "err" => Level::Error,
            "warning" => Level::Warning,
            "notice" => Level::Notice,
            "info" => Level::Info,
            "debug" => Level::Debug,
            _ => return Err(()),
        }))
    }
}

/// The queue and its writer.
pub(super) struct Logger {
    style: Style,
    most: Level,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    text: String,
    /// Messages that found no room.
    lost: u64,
    /// The writer holds text that was not written yet.
    writing: bool,
    subjects: Vec<Subject>,
}

/// When there was last a message about something, and how many were held back since.
struct Subject {
    name: &'static str,
    level: Level,
    next: Instant,
    held: u32,
}

impl Logger {
    /// Starts the writer.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(super) fn start(style: Style, LogLevel(most): LogLevel) -> std::io::Result<Arc<Self>> {
        let logger = Arc::new(Self { style, most, queue: Mutex::default(), changed: Condvar::new() });
        let writer = Arc::clone(&logger);
        std::thread::Builder::new().name("boardd-log".into()).spawn(move || writer.write())?;
        Ok(logger)
    }

    /// Says something that is said once.
    pub(super) fn say(&self, level: Level, text: &str) {
        self.log(level, "", text);
    }

    /// Writes until the process ends.
    fn write(&self) {
        loop {
            let waiting = self.changed.wait_while(self.lock(), |queue| queue.text.is_empty());
            let mut queue = waiting.unwrap_or_else(PoisonError::into_inner);
            queue.writing = true;
            let mut text = std::mem::take(&mut queue.text);
            if queue.lost > 0 {
                let lost = format!("{} messages were lost: nobody read them", queue.lost);
                self.style.line(Level::Warning, "", &lost, &mut text);
                queue.lost = 0;
            }
            drop(queue);
            // With nobody at the other end there is nobody to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
            self.lock().writing = false;
            self.changed.notify_all();
        }
    }

    /// Says how many messages were held back and not yet told.
    pub(super) fn tell_held(&self) {
        let mut queue = self.lock();
        for mut subject in std::mem::take(&mut queue.subjects) {
            if subject.held > 0 {
                let text = more_like_it(&mut subject.held);
                self.append(&mut queue, subject.level, subject.name, text.trim_start());
            }
        }
    }

    /// Waits until all is written, at most for `time`.
    pub(super) fn flush(&self, time: Duration) {
        self.changed.notify_all();
        let unwritten = |queue: &mut Queue| queue.writing || !queue.text.is_empty();
        drop(self.changed.wait_timeout_while(self.lock(), time, unwritten));
    }

    fn append(&self, queue: &mut Queue, level: Level, subject: &str, text: &str) {
        if queue.text.len() < MOST_BYTES {
            self.style.line(level, subject, text, &mut queue.text);
        } else {
            queue.lost += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Half a line at worst.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for Logger {
    fn log(&self, level: Level, subject: &'static str, text: &str) {
        if level > self.most {
            return;
        }
        let mut queue = self.lock();
        let held = queue.held(level, subject);
        match held {
            None => return,
            Some(0) => self.append(&mut queue, level, subject, text),
            Some(mut held) => {
                let text = text.to_owned() + &more_like_it(&mut held);
                self.append(&mut queue, level, subject, &text);
            }
        }
        drop(queue);
        self.changed.notify_all();
    }
}

/// ` (7 more like it)`, after which none is held any more.
fn more_like_it(held: &mut u32) -> String {
    format!(" ({} more like it)", std::mem::take(held))
}

impl Queue {
    /// How many messages about `subject` were held back before this one; `None` when it is to be held back as well. Those
    /// about nothing in particular never are.
    fn held(&mut self, level: Level, subject: &'static str) -> Option<u32> {
        if subject.is_empty() {
            return Some(0);
        }
        let now = Instant::now();
        let known = self.subjects.iter_mut().find(|known| known.name == subject);
        let Some(known) = known else {
            self.subjects.push(Subject { name: subject, level, next: now + PER_SUBJECT, held: 0 });
            return Some(0);
        };
        if now < known.next {
            known.held += 1;
            return None;
        }
        known.next = now + PER_SUBJECT;
        Some(std::mem::take(&mut known.held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A logger without a writer, and what it would write.
    fn logger(style: Style, most: Level) -> Logger {
        Logger { style, most, queue: Mutex::default(), changed: Condvar::new() }
    }

    #[test]
    fn lines_have_the_form_that_was_asked_for_and_are_one_line() {
        let cases = [
            (Style::Plain, Level::Error, "", "gone", "boardd: gone\n"),
            (Style::Plain, Level::Info, "access log", "full", "boardd: access log: full\n"),
            (Style::Journal, Level::Error, "", "gone", "<3>gone\n"),
            (Style::Journal, Level::Debug, "a", "b", "<7>a: b\n"),
            (Style::Journal, Level::Notice, "", "a\n<0>b\x1b[2J", "<5>a?<0>b?[2J\n"),
        ];
        for (style, level, subject, text, expected) in cases {
            let mut line = String::new();
            style.line(level, subject, text, &mut line);
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn what_is_less_grave_than_asked_for_is_not_shown() {
        for (most, shown) in [(Level::Error, 1), (Level::Notice, 3), (Level::Debug, 5)] {
            let logger = logger(Style::Plain, most);
            for level in [Level::Error, Level::Warning, Level::Notice, Level::Info, Level::Debug] {
                logger.say(level, "x");
            }
            assert_eq!(logger.lock().text.lines().count(), shown, "{most:?}");
        }
    }

    #[test]
    fn the_same_trouble_is_told_once_a_second_with_the_number_of_those_between() {
        let logger = logger(Style::Plain, Level::Info);
        for _ in 0..5 {
            logger.log(Level::Warning, "door", "full");
            logger.log(Level::Warning, "disk", "full");
        }
        assert_eq!(logger.lock().text, "boardd: door: full\nboardd: disk: full\n");
        let mut queue = logger.lock();
        queue.text.clear();
        // A second later.
        queue.subjects.iter_mut().for_each(|subject| subject.next = Instant::now());
        drop(queue);
        logger.log(Level::Warning, "door", "full");
        assert_eq!(logger.lock().text, "boardd: door: full (4 more like it)\n");
        logger.lock().text.clear();
        logger.tell_held();
        assert_eq!(logger.lock().text, "boardd: disk: (4 more like it)\n");
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let logger = logger(Style::Plain, Level::Info);
        let line = "x".repeat(MOST_BYTES / 2);
        (0..5).for_each(|_| logger.say(Level::Info, &line));
        let queue = logger.lock();
        assert_eq!((queue.text.lines().count(), queue.lost), (2, 3));
    }
}

//! Messages of boardd and of its workers on the error output, which may be a pipe that nobody empties: they go through a
//! bounded queue to a thread that nobody waits for.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::style::{LogLevel, Style};
use crate::server::{Level, Log, spawn};

/// Bytes that may wait to be written: a few hundred lines. More of them are counted and lost.
const MOST_BYTES: usize = 32 * 1024;

/// The least time between two messages about the same subject.
const PER_SUBJECT: Duration = Duration::from_secs(1);

/// The queue and its writer.
pub(super) struct Logger {
    style: Style,
    most: Level,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    text: Vec<u8>,
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
        spawn("boardd-log".into(), Box::new(move || writer.write()))?;
        Ok(logger)
    }

    /// Says something that is said once.
    pub(super) fn say(&self, level: Level, text: &str) {
        self.log(level, "", text);
    }

    /// Writes until the process ends.
    fn write(&self) {
        loop {
            let mut queue = self.lock();
            while queue.text.is_empty() {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            queue.writing = true;
            let mut text = std::mem::take(&mut queue.text);
            if queue.lost > 0 {
                let lost = format!("{} messages were lost: nobody read them", queue.lost);
                self.style.line(Level::Warning, "", &lost, &mut text);
                queue.lost = 0;
            }
            drop(queue);
            // With nobody at the other end there is nobody to tell.
            let _ = std::io::stderr().write_all(&text);
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

    /// What would be written.
    fn waiting(logger: &Logger) -> String {
        String::from_utf8(logger.lock().text.clone()).expect("text")
    }

    /// A logger without a writer.
    fn logger(style: Style, most: Level) -> Logger {
        Logger { style, most, queue: Mutex::default(), changed: Condvar::new() }
    }

    #[test]
    fn what_is_less_grave_than_asked_for_is_not_shown() {
        for (most, shown) in [(Level::Error, 1), (Level::Notice, 3), (Level::Debug, 5)] {
            let logger = logger(Style::Plain, most);
            for level in [Level::Error, Level::Warning, Level::Notice, Level::Info, Level::Debug] {
                logger.say(level, "x");
            }
            assert_eq!(waiting(&logger).lines().count(), shown, "{most:?}");
        }
    }

    #[test]
    fn the_same_trouble_is_told_once_a_second_with_the_number_of_those_between() {
        let logger = logger(Style::Plain, Level::Info);
        for _ in 0..5 {
            logger.log(Level::Warning, "door", "full");
            logger.log(Level::Warning, "disk", "full");
        }
        assert_eq!(waiting(&logger), "boardd: door: full\nboardd: disk: full\n");
        let mut queue = logger.lock();
        queue.text.clear();
        // A second later.
        queue.subjects.iter_mut().for_each(|subject| subject.next = Instant::now());
        drop(queue);
        logger.log(Level::Warning, "door", "full");
        assert_eq!(waiting(&logger), "boardd: door: full (4 more like it)\n");
        logger.lock().text.clear();
        logger.tell_held();
        assert_eq!(waiting(&logger), "boardd: disk: (4 more like it)\n");
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let logger = logger(Style::Plain, Level::Info);
        let line = "x".repeat(MOST_BYTES / 2);
        (0..5).for_each(|_| logger.say(Level::Info, &line));
        assert_eq!((waiting(&logger).lines().count(), logger.lock().lost), (2, 3));
    }
}

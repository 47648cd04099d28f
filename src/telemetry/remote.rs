//! A board's telemetry, read over HTTP.

mod board;

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Sample;
use board::Board;
pub use board::RemoteError;

/// How often the board is asked; it has a new sample once a second.
const EVERY: Duration = Duration::from_secs(1);

/// A sample that may begin this much before the load is still the load's: less than the rest at which a core counts as busy.
const SLACK: Duration = Duration::from_millis(50);

/// A sample of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteSample {
    /// When the board was asked for it: the interval had ended by the answer, and at most one interval before the question, or
    /// there would have been a newer one.
    pub at: Instant,
    /// What the board said.
    pub sample: Sample,
}

impl RemoteSample {
    /// Whether its interval may have begun before `instant`, by more than does not matter.
    pub(super) fn may_begin_before(&self, instant: Instant) -> bool {
        // Any number may be served. It ended up to one interval before the question, and began one more before that.
        let length = Duration::try_from_secs_f64(2.0 * self.sample.interval_s).ok();
        length.and_then(|length| self.at.checked_sub(length)).is_none_or(|began| began + SLACK < instant)
    }
}

/// What a board's telemetry did since the last look.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A new sample.
    Sample(Box<RemoteSample>),
    /// The board does not answer any more, and why; said once.
    Lost(RemoteError),
    /// The board answers again; said once.
    Back,
}

/// Asks a board for its telemetry once a second, in a thread of its own.
///
/// Two paths are asked: `/board` once, for facts about the board, and `/load` for the last [`Sample`], both as JSON. Fields of
/// a sample that this version does not know are ignored, and those that are missing are unknown.
#[derive(Debug)]
pub struct Remote {
    facts: Value,
    is_here: bool,
    news: Receiver<News>,
    /// Dropped to end the thread.
    _stop: Sender<()>,
}

impl Remote {
    /// Asks the board for its facts and a first sample, and goes on to ask for samples. `base` is like `http://board:9100`;
    /// `token` is sent as a bearer token.
    ///
    /// # Errors
    /// When the base is no such address, or what answers there is not a board's telemetry. Takes at most some seconds to say
    /// so.
    pub fn start(base: &str, token: Option<&str>) -> Result<Self, RemoteError> {
        Self::start_asking(base, token, EVERY)
    }

    /// As [`Remote::start`], asking this often.
    pub(super) fn start_asking(
        base: &str,
        token: Option<&str>,
        every: Duration,
    ) -> Result<Self, RemoteError> {
        let board = Board::new(base, token)?;
        let facts = board.facts()?;
        let asked = Instant::now();
        let first = board.sample()?;
        let is_here = board.is_here();
        let (stop, stopped) = mpsc::channel();
        let (sender, news) = mpsc::channel();
        let mut poll = Poll { board, every, sender, last: None, is_lost: false };
        poll.arrived(first, asked);
        let thread = thread::Builder::new().name("telemetry".to_owned());
        thread.spawn(move || poll.run(&stopped)).map_err(|error| RemoteError::no_thread(&error))?;
        Ok(Self { facts, is_here, news, _stop: stop })
    }

    /// The board's facts, as it served them.
    #[must_use]
    pub fn facts(&self) -> &Value {
        &self.facts
    }

    /// Whether the telemetry is served on this very machine.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.is_here
    }

    /// What is new since the last call, the oldest first. Never waits.
    pub fn news(&self) -> Vec<News> {
        self.news.try_iter().collect()
    }
}

/// The thread's side.
struct Poll {
    board: Board,
    every: Duration,
    sender: Sender<News>,
    /// The sample that was sent last: asked twice in its second, the board says it twice.
    last: Option<Sample>,
    is_lost: bool,
}

impl Poll {
    fn run(mut self, stopped: &Receiver<()>) {
        let mut due = Instant::now() + self.every;
        while stopped.recv_timeout(due.saturating_duration_since(Instant::now()))
            == Err(RecvTimeoutError::Timeout)
        {
            // A question that took longer than its second is not made up for.
            due = (due + self.every).max(Instant::now());
            let asked = Instant::now();
            match self.board.sample() {
                Ok(sample) => self.arrived(sample, asked),
                Err(error) => self.failed(error),
            }
        }
    }

    fn arrived(&mut self, sample: Sample, at: Instant) {
        if std::mem::take(&mut self.is_lost) {
            self.tell(News::Back);
        }
        if self.last.as_ref() != Some(&sample) {
            self.last = Some(sample.clone());
            self.tell(News::Sample(Box::new(RemoteSample { at, sample })));
        }
    }

    fn failed(&mut self, error: RemoteError) {
        if !std::mem::replace(&mut self.is_lost, true) {
            self.tell(News::Lost(error));
        }
    }

    /// Nobody may be left to hear it: then the thread is about to end.
    fn tell(&self, news: News) {
        let _ = self.sender.send(news);
    }
}

#[cfg(test)]
pub(super) mod tests;

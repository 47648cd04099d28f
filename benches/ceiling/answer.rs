//! The bytes that every request is answered with.

use std::io::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What comes before and after the Date in every answer.
const BEFORE_DATE: &[u8] = b"HTTP/1.1 200 OK\r\nServer: boardd\r\nDate: ";
const AFTER_DATE: &[u8] = b"\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n";
const BODY: &[u8] = b"\r\nHello, World!";

/// The two answers there are, rendered again when the second changes.
pub(crate) struct Answer {
    second: u64,
    pub(crate) plain: Vec<u8>,
    pub(crate) with_keep_alive: Vec<u8>,
    /// What each costs more than it has to.
    spin: Duration,
}

impl Answer {
    /// Answers that each burn `spin`.
    pub(crate) fn new(spin: Duration) -> Self {
        Self { second: 0, plain: Vec::new(), with_keep_alive: Vec::new(), spin }
    }

    /// Burns the time that an answer is to cost more.
    #[inline]
    pub(crate) fn burn(&self) {
        if !self.spin.is_zero() {
            let begun = Instant::now();
            while begun.elapsed() < self.spin {
                std::hint::spin_loop();
            }
        }
    }

    /// Looks at the clock: once for each wait that returned.
    pub(crate) fn refresh(&mut self) {
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if second != self.second || self.plain.is_empty() {
            self.second = second;
            render(&mut self.plain, now, b"");
            render(&mut self.with_keep_alive, now, b"Connection: keep-alive\r\n");
        }
    }
}

fn render(into: &mut Vec<u8>, now: SystemTime, extra: &[u8]) {
    into.clear();
    into.extend_from_slice(BEFORE_DATE);
    let _ = write!(into, "{}", httpdate::fmt_http_date(now));
    for part in [AFTER_DATE, extra, BODY] {
        into.extend_from_slice(part);
    }
}

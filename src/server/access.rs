//! A line for each request, in the common log format (NCSA): gathered by the workers, taken by whoever writes them. No
//! request waits for it, or costs a system call by it.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::{DATE_BYTES, DateHeader, Method, RequestHead, append_decimal};

use super::tasks::Ticket;

/// Bytes of one worker that may wait to be taken: a tenth of a second at a hundred thousand requests a second. More of
/// them are counted and lost.
const MOST_BYTES: usize = 1024 * 1024;

/// A worker hands its lines over when it has so many bytes of them, else at the end of a batch.
const HAND_OVER_BYTES: usize = 64 * 1024;

/// Where the workers' lines wait. Given to a server by [`super::Server::with_access_log`]; whoever shares it has to call
/// [`AccessLog::take`] several times a second.
pub struct AccessLog {
    slots: Box<[Mutex<Vec<u8>>]>,
    lost: AtomicU64,
}

impl AccessLog {
    /// Room for the lines of so many workers, at most 1 MiB for each: what comes beyond that is counted and lost.
    #[must_use]
    pub fn new(workers: usize) -> Arc<Self> {
        let slots = (0..workers).map(|_| Mutex::default()).collect();
        Arc::new(Self { slots, lost: AtomicU64::new(0) })
    }

    /// Changes what waits of worker `worker` for `spare`, which is empty: whole lines, oldest first. False when there is
    /// no such worker.
    pub fn take(&self, worker: usize, spare: &mut Vec<u8>) -> bool {
        let slot = self.slots.get(worker);
        slot.map(|slot| std::mem::swap(&mut *lock(slot), spare)).is_some()
    }

    /// How many lines found no room since the last call.
    #[must_use]
    pub fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}

fn lock(slot: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    // Appending and swapping leave whole bytes.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker's end of the log.
pub(super) struct Recorder {
    log: Option<Arc<AccessLog>>,
    worker: usize,
    /// Lines since the last handing over.
    lines: Vec<u8>,
    /// How the last line began, and for whom and when: the next one mostly begins the same.
    beginning: Vec<u8>,
    begun: Option<(IpAddr, [u8; DATE_BYTES])>,
    /// Request lines whose answers are not there yet, by their connection's place.
    waiting: Vec<Option<(Ticket, Box<[u8]>)>>,
}

impl Recorder {
    /// Without a log, or one that was made for fewer workers, nothing is recorded.
    pub(super) fn new(log: Option<Arc<AccessLog>>, worker: usize) -> Self {
        let log = log.filter(|log| worker < log.slots.len());
        Self { log, worker, lines: Vec::new(), beginning: Vec::new(), begun: None, waiting: Vec::new() }
    }

    /// Whether requests are recorded: to be asked before anything is put together for it.
    #[inline]
    pub(super) const fn is_on(&self) -> bool {
        self.log.is_some()
    }

    /// Records an answered request; one that was none has no `head`. `bytes` is the length of the body that is sent.
    #[cold]
    pub(super) fn record(
        &mut self,
        date: &DateHeader,
        peer: SocketAddr,
        head: Option<&RequestHead<'_, '_>>,
        status: u16,
        bytes: u64,
    ) {
        self.begin(peer.ip(), date);
        match head {
            Some(head) => request_line(&mut self.lines, head),
            None => self.lines.push(b'-'),
        }
        self.end(status, bytes);
    }

    /// Keeps a request line until [`Recorder::record_done`].
    #[cold]
    pub(super) fn keep(&mut self, ticket: Ticket, head: &RequestHead<'_, '_>) {
        let mut line = Vec::new();
        request_line(&mut line, head);
        let place = ticket.key as usize;
        if self.waiting.len() <= place {
            self.waiting.resize_with(place + 1, || None);
        }
        // Whose line was there has ended without its answer.
        self.waiting[place] = Some((ticket, line.into()));
    }

    /// Records the answer to a request that was kept.
    #[cold]
    pub(super) fn record_done(
        &mut self,
        date: &DateHeader,
        peer: SocketAddr,
        ticket: Ticket,
        status: u16,
        bytes: u64,
    ) {
        let kept = self.waiting.get_mut(ticket.key as usize).and_then(Option::take);
        if let Some((_, line)) = kept.filter(|(other, _)| *other == ticket) {
            self.begin(peer.ip(), date);
            self.lines.extend_from_slice(&line);
            self.end(status, bytes);
        }
    }

    /// `1.2.3.4 - - [06/Nov/1994:08:49:37 +0000] "`: host, unknown identity, unknown user, time.
    fn begin(&mut self, ip: IpAddr, date: &DateHeader) {
        let date = date.date();
        if self.begun.as_ref().is_none_or(|(for_ip, at)| *for_ip != ip || at != date) {
            self.begun = Some((ip, *date));
            let beginning = &mut self.beginning;
            beginning.clear();
            // Writing to memory cannot fail.
            let _ = write!(beginning, "{ip}");
            // Of `Sun, 06 Nov 1994 08:49:37 GMT`.
            for (separator, part) in [(" - - [", 5..7), ("/", 8..11), ("/", 12..16), (":", 17..25)] {
                beginning.extend_from_slice(separator.as_bytes());
                beginning.extend_from_slice(&date[part]);
            }
            beginning.extend_from_slice(b" +0000] \"");
        }
        self.lines.extend_from_slice(&self.beginning);
    }

    fn end(&mut self, status: u16, bytes: u64) {
        let lines = &mut self.lines;
        lines.extend_from_slice(b"\" ");
        number(lines, u64::from(status));
        lines.push(b' ');
        match bytes {
            0 => lines.push(b'-'),
            bytes => number(lines, bytes),
        }
        lines.push(b'\n');
        if lines.len() >= HAND_OVER_BYTES {
            self.hand_over();
        }
    }

    /// Hands over what was recorded since the last call.
    #[inline]
    pub(super) fn flush(&mut self) {
        if !self.lines.is_empty() {
            self.hand_over();
        }
    }

    #[cold]
    fn hand_over(&mut self) {
        if let Some(log) = &self.log {
            let mut slot = lock(&log.slots[self.worker]);
            if slot.is_empty() {
                std::mem::swap(&mut *slot, &mut self.lines);
            } else if slot.len() + self.lines.len() <= MOST_BYTES {
                slot.extend_from_slice(&self.lines);
            } else {
                let lines = self.lines.iter().filter(|byte| **byte == b'\n').count();
                log.lost.fetch_add(lines as u64, Ordering::Relaxed);
            }
        }
        self.lines.clear();
    }
}

/// `GET /path?query HTTP/1.1`, with what could end the line or the quotes as `\xHH`.
fn request_line(line: &mut Vec<u8>, head: &RequestHead<'_, '_>) {
    let method = match head.method {
        Method::Other => "-",
        method => method.name(),
    };
    line.extend_from_slice(method.as_bytes());
    line.push(b' ');
    escaped(line, head.path);
    if let Some(query) = head.query {
        line.push(b'?');
        escaped(line, query);
    }
    line.extend_from_slice(b" HTTP/1.");
    line.push(b'0' + head.minor);
}

fn escaped(line: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if text.as_bytes().iter().all(is_plain) {
        return line.extend_from_slice(text.as_bytes());
    }
    for &byte in text.as_bytes() {
        if is_plain(&byte) {
            line.push(byte);
        } else {
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
            line.extend_from_slice(&[b'\\', b'x', high, low]);
        }
    }
}

fn number(lines: &mut Vec<u8>, number: u64) {
    append_decimal(number, lines);
}

#[cfg(test)]
mod tests;

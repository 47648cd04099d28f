//! What comes from a connection: into the worker's buffer when it can, kept on the connection when it must.

use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::http::MAX_HEAD_BYTES;

use super::super::conn::{Conn, Ending, Phase};
use super::Exchange;

impl Exchange {
    /// One read, and the answers to what it brought.
    pub(super) fn read(&mut self, conn: &mut Conn, buffer: &mut [u8]) {
        let received = rustix::net::recv(&conn.socket, &mut *buffer, RecvFlags::empty());
        self.received(conn, received.map(|(count, _)| count), buffer);
    }

    /// What came of a read into the worker's buffer. A head that did not come in one piece is put together on the
    /// connection, which so holds as many bytes as its client has sent and no more: slow clients come in thousands.
    pub(super) fn received(&mut self, conn: &mut Conn, received: Result<usize, Errno>, buffer: &[u8]) {
        match received {
            Ok(0) => self.on_last_byte(conn),
            Ok(count) => {
                self.counters.received_bytes += count as u64;
                // A short read emptied the socket; what comes later brings its own edge.
                conn.readable = count == buffer.len() || conn.half_closed;
                match &mut conn.phase {
                    Phase::Linger(left) if *left <= count => conn.ending = Ending::Broken,
                    Phase::Linger(left) => *left -= count,
                    _ if conn.input.is_empty() => self.answer_fresh(conn, &buffer[..count]),
                    phase => {
                        let is_head = *phase == Phase::Head;
                        conn.input.extend_from_slice(&buffer[..count]);
                        if !is_head || may_complete(&conn.input, count) {
                            self.answer_stored(conn);
                        }
                    }
                }
            }
            Err(Errno::AGAIN) => conn.readable = false,
            Err(Errno::INTR) => conn.readable = true,
            Err(_) => {
                self.counters.reset += 1;
                conn.ending = Ending::Broken;
            }
        }
    }

    /// Answers what just came, and keeps what is left of it.
    #[inline]
    pub(super) fn answer_fresh(&mut self, conn: &mut Conn, bytes: &[u8]) {
        let used = self.answer(conn, bytes);
        if used < bytes.len() {
            self.keep_rest(conn, &bytes[used..]);
        }
    }

    /// Answers what was kept.
    pub(super) fn answer_stored(&mut self, conn: &mut Conn) {
        let bytes = std::mem::take(&mut conn.input);
        let used = self.answer(conn, &bytes);
        if used == 0 {
            conn.input = bytes;
        } else if used < bytes.len() {
            self.keep_rest(conn, &bytes[used..]);
        }
    }

    #[cold]
    fn keep_rest(&mut self, conn: &mut Conn, rest: &[u8]) {
        match conn.ending {
            Ending::Keep => {
                conn.input.extend_from_slice(rest);
                conn.paused = conn.phase != Phase::Head;
            }
            // Bytes after the last request: closing at once would answer them with a reset.
            Ending::Close => conn.ending = Ending::Linger,
            Ending::Linger | Ending::Broken => {}
        }
    }
}

/// Whether the last `fresh` bytes of an unfinished head may have finished it, or made it too long: parsing it
/// anew at each byte of a slow client would cost the square of its length.
fn may_complete(input: &[u8], fresh: usize) -> bool {
    /// The empty line may have begun in the bytes before: `\n\r` then `\n`.
    const BEFORE: usize = 2;
    let from = (input.len() - fresh).saturating_sub(BEFORE);
    let ends = |at: usize| input[at] == b'\n' && matches!(input[at + 1..], [b'\n', ..] | [b'\r', b'\n', ..]);
    input.len() >= MAX_HEAD_BYTES || (from..input.len()).any(ends)
}

//! How answers leave: with the batch, at once when they are large, and when there is room again.

use rustix::io::Errno;
use rustix::net::SendFlags;

use super::super::conn::{Conn, Ending, LINGER_BYTES, Phase, Unsent};
use super::super::pool::Pools;
use super::super::tail::{Sending, Tail, send_pieces};
use super::{Exchange, Turn};

/// Rendered answers that are sent before the next pipelined request is looked at.
const SEND_AT_BYTES: usize = 64 * 1024;

impl Exchange {
    /// Sends at once what should not wait for the batch: a body that lies elsewhere, or a long pipeline's answers.
    #[inline]
    pub(super) fn send_if_large(&mut self, conn: &mut Conn) {
        let end = self.renderer.out.len();
        if self.renderer.tail.is_some() || end - self.begin >= SEND_AT_BYTES {
            self.send_slowly(conn, self.begin, end, 0);
            self.renderer.out.truncate(self.begin);
        }
    }

    /// Sends one connection's part of the batch's answers; what the socket does not take waits on the connection.
    #[inline]
    pub(in super::super) fn send(&mut self, conn: &mut Conn, begin: usize, end: usize) -> Turn {
        if conn.ending != Ending::Broken {
            match rustix::net::send(&conn.socket, &self.renderer.out[begin..end], SendFlags::NOSIGNAL) {
                Ok(count) if count == end - begin => {
                    self.counters.sent_bytes += count as u64;
                    if conn.is_quiet() {
                        return Turn::Rests;
                    }
                }
                Ok(count) => {
                    self.counters.sent_bytes += count as u64;
                    self.send_slowly(conn, begin, end, count);
                }
                Err(Errno::AGAIN | Errno::INTR) => self.send_slowly(conn, begin, end, 0),
                Err(_) => self.lose(conn),
            }
        }
        self.after_sending(conn)
    }

    /// The rest of answers that are large, or larger than the socket has room for.
    fn send_slowly(&mut self, conn: &mut Conn, begin: usize, end: usize, sent: usize) {
        let (bytes, mut tail, mut at) = (&self.renderer.out[begin..end], self.renderer.tail.take(), sent);
        match send_pieces(&conn.socket, bytes, &mut at, &mut tail, &mut self.counters.sent_bytes) {
            Sending::Done => {}
            sending @ (Sending::Full | Sending::OnDisk | Sending::HadItsTurn) => {
                conn.since = self.tick;
                let bytes = bytes[at..].to_vec();
                conn.unsent = Some(Box::new(Unsent {
                    bytes,
                    at: 0,
                    tail,
                    fetching: None,
                    goes_on: sending == Sending::HadItsTurn,
                }));
                if sending == Sending::OnDisk {
                    self.fetch(conn);
                }
            }
            Sending::Broken => self.lose(conn),
        }
    }

    /// Has the next bytes of a file read by a thread that may wait for the disk.
    #[cold]
    fn fetch(&mut self, conn: &mut Conn) {
        let Some(unsent) = &mut conn.unsent else { return };
        let Some(fetch) = unsent.tail.as_ref().and_then(Tail::fetch) else { return };
        let pools = Pools::current();
        // Refused: sending will wait for the disk itself, late but not for ever.
        let work = async move {
            let _ = pools.disk.run(fetch).await;
        };
        unsent.fetching = Some(self.tasks.spawn_aside(conn.ticket, work));
    }

    /// What a connection does next, once its answers have left or wait for room.
    #[inline]
    pub(super) fn after_sending(&mut self, conn: &mut Conn) -> Turn {
        if conn.ending == Ending::Linger && conn.unsent.is_none() {
            self.linger(conn);
        }
        match conn.ending {
            Ending::Broken => Turn::Ends,
            Ending::Close if conn.unsent.is_none() => Turn::Ends,
            _ if conn.has_work() => Turn::Again,
            _ => Turn::Waits,
        }
    }

    /// Goes on sending what the socket had no room for.
    pub(super) fn send_rest(&mut self, conn: &mut Conn) {
        let Some(unsent) = conn.unsent.as_mut().filter(|unsent| unsent.fetching.is_none()) else { return };
        let before = self.counters.sent_bytes;
        unsent.goes_on = false;
        match unsent.push(&conn.socket, &mut self.counters.sent_bytes) {
            Sending::Done => {
                conn.unsent = None;
                conn.since = self.tick;
            }
            Sending::HadItsTurn => (unsent.goes_on, conn.since) = (true, self.tick),
            Sending::Full if self.counters.sent_bytes > before => conn.since = self.tick,
            Sending::Full => {}
            Sending::OnDisk => self.fetch(conn),
            Sending::Broken => self.lose(conn),
        }
    }

    #[cold]
    fn lose(&mut self, conn: &mut Conn) {
        self.counters.reset += 1;
        conn.unsent = None;
        conn.ending = Ending::Broken;
    }

    /// Ends the sending side, so that the client sees the end, and reads on for a while.
    #[cold]
    fn linger(&mut self, conn: &mut Conn) {
        let over = rustix::net::shutdown(&conn.socket, rustix::net::Shutdown::Write);
        conn.ending = if over.is_ok() { Ending::Keep } else { Ending::Broken };
        (conn.phase, conn.since) = (Phase::Linger(LINGER_BYTES), self.tick);
        // Nothing that came before the end is looked at any more.
        (conn.input, conn.paused) = (Vec::new(), false);
    }
}

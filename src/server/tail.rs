//! Sending: rendered answers first, then the rest of a body from where it lies.

use std::io::IoSlice;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags};

use super::body::{Body, MAX_PIECES};
use super::file::{FETCH_BYTES, FilePart, LOOK_BYTES, is_in_memory};

/// The unsent rest of a large body.
#[derive(Debug)]
pub(super) struct Tail {
    body: Body,
    at: u64,
    end: u64,
    /// Of a file: up to where it was seen to be in memory.
    in_memory: u64,
    /// What is behind that was seen not to be.
    on_disk_behind: bool,
}

/// Bytes of a large body that one connection sends before the others have their turn. A client that reads as fast as is
/// sent would keep a worker for as long as its download lasts.
const TURN_BYTES: u64 = 2 * 1024 * 1024;

/// How far sending got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Everything left.
    Done,
    /// The socket is full.
    Full,
    /// It has sent [`TURN_BYTES`], and goes on after the others.
    HadItsTurn,
    /// The next bytes are on the disk: [`Tail::fetch`] has to be done first.
    OnDisk,
    /// The client is gone, or the file shorter than was said.
    Broken,
}

impl Tail {
    /// All of a body; `None` if it has no bytes, or none that are known yet.
    pub(super) fn of(body: Body) -> Option<Self> {
        let end = body.length().filter(|length| *length > 0)?;
        Some(Self { body, at: 0, end, in_memory: 0, on_disk_behind: false })
    }

    /// The next pieces to send; returns how many of `pieces` they fill.
    pub(super) fn pieces<'a>(&'a self, pieces: &mut [IoSlice<'a>]) -> usize {
        self.body.pieces(self.at, pieces)
    }

    /// Notes that `count` bytes left; true when none are left to send.
    pub(super) fn advance(&mut self, count: u64) -> bool {
        self.at += count;
        self.at >= self.end
    }

    const fn file(&self) -> Option<&FilePart> {
        match &self.body {
            Body::File(part) => Some(part),
            _ => None,
        }
    }

    /// What has to be read from the disk before sending goes on, as something that another thread can do.
    pub(super) fn fetch(&self) -> Option<impl FnOnce() + Send + use<>> {
        let part = self.file()?;
        let (file, from) = (std::sync::Arc::clone(part.file()), part.offset(self.at));
        let length = FETCH_BYTES.min(self.end - self.at);
        Some(move || super::file::fetch(&file, from, length))
    }

    /// What was to be fetched was fetched: it is sent without looking again, or a disk that loses pages as fast as it reads
    /// them would keep us here for ever.
    pub(super) fn fetched(&mut self) {
        self.in_memory = self.at + FETCH_BYTES.min(self.end - self.at);
    }

    /// Up to where the file is in memory from the present place on, as far as is looked, and whether that ends at bytes
    /// which are not. The kernel reads ahead in order, so the last byte of a step stands for the others.
    fn look(&self) -> (u64, bool) {
        let Some(part) = self.file() else { return (self.at, false) };
        let is_there = |at| is_in_memory(part.file(), part.offset(at));
        let (mut seen, last) = (self.at, self.end.min(self.at + LOOK_BYTES));
        if !is_there(seen) {
            return (seen, true);
        }
        while seen < last {
            let step = last.min(seen + FETCH_BYTES);
            if !is_there(step - 1) {
                return (seen, true);
            }
            seen = step;
        }
        (seen, false)
    }

    /// Sends bytes of the file; `Ok(0)` if they have to come from the disk first.
    fn send_file(&mut self, socket: &OwnedFd) -> Result<u64, Errno> {
        if self.at >= self.in_memory {
            if std::mem::take(&mut self.on_disk_behind) {
                return Ok(0);
            }
            (self.in_memory, self.on_disk_behind) = self.look();
            if self.at >= self.in_memory {
                self.on_disk_behind = false;
                return Ok(0);
            }
        }
        let Some(part) = self.file() else { return Ok(0) };
        let mut offset = part.offset(self.at);
        let count = usize::try_from(self.in_memory - self.at).unwrap_or(usize::MAX);
        match rustix::fs::sendfile(socket, part.file(), Some(&mut offset), count)? {
            // The file has shrunk: what was promised cannot be kept.
            0 => Err(Errno::IO),
            sent => Ok(sent as u64),
        }
    }
}

/// Sends `bytes` from `at` on, then the tail, as far as the socket takes them; moves `at` and the tail on, and adds
/// what was taken to `sent_bytes`.
pub(super) fn send_pieces(
    socket: &OwnedFd,
    bytes: &[u8],
    at: &mut usize,
    tail: &mut Option<Tail>,
    sent_bytes: &mut u64,
) -> Sending {
    let turn_ends = *sent_bytes + TURN_BYTES;
    while *at < bytes.len() || tail.is_some() {
        if *sent_bytes >= turn_ends {
            return Sending::HadItsTurn;
        }
        let file = tail.as_mut().filter(|tail| tail.file().is_some());
        let sent = match file {
            // The head waits for the file's first bytes and leaves with them.
            Some(_) if *at < bytes.len() => {
                rustix::net::send(socket, &bytes[*at..], SendFlags::NOSIGNAL | SendFlags::MORE)
            }
            Some(tail) => match tail.send_file(socket) {
                Ok(0) => return Sending::OnDisk,
                Ok(sent) => Ok(usize::try_from(sent).unwrap_or(usize::MAX)),
                Err(error) => Err(error),
            },
            None => send_from_memory(socket, &bytes[*at..], tail.as_ref()),
        };
        match sent {
            Ok(count) => {
                *sent_bytes += count as u64;
                let of_bytes = count.min(bytes.len() - *at);
                *at += of_bytes;
                if tail.as_mut().is_some_and(|tail| tail.advance((count - of_bytes) as u64)) {
                    *tail = None;
                }
            }
            Err(Errno::AGAIN) => return Sending::Full,
            Err(Errno::INTR) => {}
            Err(_) => return Sending::Broken,
        }
    }
    Sending::Done
}

fn send_from_memory(socket: &OwnedFd, bytes: &[u8], tail: Option<&Tail>) -> Result<usize, Errno> {
    let mut pieces = [IoSlice::new(&[]); 1 + MAX_PIECES];
    pieces[0] = IoSlice::new(bytes);
    let count = 1 + tail.map_or(0, |tail| tail.pieces(&mut pieces[1..]));
    rustix::net::sendmsg(socket, &pieces[..count], &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
}

//! One connection: bytes in, answers out.

use std::mem::MaybeUninit;
use std::net::TcpStream;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::answer::Answer;

/// Header slots on the stack, left uninitialised until a header is there.
const HEADERS: usize = 32;

/// One connection. Both buffers stay unallocated unless a request or an answer was cut short.
pub(crate) struct Connection {
    stream: TcpStream,
    /// The start of a request whose rest has not come yet.
    unread: Vec<u8>,
    /// What the socket would not take yet.
    unsent: Vec<u8>,
    /// To be closed once all is sent.
    closing: bool,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, unread: Vec::new(), unsent: Vec::new(), closing: false }
    }

    /// Appends the answers to all that has come to `output`, to leave with the batch. What can't wait for that leaves
    /// here: a full read, a peer that closes, an answer that is the last. False when the connection is done.
    pub(crate) fn serve(
        &mut self,
        flags: EventFlags,
        input: &mut [u8],
        output: &mut Vec<u8>,
        answer: &Answer,
    ) -> bool {
        let start = output.len();
        if !self.unsent.is_empty() {
            let rest = std::mem::take(&mut self.unsent);
            if !self.send(&rest) {
                return false;
            }
        }
        let more = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        // Answers that can't leave stop the reading: the client reads first.
        while self.unsent.is_empty() {
            if self.closing {
                return false;
            }
            let kept = self.unread.len();
            input[..kept].copy_from_slice(&self.unread);
            let read = match recv(&self.stream, &mut input[kept..], RecvFlags::empty()) {
                Ok((_, 0)) => return false,
                Ok((_, read)) => read,
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            };
            let filled = &input[..kept + read];
            let used = self.answer(filled, output, answer);
            self.unread.clear();
            self.unread.extend_from_slice(&filled[used..]);
            if self.unread.len() == input.len() {
                return false;
            }
            // A short read means drained; what comes later is an edge of its own.
            if kept + read < input.len() && !more && !self.closing {
                return true;
            }
            if !self.send(&output[start..]) {
                return false;
            }
            output.truncate(start);
        }
        true
    }

    /// Appends an answer for each whole request in `input`: how much of it that was, and what is no HTTP is the last.
    fn answer(&mut self, input: &[u8], output: &mut Vec<u8>, answer: &Answer) -> usize {
        let mut used = 0;
        while used < input.len() && !self.closing {
            let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
            let mut request = httparse::Request::new(&mut []);
            match request.parse_with_uninit_headers(&input[used..], &mut headers) {
                Ok(httparse::Status::Complete(length)) => used += length,
                Ok(httparse::Status::Partial) => break,
                Err(_) => {
                    self.closing = true;
                    break;
                }
            }
            answer.burn();
            let old = request.version == Some(0);
            let keep = keep_alive(&request).unwrap_or(!old);
            self.closing = !keep;
            output.extend_from_slice(if old && keep { &answer.with_keep_alive } else { &answer.plain });
        }
        used
    }

    /// Sends or keeps all of `bytes`. False when the peer is gone.
    pub(crate) fn send(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match send(&self.stream, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::AGAIN) => {
                    self.unsent.extend_from_slice(bytes);
                    break;
                }
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// What the request's `Connection` header asks for, if there is one.
fn keep_alive(request: &httparse::Request<'_, '_>) -> Option<bool> {
    let header = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("connection"))?;
    let asks = |word: &str| {
        header
            .value
            .split(|&byte| byte == b',')
            .any(|one| one.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    };
    if asks("close") { Some(false) } else { asks("keep-alive").then_some(true) }
}

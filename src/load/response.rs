//! Where an answer ends: heads and bodies read as they arrive, without a copy when an answer comes whole.

use super::chunks::Chunks;
use super::head::{Answer, Framing, Head, HeadParser};

/// Bytes in one head; above the default limit of every common server.
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// Why an answer can't be understood. The connection is of no use afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    /// The status line or a header field is not HTTP.
    #[error("the answer's head is not HTTP/1 ({0})")]
    Head(httparse::Error),
    /// What came is a TLS alert: the port speaks https.
    #[error("the server speaks TLS here (https), which is not supported: load its http port")]
    Tls,
    /// More than 64 KiB without the empty line that ends a head.
    #[error("the answer's head is longer than 64 KiB")]
    HeadTooLong,
    /// Content-Length is not a number, or there are two different ones.
    #[error("the answer's Content-Length is not one number")]
    Length,
    /// A chunk's size or line end is malformed.
    #[error("the answer's chunked body is malformed")]
    Chunk,
    /// 101: whatever follows is no longer HTTP.
    #[error("the server switched protocols (101)")]
    Upgrade,
    /// Bytes that no request asked for.
    #[error("the server sent more answers than requests")]
    Unasked,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Head,
    Length(u64),
    Chunked(Chunks),
    UntilClose,
}

/// Reads the answers of one connection, one after another.
#[derive(Debug)]
pub(super) struct ResponseReader {
    state: State,
    answer: Answer,
    /// Bytes of a head that did not arrive whole; empty, and without memory, as long as heads do.
    held: Vec<u8>,
    begun: bool,
}

impl ResponseReader {
    pub(super) fn new() -> Self {
        let answer = Answer { status: 0, keep_alive: false, head_len: 0, body_bytes: 0 };
        Self { state: State::Head, answer, held: Vec::new(), begun: false }
    }

    /// Whether a first byte of the current answer has come.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Forgets the answer in progress: the connection is a new one.
    pub(super) fn reset(&mut self) {
        self.held.clear();
        self.begun = false;
        self.state = State::Head;
    }

    /// Takes bytes up to the end of the current answer: how many, and the answer if it is complete.
    #[inline]
    pub(super) fn feed(
        &mut self,
        parser: &mut HeadParser,
        bytes: &[u8],
    ) -> Result<(usize, Option<Answer>), ResponseError> {
        self.begun = true;
        let mut used = 0;
        loop {
            let rest = &bytes[used..];
            let (taken, done) = match &mut self.state {
                State::Head => {
                    let Some((taken, head)) = self.take_head(parser, rest)? else {
                        return Ok((bytes.len(), None));
                    };
                    used += taken;
                    if head.answer.status < 200 {
                        // An interim answer; the one that counts follows.
                        continue;
                    }
                    self.answer = head.answer;
                    self.state = match head.framing {
                        Framing::Empty => return Ok((used, Some(self.finish()))),
                        Framing::Length(length) => State::Length(length),
                        Framing::Chunked => State::Chunked(Chunks::new()),
                        Framing::UntilClose => State::UntilClose,
                    };
                    continue;
                }
                State::Length(left) => {
                    let take = usize::try_from(*left).map_or(rest.len(), |left| left.min(rest.len()));
                    *left -= take as u64;
                    (take, *left == 0)
                }
                State::Chunked(chunks) => {
                    let fed = chunks.feed(rest)?;
                    self.answer.body_bytes = chunks.data();
                    fed
                }
                State::UntilClose => {
                    self.answer.body_bytes += rest.len() as u64;
                    (rest.len(), false)
                }
            };
            used += taken;
            return Ok((used, if done { Some(self.finish()) } else { None }));
        }
    }

    /// The server closed its side: the answer that this completes, if the close is what ends it.
    pub(super) fn end_of_stream(&mut self) -> Option<Answer> {
        if matches!(self.state, State::UntilClose) { Some(self.finish()) } else { None }
    }

    fn finish(&mut self) -> Answer {
        self.begun = false;
        self.state = State::Head;
        self.answer
    }

    /// A head from what was held and `bytes`: how many of `bytes` belong to it. `None` keeps all of them.
    #[inline]
    fn take_head(
        &mut self,
        parser: &mut HeadParser,
        bytes: &[u8],
    ) -> Result<Option<(usize, Head)>, ResponseError> {
        if self.held.is_empty() {
            let head = parser.parse(bytes)?;
            if head.is_none() {
                self.held.extend_from_slice(bytes);
            }
            return Ok(head.map(|head| (head.len, head)));
        }
        let before = self.held.len();
        let room = MAX_HEAD.saturating_sub(before).min(bytes.len());
        self.held.extend_from_slice(&bytes[..room]);
        match parser.parse(&self.held)? {
            Some(head) => {
                self.held.clear();
                Ok(Some((head.len - before, head)))
            }
            None if before + room == MAX_HEAD => Err(ResponseError::HeadTooLong),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;

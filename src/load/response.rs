//! Where an answer ends: heads and bodies read as they arrive, without a copy when an answer comes whole.

use std::mem::MaybeUninit;

use super::chunks::Chunks;

/// Header fields in one head; well above what servers send.
const MAX_HEADERS: usize = 128;
/// Bytes in one head; above the default limit of every common server.
const MAX_HEAD: usize = 64 * 1024;

/// Why an answer can't be understood. The connection is of no use afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    /// The status line or a header field is not HTTP.
    #[error("the answer's head is not HTTP/1 ({0})")]
    Head(httparse::Error),
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

/// An answer that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Whether the server keeps the connection for another request.
    pub(super) keep_alive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    answer: Answer,
    framing: Framing,
    len: usize,
}

/// Parses heads, and remembers the last one: servers send the same bytes until the second in their Date changes, and
/// comparing them is much cheaper than parsing them. Equal bytes parse equally, so nothing is assumed.
#[derive(Debug)]
pub(super) struct HeadParser {
    /// Answers to HEAD have no body.
    is_head: bool,
    bytes: Vec<u8>,
    last: Option<Head>,
}

impl HeadParser {
    pub(super) fn new(is_head: bool) -> Self {
        Self {
            is_head,
            bytes: Vec::new(),
            last: None,
        }
    }

    /// The head that `bytes` begin with, or `None` when it is not all there.
    #[inline]
    fn parse(&mut self, bytes: &[u8]) -> Result<Option<Head>, ResponseError> {
        if let Some(last) = self.last
            && bytes.starts_with(&self.bytes)
        {
            return Ok(Some(last));
        }
        let head = parse_head(bytes, self.is_head)?;
        if let Some(head) = head {
            self.bytes.clear();
            self.bytes.extend_from_slice(&bytes[..head.len]);
            self.last = Some(head);
        }
        Ok(head)
    }
}

fn parse_head(bytes: &[u8], is_head: bool) -> Result<Option<Head>, ResponseError> {
    let mut fields = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let mut config = httparse::ParserConfig::default();
    config.allow_multiple_spaces_in_response_status_delimiters(true);
    let parsed = config.parse_response_with_uninit_headers(&mut response, bytes, &mut fields);
    let len = match parsed.map_err(ResponseError::Head)? {
        httparse::Status::Complete(len) => len,
        httparse::Status::Partial => return Ok(None),
    };
    let status = response.code.unwrap_or_default();
    if status == 101 {
        return Err(ResponseError::Upgrade);
    }
    let mut length = None;
    let mut coding = None;
    let mut keep_alive = response.version == Some(1);
    for field in response.headers.iter() {
        if field.name.eq_ignore_ascii_case("content-length") {
            length = Some(parse_length(length, field.value)?);
        } else if field.name.eq_ignore_ascii_case("transfer-encoding") {
            coding = Some(field.value);
        } else if field.name.eq_ignore_ascii_case("connection") {
            keep_alive =
                (keep_alive || has_token(field.value, "keep-alive")) && !has_token(field.value, "close");
        }
    }
    // RFC 9112, 6.3: what the request and the status say comes before any header field, a transfer coding before a length.
    let framing = match (is_head || matches!(status, 100..=199 | 204 | 304), coding, length) {
        (true, ..) | (_, None, Some(0)) => Framing::Empty,
        (_, Some(value), _) if ends_in_chunked(value) => Framing::Chunked,
        (_, None, Some(length)) => Framing::Length(length),
        _ => Framing::UntilClose,
    };
    let keep_alive = keep_alive && framing != Framing::UntilClose;
    Ok(Some(Head {
        answer: Answer { status, keep_alive },
        framing,
        len,
    }))
}

/// `Content-Length = 1*DIGIT`; the same number twice is one number, two different ones are an attack or a bug.
fn parse_length(before: Option<u64>, value: &[u8]) -> Result<u64, ResponseError> {
    let mut length = before;
    for part in value.split(|b| *b == b',') {
        let text = std::str::from_utf8(part.trim_ascii()).map_err(|_| ResponseError::Length)?;
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ResponseError::Length);
        }
        let number = text.parse().map_err(|_| ResponseError::Length)?;
        if length.is_some_and(|length| length != number) {
            return Err(ResponseError::Length);
        }
        length = Some(number);
    }
    length.ok_or(ResponseError::Length)
}

fn has_token(value: &[u8], token: &str) -> bool {
    value
        .split(|b| *b == b',')
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

fn ends_in_chunked(value: &[u8]) -> bool {
    value
        .rsplit(|b| *b == b',')
        .next()
        .is_some_and(|last| last.trim_ascii().eq_ignore_ascii_case(b"chunked"))
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
        let answer = Answer {
            status: 0,
            keep_alive: false,
        };
        Self {
            state: State::Head,
            answer,
            held: Vec::new(),
            begun: false,
        }
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
                State::Chunked(chunks) => chunks.feed(rest)?,
                State::UntilClose => (rest.len(), false),
            };
            used += taken;
            return Ok((used, if done { Some(self.finish()) } else { None }));
        }
    }

    /// The server closed its side: the answer that this completes, if the close is what ends it.
    pub(super) fn end_of_stream(&mut self) -> Option<Answer> {
        if matches!(self.state, State::UntilClose) {
            Some(self.finish())
        } else {
            None
        }
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

//! The head of an answer: what it says about its body and its connection.

use std::mem::MaybeUninit;

use super::response::ResponseError;

/// Header fields in one head; well above what servers send.
const MAX_HEADERS: usize = 128;

/// An answer that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Whether the server keeps the connection for another request.
    pub(super) keep_alive: bool,
    /// Bytes of its head.
    pub(super) head_len: u32,
    /// Bytes of content, without what frames it.
    pub(super) body_bytes: u64,
}

/// What ends the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// A head that is complete; it takes `len` bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) answer: Answer,
    pub(super) framing: Framing,
    pub(super) len: usize,
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
        Self { is_head, bytes: Vec::new(), last: None }
    }

    /// The head that `bytes` begin with, or `None` when it is not all there.
    #[inline]
    pub(super) fn parse(&mut self, bytes: &[u8]) -> Result<Option<Head>, ResponseError> {
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

fn config() -> httparse::ParserConfig {
    let mut config = httparse::ParserConfig::default();
    config.allow_multiple_spaces_in_response_status_delimiters(true);
    config
}

/// Names and values of the header fields in a head that [`HeadParser`] has taken, in their order.
pub(super) fn fields(head: &[u8]) -> Vec<(String, String)> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut fields);
    // Parsed before: there is nothing new to go wrong.
    let _ = config().parse_response(&mut response, head);
    let pair = |field: &httparse::Header<'_>| {
        (field.name.to_owned(), String::from_utf8_lossy(field.value).into_owned())
    };
    response.headers.iter().map(pair).collect()
}

fn parse_head(bytes: &[u8], is_head: bool) -> Result<Option<Head>, ResponseError> {
    let mut fields = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let parsed = config().parse_response_with_uninit_headers(&mut response, bytes, &mut fields);
    let len = match parsed.map_err(|error| not_http(bytes, error))? {
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
    // A head has at most 64 KiB.
    let head_len = u32::try_from(len).unwrap_or(u32::MAX);
    let body_bytes = if let Framing::Length(length) = framing { length } else { 0 };
    Ok(Some(Head { answer: Answer { status, keep_alive, head_len, body_bytes }, framing, len }))
}

/// RFC 8446, 5.1: a record of type 21 is an alert, and 3 is the first byte of its version. It is what a TLS server has to
/// say to clear text.
fn not_http(bytes: &[u8], error: httparse::Error) -> ResponseError {
    if bytes.starts_with(&[21, 3]) { ResponseError::Tls } else { ResponseError::Head(error) }
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
    value.split(|b| *b == b',').any(|part| part.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

fn ends_in_chunked(value: &[u8]) -> bool {
    value.rsplit(|b| *b == b',').next().is_some_and(|last| last.trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

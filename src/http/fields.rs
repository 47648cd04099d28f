//! The header fields that say where the body ends and whether the connection goes on.

use super::target::is_host;
use super::{Framing, HttpError};

/// The header fields that decide framing and connection, gathered in one pass.
pub(super) struct Fields {
    pub(super) host: bool,
    length: Option<u64>,
    coding: Option<Result<(), HttpError>>,
    pub(super) keep_alive: bool,
    pub(super) expects_continue: bool,
}

impl Fields {
    #[inline]
    pub(super) fn new(minor: u8) -> Self {
        Self { host: false, length: None, coding: None, keep_alive: minor == 1, expects_continue: false }
    }

    /// Looks at one header; by length first, as nearly all of a browser's are none of ours.
    #[inline]
    pub(super) fn see(&mut self, header: &httparse::Header<'_>) -> Result<(), HttpError> {
        let (name, value) = (header.name, header.value);
        match name.len() {
            // The one header that every request has; the pattern is a fifth of the call's instructions.
            4 if matches!(name.as_bytes(), [b'H' | b'h', b'o' | b'O', b's' | b'S', b't' | b'T']) => {
                if self.host || !is_host(value) {
                    return Err(HttpError::Host);
                }
                self.host = true;
            }
            10 if name.eq_ignore_ascii_case("connection") => self.see_connection(value),
            14 if name.eq_ignore_ascii_case("content-length") => {
                // A repeated length is refused even when both agree: a front end may have read the other.
                if self.length.is_some() {
                    return Err(HttpError::Length);
                }
                self.length = Some(parse_length(value).ok_or(HttpError::Length)?);
            }
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                let twice = self.coding.is_some();
                self.coding =
                    Some(if twice { Err(HttpError::TransferEncoding) } else { check_coding(value) });
            }
            6 if name.eq_ignore_ascii_case("expect") => {
                if !value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(HttpError::Expectation);
                }
                self.expects_continue = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// `close` wins over `keep-alive`, wherever they stand in the list (RFC 9112 §9.3).
    fn see_connection(&mut self, value: &[u8]) {
        for token in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            if token.eq_ignore_ascii_case(b"close") {
                self.keep_alive = false;
                return;
            }
            if token.eq_ignore_ascii_case(b"keep-alive") {
                self.keep_alive = true;
            }
        }
    }

    /// Where the body ends (RFC 9112 §6.3), once every header of the head in `bytes[..length]` has been seen.
    #[inline]
    pub(super) fn framing(&self, minor: u8, bytes: &[u8], length: usize) -> Result<Framing, HttpError> {
        match (self.coding, self.length) {
            (None, None | Some(0)) => Ok(Framing::Empty),
            (None, Some(length)) => Ok(Framing::Length(length)),
            (Some(_), Some(_)) => Err(HttpError::Length),
            (Some(_), None) if minor == 0 => Err(HttpError::TransferEncoding),
            (Some(_), None) if coding_is_padded(&bytes[..length]) => Err(HttpError::TransferEncoding),
            (Some(checked), None) => checked.map(|()| Framing::Chunked),
        }
    }
}

/// `1*DIGIT` and nothing else: no sign, no list, no overflow.
fn parse_length(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0_u64, |sum, &b| {
        let digit = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// Whether white space follows a transfer coding. The grammar lets it, but servers have taken `chunked<TAB>` for
/// another coding, and then two of them disagree where the message ends.
#[cold]
fn coding_is_padded(head: &[u8]) -> bool {
    const NAME: &[u8] = b"transfer-encoding:";
    head.split(|&b| b == b'\n').any(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_coding = line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        is_coding && line.last().is_some_and(u8::is_ascii_whitespace)
    })
}

/// Only `chunked` alone is understood; anything after it hides where the body ends.
fn check_coding(value: &[u8]) -> Result<(), HttpError> {
    if value.eq_ignore_ascii_case(b"chunked") {
        return Ok(());
    }
    let last = value.rsplit(|&b| b == b',').next().unwrap_or_default();
    let chunked_last = last.trim_ascii().eq_ignore_ascii_case(b"chunked") && last.len() < value.len();
    // `chunked, chunked` is as contradictory as no chunked at all; `gzip, chunked` is merely unknown.
    let repeated =
        value.to_ascii_lowercase().windows(b"chunked".len()).filter(|w| w == b"chunked").count() > 1;
    Err(if chunked_last && !repeated { HttpError::UnknownCoding } else { HttpError::TransferEncoding })
}

//! The header fields that say where the body ends and whether the connection goes on.

use super::lines::offset;
use super::target::is_host;
use super::{Framing, HttpError};

/// The header fields that decide framing and connection, gathered in one pass.
pub(super) struct Fields {
    minor: u8,
    pub(super) host: bool,
    length: Option<u64>,
    coding: Option<Result<(), HttpError>>,
    /// HTTP/1.1, or asked for.
    wants_more: bool,
    closes: bool,
    pub(super) expects_continue: bool,
}

impl Fields {
    #[inline]
    pub(super) fn new(minor: u8) -> Self {
        Self {
            minor,
            host: false,
            length: None,
            coding: None,
            wants_more: minor == 1,
            closes: false,
            expects_continue: false,
        }
    }

    /// Looks at one header of the head in `bytes`; by length first, as nearly all of a browser's are none of ours.
    #[inline(always)] // Once for each field of each request, and called in one place.
    pub(super) fn see(&mut self, header: &httparse::Header<'_>, bytes: &[u8]) -> Result<(), HttpError> {
        let (name, value) = (header.name, header.value);
        match name.len() {
            // The one header that every request has: all four letters in one comparison.
            4 if name.as_bytes().first_chunk().is_some_and(|name| {
                u32::from_ne_bytes(*name) | 0x2020_2020 == u32::from_ne_bytes(*b"host")
            }) =>
            {
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
                // Kept until a length beside it, the worse contradiction, has been looked for.
                let broken = self.coding.is_some() || is_padded(header, bytes);
                self.coding =
                    Some(if broken { Err(HttpError::TransferEncoding) } else { check_coding(value) });
            }
            // HTTP/1.0 has no expectations: what is in them there is not looked at (RFC 9110 §10.1.1).
            6 if self.minor == 1 && name.eq_ignore_ascii_case("expect") => {
                if !value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(HttpError::Expectation);
                }
                self.expects_continue = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn see_connection(&mut self, value: &[u8]) {
        for token in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            self.closes |= token.eq_ignore_ascii_case(b"close");
            self.wants_more |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Whether the connection goes on: `close` wins over `keep-alive`, wherever they stand (RFC 9112 §9.3).
    #[inline]
    pub(super) const fn keep_alive(&self) -> bool {
        self.wants_more & !self.closes
    }

    /// Whether there was a Content-Length.
    pub(super) const fn has_length(&self) -> bool {
        self.length.is_some()
    }

    /// Where the body ends (RFC 9112 §6.3), once every header has been seen.
    #[inline]
    pub(super) fn framing(&self) -> Result<Framing, HttpError> {
        match (self.coding, self.length) {
            (None, None | Some(0)) => Ok(Framing::Empty),
            (None, Some(length)) => Ok(Framing::Length(length)),
            (Some(_), Some(_)) => Err(HttpError::Length),
            (Some(_), None) if self.minor == 0 => Err(HttpError::TransferEncoding),
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

/// Whether a transfer coding has white space around it that is not spaces before it. The grammar lets it, but servers have
/// taken `chunked<TAB>` for another coding, and then two of them disagree where the message ends.
#[cold]
fn is_padded(header: &httparse::Header<'_>, bytes: &[u8]) -> bool {
    let behind_name =
        bytes.get(offset(bytes, header.name) + header.name.len() + b":".len()..).unwrap_or_default();
    let spaces = behind_name.iter().take_while(|&&byte| byte == b' ').count();
    let behind_spaces = &behind_name[spaces..];
    !behind_spaces.starts_with(header.value) || behind_spaces.get(header.value.len()) != Some(&b'\r')
}

/// Only `chunked` alone is understood; anything after it hides where the body ends.
fn check_coding(value: &[u8]) -> Result<(), HttpError> {
    if value.eq_ignore_ascii_case(b"chunked") {
        return Ok(());
    }
    let mut codings = value.rsplit(|&b| b == b',').map(<[u8]>::trim_ascii);
    let is_chunked = |coding: &[u8]| coding.eq_ignore_ascii_case(b"chunked");
    let chunked_last = codings.next().is_some_and(is_chunked);
    // `chunked, chunked` is as contradictory as no chunked at all; `gzip, chunked` is merely unknown.
    let (mut before, mut repeated) = (false, false);
    for coding in codings {
        before |= !coding.is_empty();
        repeated |= is_chunked(coding);
    }
    Err(if chunked_last && before && !repeated {
        HttpError::UnknownCoding
    } else {
        HttpError::TransferEncoding
    })
}

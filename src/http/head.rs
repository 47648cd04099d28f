//! The request head: request line and headers, and what they say about the body and the connection.

use std::mem::MaybeUninit;

use super::fields::Fields;
use super::target::split_target;
use super::{Framing, HttpError, MAX_HEAD_BYTES, MAX_TARGET_BYTES, Method};

/// Most header fields in a request before 431 is answered; Apache stops at 100, browsers send about 20.
pub const MAX_HEADERS: usize = 100;

/// Room for one header while a head is parsed; left uninitialised until a header is found.
pub type HeaderSlot<'b> = MaybeUninit<httparse::Header<'b>>;

/// Room for the headers of one head, on the caller's stack.
#[must_use]
#[inline]
pub const fn header_slots<'b>() -> [HeaderSlot<'b>; MAX_HEADERS] {
    [const { MaybeUninit::uninit() }; MAX_HEADERS]
}

/// A complete request head. Borrows the bytes it was parsed from.
#[derive(Debug)]
pub struct RequestHead<'h, 'b> {
    /// The method.
    pub method: Method,
    /// The path as it came, still percent-encoded; `/` for absolute-form without one, `*` for asterisk-form.
    pub path: &'b str,
    /// What follows the first `?`, still percent-encoded; `None` without a `?`.
    pub query: Option<&'b str>,
    /// Minor version: 0 or 1.
    pub minor: u8,
    /// The header fields in order; names as they came.
    pub headers: &'h [httparse::Header<'b>],
    /// Where the body ends.
    pub framing: Framing,
    /// Whether the client wants the connection kept after this exchange (RFC 9112 §9.3).
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    pub expects_continue: bool,
}

/// Parses one request head at the start of `bytes`.
///
/// Returns the head and its length in bytes, or `None` when more bytes are needed. Leading empty lines are
/// skipped and counted in the length (RFC 9112 §2.2).
///
/// # Errors
/// [`HttpError`] when the bytes can never become a request that is answered; the connection then ends.
#[inline]
pub fn parse_head<'h, 'b>(
    bytes: &'b [u8],
    slots: &'h mut [HeaderSlot<'b>; MAX_HEADERS],
) -> Result<Option<(RequestHead<'h, 'b>, usize)>, HttpError> {
    let mut parser = httparse::Request::new(&mut []);
    let length = match parser.parse_with_uninit_headers(bytes, slots) {
        Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD_BYTES => length,
        Ok(httparse::Status::Complete(_)) => return Err(too_large(bytes)),
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => return Ok(None),
        Ok(httparse::Status::Partial) => return Err(too_large(bytes)),
        Err(error) => return Err(explain(error, bytes)),
    };
    // httparse fills all three before it says Complete; an empty target is caught below.
    let (method, target, minor) = (
        parser.method.unwrap_or_default(),
        parser.path.unwrap_or_default(),
        parser.version.unwrap_or_default(),
    );
    let method = Method::from_token(method);
    let (path, query) = split_target(method, target)?;
    let mut fields = Fields::new(minor);
    let headers: &'h [httparse::Header<'b>] = parser.headers;
    for header in headers {
        fields.see(header)?;
    }
    let framing = fields.framing(minor, bytes, length)?;
    if minor == 1 && !fields.host {
        return Err(HttpError::Host);
    }
    let head = RequestHead {
        method,
        path,
        query,
        minor,
        headers,
        framing,
        keep_alive: fields.keep_alive,
        expects_continue: fields.expects_continue && minor == 1,
    };
    Ok(Some((head, length)))
}

/// Which limit a head broke that grew past [`MAX_HEAD_BYTES`].
#[cold]
fn too_large(bytes: &[u8]) -> HttpError {
    let start = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(0);
    let line = bytes[start..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    if line > MAX_TARGET_BYTES { HttpError::TargetTooLong } else { HttpError::HeadTooLarge }
}

/// Turns httparse's error, which carries no place, into the status that fits.
#[cold]
fn explain(error: httparse::Error, bytes: &[u8]) -> HttpError {
    match error {
        httparse::Error::TooManyHeaders => HttpError::HeadTooLarge,
        httparse::Error::Version => {
            // `HTTP/2.0` is another protocol (505); `http/1.1` or `HTTP/x` is none at all (400).
            let line = bytes.split(|&b| b == b'\n').find(|line| line.len() > 1).unwrap_or_default();
            let version = line.rsplit(|&b| b == b' ').next().unwrap_or_default();
            match version.trim_ascii_end() {
                [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
                    if major.is_ascii_digit() && minor.is_ascii_digit() =>
                {
                    HttpError::Version
                }
                _ => HttpError::Malformed,
            }
        }
        _ => HttpError::Malformed,
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;

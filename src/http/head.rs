//! The request head: request line and headers, and what they say about the body and the connection.

use std::mem::MaybeUninit;

use super::fields::Fields;
use super::lines::{MAX_BLANK_BYTES, begins_blank, is_blank, offset};
use super::target::split_target;
use super::version::{self, Version};
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
/// Returns the head and its length in bytes, or `None` when more bytes are needed. Up to eight empty lines before the
/// request line are skipped and counted in the length (RFC 9112 §2.2); while nothing but such lines is there,
/// [`is_blank`](super::is_blank), no request has begun. The verdict is the same wherever the bytes were cut.
///
/// # Errors
/// [`HttpError`] when the bytes can never become a request that is answered; the connection then ends. The exception is
/// [`HttpError::NewerMinor`], whose bytes can be parsed once more.
#[inline]
pub fn parse_head<'h, 'b>(
    bytes: &'b [u8],
    slots: &'h mut [HeaderSlot<'b>; MAX_HEADERS],
) -> Result<Option<(RequestHead<'h, 'b>, usize)>, HttpError> {
    // What lies beyond cannot belong to a head that is answered, and must not have a say in why it is refused.
    let bytes = bytes.get(..MAX_HEAD_BYTES).unwrap_or(bytes);
    let mut parser = httparse::Request::new(&mut []);
    let length = match parser.parse_with_uninit_headers(bytes, slots) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return unfinished(bytes).map(|()| None),
        Err(error) => return explain(error, bytes).map(|()| None),
    };
    // httparse fills all three before it says Complete; an empty target is caught below.
    let (method, target, minor) = (
        parser.method.unwrap_or_default(),
        parser.path.unwrap_or_default(),
        parser.version.unwrap_or_default(),
    );
    if method.as_ptr() != bytes.as_ptr() {
        check_blank(&bytes[..offset(bytes, method)])?;
    }
    let method = Method::from_token(method);
    let (path, query) = split_target(method, target)?;
    let mut fields = Fields::new(minor);
    let headers: &'h [httparse::Header<'b>] = parser.headers;
    for header in headers {
        // httparse takes a bare line feed for a line end, which others do not: two servers would see different fields.
        // Where there is a carriage return, it has seen to it that a line feed follows.
        if bytes.get(offset(bytes, header.name).wrapping_sub(2)) != Some(&b'\r') {
            return Err(HttpError::Malformed);
        }
        fields.see(header, bytes)?;
    }
    if !bytes[..length].ends_with(b"\r\n\r\n") {
        return Err(HttpError::Malformed);
    }
    let framing = fields.framing()?;
    if minor == 1 && !fields.host {
        return Err(HttpError::Host);
    }
    if minor == 0 && takes_content(method) && !fields.has_length() {
        return Err(HttpError::LengthRequired);
    }
    let head = RequestHead {
        method,
        path,
        query,
        minor,
        headers,
        framing,
        keep_alive: fields.keep_alive(),
        expects_continue: fields.expects_continue && framing != Framing::Empty,
    };
    Ok(Some((head, length)))
}

/// Whether requests with this method come with a body; HTTP/1.0 knows no other sign of one than its length.
const fn takes_content(method: Method) -> bool {
    matches!(method, Method::Post | Method::Put | Method::Patch)
}

/// Refuses more than a few empty lines before a request line, and line feeds without carriage returns there.
#[cold]
fn check_blank(blank: &[u8]) -> Result<(), HttpError> {
    let whole = blank.len().is_multiple_of(2) && is_blank(blank);
    if whole && blank.len() <= MAX_BLANK_BYTES { Ok(()) } else { Err(HttpError::Malformed) }
}

/// What an unfinished head can still become: an error when it grew past [`MAX_HEAD_BYTES`], or has not begun after more
/// than a few empty lines.
#[cold]
fn unfinished(bytes: &[u8]) -> Result<(), HttpError> {
    if begins_blank(bytes) > MAX_BLANK_BYTES {
        Err(HttpError::Malformed)
    } else if bytes.len() < MAX_HEAD_BYTES {
        Ok(())
    } else {
        let line = bytes.iter().skip(begins_blank(bytes)).take_while(|&&b| b != b'\n').count();
        Err(if line > MAX_TARGET_BYTES { HttpError::TargetTooLong } else { HttpError::HeadTooLarge })
    }
}

/// Turns httparse's error, which carries no place, into the status that fits; no error where the bytes only end too early
/// to tell.
#[cold]
fn explain(error: httparse::Error, bytes: &[u8]) -> Result<(), HttpError> {
    let version = match error {
        // As these lines alone were refused for.
        _ if begins_blank(bytes) > MAX_BLANK_BYTES => return Err(HttpError::Malformed),
        httparse::Error::TooManyHeaders => return Err(HttpError::HeadTooLarge),
        httparse::Error::Version => version::read(bytes),
        _ => return Err(HttpError::Malformed),
    };
    match version {
        Version::Unfinished => unfinished(bytes),
        Version::Known { major: 1, minor: 2.. } => Err(HttpError::NewerMinor),
        // `HTTP/2.0` is another protocol (505); `http/1.1` or `HTTP/x` is none at all (400).
        Version::Known { .. } => Err(HttpError::Version),
        Version::None => Err(HttpError::Malformed),
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "head_line_tests.rs"]
mod line_tests;

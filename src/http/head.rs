//! The request head: request line and headers, and what they say about the body and the connection.

use std::mem::MaybeUninit;

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

/// Path and query of a target, by the four forms of RFC 9112 §3.2.
#[inline]
fn split_target(method: Method, target: &str) -> Result<(&str, Option<&str>), HttpError> {
    if target.len() > MAX_TARGET_BYTES {
        return Err(HttpError::TargetTooLong);
    }
    // One look-up per byte and no branch: what all bytes have in common says whether the target is one, and
    // whether a query has to be looked for at all.
    let common = common_class(target.as_bytes());
    if common & IN_TARGET == 0 {
        return Err(HttpError::Target);
    }
    match target.as_bytes() {
        [b'/', ..] if common & NO_QUERY != 0 => Ok((target, None)),
        [b'/', ..] => Ok(split_query(target)),
        b"*" if method == Method::Options => Ok((target, None)),
        _ if method == Method::Connect => Ok((target, None)),
        _ => absolute_form(target),
    }
}

fn split_query(local: &str) -> (&str, Option<&str>) {
    local.split_once('?').map_or((local, None), |(path, query)| (path, Some(query)))
}

/// Path and query of `http://authority/path?query` (RFC 9112 §3.2.2).
#[cold]
fn absolute_form(target: &str) -> Result<(&str, Option<&str>), HttpError> {
    let (scheme, rest) = target.split_once("://").ok_or(HttpError::Target)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(HttpError::Target);
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, local) = rest.split_at(end);
    if authority.is_empty() || !is_host(authority.as_bytes()) {
        return Err(HttpError::Target);
    }
    let (path, query) = split_query(local);
    Ok((if path.is_empty() { "/" } else { path }, query))
}

/// The byte may stand in a target.
const IN_TARGET: u8 = 1;
/// The byte is not the `?` that begins a query.
const NO_QUERY: u8 = 2;
/// The byte may stand in a host and port.
const IN_HOST: u8 = 4;

/// What each byte may be. A target is visible ASCII without `#`, as a fragment never goes over the wire
/// (RFC 3986 §3.5); stricter rules would refuse what browsers send, such as `|`. A host is RFC 3986 §3.2.2
/// with a port: no user, path, list or space.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        class[byte as usize] = match byte {
            b'#' => 0,
            b'?' => IN_TARGET,
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b';'
            | b'=' | b'%' | b':' | b'[' | b']' => IN_TARGET | NO_QUERY | IN_HOST,
            _ if byte.is_ascii_alphanumeric() => IN_TARGET | NO_QUERY | IN_HOST,
            _ => IN_TARGET | NO_QUERY,
        };
        byte += 1;
    }
    class
};

/// What all bytes may be; everything when there are none. Four at a time, as targets and hosts are short and every
/// request has both.
#[inline]
fn common_class(bytes: &[u8]) -> u8 {
    let class = |byte: u8| CLASS[byte as usize];
    let (fours, rest) = bytes.as_chunks::<4>();
    let common =
        fours.iter().fold(u8::MAX, |all, &[a, b, c, d]| all & class(a) & class(b) & class(c) & class(d));
    rest.iter().fold(common, |all, &byte| all & class(byte))
}

/// Whether the bytes are a host and an optional port.
#[inline]
fn is_host(value: &[u8]) -> bool {
    common_class(value) & IN_HOST != 0
}

/// The header fields that decide framing and connection, gathered in one pass.
struct Fields {
    host: bool,
    length: Option<u64>,
    coding: Option<Result<(), HttpError>>,
    keep_alive: bool,
    expects_continue: bool,
}

impl Fields {
    #[inline]
    fn new(minor: u8) -> Self {
        Self { host: false, length: None, coding: None, keep_alive: minor == 1, expects_continue: false }
    }

    /// Looks at one header; by length first, as nearly all of a browser's are none of ours.
    #[inline]
    fn see(&mut self, header: &httparse::Header<'_>) -> Result<(), HttpError> {
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
    fn framing(&self, minor: u8, bytes: &[u8], length: usize) -> Result<Framing, HttpError> {
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

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;

//! The request target and the host: which bytes they may have, and where the query begins.

use super::{HttpError, MAX_TARGET_BYTES, Method};

/// Path and query of a target, by the four forms of RFC 9112 §3.2.
#[inline]
pub(super) fn split_target(method: Method, target: &str) -> Result<(&str, Option<&str>), HttpError> {
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
pub(super) fn is_host(value: &[u8]) -> bool {
    common_class(value) & IN_HOST != 0
}

//! Requests with conditions: what a client has already, and what it wants only if it did not change (RFC 9110 §13).

use std::time::UNIX_EPOCH;

use super::{ByteRange, Method};

/// What the conditions of a request come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionOutcome {
    /// The request is answered as if it had none; for a part of the body see [`Conditions::range`].
    Proceed,
    /// The client has it already: 304.
    NotModified,
    /// What the client wants to change or read on is not what it thinks: 412.
    PreconditionFailed,
}

/// The conditions of one request, held against what is there; filled header by header, in any order.
#[derive(Debug, Clone)]
pub struct Conditions<'a> {
    etag: &'a [u8],
    modified: Option<u64>,
    if_match: Option<bool>,
    if_none_match: Option<bool>,
    if_modified_since: Single<Option<u64>>,
    if_unmodified_since: Single<Option<u64>>,
    if_range: Single<bool>,
    range: Single<&'a [u8]>,
}

/// A header that may come once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Single<T> {
    Absent,
    Once(T),
    Repeated,
}

impl<T> Single<T> {
    fn see(&mut self, value: T) {
        *self = if matches!(self, Self::Absent) { Self::Once(value) } else { Self::Repeated };
    }
}

impl Single<Option<u64>> {
    /// The date, if it came once and is one; else the header is ignored (RFC 9110 §13.1.3 and §13.1.4).
    const fn date(self) -> Option<u64> {
        if let Self::Once(date) = self { date } else { None }
    }
}

impl<'a> Conditions<'a> {
    /// No conditions yet, on something that exists: its entity tag with its quotes (`"…"`, or `W/"…"` for a weak one), and
    /// when it last changed, in whole seconds since 1970 UTC, if that is known.
    #[must_use]
    pub const fn new(etag: &'a str, modified: Option<u64>) -> Self {
        Self {
            etag: etag.as_bytes(),
            modified,
            if_match: None,
            if_none_match: None,
            if_modified_since: Single::Absent,
            if_unmodified_since: Single::Absent,
            if_range: Single::Absent,
            range: Single::Absent,
        }
    }

    /// Looks at one header of the request; those that are no condition, and no Range, are passed over. A list that comes
    /// in several headers counts as one.
    pub fn see(&mut self, name: &str, value: &'a [u8]) {
        match name.len() {
            5 if name.eq_ignore_ascii_case("range") => self.range.see(value),
            8 if name.eq_ignore_ascii_case("if-match") => {
                let found = lists(value, self.etag, is_same_strongly);
                self.if_match = Some(found || self.if_match == Some(true));
            }
            8 if name.eq_ignore_ascii_case("if-range") => self.if_range.see(self.is_unchanged(value)),
            13 if name.eq_ignore_ascii_case("if-none-match") => {
                let found = lists(value, self.etag, is_same_weakly);
                self.if_none_match = Some(found || self.if_none_match == Some(true));
            }
            17 if name.eq_ignore_ascii_case("if-modified-since") => {
                self.if_modified_since.see(seconds(value));
            }
            19 if name.eq_ignore_ascii_case("if-unmodified-since") => {
                self.if_unmodified_since.see(seconds(value));
            }
            _ => {}
        }
    }

    /// What they come to for this method, in the order of RFC 9110 §13.2.2.
    #[must_use]
    pub fn outcome(&self, method: Method) -> ConditionOutcome {
        let reads = matches!(method, Method::Get | Method::Head);
        let is_newer_than = |date: Option<u64>| Some(self.modified? > date?);
        let holds = match self.if_match {
            Some(matches) => matches,
            None => is_newer_than(self.if_unmodified_since.date()) != Some(true),
        };
        let has_it = match self.if_none_match {
            Some(matches) => matches,
            None => reads && is_newer_than(self.if_modified_since.date()) == Some(false),
        };
        match (holds, has_it) {
            (true, false) => ConditionOutcome::Proceed,
            (true, true) if reads => ConditionOutcome::NotModified,
            _ => ConditionOutcome::PreconditionFailed,
        }
    }

    /// The part of a body of `length` bytes that is asked for. The whole unless the method is GET, the only one with
    /// ranges (RFC 9110 §14.2), and what the client has the beginning of is unchanged (If-Range, §13.1.5).
    #[must_use]
    pub fn range(&self, method: Method, length: u64) -> ByteRange {
        let may = method == Method::Get && matches!(self.if_range, Single::Absent | Single::Once(true));
        match self.range {
            Single::Once(value) if may => ByteRange::of(value, length),
            _ => ByteRange::Whole,
        }
    }

    /// Whether the validator of an If-Range is ours: a strong entity tag, or the exact date.
    fn is_unchanged(&self, value: &[u8]) -> bool {
        match entity_tag(value) {
            Some((tag, b"")) => is_same_strongly(tag, self.etag),
            Some(_) => false,
            None => self.modified.is_some() && seconds(value) == self.modified,
        }
    }
}

/// Whether a list of entity tags holds `etag`, or is `*`.
fn lists(list: &[u8], etag: &[u8], is_same: fn(&[u8], &[u8]) -> bool) -> bool {
    if list == b"*" {
        return true;
    }
    let mut rest = list;
    loop {
        // A comma may be part of a tag, so the list is not split at them.
        let start = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b',')).unwrap_or(rest.len());
        let Some((tag, behind)) = entity_tag(&rest[start..]) else { return false };
        if is_same(tag, etag) {
            return true;
        }
        rest = behind;
    }
}

/// The entity tag, quotes and weakness included, that the bytes begin with, and what follows it.
fn entity_tag(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let prefix = if bytes.starts_with(b"W/\"") { 3 } else { 1 };
    if prefix == 1 && bytes.first() != Some(&b'"') {
        return None;
    }
    let end = prefix + bytes[prefix..].iter().position(|&byte| byte == b'"')? + 1;
    Some(bytes.split_at(end))
}

fn is_same_strongly(tag: &[u8], other: &[u8]) -> bool {
    tag == other && !tag.starts_with(b"W/")
}

fn is_same_weakly(tag: &[u8], other: &[u8]) -> bool {
    opaque(tag) == opaque(other)
}

/// The tag without its weakness.
fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

/// An HTTP date in any of its three forms (RFC 9110 §5.6.7), in seconds since 1970.
fn seconds(value: &[u8]) -> Option<u64> {
    let date = httpdate::parse_http_date(std::str::from_utf8(value).ok()?).ok()?;
    Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
#[path = "conditional_tests.rs"]
mod tests;

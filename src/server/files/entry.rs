//! A file as it was found, and the answer that it makes to a request.

use std::fs::File;
use std::sync::Arc;

use crate::http::{
    AcceptEncoding, ByteRange, Coding, CodingSet, ConditionOutcome, Conditions, Method, Status, http_date,
};
use crate::server::body::Body;
use crate::server::file::FilePart;
use crate::server::response::Response;

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) seconds: i64,
    pub(super) nanos: i64,
}

/// A file's bytes.
#[derive(Debug)]
pub(super) enum Content {
    Memory(Arc<[u8]>),
    Open(Arc<File>),
}

/// A file as it is, or compressed beside it.
#[derive(Debug)]
pub(super) struct Variant {
    coding: Option<Coding>,
    stamp: Stamp,
    /// With its quotes.
    etag: Box<str>,
    content: Content,
    /// The header lines that every answer with it has.
    lines: Box<[u8]>,
}

impl Variant {
    pub(super) fn new(coding: Option<Coding>, stamp: Stamp, content: Content, varies: bool) -> Self {
        let modified = u64::try_from(stamp.seconds).unwrap_or(0);
        let etag = format!("\"{modified:x}.{:x}-{:x}\"", stamp.nanos, stamp.size);
        let mut lines =
            format!("Last-Modified: {}\r\nETag: {etag}\r\nAccept-Ranges: bytes\r\n", http_date(modified));
        if let Some(coding) = coding {
            lines.push_str("Content-Encoding: ");
            lines.push_str(coding.name());
            lines.push_str("\r\n");
        }
        if varies {
            lines.push_str("Vary: Accept-Encoding\r\n");
        }
        Self { coding, stamp, etag: etag.into(), content, lines: lines.into_bytes().into() }
    }

    const fn length(&self) -> u64 {
        self.stamp.size
    }

    /// What the request's conditions come to, and the part of the file that it wants.
    fn conditions(&self, method: Method, headers: &[(&str, &[u8])]) -> (ConditionOutcome, ByteRange) {
        let mut conditions = Conditions::new(&self.etag, u64::try_from(self.stamp.seconds).ok());
        headers.iter().for_each(|(name, value)| conditions.see(name, value));
        (conditions.outcome(method), conditions.range(method, self.length()))
    }

    /// Bytes `first..first + length` of the file.
    fn body(&self, first: u64, length: u64) -> Body {
        match &self.content {
            Content::Memory(bytes) if length == self.length() => Body::Shared(Arc::clone(bytes)),
            Content::Memory(bytes) => {
                let at = |byte: u64| usize::try_from(byte).map_or(bytes.len(), |at| at.min(bytes.len()));
                Body::Bytes(bytes[at(first)..at(first + length)].to_vec())
            }
            Content::Open(file) => Body::File(FilePart::prepared(Arc::clone(file), first, length)),
        }
    }
}

/// A file, and what lies compressed beside it.
#[derive(Debug)]
pub(in crate::server) struct Entry {
    media_type: &'static str,
    /// The file itself first.
    variants: Vec<Variant>,
}

/// A file from memory, all of it.
pub(in crate::server) struct Plain<'e> {
    pub(in crate::server) media_type: &'static str,
    /// Header lines.
    pub(in crate::server) lines: &'e [u8],
    pub(in crate::server) bytes: &'e Arc<[u8]>,
}

/// Whether one of these headers may make another answer of a file than all of it as it is. By length, as nearly all
/// headers are none of them: Range, If-Match, If-Range, If-None-Match, Accept-Encoding, If-Modified-Since,
/// If-Unmodified-Since.
fn may_matter(name: &str, varies: bool) -> bool {
    match name.len() {
        5 | 8 | 13 | 17 | 19 => {
            let first = name.as_bytes()[0] | 0x20;
            first == b'i' || first == b'r'
        }
        15 => varies && name.eq_ignore_ascii_case("accept-encoding"),
        _ => false,
    }
}

impl Entry {
    pub(super) const fn new(media_type: &'static str, variants: Vec<Variant>) -> Self {
        Self { media_type, variants }
    }

    /// A file that is on no disk.
    #[cfg(test)]
    pub(super) fn in_memory(media_type: &'static str, bytes: &[u8]) -> Self {
        let stamp = Stamp { device: 1, inode: 1, size: bytes.len() as u64, seconds: 784_111_777, nanos: 5 };
        Self::new(media_type, vec![Variant::new(None, stamp, Content::Memory(bytes.into()), false)])
    }

    /// Whether these are the files that it was made from.
    pub(super) fn is_of(&self, whole: &Stamp, others: impl Iterator<Item = (Coding, Stamp)>) -> bool {
        let now = std::iter::once((None, *whole)).chain(others.map(|(coding, stamp)| (Some(coding), stamp)));
        self.variants.iter().map(|variant| (variant.coding, variant.stamp)).eq(now)
    }

    /// Bytes of it in memory.
    pub(super) fn memory_bytes(&self) -> usize {
        let of = |variant: &Variant| match &variant.content {
            Content::Memory(bytes) => bytes.len(),
            Content::Open(_) => 0,
        };
        self.variants.iter().map(of).sum()
    }

    /// Descriptors that it keeps open.
    pub(super) fn open_files(&self) -> usize {
        self.variants.iter().filter(|variant| matches!(variant.content, Content::Open(_))).count()
    }

    /// What is sent if all of the file as it is, from memory, is the answer: what most requests want.
    #[inline]
    pub(in crate::server) fn plain<'a>(
        &self,
        mut headers: impl Iterator<Item = &'a str>,
    ) -> Option<Plain<'_>> {
        let variant = self.variants.first()?;
        let varies = self.variants.len() > 1;
        match &variant.content {
            Content::Memory(bytes) if !headers.any(|name| may_matter(name, varies)) => {
                Some(Plain { media_type: self.media_type, lines: &variant.lines, bytes })
            }
            _ => None,
        }
    }

    /// The answer to a request with this method and these headers.
    pub(in crate::server) fn answer(&self, method: Method, headers: &[(&str, &[u8])]) -> Response {
        let Some(variant) = self.variant_for(headers) else {
            return Response::error(Status::NOT_FOUND);
        };
        let length = variant.length();
        let (outcome, range) = variant.conditions(method, headers);
        let lines = |response: Response| response.with_lines(&variant.lines);
        match (outcome, range) {
            (ConditionOutcome::NotModified, _) => lines(Response::empty().with_status(Status::NOT_MODIFIED)),
            (ConditionOutcome::PreconditionFailed, _) => Response::error(Status::PRECONDITION_FAILED),
            (_, ByteRange::Whole) => lines(Response::new(self.media_type, variant.body(0, length))),
            (_, ByteRange::Part { first, last }) => {
                let part = Response::new(self.media_type, variant.body(first, last - first + 1));
                let content_range = format!("bytes {first}-{last}/{length}");
                lines(part.with_status(Status::PARTIAL_CONTENT)).with_header("Content-Range", &content_range)
            }
            (_, ByteRange::Unsatisfiable) => Response::error(Status::RANGE_NOT_SATISFIABLE)
                .with_header("Content-Range", &format!("bytes */{length}")),
        }
    }

    /// The variant that the client likes best; a coding that makes the file no smaller is not worth its work.
    fn variant_for(&self, headers: &[(&str, &[u8])]) -> Option<&Variant> {
        let whole = self.variants.first()?;
        let smaller = |variant: &&Variant| variant.length() < whole.length();
        let codings = self.variants.iter().filter(smaller).filter_map(|variant| variant.coding);
        let there = codings.fold(CodingSet::default(), CodingSet::with);
        let mut accepted = AcceptEncoding::default();
        let of_codings = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"));
        of_codings.for_each(|(_, value)| accepted.see(value));
        let chosen = accepted.choose(there);
        self.variants.iter().find(|variant| variant.coding == chosen)
    }
}

#[cfg(test)]
mod tests;

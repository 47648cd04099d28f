//! Patterns of paths, and what their parameters take.

use std::borrow::Cow;

use crate::http::percent_decode;

/// The values of a pattern's parameters: looked up when asked for, as most requests have none.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Params<'a> {
    pattern: &'a [Segment],
    path: &'a str,
}

impl<'a> Params<'a> {
    /// Of a path without a pattern.
    pub(in crate::server) const NONE: Self = Self { pattern: &[], path: "" };

    /// Those of a path that the pattern fits.
    pub(super) const fn new(pattern: &'a [Segment], path: &'a str) -> Self {
        Self { pattern, path }
    }

    /// Names and values, decoded.
    pub(in crate::server) fn iter(&self) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> {
        self.encoded().map(|(name, part)| (name, percent_decode(part)))
    }

    /// The value of that name, decoded.
    pub(in crate::server) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.encoded().find(|(known, _)| *known == name).map(|(_, part)| percent_decode(part))
    }

    fn encoded(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let parts = self.path.split('/').skip(1);
        self.pattern.iter().zip(parts).filter_map(|(segment, part)| match segment {
            Segment::Param(name) => Some((name.as_str(), part)),
            Segment::Literal(_) => None,
        })
    }
}

/// One segment of a pattern between two slashes.
#[derive(Debug)]
pub(super) enum Segment {
    Literal(String),
    Param(String),
}

impl Segment {
    pub(super) fn parse(text: &str) -> Self {
        match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => Self::Param(name.to_owned()),
            None => {
                assert!(!text.contains(['{', '}']), "a parameter is a whole segment of a route: {text}");
                Self::Literal(text.to_owned())
            }
        }
    }
}

/// Whether a path has the pattern's segments, each parameter at least one byte.
pub(super) fn matches(pattern: &[Segment], path: &str) -> bool {
    let mut parts = path.split('/').skip(1);
    let fits = pattern.iter().all(|segment| match (segment, parts.next()) {
        (Segment::Literal(text), Some(part)) => text == part,
        (Segment::Param(_), Some(part)) => !part.is_empty(),
        (_, None) => false,
    });
    fits && parts.next().is_none()
}

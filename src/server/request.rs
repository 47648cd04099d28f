//! A request, as handlers see it.

use std::borrow::Cow;
use std::net::SocketAddr;

use crate::http::{Method, QueryPairs, RequestHead, query_pairs};

use super::flow::Incoming;
use super::routes::Params;

/// A request as an in-place handler sees it; borrows the worker's buffer.
#[derive(Debug)]
pub struct Request<'a> {
    head: &'a RequestHead<'a, 'a>,
    params: Params<'a>,
    peer: SocketAddr,
}

impl<'a> Request<'a> {
    pub(super) const fn new(head: &'a RequestHead<'a, 'a>, params: Params<'a>, peer: SocketAddr) -> Self {
        Self { head, params, peer }
    }

    /// The method. GET handlers also see HEAD, whose body is left out for them.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.head.method
    }

    /// The path, still percent-encoded; [`crate::http::percent_decode`] decodes it.
    #[must_use]
    pub const fn path(&self) -> &'a str {
        self.head.path
    }

    /// What follows the `?`, still percent-encoded; decoded in pairs by [`Self::query_pairs`].
    #[must_use]
    pub const fn query(&self) -> Option<&'a str> {
        self.head.query
    }

    /// The part of the path that the pattern calls `{name}`, decoded once: never empty, but it may hold a slash, or be `..`.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<Cow<'a, str>> {
        self.params.get(name)
    }

    /// The first header of this name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.head
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value)
    }

    /// All headers in order; names as they came.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        self.head.headers.iter().map(|header| (header.name, header.value))
    }

    /// The names and values of the query in order, decoded once.
    pub fn query_pairs(&self) -> QueryPairs<'a> {
        query_pairs(self.head.query.unwrap_or_default())
    }

    /// The first value that the query has under this name, decoded once; empty for a name alone.
    #[must_use]
    pub fn query_value(&self, name: &str) -> Option<Cow<'a, str>> {
        self.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The first header of this name as text; `None` also when it is not UTF-8.
    #[must_use]
    pub fn header_text(&self, name: &str) -> Option<&'a str> {
        self.header(name).and_then(|value| str::from_utf8(value).ok())
    }

    /// The value of the cookie of this name, as it was sent (RFC 6265 §5.4).
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'a str> {
        cookie(self.headers(), name)
    }

    /// The client's address.
    #[must_use]
    pub const fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// A copy that a task can keep, with the body that is on its way.
    pub(super) fn to_owned(&self, body: Incoming) -> OwnedRequest {
        OwnedRequest {
            body,
            method: self.head.method,
            path: self.head.path.to_owned(),
            query: self.head.query.map(str::to_owned),
            headers: self.head.headers.iter().map(|h| (h.name.to_owned(), h.value.to_owned())).collect(),
            params: self.params.iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect(),
            peer: self.peer,
        }
    }
}

/// A request as a handler that awaits sees it.
pub struct OwnedRequest {
    /// The method.
    pub method: Method,
    /// The path, still percent-encoded; [`crate::http::percent_decode`] decodes it.
    pub path: String,
    /// What follows the `?`, still percent-encoded; decoded in pairs by [`Self::query_pairs`].
    pub query: Option<String>,
    /// Names and values in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The parts of the path that the pattern names, decoded once, in order.
    pub params: Vec<(String, String)>,
    /// The client's address.
    pub peer: SocketAddr,
    /// The body, as it arrives.
    pub body: Incoming,
}

impl OwnedRequest {
    /// The part of the path that the pattern calls `{name}`, decoded once: never empty, but it may hold a slash, or be `..`.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The names and values of the query in order, decoded once.
    pub fn query_pairs(&self) -> QueryPairs<'_> {
        query_pairs(self.query.as_deref().unwrap_or_default())
    }

    /// The first value that the query has under this name, decoded once; empty for a name alone.
    #[must_use]
    pub fn query_value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The first header of this name as text; `None` also when it is not UTF-8.
    #[must_use]
    pub fn header_text(&self, name: &str) -> Option<&str> {
        self.header(name).and_then(|value| str::from_utf8(value).ok())
    }

    /// The value of the cookie of this name, as it was sent (RFC 6265 §5.4).
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&str> {
        cookie(self.headers.iter().map(|(name, value)| (&**name, &**value)), name)
    }

    /// The first header of this name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}

/// The value of a cookie among all headers of a request.
fn cookie<'h>(headers: impl Iterator<Item = (&'h str, &'h [u8])>, name: &str) -> Option<&'h str> {
    let cookies = headers.filter(|(header, _)| header.eq_ignore_ascii_case("cookie"));
    let mut pairs =
        cookies.filter_map(|(_, value)| str::from_utf8(value).ok()).flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim_start().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_by_their_whole_names() {
        let headers: [(&str, &[u8]); 4] =
            [("Host", b"a"), ("cookie", b"ab=1; a=2;b=x=y"), ("Cookie", b"\xff=3"), ("Cookie", b"c=; a=9")];
        let get = |name| cookie(headers.into_iter(), name);
        assert_eq!([get("a"), get("ab"), get("b"), get("c")], [Some("2"), Some("1"), Some("x=y"), Some("")]);
        assert_eq!([get("d"), get("x"), get("Host")], [None; 3]);
    }
}

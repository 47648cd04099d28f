//! The query of a target as names and values: `application/x-www-form-urlencoded`, as the URL Standard (WHATWG) reads it.

use std::borrow::Cow;
use std::str::Split;

use super::percent::decode;

/// The pairs of a query in order; see [`query_pairs`].
#[derive(Debug, Clone)]
pub struct QueryPairs<'q>(Split<'q, char>);

/// Decodes the part of a target behind the `?`: names and values between `&` and `=`, where `+` is a space. Each is
/// decoded once; broken escapes stay as they are, and bytes that are not UTF-8 become U+FFFD. A pair without `=` has an
/// empty value; nothing between two `&` is no pair.
pub fn query_pairs(query: &str) -> QueryPairs<'_> {
    QueryPairs(query.split('&'))
}

impl<'q> Iterator for QueryPairs<'q> {
    type Item = (Cow<'q, str>, Cow<'q, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let pair = self.0.find(|pair| !pair.is_empty())?;
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decode(name, true), decode(value, true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &str) -> Vec<(String, String)> {
        query_pairs(query).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    #[test]
    fn names_and_values() {
        let cases: [(&str, &[(&str, &str)]); 15] = [
            ("", &[]),
            ("&&", &[]),
            ("a=b", &[("a", "b")]),
            ("a=b&c=d", &[("a", "b"), ("c", "d")]),
            ("&a=b&&c=d&", &[("a", "b"), ("c", "d")]),
            ("a", &[("a", "")]),
            ("a=", &[("a", "")]),
            ("=b", &[("", "b")]),
            ("=", &[("", "")]),
            ("a=b=c", &[("a", "b=c")]),
            ("a=1&a=2", &[("a", "1"), ("a", "2")]),
            ("a+b=c+d%2B", &[("a b", "c d+")]),
            ("a%3Db=c%26d", &[("a=b", "c&d")]),
            ("q=%e2%82%ac&x=%ff", &[("q", "€"), ("x", "\u{fffd}")]),
            ("p=100%&q=%zz%4", &[("p", "100%"), ("q", "%zz%4")]),
        ];
        for (query, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            assert_eq!(pairs(query), expected, "{query}");
        }
    }

    #[test]
    fn what_is_decoded_is_not_decoded_again() {
        assert_eq!(pairs("%2525=%252b"), [("%25".to_owned(), "%2b".to_owned())]);
        assert_eq!(pairs("a%2526b=%253D"), [("a%26b".to_owned(), "%3D".to_owned())]);
    }
}

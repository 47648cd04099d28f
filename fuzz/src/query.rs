//! Queries: decoded once, piece by piece, and never longer than they came.

use std::borrow::Cow;
use std::fmt::Write;

use boardkit::http::{escape_html, percent_decode, query_pairs};

type Pairs = Vec<(String, String)>;

fn pairs(query: &str) -> Pairs {
    query_pairs(query).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Every byte as an escape.
fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "%{byte:02x}").expect("memory");
        all
    })
}

/// Checks all of it; bytes that are no text are none that a target can hold.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let all = pairs(text);
    let length: usize = all.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(length <= text.len(), "longer than it came");
    assert!(all.len() <= text.split('&').count());
    for (at, _) in text.match_indices('&') {
        let apart = [pairs(&text[..at]), pairs(&text[at + 1..])].concat();
        assert_eq!(apart, all, "cut at {at}");
    }
    let again: Vec<_> =
        all.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    assert_eq!(pairs(&again.join("&")), all, "decoded once");
    let decoded = percent_decode(text);
    assert!(matches!(decoded, Cow::Borrowed(_)) || text.contains('%'));
    assert_eq!(percent_decode(&encode(text)), text);
    let mut escaped = Vec::new();
    escape_html(bytes, &mut escaped);
    assert!(
        escaped.len() >= bytes.len()
            && !escaped.iter().any(|byte| matches!(byte, b'<' | b'>' | b'"' | b'\''))
    );
}

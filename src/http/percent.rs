//! Percent-encoding (RFC 3986 §2.1), decoded exactly once.

use std::borrow::Cow;

/// The byte that `%` and two hex digits at the start of `bytes` stand for.
pub(super) fn escaped_byte(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// Decodes a part of a path, such as a route's parameter. Broken escapes stay as they are, `+` is a plus, and bytes that
/// are not UTF-8 become U+FFFD. Text without escapes is not copied.
#[must_use]
pub fn percent_decode(text: &str) -> Cow<'_, str> {
    decode(text, false)
}

/// As [`percent_decode`]; in a form `+` is a space.
pub(super) fn decode(text: &str, is_form: bool) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte != b'%' && !(is_form && byte == b'+');
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [byte, behind @ ..] = rest {
        let (byte, behind) = match escaped_byte(rest) {
            Some(escaped) => (escaped, &rest[3..]),
            None if is_form && *byte == b'+' => (b' ', behind),
            None => (*byte, behind),
        };
        decoded.push(byte);
        rest = behind;
    }
    match String::from_utf8(decoded) {
        Ok(text) => Cow::Owned(text),
        Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_and_no_more() {
        let cases = [
            ("", ""),
            ("plain-~.text", "plain-~.text"),
            ("a%20b", "a b"),
            ("%61%6a%4A", "ajJ"),
            ("50%25.png", "50%.png"),
            ("%2541", "%41"),
            ("%25252e", "%252e"),
            ("1+1", "1+1"),
            ("%C3%A9", "é"),
            ("%c3%28", "\u{fffd}("),
            ("%ff", "\u{fffd}"),
            ("%e2%82", "\u{fffd}"),
            ("%00", "\0"),
        ];
        for (text, expected) in cases {
            assert_eq!(percent_decode(text), expected, "{text}");
        }
        assert!(matches!(percent_decode("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn broken_escapes_stay() {
        for text in ["%", "%4", "%zz", "%4z", "100%", "%%", "% 41", "%+1", "%-1", "%é"] {
            assert_eq!(percent_decode(text), text);
        }
        assert_eq!(percent_decode("%%41"), "%A");
        assert_eq!(percent_decode("%4%41"), "%4A");
    }
}

//! The version in a request line that httparse does not take.

use super::MAX_HEAD_BYTES;

/// What stands where the version should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// `HTTP/` and two digits with a dot (RFC 9112 §2.3).
    Known { major: u8, minor: u8 },
    /// The bytes end within what may become one.
    Unfinished,
    /// Something else.
    None,
}

/// Where the version begins: behind the second space of the first line that is not empty. Neither method nor target can
/// hold one.
fn start(bytes: &[u8]) -> Option<usize> {
    let line = super::lines::begins_blank(bytes);
    let mut spaces = bytes[line..].iter().enumerate().filter(|(_, byte)| **byte == b' ');
    let (second, _) = spaces.nth(1)?;
    Some(line + second + 1)
}

/// Reads the version of the request line at the start of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Version {
    let version = start(bytes).and_then(|start| bytes.get(start..)).unwrap_or_default();
    let fits = |(place, byte): (usize, &u8)| match place {
        5 | 7 => byte.is_ascii_digit(),
        _ => *byte == b"HTTP/1.1"[place],
    };
    match (version.iter().take(8).enumerate().all(fits), version) {
        (true, [_, _, _, _, _, major, _, minor, ..]) => {
            Version::Known { major: major - b'0', minor: minor - b'0' }
        }
        (true, _) => Version::Unfinished,
        (false, _) => Version::None,
    }
}

/// A copy of the head at the start of `bytes`, with its version set from HTTP/1.2 … 1.9 to HTTP/1.1: as such a request is
/// to be processed (RFC 9110 §2.5). Of what follows the head, nothing; of a head that does not end, up to
/// [`MAX_HEAD_BYTES`]. `None` when it has no such version.
///
/// For bytes that [`parse_head`](super::parse_head) refused with
/// [`HttpError::NewerMinor`](super::HttpError::NewerMinor). Lengths in the copy are those in `bytes`.
#[must_use]
#[cold]
pub fn with_minor_1(bytes: &[u8]) -> Option<Vec<u8>> {
    let Version::Known { major: 1, minor: 2.. } = read(bytes) else { return None };
    let place = start(bytes)? + "HTTP/1.".len();
    let end = bytes[place..].windows(4).position(|four| four == b"\r\n\r\n").map(|at| place + at + 4);
    let mut copy = bytes[..end.unwrap_or(bytes.len()).min(MAX_HEAD_BYTES)].to_vec();
    *copy.get_mut(place)? = b'1';
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_and_its_beginnings() {
        let read = |version: &str| read(format!("\r\nGET / {version}").as_bytes());
        assert_eq!(read("HTTP/1.2\r\n"), Version::Known { major: 1, minor: 2 });
        assert_eq!(read("HTTP/2.0"), Version::Known { major: 2, minor: 0 });
        for end in 0.."HTTP/3.7".len() {
            assert_eq!(read(&"HTTP/3.7"[..end]), Version::Unfinished, "{end}");
        }
        for none in ["http/1.1", "HTTP/x.1", "HTTP/1,1", "HTTP/1.\r\n", "HTTP /1", "\r\n", "HTTP/11."] {
            assert_eq!(read(none), Version::None, "{none:?}");
        }
    }

    #[test]
    fn only_the_minor_version_of_the_first_line_changes() {
        let copy =
            |text: &str| with_minor_1(text.as_bytes()).map(|copy| String::from_utf8(copy).expect("ASCII"));
        let rest = "\r\nX: GET / HTTP/1.5\r\n\r\n";
        let with_next = format!("\r\n\r\nGET /a HTTP/1.2{rest}GET / HTTP/1.3\r\n\r\n");
        assert_eq!(copy(&with_next), Some(format!("\r\n\r\nGET /a HTTP/1.1{rest}")));
        assert_eq!(copy("\r\nGET / HTTP/1.9"), Some("\r\nGET / HTTP/1.1".into()));
        for other in
            ["GET / HTTP/1.1\r\n", "GET / HTTP/1.0\r\n", "GET / HTTP/2.2\r\n", "GET / HTTP/1.", "GET", ""]
        {
            assert_eq!(copy(other), None, "{other:?}");
        }
        let long = "a".repeat(2 * MAX_HEAD_BYTES);
        assert_eq!(copy(&format!("GET / HTTP/1.2\r\n{long}")).map(|copy| copy.len()), Some(MAX_HEAD_BYTES));
    }
}

//! From the path of a target to the relative path of a file: decoded exactly once, split, and never above its start.

use super::Status;
use super::percent::escaped_byte;

/// Why a path names no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// An escape that is none, or a NUL byte.
    #[error("the path holds a broken escape or a NUL")]
    Malformed,
    /// A `..`, or a slash or backslash within a name: no file below the root is called so.
    #[error("the path names no file below the root")]
    Outside,
}

impl PathError {
    /// The status that says so; the connection may go on.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::Malformed => Status::BAD_REQUEST,
            Self::Outside => Status::NOT_FOUND,
        }
    }
}

/// Decodes the path of a target, still percent-encoded as it came, into `out`: the names between the slashes, joined by
/// single slashes, without one at the start or the end. Empty names and `.` are left out. What `out` held before is
/// dropped; after an error it is empty.
///
/// Returns whether the path is one of a folder: it ended in a slash (or in a name that was left out), or is the root.
///
/// # Errors
/// [`PathError`]; never is a part of such a path in `out`. `..` is refused wherever it stands, as browsers resolve it
/// before they ask. A backslash is refused as some systems take it for a slash.
pub fn decode_path(raw: &str, out: &mut Vec<u8>) -> Result<bool, PathError> {
    out.clear();
    let decoded = append_names(raw, out);
    if decoded.is_err() {
        out.clear();
    }
    decoded
}

fn append_names(raw: &str, out: &mut Vec<u8>) -> Result<bool, PathError> {
    let names = raw.strip_prefix('/').ok_or(PathError::Outside)?;
    let mut is_folder = true;
    for name in names.split('/') {
        let before = out.len();
        if before > 0 {
            out.push(b'/');
        }
        let start = out.len();
        append_decoded(name.as_bytes(), out)?;
        match &out[start..] {
            b"" | b"." => {
                out.truncate(before);
                is_folder = true;
            }
            b".." => return Err(PathError::Outside),
            _ => is_folder = false,
        }
    }
    Ok(is_folder)
}

fn append_decoded(mut name: &[u8], out: &mut Vec<u8>) -> Result<(), PathError> {
    while let [byte, behind @ ..] = name {
        let (byte, behind) = match (byte, escaped_byte(name)) {
            (_, Some(escaped)) => (escaped, &name[3..]),
            (b'%', None) => return Err(PathError::Malformed),
            (byte, None) => (*byte, behind),
        };
        match byte {
            b'\0' => return Err(PathError::Malformed),
            b'/' | b'\\' => return Err(PathError::Outside),
            _ => out.push(byte),
        }
        name = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(raw: &str) -> Result<(String, bool), PathError> {
        let mut out = b"left over".to_vec();
        let decoded = decode_path(raw, &mut out);
        assert!(decoded.is_ok() || out.is_empty(), "{raw}");
        decoded.map(|is_folder| (String::from_utf8_lossy(&out).into_owned(), is_folder))
    }

    #[test]
    fn names_joined_by_single_slashes() {
        let cases = [
            ("/", "", true),
            ("//", "", true),
            ("/.", "", true),
            ("/a", "a", false),
            ("/a/", "a", true),
            ("/a/b.c", "a/b.c", false),
            ("/a//b", "a/b", false),
            ("/a/./b/.", "a/b", true),
            ("/a/%2e/b", "a/b", false),
            ("//etc/passwd", "etc/passwd", false),
            ("/...", "...", false),
            ("/.hidden", ".hidden", false),
            ("/..a", "..a", false),
            ("/a..", "a..", false),
            ("/a%20b", "a b", false),
            ("/a+b", "a+b", false),
            ("/%C3%A9", "é", false),
            ("/50%25.png", "50%.png", false),
        ];
        for (raw, expected, is_folder) in cases {
            assert_eq!(decode(raw), Ok((expected.to_owned(), is_folder)), "{raw}");
        }
    }

    #[test]
    fn nothing_is_decoded_twice() {
        for (raw, expected) in [
            ("/%252e%252e/x", "%2e%2e/x"),
            ("/%252f", "%2f"),
            ("/%2500", "%00"),
            ("/%25zz", "%zz"),
            ("/%255c", "%5c"),
        ] {
            assert_eq!(decode(raw), Ok((expected.to_owned(), false)), "{raw}");
        }
    }

    #[test]
    fn what_leads_out_is_refused() {
        for raw in [
            "/..",
            "/../",
            "/../x",
            "/a/..",
            "/a/../b",
            "/a/../../b",
            "/%2e%2e/x",
            "/%2E%2e",
            "/.%2e/x",
            "/%2e./x",
            "/..%2fsecret",
            "/%2e%2e%2fsecret",
            "/a%2fb",
            "/a%2F..",
            "/%2f",
            "/%2fetc",
            "/..\\x",
            "/a\\b",
            "/..%5cx",
            "/%5c",
            "",
            "*",
            "a",
            "a/b",
            "../x",
            "board.local:80",
        ] {
            assert_eq!(decode(raw), Err(PathError::Outside), "{raw}");
        }
        assert_eq!(PathError::Outside.status(), Status::NOT_FOUND);
    }

    #[test]
    fn broken_escapes_and_nul_are_refused() {
        for raw in [
            "/%zz",
            "/%4",
            "/%",
            "/a%",
            "/100%/x",
            "/%%",
            "/%u002e",
            "/%+1",
            "/a%00.txt",
            "/%00",
            "/\0",
            "/%4/x",
        ] {
            assert_eq!(decode(raw), Err(PathError::Malformed), "{raw:?}");
        }
        assert_eq!(PathError::Malformed.status(), Status::BAD_REQUEST);
    }

    #[test]
    fn overlong_forms_are_names_like_any_other() {
        let mut out = Vec::new();
        assert_eq!(decode_path("/%c0%ae%c0%ae/%c0%af", &mut out), Ok(false));
        assert_eq!(out, b"\xc0\xae\xc0\xae/\xc0\xaf");
    }
}

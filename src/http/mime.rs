//! Media types by the names of files.

/// Extensions in lower case and what they stand for (the IANA registry; JavaScript by RFC 9239). Text says its encoding, as
/// browsers guess an older one; what names its own inside (XML, JSON) does not.
const TYPES: [(&str, &str); 49] = [
    ("html", "text/html; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("webmanifest", "application/manifest+json"),
    ("wasm", "application/wasm"),
    ("txt", "text/plain; charset=utf-8"),
    ("log", "text/plain; charset=utf-8"),
    ("conf", "text/plain; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("ics", "text/calendar; charset=utf-8"),
    ("vtt", "text/vtt; charset=utf-8"),
    ("xml", "application/xml"),
    ("xhtml", "application/xhtml+xml"),
    ("atom", "application/atom+xml"),
    ("rss", "application/rss+xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("ico", "image/x-icon"),
    ("bmp", "image/bmp"),
    ("woff2", "font/woff2"),
    ("woff", "font/woff"),
    ("ttf", "font/ttf"),
    ("otf", "font/otf"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("m4a", "audio/mp4"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("zst", "application/zstd"),
    ("tar", "application/x-tar"),
];

/// The media type of a file by its name or path: what follows the last dot, in any case. `application/octet-stream` when
/// that is not known, which browsers save and do not run.
#[must_use]
pub fn media_type(name: &[u8]) -> &'static str {
    let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut parts = name.rsplit(|&byte| byte == b'.');
    let extension = parts.next().filter(|_| parts.next().is_some()).unwrap_or_default();
    let known = TYPES.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(extension));
    known.map_or("application/octet-stream", |(_, media_type)| media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_last_extension_in_any_case() {
        let cases = [
            ("index.html", "text/html; charset=utf-8"),
            ("a/b.c/INDEX.HTM", "text/html; charset=utf-8"),
            ("app.min.js", "text/javascript; charset=utf-8"),
            ("archive.tar.gz", "application/gzip"),
            ("photo.JPeG", "image/jpeg"),
            (".html", "text/html; charset=utf-8"),
        ];
        for (name, expected) in cases {
            assert_eq!(media_type(name.as_bytes()), expected, "{name}");
        }
        for name in ["", "html", "a.html/b", "a.html/", "x.", "x.html5", "x.htmlx", ".", "a.b c"] {
            assert_eq!(media_type(name.as_bytes()), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn the_table_is_as_it_says() {
        for (index, (extension, media_type)) in TYPES.iter().enumerate() {
            assert!(
                extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
                "{extension}"
            );
            assert!(!TYPES[..index].iter().any(|(known, _)| known == extension), "{extension} twice");
            assert_eq!(
                media_type.starts_with("text/"),
                media_type.ends_with("; charset=utf-8"),
                "{media_type}"
            );
        }
    }
}

use super::*;

fn text(response: &Response) -> String {
    let body = match &response.body {
        Body::Bytes(bytes) => bytes.clone(),
        Body::Shared(bytes) => bytes.to_vec(),
        Body::Static(bytes) => bytes.to_vec(),
        _ => Vec::new(),
    };
    format!("{}{}", String::from_utf8_lossy(&response.extra), String::from_utf8_lossy(&body))
}

fn get(entry: &Entry, headers: &[(&str, &str)]) -> (u16, String) {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
    let response = entry.answer(Method::Get, &headers);
    (response.status().code(), text(&response))
}

const ETAG: &str = "\"2ebcba91.5-a\"";

#[test]
fn conditions_and_ranges_come_to_what_they_should() {
    let entry = Entry::in_memory("text/plain", b"0123456789");
    let (status, whole) = get(&entry, &[]);
    assert_eq!(status, 200);
    let lines = format!(
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: {}\r\nAccept-Ranges: bytes\r\n",
        entry.variants[0].etag
    );
    assert_eq!(whole, format!("{lines}0123456789"));
    assert_eq!(get(&entry, &[("If-None-Match", &entry.variants[0].etag)]), (304, lines.clone()));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(get(&entry, &[("If-Modified-Since", date)]).0, 304);
    assert_eq!(get(&entry, &[("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")]).0, 412);
    assert_eq!(
        get(&entry, &[("Range", "bytes=2-4")]),
        (206, format!("{lines}Content-Range: bytes 2-4/10\r\n234"))
    );
    assert_eq!(
        get(&entry, &[("Range", "bytes=-3")]),
        (206, format!("{lines}Content-Range: bytes 7-9/10\r\n789"))
    );
    let (status, refused) = get(&entry, &[("Range", "bytes=10-")]);
    assert_eq!(status, 416);
    assert!(refused.contains("Content-Range: bytes */10\r\n"), "{refused}");
    assert_eq!(get(&entry, &[("Range", "bytes=2-4"), ("If-Range", ETAG)]).0, 200, "another file");
}

#[test]
fn a_compressed_file_is_sent_to_who_wants_it_and_only_if_it_is_smaller() {
    let mut entry = Entry::in_memory("text/css", b"0123456789");
    let beside = |coding, bytes: &[u8]| {
        let stamp = Stamp { size: bytes.len() as u64, ..entry.variants[0].stamp };
        Variant::new(Some(coding), stamp, Content::Memory(bytes.into()), true)
    };
    let (small, large) = (beside(Coding::Gzip, b"gz"), beside(Coding::Brotli, b"brotlibrotli"));
    entry.variants.extend([small, large]);
    let sent = |accept: &str| get(&entry, &[("Accept-Encoding", accept)]).1;
    assert!(
        sent("br, gzip").ends_with("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\ngz"),
        "{}",
        sent("br, gzip")
    );
    assert!(sent("gzip;q=0, br").ends_with("0123456789"));
    assert!(sent("").ends_with("0123456789"));
}

#[test]
fn plain_requests_are_told_from_those_that_want_something_else() {
    let mut entry = Entry::in_memory("text/plain", b"x");
    let plain = |entry: &Entry, names: &[&'static str]| entry.plain(names.iter().copied()).is_some();
    assert!(plain(&entry, &["Host", "User-Agent", "Accept", "Accept-Encoding"]));
    let deciding =
        ["Range", "If-Match", "if-none-match", "If-Range", "If-Modified-Since", "IF-UNMODIFIED-SINCE"];
    for name in deciding {
        assert!(!plain(&entry, &["Host", name]), "{name}");
    }
    let stamp = entry.variants[0].stamp;
    entry.variants.push(Variant::new(
        Some(Coding::Gzip),
        stamp,
        Content::Memory(b"y".as_slice().into()),
        true,
    ));
    assert!(!plain(&entry, &["Accept-Encoding"]));
    assert!(
        !entry.is_of(&stamp, std::iter::empty())
            && entry.is_of(&stamp, std::iter::once((Coding::Gzip, stamp)))
    );
}

//! Files: conditions, parts, codings.

use std::fs;

use super::super::library::{Library, PAGE, large};
use super::super::{Row, text};
use super::{COUNTS, curl};
use crate::scratch::Scratch;

pub(super) const ROWS: &[Row] = &[
    ("file", |servers| {
        let (folder, url) = (Scratch::new(), servers.library("/page.html"));
        let etag = folder.0.join("etag").to_str().expect("text").to_owned();
        // The client remembers the entity tag, and asks with it.
        let get = || curl(&["--etag-save", &etag, "--etag-compare", &etag, "-w", COUNTS, &url]);
        fs::write(&etag, "").expect("room");
        assert_eq!(get().text(), format!("{PAGE}|200 1\n"));
        assert!(fs::read_to_string(&etag).expect("saved").starts_with('"'));
        assert_eq!(get().text(), "|304 1\n");
        let ran = curl(&["-H", "If-None-Match: \"another\"", "-w", COUNTS, &url]);
        assert_eq!(ran.text(), format!("{PAGE}|200 1\n"));
    }),
    ("file/date", |servers| {
        let (url, date) = (servers.library("/page.html"), servers.library.page_date());
        let ran = curl(&["-w", "%header{last-modified}", &url]);
        assert_eq!(ran.text(), format!("{PAGE}{date}"));
        assert_eq!(curl(&["-z", &date, "-w", COUNTS, &url, &url]).text(), "|304 1\n|304 0\n");
        let before = curl(&["-z", "Sun, 06 Nov 1994 08:49:37 GMT", "-w", COUNTS, &url]);
        assert_eq!(before.text(), format!("{PAGE}|200 1\n"));
    }),
    ("range", |servers| {
        let (url, large) = (servers.library("/large.bin"), large());
        let end = large.len();
        for (range, (from, to)) in [
            ("0-99", (0, 100)),
            ("5000000-", (5_000_000, end)),
            ("-5", (end - 5, end)),
            ("9999999-99999999", (end - 1, end)),
        ] {
            let ran = curl(&["-r", range, "-w", "%header{content-range}|%{http_code}", &url]);
            let said = format!("bytes {from}-{}/{end}|206", to - 1);
            assert!(ran.bytes() == [&large[from..to], said.as_bytes()].concat(), "{range}");
        }
        let ran =
            curl(&["-r", "10000000-", "-o", "/dev/null", "-w", "%header{content-range}|%{http_code}", &url]);
        assert_eq!(ran.text(), "bytes */10000000|416");
    }),
    // A download that broke off goes on where it was.
    ("range/resumed", |servers| {
        let (folder, large) = (Scratch::new(), large());
        folder.write("large.bin", &large[..4_000_001]);
        let path = folder.0.join("large.bin");
        let output = path.to_str().expect("text");
        let ran = curl(&["-C", "-", "-o", output, "-w", "%{http_code}", &servers.library("/large.bin")]);
        assert_eq!(ran.text(), "206");
        assert!(fs::read(&path).expect("written") == large);
    }),
    ("precompressed", |servers| {
        let url = servers.library("/coded.txt");
        assert_eq!(curl(&["-w", "%header{content-encoding}", &url]).text(), Library::coded(None));
        for coding in ["gzip", "br", "zstd"] {
            let accept = format!("Accept-Encoding: {coding}");
            let ran = curl(&["--compressed", "-H", &accept, "-w", "%header{content-encoding}", &url]);
            assert_eq!(
                ran.text(),
                Library::coded(Some(coding)) + coding,
                "curl without {coding}? Debian's has it"
            );
        }
        // Whatever this curl takes, it can read what it gets.
        let ran = curl(&["--compressed", "-w", "%header{content-encoding}", &url]);
        let (body, coding) = ran.text().split_once('\n').expect("a line");
        assert_eq!(format!("{body}\n"), Library::coded(Some(coding)));
    }),
    ("large-file", |servers| {
        let url = servers.library("/large.bin");
        let large = large();
        let ran = curl(&["-w", COUNTS, &url, &url]);
        let (first, second) = ran.bytes().split_at(large.len());
        assert!(first == large);
        let (between, second) = second.split_at("|200 1\n".len());
        assert_eq!(text(between), "|200 1\n");
        assert!(second == [&large[..], b"|200 0\n"].concat());
    }),
];

//! Where the network cuts the bytes must not change what they mean.

use proptest::prelude::*;

use super::{BodyReader, Framing, HttpError, MAX_HEAD_BYTES, header_slots, parse_head};

/// What a parser said, without what it borrows.
type Verdict = Result<Option<(String, usize, Framing, bool)>, HttpError>;

fn verdict(bytes: &[u8]) -> Verdict {
    let mut slots = header_slots();
    let parsed = parse_head(bytes, &mut slots)?;
    Ok(parsed.map(|(head, length)| (format!("{head:?}"), length, head.framing, head.keep_alive)))
}

/// Pieces that make heads, good and bad.
const PIECES: [&str; 36] = [
    "GET ",
    "POST ",
    "* ",
    "/",
    "/a?b",
    "http://a/ ",
    " ",
    "HTTP/1.1",
    "HTTP/1.0",
    "HTTP/2.0",
    "HTTP/1.2",
    "HTTP/",
    "http/1.1",
    "\r\n",
    "\n",
    "\r",
    "Host: a\r\n",
    "Host: b\r\n",
    "Host:\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "Content-Length: +5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\t\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Expect: x\r\n",
    "Expect: 100-continue\r\n",
    "X: y\r\n",
    "X : y\r\n",
    " z\r\n",
    "\0",
    "\t",
    "#",
    "\u{e9}",
];

/// Near-heads, some of them past the limits.
fn head() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        30 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => (prop::sample::select(&PIECES[..]), 90_usize..110).prop_map(|(piece, times)| piece.repeat(times)),
        1 => (7000_usize..18_000).prop_map(|length| "a".repeat(length)),
    ];
    let line = prop_oneof![
        Just(String::new()),
        Just("GET / HTTP/1.1\r\nHost: a\r\n".to_owned()),
        Just("\r\nPOST /x HTTP/1.0\r\n".to_owned()),
    ];
    let lines = prop::collection::vec(piece, 0..10);
    let end = prop::sample::select(vec!["", "\r\n", "\r\n\r\n", "\n\n", "\r\n\r\nGET / HTTP/1.1\r\n"]);
    (line, lines, end).prop_map(|(line, lines, end)| (line + &lines.concat() + end).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Growing input goes from "more" to one verdict and stays there, the reason of a refusal included.
    #[test]
    fn a_head_means_the_same_wherever_it_is_cut(bytes in head(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..12)) {
        let whole = verdict(&bytes);
        for cut in cuts {
            let cut = cut.index(bytes.len() + 1);
            let part = verdict(&bytes[..cut]);
            prop_assert!(part == Ok(None) || part == whole, "{:?} at {}, but {:?} as a whole", part, cut, whole);
        }
        if whole == Ok(None) {
            prop_assert!(bytes.len() < MAX_HEAD_BYTES, "more than a head may have, and still not refused");
        }
    }
}

/// Chunked bodies, good and bad.
fn chunked() -> impl Strategy<Value = Vec<u8>> {
    let good = prop::collection::vec((1_usize..300, "(;[a-z]=[a-z])?"), 0..6).prop_map(|chunks| {
        let chunks = chunks
            .iter()
            .map(|(size, extension)| format!("{size:x}{extension}\r\n{}\r\n", "c".repeat(*size)));
        chunks.collect::<String>() + "0\r\nX: y\r\n\r\nGET"
    });
    let piece = prop::sample::select(vec![
        "5\r\n", "hello", "\r\n", "0\r\n", "X: y\r\n", "a", ";", "\n", "\r", "fff", " ", "-",
    ]);
    let any = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![good, any].prop_map(String::into_bytes)
}

/// Content, bytes consumed and whether it ended, when `input` comes in pieces of these sizes.
fn read(framing: Framing, input: &[u8], sizes: &[usize]) -> Result<(Vec<u8>, usize, bool), HttpError> {
    let Some(mut reader) = BodyReader::new(framing) else { return Ok((Vec::new(), 0, true)) };
    let (mut content, mut at, mut sizes) = (Vec::new(), 0, sizes.iter().cycle());
    while at < input.len() {
        let mut piece = &input[at..input.len().min(at + sizes.next().unwrap_or(&1))];
        while !piece.is_empty() {
            let progress = reader.read(piece)?;
            assert!(progress.consumed > 0, "it moves");
            content.extend_from_slice(&piece[progress.content.0..progress.content.1]);
            piece = &piece[progress.consumed..];
            at += progress.consumed;
            if progress.done {
                return Ok((content, at, true));
            }
        }
    }
    Ok((content, at, false))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_chunked_body_means_the_same_wherever_it_is_cut(
        bytes in chunked(),
        sizes in prop::collection::vec(1_usize..50, 1..10),
    ) {
        let whole = read(Framing::Chunked, &bytes, &[usize::MAX / 2]);
        prop_assert_eq!(read(Framing::Chunked, &bytes, &sizes), whole.clone());
        prop_assert_eq!(read(Framing::Chunked, &bytes, &[1]), whole);
    }

    #[test]
    fn a_counted_body_means_the_same_wherever_it_is_cut(
        length in 1_u64..500,
        bytes in prop::collection::vec(any::<u8>(), 0..600),
        sizes in prop::collection::vec(1_usize..50, 1..10),
    ) {
        let taken = usize::try_from(length).expect("small").min(bytes.len());
        let expected = (bytes[..taken].to_vec(), taken, taken as u64 == length);
        prop_assert_eq!(read(Framing::Length(length), &bytes, &sizes), Ok(expected));
    }
}

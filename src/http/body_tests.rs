//! Bodies in pieces of every size, and what only looks like one.

use super::*;

/// Feeds `input` in pieces of `step` bytes; the content, and how many bytes were left unread after the end.
fn decode(input: &[u8], step: usize) -> Result<(Vec<u8>, Option<usize>), HttpError> {
    let mut reader = BodyReader::new(Framing::Chunked).expect("a body");
    let (mut content, mut at) = (Vec::new(), 0);
    while at < input.len() {
        let piece = &input[at..input.len().min(at + step)];
        let progress = reader.read(piece)?;
        content.extend_from_slice(&piece[progress.content.0..progress.content.1]);
        at += progress.consumed;
        if progress.done {
            return Ok((content, Some(input.len() - at)));
        }
    }
    Ok((content, None))
}

#[test]
fn chunks_extensions_and_trailers_at_every_split() {
    let body = b"5;x=\"y\"\r\nhello\r\n00000A\r\n, world!!!\r\n0\r\nX: y\r\n\r\nGET";
    for step in 1..=body.len() {
        assert_eq!(decode(body, step), Ok((b"hello, world!!!".to_vec(), Some(3))), "step {step}");
    }
}

#[test]
fn what_others_let_through() {
    let bad = [
        "\r\n",
        ";x\r\n",
        " \r\n",
        "5\nhello",
        "5\rhello",
        "0x5\r\n",
        "+5\r\n",
        "-5\r\n",
        "5_0\r\n",
        "5 5\r\n",
        " 5\r\n",
        "5 \r\n",
        "5 ;x\r\n",
        "5\t\r\n",
        "5,5\r\n",
        "g\r\n",
        "5;\n\r\n",
        "5;x\0\r\n",
        "5;x\r\r\n",
        "5;x\n",
        "5\r\nhelloX",
        "5\r\nhello0\r\n",
        "5\r\nhello\n",
        "5\r\nhello\r\r\n",
        "00000000000000001\r\n",
        "10000000000000000\r\n",
        "0\n\n",
        "0\r\n\n",
        "0\r\n\r\r\n",
    ];
    for body in bad {
        assert_eq!(decode(body.as_bytes(), 1), Err(HttpError::Chunk), "{body:?}");
    }
}

#[test]
fn a_trailer_is_a_field() {
    for fine in ["", "X: y\r\n", "X:\r\n", "X:y\r\nContent-Length: 5\r\n", "x-1!: \t\u{e9}\r\n"] {
        let body = format!("0\r\n{fine}\r\n");
        assert_eq!(decode(body.as_bytes(), 1), Ok((Vec::new(), Some(0))), "{fine:?}");
    }
    for bad in [
        "GET / HTTP/1.1\r\n",
        "X\r\n",
        ": y\r\n",
        "X : y\r\n",
        " X: y\r\n",
        "X: y\r\n z\r\n",
        "X: y\n",
        "X: \0\r\n",
        "X\u{e9}: y\r\n",
    ] {
        let body = format!("0\r\n{bad}\r\n");
        assert_eq!(decode(body.as_bytes(), 1), Err(HttpError::Chunk), "{bad:?}");
    }
}

#[test]
fn the_largest_size_does_not_overflow() {
    assert_eq!(decode(b"ffffffffffffffff\r\nabc", 4), Ok((b"abc".to_vec(), None)));
}

#[test]
fn extensions_and_trailers_are_bounded() {
    let long = |prefix: &str| format!("{prefix}{}", "a".repeat(usize::from(MAX_CHUNK_OVERHEAD_BYTES) + 1));
    assert_eq!(decode(long("5;").as_bytes(), 100), Err(HttpError::Chunk));
    assert_eq!(decode(long("0\r\nX: ").as_bytes(), 100), Err(HttpError::Chunk));
}

#[test]
fn a_length_is_counted_down() {
    let mut reader = BodyReader::new(Framing::Length(5)).expect("a body");
    assert_eq!(reader.read(b"abc").map(|p| (p.consumed, p.done)), Ok((3, false)));
    assert_eq!(reader.read(b"deGET").map(|p| (p.consumed, p.done)), Ok((2, true)));
    assert_eq!(BodyReader::new(Framing::Empty), None);
}

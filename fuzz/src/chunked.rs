//! Chunked bodies: the same content in whatever pieces they come, and nothing read beyond their end.

use boardkit::http::{BodyReader, Framing, HttpError, LAST_CHUNK, write_chunk};

/// Content, bytes consumed, and whether it ended.
type Decoded = Result<(Vec<u8>, usize, bool), HttpError>;

fn decode(body: &[u8], size: usize) -> Decoded {
    let mut reader = BodyReader::new(Framing::Chunked).expect("a body");
    let (mut content, mut at) = (Vec::new(), 0);
    while at < body.len() {
        let piece = &body[at..body.len().min(at + size)];
        let progress = reader.read(piece)?;
        assert!(0 < progress.consumed && progress.consumed <= piece.len(), "it moves, and not too far");
        let (begin, end) = progress.content;
        assert!(begin <= end && end <= progress.consumed, "content is part of what was consumed");
        content.extend_from_slice(&piece[begin..end]);
        at += progress.consumed;
        if progress.done {
            return Ok((content, at, true));
        }
    }
    Ok((content, at, false))
}

/// Checks all of it; the first byte says how long pieces are.
pub fn check(bytes: &[u8]) {
    let Some((&size, body)) = bytes.split_first() else { return };
    let whole = decode(body, usize::MAX / 2);
    assert_eq!(decode(body, 1), whole, "byte by byte");
    assert_eq!(decode(body, usize::from(size) + 2), whole, "in pieces");
    let Ok((content, consumed, done)) = whole else { return };
    assert!(content.len() <= consumed && consumed <= body.len());
    if done {
        assert!(body[..consumed].ends_with(b"\r\n"));
        // What is behind the end does not matter, and without its last byte it has none.
        assert_eq!(decode(&body[..consumed], 7), Ok((content.clone(), consumed, true)));
        assert!(matches!(decode(&body[..consumed - 1], 7), Ok((_, _, false))));
    }
    let mut again = Vec::new();
    for piece in content.chunks(usize::from(size) + 1) {
        write_chunk(piece, &mut again);
    }
    again.extend_from_slice(LAST_CHUNK);
    assert_eq!(decode(&again, 5), Ok((content, again.len(), true)), "what we write, we read");
}

use super::*;
use crate::server::body::FILL_BLOCK;

const TERMS: Terms = Terms { connection: ConnectionHeader::Implied, head_only: false };

/// What one answer puts on the wire, a large body included.
fn render(terms: Terms, answer: impl FnOnce(Reply<'_>) -> Sent) -> String {
    let mut renderer = Renderer::new(DateHeader::at(0));
    answer(renderer.reply(terms));
    let mut wire = renderer.out;
    while let Some(tail) = &mut renderer.tail {
        let mut pieces = [IoSlice::new(&[]); MAX_PIECES];
        assert!(tail.pieces(&mut pieces) > 0, "something is left");
        let piece = &pieces[0];
        // One byte less than offered, as a socket would: the next pieces start inside a block.
        let taken = piece.len() - usize::from(piece.len() > 1);
        wire.extend_from_slice(&piece[..taken]);
        if tail.advance(taken as u64) {
            renderer.tail = None;
        }
    }
    String::from_utf8(wire).expect("text")
}

#[test]
fn filler_is_exact_at_every_length() {
    for length in [0, 1, 63, 4096, 4097, 65_536, 65_537, 200_000] {
        let text = render(TERMS, |reply| reply.body("application/octet-stream", Body::Fill(length)));
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        assert!(head.contains(&format!("Content-Length: {length}")), "{head}");
        assert_eq!(body.len() as u64, length);
        assert!(body.bytes().zip(FILL_BLOCK.iter().cycle()).all(|(a, b)| a == *b), "length {length}");
    }
}

#[test]
fn every_kind_of_body_is_sent_whole() {
    let text = "x".repeat(10_000);
    let bodies = [Body::Bytes(text.clone().into()), Body::Shared(text.as_bytes().into())];
    for body in bodies {
        assert!(render(TERMS, |reply| reply.body("text/plain", body)).ends_with(&format!("\r\n\r\n{text}")));
    }
    assert!(
        render(TERMS, |reply| reply.body("text/plain", Body::Static(b"short"))).ends_with("\r\n\r\nshort")
    );
}

#[test]
fn head_has_the_length_and_no_body() {
    let terms = Terms { head_only: true, ..TERMS };
    for large in [5, 100_000] {
        let text = render(terms, |reply| reply.body("text/plain", Body::Fill(large)));
        assert!(
            text.contains(&format!("Content-Length: {large}\r\n")) && text.ends_with("\r\n\r\n"),
            "{text}"
        );
    }
}

#[test]
fn a_status_that_forbids_a_body_has_none() {
    for status in [Status::NO_CONTENT, Status::NOT_MODIFIED] {
        for length in [1, 100_000] {
            let body = Body::Fill(length);
            let text = render(TERMS, |reply| reply.with_status(status).body("text/plain", body));
            assert!(text.ends_with("\r\n\r\n") && !text.contains("Length"), "{text}");
        }
    }
}

#[test]
fn json_that_cannot_be_written_is_an_error() {
    struct Refuses;
    impl Serialize for Refuses {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    assert!(render(TERMS, |reply| reply.json(&Refuses)).starts_with("HTTP/1.1 500 "));
    assert!(render(TERMS, |reply| reply.json(&[1, 2])).ends_with("Content-Length: 5\r\n\r\n[1,2]"));
}

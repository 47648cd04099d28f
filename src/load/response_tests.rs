//! Tests of the answer reader: every framing, cut at every byte.

use proptest::prelude::*;

use super::*;

/// Status, whether the connection is kept, and the length of the content.
type Told = (u16, bool, u64);

/// Feeds `text` in pieces of `step` bytes, then the close: the answers, and how many bytes the first one took.
fn read(text: &[u8], step: usize, is_head: bool) -> Result<(Vec<Told>, usize), ResponseError> {
    let mut parser = HeadParser::new(is_head);
    let mut reader = ResponseReader::new();
    let told = |answer: Answer| (answer.status, answer.keep_alive, answer.body_bytes);
    let (mut answers, mut first) = (Vec::new(), 0);
    for piece in text.chunks(step) {
        let mut at = 0;
        while at < piece.len() {
            let (used, answer) = reader.feed(&mut parser, &piece[at..])?;
            assert!(used > 0, "no progress");
            at += used;
            first += if answers.is_empty() { used } else { 0 };
            answers.extend(answer.map(told));
        }
    }
    answers.extend(reader.end_of_stream().map(told));
    Ok((answers, first))
}

#[test]
fn every_framing_ends_where_it_should_however_it_is_cut() {
    let cases: &[(&str, u16, bool, bool, u64)] = &[
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true, false, 5),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, true, false, 0),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", 200, true, false, 5),
        ("HTTP/1.1 200\r\ncontent-length: 5, 5\r\n\r\nhello", 200, true, false, 5),
        ("HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", 204, true, false, 0),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304, true, false, 0),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 200, true, true, 0),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n",
            200,
            true,
            false,
            3,
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx",
            404,
            true,
            false,
            1,
        ),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, false, false, 2),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", 200, true, false, 2),
        ("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nok", 200, false, false, 2),
    ];
    for (text, status, keep_alive, is_head, body) in cases {
        let twice = text.repeat(2);
        for step in 1..=twice.len() {
            let (answers, first) = read(twice.as_bytes(), step, *is_head).unwrap();
            let answer = (*status, *keep_alive, *body);
            assert_eq!(answers, [answer, answer], "{text:?} by {step}");
            assert_eq!(first, text.len(), "{text:?} by {step}");
        }
    }
}

#[test]
fn without_a_length_the_close_ends_it() {
    for text in
        ["HTTP/1.1 200 OK\r\n\r\nall of it", "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nall of it"]
    {
        for step in 1..=text.len() {
            let (answers, _) = read(text.as_bytes(), step, false).unwrap();
            assert_eq!(answers, [(200, false, 9)]);
        }
    }
}

#[test]
fn a_close_in_the_middle_gives_no_answer() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell";
    assert_eq!(read(text.as_bytes(), 7, false).unwrap().0, []);
}

#[test]
fn a_changed_head_is_parsed_anew() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHTTP/1.1 200HTTP/1.1 500 X\r\nContent-Length: 1\r\n\r\ny";
    let (answers, _) = read(text.as_bytes(), text.len(), false).unwrap();
    assert_eq!(answers.iter().map(|answer| answer.0).collect::<Vec<_>>(), [200, 200, 500]);
}

#[test]
fn what_is_not_http_is_an_error() {
    let long = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(MAX_HEAD));
    let cases = [
        ("SSH-2.0-OpenSSH\r\n", ResponseError::Head(httparse::Error::Version)),
        ("\u{15}\u{3}\u{1}\0\u{2}\u{2}\n", ResponseError::Tls),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", ResponseError::Length),
        ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", ResponseError::Length),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", ResponseError::Length),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", ResponseError::Upgrade),
        (long.as_str(), ResponseError::HeadTooLong),
    ];
    for (text, error) in cases {
        assert_eq!(read(text.as_bytes(), 4096, false), Err(error));
    }
}

/// Pieces of answers, good and bad, in any order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"HTTP/1.1 200 OK\r\n"[..]),
        Just(&b"HTTP/1.0 204 \n"[..]),
        Just(&b"Content-Length: 3\r\n"[..]),
        Just(&b"Content-Length: 18446744073709551615\r\n"[..]),
        Just(&b"Transfer-Encoding: chunked\r\n"[..]),
        Just(&b"Connection: close\r\n"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\n"[..]),
        Just(&b"3\r\nabc\r\n"[..]),
        Just(&b"0\r\n\r\n"[..]),
        Just(&b"ffffffffffffffff\r\n"[..]),
        Just(&b"abc"[..]),
        Just(&b"\0\xff: "[..]),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// However a stream is cut, the same answers come out of it; and nothing makes the reader panic or stand still.
    #[test]
    fn cuts_change_nothing(text in fragments(), step in 1usize..9) {
        let whole = read(&text, text.len().max(1), false).map(|(answers, _)| answers);
        let cut = read(&text, step, false).map(|(answers, _)| answers);
        prop_assert_eq!(whole, cut);
    }
}

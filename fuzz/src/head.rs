//! Request heads: one verdict wherever the bytes are cut, and nothing in a head that others read in another way.

use boardkit::http::{
    Framing, HttpError, MAX_HEAD_BYTES, MAX_TARGET_BYTES, header_slots, is_blank, parse_head, with_minor_1,
};

/// What a parser said, without what it borrows: all of the head, and its length.
type Verdict = Result<Option<(String, usize)>, HttpError>;

fn verdict(bytes: &[u8]) -> Verdict {
    let mut slots = header_slots();
    let parsed = parse_head(bytes, &mut slots)?;
    Ok(parsed.map(|(head, length)| {
        assert!(length <= bytes.len() && length <= MAX_HEAD_BYTES, "{length} of {} bytes", bytes.len());
        assert!(head.path.len() + head.query.map_or(0, str::len) <= MAX_TARGET_BYTES);
        assert_ne!(head.framing, Framing::Length(0));
        assert!(head.minor <= 1);
        assert!(!head.expects_continue || head.minor == 1 && head.framing != Framing::Empty);
        (format!("{head:?}"), length)
    }))
}

/// Checks all of it for these bytes.
pub fn check(bytes: &[u8]) {
    let whole = verdict(bytes);
    for cut in cuts(bytes.len()) {
        let part = verdict(&bytes[..cut]);
        assert!(part == Ok(None) || part == whole, "{part:?} at {cut}, but {whole:?} as a whole");
    }
    match &whole {
        Ok(Some((_, length))) => check_head(&bytes[..*length]),
        Ok(None) => assert!(bytes.len() < MAX_HEAD_BYTES, "more than a head may have, and not refused"),
        Err(HttpError::NewerMinor) => {
            let copy = with_minor_1(bytes).expect("there is a version to change");
            assert_eq!(copy.len(), bytes.len().min(MAX_HEAD_BYTES));
            assert_eq!(copy.iter().zip(bytes).filter(|(new, old)| new != old).count(), 1);
            assert_ne!(verdict(&copy), Err(HttpError::NewerMinor));
        }
        Err(_) => {}
    }
    if is_blank(bytes) {
        assert!(!matches!(whole, Ok(Some(_))), "a request without a byte of it");
    }
}

/// A head holds no line end but CRLF, ends with an empty line and nowhere before.
fn check_head(head: &[u8]) {
    let begin = head.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    for (at, byte) in head.iter().enumerate() {
        match byte {
            b'\n' => assert_eq!(head[at - 1], b'\r', "a bare line feed at {at}"),
            b'\r' => assert_eq!(head[at + 1], b'\n', "a bare return at {at}"),
            byte => assert!(*byte >= b' ' && *byte != 0x7f || *byte == b'\t', "a control at {at}"),
        }
    }
    let empty = head[begin..].windows(4).position(|four| four == b"\r\n\r\n");
    assert_eq!(empty.map(|at| begin + at + 4), Some(head.len()), "the first empty line is the end");
}

/// Every place in a short input; so many that they cost little in a long one.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    (0..length).step_by(length / 128 + 1)
}

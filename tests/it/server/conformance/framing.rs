//! Where a message ends: whoever reads it otherwise than the proxy before it can be made to answer a request that nobody
//! sent (smuggling). What is doubtful is refused, and nothing behind it is looked at.

use super::{End, Row, chunked, post, refused, row, run};

/// What would be run if a body were taken for a request.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

/// Header lines whose length is none, or not the only one.
const BAD_LENGTHS: [(&str, &str); 24] = [
    ("two that differ", "Content-Length: 47\r\nContent-Length: 0\r\n"),
    ("two that agree", "Content-Length: 5\r\nContent-Length: 5\r\n"),
    ("two in other letters", "Content-Length: 5\r\ncontent-length: 5\r\n"),
    ("two with others between", "Content-Length: 5\r\nX: y\r\nContent-Length: 6\r\n"),
    ("a list of equals", "Content-Length: 5, 5\r\n"),
    ("a list", "Content-Length: 5,6\r\n"),
    ("a list with an empty end", "Content-Length: 5,\r\n"),
    ("a plus", "Content-Length: +5\r\n"),
    ("a minus", "Content-Length: -5\r\n"),
    ("minus nothing", "Content-Length: -0\r\n"),
    ("none", "Content-Length:\r\n"),
    ("a space for one", "Content-Length:  \r\n"),
    ("a space within", "Content-Length: 5 5\r\n"),
    ("a tab within", "Content-Length: 5\t5\r\n"),
    ("hexadecimal", "Content-Length: 0x5\r\n"),
    ("a point", "Content-Length: 5.0\r\n"),
    ("an exponent", "Content-Length: 5e0\r\n"),
    ("a thousands mark", "Content-Length: 1_0\r\n"),
    ("quoted", "Content-Length: \"5\"\r\n"),
    ("a parameter", "Content-Length: 5;x\r\n"),
    ("digits of another script", "Content-Length: \u{665}\r\n"),
    ("one more than 64 bits hold", "Content-Length: 18446744073709551616\r\n"),
    ("thirty digits", "Content-Length: 999999999999999999999999999999\r\n"),
    ("folded", "Content-Length:\r\n 5\r\n"),
];

/// Header lines with a transfer coding that is not simply `chunked`.
const BAD_CODINGS: [(&str, &str); 29] = [
    ("beside a length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
    ("behind a length", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
    ("beside a length of 0", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"),
    ("beside a length that is none", "Transfer-Encoding: chunked\r\nContent-Length: x\r\n"),
    ("unknown, beside a length", "Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n"),
    ("space before the colon", "Transfer-Encoding : chunked\r\n"),
    ("tab before the colon", "Transfer-Encoding\t: chunked\r\n"),
    ("line end before the colon", "Transfer-Encoding\r\n: chunked\r\n"),
    ("space before the name", " Transfer-Encoding: chunked\r\n"),
    ("behind a folded line", "X: y\r\n Transfer-Encoding: chunked\r\n"),
    ("folded", "Transfer-Encoding:\r\n chunked\r\n"),
    ("tab behind", "Transfer-Encoding: chunked\t\r\n"),
    ("space behind", "Transfer-Encoding: chunked \r\n"),
    ("tab before", "Transfer-Encoding:\tchunked\r\n"),
    ("vertical tab before", "Transfer-Encoding: \x0bchunked\r\n"),
    ("form feed behind", "Transfer-Encoding: chunked\x0c\r\n"),
    ("NUL behind", "Transfer-Encoding: chunked\0\r\n"),
    ("a letter before", "Transfer-Encoding: xchunked\r\n"),
    ("a letter behind", "Transfer-Encoding: chunkedx\r\n"),
    ("quoted", "Transfer-Encoding: \"chunked\"\r\n"),
    ("with a parameter", "Transfer-Encoding: chunked;x=y\r\n"),
    ("empty", "Transfer-Encoding:\r\n"),
    ("identity", "Transfer-Encoding: identity\r\n"),
    ("chunked, then identity", "Transfer-Encoding: chunked, identity\r\n"),
    ("chunked twice", "Transfer-Encoding: chunked, chunked\r\n"),
    ("two headers", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
    ("two headers that differ", "Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n"),
    ("hidden by a bare return", "X: y\rTransfer-Encoding: chunked\r\n"),
    ("hidden by a bare line feed", "X: y\nTransfer-Encoding: chunked\r\n"),
];

/// Lengths and codings that mean what they say.
const GOOD: [(&str, &str, &str, &str); 9] = [
    ("zeros before", "Content-Length: 005\r\n", "hello", "hello"),
    ("white space around", "Content-Length: \t 5 \t\r\n", "hello", "hello"),
    ("a length of 0", "Content-Length: 0\r\n", "", ""),
    ("neither length nor coding", "", "", ""),
    ("any letters", "cOnTeNt-LeNgTh: 5\r\n", "hello", "hello"),
    ("chunked in capitals", "TRANSFER-ENCODING: CHUNKED\r\n", "5\r\nhello\r\n0\r\n\r\n", "hello"),
    ("several spaces before", "Transfer-Encoding:   chunked\r\n", "0\r\n\r\n", ""),
    // To us it is a header like any other. Servers that map names to variables take it for the real one.
    ("an underscore in the name", "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", "hello", "hello"),
    ("TE is not Transfer-Encoding", "TE: chunked\r\nContent-Length: 5\r\n", "hello", "hello"),
];

/// Messages as attackers send them: the first is what one reader takes for the body, the rest what the other takes for a
/// request.
fn attacks() -> Vec<Row> {
    let both = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n";
    let size = SMUGGLED.len();
    let hidden = format!("0\r\n\r\n{SMUGGLED}");
    let counted = format!("Content-Length: {}\r\n", hidden.len());
    vec![
        refused(
            "9112 §6.3",
            "400",
            "length first, then chunked",
            post(both, &format!("{size:x}\r\n{SMUGGLED}\r\n0\r\n\r\n")),
        ),
        refused(
            "9112 §6.3",
            "400",
            "chunked first, then length",
            post(&format!("{counted}Transfer-Encoding: chunked\r\n"), &hidden),
        ),
        refused("9112 §6.1", "400", "chunked in HTTP/1.0", {
            format!(
                "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n{hidden}"
            )
        }),
        refused(
            "9112 §6.1",
            "501",
            "a coding before chunked",
            post("Transfer-Encoding: gzip, chunked\r\n", &hidden),
        ),
        refused(
            "9112 §6.1",
            "501",
            "identity before chunked",
            post("Transfer-Encoding: identity, chunked\r\n", &hidden),
        ),
        // A body that is a request stays a body.
        row(
            "9112 §6.3",
            "a request within a length",
            post(&format!("Content-Length: {size}\r\n"), SMUGGLED),
            &[&format!("200 POST /echo {SMUGGLED}")],
            End::Stays,
        ),
        row(
            "9112 §7.1",
            "a request within a chunk",
            chunked(&format!("{size:x}\r\n{SMUGGLED}\r\n0\r\n\r\n")),
            &[&format!("200 POST /echo {SMUGGLED}")],
            End::Stays,
        ),
        row(
            "9112 §9.3",
            "a request within the body of a GET",
            format!("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n{SMUGGLED}"),
            &["200 GET /"],
            End::Stays,
        ),
        row(
            "9112 §6.3",
            "no length means no body",
            format!("POST /echo HTTP/1.1\r\nHost: a\r\n\r\n{SMUGGLED}"),
            &["200 POST /echo ", "200 GET /smuggled"],
            End::Stays,
        ),
        row(
            "9110 §9.3.2",
            "HEAD has an answer without a body",
            format!("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n{SMUGGLED}"),
            &["HEAD 200 HEAD /", "200 GET /smuggled"],
            End::Stays,
        ),
        refused(
            "9112 §6.3",
            "413",
            "the largest length there is",
            post("Content-Length: 18446744073709551615\r\n", SMUGGLED),
        ),
    ]
}

#[test]
fn a_length_is_one_number_and_the_only_one() {
    let rows = BAD_LENGTHS
        .map(|(name, lines)| refused("9112 §6.3", "400", name, post(lines, &format!("hello{SMUGGLED}"))));
    run(&rows);
}

#[test]
fn a_transfer_coding_is_chunked_and_nothing_else() {
    let body = format!("5\r\nhello\r\n0\r\n\r\n{SMUGGLED}");
    let rows = BAD_CODINGS.map(|(name, lines)| refused("9112 §6.1", "400", name, post(lines, &body)));
    run(&rows);
}

#[test]
fn what_is_well_said_is_understood() {
    let rows = GOOD.map(|(name, lines, body, seen)| {
        row("9112 §6", name, post(lines, body), &[&format!("200 POST /echo {seen}")], End::Stays)
    });
    run(&rows);
}

#[test]
fn nobody_is_fooled() {
    run(&attacks());
}

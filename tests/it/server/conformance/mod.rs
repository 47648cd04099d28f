//! HTTP/1.1 to the letter, row by row: bytes on a socket, the answers that are due, and how the connection ends.
//!
//! Each row names the section of RFC 9110 or 9112 that it holds the server to. A table reports all rows that fail.

mod bodies;
mod framing;
mod h1spec;
mod lines;
mod order;
mod recording;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use boardkit::http::CONTINUE_LINE;

use crate::support::client::{Answer, Client};

use recording::Recording;

/// The request behind each row: whether it is answered tells whether the connection goes on.
const MARKER: &str = "GET /marker HTTP/1.1\r\nHost: a\r\n\r\n";

/// What becomes of the connection after a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The marker is answered.
    Stays,
    /// The server ends it cleanly, the last answer says so, and nothing behind the row is looked at.
    Closes,
    /// The same, as the client has asked for it: what it says after that may be answered with a reset.
    Asked,
    /// The row ends within a message: nothing more comes, and when the client gives up the server does too.
    Waits,
}

/// One case.
struct Row {
    /// Of RFC 9110 or RFC 9112.
    section: &'static str,
    name: String,
    bytes: Vec<u8>,
    /// Each answer that is due: the status and, with 200, what the handler saw. `HEAD ` before it means that it answers
    /// one.
    answers: Vec<String>,
    end: End,
}

fn row(section: &'static str, name: &str, bytes: impl Into<Vec<u8>>, answers: &[&str], end: End) -> Row {
    let answers = answers.iter().map(|answer| (*answer).to_owned()).collect();
    Row { section, name: name.to_owned(), bytes: bytes.into(), answers, end }
}

/// A row that is answered with this status alone, after which the connection ends.
fn refused(section: &'static str, status: &str, name: &str, bytes: impl Into<Vec<u8>>) -> Row {
    row(section, name, bytes, &[status], End::Closes)
}

/// A POST of `hello` or whatever the header lines make of it.
fn post(lines: &str, body: &str) -> String {
    format!("POST /echo HTTP/1.1\r\nHost: a\r\n{lines}\r\n{body}")
}

/// A chunked POST.
fn chunked(body: &str) -> String {
    post("Transfer-Encoding: chunked\r\n", body)
}

/// A GET with these header lines behind Host.
fn get(lines: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
}

/// How the bytes of a row are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delivery {
    /// All at once, the marker glued to them.
    Whole,
    /// So, and then the client says that it has nothing more to say.
    Final,
    /// In pieces of so many bytes, each a segment of its own, and so the marker.
    Pieces(usize),
    /// In two pieces of which the server reads one before the other comes; the marker when all is answered.
    Late,
}

impl Delivery {
    /// Each row's: byte by byte where that is soon done.
    fn all(length: usize) -> [Self; 5] {
        let (small, large) = match length {
            0..2000 => (1, 11),
            2000..20_000 => (97, 997),
            _ => (16 * 1024, 64 * 1024),
        };
        [Self::Whole, Self::Final, Self::Pieces(small), Self::Pieces(large), Self::Late]
    }

    /// How long the pieces are.
    const fn size(self, length: usize) -> usize {
        match self {
            Self::Whole | Self::Final => length,
            Self::Pieces(size) => size,
            Self::Late => length / 3 + 1,
        }
    }
}

/// Runs every row in several deliveries and fails with all that went wrong.
fn run(rows: &[Row]) {
    let server = Recording::start();
    let mut wrong = Vec::new();
    for row in rows {
        let deliveries = Delivery::all(row.bytes.len());
        let mut failures = deliveries.into_iter().filter_map(|delivery| failure(&server, row, delivery));
        wrong.extend(failures.next().map(|failure| format!("{} ({}): {failure}", row.name, row.section)));
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// What is wrong with a row in this delivery.
fn failure(server: &Recording, row: &Row, delivery: Delivery) -> Option<String> {
    server.forget();
    let outcome = catch_unwind(AssertUnwindSafe(|| converse(server, row, delivery)));
    let (got, goes_on) = match outcome {
        Ok(Ok(seen)) => seen,
        Ok(Err(error)) => return Some(error),
        Err(panic) => return Some(panic.downcast_ref::<String>().cloned().unwrap_or_default()),
    };
    if got != row.answers || goes_on != (row.end == End::Stays) {
        let end = if goes_on { "goes on" } else { "ended" };
        return Some(format!("answers {got:?} where {:?} were due, and the connection {end}", row.answers));
    }
    // What a handler saw, it answered: a request that was run and not answered shows here.
    let answered = row.answers.iter().filter_map(|answer| Some(answer.split_once("200 ")?.1));
    let due: Vec<_> = answered.chain((row.end == End::Stays).then_some("GET /marker")).collect();
    let seen = server.seen();
    (seen != due).then(|| format!("the handlers saw {seen:?}, not {due:?}"))
}

/// Sends a row; the answers until the marker's or the end, and whether it was the marker's.
fn converse(server: &Recording, row: &Row, delivery: Delivery) -> Result<(Vec<String>, bool), String> {
    let mut client = Client::connect(server.address);
    send(server, &mut client, row, delivery).map_err(|error| format!("sending: {error}"))?;
    let (mut unread, mut answers) = (Vec::new(), Vec::new());
    let mut piece = vec![0; 64 * 1024];
    loop {
        while let Some((answer, closes, length)) = next(&unread, row.answers.get(answers.len())) {
            unread.drain(..length);
            if answer == "200 GET /marker" {
                if delivery != Delivery::Final {
                    client.finish();
                }
                client.expect_end();
                return Ok((answers, true));
            }
            answers.push(answer);
            let is_last = answers.len() == row.answers.len();
            if row.end != End::Waits && closes != (is_last && row.end != End::Stays) {
                return Err(format!("the last of {answers:?} says close: {closes}"));
            }
            if is_last && row.end == End::Stays && delivery == Delivery::Late {
                client.send(MARKER);
            }
        }
        match client
            .stream
            .read(&mut piece)
            .map_err(|error| format!("reading behind {answers:?}: {error}"))?
        {
            0 if !unread.is_empty() => {
                return Err(format!("{:?} behind {answers:?}", String::from_utf8_lossy(&unread)));
            }
            0 => {
                if delivery == Delivery::Late {
                    // Nobody may listen to this any more; whether it is heard shows in what the handlers saw.
                    let _ = client.stream.write_all(MARKER.as_bytes());
                    server.catch_up();
                }
                return Ok((answers, false));
            }
            count => unread.extend_from_slice(&piece[..count]),
        }
    }
}

/// Sends a row and, where the delivery has it so, the marker.
fn send(server: &Recording, client: &mut Client, row: &Row, delivery: Delivery) -> std::io::Result<()> {
    let marker = match (row.end, delivery) {
        (End::Waits, _) | (End::Asked, Delivery::Pieces(_)) | (_, Delivery::Late) => "",
        _ => MARKER,
    };
    let bytes = [&row.bytes[..], marker.as_bytes()].concat();
    for piece in bytes.chunks(delivery.size(bytes.len())) {
        client.stream.write_all(piece)?;
        if delivery == Delivery::Late {
            server.catch_up();
        }
    }
    if row.end == End::Waits || delivery == Delivery::Final {
        client.finish();
    }
    Ok(())
}

/// The answer at the start of `bytes` as a row names it, whether it says that the connection ends, and its length.
fn next(bytes: &[u8], due: Option<&String>) -> Option<(String, bool, usize)> {
    if bytes.starts_with(CONTINUE_LINE) {
        return Some(("100".into(), false, CONTINUE_LINE.len()));
    }
    let head = due.filter(|due| due.starts_with("HEAD "));
    let (answer, length) = Answer::parse(bytes, head.is_some())?;
    let closes = answer.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let text = match (answer.status, head) {
        // What the handler of a HEAD saw is not in its answer.
        (status, Some(due)) if due.starts_with(&format!("HEAD {status}")) => due.clone(),
        (200, _) => format!("200 {}", answer.text()),
        (status, _) => status.to_string(),
    };
    Some((text, closes, length))
}

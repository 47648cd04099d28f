//! What boardd answers: the work of the published comparisons.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::http::{Status, escape_html, percent_decode};
use crate::server::{
    Body, Failure, Files, OwnedRequest, Reply, Request, Response, Routes, Sent, blocking, sleep,
};

/// The answer of `/` and `/plaintext`.
const GREETING: &str = "Hello, World!";

/// Largest answer of `/bytes/N`: 16 MiB takes a 100 Mbit/s link over a second, so more shows nothing new.
pub const MAX_FILL_BYTES: u64 = 16 * 1024 * 1024;

/// Longest body that `/echo` sends back, for the same reason.
pub const MAX_ECHO_BYTES: u64 = 16 * 1024 * 1024;

/// Longest work that `/work` does, in microseconds: ten seconds of one core.
pub const MAX_WORK_MICROS: u64 = 10_000_000;

/// Longest wait of `/slow`, in milliseconds: what idle connections get by default.
pub const MAX_SLOW_MILLIS: u64 = 60_000;

/// TechEmpower's JSON object.
#[derive(Serialize)]
struct Message {
    message: &'static str,
}

/// The routes that boardd serves. With files, `/` is theirs.
#[must_use]
pub fn routes(files: Option<Files>) -> Routes {
    let routes = match files {
        Some(files) => Routes::new().files(files),
        None => Routes::new().get("/", greet),
    };
    routes
        .get("/plaintext", greet)
        .get("/json", |_, reply| reply.json(&Message { message: GREETING }))
        .get("/bytes/{count}", fill)
        .get("/hello", hello)
        .get_async("/work", work)
        .get_async("/slow", slow)
        .post_async("/echo", echo)
}

/// `/plaintext`: the text of the published comparisons, to the byte; ASCII needs no encoding.
fn greet(_: &Request<'_>, reply: Reply<'_>) -> Sent {
    reply.bytes("text/plain", GREETING.as_bytes())
}

/// `/bytes/N`: exactly N bytes from the shared block.
fn fill(request: &Request<'_>, reply: Reply<'_>) -> Sent {
    match request.param("count").and_then(|text| number(&text, MAX_FILL_BYTES)) {
        Some(count) => reply.body("application/octet-stream", Body::Fill(count)),
        None => reply
            .with_status(Status::BAD_REQUEST)
            .text(&format!("/bytes/N: N is a number of bytes from 0 to {MAX_FILL_BYTES}\n")),
    }
}

/// `/hello`: what the server understood of the request, as a page.
fn hello(request: &Request<'_>, reply: Reply<'_>) -> Sent {
    let mut page = b"<!DOCTYPE html>\n<title>Hello</title>\n<h1>".to_vec();
    let mut row = |before: &str, name: &[u8], between: &str, value: &[u8]| {
        page.extend_from_slice(before.as_bytes());
        escape_html(name, &mut page);
        page.extend_from_slice(between.as_bytes());
        escape_html(value, &mut page);
    };
    row("", request.method().name().as_bytes(), " ", percent_decode(request.path()).as_bytes());
    row("</h1>\n<h2>Parameters</h2>\n<dl>", b"", "", b"");
    for (name, value) in request.query_pairs() {
        row("\n<dt>", name.as_bytes(), "<dd>", value.as_bytes());
    }
    row("\n</dl>\n<h2>Headers</h2>\n<dl>", b"", "", b"");
    for (name, value) in request.headers() {
        row("\n<dt>", name.as_bytes(), "<dd>", String::from_utf8_lossy(value).as_bytes());
    }
    row("\n</dl>\n", b"", "", b"");
    reply.bytes("text/html; charset=utf-8", &page)
}

/// `/work?us=N`: N microseconds of a core, on the pool: what a real handler's computation looks like from outside.
async fn work(request: OwnedRequest) -> Result<Response, Failure> {
    let micros = parameter(&request, "us", MAX_WORK_MICROS)?;
    blocking(move || burn(micros)).await?;
    Ok(Response::text("done\n"))
}

/// `/slow?ms=N`: an answer after N milliseconds, for which no thread waits.
async fn slow(request: OwnedRequest) -> Result<Response, Failure> {
    let millis = parameter(&request, "ms", MAX_SLOW_MILLIS)?;
    sleep(Duration::from_millis(millis)).await;
    Ok(Response::text("done\n"))
}

/// `/echo`: the request's body and media type, piece by piece.
async fn echo(mut request: OwnedRequest) -> Result<Response, Failure> {
    request.body.limit(MAX_ECHO_BYTES)?;
    let media_type = request.header_text("content-type").unwrap_or("application/octet-stream").to_owned();
    Ok(Response::stream(media_type, request.body))
}

/// Uses up so much time of the calling thread's core.
fn burn(micros: u64) {
    let spent = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    let end = spent() + Duration::from_micros(micros);
    while spent() < end {
        // Reading the clock is a system call here: most of the time goes into what a handler does, computing.
        for _ in 0..1000 {
            std::hint::spin_loop();
        }
    }
}

/// The number that the query calls `name`; without it, 400 and what was expected.
fn parameter(request: &OwnedRequest, name: &str, most: u64) -> Result<u64, Failure> {
    request.query_value(name).and_then(|text| number(&text, most)).ok_or_else(|| {
        let text = format!("{path}?{name}=N: N is a number from 0 to {most}\n", path = request.path);
        Response::text(text).with_status(Status::BAD_REQUEST).into()
    })
}

/// Digits and nothing else, up to `most`.
fn number(text: &str, most: u64) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number <= most)
}

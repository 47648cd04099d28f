//! What boardd answers: the work of the published comparisons.

use serde::Serialize;

use crate::http::Status;
use crate::server::{Body, Reply, Request, Routes, Sent};

/// The answer of `/` and `/plaintext`.
const GREETING: &str = "Hello, World!";

/// Largest answer of `/bytes/N`: 16 MiB takes a 100 Mbit/s link over a second, so more shows nothing new.
pub const MAX_FILL_BYTES: u64 = 16 * 1024 * 1024;

/// TechEmpower's JSON object.
#[derive(Serialize)]
struct Message {
    message: &'static str,
}

/// The routes that boardd serves.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .get("/", |_, reply| reply.text(GREETING))
        .get("/plaintext", |_, reply| reply.text(GREETING))
        .get("/json", |_, reply| reply.json(&Message { message: GREETING }))
        .get("/bytes/{count}", fill)
}

/// `/bytes/N`: exactly N bytes from the shared block.
fn fill(request: &Request<'_>, reply: Reply<'_>) -> Sent {
    let count = request.param("count").filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    match count.and_then(|text| text.parse().ok()) {
        Some(count) if count <= MAX_FILL_BYTES => reply.body("application/octet-stream", Body::Fill(count)),
        _ => reply
            .with_status(Status::BAD_REQUEST)
            .text(&format!("/bytes/N: N is a number of bytes from 0 to {MAX_FILL_BYTES}\n")),
    }
}

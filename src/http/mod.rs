//! HTTP/1.1 without I/O: bytes become messages, messages become bytes.
//!
//! Nothing here knows a socket, a clock or a runtime. The grammar is RFC 9112 (message syntax) and
//! RFC 9110 (semantics); httparse splits the lines, everything that decides *where a message ends* is here.

mod body;
mod date;
mod error;
mod fields;
mod head;
mod method;
mod response;
mod status;
mod target;

pub use body::{BodyReader, Chunked, Framing, Progress};
pub use date::{DATE_BYTES, DateHeader};
pub use error::HttpError;
pub use head::{HeaderSlot, MAX_HEADERS, RequestHead, header_slots, parse_head};
pub use method::{Method, MethodSet};
pub use response::{ConnectionHeader, ResponseHead};
pub use status::Status;

/// Longest request head in bytes (request line, headers and the empty line) that is read before 431 is
/// answered. Browsers with cookies stay under 8 KiB; RFC 9112 §3 wants request lines of 8,000 octets to work.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Longest request target in bytes before 414 is answered (RFC 9112 §3 asks for at least 8,000).
pub const MAX_TARGET_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod split_tests;

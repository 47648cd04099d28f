//! HTTP/1.1 without I/O: bytes become messages, messages become bytes.
//!
//! Nothing here knows a socket, a clock or a runtime. The grammar is RFC 9112 (message syntax) and
//! RFC 9110 (semantics); httparse splits the lines, everything that decides *where a message ends* is here.

mod accept;
mod body;
mod chunk;
mod conditional;
mod date;
mod decimal;
mod error;
mod escape;
mod fields;
mod head;
mod lines;
mod method;
mod mime;
mod path;
mod percent;
mod query;
mod range;
mod response;
mod status;
mod target;
mod version;

pub use accept::{AcceptEncoding, Coding, CodingSet};
pub use body::{BodyReader, Chunked, Framing, Progress};
pub use chunk::{CONTINUE_LINE, LAST_CHUNK, write_chunk};
pub use conditional::{ConditionOutcome, Conditions};
pub use date::{DATE_BYTES, DateHeader, http_date};
pub use decimal::append_decimal;
pub use error::HttpError;
pub use escape::escape_html;
pub use head::{HeaderSlot, MAX_HEADERS, RequestHead, header_slots, parse_head};
pub use lines::is_blank;
pub use method::{Method, MethodSet};
pub use mime::media_type;
pub use path::{PathError, decode_path};
pub use percent::percent_decode;
pub use query::{QueryPairs, query_pairs};
pub use range::ByteRange;
pub use response::{ConnectionHeader, HeadRoom, ResponseHead};
pub use status::Status;
pub use version::with_minor_1;

/// Longest request head in bytes (request line, headers and the empty line) that is read before 431 is
/// answered. Browsers with cookies stay under 8 KiB; RFC 9112 §3 wants request lines of 8,000 octets to work.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Longest request target in bytes before 414 is answered (RFC 9112 §3 asks for at least 8,000).
pub const MAX_TARGET_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod split_tests;

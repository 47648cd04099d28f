//! What can be wrong with a request, and the status that says so.

use super::Status;

/// A request that cannot be answered as asked.
///
/// Each one ends the connection: after it, where the next message would start is not certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The request line or a header line does not follow RFC 9112 §3 and §5.
    #[error("the request line or a header is malformed")]
    Malformed,
    /// HTTP/1.1 without exactly one valid Host (RFC 9112 §3.2).
    #[error("Host is missing, repeated or not a host name")]
    Host,
    /// The target is none of the four forms of RFC 9112 §3.2, or holds a byte that no URI has.
    #[error("the request target is not valid")]
    Target,
    /// Content-Length that is no number, repeated, or beside Transfer-Encoding (RFC 9112 §6.3).
    #[error("the body's length is contradictory or not a number")]
    Length,
    /// A method that comes with a body, over HTTP/1.0 and without Content-Length (RFC 1945 §7.2.2).
    #[error("the body has no Content-Length")]
    LengthRequired,
    /// Transfer-Encoding whose last coding is not chunked, or sent with HTTP/1.0 (RFC 9112 §6.1).
    #[error("the transfer coding does not say where the body ends")]
    TransferEncoding,
    /// A chunk size, extension or trailer that breaks RFC 9112 §7.1 or its bound.
    #[error("the chunked body is malformed")]
    Chunk,
    /// A transfer coding other than chunked (RFC 9112 §6.1).
    #[error("the transfer coding is not implemented")]
    UnknownCoding,
    /// An expectation other than 100-continue (RFC 9110 §10.1.1).
    #[error("the expectation cannot be met")]
    Expectation,
    /// The target is longer than [`super::MAX_TARGET_BYTES`].
    #[error("the request target is too long")]
    TargetTooLong,
    /// The head is longer than [`super::MAX_HEAD_BYTES`] or has more than [`super::MAX_HEADERS`] fields.
    #[error("the request head is too large")]
    HeadTooLarge,
    /// The head did not arrive within its deadline.
    #[error("the request head did not arrive in time")]
    HeadTimeout,
    /// A major version other than 1 (RFC 9110 §15.6.6).
    #[error("only HTTP/1.x is spoken here")]
    Version,
    /// HTTP/1.2 to 1.9, to be processed as HTTP/1.1 (RFC 9110 §2.5): answered by parsing the copy that
    /// [`super::with_minor_1`] makes. The status is for who does not.
    #[error("only HTTP/1.0 and HTTP/1.1 are spoken here")]
    NewerMinor,
}

impl HttpError {
    /// The status that is answered before the connection ends.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::Malformed
            | Self::Host
            | Self::Target
            | Self::Length
            | Self::TransferEncoding
            | Self::Chunk => Status::BAD_REQUEST,
            Self::LengthRequired => Status::LENGTH_REQUIRED,
            Self::UnknownCoding => Status::NOT_IMPLEMENTED,
            Self::Expectation => Status::EXPECTATION_FAILED,
            Self::TargetTooLong => Status::URI_TOO_LONG,
            Self::HeadTooLarge => Status::HEADER_FIELDS_TOO_LARGE,
            Self::HeadTimeout => Status::REQUEST_TIMEOUT,
            Self::Version | Self::NewerMinor => Status::VERSION_NOT_SUPPORTED,
        }
    }
}

//! Status codes and their reason phrases (RFC 9110 §15, RFC 6585 §5).

use std::fmt;

/// A status code with its reason phrase, known when the program is compiled.
#[derive(Clone, Copy)]
pub struct Status(&'static Entry);

/// What a status consists of; behind a reference, as a status travels with every answer.
struct Entry {
    code: u16,
    line: &'static str,
}

macro_rules! statuses {
    ($($name:ident $code:literal $reason:literal),* $(,)?) => {
        impl Status {
            $(
                #[doc = concat!("`", stringify!($code), " ", $reason, "`")]
                pub const $name: Status = Status(&Entry {
                    code: $code,
                    line: concat!("HTTP/1.1 ", stringify!($code), " ", $reason, "\r\n"),
                });
            )*
            /// Every status that this server can answer.
            pub const ALL: &'static [Status] = &[$(Status::$name),*];
        }
    };
}

statuses! {
    OK 200 "OK",
    CREATED 201 "Created",
    ACCEPTED 202 "Accepted",
    NO_CONTENT 204 "No Content",
    PARTIAL_CONTENT 206 "Partial Content",
    MOVED_PERMANENTLY 301 "Moved Permanently",
    FOUND 302 "Found",
    SEE_OTHER 303 "See Other",
    NOT_MODIFIED 304 "Not Modified",
    TEMPORARY_REDIRECT 307 "Temporary Redirect",
    PERMANENT_REDIRECT 308 "Permanent Redirect",
    BAD_REQUEST 400 "Bad Request",
    FORBIDDEN 403 "Forbidden",
    NOT_FOUND 404 "Not Found",
    METHOD_NOT_ALLOWED 405 "Method Not Allowed",
    REQUEST_TIMEOUT 408 "Request Timeout",
    CONFLICT 409 "Conflict",
    GONE 410 "Gone",
    LENGTH_REQUIRED 411 "Length Required",
    PRECONDITION_FAILED 412 "Precondition Failed",
    CONTENT_TOO_LARGE 413 "Content Too Large",
    URI_TOO_LONG 414 "URI Too Long",
    UNSUPPORTED_MEDIA_TYPE 415 "Unsupported Media Type",
    RANGE_NOT_SATISFIABLE 416 "Range Not Satisfiable",
    EXPECTATION_FAILED 417 "Expectation Failed",
    TOO_MANY_REQUESTS 429 "Too Many Requests",
    HEADER_FIELDS_TOO_LARGE 431 "Request Header Fields Too Large",
    INTERNAL_SERVER_ERROR 500 "Internal Server Error",
    NOT_IMPLEMENTED 501 "Not Implemented",
    SERVICE_UNAVAILABLE 503 "Service Unavailable",
    VERSION_NOT_SUPPORTED 505 "HTTP Version Not Supported",
}

impl Status {
    /// The three digits.
    #[must_use]
    pub const fn code(self) -> u16 {
        self.0.code
    }

    /// The whole status line with its line end.
    #[must_use]
    pub const fn line(self) -> &'static str {
        self.0.line
    }

    /// Code and reason as a person reads them, e.g. `404 Not Found`.
    #[must_use]
    pub fn text(self) -> &'static str {
        self.0.line.trim_start_matches("HTTP/1.1 ").trim_end()
    }

    /// Whether the answer has a Content-Length: none in 1xx and 204 (RFC 9110 §8.6), and in 304 only that of the answer
    /// which the client has already, so none is the safe one. Those without one have no body either (§6.4.1).
    #[must_use]
    pub const fn has_length(self) -> bool {
        self.0.code >= 200 && self.0.code != 204 && self.0.code != 304
    }
}

impl PartialEq for Status {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for Status {}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_code_agree() {
        for status in Status::ALL {
            let line = format!("HTTP/1.1 {} ", status.code());
            assert!(status.line().starts_with(&line) && status.line().ends_with("\r\n"), "{status:?}");
        }
        assert!(Status::ALL.is_sorted_by_key(|status| status.code()));
    }

    #[test]
    fn who_may_have_no_body_has_no_length() {
        let without: Vec<_> = Status::ALL.iter().filter(|status| !status.has_length()).collect();
        assert_eq!(without, [&Status::NO_CONTENT, &Status::NOT_MODIFIED]);
    }
}

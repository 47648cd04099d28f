//! The request: checked and rendered once, sent from the same bytes ever after.

use super::target::Url;

/// What one request is made of; [`RequestParts::render`] turns it into bytes.
#[derive(Debug, Clone, Default)]
pub struct RequestParts {
    /// The method, a token such as `GET`. Empty means `GET`, or `POST` when there is a body.
    pub method: String,
    /// Further header fields, each `Name: value`, in the order they are sent.
    pub headers: Vec<String>,
    /// The body; `None` sends none and no Content-Length.
    pub body: Option<Vec<u8>>,
    /// `false` asks the server to close after each answer, and closes from this side too.
    pub keep_alive: bool,
}

/// A request ready to be sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// The bytes of one request, head and body.
    pub bytes: Vec<u8>,
    /// Whether it is a HEAD request, whose answers have no body whatever their header says.
    pub is_head: bool,
    /// Whether the connection may be used again.
    pub keep_alive: bool,
}

impl Request {
    /// The request line, without the version.
    #[must_use]
    pub fn line(&self) -> String {
        let line = self.bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
        String::from_utf8_lossy(line).trim_end_matches(" HTTP/1.1").to_owned()
    }
}

/// Why a request cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is not a token.
    #[error("--method `{0}` is not an HTTP method (letters such as GET or POST)")]
    Method(String),
    /// CONNECT turns the connection into a tunnel, which has no answers to count.
    #[error("--method CONNECT opens a tunnel and can't be load-tested")]
    Connect,
    /// The header has no colon, no proper name, or a control character.
    #[error("--header `{0}` is not of the form 'Name: value'")]
    Header(String),
    /// The header decides where a message ends, which this program must know for itself.
    #[error("--header `{0}` is set by this program: use --body and --no-keepalive instead")]
    Framing(String),
}

/// Fields that decide where a message ends or whether the connection stays.
const OWN_FIELDS: [&str; 4] = ["connection", "content-length", "transfer-encoding", "upgrade"];

impl RequestParts {
    /// Renders the request for `url`.
    ///
    /// # Errors
    /// When the method or a header is not what HTTP allows, or would change the framing.
    pub fn render(&self, url: &Url) -> Result<Request, RequestError> {
        let method = match (self.method.as_str(), &self.body) {
            ("", None) => "GET",
            ("", Some(_)) => "POST",
            (method, _) => method,
        };
        if !is_token(method) {
            return Err(RequestError::Method(method.to_owned()));
        }
        if method == "CONNECT" {
            return Err(RequestError::Connect);
        }
        let mut head = format!("{method} {} HTTP/1.1\r\n", url.path());
        let mut names = Vec::new();
        for header in &self.headers {
            names.push(check_header(header)?);
        }
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        if !has("host") {
            head.push_str(&format!("Host: {}\r\n", url.authority()));
        }
        if !has("user-agent") {
            head.push_str(concat!("User-Agent: boardctl/", env!("CARGO_PKG_VERSION"), "\r\n"));
        }
        for header in &self.headers {
            head.push_str(header.trim());
            head.push_str("\r\n");
        }
        if !self.keep_alive {
            head.push_str("Connection: close\r\n");
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        Ok(Request { bytes, is_head: method == "HEAD", keep_alive: self.keep_alive })
    }
}

/// Checks one `Name: value` line and gives its name.
fn check_header(header: &str) -> Result<&str, RequestError> {
    let bad = || RequestError::Header(header.escape_debug().to_string());
    let (name, value) = header.trim().split_once(':').ok_or_else(bad)?;
    // A line break in a value would end the head early and start another request.
    if !is_token(name) || value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(bad());
    }
    if OWN_FIELDS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(RequestError::Framing(name.to_owned()));
    }
    Ok(name)
}

/// RFC 9110, 5.6.2: `token = 1*tchar`.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(parts: &RequestParts) -> Result<String, RequestError> {
        let url: Url = "http://board:8080/x?y=1".parse().unwrap();
        parts.render(&url).map(|request| String::from_utf8(request.bytes).unwrap())
    }

    #[test]
    fn a_get_is_short_and_a_body_makes_it_a_post() {
        let parts = RequestParts { keep_alive: true, ..RequestParts::default() };
        let text = render(&parts).unwrap();
        assert!(text.starts_with("GET /x?y=1 HTTP/1.1\r\nHost: board:8080\r\nUser-Agent: boardctl/"));
        assert!(text.ends_with("\r\n\r\n") && !text.contains("Content-Length"));
        let text = render(&RequestParts { body: Some(b"hi".to_vec()), ..parts }).unwrap();
        assert!(text.starts_with("POST ") && text.ends_with("Content-Length: 2\r\n\r\nhi"));
    }

    #[test]
    fn typed_headers_replace_ours_and_cannot_smuggle() {
        let with =
            |header: &str| RequestParts { headers: vec![header.to_owned()], ..RequestParts::default() };
        let text = render(&with("host: other")).unwrap();
        assert!(text.contains("\r\nhost: other\r\n") && !text.contains("Host: board"));
        assert!(text.contains("Connection: close\r\n"));
        assert!(matches!(render(&with("X: a\r\nEvil: b")), Err(RequestError::Header(_))));
        assert!(matches!(render(&with("no colon")), Err(RequestError::Header(_))));
        assert!(matches!(render(&with("Content-Length: 5")), Err(RequestError::Framing(_))));
    }

    #[test]
    fn methods_are_tokens() {
        let with = |method: &str| RequestParts { method: method.to_owned(), ..RequestParts::default() };
        assert!(matches!(render(&with("GET /")), Err(RequestError::Method(_))));
        assert!(matches!(render(&with("CONNECT")), Err(RequestError::Connect)));
    }
}

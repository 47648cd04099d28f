//! Where the load goes: the URL, its addresses, and the one that answered.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use super::error::LoadError;

/// The port of `http` when the URL names none.
const HTTP_PORT: u16 = 80;

/// An `http` URL, taken apart once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    text: String,
    host: String,
    port: u16,
    authority: String,
    path: String,
    bare: bool,
}

/// Why a URL is not one that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// TLS is not built in; speaking clear text to a TLS port would only give odd errors.
    #[error(
        "https is not supported: load the server's http port, or the server behind the TLS proxy, such as http://HOST:8080/"
    )]
    Https,
    /// No scheme, or another one than http.
    #[error("the URL must begin with http://, such as http://127.0.0.1:8080/")]
    Scheme,
    /// There is no host between the slashes.
    #[error("the URL names no host")]
    Host,
    /// `user:password@host`.
    #[error("user names in a URL are not supported: use --header 'Authorization: …'")]
    UserInfo,
    /// The port is not a number from 1 to 65535.
    #[error("the URL's port must be a number from 1 to 65535")]
    Port,
    /// A space, control or non-ASCII character.
    #[error("the URL holds a space or a character outside ASCII: percent-encode it")]
    Character,
}

impl Url {
    /// The host's name or address, without the brackets of an IPv6 one.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, 80 when the URL names none.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Path and query, as sent in the request line.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether the URL ends with the host: `http://board`, but not `http://board/`.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// The same server with this path, and query if there is one.
    ///
    /// # Errors
    /// When `path` holds what a URL can't.
    pub fn at(&self, path: &str) -> Result<Self, UrlError> {
        format!("http://{}{path}", self.authority).parse()
    }

    /// Host and, unless it is 80, port: the value of the Host header.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// All addresses the host's name stands for, in the resolver's order.
    ///
    /// # Errors
    /// [`LoadError::Resolve`] when the name has none.
    pub fn resolve(&self) -> Result<Vec<SocketAddr>, LoadError> {
        let error = |source| LoadError::Resolve { host: self.host.clone(), source };
        let addresses: Vec<_> = (self.host.as_str(), self.port).to_socket_addrs().map_err(error)?.collect();
        if addresses.is_empty() {
            return Err(error(io::Error::from(io::ErrorKind::NotFound)));
        }
        Ok(addresses)
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
        match scheme.to_ascii_lowercase().as_str() {
            "http" => {}
            "https" => return Err(UrlError::Https),
            _ => return Err(UrlError::Scheme),
        }
        // A fragment is the client's own business and is never sent.
        let rest = rest.split('#').next().unwrap_or(rest);
        if !rest.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(UrlError::Character);
        }
        let split = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(split);
        if authority.contains('@') {
            return Err(UrlError::UserInfo);
        }
        let (host, port) = split_authority(authority)?;
        let bare = path.is_empty();
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let named = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let authority = if port == HTTP_PORT { named } else { format!("{named}:{port}") };
        Ok(Self { text: text.to_owned(), host: host.to_owned(), port, authority, path, bare })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// `host`, `host:port`, `[v6]` or `[v6]:port`.
fn split_authority(authority: &str) -> Result<(&str, u16), UrlError> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, port) = rest.split_once(']').ok_or(UrlError::Host)?;
        (host, if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or(UrlError::Port)?) })
    } else {
        authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
    };
    if host.is_empty() {
        return Err(UrlError::Host);
    }
    let port = match port {
        None => HTTP_PORT,
        Some(text) => text.parse().ok().filter(|port| *port != 0).ok_or(UrlError::Port)?,
    };
    Ok((host, port))
}

/// An address that did not take a connection, and why.
#[derive(Debug)]
pub struct Refusal {
    /// The address that was tried.
    pub address: SocketAddr,
    /// What came of it.
    pub error: io::Error,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.address, self.error)
    }
}

/// Tries each address once and gives the first that takes a connection.
///
/// `localhost` is often ::1 first, and a server on IPv4 alone refuses there: only trying tells. The connection is closed
/// again at once; wrk, too, probes like that before its clock starts.
///
/// # Errors
/// One [`Refusal`] per address when none takes a connection.
pub fn first_reachable(addresses: &[SocketAddr], timeout: Duration) -> Result<SocketAddr, Vec<Refusal>> {
    let mut refusals = Vec::new();
    for &address in addresses {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(_) => return Ok(address),
            Err(error) => refusals.push(Refusal { address, error }),
        }
    }
    Err(refusals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let cases = [
            ("http://board", "board", 80, "board", "/"),
            ("HTTP://board:8080?q", "board", 8080, "board:8080", "/?q"),
            ("http://[::1]:81/a#frag", "::1", 81, "[::1]:81", "/a"),
            ("http://10.0.0.2:80/x/y?z=1", "10.0.0.2", 80, "10.0.0.2", "/x/y?z=1"),
        ];
        for (text, host, port, authority, path) in cases {
            let url: Url = text.parse().unwrap();
            assert_eq!((url.host.as_str(), url.port), (host, port), "{text}");
            assert_eq!((url.authority(), url.path()), (authority, path), "{text}");
        }
    }

    #[test]
    fn a_path_is_given_to_a_server() {
        for (text, bare) in [("http://[::1]:81", true), ("http://board/", false), ("http://board?q", false)] {
            let url: Url = text.parse().unwrap();
            assert_eq!(url.is_bare(), bare, "{text}");
            let there = url.at("/x?y").unwrap();
            assert_eq!((there.authority(), there.path(), there.is_bare()), (url.authority(), "/x?y", false));
        }
    }

    #[test]
    fn what_cannot_be_loaded_is_refused_by_name() {
        let cases = [
            ("https://board/", UrlError::Https),
            ("board:8080", UrlError::Scheme),
            ("ftp://board/", UrlError::Scheme),
            ("http:///x", UrlError::Host),
            ("http://:80/", UrlError::Host),
            ("http://u:p@board/", UrlError::UserInfo),
            ("http://board:0/", UrlError::Port),
            ("http://board:65536/", UrlError::Port),
            ("http://board/a b", UrlError::Character),
            ("http://board/a\r\nX: y", UrlError::Character),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Url>(), Err(error), "{text}");
        }
    }
}

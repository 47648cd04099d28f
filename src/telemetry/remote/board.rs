//! One question to a board, and everything that may come instead of an answer.

use std::io;
use std::net::ToSocketAddrs;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderValue, StatusCode, Uri};
use ureq::{Agent, Error};

use crate::telemetry::{Link, Sample};

/// The port of `http` when an address names none.
const HTTP_PORT: u16 = 80;

/// A board on the same network answers in milliseconds, a loaded one in some hundred.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// For question and answer together.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Facts and samples are some kilobytes.
const MAX_ANSWER: u64 = 1 << 20;

/// How much of an answer that is none is quoted.
const QUOTE_CHARS: usize = 40;

/// Why a board's telemetry cannot be had; one line that says what was tried and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RemoteError(String);

impl RemoteError {
    pub(super) fn no_thread(error: &io::Error) -> Self {
        Self(format!("can't start a thread for the board's telemetry: {error}"))
    }
}

/// A board that can be asked.
pub(super) struct Board {
    base: String,
    host: (String, u16),
    authorization: Option<HeaderValue>,
    agent: Agent,
}

impl Board {
    /// A base is a scheme, a host and maybe a port and the folder below which the telemetry is.
    pub(super) fn new(base: &str, token: Option<&str>) -> Result<Self, RemoteError> {
        let wrong = |why: &str| {
            // A password that was typed there is not printed.
            let shown = base.rsplit_once('@').map_or(base, |(_, host)| host);
            RemoteError(format!("telemetry at `{shown}`: {why}; give an address such as http://board:9100"))
        };
        let uri: Uri = base.parse().map_err(|_| wrong("this is no address"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(wrong("https is not supported")),
            _ => return Err(wrong("it must begin with http://")),
        }
        if uri.query().is_some() || base.contains('@') {
            return Err(wrong("it may hold no user and no query"));
        }
        let host = uri.host().map(|host| host.trim_matches(['[', ']'])).filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| wrong("it names no host"))?;
        let authorization =
            token.map(|token| HeaderValue::try_from(format!("Bearer {}", token.trim_ascii())));
        let authorization = authorization.transpose().map_err(|_| {
            RemoteError("the telemetry token holds characters that no token has: check its file".to_owned())
        })?;
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(TIMEOUT))
            // A board is asked itself, and what it answers is told: no proxy of the environment, no errors made of answers,
            // no token for wherever a redirect leads.
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("boardctl/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            base: base.trim_end_matches('/').to_owned(),
            host: (host.to_owned(), uri.port_u16().unwrap_or(HTTP_PORT)),
            authorization,
            agent: config.new_agent(),
        })
    }

    /// Whether it is this machine, by any of the addresses of its name.
    pub(super) fn is_here(&self) -> bool {
        let (host, port) = &self.host;
        let addresses = (host.as_str(), *port).to_socket_addrs().into_iter().flatten();
        addresses.filter_map(Link::towards).any(|link| link.loopback)
    }

    /// Facts about the board: any JSON object.
    pub(super) fn facts(&self) -> Result<Value, RemoteError> {
        let url = format!("{}/board", self.base);
        Some(self.get(&url)?).filter(Value::is_object).ok_or_else(|| not_telemetry(&url, "not facts"))
    }

    /// What the board did last.
    pub(super) fn sample(&self) -> Result<Sample, RemoteError> {
        let url = format!("{}/load", self.base);
        let value = self.get(&url)?;
        // Every field may be missing, but this one is in all samples and in little else.
        let is_sample = value.get("interval_s").is_some_and(Value::is_number);
        let sample = is_sample.then(|| serde_json::from_value(value)).and_then(Result::ok);
        sample.ok_or_else(|| not_telemetry(&url, "not a sample"))
    }

    fn get(&self, url: &str) -> Result<Value, RemoteError> {
        let mut request = self.agent.get(url);
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let mut response = request.call().map_err(|error| self.unreachable(&error))?;
        if response.status() != StatusCode::OK {
            return Err(self.refused(url, response.status()));
        }
        let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
        let body = body.map_err(|error| self.unreachable(&error))?;
        serde_json::from_slice(&body).map_err(|_| not_telemetry(url, &quoted(&body)))
    }

    fn refused(&self, url: &str, status: StatusCode) -> RemoteError {
        let advice = match (status.as_u16(), &self.authorization) {
            (401 | 403, None) => "it wants a token: give --telemetry-token FILE",
            (401 | 403, Some(_)) => "it does not take this token: check the file of --telemetry-token",
            (404 | 405, _) => "a board's telemetry has /board and /load there",
            (300..=399, _) => "it sends to another address: give that one",
            (500..=599, _) => "it has trouble of its own: see its log, and try again",
            _ => "is that a board's telemetry?",
        };
        RemoteError(format!("telemetry: {url} answers {status}; {advice}"))
    }

    fn unreachable(&self, error: &Error) -> RemoteError {
        let why = match error {
            Error::Io(error) => error.to_string(),
            Error::Timeout(_) => "no answer in time".to_owned(),
            Error::HostNotFound => "the name has no address".to_owned(),
            other => other.to_string(),
        };
        let base = &self.base;
        RemoteError(format!(
            "telemetry: can't ask {base}: {why}; is something that serves it running there, on that port?"
        ))
    }
}

fn not_telemetry(url: &str, what: &str) -> RemoteError {
    RemoteError(format!(
        "telemetry: what {url} answers is no telemetry of a board ({what}); check the address"
    ))
}

/// The beginning of an answer, on one line.
fn quoted(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let start: String = text.trim_ascii().chars().take(QUOTE_CHARS).collect();
    format!("{start:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_an_address_and_nothing_more() {
        for (base, says) in [
            ("https://board:9100", "https is not supported"),
            ("board:9100", "must begin with http://"),
            ("board", "must begin with http://"),
            ("ftp://board", "must begin with http://"),
            ("http://", "no address"),
            ("http://board:9100/?x", "no query"),
            ("http://me:pw@board", "no user"),
            ("", "no address"),
        ] {
            let error =
                Board::new(base, None).err().unwrap_or_else(|| panic!("{base:?} was taken")).to_string();
            assert!(error.contains(says) && error.contains("http://board:9100"), "{base:?}: {error}");
            assert!(!error.contains("pw"), "{error}");
        }
        for base in ["http://board", "http://board:9100/", "http://[::1]:80", "http://10.0.0.1/kit"] {
            assert!(Board::new(base, Some("secret\n")).is_ok(), "{base}");
        }
        let error = Board::new("http://board", Some("a\nb")).err().expect("a line break is no token");
        assert!(!error.to_string().contains("a\nb"), "a secret is not printed: {error}");
    }
}

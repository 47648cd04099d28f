//! One request on a connection of its own, and all that its answer says: what a run counts but does not keep.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::chunks::Chunks;
use super::error::LoadError;
use super::head::{self, Framing, Head, HeadParser};
use super::request::Request;
use super::response::{MAX_HEAD, ResponseError};
use super::target::{Refusal, Url};

/// One read takes this much.
const READ_BUFFER: usize = 64 * 1024;

/// An answer, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// The address that answered.
    pub address: SocketAddr,
    /// Its status.
    pub status: u16,
    /// Bytes from the status line to the empty line; heads of interim answers (1xx) are not in it.
    pub head_bytes: u64,
    /// Bytes of content, as they are on the wire but without the chunks around them; not decompressed.
    pub body_bytes: u64,
    /// All bytes of the answer on the wire: head, content, chunk sizes and trailers.
    pub wire_bytes: u64,
    /// Header fields in the order they came, names as the server writes them; bytes that are not UTF-8 are replaced.
    pub fields: Vec<(String, String)>,
    /// Whether the server keeps the connection for another request.
    pub keep_alive: bool,
    /// From the start of the connect to its end, for the address that took it.
    pub connect_time: Duration,
    /// From the start of the send to the last byte of the answer.
    pub answer_time: Duration,
}

impl ProbeAnswer {
    /// The value of the first field of this name, in any case; `None` when the answer has none.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Why there is no whole answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The host's name has no address.
    #[error(transparent)]
    Resolve(#[from] LoadError),
    /// No address took the connection. Never empty.
    #[error("can't connect to {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Connect(Vec<Refusal>),
    /// The connection broke while the request was sent.
    #[error("can't send the request: {0}")]
    Send(io::Error),
    /// The connection broke before the answer was whole.
    #[error("can't read the answer: {0}")]
    Read(io::Error),
    /// The server closed before the answer was whole.
    #[error("the server closed the connection before its answer was complete")]
    Closed,
    /// The answer was not whole in time.
    #[error("no complete answer within {}", crate::units::Span(*.0))]
    TimedOut(Duration),
    /// What came is not an answer.
    #[error(transparent)]
    Answer(#[from] ResponseError),
}

/// Sends `request` to `url` once, on a new connection, and reads the whole answer, whatever its status. Blocks until then.
///
/// Each address gets `timeout` to take the connection; request and answer together get `timeout` again.
///
/// # Errors
/// When there is no whole answer: see [`ProbeError`].
pub fn probe(url: &Url, request: &Request, timeout: Duration) -> Result<ProbeAnswer, ProbeError> {
    let (address, stream, connect_time) = connect(&url.resolve()?, timeout)?;
    let mut exchange = Exchange { stream, timeout, begun: Instant::now(), buffer: vec![0; READ_BUFFER] };
    exchange.send(&request.bytes)?;
    let (bytes, head, head_at) = exchange.head(request.is_head)?;
    let content = &bytes[head_at + head.len..];
    let (body_bytes, framed_bytes) = exchange.body(head.framing, content)?;
    Ok(ProbeAnswer {
        address,
        status: head.answer.status,
        head_bytes: head.len as u64,
        body_bytes,
        wire_bytes: head.len as u64 + framed_bytes,
        fields: head::fields(&bytes[head_at..head_at + head.len]),
        keep_alive: head.answer.keep_alive,
        connect_time,
        answer_time: exchange.begun.elapsed(),
    })
}

fn connect(
    addresses: &[SocketAddr],
    timeout: Duration,
) -> Result<(SocketAddr, TcpStream, Duration), ProbeError> {
    let mut refusals = Vec::new();
    for &address in addresses {
        let begun = Instant::now();
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok((address, stream, begun.elapsed())),
            Err(error) => refusals.push(Refusal { address, error }),
        }
    }
    Err(ProbeError::Connect(refusals))
}

/// A request under way.
struct Exchange {
    stream: TcpStream,
    timeout: Duration,
    begun: Instant,
    buffer: Vec<u8>,
}

impl Exchange {
    fn send(&mut self, bytes: &[u8]) -> Result<(), ProbeError> {
        self.stream.set_write_timeout(Some(self.left()?)).map_err(ProbeError::Send)?;
        match self.stream.write_all(bytes) {
            // A server may answer, and close, before it has taken the whole request: the answer tells.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) =>
            {
                Ok(())
            }
            Err(error) if is_timeout(&error) => Err(ProbeError::TimedOut(self.timeout)),
            other => other.map_err(ProbeError::Send),
        }
    }

    /// Time that is left; none is the time-out.
    fn left(&self) -> Result<Duration, ProbeError> {
        let left = self.timeout.saturating_sub(self.begun.elapsed());
        if left.is_zero() { Err(ProbeError::TimedOut(self.timeout)) } else { Ok(left) }
    }

    /// Reads some bytes into the buffer; 0 at the end of the stream.
    fn read(&mut self) -> Result<usize, ProbeError> {
        loop {
            self.stream.set_read_timeout(Some(self.left()?)).map_err(ProbeError::Read)?;
            match self.stream.read(&mut self.buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => return Err(ProbeError::TimedOut(self.timeout)),
                Err(error) => return Err(ProbeError::Read(error)),
            }
        }
    }

    /// The head of the answer that counts, behind interim ones: the bytes read so far, the head, and where it begins.
    fn head(&mut self, is_head: bool) -> Result<(Vec<u8>, Head, usize), ProbeError> {
        let mut parser = HeadParser::new(is_head);
        let mut bytes = Vec::new();
        let mut at = 0;
        loop {
            match parser.parse(&bytes[at..])? {
                Some(head) if head.answer.status < 200 => at += head.len,
                Some(head) => return Ok((bytes, head, at)),
                None if bytes.len() - at >= MAX_HEAD => return Err(ResponseError::HeadTooLong.into()),
                None => {
                    let count = self.read()?;
                    if count == 0 {
                        return Err(ProbeError::Closed);
                    }
                    bytes.extend_from_slice(&self.buffer[..count]);
                }
            }
        }
    }

    /// Reads to the end of the body, whose first bytes are `begun`: bytes of content, and all of them.
    fn body(&mut self, framing: Framing, begun: &[u8]) -> Result<(u64, u64), ProbeError> {
        let (length, mut chunks) = match framing {
            Framing::Empty => return Ok((0, 0)),
            Framing::Length(length) => (Some(length), None),
            Framing::Chunked => (None, Some(Chunks::new())),
            Framing::UntilClose => (None, None),
        };
        let mut total = 0;
        let mut piece = begun.to_vec();
        loop {
            if let Some(chunks) = &mut chunks {
                let (used, done) = chunks.feed(&piece)?;
                total += used as u64;
                if done {
                    return Ok((chunks.data(), total));
                }
            } else {
                total += piece.len() as u64;
            }
            if let Some(length) = length.filter(|length| total >= *length) {
                return Ok((length, length));
            }
            let count = self.read()?;
            if count == 0 {
                let until_close = length.is_none() && chunks.is_none();
                return if until_close { Ok((total, total)) } else { Err(ProbeError::Closed) };
            }
            piece.clear();
            piece.extend_from_slice(&self.buffer[..count]);
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;

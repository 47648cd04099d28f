//! A client that sees every byte, and takes nothing for an answer that is not one.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use boardkit::http::{BodyReader, Framing};
use socket2::{Domain, SockRef, Socket, Type};

/// Longer than any answer takes on the slowest machine; only a hang comes here.
pub(crate) const HANG: Duration = Duration::from_secs(30);

/// A request for the greeting.
pub(crate) const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// An answer, checked for what every answer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers, without the empty line.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header; it must not be there twice.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let mut values = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        let value = values.next();
        assert!(values.next().is_none(), "{name} twice: {}", self.head);
        value
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    /// Takes the answer at the start of `bytes` and how long it is; `None` when it is not whole.
    pub(crate) fn parse(bytes: &[u8], head_only: bool) -> Option<(Self, usize)> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).expect("a head is ASCII").to_owned();
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status line: {head}"));
        assert!(head.lines().skip(1).all(|line| line.contains(": ")), "no header: {head}");
        let mut answer = Self { status, head, body: Vec::new() };
        assert_eq!(answer.header("Server"), Some("boardd"));
        httpdate::parse_http_date(answer.header("Date").expect("a Date")).expect("a valid Date");
        let length = answer.header("Content-Length").map(|length| length.parse().expect("a number"));
        assert_eq!(length.is_none(), matches!(status, 204 | 304), "{}", answer.head);
        let (from, length) = (end + 4, if head_only { 0 } else { length.unwrap_or(0) });
        answer.body = bytes.get(from..from + length)?.to_vec();
        Some((answer, from + length))
    }

    /// All answers of a connection that has ended; nothing may be left over.
    pub(crate) fn parse_all(mut bytes: &[u8]) -> Vec<Self> {
        let mut answers = Vec::new();
        while !bytes.is_empty() {
            let whole = Self::parse(bytes, false);
            let (answer, length) = whole.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(bytes)));
            answers.push(answer);
            bytes = &bytes[length..];
        }
        answers
    }
}

/// One connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).expect("boardd takes connections"))
    }

    /// With a receive buffer of about so many bytes: the server's sends fill it at once.
    pub(crate) fn connect_narrow(address: SocketAddr, receive_bytes: usize) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.set_recv_buffer_size(receive_bytes).expect("a fresh socket takes options");
        socket.connect(&address.into()).expect("boardd takes connections");
        Self::of(socket.into())
    }

    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_nodelay(true).expect("a fresh socket takes options");
        stream.set_read_timeout(Some(HANG)).expect("a fresh socket takes options");
        stream.set_write_timeout(Some(HANG)).expect("a fresh socket takes options");
        Self { stream, unread: Vec::new() }
    }

    /// Our end's port: how the server's tables call this connection.
    pub(crate) fn port(&self) -> u16 {
        self.stream.local_addr().expect("connected").port()
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the server reads");
    }

    /// Says that nothing more will be sent.
    pub(crate) fn finish(&self) {
        self.stream.shutdown(Shutdown::Write).expect("connected");
    }

    /// Drops the connection so that the server gets a reset.
    pub(crate) fn reset(self) {
        SockRef::from(&self.stream).set_linger(Some(Duration::ZERO)).expect("a socket takes options");
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.next(false)
    }

    /// The next answer, to a HEAD request.
    pub(crate) fn answer_to_head(&mut self) -> Answer {
        self.next(true)
    }

    fn next(&mut self, head_only: bool) -> Answer {
        loop {
            if let Some((answer, length)) = Answer::parse(&self.unread, head_only) {
                self.unread.drain(..length);
                return answer;
            }
            self.read_more();
        }
    }

    /// The next answer, whose body must be chunked.
    pub(crate) fn answer_in_chunks(&mut self) -> Answer {
        let head = self.bytes_until("\r\n\r\n").trim_end().to_owned();
        let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
        let mut answer = Answer { status, head, body: Vec::new() };
        assert_eq!(answer.header("Transfer-Encoding"), Some("chunked"));
        let mut reader = BodyReader::new(Framing::Chunked).expect("a body");
        loop {
            let progress = reader.read(&self.unread).expect("well-formed chunks");
            let (begin, end) = progress.content;
            answer.body.extend_from_slice(&self.unread[begin..end]);
            self.unread.drain(..progress.consumed);
            if progress.done {
                return answer;
            }
            if self.unread.is_empty() {
                self.read_more();
            }
        }
    }

    fn read_more(&mut self) {
        let mut piece = vec![0; 64 * 1024];
        match self.stream.read(&mut piece).expect("an answer within the time") {
            0 => panic!("closed after {:?}", String::from_utf8_lossy(&self.unread)),
            count => self.unread.extend_from_slice(&piece[..count]),
        }
    }

    /// Everything that comes up to and with this text.
    pub(crate) fn bytes_until(&mut self, text: &str) -> String {
        loop {
            let found = self.unread.windows(text.len()).position(|bytes| bytes == text.as_bytes());
            if let Some(at) = found {
                let bytes = self.unread.drain(..at + text.len()).collect();
                return String::from_utf8(bytes).expect("text");
            }
            self.read_more();
        }
    }

    /// Fails the test unless these are the next bytes.
    pub(crate) fn expect_bytes(&mut self, expected: &[u8]) {
        while self.unread.len() < expected.len() {
            self.read_more();
        }
        let bytes: Vec<u8> = self.unread.drain(..expected.len()).collect();
        assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(expected));
    }

    /// Asks for the greeting and fails the test unless it comes.
    pub(crate) fn expect_greeting(&mut self) {
        self.send(GET);
        let answer = self.answer();
        assert_eq!((answer.status, answer.text()), (200, "Hello, World!"));
    }

    /// What comes until the server ends the connection, which must not be by a reset.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.unread);
        self.stream.read_to_end(&mut rest).expect("a clean end within the time");
        rest
    }

    /// Fails the test unless the server has closed, cleanly, and said nothing more.
    pub(crate) fn expect_end(&mut self) {
        let rest = self.rest();
        assert_eq!(rest.len(), 0, "after the last answer: {:?}", String::from_utf8_lossy(&rest));
    }

    /// Waits until the server has dropped the connection in whatever way.
    pub(crate) fn expect_gone(mut self) {
        match self.stream.read_to_end(&mut self.unread) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}

/// Sends all of `bytes`, and nothing more, and returns all that comes back until the clean end.
pub(crate) fn exchange(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut client = Client::connect(address);
    client.send(bytes);
    client.finish();
    client.rest()
}

/// The bytes of `/bytes/N`.
pub(crate) fn filler(length: usize) -> Vec<u8> {
    let line = b"0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n";
    line.iter().copied().cycle().take(length).collect()
}

/// Raises our own soft limit of descriptors to the hard one, which it returns.
pub(crate) fn raise_descriptor_limit() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })
        .expect("up to the hard limit is allowed");
    most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
}

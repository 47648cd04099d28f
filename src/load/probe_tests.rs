//! Tests of the probe: every framing, and every way not to answer.

use std::net::{Shutdown, TcpListener};
use std::thread;

use super::super::request::RequestParts;
use super::*;

/// Longer than any answer takes on the slowest machine.
const PATIENT: Duration = Duration::from_secs(30);

/// What a server does that sends `answer` in `pieces` pieces and then closes, or else keeps the connection.
fn ask(method: &str, answer: &str, closes: bool, timeout: Duration) -> Result<ProbeAnswer, ProbeError> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url: Url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let answer = answer.to_owned();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 1024];
        assert!(stream.read(&mut head).unwrap() > 0);
        // Cut in two: nothing may depend on how it arrives.
        let (one, two) = answer.as_bytes().split_at(answer.len() / 2);
        for piece in [one, two] {
            stream.write_all(piece).unwrap();
        }
        if closes {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        // Until the client has what it wants.
        let _ = stream.read(&mut head);
    });
    let parts = RequestParts { method: method.to_owned(), keep_alive: true, ..RequestParts::default() };
    let answered = probe(&url, &parts.render(&url).unwrap(), timeout);
    server.join().unwrap();
    answered
}

#[test]
fn content_is_told_from_what_is_around_it() {
    let until_close = "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    let interim =
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nok";
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\nX-Sum: 1\r\n\r\n";
    // Method, answer, status, head, content, all.
    let cases = [
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, (200, 38, 5, 43)),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n", false, (204, 27, 0, 27)),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", false, (200, 38, 0, 38)),
        ("GET", until_close, true, (200, 19, 13, 32)),
        ("GET", interim, false, (404, 38, 2, 40)),
        ("GET", chunked, false, (200, 47, 3, 47 + 28)),
    ];
    for (method, text, closes, sizes) in cases {
        let answer = ask(method, text, closes, PATIENT).unwrap();
        let found = (answer.status, answer.head_bytes, answer.body_bytes, answer.wire_bytes);
        assert_eq!(found, sizes, "{text}");
        assert_eq!(answer.keep_alive, !closes, "{text}");
    }
}

#[test]
fn fields_are_there_as_the_server_wrote_them() {
    let answer = ask(
        "GET",
        "HTTP/1.1 200 OK\r\nSERVER: a b\r\nX: 1\r\nX: 2\r\nContent-Length: 0\r\n\r\n",
        false,
        PATIENT,
    );
    let answer = answer.unwrap();
    assert_eq!(
        (answer.field("Server"), answer.field("x"), answer.field("y")),
        (Some("a b"), Some("1"), None)
    );
    assert_eq!(answer.fields[0], ("SERVER".to_owned(), "a b".to_owned()));
    assert_eq!(answer.fields.len(), 4);
}

#[test]
fn no_whole_answer_is_an_error_that_says_why() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell";
    assert!(matches!(ask("GET", cut, true, PATIENT), Err(ProbeError::Closed)));
    assert!(matches!(ask("GET", "HTTP/1.1 200 OK\r\n", true, PATIENT), Err(ProbeError::Closed)));
    let late = ask("GET", cut, false, Duration::from_millis(50)).unwrap_err();
    assert_eq!(late.to_string(), "no complete answer within 50ms");
    assert!(matches!(ask("GET", "SSH-2.0-OpenSSH\r\n\r\n", false, PATIENT), Err(ProbeError::Answer(_))));
    let long = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(MAX_HEAD));
    let long = ask("GET", &long, false, PATIENT);
    assert!(matches!(long, Err(ProbeError::Answer(ResponseError::HeadTooLong))), "{long:?}");
}

#[test]
fn a_dead_port_is_named() {
    // Bound and not listening: nobody else gets the port meanwhile.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let url: Url = format!("http://{address}/").parse().unwrap();
    let error = probe(&url, &RequestParts::default().render(&url).unwrap(), PATIENT).unwrap_err();
    assert!(error.to_string().starts_with(&format!("can't connect to {address}: ")), "{error}");
}

//! Requests without bodies, and what connections do between them.

use std::io::Read;
use std::process::Stdio;

use super::super::{Row, Servers, hold, spawn, text, url};
use super::{COUNTS, Ran, command, curl};
use crate::support::client::filler;

pub(super) const ROWS: &[Row] = &[
    ("kept", kept),
    ("kept/port", |servers| {
        let url = servers.library("/port");
        let ports = curl(&["-w", "\n", &url, &url, &url]);
        let ports: Vec<_> = ports.text().lines().collect();
        assert_eq!(ports, [ports[0]; 3]);
    }),
    ("head", head),
    ("errors", errors),
    ("errors/400", |servers| {
        let ran = curl(&["-i", "-w", COUNTS, "-H", "Host: a b", &servers.boardd("/")]);
        expect_last(&ran, "400 Bad Request");
    }),
    ("query", query),
    ("bytes", |servers| {
        for length in [0, 1, 4096, 65_537, 1_000_000] {
            let ran = curl(&[&servers.boardd(&format!("/bytes/{length}"))]);
            assert!(ran.bytes() == filler(length), "{length} bytes");
        }
    }),
    ("json", |servers| {
        let ran = curl(&["-w", "%{content_type}", &servers.boardd("/json")]);
        assert_eq!(ran.text(), "{\"message\":\"Hello, World!\"}application/json");
    }),
    ("large-head/one", |servers| {
        for length in [17_000, 70_000] {
            let header = format!("X: {}", "y".repeat(length));
            let ran = curl(&["-i", "-w", COUNTS, "-H", &header, &servers.boardd("/")]);
            expect_last(&ran, "431 Request Header Fields Too Large");
        }
    }),
    ("large-head/many", |servers| {
        let url = servers.boardd("/");
        let mut arguments = vec!["-i", "-w", COUNTS, &url];
        arguments.extend(["-H", "X: y"].repeat(200));
        expect_last(&curl(&arguments), "431 Request Header Fields Too Large");
    }),
    ("long-target", |servers| {
        for length in [8192, 70_000] {
            let url = servers.boardd(&format!("/{}", "a".repeat(length)));
            expect_last(&curl(&["-i", "-w", COUNTS, &url]), "414 URI Too Long");
        }
    }),
    ("close", |servers| {
        let url = servers.boardd("/");
        let ran = curl(&["-i", "-w", COUNTS, "-H", "Connection: close", &url, &url]);
        assert_eq!(ran.text().matches("\r\nConnection: close\r\n").count(), 2, "{ran:?}");
        assert_eq!(ran.text().matches("Hello, World!|200 1\n").count(), 2, "{ran:?}");
    }),
    ("http-1.0", |servers| {
        let (url, letters) = (servers.boardd("/bytes/5"), servers.library("/letters/4"));
        let ran = curl(&["-0", "-i", "-w", COUNTS, &url, &url, &letters]);
        assert_eq!(ran.text().matches("\r\nConnection: close\r\n").count(), 3, "{ran:?}");
        assert_eq!(ran.text().matches("01234|200 1\n").count(), 2, "{ran:?}");
        let letters = "b".repeat(1000) + &"c".repeat(2000) + &"d".repeat(3000);
        assert!(ran.text().ends_with(&format!("\r\n\r\n{letters}|200 1\n")), "{ran:?}");
        assert!(!ran.text().contains("chunked"), "{ran:?}");
    }),
    ("http-1.0-kept", |servers| {
        let url = servers.boardd("/bytes/5");
        let ran = curl(&["-0", "-w", COUNTS, "-H", "Connection: keep-alive", &url, &url, &url]);
        assert_eq!(ran.text(), "01234|200 1\n01234|200 0\n01234|200 0\n");
    }),
    ("parallel", parallel),
    ("drain", drain),
];

/// Fails the test unless this was the status, in an answer that says it is the last on its connection.
fn expect_last(ran: &Ran, status: &str) {
    let text = ran.text();
    assert!(text.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{text}");
    assert!(
        text.contains("\r\nConnection: close\r\n") && text.contains(&format!("\r\n\r\n{status}")),
        "{text}"
    );
    assert!(text.ends_with(&format!("|{} 1\n", &status[..3])), "{text}");
}

fn kept(servers: &Servers) {
    let url = |path| servers.boardd(path);
    let (plain, echo, hello) = (url("/plaintext"), url("/echo"), url("/bytes/5"));
    let next = ["--next", "-sS", "-w", COUNTS];
    let mut arguments = vec!["-w", COUNTS, &plain, &plain];
    arguments.extend(next);
    arguments.extend(["--data-binary", "sent back", &echo]);
    arguments.extend(next);
    arguments.extend([&*hello, &plain]);
    let expected =
        "Hello, World!|200 1\nHello, World!|200 0\nsent back|200 0\n01234|200 0\nHello, World!|200 0\n";
    assert_eq!(curl(&arguments).text(), expected);
}

fn head(servers: &Servers) {
    let url = |path| servers.boardd(path);
    let (json, bytes, nothing) = (url("/json"), url("/bytes/1000000"), url("/nothing"));
    let ran = curl(&["-I", "-w", COUNTS, &json, &bytes, &nothing, &json]);
    let ends =
        ["Content-Length: 27\r\n\r\n|200 1", "Content-Length: 1000000\r\n\r\n|200 0", "\r\n\r\n|404 0"];
    let heads: Vec<_> = ran.text().split_inclusive(" 0\n").collect();
    assert!(heads.concat().contains(ends[0]) && heads.len() == 3, "{heads:?}");
    assert!(ran.text().contains(ends[1]) && ran.text().contains(ends[2]), "{heads:?}");
    let ran = curl(&["-I", "-w", COUNTS, &servers.library("/letters/20"), &servers.library("/page.html")]);
    assert!(ran.text().contains("Transfer-Encoding: chunked\r\n\r\n|200 1\n"), "{ran:?}");
    assert!(ran.text().ends_with("\r\n\r\n|200 0\n"), "{ran:?}");
}

fn errors(servers: &Servers) {
    let url = |path| servers.boardd(path);
    let (nothing, many, json) = (url("/nothing"), url("/bytes/many"), url("/json"));
    let mut arguments = vec!["-w", COUNTS, &nothing, &many];
    for method in ["DELETE", "BREW", "OPTIONS"] {
        arguments.extend(["--next", "-sS", "-D", "-", "-o", "/dev/null", "-w", COUNTS, "-X", method, &json]);
    }
    let ran = curl(&arguments);
    let statuses: Vec<_> = ran.text().lines().filter_map(|line| Some(line.split_once('|')?.1)).collect();
    assert_eq!(statuses, ["404 1", "400 0", "405 0", "501 0", "204 0"], "{ran:?}");
    assert!(ran.text().contains("/bytes/N: N is a number"), "{ran:?}");
    assert_eq!(ran.text().matches("\r\nAllow: GET, HEAD, OPTIONS\r\n").count(), 2, "{ran:?}");
}

fn query(servers: &Servers) {
    let url = servers.boardd("/hello?x=%2541&broken=%zz&=v");
    // The client does the escapes itself.
    let ran = curl(&["-G", "--data-urlencode", "name=<b>Jürgen + Co & \"x\"</b>", &url]);
    for row in [
        "<h1>GET /hello</h1>",
        "<dt>name<dd>&lt;b&gt;Jürgen + Co &amp; &quot;x&quot;&lt;/b&gt;\n",
        "<dt>x<dd>%41\n",
        "<dt>broken<dd>%zz\n",
        "<dt><dd>v\n",
    ] {
        assert!(ran.text().contains(row), "{row} is not in {ran:?}");
    }
}

fn parallel(servers: &Servers) {
    let mut arguments = vec!["-Z", "--parallel-immediate", "--parallel-max", "20", "-w", "|%{http_code}\n"];
    let (slow, work) = (servers.boardd("/slow?ms=30"), servers.boardd("/work?us=1000"));
    arguments.extend([&*slow, &work].repeat(10));
    // Its complaints are a table of the progress here, and the bodies come in between the lines.
    let ran = curl(&arguments);
    let counts = ["done\n", "|200\n"].map(|line| text(&ran.stdout).matches(line).count());
    assert_eq!((ran.code, counts, ran.stdout.len()), (0, [20, 20], 200));
}

/// The request that the stop finds on its way is answered, and told that it is the last; the next one meets nobody.
fn drain(servers: &Servers) {
    let server = &servers.draining;
    let mut held = hold(server);
    let [greeting, slow, json] =
        ["/plaintext", "/slow?ms=200", "/json"].map(|path| url(server.address, path));
    let mut command = command(&["-N", "-w", "|%header{connection}\n", &greeting, &slow, &json]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(&mut command, "curl");
    let mut stdout = child.stdout.take().expect("piped");
    let mut said = vec![0; "Hello, World!".len()];
    stdout.read_exact(&mut said).expect("an answer");
    server.terminate();
    stdout.read_to_end(&mut said).expect("it ends");
    let output = child.wait_with_output().expect("our child");
    assert_eq!(text(&said), "Hello, World!|\ndone\n|close\n|\n");
    assert_eq!(held.answer().header("Connection"), Some("close"));
    assert_eq!(output.status.code(), Some(7), "7 is refused, but: {}", text(&output.stderr));
}

//! Requests with bodies, and answers that are made while they are sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{Row, spawn, text};
use super::{COUNTS, command, curl, curl_with};
use crate::support::boardd::until;
use crate::support::client::filler;

pub(super) const ROWS: &[Row] = &[
    ("echo-length", |servers| {
        for length in [0, 5, 1_000_000] {
            let body = filler(length);
            let ran = curl_with(&["-H", "Expect:", "--data-binary", "@-", &servers.boardd("/echo")], &body);
            assert!(ran.bytes() == body, "{length} bytes");
        }
    }),
    ("echo-chunked", |servers| {
        for length in [0, 5, 1_000_000] {
            let body = filler(length);
            let chunked = ["-H", "Expect:", "-X", "POST", "-T", "-"];
            let url = servers.boardd("/echo");
            let ran = curl_with(&[&chunked[..], &["-w", COUNTS, &url]].concat(), &body);
            assert!(ran.bytes() == [&body[..], b"|200 1\n"].concat(), "{length} bytes");
        }
    }),
    ("echo-slow", |servers| {
        let mut upload = Upload::begin(&servers.boardd("/echo"));
        for piece in ["one", "and two", "and three"] {
            upload.send(piece);
            upload.expect(piece);
        }
        drop(upload.stdin.take());
        assert!(upload.child.wait().expect("our child").success());
    }),
    // Above a megabyte curl asks by itself.
    ("continue", |servers| expect_continue(&servers.library("/length"), b"2000000")),
    ("continue/echo", |servers| expect_continue(&servers.boardd("/echo"), &filler(2_000_000))),
    ("continue/refused", |servers| {
        let url = servers.boardd("/echo");
        let refused = ["-w", "|%{http_code} %{size_upload}", "--data-binary", "@-", &url];
        let ran = curl_with(&refused, &vec![b'x'; 32_000_000]);
        assert!(ran.text().ends_with("|413 0"), "nothing was uploaded: {ran:?}");
    }),
    ("large-body", |servers| {
        // Slow enough to be in the middle of it when the answer comes.
        let upload = ["-i", "--limit-rate", "5M", "-H", "Expect:", "--data-binary", "@-"];
        let ran = curl_with(&[&upload[..], &[&servers.boardd("/echo")]].concat(), &vec![b'x'; 32_000_000]);
        assert!(ran.text().starts_with("HTTP/1.1 413 Content Too Large\r\n"), "{ran:?}");
        assert!(ran.text().contains("\r\nConnection: close\r\n"), "{ran:?}");
        assert!(
            ran.text().ends_with("413 Content Too Large: the body is longer than 16777216 bytes\n"),
            "{ran:?}"
        );
    }),
    // What turns out to be too long only when much of it has been sent back: the answer must not look whole.
    ("large-body/chunked", |servers| {
        let url = servers.boardd("/echo");
        let chunked = ["-H", "Expect:", "-X", "POST", "-T", "-", "-o", "/dev/null"];
        let ran = curl_with(&[&chunked[..], &[&url]].concat(), &vec![b'x'; 32_000_000]);
        assert!(ran.code != 0, "{ran:?}");
    }),
    ("large-body/unwanted", |servers| {
        for (length, connects) in [(5, 0), (60_000, 0), (1_000_000, 1)] {
            let url = servers.boardd("/json");
            let first = ["-w", COUNTS, "-H", "Expect:", "--data-binary", "@-", &url];
            let ran = curl_with(
                &[&first[..], &["--next", "-sS", "-w", COUNTS, &url]].concat(),
                &vec![b'x'; length],
            );
            assert!(ran.text().starts_with("405 Method Not Allowed\n|405 1\n"), "{length} bytes: {ran:?}");
            assert!(ran.text().ends_with(&format!("}}|200 {connects}\n")), "{length} bytes: {ran:?}");
        }
    }),
    ("events", |servers| {
        let mut command = command(&["-N", &servers.library("/events")]);
        command.stdout(Stdio::piped());
        let mut child = spawn(&mut command, "curl");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        for word in ["one", "two", "three"] {
            curl(&["-X", "POST", &servers.library(&format!("/publish/{word}"))]).text();
            let mut lines = [String::new(), String::new()];
            for line in &mut lines {
                stdout.read_line(line).expect("an event");
            }
            assert_eq!(lines, [format!("data: {word}\n"), "\n".into()]);
        }
        curl(&["-X", "POST", &servers.library("/publish/end")]).text();
        assert_eq!(stdout.read_line(&mut String::new()).expect("the end"), 0);
        assert!(child.wait().expect("our child").success());
    }),
    ("chunked", |servers| {
        let ran = curl(&["-w", "%header{transfer-encoding}", &servers.library("/letters/20")]);
        let letters = (0..20).flat_map(|at| vec![b'a' + at; usize::from(at) * 1000]);
        assert!(ran.bytes() == letters.chain(*b"chunked").collect::<Vec<_>>());
    }),
    ("stalled", |servers| {
        let mut upload = Upload::begin(&servers.hasty_library("/watched"));
        upload.send("half");
        // The handler has it, and waits for more.
        assert_eq!(curl(&[&servers.hasty_library("/received")]).text(), "4");
        upload.send("more");
        let ended = ends(&mut upload.child);
        let mut said = String::new();
        upload.stdout.read_to_string(&mut said).expect("text");
        assert!(ended.success() && said.starts_with("408 Request Timeout"), "{ended}: {said}");
    }),
    // The answer has begun: it breaks off, and curl says that there should have been more.
    ("stalled/echo", |servers| {
        let mut upload = Upload::begin(&servers.hasty("/echo"));
        upload.send("half");
        upload.expect("half");
        until("boardd gives up", || servers.hasty.deal().iter().all(Vec::is_empty));
        // curl would not see that before it has more to send.
        drop(upload.stdin.take());
        assert_eq!(upload.child.wait().expect("our child").code(), Some(18));
    }),
];

/// A chunked upload of what is written to curl, which shows what comes back meanwhile.
struct Upload {
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    child: Child,
}

impl Upload {
    fn begin(url: &str) -> Self {
        // A dot: standard input, without waiting for it.
        let mut command = command(&["-N", "-X", "POST", "-H", "Expect:", "-T", ".", url]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(&mut command, "curl");
        Self { stdin: child.stdin.take(), stdout: child.stdout.take().expect("piped"), child }
    }

    fn send(&mut self, piece: &str) {
        self.stdin.as_mut().expect("not at its end").write_all(piece.as_bytes()).expect("curl reads");
    }

    /// Fails the test unless this comes back.
    fn expect(&mut self, piece: &str) {
        let mut back = vec![0; piece.len()];
        self.stdout.read_exact(&mut back).expect("it comes back at once");
        assert_eq!(text(&back), piece);
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a client ended that was told so by a hasty server: many times its deadline is waited for.
fn ends(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        if let Some(status) = child.try_wait().expect("our child") {
            return status;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("it was not told");
}

/// Uploads two million bytes, which curl begins with a question, and expects this body back.
fn expect_continue(url: &str, expected: &[u8]) {
    let ran = curl_with(&["-v", "--data-binary", "@-", url], &filler(2_000_000));
    assert!(ran.stderr.contains("\n> Expect: 100-continue"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n< HTTP/1.1 100 Continue"), "{}", ran.stderr);
    assert!(ran.code == 0 && ran.stdout == expected, "{}", ran.stderr);
}

//! A server built from the library as a user would: files, streams and handlers that boardd does not have.

use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use boardkit::server::{Config, Deadlines, Failure, Files, Handle, Response, Routes, Server};
use smol::channel::{Receiver, Sender, unbounded};
use smol::stream::StreamExt;

use crate::scratch::Scratch;

/// The page, for conditions.
pub(super) const PAGE: &str = "<!DOCTYPE html>\n<title>A page</title>\n";

/// What lies there uncompressed: longer than each of the others, as else they would not be worth their work.
const PLAIN: &str = "plain, without any compression and so the longest of all four\n";

/// `coded.txt` and what lies compressed beside it, each with a text of its own that says which it is.
const CODED: [(&str, &[u8]); 4] = [
    ("coded.txt", PLAIN.as_bytes()),
    ("coded.txt.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x08\0\xf7\xffby gzip\n\x83c\xcc.\x08\0\0\0"),
    // One block that is stored as it is, and the last, which is empty.
    ("coded.txt.br", b"\x90\0\x10by brotli\n\x03"),
    // A frame of known length with one block that is stored as it is.
    ("coded.txt.zst", b"\x28\xb5\x2f\xfd\x20\x08\x41\0\0by zstd\n"),
];

/// A running server and its folder.
pub(super) struct Library {
    folder: Scratch,
    handle: Option<Handle>,
}

/// The ten megabytes of `large.bin`: no two places of it are alike.
pub(super) fn large() -> Vec<u8> {
    (0..10_000).map(|number| format!("{number:999}\n")).collect::<String>().into_bytes()
}

fn routes(files: Files) -> Routes {
    let (publish, published): (Sender<String>, Receiver<String>) = unbounded();
    let (took, taken): (Sender<usize>, Receiver<usize>) = unbounded();
    Routes::new()
        // The client's port: two answers that are the same came over one connection.
        .get("/port", |request, reply| reply.text(&request.peer().port().to_string()))
        // Reads the whole body before it answers anything.
        .post_async("/length", |mut request| async move {
            let body = request.body.bytes(4_000_000).await?;
            Ok::<_, Failure>(Response::text(body.len().to_string()))
        })
        // The same, and `/received` waits for the length of its next piece.
        .post_async("/watched", move |mut request| {
            let took = took.clone();
            async move {
                while let Some(piece) = request.body.piece().await? {
                    let _ = took.send(piece.len()).await;
                }
                Ok::<_, Failure>(Response::empty())
            }
        })
        .get_async("/received", move |_| {
            let taken = taken.clone();
            async move { Response::text(taken.recv().await.unwrap_or_default().to_string()) }
        })
        .get_async("/letters/{count}", |request| async move {
            let count: u8 = request.param("count").and_then(|count| count.parse().ok()).unwrap_or(0);
            let pieces = smol::stream::iter((0..count).map(|at| Ok(vec![b'a' + at; usize::from(at) * 1000])));
            Response::stream("text/plain", pieces)
        })
        // An event for each word that is published, up to the word `end`.
        .get_async("/events", move |_| {
            let words = published.clone();
            async move { Response::events(words.take_while(|word| word != "end")) }
        })
        .post_async("/publish/{word}", move |request| {
            let publish = publish.clone();
            async move {
                let sent = publish.send(request.param("word").unwrap_or_default().to_owned()).await;
                Response::text(if sent.is_ok() { "published" } else { "lost" })
            }
        })
        .files(files)
}

impl Library {
    pub(super) fn start() -> Self {
        Self::with_deadlines(Deadlines::default())
    }

    /// Soon tired of an upload that does not go on.
    pub(super) fn hasty() -> Self {
        Self::with_deadlines(Deadlines { head: Some(Duration::from_millis(500)), ..Deadlines::default() })
    }

    fn with_deadlines(deadlines: Deadlines) -> Self {
        let folder = Scratch::new();
        folder.write("page.html", PAGE.as_bytes());
        folder.write("large.bin", &large());
        for (name, content) in CODED {
            folder.write(name, content);
        }
        let files = Files::new(&folder.0).expect("it is there");
        let config = Config { deadlines, ..Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN) };
        let handle = Server::bind(config, routes(files)).expect("loopback").start().expect("threads");
        Self { folder, handle: Some(handle) }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.handle.as_ref().expect("it runs").address()
    }

    /// A file of the served folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    /// What `coded.txt` holds when it came in this coding.
    pub(super) fn coded(coding: Option<&str>) -> String {
        match coding {
            None => PLAIN.to_owned(),
            Some("br") => "by brotli\n".to_owned(),
            Some(coding) => format!("by {coding}\n"),
        }
    }

    /// When the page was last changed, as its Last-Modified has it.
    pub(super) fn page_date(&self) -> String {
        let metadata = fs::metadata(self.file("page.html")).expect("it is there");
        httpdate::fmt_http_date(metadata.modified().expect("a time"))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.stop();
            handle.join().expect("no worker failed");
        }
    }
}

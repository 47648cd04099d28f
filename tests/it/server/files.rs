//! Files below a folder, over real sockets and a real disk.

use std::fs::{self, File};
use std::io::Write;
use std::num::NonZeroUsize;
use std::os::unix::fs::symlink;
use std::path::Path;

use boardkit::server::{Config, Files, Handle, Routes, Server};
use rustix::fs::{Advice, fadvise};

use crate::scratch::Scratch;
use crate::support::boardd::until;
use crate::support::client::{Answer, Client, HANG};

/// A folder and a server for it.
struct Site {
    folder: Scratch,
    handle: Option<Handle>,
}

impl Site {
    fn new() -> Self {
        let folder = Scratch::new();
        let root = folder.0.join("site");
        fs::create_dir_all(root.join("sub")).expect("a fresh folder");
        fs::create_dir_all(folder.0.join("site-old")).expect("a fresh folder");
        fs::write(folder.0.join("secret.txt"), "secret").expect("room");
        fs::write(folder.0.join("site-old/secret.txt"), "secret").expect("room");
        fs::write(root.join("index.html"), "<p>index</p>").expect("room");
        fs::write(root.join("sub/index.html"), "<p>sub</p>").expect("room");
        fs::write(root.join("50%.png"), "png").expect("room");
        fs::write(root.join("a b.txt"), "space").expect("room");
        let files = Files::new(&root).expect("it is there");
        let routes = Routes::new().get("/hello", |_, reply| reply.text("Hello, World!")).files(files);
        let config = Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN);
        let handle = Server::bind(config, routes).expect("loopback").start().expect("threads");
        Self { folder, handle: Some(handle) }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.0.join("site")
    }

    fn connect(&self) -> Client {
        Client::connect(self.handle.as_ref().expect("it runs").address())
    }

    fn get(&self, path: &str) -> Answer {
        ask(&mut self.connect(), path, "")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.stop();
            handle.join().expect("no worker failed");
        }
    }
}

fn ask(client: &mut Client, path: &str, headers: &str) -> Answer {
    client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n"));
    client.answer()
}

#[test]
fn files_folders_and_types() {
    let site = Site::new();
    let rows = [
        ("/", 200, "text/html; charset=utf-8", "<p>index</p>"),
        ("/index.html", 200, "text/html; charset=utf-8", "<p>index</p>"),
        ("/sub/", 200, "text/html; charset=utf-8", "<p>sub</p>"),
        ("/sub", 301, "text/plain; charset=utf-8", "301 Moved Permanently\n"),
        ("/50%25.png", 200, "image/png", "png"),
        ("/a%20b.txt", 200, "text/plain; charset=utf-8", "space"),
        ("/hello", 200, "text/plain; charset=utf-8", "Hello, World!"),
        ("/nothing", 404, "text/plain; charset=utf-8", "404 Not Found\n"),
        ("/index.html/", 404, "text/plain; charset=utf-8", "404 Not Found\n"),
        ("/index.html/x", 404, "text/plain; charset=utf-8", "404 Not Found\n"),
    ];
    // Twice on one connection: from the disk, then from memory.
    let mut client = site.connect();
    for (path, status, media_type, body) in rows.iter().chain(&rows) {
        let answer = ask(&mut client, path, "");
        assert_eq!((answer.status, answer.header("Content-Type")), (*status, Some(*media_type)), "{path}");
        assert_eq!(answer.text(), *body, "{path}");
    }
    assert_eq!(site.get("/sub?x=1").header("Location"), Some("/sub/?x=1"));
    assert_eq!(site.get("//sub").header("Location"), Some("/sub/"), "never another host");
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let site = Site::new();
    let root = site.root();
    let link = |to: &Path, name: &str| symlink(to, root.join(name)).expect("a link");
    link(&site.folder.0.join("secret.txt"), "out.txt");
    link(Path::new("../secret.txt"), "relative.txt");
    link(&site.folder.0.join("site-old"), "old");
    link(&root.join("index.html"), "in.html");
    link(Path::new("loop"), "loop");
    let paths = [
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%252e%252e/secret.txt",
        "/../secret.txt",
        "/sub/../../secret.txt",
        "/..\\secret.txt",
        "/..%5csecret.txt",
        "/a%00.txt",
        "/%zz",
        "//etc/passwd",
        "/../site-old/secret.txt",
        "/out.txt",
        "/relative.txt",
        "/old/secret.txt",
        "/old/",
        "/old",
        "/loop",
    ];
    for path in paths {
        let answer = site.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.head);
        assert!(!answer.text().contains("secret") && !answer.text().contains("root:"), "{path}");
    }
    assert_eq!(site.get("/in.html").text(), "<p>index</p>", "a link that stays inside");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let site = Site::new();
    let pipe = site.root().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    assert_eq!(site.get("/pipe").status, 404);
}

#[test]
fn changes_show_within_a_second_and_never_half_a_file() {
    let site = Site::new();
    let page = site.root().join("page.html");
    fs::write(&page, "one").expect("room");
    let mut client = site.connect();
    let first = ask(&mut client, "/page.html", "");
    let etag = format!("If-None-Match: {}\r\n", first.header("ETag").expect("an entity tag"));
    assert_eq!((first.text(), ask(&mut client, "/page.html", &etag).status), ("one", 304));
    fs::write(&page, "two, longer").expect("room");
    until("the change shows", || ask(&mut client, "/page.html", &etag).text() == "two, longer");
    fs::remove_file(&page).expect("it is there");
    until("it is gone", || ask(&mut client, "/page.html", "").status == 404);
}

#[test]
fn compressed_files_beside_are_chosen_by_what_the_client_accepts() {
    let site = Site::new();
    let root = site.root();
    fs::write(root.join("app.js"), "x".repeat(100)).expect("room");
    fs::write(root.join("app.js.gz"), "gzip").expect("room");
    fs::write(root.join("app.js.br"), "brotli").expect("room");
    let mut client = site.connect();
    let mut sent = |accept: &str| {
        let answer = ask(&mut client, "/app.js", &format!("Accept-Encoding: {accept}\r\n"));
        assert_eq!(answer.header("Content-Type"), Some("text/javascript; charset=utf-8"));
        assert_eq!(answer.header("Vary"), Some("Accept-Encoding"));
        answer.header("Content-Encoding").map(str::to_owned)
    };
    assert_eq!(sent("gzip, br").as_deref(), Some("br"));
    assert_eq!(sent("gzip;q=1, br;q=0.5").as_deref(), Some("gzip"));
    assert_eq!(sent("zstd").as_deref(), None);
}

#[test]
fn large_files_whole_in_part_and_to_a_slow_reader() {
    let site = Site::new();
    let bytes: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(site.root().join("large.bin"), &bytes).expect("room");
    let mut client = site.connect();
    for _ in 0..2 {
        assert!(ask(&mut client, "/large.bin", "").body == bytes);
    }
    let part = ask(&mut client, "/large.bin", "Range: bytes=1000000-9999999\r\n");
    assert_eq!(part.header("Content-Range"), Some("bytes 1000000-9999999/12000000"));
    assert!(part.status == 206 && part.body == bytes[1_000_000..10_000_000]);
    assert!(ask(&mut client, "/large.bin", "Range: bytes=-5\r\n").body == bytes[11_999_995..]);
    assert_eq!(ask(&mut client, "/large.bin", "Range: bytes=12000000-\r\n").status, 416);
    client.send("HEAD /large.bin HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer_to_head().header("Content-Length"), Some("12000000"));
    let address = site.handle.as_ref().expect("it runs").address();
    let mut narrow = Client::connect_narrow(address, 4096);
    assert!(ask(&mut narrow, "/large.bin", "").body == bytes);
    client.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(client.answer().body == bytes);
    assert_eq!(client.answer().text(), "Hello, World!");
}

/// Bytes that the threads of this name, all of one server in this process, have had read from a disk.
fn read_from_disk(name: &str) -> u64 {
    let tasks = fs::read_dir("/proc/self/task").expect("our threads").filter_map(Result::ok);
    let of_name = tasks.filter(|task| {
        fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim_end().starts_with(name))
    });
    let bytes = of_name.filter_map(|task| {
        let io = fs::read_to_string(task.path().join("io")).ok()?;
        io.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.parse::<u64>().ok())
    });
    bytes.sum()
}

#[test]
fn a_worker_does_not_wait_for_the_disk() {
    let site = Site::new();
    let path = site.root().join("cold.bin");
    let mut file = File::create(&path).expect("room");
    file.write_all(&vec![b'x'; 6_000_000]).expect("room");
    file.sync_all().expect("a disk");
    // Drops the file from the kernel's memory; a file system that lives in memory has nothing to drop.
    fadvise(&file, 0, None, Advice::DontNeed).expect("a file");
    let answer = site.get("/cold.bin");
    assert_eq!(answer.body.len(), 6_000_000);
    // Asking whether a byte is in memory has the kernel send for its page, and nobody wait: two for each MiB.
    let asked = 2 * 6 * rustix::param::page_size() as u64;
    let by_worker = read_from_disk("boardd-0");
    assert!(by_worker <= asked, "the worker read {by_worker} bytes from the disk itself");
    let fetched = read_from_disk("boardd-disk");
    if fetched == 0 {
        eprintln!("this file system reads from no disk: nothing was proved");
    }
}

#[test]
fn a_file_that_shrinks_meanwhile_ends_the_connection_early() {
    let site = Site::new();
    let path = site.root().join("shrinks.bin");
    fs::write(&path, vec![b'x'; 8_000_000]).expect("room");
    let address = site.handle.as_ref().expect("it runs").address();
    let mut client = Client::connect_narrow(address, 4096);
    client.send("GET /shrinks.bin HTTP/1.1\r\nHost: a\r\n\r\n");
    client.bytes_until("\r\n\r\n");
    File::options().write(true).open(&path).expect("it is there").set_len(10).expect("a file");
    client.stream.set_read_timeout(Some(HANG)).expect("a socket takes options");
    client.expect_gone();
    assert_eq!(site.get("/hello").text(), "Hello, World!");
}

#[test]
fn other_methods_are_not_allowed() {
    let site = Site::new();
    let mut client = site.connect();
    client.send("POST /index.html HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy");
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Allow")), (405, Some("GET, HEAD, OPTIONS")));
    client.send("OPTIONS /index.html HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer().status, 204);
}

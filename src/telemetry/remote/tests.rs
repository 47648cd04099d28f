use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server on a free port whose answer to the nth request, from 1 on, is `script`'s; an empty one closes the connection.
/// `script` gets method and path. Gives the address as a base.
pub(in crate::telemetry) fn serve(script: impl Fn(usize, &str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let address = listener.local_addr().expect("bound");
    let (script, count) = (Arc::new(script), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (script, count) = (Arc::clone(&script), Arc::clone(&count));
            thread::spawn(move || answer_all(stream, &count, &*script));
        }
    });
    format!("http://{address}")
}

fn answer_all(mut stream: TcpStream, count: &AtomicUsize, script: &dyn Fn(usize, &str) -> String) {
    let mut lines = BufReader::new(stream.try_clone().expect("a descriptor")).lines();
    while let Some(Ok(first)) = lines.next() {
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        let asked = first.rsplit_once(' ').map_or("", |(asked, _)| asked);
        let answer = script(count.fetch_add(1, Ordering::Relaxed) + 1, asked);
        if answer.is_empty() || stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

pub(in crate::telemetry) fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn the_same_sample_is_told_once_and_a_silence_once() {
    let base = serve(|number, asked| match (asked, number) {
        ("GET /board", _) => answer("200 OK", "{}"),
        (_, 2..5) => answer("200 OK", r#"{"interval_s":1,"uptime_s":1}"#),
        (_, 5..8) => String::new(),
        _ => answer("200 OK", r#"{"interval_s":1,"uptime_s":2}"#),
    });
    let remote = Remote::start_asking(&base, None, Duration::from_millis(1)).expect("it answers");
    let news: Vec<News> = remote.news.iter().take(4).collect();
    let uptime = |news: &News| match news {
        News::Sample(new) => new.sample.uptime_s,
        _ => None,
    };
    assert_eq!(uptime(&news[0]), Some(1.0));
    assert!(matches!(&news[1], News::Lost(error) if error.to_string().contains(&base)), "{news:?}");
    assert_eq!(news[2], News::Back);
    assert_eq!(uptime(&news[3]), Some(2.0));
}

#[test]
fn a_sample_is_of_the_load_when_it_surely_began_after_it() {
    let begun = Instant::now();
    for (asked_ms, interval_s, early) in [
        (0, 1.0, true),
        (1_000, 1.0, true),
        (1_900, 1.0, true),
        (1_960, 1.0, false),
        (2_500, 1.0, false),
        (2_500, 2.0, true),
        (4_000, 2.0, false),
        (4_000, -1.0, true),
        (4_000, f64::NAN, true),
        (4_000, f64::INFINITY, true),
        (4_000, 1e18, true),
    ] {
        let sample = Sample { interval_s, ..Sample::default() };
        let new = RemoteSample { at: begun + Duration::from_millis(asked_ms), sample };
        assert_eq!(new.may_begin_before(begun), early, "{interval_s} s, asked for after {asked_ms} ms");
    }
}

use super::*;
use crate::http::{header_slots, parse_head};

const PEER: &str = "192.168.1.20:5000";

fn peer(text: &str) -> SocketAddr {
    text.parse().expect("address")
}

fn date() -> DateHeader {
    DateHeader::at(784_111_777)
}

/// Records one request, given as its request line.
fn record(recorder: &mut Recorder, peer: SocketAddr, line: &str, status: u16, bytes: u64) {
    let text = format!("{line}\r\nHost: a\r\n\r\n");
    let mut slots = header_slots();
    let (head, _) = parse_head(text.as_bytes(), &mut slots).expect("valid").expect("whole");
    recorder.record(&date(), peer, Some(&head), status, bytes);
}

/// What waits of a worker.
fn taken(log: &AccessLog, worker: usize) -> String {
    let mut lines = Vec::new();
    assert!(log.take(worker, &mut lines));
    String::from_utf8(lines).expect("text")
}

#[test]
fn lines_have_the_common_log_format() {
    let log = AccessLog::new(1);
    let mut recorder = Recorder::new(Some(Arc::clone(&log)), 0);
    let cases = [
        (PEER, "GET /a?b=c HTTP/1.1", 200, 13, "192.168.1.20", "\"GET /a?b=c HTTP/1.1\" 200 13"),
        ("[2001:db8::1]:1", "HEAD / HTTP/1.0", 404, 0, "2001:db8::1", "\"HEAD / HTTP/1.0\" 404 -"),
        (PEER, "GET /\"\\ HTTP/1.1", 200, 1, "192.168.1.20", r#""GET /\x22\x5c HTTP/1.1" 200 1"#),
        (PEER, "BREW /pot HTTP/1.1", 501, 5, "192.168.1.20", "\"- /pot HTTP/1.1\" 501 5"),
    ];
    for (from, line, status, bytes, host, rest) in cases {
        record(&mut recorder, peer(from), line, status, bytes);
        recorder.flush();
        assert_eq!(taken(&log, 0), format!("{host} - - [06/Nov/1994:08:49:37 +0000] {rest}\n"));
    }
    recorder.record(&date(), peer(PEER), None, 400, 12);
    recorder.flush();
    assert_eq!(taken(&log, 0), "192.168.1.20 - - [06/Nov/1994:08:49:37 +0000] \"-\" 400 12\n");
}

#[test]
fn the_answer_of_a_handler_that_awaited_gets_the_line_of_its_own_request() {
    let log = AccessLog::new(1);
    let mut recorder = Recorder::new(Some(Arc::clone(&log)), 0);
    let ticket = |serial| Ticket { key: 5, serial };
    let mut keep = |serial, path: &str| {
        let text = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
        let mut slots = header_slots();
        let (head, _) = parse_head(text.as_bytes(), &mut slots).expect("valid").expect("whole");
        recorder.keep(ticket(serial), &head);
    };
    // The first connection in this place ends before its answer.
    keep(1, "/lost");
    keep(2, "/kept");
    for serial in [2, 2] {
        recorder.record_done(&date(), peer(PEER), ticket(serial), 200, 4);
    }
    recorder.flush();
    let lines = taken(&log, 0);
    assert!(lines.ends_with("\"GET /kept HTTP/1.1\" 200 4\n") && lines.lines().count() == 1, "{lines}");
}

#[test]
fn workers_do_not_mix_and_an_unknown_one_is_none() {
    let log = AccessLog::new(2);
    for (worker, path) in ["/a", "/b"].iter().enumerate() {
        let mut recorder = Recorder::new(Some(Arc::clone(&log)), worker);
        record(&mut recorder, peer(PEER), &format!("GET {path} HTTP/1.1"), 200, 1);
        recorder.flush();
    }
    assert!(taken(&log, 0).contains("/a") && taken(&log, 1).contains("/b"));
    assert!(!log.take(2, &mut Vec::new()));
    let mut beyond = Recorder::new(Some(log), 2);
    assert!(!beyond.is_on());
    record(&mut beyond, peer(PEER), "GET / HTTP/1.1", 200, 1);
    beyond.flush();
}

#[test]
fn what_nobody_takes_is_bounded_and_counted_line_by_line() {
    let log = AccessLog::new(1);
    let mut recorder = Recorder::new(Some(Arc::clone(&log)), 0);
    let requests = 3 * MOST_BYTES / 80;
    for _ in 0..requests {
        record(&mut recorder, peer(PEER), "GET /plaintext HTTP/1.1", 200, 13);
    }
    recorder.flush();
    let lines = taken(&log, 0);
    assert!(lines.len() <= MOST_BYTES && lines.ends_with('\n'), "{}", lines.len());
    let lost = log.take_lost();
    assert_eq!(lines.lines().count() as u64 + lost, requests as u64);
    assert!(lost > 0 && log.take_lost() == 0);
}

//! Where an answer ends, and what the report says about good ones.

use crate::support::boardctl::{load, load_until, load_url_until};
use crate::support::scripted::{answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn every_way_to_end_an_answer_counts_as_good() {
    let answers = [
        ("length", OK),
        (
            "chunked with trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n",
        ),
        ("204", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n"),
        ("line feeds only", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
        (
            "interim answers",
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        ),
        ("HTTP/1.0 kept alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"),
    ];
    for (name, answer) in answers {
        let run = load_until(&answering(answer), 50, &["-c", "2"]);
        run.expect_clean();
        assert_eq!(run.count("reconnects"), 0, "{name}");
        assert!(run.count("requests") > 2, "{name}: {}", run.stdout);
    }
}

#[test]
fn head_answers_have_no_body() {
    let server = serve(|peer| {
        while let Some(head) = peer.request() {
            assert!(head.starts_with("HEAD / HTTP/1.1\r\n"));
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
        }
    });
    let run = load_until(&server, 50, &["-c", "2", "-m", "HEAD"]);
    assert_eq!(run.expect_clean().count("reconnects"), 0);
}

#[test]
fn an_answer_that_arrives_byte_by_byte_is_one_answer() {
    let server = serve(|peer| {
        while peer.request().is_some() {
            for byte in OK.as_bytes().chunks(1) {
                peer.send(byte);
            }
        }
    });
    load_until(&server, 50, &["-c", "1"]).expect_clean();
}

#[test]
fn a_body_larger_than_any_buffer_is_read_to_its_end() {
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec();
    answer.resize(answer.len() + 1_000_000, b'x');
    let length = answer.len() as u64;
    let run = load_until(&answering(answer), 50, &["-c", "2"]);
    run.expect_clean();
    assert!(run.count("bytes") >= run.count("requests") * length);
}

#[test]
fn without_a_length_the_close_is_the_end() {
    let server = serve(|peer| {
        if peer.request().is_some() {
            peer.send("HTTP/1.1 200 OK\r\n\r\nuntil I close");
        }
    });
    let run = load_until(&server, 50, &["-c", "2"]);
    assert!(run.expect_clean().count("reconnects") > 0);
    assert!(run.stdout.contains("reconnects after the server closed"), "{}", run.stdout);
}

#[test]
fn announced_closes_are_reconnects_and_no_errors() {
    let server = serve(|peer| {
        for left in (0..100).rev() {
            if peer.request().is_none() {
                return;
            }
            let close = if left == 0 { "Connection: close\r\n" } else { "" };
            peer.send(format!("HTTP/1.1 200 OK\r\n{close}Content-Length: 2\r\n\r\nok"));
        }
    });
    let run = load_until(&server, 450, &["-c", "2"]);
    let (requests, reconnects) = (run.expect_clean().count("requests"), run.count("reconnects"));
    assert!(reconnects > 0 && reconnects <= requests / 100, "{reconnects} reconnects, {requests} requests");
    assert_eq!(run.count("connections/closed_without_notice"), 0, "{}", run.stdout);
}

#[test]
fn pipelined_requests_are_each_answered_once() {
    let server = answering(OK);
    let run = load_until(&server, 50, &["-c", "3", "--pipeline", "8"]);
    let (requests, served) = (run.expect_clean().count("requests"), server.requests());
    assert!(requests <= served && served <= requests + run.count("unfinished"), "{requests} of {served}");
}

#[test]
fn what_a_close_leaves_of_a_batch_is_sent_again() {
    let server = serve(|peer| {
        for left in (0..3).rev() {
            if peer.request().is_none() {
                return;
            }
            let close = if left == 0 { "Connection: close\r\n" } else { "" };
            peer.send(format!("HTTP/1.1 200 OK\r\n{close}Content-Length: 2\r\n\r\nok"));
        }
        // Reading on keeps the kernel from answering the rest of the batch with a reset that would overtake the answers.
        peer.ignore();
    });
    let run = load_until(&server, 100, &["-c", "2", "--pipeline", "8"]);
    assert!(run.expect_clean().count("reconnects") > 0);
    let strict = load_until(&server, 100, &["-c", "2", "--pipeline", "8", "--no-retry"]);
    assert!(strict.count("failed") >= 5, "{}", strict.stdout);
}

#[test]
fn without_keep_alive_each_request_has_a_connection() {
    let server = serve(|peer| {
        if let Some(head) = peer.request() {
            assert!(head.contains("\r\nConnection: close\r\n"));
            peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    let run = load_until(&server, 50, &["-c", "2", "--no-keepalive"]);
    assert_eq!(run.expect_clean().count("reconnects"), 0);
    assert!(run.count("requests") > 2);
}

#[test]
fn bad_statuses_are_errors_and_finished_requests() {
    let server = answering("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    let run = load_until(&server, 50, &[]);
    assert_eq!(run.code, 0);
    assert!(run.count("requests") > 0);
    assert_eq!(run.count("errors/status"), run.count("requests"));
    assert!(run.stdout.contains("  Non-2xx or 3xx responses: "), "{}", run.stdout);
}

#[test]
fn the_request_is_the_one_that_was_asked_for() {
    let server = serve(|peer| {
        while let Some(head) = peer.request() {
            let right = head.starts_with("PUT /a?b=c HTTP/1.1\r\n")
                && head.contains("\r\nX-One: 1\r\nX-Two: 2\r\n")
                && head.contains("\r\nContent-Length: 0\r\n");
            let status = if right { "200 OK" } else { "400 Bad Request" };
            peer.send(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"));
        }
    });
    let flags = ["-m", "PUT", "-H", "X-One: 1", "-H", "X-Two: 2", "--body", ""];
    load_url_until(&format!("http://{server}/a?b=c"), &server, 50, &flags).expect_clean();
}

#[test]
fn the_report_has_all_its_fields() {
    let url = format!("http://{}/", answering(OK));
    let run = load(&url, &["-c", "3", "-t", "2", "--warmup", "50ms", "-d", "1s"]);
    run.expect_clean();
    let report = &run.report;
    for field in ["duration_s", "requests_per_s", "bytes_per_s"] {
        assert!(report[field].as_f64().is_some_and(|value| value > 0.0), "{field}: {report:#}");
    }
    let mut last = 0.0;
    for field in ["p50", "p75", "p90", "p95", "p99", "p999", "max"] {
        let value = report["latency_us"][field].as_f64().unwrap_or_else(|| panic!("{field}: {report:#}"));
        assert!(value >= last, "{field} is less than the one before: {report:#}");
        last = value;
    }
    for field in ["latency_us/mean", "latency_us/stdev", "client_cpu/total_s", "client_cpu/per_request_us"] {
        assert!(report.pointer(&format!("/{field}")).is_some_and(serde_json::Value::is_number), "{field}");
    }
    assert_eq!((run.count("connections/asked"), run.count("connections/opened")), (3, 3));
    assert!(run.count("fairness/slowest") <= run.count("fairness/fastest"));
    for field in ["machine", "kernel", "command"] {
        assert!(report["environment"][field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert!(report["environment"]["versions"]["boardctl"].is_string());
    assert_eq!(report["partial"], false);
    for line in
        ["  Thread Stats   Avg      Stdev     Max   +/- Stdev", "    Latency", "    Req/Sec", " 50%", "100%"]
    {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
}

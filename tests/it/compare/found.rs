//! What a comparison finds.

use std::fs;
use std::thread;
use std::time::Duration;

use super::{OK, SHORT, compare, rounds};
use crate::support::boardctl::TempFile;
use crate::support::boardd::Boardd;
use crate::support::scripted::{answering, serve};

#[test]
fn answers_are_held_against_each_other() {
    let plain = answering(OK);
    let longer = answering("HTTP/1.1 200 OK\r\nX-More: yes\r\nContent-Length: 4\r\n\r\nokay");
    let file = TempFile::new("compare.md");
    let markdown = file.0.to_str().expect("text").to_owned();
    let servers = [format!("a=http://{plain}/"), format!("b=http://{longer}/")];
    let run = compare(&servers, &[&SHORT[..], &["--seed", "5", "--markdown", &markdown]].concat());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let report = &run.report;
    assert_eq!((report["form"].as_str(), rounds(report)), (Some("boardkit-compare-1"), 10));
    assert_eq!((report["partial"].as_bool(), report["seed"].as_u64()), (Some(false), Some(5)));
    let warnings = report["warnings"][0].as_str().expect("a warning");
    assert!(warnings.contains("different sizes") && warnings.contains("a 2 bytes, b 4 bytes"), "{warnings}");
    let typical = |server: usize, what: &str| report["servers"][server]["typical"][what].as_f64();
    assert_eq!((typical(0, "body_bytes"), typical(1, "body_bytes")), (Some(2.0), Some(4.0)));
    assert_eq!((typical(0, "head_bytes"), typical(1, "head_bytes")), (Some(38.0), Some(51.0)));
    let by_hand = typical(1, "requests_per_s").expect("a rate") * typical(1, "body_bytes").expect("bytes");
    let told = typical(1, "body_bytes_per_s").expect("a rate");
    assert!((told / by_hand - 1.0).abs() < 1e-9, "{told} {by_hand}");
    let (text, markdown) = (&run.stdout, fs::read_to_string(&file.0).expect("the Markdown"));
    assert!(text.contains("X-More (b 13 bytes)") && markdown.contains("X-More (b 13 bytes)"), "{text}");
    assert!(text.starts_with("Comparing a, b: 10 rounds of 80ms for each, in random order;"), "{text}");
    assert!(markdown.contains("\n| Answer: bytes of content | 2 | 4 |\n"), "{markdown}");
    let conclusion = report["pairs"][0]["conclusion"].as_str().expect("a sentence");
    let unwrapped = text.replace("\n  ", " ");
    assert!(unwrapped.ends_with(&format!("\n{conclusion}\n")), "{text}");
    assert!(markdown.starts_with(&format!("**{conclusion}**\n")), "{markdown}");
    let errors = report["servers"][1]["typical"]["errors"].as_object().expect("errors by kind");
    assert!(errors.values().all(|count| *count == 0), "{errors:?}");
}

#[test]
fn a_server_that_is_much_slower_is_told_apart() {
    let fast = answering(OK);
    let slow = serve(|peer| {
        while peer.request().is_some() {
            thread::sleep(Duration::from_millis(5));
            peer.send(OK);
        }
    });
    // More rounds than it takes: on a full machine some turn may pass without an answer.
    let flags = ["--rounds", "20", "-d", "80ms", "--warmup", "0s", "-c", "2"];
    let run = compare(&[format!("fast=http://{fast}/"), format!("slow=http://{slow}/")], &flags);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let pair = &run.report["pairs"][0];
    for metric in ["requests_per_s", "p50_us"] {
        assert_eq!(pair["metrics"][metric]["verdict"], "worse", "{}", run.stdout);
    }
    let low = pair["metrics"]["p50_us"]["ratio"]["low"].as_f64();
    assert!(low > Some(1.0), "{}", run.stdout);
    assert!(run.stdout.contains("\nslow is slower than fast by "), "{}", run.stdout);
}

#[test]
fn the_processor_time_of_servers_here_is_counted_and_three_servers_share_a_level() {
    let (one, two) = (Boardd::start(&["--workers", "1"]), Boardd::start(&["--workers", "1"]));
    let url = |boardd: &Boardd| format!("http://{}/plaintext", boardd.address);
    let missing = format!("http://{}/nothing", one.address);
    let servers = [format!("one={}", url(&one)), format!("two={}", url(&two)), format!("none={missing}")];
    // Long enough for some ticks of the clock, where a kernel counts nothing finer.
    let run = compare(&servers, &["--rounds", "10", "-d", "100ms", "--warmup", "20ms", "-c", "2"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!((run.report["level"].as_f64().expect("a level") - 0.975).abs() < 1e-9);
    for server in run.report["servers"].as_array().expect("servers") {
        let process = server["process"].as_str().expect("a name");
        assert!(process == "boardd", "{process}");
        // Errors are no work done: what they cost is in no figure.
        let served = server["name"] != "none";
        assert_eq!(server["typical"]["server_cpu_us"].as_f64() > Some(0.0), served, "{}", run.stdout);
    }
    assert!(run.stdout.contains("different statuses: one 200, two 200, none 404"), "{}", run.stdout);
    assert!(run.stdout.contains("\nErrors: status above 399 "), "{}", run.stdout);
    assert!(run.stdout.contains("answers of none are errors (status 400 or above)"), "{}", run.stdout);
    let unwrapped = run.stdout.replace("\n  ", " ");
    assert!(unwrapped.contains("the 2 of one figure hold together"), "{}", run.stdout);
}

#[test]
fn a_seed_gives_the_same_orders_again() {
    let servers = [format!("a=http://{}/", answering(OK)), format!("b=http://{}/", answering(OK))];
    let orders = |seed: &str| -> Vec<String> {
        let run = compare(&servers, &[&SHORT[..], &["--seed", seed]].concat());
        let rounds = run.report["rounds"].as_array().expect("rounds");
        rounds.iter().map(|round| round["order"].to_string()).collect()
    };
    let first = orders("7");
    assert_eq!(first, orders("7"));
    assert!(
        first.iter().any(|order| order != &first[0]),
        "the order is drawn anew for each round: {first:?}"
    );
    assert_ne!(first, orders("8"));
}

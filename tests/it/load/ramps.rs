//! `boardctl load --rate FROM..TO`: each step has its rate, its length, and what was due in it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::boardctl::{Run, load, load_until};
use crate::support::scripted::{answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

fn steps(run: &Run) -> &[Value] {
    run.report["open_loop"]["steps"]
        .as_array()
        .unwrap_or_else(|| panic!("no steps: {}{}", run.stdout, run.stderr))
}

fn counts(run: &Run, name: &str) -> Vec<u64> {
    steps(run)
        .iter()
        .map(|step| step[name].as_u64().unwrap_or_else(|| panic!("no {name}: {step:#}")))
        .collect()
}

fn numbers(run: &Run, path: &str) -> Vec<f64> {
    let number = |step: &Value| step.pointer(path).and_then(Value::as_f64);
    steps(run).iter().map(|step| number(step).unwrap_or_else(|| panic!("no {path}: {step:#}"))).collect()
}

#[test]
fn each_step_has_the_arrivals_of_its_rate_up_and_down() {
    // 500 ms each; with a warm-up, which is in none of them.
    for (ramp, arrivals) in [("100..500", [50, 150, 250]), ("500..100", [250, 150, 50])] {
        let url = format!("http://{}/", answering(OK));
        let flags =
            ["-c", "20", "-t", "2", "-d", "1500ms", "--warmup", "200ms", "--rate", ramp, "--steps", "3"];
        let run = load(&url, &flags);
        run.expect_clean();
        assert_eq!(counts(&run, "arrivals"), arrivals, "{}", run.stdout);
        assert_eq!(counts(&run, "answered"), arrivals);
        assert_eq!(run.count("open_loop/arrivals"), 450);
        assert_eq!((counts(&run, "errors"), counts(&run, "failed")), (vec![0; 3], vec![0; 3]));
        assert_eq!(numbers(&run, "/begin_s"), [0.0, 0.5, 1.0]);
        assert_eq!(numbers(&run, "/length_s"), [0.5; 3]);
        assert_eq!(run.report["settings"]["rate"], format!("{ramp} in 3 steps"));
        assert!(run.stdout.contains("\nSteps (1/s, and ms from when a request was due)\n"), "{}", run.stdout);
    }
}

#[test]
fn an_arrival_belongs_to_the_step_in_which_it_was_due() {
    // What the first step asks for is answered in the second; what the second asks for, at once.
    let read = AtomicU64::new(0);
    let server = serve(move |peer| {
        while peer.request().is_some() {
            if read.fetch_add(1, Ordering::Relaxed) < 50 {
                thread::sleep(Duration::from_millis(700));
            }
            peer.send(OK);
        }
    });
    let flags = ["-c", "60", "-t", "1", "-d", "1s", "--rate", "100..20", "--steps", "2"];
    let run = load(&format!("http://{server}/"), &flags);
    run.expect_clean();
    assert_eq!(counts(&run, "answered"), [50, 10], "{}", run.stdout);
    assert_eq!(counts(&run, "served_meanwhile")[0], 0, "{}", run.stdout);
    let (p50, max) = (numbers(&run, "/latency_us/p50"), numbers(&run, "/latency_us/max"));
    assert!(p50[0] >= 700_000.0 && max[1] < 700_000.0, "{}", run.stdout);
}

#[test]
fn the_knee_is_where_the_server_no_longer_kept_up() {
    // One request at a time, and 10 ms for each: less than a hundred a second.
    let turn = Mutex::new(());
    let server = serve(move |peer| {
        while peer.request().is_some() {
            let turn = turn.lock().expect("no script panics");
            thread::sleep(Duration::from_millis(10));
            drop(turn);
            peer.send(OK);
        }
    });
    let flags = ["-c", "50", "-d", "2s", "--rate", "20..300", "--steps", "3", "--timeout", "10s"];
    let run = load(&format!("http://{server}/"), &flags);
    run.expect_clean();
    let knee = &run.report["open_loop"]["knee"];
    assert_eq!(
        (knee["rate"].as_f64(), knee["kept_up_to"].as_f64()),
        (Some(160.0), Some(20.0)),
        "{}",
        run.stdout
    );
    let achieved = numbers(&run, "/achieved_per_s");
    assert!(achieved[1] <= 101.5 && achieved[2] <= 101.5, "{}", run.stdout);
    assert!(run.stdout.contains("\n*     160.0 "), "{}", run.stdout);
    assert!(run.stdout.contains("\n* From 160.0/s on "), "{}", run.stdout);
}

#[test]
fn what_is_refused_is_not_served() {
    // However fast it says no.
    let url = format!("http://{}/", answering(BUSY));
    let run = load(&url, &["-c", "5", "-d", "1s", "--rate", "50..100", "--steps", "2"]);
    assert_eq!(counts(&run, "errors"), counts(&run, "arrivals"), "{}", run.stdout);
    assert_eq!(numbers(&run, "/achieved_per_s"), [0.0, 0.0]);
    assert_eq!(run.report["open_loop"]["knee"]["rate"], 50.0, "{}", run.stdout);
}

#[test]
fn ctrl_c_leaves_the_steps_that_were_begun() {
    let run = load_until(&answering(OK), 50, &["-c", "4", "--rate", "500..1000", "--steps", "20"]);
    run.expect_clean();
    let [only] = steps(&run) else { panic!("an hour has twenty steps of three minutes: {}", run.stdout) };
    let length = only["length_s"].as_f64().expect("a number");
    assert!(length > 0.0 && length < 180.0, "{only:#}");
    assert_eq!(only["arrivals"].as_u64(), Some(run.count("open_loop/arrivals")), "{}", run.stdout);
}

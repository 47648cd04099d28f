//! A server whose delays are known: the truth that a load tester's percentiles are held against.
//!
//! Each request waits for the next delay of a fixed list before its answer leaves; the list has a log-normal spread
//! between 20 and 400 ms, in an order shuffled from a fixed seed. A thread per connection sleeps short of the moment and
//! spins the rest, so that no timer's slack is added. When standard input closes, the program prints as JSON what it
//! really served: for each percentile the time from a request read to its answer sent, and of each request both times.
//!
//! `delays [AT LENGTH DELAY]` prints its address on the first line. With three numbers it stalls once, and each delay is the
//! same, `DELAY` seconds: from `AT` seconds after its first request no answer leaves for `LENGTH` seconds. `benches/bars/load_percentiles.py` and `issue3_open.py` drive it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// Length of the list. A run takes a piece of it; the order is mixed well enough for any piece to have the whole spread.
const DELAYS: usize = 4096;
/// Bounds of the delays.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(400);
/// The middle of the spread, and the deviation of its logarithm: a tail like that of a busy server.
const MEDIAN_S: f64 = 0.080;
const SIGMA: f64 = 0.55;
/// The last part of each wait is spun, as a sleeping thread may be woken this late.
const SPIN: Duration = Duration::from_micros(200);
/// Any constant will do; the same one makes two runs comparable.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// What all connections share.
struct Script {
    delays: Vec<Duration>,
    next: AtomicUsize,
    served: Mutex<Vec<u64>>,
    /// When each request was read and its answer sent, in nanoseconds since `zero`.
    log: Mutex<Vec<(u64, u64)>>,
    zero: Instant,
    /// When the stall begins, after the first request, and how long it is.
    stall: (Duration, Duration),
    first: OnceLock<Instant>,
}

fn main() -> std::io::Result<()> {
    // `cargo bench` passes this flag to every bench and would wait for a server for ever.
    if std::env::args().any(|argument| argument == "--bench") {
        println!("delays is a server to measure against: benches/bars/load_percentiles.py starts it");
        return Ok(());
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    let seconds = |place| std::env::args().nth(place).and_then(|text| text.parse().ok()).unwrap_or_default();
    let script = Arc::new(Script {
        delays: if seconds(3) > 0.0 { vec![Duration::from_secs_f64(seconds(3))] } else { spread() },
        next: AtomicUsize::new(0),
        served: Mutex::new(Vec::new()),
        log: Mutex::new(Vec::new()),
        zero: Instant::now(),
        stall: (Duration::from_secs_f64(seconds(1)), Duration::from_secs_f64(seconds(2))),
        first: OnceLock::new(),
    });
    let shared = Arc::clone(&script);
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let script = Arc::clone(&shared);
            thread::spawn(move || serve(stream, &script));
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new())?;
    print_truth(&script);
    Ok(())
}

/// The list of delays: the quantiles of the spread, each once, in a shuffled order.
fn spread() -> Vec<Duration> {
    let quantile = |i: usize| (i as f64 + 0.5) / DELAYS as f64;
    let seconds = (0..DELAYS).map(|i| MEDIAN_S * (SIGMA * normal_quantile(quantile(i))).exp());
    let mut delays: Vec<_> = seconds.map(|s| Duration::from_secs_f64(s).clamp(SHORTEST, LONGEST)).collect();
    let mut state = SEED;
    for i in (1..delays.len()).rev() {
        // xorshift64: no crate for four lines.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let below = usize::try_from(state % (i as u64 + 1)).unwrap_or_default();
        delays.swap(i, below);
    }
    delays
}

/// The standard normal quantile, by bisection of the logistic approximation: exactness is of no use to a made-up spread.
fn normal_quantile(p: f64) -> f64 {
    // Bowling et al. 2009: within 0.00014 of the normal distribution everywhere.
    let cumulative = |z: f64| 1.0 / (1.0 + (-(0.07056 * z.powi(3) + 1.5976 * z)).exp());
    let (mut low, mut high) = (-6.0, 6.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        (low, high) = if cumulative(middle) < p { (middle, high) } else { (low, middle) };
    }
    low
}

fn serve(stream: TcpStream, script: &Script) {
    // Without it the kernel may wake a sleeper 50 µs late to save power.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    let mut answered = None;
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(1..) if line != b"\r\n" => continue,
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        let begun = Instant::now();
        // Only the next request shows that the client was still there to read, and count, the answer before it.
        if let Some(took) = answered {
            script.served.lock().expect("no thread panics").push(took);
        }
        let number = script.next.fetch_add(1, Ordering::Relaxed);
        let until = script.unless_stalled(begun, begun + script.delays[number % script.delays.len()]);
        thread::sleep(until.saturating_duration_since(Instant::now()).saturating_sub(SPIN));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        if reader.get_mut().write_all(ANSWER).is_err() {
            return;
        }
        answered = Some(nanos(begun.elapsed()));
        let times = (nanos(begun - script.zero), nanos(script.zero.elapsed()));
        script.log.lock().expect("no thread panics").push(times);
    }
}

impl Script {
    /// When an answer leaves that is ready at `until`, to a request read at `begun`.
    fn unless_stalled(&self, begun: Instant, until: Instant) -> Instant {
        let (after, length) = self.stall;
        let from = *self.first.get_or_init(|| begun) + after;
        if (from..from + length).contains(&until) { from + length } else { until }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The percentiles of what was served, by the nearest-rank definition.
fn print_truth(script: &Script) {
    let mut served = script.served.lock().expect("no thread panics").clone();
    served.sort_unstable();
    let at = |percent: f64| -> Option<f64> {
        let rank = (percent / 100.0 * served.len() as f64).ceil().max(1.0);
        served.iter().zip(1..).find(|(_, i)| f64::from(*i) >= rank).map(|(ns, _)| *ns as f64 / 1000.0)
    };
    let truth = serde_json::json!({
        "served": served.len(),
        "latency_us": {
            "p50": at(50.0), "p66": at(66.0), "p75": at(75.0), "p80": at(80.0), "p90": at(90.0), "p95": at(95.0),
            "p98": at(98.0), "p99": at(99.0), "p999": at(99.9), "max": at(100.0),
        },
        "log": *script.log.lock().expect("no thread panics"),
    });
    println!("{truth}");
}

//! A second open loop, for holding the first against: wrk2's method, and no code of the load tester's.
//!
//! wrk2 deals the rate to its connections for good. Request `n` of a connection is due at its start plus `n` over its share
//! of the rate; its latency counts from then to its whole answer, however late it could be sent. A connection that has
//! fallen behind catches up at twice its rate. Here each connection is a thread that sleeps, writes and reads; starts are
//! spread evenly over the first period. What wrk2 does besides is left out: its timer, which rounds each wait up to a whole
//! millisecond and so adds to each latency, and its first ten seconds, which it does not count.
//!
//! `paced ADDRESS PATH CONNECTIONS RATE SECONDS` prints what it found as JSON. `benches/bars/issue3_open.py` runs it.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

/// All connections are open by then.
const LEAD: Duration = Duration::from_millis(500);
/// A request that gets no answer for so long ends the run.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo bench` passes a flag to every bench.
    let [address, path, connections, rate, seconds] = arguments.as_slice() else {
        println!("paced is a client to measure with: benches/bars/issue3_open.py runs it");
        return Ok(());
    };
    let number = |text: &String| text.parse::<f64>().map_err(io::Error::other);
    let (rate, duration) = (number(rate)?, Duration::from_secs_f64(number(seconds)?));
    let connections: u32 = connections.parse().map_err(io::Error::other)?;
    let sockets: Vec<TcpStream> =
        (0..connections).map(|_| TcpStream::connect(address)).collect::<Result<_, _>>()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let (period, begin) = (Duration::from_secs_f64(f64::from(connections) / rate), Instant::now() + LEAD);
    let threads: Vec<_> = sockets
        .into_iter()
        .zip(0..)
        .map(|(socket, index)| {
            let (request, start) = (request.clone(), begin + period * index / connections);
            thread::spawn(move || run(socket, &request, start, period, begin + duration))
        })
        .collect();
    let mut latencies = Vec::new();
    for thread in threads {
        latencies.extend(thread.join().expect("no thread panics")?);
    }
    print(&mut latencies, duration);
    Ok(())
}

/// One connection from `start` on, up to the last request that is due before `end`. Gives latencies in nanoseconds.
fn run(
    mut socket: TcpStream,
    request: &str,
    start: Instant,
    period: Duration,
    end: Instant,
) -> io::Result<Vec<u64>> {
    // Without it the kernel may wake a sleeper 50 µs late to save power.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut latencies = Vec::new();
    let mut behind: Option<(Instant, u32)> = None;
    for number in 0.. {
        let due = start + period * number;
        if due >= end {
            break;
        }
        let now = Instant::now();
        let send_at = if due > now {
            behind = None;
            due
        } else {
            let (since, first) = *behind.get_or_insert((now, number));
            since + period * (number - first) / 2
        };
        thread::sleep(send_at.saturating_duration_since(now));
        socket.write_all(request.as_bytes())?;
        read_answer(&mut socket)?;
        latencies.push(u64::try_from(due.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    Ok(latencies)
}

/// Reads one answer to its end, which its Content-Length says.
fn read_answer(socket: &mut TcpStream) -> io::Result<()> {
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = socket.read(&mut part)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        seen.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&seen);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length.ok_or_else(|| io::Error::other("an answer has no length"))? {
            return Ok(());
        }
    }
}

/// Percentiles by the nearest-rank definition.
fn print(latencies: &mut [u64], duration: Duration) {
    latencies.sort_unstable();
    let at = |percent: f64| -> Option<f64> {
        let rank = (percent / 100.0 * latencies.len() as f64).ceil().max(1.0);
        latencies.iter().zip(1..).find(|(_, i)| f64::from(*i) >= rank).map(|(ns, _)| *ns as f64 / 1000.0)
    };
    let found = serde_json::json!({
        "requests": latencies.len(),
        "requests_per_s": latencies.len() as f64 / duration.as_secs_f64(),
        "latency_us": { "p50": at(50.0), "p90": at(90.0), "p99": at(99.0), "p999": at(99.9), "max": at(100.0) },
    });
    println!("{found}");
}

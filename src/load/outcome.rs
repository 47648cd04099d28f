//! What came out of a run, in numbers and in words.

use std::net::SocketAddr;
use std::time::Duration;

use rustix::io::Errno;

use super::collect::{Places, Second};
use super::fault::Fault;
use super::plan::LoadPlan;
use super::tally::Tally;
use super::target::Refusal;

/// Late starts are mentioned from one in so many on.
const LATE_SHARE: u64 = 100;

/// What came out of a run.
#[derive(Debug)]
pub struct Outcome {
    /// All counts, over all threads.
    pub tally: Tally,
    /// Requests per second of each thread, sampled each 100 ms; samples without a request are left out.
    pub thread_rates: Vec<f64>,
    /// How the connections of each thread fared.
    pub places: Vec<Places>,
    /// The address that took the load; `None` when none takes connections.
    pub address: Option<SocketAddr>,
    /// Connections asked for.
    pub asked: usize,
    /// Threads used.
    pub threads: usize,
    /// How long was measured; zero when nothing could be.
    pub measured: Duration,
    /// Processor time of the threads while measuring.
    pub cpu: Duration,
    /// What they took beside that for the answers that came after the last arrival of an open loop was due.
    pub cpu_after_end: Duration,
    /// Whether the run was stopped before its time.
    pub partial: bool,
    /// What the reader should know, one sentence each.
    pub notes: Vec<String>,
}

impl Outcome {
    pub(crate) fn empty(plan: &LoadPlan, threads: usize) -> Self {
        let mut notes = Vec::new();
        if threads < plan.threads {
            notes.push(format!(
                "{threads} threads instead of {}: there are only {} connections to spread",
                plan.threads, plan.connections
            ));
        }
        Self {
            tally: Tally::default(),
            thread_rates: Vec::new(),
            places: vec![Places::default(); threads],
            address: None,
            asked: plan.connections,
            threads,
            measured: Duration::ZERO,
            cpu: Duration::ZERO,
            cpu_after_end: Duration::ZERO,
            partial: false,
            notes,
        }
    }

    pub(super) fn refused(&mut self, refusals: &[Refusal]) {
        for refusal in refusals {
            // The probe's time-out is no number of the kernel's.
            let error = Errno::from_io_error(&refusal.error).unwrap_or(Errno::TIMEDOUT);
            self.tally.fault(Fault::Connect(error));
        }
        self.notes.extend(refusals.iter().map(|refusal| format!("can't connect to {refusal}")));
    }

    /// Adds a second.
    pub(super) fn add(&mut self, second: &Second) {
        self.tally.add(&second.tally);
        for thread in &second.threads {
            self.thread_rates.extend_from_slice(&thread.rates);
            self.cpu += thread.cpu;
            self.cpu_after_end += thread.cpu_after_end;
            self.places[thread.index] = thread.places;
        }
        self.measured = self.measured.max(second.begin + second.length);
    }

    /// Connections that were open at some time.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.places.iter().map(|places| places.opened).sum()
    }

    /// The longest time in which a connection finished nothing, connections that never did included.
    #[must_use]
    pub fn worst_gap(&self) -> Duration {
        self.places.iter().map(|places| places.worst_gap).max().unwrap_or_default()
    }

    /// Says in words what the counts alone would not.
    pub(super) fn explain(&mut self, plan: &LoadPlan) {
        let tally = &self.tally;
        let opened = self.opened();
        if opened < self.asked {
            self.notes.push(format!("only {opened} of {} connections could be opened", self.asked));
        }
        if tally.errors.timeout > 0 {
            let figures = if tally.requests > 0 {
                "; each is in the latency figures with the least it took"
            } else {
                ""
            };
            self.notes.push(format!(
                "{} timed out after {}{figures}",
                requests(tally.errors.timeout),
                crate::units::Span(plan.timeout)
            ));
        }
        self.notes.extend(open_loop(tally, plan));
        self.notes.extend(cut_short(tally, plan, self.partial));
        if tally.out_of_ports > 0 {
            self.notes.push(format!(
                "client out of ports: {} connects found no free local port; keep connections alive, or widen \
                 net.ipv4.ip_local_port_range on this machine",
                tally.out_of_ports
            ));
        }
        if tally.unfinished > 0 && tally.requests == 0 {
            let were = if tally.unfinished == 1 { "was" } else { "were" };
            self.notes
                .push(format!("{} {were} still waiting when the run ended", requests(tally.unfinished)));
        }
        match tally.first_fault {
            Some(Fault::Connect(error)) if error == Errno::ADDRNOTAVAIL => {}
            Some(fault) => self.notes.push(format!("the first error was: {fault}")),
            None => {}
        }
    }
}

fn requests(count: u64) -> String {
    format!("{count} {}", if count == 1 { "request" } else { "requests" })
}

/// That not all of the requests that were asked for could be made in time.
fn cut_short(tally: &Tally, plan: &LoadPlan, partial: bool) -> Option<String> {
    let (asked, made) = (plan.requests?, tally.requests + tally.failed.total());
    (made < asked as u64 && !partial).then(|| {
        format!(
            "the time ({}) was over after {made} of {asked} requests: more time (-d) would let all of them be made",
            crate::units::Span(plan.duration)
        )
    })
}

/// What the latencies of an open loop hold beside the server's time.
fn open_loop(tally: &Tally, plan: &LoadPlan) -> Vec<String> {
    let counts = &tally.open;
    let mut notes = Vec::new();
    if counts.late * LATE_SHARE > counts.arrivals {
        notes.push(format!(
            "{} of {} requests were started more than 1 ms late by this machine, which had no time: their latencies \
             are too long by that",
            counts.late, counts.arrivals
        ));
    }
    if counts.waited > 0 {
        notes.push(format!(
            "{} found all {} connections busy and waited for one; the wait is in the latency, more connections (-c) \
             would let them go at once",
            requests(counts.waited),
            plan.connections
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::request::RequestParts;
    use super::*;

    #[test]
    fn a_client_without_ports_is_named_and_is_not_the_servers_fault() {
        let url: super::super::target::Url = "http://board/".parse().unwrap();
        let plan = LoadPlan {
            request: RequestParts::default().render(&url).unwrap(),
            url,
            connections: 2,
            threads: 1,
            duration: Duration::from_secs(1),
            requests: None,
            warmup: Duration::ZERO,
            timeout: Duration::from_secs(2),
            pipeline: 1,
            retry: true,
            schedule: None,
        };
        let mut outcome = Outcome::empty(&plan, 1);
        outcome.places[0].opened = 2;
        outcome.tally.fault(Fault::Connect(Errno::ADDRNOTAVAIL));
        outcome.explain(&plan);
        assert_eq!(
            (outcome.tally.errors.connect, outcome.tally.out_of_ports, outcome.tally.refused),
            (1, 1, 0)
        );
        assert_eq!(outcome.notes.len(), 1, "{:?}", outcome.notes);
        assert!(outcome.notes[0].starts_with("client out of ports: 1 connects "), "{:?}", outcome.notes);
    }
}

//! Searches of simulated servers whose edge is known.

use super::*;

/// As many tries as there is time for in some minutes.
const TRIES: usize = 40;

/// Enough to tell 93 % from 85 %.
const SEARCHES: u64 = 100;

/// A server whose edge is known, and which is as noisy as real ones are.
struct Server {
    edge: f64,
    /// Spread of the logarithm of the edge from try to try.
    noise: f64,
    /// Share of tries that come out by chance.
    lapses: f64,
    /// From this rate on the load tester is late.
    late_from: f64,
    random: u64,
}

impl Server {
    /// xorshift64, from 0 to 1.
    fn chance(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }

    fn answer(&mut self, rate: f64) -> Tried {
        // Twelve of them make a normal spread of 1 around 6.
        let normal = (0..12).map(|_| self.chance()).sum::<f64>() - 6.0;
        let holds = rate.ln() + self.noise * normal < self.edge.ln() && rate < self.late_from;
        let lapse = self.chance() < self.lapses;
        match (holds != lapse, rate < self.late_from) {
            (true, _) => Tried::Held,
            (false, true) => Tried::Broke,
            (false, false) => Tried::Late,
        }
    }

    fn search(&mut self) -> Search {
        let mut search = Search::new();
        for _ in 0..TRIES {
            let Some(rate) = search.next() else { break };
            let tried = self.answer(rate);
            search.add(rate, tried);
        }
        search
    }
}

/// Servers from some 20 to 200,000 requests a second.
fn servers(noise: f64, lapses: f64, count: u64) -> impl Iterator<Item = Server> {
    (1..=count).map(move |number| {
        let random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut server = Server { edge: 0.0, noise, lapses, late_from: f64::INFINITY, random };
        server.edge = 20.0 * 10f64.powf(4.0 * server.chance());
        server
    })
}

/// In how many of a hundred searches the truth is in the interval.
fn right(noise: f64, lapses: f64) -> usize {
    let found = servers(noise, lapses, SEARCHES).map(|mut server| (server.search().interval(), server.edge));
    let is_in = |&(Interval { holds, breaks, .. }, edge): &(Interval, f64)| {
        holds.is_none_or(|holds| holds <= edge) && breaks.is_none_or(|breaks| edge <= breaks)
    };
    found.filter(is_in).count()
}

#[test]
fn the_truth_is_in_the_interval_of_a_quiet_server() {
    let found = right(0.0, 0.0);
    assert!(found >= 99, "{found}");
}

#[test]
fn the_truth_is_in_the_interval_of_a_server_with_hiccups() {
    let found = right(0.02, 0.03);
    assert!(found >= 93, "{found}");
}

#[test]
fn the_truth_is_in_the_interval_of_a_noisy_server() {
    let found = right(0.08, 0.0);
    assert!(found >= 93, "{found}");
}

#[test]
fn the_interval_of_a_quiet_server_is_narrow() {
    let found: Vec<_> = servers(0.0, 0.0, 20).map(|mut server| server.search()).collect();
    for search in &found {
        let Interval { holds: Some(holds), breaks: Some(breaks), edge: Some(edge) } = search.interval()
        else {
            panic!("{search:?}");
        };
        assert!(breaks <= holds * 1.1 && (holds..=breaks).contains(&edge), "{holds} {edge} {breaks}");
    }
    assert!(found.iter().filter(|search| search.is_narrow()).count() >= 17);
}

#[test]
fn a_load_tester_that_is_late_proves_nothing_of_the_server() {
    for mut server in servers(0.0, 0.0, 10) {
        server.late_from = server.edge / 3.0;
        let Interval { holds, breaks, edge } = server.search().interval();
        let holds = holds.unwrap();
        assert!(holds <= server.late_from && holds > server.late_from / 1.1, "{holds}");
        assert_eq!((breaks, edge), (None, None));
    }
}

#[test]
fn it_ends_at_the_bounds() {
    let mut search = Search::new();
    while let Some(rate) = search.next() {
        assert!(rate >= Search::LOWEST, "{rate}");
        search.add(rate, Tried::Broke);
    }
    assert_eq!(search.interval().holds, None);
    let mut search = Search::new();
    while let Some(rate) = search.next() {
        assert!(rate <= Search::HIGHEST, "{rate}");
        search.add(rate, Tried::Held);
    }
    let Interval { holds, breaks, .. } = search.interval();
    assert!(holds.unwrap() > Search::HIGHEST / 4.0 && breaks.is_none());
}

#[test]
fn a_hiccup_far_below_the_edge_is_overcome() {
    let mut search = Search::new();
    for _ in 0..TRIES {
        let Some(rate) = search.next() else { break };
        let hiccup = search.tried.len() == 1;
        search.add(rate, if hiccup || rate > 5000.0 { Tried::Broke } else { Tried::Held });
    }
    let Interval { holds, breaks, .. } = search.interval();
    assert!(holds.is_some_and(|holds| holds > 4500.0) && breaks.is_some_and(|breaks| breaks < 5500.0));
}

#[test]
fn a_rate_of_three_digits_is_printed_with_three_digits() {
    for digits in 100..1000 {
        for place in -2..=3 {
            let exact: f64 = format!("{digits}e{place}").parse().unwrap();
            for near in [exact, exact * (1.0 + 1e-9), exact * (1.0 - 1e-9)] {
                // Below a power of ten there is one more digit.
                let found = if near < exact && digits == 100 { exact } else { rounded(near) };
                assert_eq!(found.to_string(), exact.to_string());
            }
        }
    }
}

//! The search for the highest rate that a server keeps up with: which rate to try next, and what is known so far.
//!
//! Near its limit a server holds a rate in one try and not in the next, so one answer proves little, and bisection alone
//! would be led astray by it for good. This search keeps the odds of each rate of being the edge, at which half of all
//! tries hold, and of how sharp that edge is; each try weighs on them as much as it tells. It doubles the rate until a
//! try does not hold, and then tries where the odds say that most is to be learned, the same rates again if need be.

/// The first.
const FIRST: f64 = 100.0;
/// Edges this far apart, in the logarithm, are told from each other.
const STEP: f64 = 0.01;
/// How sharp an edge may be, as the spread of its logarithm: a clock's, a quiet server's, a usual one's, a wild one's.
const WIDTHS: [f64; 4] = [0.003, 0.01, 0.03, 0.1];
/// This share of all tries comes out by something else than the rate: a hiccup, or luck.
const LAPSE: f64 = 0.02;
/// The edge is between the ends of the interval with these odds, half of the rest on each side.
const ODDS: f64 = 0.95;
/// Where in the odds the next tries are: in the middle and at both sides, since the sides say how wide the edge is.
const PLACES: [f64; 3] = [0.5, 0.1, 0.9];
/// An interval of this ratio is narrow enough.
const NARROW: f64 = 1.05;
/// This many widths away from an edge a try is certain, but for lapses.
const CERTAIN: f64 = 30.0;
/// Odds below this are none.
const UNLIKELY: f64 = 1e-10;

/// How a try at a rate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tried {
    /// The server kept to what is asked of it.
    Held,
    /// It did not.
    Broke,
    /// It did not, but the load tester had no time to start requests when they were due: nobody knows whose fault it was.
    Late,
}

/// Where the edge is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval {
    /// The highest rate that held and that the edge is above, by all odds; `None` when there is none.
    pub holds: Option<f64>,
    /// The lowest rate that broke, not through the load tester, and that the edge is below; `None` when there is none.
    pub breaks: Option<f64>,
    /// The rate at which half of all tries hold, as far as it is known; `None` until something held and something did not.
    pub edge: Option<f64>,
}

/// A search, and what it has tried.
#[derive(Debug, Clone)]
pub struct Search {
    tried: Vec<(f64, Tried)>,
    /// Of the edge that server and load tester have together: it says what to try.
    odds: Odds,
}

/// The odds of each edge, for each width. They add up to 1.
#[derive(Debug, Clone)]
struct Odds {
    /// The logarithm of the first edge.
    first: f64,
    of: Vec<[f64; WIDTHS.len()]>,
}

impl Default for Search {
    fn default() -> Self {
        Self::new()
    }
}

impl Search {
    /// The lowest rate that is tried, in requests per second.
    pub const LOWEST: f64 = 1.0;
    /// The highest.
    pub const HIGHEST: f64 = 1e6;

    /// A search that has tried nothing.
    #[must_use]
    pub fn new() -> Self {
        Self { tried: Vec::new(), odds: Odds::even() }
    }

    /// Takes what came of a try.
    pub fn add(&mut self, rate: f64, tried: Tried) {
        self.tried.push((rate, tried));
        self.odds.weigh(rate, tried == Tried::Held);
    }

    /// The rate to try next; `None` when the interval is narrow enough, and when there is nothing left to try.
    #[must_use]
    pub fn next(&self) -> Option<f64> {
        let held = self.rates(|tried| tried == Tried::Held).reduce(f64::max);
        let not = self.rates(|tried| tried != Tried::Held).reduce(f64::min);
        let next = match (held, not) {
            (None, None) => FIRST,
            (Some(held), None) => held * 2.0,
            (None, Some(not)) => not / 2.0,
            (Some(_), Some(_)) if self.is_narrow() => return None,
            (Some(_), Some(_)) => {
                let place = PLACES[self.tried.len() % PLACES.len()];
                return Some(rounded(self.odds.quantile(place)));
            }
        };
        (Self::LOWEST..=Self::HIGHEST).contains(&next).then_some(next)
    }

    fn rates(&self, which: impl Fn(Tried) -> bool) -> impl Iterator<Item = f64> {
        self.tried.iter().filter(move |(_, tried)| which(*tried)).map(|(rate, _)| *rate)
    }

    /// Whether the edge that server and load tester have together is known well enough.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        let interval = self.interval_by(&self.odds, |tried| tried != Tried::Held);
        interval.holds.zip(interval.breaks).is_some_and(|(holds, breaks)| breaks <= holds * NARROW)
    }

    /// Where the server's edge is, as far as it is known: what the load tester had no time for says nothing of it.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let broke = |tried| tried == Tried::Broke;
        if self.tried.iter().all(|(_, tried)| *tried != Tried::Late) {
            return self.interval_by(&self.odds, broke);
        }
        let mut odds = Odds::even();
        for (rate, tried) in self.tried.iter().filter(|(_, tried)| *tried != Tried::Late) {
            odds.weigh(*rate, *tried == Tried::Held);
        }
        self.interval_by(&odds, broke)
    }

    /// The ends are rates that were tried, outside of what the odds leave open.
    fn interval_by(&self, odds: &Odds, broke: impl Fn(Tried) -> bool) -> Interval {
        let (low, high) = (odds.quantile((1.0 - ODDS) / 2.0), odds.quantile(f64::midpoint(1.0, ODDS)));
        let holds = self.rates(|tried| tried == Tried::Held).filter(|rate| *rate <= low).reduce(f64::max);
        let breaks = self.rates(broke).filter(|rate| *rate >= high).reduce(f64::min);
        let known = holds.is_some() && breaks.is_some();
        Interval { holds, breaks, edge: known.then(|| rounded(odds.quantile(0.5))) }
    }
}

impl Odds {
    fn even() -> Self {
        // The lowest edge is below all that is tried.
        let first = (Search::LOWEST / 2.0).ln();
        let mut of = Vec::new();
        while first + STEP * of.len() as f64 <= Search::HIGHEST.ln() {
            of.push([1.0; WIDTHS.len()]);
        }
        Self { first, of }
    }

    fn weigh(&mut self, rate: f64, held: bool) {
        let mut above = rate.ln() - self.first;
        let mut total = 0.0;
        for edge in &mut self.of {
            for (odds, width) in edge.iter_mut().zip(WIDTHS) {
                let holds = chance_to_hold(above / width);
                *odds *= if held { holds } else { 1.0 - holds };
                total += *odds;
            }
            above -= STEP;
        }
        for edge in &mut self.of {
            *edge = edge.map(|odds| odds / total);
        }
        self.drop_unlikely();
    }

    /// Gives up the edges at both ends that would take five surprises to become likely again.
    fn drop_unlikely(&mut self) {
        let likely = |edge: &[f64; WIDTHS.len()]| edge.iter().any(|odds| *odds > UNLIKELY);
        let Some(begin) = self.of.iter().position(likely) else { return };
        let end = self.of.iter().rposition(likely).map_or(0, |last| last + 1);
        self.of.truncate(end);
        self.of.drain(..begin);
        self.first += STEP * begin as f64;
    }

    /// The edge below which it is with these odds.
    fn quantile(&self, share: f64) -> f64 {
        let (mut below, mut at) = (0.0, self.first);
        for edge in &self.of {
            let here: f64 = edge.iter().sum();
            if below + here >= share {
                return (at + STEP * ((share - below) / here - 0.5)).exp();
            }
            below += here;
            at += STEP;
        }
        at.exp()
    }
}

/// Of a try this many widths above the edge.
fn chance_to_hold(widths: f64) -> f64 {
    let chance = match widths {
        above if above > CERTAIN => 0.0,
        below if below < -CERTAIN => 1.0,
        near => 1.0 / (1.0 + near.exp()),
    };
    LAPSE / 2.0 + (1.0 - LAPSE) * chance
}

/// To three digits: what is tried twice is tried at the same rate.
fn rounded(rate: f64) -> f64 {
    let unit = 10f64.powf((rate.log10().floor() - 2.0).abs());
    // A tenth is no binary number and would be in what is printed; ten is one.
    if rate < 100.0 { (rate * unit).round() / unit } else { (rate / unit).round() * unit }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

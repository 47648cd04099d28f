//! Between which bounds the truth lies, from a few rounds.
//!
//! What comes in are the logarithms of ratios, one for each round; what comes out is their centre and an interval that
//! holds the true centre in so many of a hundred comparisons. Rounds on real machines are few and wild: a neighbour that
//! wakes up halves a rate, and one such round moves a mean further than the difference that is looked for. So:
//!
//! - **The centre is a trimmed mean**: up to a fifth of the rounds at each end, at least one, is left out. Its standard error
//!   is Yuen's (Biometrika 61, 1974), from the Winsorised variance. Beside others who were at work, half of the rounds were
//!   as good as on a quiet machine and the rest anything: leaving a tenth out made intervals half as wide again.
//! - **The interval is a wild bootstrap over the rounds**, studentised and symmetric (Liu, Ann. Statist. 16, 1988): each
//!   round's distance from the centre gets a random sign, the trimmed mean of these is divided by its own error, and again,
//!   thousands of times; what 95 of 100 of them stay below is how many errors the interval reaches to either side. A random
//!   sign is what the random order of the servers within a round gave its noise, so nothing is assumed about that noise but
//!   that it goes up about as often as down. Some rounds may be noisier than others.
//!
//! The plain percentile bootstrap of the mean is too narrow for so few rounds (its 95 % interval holds the truth in 88 to 91
//! of 100 comparisons with 8 to 12 rounds), and a bootstrap-t of the mean is twice as wide as this one where there are
//! outliers. The tests simulate thousands of comparisons with noise of many kinds: from [`MIN_ROUNDS`] rounds on, between 93
//! and 97 of 100 intervals hold the truth. With 8 rounds it would be 93 to 95, on the edge; with fewer it is not kept.

use fastrand::Rng;

/// With fewer rounds there is no interval: it would promise what it does not keep.
pub const MIN_ROUNDS: usize = 10;
/// How often signs are drawn. One less than a round number, so that the usual quantiles are one of the values.
pub(super) const RESAMPLES: usize = 4999;
/// One round in so many is left out at each end, where there are many.
const TRIMMED: usize = 5;

/// A centre and the bounds between which the truth lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    pub(super) centre: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The centre of `values`, without bounds; `None` when there are none.
pub(super) fn centre(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Trimmed::of(values.to_vec()).mean)
}

/// The centre of `values` with bounds that hold the true one with a probability of `level`, from 0 to 1. `None` with fewer
/// than [`MIN_ROUNDS`] values, or with such of which nothing can be said.
pub(super) fn interval(values: &[f64], level: f64, resamples: usize, rng: &mut Rng) -> Option<Interval> {
    if values.len() < MIN_ROUNDS {
        return None;
    }
    let found = Trimmed::of(values.to_vec());
    let mut distances: Vec<f64> = values.iter().map(|value| (value - found.mean).abs()).collect();
    distances.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut errors: Vec<f64> =
        (0..resamples).map(|_| Trimmed::with_random_signs(&distances, rng).mean_in_errors()).collect();
    let (_, errors, _) = errors.select_nth_unstable_by(place(resamples, level), f64::total_cmp);
    let reach = if found.error > 0.0 { *errors * found.error } else { 0.0 };
    let (centre, low, high) = (found.mean, found.mean - reach, found.mean + reach);
    reach.is_finite().then_some(Interval { centre, low, high })
}

/// Which of so many sorted values is the quantile, counted from 0.
fn place(count: usize, level: f64) -> usize {
    (1..count).take_while(|place| (*place as f64) < (count + 1) as f64 * level - 1e-6).count()
}

/// How many values are left out at each end: a fifth less one, so that of few there are enough left for an error.
fn left_out(count: usize) -> usize {
    if count < 3 { 0 } else { (count / TRIMMED).saturating_sub(1).max(1) }
}

/// A trimmed mean and its standard error.
#[derive(Debug, Clone, Copy)]
struct Trimmed {
    mean: f64,
    error: f64,
}

impl Trimmed {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let left_out = left_out(values.len());
        let kept = &values[left_out..values.len() - left_out];
        // Sums around a value in the middle lose no digits, and equal values have no error at all.
        let middle = kept[kept.len() / 2];
        let mut sums =
            Sums { low: kept[0] - middle, high: kept[kept.len() - 1] - middle, sum: 0.0, squares: 0.0 };
        for value in kept {
            sums.add(value - middle);
        }
        let around = sums.trimmed(kept.len(), left_out);
        Self { mean: around.mean + middle, ..around }
    }

    /// Of `distances`, the largest first, after each has got a random sign.
    ///
    /// The largest distances with a plus are the largest values, and those with a minus the smallest: nothing has to be
    /// sorted for what is left out at the ends.
    fn with_random_signs(distances: &[f64], rng: &mut Rng) -> Self {
        let left_out = left_out(distances.len());
        // Plain variables: the tests simulate millions of these, and are not optimised.
        let (mut low, mut high, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
        let (mut plus, mut minus, mut signs) = (0, 0, Vec::new());
        for some in distances.chunks(64) {
            let mut bits = rng.u64(..);
            signs.push(bits);
            for distance in some {
                if bits & 1 == 1 {
                    plus += 1;
                    if plus > left_out {
                        high = if plus == left_out + 1 { *distance } else { high };
                        sum += *distance;
                        squares += *distance * *distance;
                    }
                } else {
                    minus += 1;
                    if minus > left_out {
                        low = if minus == left_out + 1 { -*distance } else { low };
                        sum -= *distance;
                        squares += *distance * *distance;
                    }
                }
                bits >>= 1;
            }
        }
        if plus > left_out && minus > left_out {
            return Sums { low, high, sum, squares }.trimmed(distances.len() - 2 * left_out, left_out);
        }
        // So few of one sign that not only they are the end: rare enough to be slow.
        let sign = |at: usize| if signs[at / 64] >> (at % 64) & 1 == 1 { 1.0 } else { -1.0 };
        Self::of(distances.iter().enumerate().map(|(at, distance)| sign(at) * distance).collect())
    }

    /// How many of its errors the mean is away from zero.
    fn mean_in_errors(&self) -> f64 {
        if self.mean == 0.0 { 0.0 } else { (self.mean / self.error).abs() }
    }
}

/// Of the values that are kept: the least and the largest, the sum, and the sum of their squares.
struct Sums {
    low: f64,
    high: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    #[inline]
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.squares += value * value;
    }

    /// Yuen's error: what was left out counts as the nearest value that was kept.
    fn trimmed(&self, kept: usize, left_out: usize) -> Trimmed {
        let Self { low, high, sum, squares } = self;
        let (kept, left_out) = (kept as f64, left_out as f64);
        let all = kept + 2.0 * left_out;
        let winsorised = (sum + left_out * (low + high)) / all;
        let deviations = squares + left_out * (low * low + high * high) - all * winsorised * winsorised;
        let error = (deviations.max(0.0) / (kept * (kept - 1.0))).sqrt();
        Trimmed { mean: sum / kept, error }
    }
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;

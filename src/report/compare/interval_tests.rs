//! Simulated comparisons: how often the interval holds the truth, with noise of many kinds.

use std::f64::consts::TAU;

use super::*;

/// Comparisons for each kind of noise and number of rounds. With as many, a share of 95 % is known within 0.5 %.
const COMPARISONS: u32 = 2000;
/// Where there are many rounds, which take longer and differ less from each other: within 0.7 %.
const FEWER_COMPARISONS: u32 = 1000;
/// Fewer than the program draws, for the sake of time.
const FEW_RESAMPLES: usize = 199;
/// One server is 5 % dearer than the other.
const TRUTH: f64 = 0.048_790_164;
/// Noise of one turn of one server: 3 %.
const NOISE: f64 = 0.03;
/// The bar.
const HOLDS_PERCENT: std::ops::RangeInclusive<f64> = 93.0..=97.0;

/// The logarithm of what one turn measures, around the true one; `when` goes from 0 to 1 over the comparison.
type Turn = fn(&mut Rng, when: f64) -> f64;

const KINDS: [(&str, Turn); 8] = [
    ("normal", |rng, _| NOISE * normal(rng)),
    ("log-normal", |rng, _| (1.0 - NOISE + NOISE * normal(rng).exp()).ln()),
    ("t with 3 degrees", |rng, _| NOISE * student(rng, 3)),
    ("t with 4 degrees", |rng, _| NOISE * student(rng, 4)),
    ("a neighbour in one turn of twenty", |rng, _| NOISE * normal(rng) - neighbour(rng)),
    ("slow drift", |rng, when| NOISE * normal(rng) + 0.1 * when + 0.05 * (when * TAU).sin()),
    ("two modes", |rng, _| NOISE * normal(rng) + if rng.bool() { 0.06 } else { 0.0 }),
    ("noisier with time", |rng, when| NOISE * (0.3 + 2.0 * when) * normal(rng)),
];

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (TAU * rng.f64()).cos()
}

fn student(rng: &mut Rng, degrees: u32) -> f64 {
    let squares: f64 = (0..degrees).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (squares / f64::from(degrees)).sqrt()
}

/// Takes a fifth to a half of the machine for a whole turn.
fn neighbour(rng: &mut Rng) -> f64 {
    if rng.u8(0..20) == 0 { 0.2 + 0.4 * rng.f64() } else { 0.0 }
}

/// The logarithms of the ratios of two servers, which take their turns in random order.
fn compare(turn: Turn, rounds: u32, rng: &mut Rng) -> Vec<f64> {
    let round = |at: u32| {
        let mut at_times = [2 * at, 2 * at + 1].map(|at| f64::from(at) / f64::from(2 * rounds));
        rng.shuffle(&mut at_times);
        TRUTH + turn(rng, at_times[1]) - turn(rng, at_times[0])
    };
    (0..rounds).map(round).collect()
}

/// In how many of a hundred comparisons what `found` gives holds the truth.
fn holds(
    turn: Turn,
    rounds: u32,
    comparisons: u32,
    mut found: impl FnMut(&[f64], &mut Rng) -> Interval,
) -> f64 {
    let mut rng = Rng::with_seed(1);
    let holds = (0..comparisons).filter(|_| {
        let ratios = compare(turn, rounds, &mut rng);
        let interval = found(&ratios, &mut rng);
        (interval.low..=interval.high).contains(&TRUTH)
    });
    100.0 * holds.count() as f64 / f64::from(comparisons)
}

fn expect_that_it_holds(rounds: u32, comparisons: u32) {
    for (kind, turn) in KINDS {
        let found = |ratios: &[f64], rng: &mut Rng| {
            interval(ratios, 0.95, FEW_RESAMPLES, rng).expect("enough rounds")
        };
        let holds = holds(turn, rounds, comparisons, found);
        println!("{kind}, {rounds} rounds: {holds:.1} %");
        assert!(HOLDS_PERCENT.contains(&holds), "{kind}, {rounds} rounds: {holds:.1} %");
    }
}

#[test]
fn the_interval_holds_with_10_rounds() {
    expect_that_it_holds(10, COMPARISONS);
}

#[test]
fn the_interval_holds_with_12_rounds() {
    expect_that_it_holds(12, COMPARISONS);
}

#[test]
fn the_interval_holds_with_20_rounds() {
    expect_that_it_holds(20, COMPARISONS);
}

#[test]
fn the_interval_holds_with_60_rounds() {
    expect_that_it_holds(60, FEWER_COMPARISONS);
}

#[test]
fn the_simulation_tells_an_interval_that_is_too_narrow() {
    // What is taught first: two errors to either side, as if there were rounds without number.
    let naive = |ratios: &[f64], _: &mut Rng| {
        let Trimmed { mean, error } = Trimmed::of(ratios.to_vec());
        Interval { centre: mean, low: mean - 1.96 * error, high: mean + 1.96 * error }
    };
    let holds = holds(KINDS[0].1, 10, COMPARISONS, naive);
    assert!(!HOLDS_PERCENT.contains(&holds), "{holds:.1} %");
}

#[test]
fn random_signs_without_sorting_are_the_trimmed_mean_of_the_signed_values() {
    let mut rng = Rng::with_seed(3);
    for count in [6_usize, 10, 12, 39, 40, 64, 65, 130] {
        let mut distances: Vec<f64> = (0..count).map(|_| rng.f64()).collect();
        distances.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut one, mut two) = (rng.fork(), Rng::new());
        two.seed(one.get_seed());
        for _ in 0..50 {
            let found = Trimmed::with_random_signs(&distances, &mut one);
            let mut signed = Vec::new();
            for some in distances.chunks(64) {
                let bits = two.u64(..);
                signed.extend(
                    some.iter()
                        .enumerate()
                        .map(|(at, value)| if bits >> at & 1 == 1 { *value } else { -value }),
                );
            }
            let expected = Trimmed::of(signed);
            assert!(
                (found.mean - expected.mean).abs() < 1e-12 && (found.error - expected.error).abs() < 1e-12
            );
        }
    }
}

#[test]
fn what_was_left_out_does_not_move_the_centre() {
    let calm: Vec<f64> = (0..20).map(f64::from).collect();
    let mut wild = calm.clone();
    (wild[0], wild[19]) = (-1e6, 1e6);
    assert_eq!(centre(&calm), Some(9.5));
    assert_eq!(centre(&wild), Some(9.5));
    assert_eq!((centre(&[]), centre(&[3.0])), (None, Some(3.0)));
}

#[test]
fn equal_rounds_leave_no_doubt_and_too_few_leave_all() {
    let mut rng = Rng::with_seed(1);
    let same = Interval { centre: 0.1, low: 0.1, high: 0.1 };
    assert_eq!(interval(&[0.1; 10], 0.95, RESAMPLES, &mut rng), Some(same));
    assert_eq!(interval(&[0.1; 9], 0.95, RESAMPLES, &mut rng), None);
    let wide = |level| {
        let found = interval(
            &[1.0, 2.0, 4.0, 1.5, 2.5, 3.0, 0.5, 2.2, 1.8, 2.1],
            level,
            RESAMPLES,
            &mut Rng::with_seed(1),
        );
        found.map(|found| found.high - found.low).expect("enough")
    };
    assert!(wide(0.5) < wide(0.95) && wide(0.95) < wide(0.99));
}

#[test]
fn quantiles_are_values() {
    assert_eq!(
        (place(4999, 0.95), place(399, 0.95), place(399, 0.99), place(399, 1.0)),
        (4749, 379, 395, 398)
    );
}

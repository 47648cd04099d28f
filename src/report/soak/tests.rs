//! Soaks of boards that are known: what is found of each, second by second as it would be.

use super::*;
use crate::telemetry::{ClockSample, Sample};

/// The shortest soak that may count as settled.
const LEAST_S: f64 = 300.0;

/// A board: its rate at each second, its temperature, and whether its clock is capped then.
struct Board {
    rate: Box<dyn Fn(f64) -> f64>,
    temp: Option<Box<dyn Fn(f64) -> f64>>,
    capped: Option<Box<dyn Fn(f64) -> bool>>,
    /// Spread of the rate from second to second, as a share of it.
    noise: f64,
}

impl Board {
    fn plain(rate: impl Fn(f64) -> f64 + 'static) -> Self {
        Self { rate: Box::new(rate), temp: None, capped: None, noise: 0.02 }
    }

    fn series(&self, seconds: u32) -> Vec<SeriesRow> {
        let mut random = 0x9E37_79B9_7F4A_7C15u64;
        let mut chance = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        let row = |second: u32| {
            let at = f64::from(second);
            let normal = (0..12).map(|_| chance()).sum::<f64>() - 6.0;
            let served = ((self.rate)(at) * (1.0 + self.noise * normal)).max(0.0);
            #[allow(clippy::cast_possible_truncation, reason = "a made-up rate is small")]
            let served = served as u64;
            let clock = |cap| ClockSample {
                cpus: vec![0],
                cur_khz: None,
                cap_khz: Some(cap),
                max_khz: Some(1_200_000),
            };
            let board = (self.temp.is_some() || self.capped.is_some()).then(|| Sample {
                cpu_temp_c: self.temp.as_ref().map(|temp| temp(at)),
                clocks: self
                    .capped
                    .iter()
                    .map(|capped| clock(if capped(at) { 912_000 } else { 1_200_000 }))
                    .collect(),
                ..Sample::default()
            });
            SeriesRow {
                begin_s: at,
                length_s: 1.0,
                statuses: [("200".to_owned(), served), ("503".to_owned(), 7)].into(),
                board,
                ..SeriesRow::default()
            }
        };
        (0..seconds).map(row).collect()
    }

    /// What is found when it is watched from second to second, for half an hour at most.
    fn soak(&self) -> (u32, SoakReport) {
        let series = self.series(1800);
        let until = |seconds: u32| SoakReport::of(&series[..seconds as usize], LEAST_S);
        let end = (1..=180).map(|tens| tens * 10).find(|seconds| until(*seconds).settled).unwrap_or(1800);
        (end, until(end))
    }
}

fn near(found: f64, wanted: f64, share: f64) -> bool {
    (found / wanted - 1.0).abs() <= share
}

#[test]
fn a_board_that_stays_as_it_is_settles_at_once() {
    for noise in [0.0, 0.02, 0.05] {
        let (end, report) = Board { noise, ..Board::plain(|_| 5000.0) }.soak();
        assert!((300..=600).contains(&end), "{end}");
        let sustained = report.sustained.unwrap();
        assert!(
            near(sustained.per_s, 5000.0, 0.01) && near(report.burst_per_s.unwrap(), 5000.0, 0.05),
            "{report:?}"
        );
        assert_eq!((report.throttled_after_s, report.rate_down_after_s), (None, None), "{report:?}");
        assert!(near(report.kept_percent.unwrap(), 100.0, 0.05));
        assert!(sustained.lowest_per_s <= sustained.per_s && sustained.per_s <= sustained.highest_per_s);
    }
}

#[test]
fn a_drop_is_found_to_the_second_or_so_and_waited_for() {
    let (end, report) = Board::plain(|at| if at < 200.0 { 5000.0 } else { 3800.0 }).soak();
    // The window is the last half, and so clear of it.
    assert!((400..=500).contains(&end), "{end}: {report:?}");
    assert!(near(report.burst_per_s.unwrap(), 5000.0, 0.03));
    assert!(near(report.sustained.unwrap().per_s, 3800.0, 0.01), "{report:?}");
    assert!(near(report.kept_percent.unwrap(), 76.0, 0.04));
    let down = report.rate_down_after_s.unwrap();
    assert!((199.0..=202.0).contains(&down), "{down}");
    assert_eq!(report.throttled_after_s, Some(down));
    assert!(!report.clock_known);
}

#[test]
fn a_clock_that_goes_up_and_down_settles_at_its_mean() {
    // 912 and 1200 MHz in turn, as boards do at their limit, from 60 s on.
    for period in [20.0, 74.0] {
        let low = move |at: f64| at >= 60.0 && at % period < period / 2.0;
        let board = Board {
            capped: Some(Box::new(low)),
            temp: Some(Box::new(|_| 80.0)),
            ..Board::plain(move |at| if low(at) { 3800.0 } else { 5000.0 })
        };
        let (end, report) = board.soak();
        assert!(report.settled && end <= 1200, "{end}: {report:?}");
        assert!(near(report.sustained.unwrap().per_s, 4400.0, 0.03), "{end}: {report:?}");
        let held = report.clock_held_after_s.unwrap();
        assert!(report.clock_known && (60.0..=111.0).contains(&held), "{held}");
        assert!(report.throttled_after_s.unwrap() <= held);
    }
}

#[test]
fn a_slow_drift_never_settles() {
    // One percent a minute.
    let (end, report) = Board::plain(|at| 5000.0 * (1.0 - at / 6000.0)).soak();
    assert_eq!((end, report.settled), (1800, false));
    assert!(report.unsettled[0].starts_with("the rate changed by -"), "{report:?}");
    assert!(report.sustained.is_some());
}

#[test]
fn heat_that_still_rises_is_waited_for() {
    // The rate stays; the temperature comes closer to 70 with a time of three minutes.
    let temp = |at: f64| 70.0 - 40.0 * (-at / 180.0).exp();
    let board = Board { temp: Some(Box::new(temp)), ..Board::plain(|_| 5000.0) };
    let (end, report) = board.soak();
    assert!(report.settled && (700..=1700).contains(&end), "{end}: {report:?}");
    assert!(report.sustained.unwrap().temp_c.is_some_and(|temp| temp > 65.0));
    let early = SoakReport::of(&board.series(320), LEAST_S);
    assert!(early.unsettled.iter().any(|why| why.starts_with("the temperature changed by +")), "{early:?}");
}

#[test]
fn too_little_says_nothing_and_nothing_served_is_no_number() {
    assert_eq!(SoakReport::of(&[], LEAST_S).unsettled, ["the run was too short to say"]);
    let short = SoakReport::of(&Board::plain(|_| 100.0).series(5), LEAST_S);
    assert!(short.sustained.is_none() && short.burst_per_s.is_some() && !short.settled);
    let few = SoakReport::of(&Board { noise: 0.0, ..Board::plain(|_| 100.0) }.series(8), 1.0);
    assert!(few.settled && few.sustained.unwrap().lowest_per_s == 100.0, "{few:?}");
    let nothing = SoakReport::of(&Board::plain(|_| 0.0).series(400), LEAST_S);
    assert_eq!(nothing.unsettled, ["nothing was served over the last 200 s"]);
    assert_eq!((nothing.burst_per_s, nothing.kept_percent, nothing.settled), (None, None, false));
}

#[test]
fn it_is_said_in_four_lines() {
    let low = |at: f64| at >= 200.0;
    let board = Board {
        noise: 0.0,
        capped: Some(Box::new(low)),
        temp: Some(Box::new(|_| 79.5)),
        ..Board::plain(move |at| if low(at) { 3800.0 } else { 5000.0 })
    };
    assert_eq!(
        board.soak().1.render(),
        "
Soak
  burst      5000.0/s, the best ten seconds of the first minute
  sustained  3800.0/s over the last 200 s, 76 % of the burst, at 79.5 degrees; 3800.0 to 3800.0/s in ten seconds, 0.0/s deviation
  throttled  after 200 s: its clock was held down after 200 s, the rate went down for good after 200 s
  settled    after 400 s: over the last 200 s the rate changed by +0.0 %, the temperature by +0.0 degrees
"
    );
    let short = SoakReport::of(&Board::plain(|_| 100.0).series(5), LEAST_S).render();
    assert!(
        short.contains("\n  sustained  -\n  throttled  not within this time; its clock is not known\n"),
        "{short}"
    );
    assert!(short.ends_with("\n  settled    no: the run was too short to say\n"), "{short}");
}

#[test]
fn a_burst_is_called_what_it_is() {
    let board = Board::plain(|_| 5000.0);
    for (seconds, best) in [(1, false), (7, false), (9, false), (10, true), (60, true)] {
        let text = SoakReport::of(&board.series(seconds), LEAST_S).render();
        assert_eq!(
            text.contains("/s, the best ten seconds of the first minute\n"),
            best,
            "{seconds}: {text}"
        );
        assert_eq!(text.contains("/s, the mean of a run of less than ten seconds\n"), !best, "{text}");
    }
}

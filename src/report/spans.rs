//! Stretches of time of a run in which something held.

use std::fmt;

use super::SeriesRow;

/// From when to when, in seconds after measuring began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) from_s: f64,
    pub(super) to_s: f64,
}

/// The stretches of rows for which `holds`, row by row, says yes. A row of which it is not known neither ends nor begins one.
pub(super) fn spans(series: &[SeriesRow], holds: impl IntoIterator<Item = Option<bool>>) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut open = false;
    for (row, now) in series.iter().zip(holds) {
        let to_s = row.begin_s + row.length_s;
        match found.last_mut().filter(|_| open) {
            Some(span) if now == Some(true) => span.to_s = to_s,
            None if now == Some(true) => found.push(Span { from_s: row.begin_s, to_s }),
            _ => {}
        }
        open = now.unwrap_or(open);
    }
    found
}

/// Several of them in words: the first, and that there were more.
pub(super) fn in_words(spans: &[Span]) -> String {
    match spans {
        [] => "never".to_owned(),
        [one] => one.to_string(),
        [first, .., last] => {
            format!("{} times from {:.0} s to {:.0} s", spans.len(), first.from_s, last.to_s)
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {:.0} s to {:.0} s", self.from_s, self.to_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rows = &'static [Option<bool>];
    type Expected = &'static [(f64, f64)];

    #[test]
    fn a_second_of_which_nothing_is_known_neither_ends_nor_begins_a_stretch() {
        const YES: Option<bool> = Some(true);
        const NO: Option<bool> = Some(false);
        const UNKNOWN: Option<bool> = None;
        let cases: [(Rows, Expected); 6] = [
            (&[], &[]),
            (&[NO, NO], &[]),
            (&[YES], &[(0.0, 1.0)]),
            (&[NO, YES, YES, NO, YES], &[(1.0, 3.0), (4.0, 5.0)]),
            (&[UNKNOWN, YES, UNKNOWN, YES, UNKNOWN], &[(1.0, 4.0)]),
            (&[YES, UNKNOWN, NO, UNKNOWN, YES], &[(0.0, 1.0), (4.0, 5.0)]),
        ];
        for (seconds, expected) in cases {
            let row = |begin_s| SeriesRow { begin_s, length_s: 1.0, ..SeriesRow::default() };
            let series: Vec<_> = (0..).take(seconds.len()).map(|at| row(f64::from(at))).collect();
            let found = spans(&series, seconds.iter().copied());
            let found: Vec<_> = found.iter().map(|span| (span.from_s, span.to_s)).collect();
            assert_eq!(found, expected, "{seconds:?}");
        }
    }
}

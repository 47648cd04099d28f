//! Long runs: as many points as a picture has columns.

/// One second, or what a row of a series says of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reading {
    /// Its middle, in seconds after the beginning.
    pub(super) at_s: f64,
    /// The number; `None` breaks the line.
    pub(super) value: Option<f64>,
}

/// One point of a line: a second, or several that share a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Its place in seconds.
    pub(super) at_s: f64,
    /// The mean of its seconds.
    pub(super) mean: f64,
    /// The lowest of them.
    pub(super) low: f64,
    /// The highest.
    pub(super) high: f64,
}

/// Cuts `0..end_s` into at most `columns` and gives each the mean, the lowest and the highest of its readings. `None` is a
/// gap: no reading had a number there. With no more readings than columns each is a point of its own.
pub(super) fn thin(readings: &[Reading], end_s: f64, columns: usize) -> Vec<Option<Point>> {
    if readings.len() <= columns {
        let point = |reading: &Reading| {
            let value = reading.value?;
            Some(Point { at_s: reading.at_s, mean: value, low: value, high: value })
        };
        return readings.iter().map(point).collect();
    }
    let mut cells: Vec<Vec<f64>> = vec![Vec::new(); columns];
    for reading in readings {
        cells[column(reading.at_s, end_s, columns)].extend(reading.value);
    }
    let width = end_s / columns as f64;
    let point = |(place, values): (usize, &Vec<f64>)| {
        let (low, high) =
            (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Point { at_s: (place as f64 + 0.5) * width, mean, low, high })
    };
    cells.iter().enumerate().map(point).collect()
}

/// The column that a moment falls into.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped, and NaN becomes 0")]
pub(super) fn column(at_s: f64, end_s: f64, columns: usize) -> usize {
    let place = (at_s / end_s * columns as f64).clamp(0.0, columns as f64) as usize;
    place.min(columns - 1)
}

/// The stretches without gaps.
pub(super) fn stretches(points: &[Option<Point>]) -> impl Iterator<Item = Vec<Point>> {
    points
        .split(Option::is_none)
        .map(|part| part.iter().flatten().copied().collect::<Vec<_>>())
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(count: u32) -> Vec<Reading> {
        let one = |s: u32| Reading { at_s: f64::from(s) + 0.5, value: (s != 7).then_some(f64::from(s % 10)) };
        (0..count).map(one).collect()
    }

    #[test]
    fn a_short_run_keeps_its_seconds_and_its_gaps() {
        let points = thin(&readings(20), 20.0, 100);
        assert_eq!((points.len(), points[7], points[8].map(|point| point.mean)), (20, None, Some(8.0)));
        assert_eq!(stretches(&points).map(|part| part.len()).collect::<Vec<_>>(), [7, 12]);
    }

    #[test]
    fn a_long_run_keeps_its_extremes() {
        let points = thin(&readings(86_400), 86_400.0, 400);
        assert_eq!(points.len(), 400);
        let one = points[200].expect("no gap is that long");
        assert_eq!((one.low, one.high), (0.0, 9.0));
        assert!((one.mean - 4.5).abs() < 0.1, "{one:?}");
    }

    #[test]
    fn moments_outside_fall_into_the_outer_columns() {
        let got = [f64::NAN, -5.0, 0.0, 99.9, 1e300, f64::INFINITY].map(|at| column(at, 100.0, 10));
        assert_eq!(got, [0, 0, 0, 9, 9, 9]);
    }
}

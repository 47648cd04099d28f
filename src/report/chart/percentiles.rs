//! Latency by percentile, as HdrHistogram plots it: each nine is as wide as the others.

use plotters::prelude::DrawingBackend;

use super::axis::Axis;
use super::frame::{Frame, Marks, X_LABELS};
use super::ink::Ink;
use super::legend::{Legend, ROW};
use super::sheet::{Anchor, Rect, Sheet, Size};
use super::thin::Point;
use crate::load::LatencyHistogram;
use crate::report::figures;

/// Points of a curve.
const POINTS: u32 = 240;

/// One curve.
struct Curve {
    name: String,
    /// 1/(1−p) of the last point: so many requests there were.
    count: f64,
    /// 1/(1−p) and microseconds.
    points: Vec<(f64, f64)>,
    /// The percentiles that are written beside the curve: 1/(1−p) and microseconds.
    written: Vec<(f64, f64)>,
}

/// The picture of one run or several.
pub(super) struct PercentilePicture {
    curves: Vec<Curve>,
}

impl Curve {
    fn new(name: String, histogram: &LatencyHistogram) -> Self {
        let count = histogram.count().max(1) as f64;
        let us =
            |inverse: f64| histogram.percentile_us(100.0 * (1.0 - 1.0 / inverse)).map(|us| (inverse, us));
        let inverse = |step: u32| 10f64.powf(count.log10().max(0.5) * f64::from(step) / f64::from(POINTS));
        let nines = [2.0, 10.0, 100.0, 1000.0, 10_000.0];
        Self {
            name,
            count,
            points: (0..=POINTS).filter_map(|step| us(inverse(step))).collect(),
            written: nines.into_iter().filter(|nine| *nine <= count).filter_map(us).collect(),
        }
    }
}

impl PercentilePicture {
    /// Of the latencies of runs with their names; `None` when nothing has finished in any of them.
    pub(super) fn new(runs: &[(String, LatencyHistogram)]) -> Option<Self> {
        let any = runs.iter().any(|(_, histogram)| histogram.count() > 0);
        any.then(|| Self {
            curves: runs.iter().map(|(name, histogram)| Curve::new(name.clone(), histogram)).collect(),
        })
    }

    fn legend(&self, size: Size) -> Option<Legend> {
        let names = self.curves.iter().map(|curve| curve.name.as_str());
        (self.curves.len() > 1).then(|| Legend::new(names, size, 0.0, size.width() - 16.0))
    }

    /// What it needs.
    pub(super) fn height(&self, size: Size) -> f64 {
        let legend = self.legend(size).map_or(0.0, |legend| legend.height + 12.0);
        legend + 16.0 + size.pick(300.0, 230.0) + X_LABELS + 8.0
    }

    /// Draws it.
    pub(super) fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        let size = sheet.size;
        let mut top = 14.0;
        if let Some(legend) = self.legend(size) {
            legend.draw(sheet, (10.0, top + ROW / 2.0));
            top += legend.height + 12.0;
        }
        let area = Rect {
            left: size.label_room(),
            top,
            right: size.width() - size.right_room(),
            bottom: top + size.pick(300.0, 230.0),
        };
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let (least, most) = points()
            .fold((f64::MAX, 0.0), |(least, most): (f64, f64), (_, us)| (least.min(*us), most.max(*us)));
        let most_requests = self.curves.iter().map(|curve| curve.count).fold(1.0, f64::max);
        let width = |label: &str| sheet.width(label, size.small());
        let x = Axis::percentiles(most_requests).fitted(area.right - area.left, width);
        let y = Axis::latency(least, most, 5);
        let frame = Frame { area, x: &x, y: &y, x_labels: true };
        for (at, _) in &x.ticks {
            let across = area.left + x.share(*at) * (area.right - area.left);
            sheet.line(&[(across, area.top), (across, area.bottom)], Ink::Grid, 1.0);
        }
        let Some(mut plot) = frame.draw(sheet, "") else { return };
        let marks = if self.curves.len() > 1 { Marks::Some } else { Marks::None };
        for (place, curve) in self.curves.iter().enumerate() {
            let point =
                |(inverse, us): &(f64, f64)| Some(Point { at_s: *inverse, mean: *us, low: *us, high: *us });
            let points: Vec<_> = curve.points.iter().map(point).collect();
            frame.line(sheet, &mut plot, &points, (place, marks));
        }
        if let [curve] = self.curves.as_slice() {
            write(sheet, &frame, &curve.written);
        }
    }
}

/// Writes latencies to the lower right of their points, where a curve that only rises never is, as far as there is room.
fn write<B: DrawingBackend>(sheet: &Sheet<'_, B>, frame: &Frame<'_>, written: &[(f64, f64)]) {
    let (px, mut free) = (sheet.size.small(), frame.area.left);
    for (inverse, us) in written {
        let (x, y) = frame.place(*inverse, *us);
        sheet.mark(0, (x, y));
        let text = figures::latency(*us);
        let (start, end) = (x + 7.0, x + 7.0 + sheet.width(&text, px));
        // Not over the ticks under the frame, nor beyond it.
        let below = (y + 14.0).min(frame.area.bottom - 9.0);
        if start >= free && end <= frame.area.right && below > y + 6.0 {
            sheet.bold(&text, (start, below), Anchor::Left, px, Ink::Text);
            free = end + 4.0;
        }
    }
}

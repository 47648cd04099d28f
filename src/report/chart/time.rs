//! Requests per second and latency over time, with what went wrong and when the machine was slowed down.

use plotters::prelude::DrawingBackend;

use super::axis::Axis;
use super::frame::{Frame, Marks, TITLE_ABOVE, X_LABELS};
use super::ink::Ink;
use super::legend::{Legend, ROW};
use super::lines::Lines;
use super::sheet::{Anchor, Rect, Sheet, Size};
use super::stretch::{fill, shade, visible};
use super::thin::{Point, Reading, thin};
use crate::report::figures;

/// The picture of one run or several.
pub(super) struct TimePicture {
    names: Vec<String>,
    runs: Vec<Lines>,
    end_s: f64,
}

/// What is between the parts of the picture.
const GAP: f64 = 12.0;
/// The title of a panel, and what is beside it.
const TITLE: f64 = 30.0;
/// A lane: a row of marks, or of stretches.
const LANE: f64 = 22.0;

/// What is above lanes of several runs.
const LANES_TITLE: f64 = 24.0;

/// One line of a panel: its readings, and which line it is.
type Series<'a> = (usize, &'a [Reading]);

impl TimePicture {
    /// Of runs with their names, those that have more than one second; `None` when there is none.
    pub(super) fn new(runs: Vec<(String, Lines)>) -> Option<Self> {
        let end_s = runs.iter().map(|(_, lines)| lines.end_s).fold(0.0, f64::max);
        let drawable =
            runs.iter().any(|(_, lines)| lines.rate.iter().any(|reading| reading.value > Some(0.0)));
        let (names, runs) = runs.into_iter().unzip();
        drawable.then_some(Self { names, runs, end_s })
    }

    /// The panels: title, height, and lines. Of one run, both percentiles are in one panel.
    fn panels(&self) -> Vec<(&'static str, Vec<Series<'_>>)> {
        let all = |of: fn(&Lines) -> &[Reading]| self.runs.iter().map(of).enumerate().collect::<Vec<_>>();
        let rate = ("Requests per second", all(|lines| &lines.rate));
        match self.runs.as_slice() {
            [run] => vec![rate, ("Latency", vec![(0, &run.p50), (1, &run.p99)])],
            _ => vec![
                rate,
                ("Latency, p50", all(|lines| &lines.p50)),
                ("Latency, p99", all(|lines| &lines.p99)),
            ],
        }
    }

    /// Runs that have something in a lane.
    fn lanes(&self, has: fn(&Lines) -> bool) -> Vec<usize> {
        (0..self.runs.len()).filter(|place| has(&self.runs[*place])).collect()
    }

    fn slowed(&self) -> Vec<usize> {
        self.lanes(|lines| !lines.slowed.is_empty())
    }

    fn wrong(&self) -> Vec<usize> {
        self.lanes(|lines| !lines.errors.is_empty())
    }

    /// Height of some lanes, of several runs with a title.
    fn lanes_height(&self, lanes: usize) -> f64 {
        let title = if self.runs.len() > 1 && lanes > 0 { LANES_TITLE } else { 0.0 };
        title + lanes as f64 * LANE
    }

    fn legend(&self, size: Size) -> Option<Legend> {
        let names = self.names.iter().map(String::as_str);
        (self.runs.len() > 1).then(|| Legend::new(names, size, 0.0, size.width() - 16.0))
    }

    fn plot_height(size: Size) -> f64 {
        size.pick(150.0, 126.0)
    }

    /// What it needs.
    pub(super) fn height(&self, size: Size) -> f64 {
        let legend = self.legend(size).map_or(0.0, |legend| legend.height + GAP);
        let lanes = self.lanes_height(self.slowed().len()) + self.lanes_height(self.wrong().len());
        let panels = self.panels().len() as f64 * (TITLE + Self::plot_height(size) + GAP);
        legend + lanes + panels + X_LABELS + GAP
    }

    /// Draws it.
    pub(super) fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        let size = sheet.size;
        let (left, right) = (size.label_room(), size.width() - size.right_room());
        let x = Axis::time(self.end_s, size.time_ticks());
        let mut top = GAP;
        if let Some(legend) = self.legend(size) {
            legend.draw(sheet, (10.0, top + ROW / 2.0));
            top += legend.height + GAP;
        }
        let frame = |top: f64, height: f64| Rect { left, top, right, bottom: top + height };
        self.lanes_title(sheet, &self.slowed(), "Slowed down", (left, top));
        for (number, place) in self.slowed().into_iter().enumerate() {
            let lanes = self.lanes_height(number + 1) - LANE;
            self.slowed_lane(sheet, &x, place, frame(top + lanes, LANE));
        }
        top += self.lanes_height(self.slowed().len());
        let panels = self.panels();
        for (number, (title, lines)) in panels.iter().enumerate() {
            let area = frame(top + TITLE, Self::plot_height(size));
            self.panel(sheet, &x, (title, lines), area, number + 1 == panels.len());
            top = area.bottom + GAP;
            if number == 0 {
                self.lanes_title(sheet, &self.wrong(), "Errors", (left, top));
                for (number, place) in self.wrong().into_iter().enumerate() {
                    let lanes = self.lanes_height(number + 1) - LANE - GAP / 2.0;
                    self.error_lane(sheet, &x, place, frame(top + lanes, LANE));
                }
                top += self.lanes_height(self.wrong().len());
            }
        }
    }

    fn lanes_title<B: DrawingBackend>(
        &self,
        sheet: &Sheet<'_, B>,
        lanes: &[usize],
        title: &str,
        (left, top): (f64, f64),
    ) {
        if self.runs.len() > 1 && !lanes.is_empty() {
            sheet.bold(title, (left, top + LANES_TITLE / 2.0), Anchor::Left, sheet.size.text(), Ink::Text);
        }
    }

    fn panel<B: DrawingBackend>(
        &self,
        sheet: &Sheet<'_, B>,
        x: &Axis,
        (title, lines): (&str, &[Series<'_>]),
        area: Rect,
        last: bool,
    ) {
        let columns = sheet.size.pick(420, 145);
        let points: Vec<Vec<Option<Point>>> =
            lines.iter().map(|(_, readings)| thin(readings, self.end_s, columns)).collect();
        let known = || points.iter().flatten().flatten();
        let (least, most) = known().fold((f64::MAX, 0.0), |(least, most): (f64, f64), point| {
            (least.min(point.low), most.max(point.high))
        });
        let y = match title {
            "Requests per second" => Axis::linear(most, 4, figures::short),
            _ => Axis::latency(least, most, 4),
        };
        let frame = Frame { area, x, y: &y, x_labels: last };
        if let [run] = self.runs.as_slice() {
            shade(sheet, &frame, &run.slowed);
        }
        let Some(mut plot) = frame.draw(sheet, title) else { return };
        let marks = if lines.len() > 1 { Marks::Some } else { Marks::None };
        for ((place, _), points) in lines.iter().zip(&points) {
            frame.line(sheet, &mut plot, points, (*place, marks));
        }
        if self.runs.len() == 1 && lines.len() == 2 {
            let indent = sheet.width(title, sheet.size.text()) + 24.0;
            let legend = Legend::new(["p50", "p99"], sheet.size, indent, area.right - area.left);
            legend.draw(sheet, (area.left, area.top - TITLE_ABOVE));
        }
    }

    /// What a stretch was, above it; with several runs the stretches themselves as well.
    fn slowed_lane<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, x: &Axis, place: usize, lane: Rect) {
        let frame = Frame { area: lane, x, y: x, x_labels: false };
        let (middle, px) = (f64::midpoint(lane.top, lane.bottom), sheet.size.small());
        let several = self.runs.len() > 1;
        if several {
            sheet.mark(place, (lane.left - 14.0, middle));
        } else {
            sheet.text("slowed", (lane.left - 9.0, middle - 3.0), Anchor::Right, px, Ink::Muted);
        }
        let mut free = lane.left;
        for (left, right, stretch) in visible(&frame, &self.runs[place].slowed) {
            if several {
                fill(sheet, Rect { left, right, top: middle - 5.0, bottom: middle + 5.0 });
                continue;
            }
            let bar = Rect { left, right, top: lane.bottom - 6.0, bottom: lane.bottom - 2.0 };
            sheet.fill(bar, Ink::Hatch);
            let width = sheet.width(&stretch.short, px);
            let start = left.min(lane.right - width);
            if start >= free {
                sheet.text(&stretch.short, (start, middle - 3.0), Anchor::Left, px, Ink::Text);
                free = start + width + 10.0;
            }
        }
    }

    /// A cross for each second in which something went wrong, as far as they can be told apart.
    fn error_lane<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, x: &Axis, place: usize, lane: Rect) {
        let frame = Frame { area: lane, x, y: x, x_labels: false };
        let middle = f64::midpoint(lane.top, lane.bottom);
        if self.runs.len() > 1 {
            sheet.mark(place, (lane.left - 14.0, middle));
        } else {
            sheet.text("errors", (lane.left - 9.0, middle), Anchor::Right, sheet.size.small(), Ink::Error);
        }
        let mut next = f64::NEG_INFINITY;
        for (at_s, _) in &self.runs[place].errors {
            let at = frame.across(*at_s);
            if at >= next {
                sheet.cross((at, middle), Ink::Error);
                next = at + 8.0;
            }
        }
    }
}

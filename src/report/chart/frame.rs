//! A pair of axes on a sheet, and lines in them.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::prelude::{Cartesian2d, Color, DrawingBackend, IntoFont, LineSeries};
use plotters::style::{RGBColor, TextStyle};

use super::axis::Axis;
use super::ink::Ink;
use super::sheet::{Anchor, LINE_PER_EM, PARTS, Rect, Sheet, parts};
use super::thin::{Point, stretches};

type Plot<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

/// How far apart the marks on a line are, in pixels.
const MARKS_APART: f64 = 110.0;

/// How far the middle of a title is above its frame.
pub(super) const TITLE_ABOVE: f64 = 14.0;

/// What the labels under a frame need.
pub(super) const X_LABELS: f64 = 26.0;

/// Whether a line has marks on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Here and there, to tell it from others.
    Some,
    /// It is the only line, or is marked in its own way.
    None,
}

/// A rectangle with axes.
pub(super) struct Frame<'a> {
    pub(super) area: Rect,
    pub(super) x: &'a Axis,
    pub(super) y: &'a Axis,
    /// Whether the horizontal axis has its labels here, or another frame under this one has them.
    pub(super) x_labels: bool,
}

impl Frame<'_> {
    /// Where a pair of values is on the sheet.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.across(x), self.area.bottom - self.y.share(self.y.at(y)) * (self.area.bottom - self.area.top))
    }

    /// Where a value of the horizontal axis is.
    pub(super) fn across(&self, x: f64) -> f64 {
        self.area.left + self.x.share(self.x.at(x)) * (self.area.right - self.area.left)
    }

    /// Draws the axes with their labels, and a title above them.
    pub(super) fn draw<'a, B: DrawingBackend>(
        &self,
        sheet: &'a Sheet<'_, B>,
        title: &str,
    ) -> Option<Plot<'a, B>> {
        let size = sheet.size;
        if !title.is_empty() {
            let at = (self.area.left, self.area.top - TITLE_ABOVE);
            sheet.bold(title, at, Anchor::Left, size.text(), Ink::Text);
        }
        let (left, below) = (size.label_room(), if self.x_labels { X_LABELS } else { 0.0 });
        let whole = sheet.root.clone().shrink(
            (parts(self.area.left - left), parts(self.area.top)),
            (parts(self.area.right - self.area.left + left), parts(self.area.bottom - self.area.top + below)),
        );
        let mut builder = ChartBuilder::on(&whole);
        builder.set_label_area_size(LabelAreaPosition::Left, parts(left));
        builder.set_label_area_size(LabelAreaPosition::Bottom, parts(below));
        let mut plot = builder.build_cartesian_2d(self.x.clone(), self.y.clone()).ok()?;
        let colour = Ink::Muted.rgb(sheet.scheme);
        let font = ("sans-serif", size.small() * f64::from(PARTS) * LINE_PER_EM).into_font();
        let label = TextStyle::from(font).color(&colour);
        plot.configure_mesh()
            .disable_x_mesh()
            .bold_line_style(sheet.stroke(Ink::Grid, 1.0))
            .light_line_style(RGBColor(0, 0, 0).mix(0.0))
            .axis_style(sheet.stroke(Ink::Axis, 1.0))
            .label_style(label)
            .set_all_tick_mark_size(PARTS * 3)
            .x_label_formatter(&|at| if self.x_labels { self.x.written(*at) } else { String::new() })
            .y_label_formatter(&|at| self.y.written(*at))
            .draw()
            .ok()?;
        Some(plot)
    }

    /// Draws the line at `place` among others, and how far the seconds of each column are apart.
    pub(super) fn line<B: DrawingBackend>(
        &self,
        sheet: &Sheet<'_, B>,
        plot: &mut Plot<'_, B>,
        points: &[Option<Point>],
        (place, marks): (usize, Marks),
    ) {
        let ink = Ink::Line(place);
        for part in stretches(points) {
            let at = |value: f64, point: &Point| (self.x.at(point.at_s), self.y.at(value));
            let on_sheet = |value: f64, point: &Point| self.place(point.at_s, value);
            if part.iter().any(|point| point.low < point.high) {
                let upper = part.iter().map(|point| on_sheet(point.high, point));
                let lower = part.iter().rev().map(|point| on_sheet(point.low, point));
                sheet.polygon(&upper.chain(lower).collect::<Vec<_>>(), ink, 0.22);
            }
            if part.len() == 1 {
                // A line of one point is none.
                sheet.mark(place, on_sheet(part[0].mean, &part[0]));
                continue;
            }
            let means = part.iter().map(|point| at(point.mean, point));
            let _ = plot.draw_series(LineSeries::new(means, sheet.stroke(ink, 2.0)));
            let Marks::Some = marks else { continue };
            let mut next = f64::NEG_INFINITY;
            // Lines that lie on each other still show all their marks: each begins a little further on.
            let first = self.across(part[0].at_s) + 14.0 * place as f64;
            for point in &part {
                let (x, y) = on_sheet(point.mean, point);
                if x >= first.max(next) {
                    sheet.mark(place, (x, y));
                    next = x + MARKS_APART;
                }
            }
        }
    }
}

//! Clock and temperature over time.

use std::fmt::Write as _;

use plotters::prelude::DrawingBackend;

use super::axis::Axis;
use super::font;
use super::frame::{Frame, Marks, TITLE_ABOVE, X_LABELS};
use super::ink::Ink;
use super::legend::{Legend, ROW};
use super::lines::{end_s, readings, watched};
use super::sheet::{Anchor, Rect, Sheet, Size};
use super::slowed::{Slowed, slowed};
use super::stretch::shade;
use super::thin::{Reading, thin};
use crate::report::{SeriesRow, figures};
use crate::telemetry::Sample;

/// Groups of cores with a clock of their own; no board in use has more than four.
const MOST_CLOCKS: usize = 6;

/// The title of a panel.
const TITLE: f64 = 28.0;

/// What is under a panel.
const GAP: f64 = 10.0;

/// The clocks and the temperature of a machine.
pub(super) struct Machine {
    /// Name and readings in kHz of each group of cores.
    clocks: Vec<(String, Vec<Reading>)>,
    /// In degrees Celsius.
    temperature: Vec<Reading>,
    /// Where the kernel begins to slow the processor down.
    trip_c: Option<f64>,
    slowed: Vec<Slowed>,
    end_s: f64,
}

impl Machine {
    /// Of the board, or of the laptop.
    pub(super) fn new<'a>(series: &[SeriesRow], rows: &[&'a SeriesRow], laptop: bool) -> Self {
        let sample = |row: &'a SeriesRow| watched(row, laptop);
        let first = rows.iter().find_map(|row| sample(row).filter(|sample| !sample.clocks.is_empty()));
        let groups = first.map_or(&[][..], |sample| &sample.clocks);
        let clock = |cpus: &[u32], sample: &Sample| {
            let group = sample.clocks.iter().find(|group| group.cpus == cpus)?;
            Some(group.cur_khz? as f64)
        };
        let clocks = groups.iter().take(MOST_CLOCKS).map(|group| {
            let of_row = |row: &'a SeriesRow| clock(&group.cpus, sample(row)?);
            (named(&group.cpus), readings(rows, of_row))
        });
        let temperature = readings(rows, |row| sample(row)?.cpu_temp_c);
        let known = |readings: &[Reading]| readings.iter().any(|reading| reading.value.is_some());
        Self {
            clocks: clocks.filter(|(_, readings)| known(readings)).collect(),
            trip_c: rows
                .iter()
                .find_map(|row| sample(row)?.throttle_trip_c)
                .filter(|trip| trip.abs() < 1000.0),
            temperature: if known(&temperature) { temperature } else { Vec::new() },
            slowed: if laptop { Vec::new() } else { slowed(series) },
            end_s: end_s(rows),
        }
    }

    /// Says what is drawn.
    pub(super) fn words(&self, out: &mut String) {
        for (name, readings) in &self.clocks {
            let range = (figures::clock(least(&[readings])), figures::clock(most(&[readings])));
            let _ = write!(out, " Clock of {name}: {} to {}.", range.0, range.1);
        }
        if !self.temperature.is_empty() {
            let line = [self.temperature.as_slice()];
            let (low, high) = (figures::degrees(least(&line)), figures::degrees(most(&line)));
            let _ = write!(out, " Temperature: {low} to {high}.");
        }
    }

    fn panels(&self) -> usize {
        usize::from(!self.clocks.is_empty()) + usize::from(!self.temperature.is_empty())
    }

    fn plot_height(size: Size) -> f64 {
        size.pick(80.0, 76.0)
    }

    /// What is which line, beside the title of the clocks and in as many more rows as it needs.
    fn legend(&self, size: Size) -> Legend {
        let indent = font::width("Clock", size.text(), true) + 24.0;
        let names = self.clocks.iter().map(|(name, _)| name.as_str());
        Legend::new(names, size, indent, size.width() - size.right_room() - size.label_room())
    }

    /// What is above the plot of a panel.
    fn title_height(&self, size: Size, clocks: bool) -> f64 {
        if clocks { TITLE + self.legend(size).height - ROW } else { TITLE }
    }

    /// What it needs.
    pub(super) fn height(&self, size: Size) -> f64 {
        let labels = if self.panels() > 0 { X_LABELS } else { 0.0 };
        let titles = self.title_height(size, !self.clocks.is_empty()) - TITLE;
        self.panels() as f64 * (TITLE + Self::plot_height(size) + GAP) + titles + labels
    }

    /// Draws it from the top of `area` on.
    pub(super) fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, x: &Axis, area: Rect) {
        let size = sheet.size;
        let panel = |above: f64, clocks: bool| {
            let top = above + self.title_height(size, clocks);
            Rect { top, bottom: top + Self::plot_height(size), ..area }
        };
        let mut top = area.top;
        if !self.clocks.is_empty() {
            let lines: Vec<&[Reading]> =
                self.clocks.iter().map(|(_, readings)| readings.as_slice()).collect();
            let y =
                Axis::linear(
                    most(&lines),
                    2,
                    |khz| if khz > 0.0 { figures::clock(khz) } else { "0".to_owned() },
                );
            let frame = Frame { area: panel(top, true), x, y: &y, x_labels: self.temperature.is_empty() };
            self.panel(sheet, &frame, ("Clock", top + TITLE - TITLE_ABOVE), &lines);
            self.legend(size).draw(sheet, (area.left, top + TITLE - TITLE_ABOVE));
            top = frame.area.bottom + GAP;
        }
        if !self.temperature.is_empty() {
            let line = [self.temperature.as_slice()];
            let highest = most(&line).max(self.trip_c.unwrap_or(0.0));
            let y = Axis::between(least(&line), highest, 3, figures::degrees);
            let frame = Frame { area: panel(top, false), x, y: &y, x_labels: true };
            self.panel(sheet, &frame, ("Temperature", top + TITLE - TITLE_ABOVE), &line);
            self.trip(sheet, &frame);
        }
    }

    fn panel<B: DrawingBackend>(
        &self,
        sheet: &Sheet<'_, B>,
        frame: &Frame<'_>,
        (title, middle): (&str, f64),
        lines: &[&[Reading]],
    ) {
        shade(sheet, frame, &self.slowed);
        sheet.bold(title, (frame.area.left, middle), Anchor::Left, sheet.size.text(), Ink::Text);
        let Some(mut plot) = frame.draw(sheet, "") else { return };
        let marks = if lines.len() > 1 { Marks::Some } else { Marks::None };
        for (place, readings) in lines.iter().enumerate() {
            let points = thin(readings, self.end_s, sheet.size.pick(420, 145));
            frame.line(sheet, &mut plot, &points, (place, marks));
        }
    }

    /// The trip point, with its name beside the title.
    fn trip<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, frame: &Frame<'_>) {
        let Some(trip) = self.trip_c else { return };
        let (left, y) = frame.place(0.0, trip);
        sheet.line(&[(left, y), (frame.area.right, y)], Ink::Error, 1.2);
        let text = format!("slows down from {} on", figures::degrees(trip));
        let at = (frame.area.right, frame.area.top - TITLE_ABOVE);
        sheet.text(&text, at, Anchor::Right, sheet.size.small(), Ink::Error);
    }
}

fn least(lines: &[&[Reading]]) -> f64 {
    lines.iter().copied().flatten().filter_map(|reading| reading.value).fold(f64::MAX, f64::min)
}

fn most(lines: &[&[Reading]]) -> f64 {
    lines.iter().copied().flatten().filter_map(|reading| reading.value).fold(0.0, f64::max)
}

/// `cores 0–3`, `core 4`, `cores 0, 2`.
fn named(cpus: &[u32]) -> String {
    match cpus {
        [] => "all cores".to_owned(),
        [one] => format!("core {one}"),
        [first, .., last] if (last.wrapping_sub(*first) as usize) + 1 == cpus.len() => {
            format!("cores {first}–{last}")
        }
        many => format!("cores {}", many.iter().take(8).map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

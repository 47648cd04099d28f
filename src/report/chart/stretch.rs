//! Stretches in which something was slowed down, as areas of a picture.

use plotters::prelude::DrawingBackend;

use super::frame::Frame;
use super::ink::Ink;
use super::sheet::{HATCH_APART, Rect, Sheet};
use super::slowed::Slowed;

/// What is shorter is still seen, in pixels.
const NARROWEST: f64 = 1.5;

/// Stretches that are less apart, in pixels, can't be told apart.
const APART: f64 = 2.0;

/// The stretches as a picture can show them: where each begins and ends across a frame, with the first one in it. A clock that
/// goes up and down for a day has ten thousands, and this is a few hundred at most.
pub(super) fn visible<'a>(frame: &Frame<'_>, stretches: &'a [Slowed]) -> Vec<(f64, f64, &'a Slowed)> {
    let mut found: Vec<(f64, f64, &Slowed)> = Vec::new();
    for stretch in stretches {
        let from = frame.across(stretch.from_s);
        let to = frame.across(stretch.to_s).max(from + NARROWEST);
        match found.last_mut() {
            Some(last) if from - last.1 < APART => last.1 = last.1.max(to),
            _ => found.push((from, to, stretch)),
        }
    }
    found
}

/// Shades them in a panel.
pub(super) fn shade<B: DrawingBackend>(sheet: &Sheet<'_, B>, frame: &Frame<'_>, stretches: &[Slowed]) {
    for (left, right, _) in visible(frame, stretches) {
        fill(sheet, Rect { left, right, ..frame.area });
    }
}

/// Fills an area with a shade and a hatching, or one line where it is too narrow for that.
pub(super) fn fill<B: DrawingBackend>(sheet: &Sheet<'_, B>, area: Rect) {
    sheet.fill(area, Ink::Shade);
    if area.right - area.left >= HATCH_APART {
        sheet.hatch(area, Ink::Hatch);
    } else {
        let middle = f64::midpoint(area.left, area.right);
        sheet.line(&[(middle, area.top), (middle, area.bottom)], Ink::Hatch, 1.0);
    }
}

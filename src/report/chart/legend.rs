//! Which line is which: marks with names, in as many rows as they need.

use plotters::prelude::DrawingBackend;

use super::font;
use super::ink::Ink;
use super::sheet::{Anchor, Sheet, Size};

/// Height of a row.
pub(super) const ROW: f64 = 20.0;

/// From the middle of a mark to its name.
const BEFORE: f64 = 12.0;

/// From a name to the next mark.
const BETWEEN: f64 = 20.0;

/// Names with the places of their lines.
pub(super) struct Legend {
    entries: Vec<(usize, String, (f64, f64))>,
    /// What it needs.
    pub(super) height: f64,
}

impl Legend {
    /// Lays names out in `room` pixels of width, the first one `indent` pixels from the left.
    pub(super) fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        size: Size,
        indent: f64,
        room: f64,
    ) -> Self {
        let px = size.small();
        let (mut x, mut row, mut entries) = (indent, 0.0, Vec::new());
        for (place, name) in names.into_iter().enumerate() {
            let name = font::fitted(name, px, room - 2.0 * BEFORE);
            let width = 2.0 * BEFORE + font::width(&name, px, false);
            if x + width > room && x > 0.0 {
                (x, row) = (0.0, row + 1.0);
            }
            entries.push((place, name, (x + 6.0, row * ROW)));
            x += width + BETWEEN - BEFORE;
        }
        Self { entries, height: (row + 1.0) * ROW }
    }

    /// Draws it with the middle of its first row at `top`.
    pub(super) fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, (left, top): (f64, f64)) {
        for (place, name, (x, y)) in &self.entries {
            sheet.mark(*place, (left + x, top + y));
            sheet.text(name, (left + x + BEFORE, top + y), Anchor::Left, sheet.size.small(), Ink::Text);
        }
    }
}

//! The sheet that a picture is drawn on, in pixels as a browser counts them, whatever becomes of it: SVG or PNG.

use plotters::coord::Shift;
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::prelude::{Color, DrawingArea, DrawingBackend, IntoFont, IntoTextStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, ShapeStyle};

use super::font;
use super::ink::{Ink, Scheme};

/// Parts of a pixel that the plotting library counts in: it only knows whole numbers. A PNG of two dots to the pixel gets
/// its smooth edges from the three by three parts of each dot.
pub(super) const PARTS: u32 = 6;

/// The library takes the height of a line for the size of a font, and writes the em into an SVG.
pub(super) const LINE_PER_EM: f64 = 1.24;

/// For which width a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A desk.
    Wide,
    /// A phone, held upright.
    Narrow,
}

impl Size {
    /// Of the whole picture, in pixels.
    pub(super) fn width(self) -> f64 {
        self.pick(960.0, 360.0)
    }

    /// Of text.
    pub(super) fn text(self) -> f64 {
        self.pick(14.0, 12.5)
    }

    /// Of labels.
    pub(super) fn small(self) -> f64 {
        self.pick(13.0, 11.5)
    }

    /// What the labels of the vertical axis need.
    pub(super) fn label_room(self) -> f64 {
        self.pick(70.0, 52.0)
    }

    /// What half a label needs that stands at the right end of the horizontal axis.
    pub(super) fn right_room(self) -> f64 {
        self.pick(30.0, 27.0)
    }

    /// How many ticks a time has room for.
    pub(super) fn time_ticks(self) -> usize {
        self.pick(12, 4)
    }

    /// One of two.
    pub(super) fn pick<T>(self, wide: T, narrow: T) -> T {
        if self == Self::Wide { wide } else { narrow }
    }
}

/// From one line of a hatching to the next, in pixels.
pub(super) const HATCH_APART: f64 = 8.0;

/// A part of the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// How a text stands at its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// What tells lines apart for those who see no colours.
const SHAPES: usize = 6;

/// The sheet.
pub(super) struct Sheet<'a, B: DrawingBackend> {
    pub(super) root: &'a DrawingArea<B, Shift>,
    pub(super) scheme: Scheme,
    pub(super) size: Size,
}

/// Pixels in parts.
#[expect(clippy::cast_possible_truncation, reason = "a place on a sheet; far outside is as good as outside")]
pub(super) fn parts(px: f64) -> i32 {
    (px * f64::from(PARTS)).round() as i32
}

fn corner((x, y): (f64, f64)) -> (i32, i32) {
    (parts(x), parts(y))
}

/// Drawing goes to memory and can't fail, which is why nothing here tells of failures.
impl<B: DrawingBackend> Sheet<'_, B> {
    /// Lines of an ink.
    pub(super) fn stroke(&self, ink: Ink, width: f64) -> ShapeStyle {
        ink.rgb(self.scheme).stroke_width(parts(width).unsigned_abs())
    }

    /// A filled area.
    pub(super) fn fill(&self, area: Rect, ink: Ink) {
        let corners = [corner((area.left, area.top)), corner((area.right, area.bottom))];
        let _ = self.root.draw(&Rectangle::new(corners, ink.rgb(self.scheme).filled()));
    }

    /// A filled polygon.
    pub(super) fn polygon(&self, points: &[(f64, f64)], ink: Ink, opacity: f64) {
        let points: Vec<_> = points.iter().copied().map(corner).collect();
        let _ = self.root.draw(&Polygon::new(points, ink.rgb(self.scheme).mix(opacity).filled()));
    }

    /// A line through points.
    pub(super) fn line(&self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let points: Vec<_> = points.iter().copied().map(corner).collect();
        let _ = self.root.draw(&PathElement::new(points, self.stroke(ink, width)));
    }

    /// An area that is hatched from lower left to upper right.
    pub(super) fn hatch(&self, area: Rect, ink: Ink) {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        let mut start = -((height / HATCH_APART).floor() * HATCH_APART);
        while start < width {
            // The line x = start + t, y = bottom − t, cut off at the sides.
            let (from, to) = ((-start).max(0.0), (width - start).min(height));
            if to - from > 1.0 {
                let at = |t: f64| (area.left + start + t, area.bottom - t);
                self.line(&[at(from), at(to)], ink, 1.0);
            }
            start += HATCH_APART;
        }
    }

    /// A text with its baseline a third of its size below `at`.
    pub(super) fn text(&self, text: &str, at: (f64, f64), anchor: Anchor, px: f64, ink: Ink) {
        self.words(text, at, anchor, (px, FontStyle::Normal), ink);
    }

    /// The same in bold.
    pub(super) fn bold(&self, text: &str, at: (f64, f64), anchor: Anchor, px: f64, ink: Ink) {
        self.words(text, at, anchor, (px, FontStyle::Bold), ink);
    }

    fn words(&self, text: &str, at: (f64, f64), anchor: Anchor, (px, style): (f64, FontStyle), ink: Ink) {
        let side = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let font = ("sans-serif", px * f64::from(PARTS) * LINE_PER_EM).into_font().style(style);
        let colour = ink.rgb(self.scheme);
        let style = font.into_text_style(self.root).color(&colour).pos(Pos::new(side, VPos::Center));
        let _ = self.root.draw_text(text, &style, corner(at));
    }

    /// How wide a text is at most.
    pub(super) fn width(&self, text: &str, px: f64) -> f64 {
        font::width(text, px, false)
    }

    /// The mark of the line at `place`: shape and colour together are its own.
    pub(super) fn mark(&self, place: usize, (x, y): (f64, f64)) {
        let (ink, r) = (Ink::Line(place), 4.2);
        // One more set of shapes when the colours are used up.
        match (place + place / super::ink::COLOURS) % SHAPES {
            0 => {
                let _ = self.root.draw(&Circle::new(corner((x, y)), parts(r), ink.rgb(self.scheme).filled()));
            }
            1 => self.polygon(&[(x - r, y + r), (x + r, y + r), (x, y - r)], ink, 1.0),
            2 => self.polygon(&[(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)], ink, 1.0),
            3 => self.polygon(
                &[(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)],
                ink,
                1.0,
            ),
            4 => self.cross((x, y), ink),
            _ => {
                self.line(&[(x - r, y), (x + r, y)], ink, 2.4);
                self.line(&[(x, y - r), (x, y + r)], ink, 2.4);
            }
        }
    }

    /// A cross, as errors are marked.
    pub(super) fn cross(&self, (x, y): (f64, f64), ink: Ink) {
        let r = 3.4;
        self.line(&[(x - r, y - r), (x + r, y + r)], ink, 2.0);
        self.line(&[(x - r, y + r), (x + r, y - r)], ink, 2.0);
    }
}

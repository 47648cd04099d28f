//! The colours of the pictures, on light and on dark paper.
//!
//! An SVG is drawn in the light ones and carries rules that put the dark ones in their place: its colours are attributes,
//! and each light colour has one use.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// The paper that a picture is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// White.
    Light,
    /// Nearly black.
    Dark,
}

/// What a colour is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Paper,
    Text,
    /// Labels of axes, and what is beside the point.
    Muted,
    Grid,
    Axis,
    /// A span in which the machine was slowed down.
    Shade,
    /// The lines that hatch it.
    Hatch,
    /// A cell of which nothing is known.
    Blank,
    Error,
    /// One of several lines, by its place.
    Line(usize),
    /// How much of a core was used, from 0 to [`HEATS`] less one.
    Heat(usize),
}

/// Colours that tell lines apart: those of Okabe and Ito, darker on white and lighter on black where they would be too
/// faint to be followed (3:1 at the least).
const LINES: [(u32, u32); 6] = [
    (0x0072b2, 0x56b4e9),
    (0xd55e00, 0xf08a4b),
    (0x00875f, 0x2fc49a),
    (0xa8477f, 0xe39ac7),
    (0x7d5b00, 0xe69f00),
    (0x4d4d4e, 0xc8c8c9),
];

/// How busy a core was, on light paper: from nearly white to dark blue, ColorBrewer's Blues. Only the lightness counts, so
/// every kind of eye sees the steps, and so does a printer without colours.
const BLUES: [u32; HEATS] =
    [0xf3f7fb, 0xdfebf7, 0xc9ddf0, 0xabcfe6, 0x82badb, 0x5aa2cf, 0x3787c0, 0x1b6aaf, 0x0b4d94, 0x08306b];

/// The same on dark paper: Cividis, made for every kind of eye, from dark blue to yellow.
const CIVIDIS: [u32; HEATS] =
    [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838];

/// Steps of [`Ink::Heat`].
pub(super) const HEATS: usize = 10;

/// How many lines have a colour of their own.
pub(super) const COLOURS: usize = LINES.len();

impl Ink {
    /// Every ink.
    fn all() -> impl Iterator<Item = Self> {
        let single = [
            Self::Paper,
            Self::Text,
            Self::Muted,
            Self::Grid,
            Self::Axis,
            Self::Shade,
            Self::Hatch,
            Self::Blank,
            Self::Error,
        ];
        single.into_iter().chain((0..COLOURS).map(Self::Line)).chain((0..HEATS).map(Self::Heat))
    }

    /// On light paper and on dark.
    fn both(self) -> (u32, u32) {
        match self {
            Self::Paper => (0xffffff, 0x12161b),
            Self::Text => (0x1b1f24, 0xe6eaef),
            Self::Muted => (0x57606a, 0x9da7b3),
            Self::Grid => (0xe3e7eb, 0x2b323a),
            Self::Axis => (0x9aa3ad, 0x5b6570),
            Self::Shade => (0xfbecd0, 0x332a17),
            Self::Hatch => (0xeacb90, 0x5e4920),
            Self::Blank => (0xeef0f2, 0x1e242b),
            Self::Error => (0xb3261e, 0xff8a80),
            Self::Line(place) => LINES[place % COLOURS],
            // What is busy stands out from the paper, whatever the paper is.
            Self::Heat(step) => (BLUES[step.min(HEATS - 1)], CIVIDIS[step.min(HEATS - 1)]),
        }
    }

    /// As the plotting library has it.
    pub(super) fn rgb(self, scheme: Scheme) -> RGBColor {
        let (light, dark) = self.both();
        let [_, red, green, blue] = if scheme == Scheme::Light { light } else { dark }.to_be_bytes();
        RGBColor(red, green, blue)
    }

    /// As an attribute of an SVG has it.
    pub(super) fn hex(self, scheme: Scheme) -> String {
        let RGBColor(red, green, blue) = self.rgb(scheme);
        format!("#{red:02X}{green:02X}{blue:02X}")
    }
}

/// Style rules that turn a light picture into a dark one, for those who prefer that on a screen; paper stays white.
#[must_use]
pub fn dark_rules() -> String {
    let mut rules = String::from("@media screen and (prefers-color-scheme:dark){");
    for ink in Ink::all() {
        let (light, dark) = (ink.hex(Scheme::Light), ink.hex(Scheme::Dark));
        // Writing to a string can't fail.
        let _ =
            write!(rules, "svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}");
    }
    rules + "}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_light_colour_has_one_use() {
        let mut seen: Vec<u32> = Ink::all().map(|ink| ink.both().0).collect();
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(rgb: RGBColor) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb.0) + 0.7152 * linear(rgb.1) + 0.0722 * linear(rgb.2)
    }

    fn contrast(one: Ink, other: Ink, scheme: Scheme) -> f64 {
        let (one, other) = (luminance(one.rgb(scheme)), luminance(other.rgb(scheme)));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn lines_and_words_stand_out_from_the_paper_and_the_shade() {
        for scheme in [Scheme::Light, Scheme::Dark] {
            for words in [Ink::Text, Ink::Muted, Ink::Error] {
                let got = contrast(words, Ink::Paper, scheme);
                assert!(got >= 4.5, "{words:?} on {scheme:?} paper: {got:.2}");
            }
            for place in 0..COLOURS {
                for paper in [Ink::Paper, Ink::Shade] {
                    let got = contrast(Ink::Line(place), paper, scheme);
                    assert!(got >= 3.0, "line {place} on {paper:?}, {scheme:?}: {got:.2}");
                }
            }
        }
    }

    #[test]
    fn heat_grows_in_even_steps_away_from_the_paper() {
        for scheme in [Scheme::Light, Scheme::Dark] {
            let steps: Vec<f64> =
                (0..HEATS).map(|step| contrast(Ink::Heat(step), Ink::Paper, scheme)).collect();
            assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{scheme:?}: {steps:?}");
        }
    }
}

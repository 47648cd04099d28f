//! The letters of the pictures: Noto Sans, which boardctl brings along, so that a PNG has words on a machine without fonts
//! and the width of a text is known before it is drawn.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};

/// What a browser may use instead is up to a tenth wider, such as DejaVu Sans.
const SLACK: f64 = 1.1;

/// One of the two weights.
pub(super) fn face(bold: bool) -> &'static FontRef<'static> {
    static FACES: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
        [notosans::REGULAR_TTF, notosans::BOLD_TTF]
            .map(|bytes| FontRef::try_from_slice(bytes).expect("the fonts are whole"))
    });
    &FACES[usize::from(bold)]
}

/// The scale at which a letter M's square, the em, is `px` high.
pub(super) fn scale(face: &FontRef<'_>, px: f32) -> PxScale {
    let em = face.units_per_em().unwrap_or(1000.0);
    PxScale::from(px * face.height_unscaled() / em)
}

/// How wide `text` is at most, in pixels, where the em is `px`.
#[expect(clippy::cast_possible_truncation, reason = "a size of some pixels")]
pub(super) fn width(text: &str, px: f64, bold: bool) -> f64 {
    let face = face(bold);
    let scaled = face.as_scaled(scale(face, px as f32));
    let advances: f32 = text.chars().map(|c| scaled.h_advance(scaled.glyph_id(c))).sum();
    f64::from(advances) * SLACK
}

/// `text`, or as much of its beginning and end as fits into `room` pixels, with an ellipsis in the middle.
pub(super) fn fitted(text: &str, px: f64, room: f64) -> String {
    if width(text, px, false) <= room {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let (head, tail) = (&chars[..head], &chars[chars.len() - tail..]);
        head.iter().chain(&['…']).chain(tail).collect::<String>()
    };
    // What is kept grows with the number of letters, so the most that fits is found by halving; a text from a file may be
    // of any length.
    let (mut fits, mut too_many) = (0, chars.len());
    while too_many - fits > 1 {
        let middle = fits.midpoint(too_many);
        if width(&cut(middle), px, false) <= room { fits = middle } else { too_many = middle }
    }
    cut(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_in_the_middle_to_what_fits() {
        assert_eq!(fitted("run", 12.0, 100.0), "run");
        let cut = fitted("a-very-long-name-of-a-run-on-some-board", 12.0, 100.0);
        assert!(cut.starts_with("a-v") && cut.contains('…') && cut.ends_with('d'), "{cut}");
        assert!(width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fitted("wide", 12.0, 1.0), "…");
        assert!(width("WWW", 12.0, true) > width("WWW", 12.0, false));
    }
}

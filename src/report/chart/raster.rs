//! Pictures as PNG.
//!
//! The plotting library's own bitmap is drawn three times as fine as wanted and made smaller, which gives smooth edges. Its
//! words come from the font that boardctl brings: they look the same on a machine without fonts, and stand where they
//! stand in the SVG.

use ab_glyph::{Font, ScaleFont, point};
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, RGBColor};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendStyle, BackendTextStyle, DrawingErrorKind, FontStyle};

use super::ink::{Ink, Scheme};
use super::sheet::{LINE_PER_EM, PARTS, Sheet, Size};
use super::{Picture, font, vector};

/// Dots of the PNG to a pixel, for screens that are so fine.
const DOTS: u32 = 2;

/// Parts of a dot, across and down.
const FINE: u32 = PARTS / DOTS;

/// Height of a small letter in Noto Sans, in ems.
const X_HEIGHT: f32 = 0.536;

/// Draws a picture and packs it.
pub(super) fn png(picture: &Picture, size: Size, scheme: Scheme) -> Vec<u8> {
    let (width, height) = vector::measures(picture, size, true);
    let (fine_width, fine_height) = (width * PARTS, height * PARTS);
    let RGBColor(red, green, blue) = Ink::Paper.rgb(scheme);
    let mut fine = [red, green, blue].repeat(fine_width as usize * fine_height as usize);
    {
        let root =
            Bitmap(BitMapBackend::with_buffer(&mut fine, (fine_width, fine_height))).into_drawing_area();
        picture.draw_titled(&Sheet { root: &root, scheme, size });
    }
    let (width, height) = (width * DOTS, height * DOTS);
    pack(&smaller(&fine, fine_width as usize), width, height)
}

/// Red, green and blue.
const CHANNELS: usize = 3;

/// The mean of each [`FINE`] by [`FINE`] parts.
#[expect(clippy::cast_possible_truncation, reason = "the mean of bytes is a byte")]
fn smaller(fine: &[u8], fine_width: usize) -> Vec<u8> {
    let (side, row_bytes) = (FINE as usize, fine_width * CHANNELS);
    let mut dots = Vec::with_capacity(fine.len() / (side * side));
    let mut sums = vec![0u16; row_bytes / side];
    for rows in fine.chunks_exact(row_bytes * side) {
        sums.fill(0);
        for row in rows.chunks_exact(row_bytes) {
            for (dot, parts) in sums.chunks_exact_mut(CHANNELS).zip(row.chunks_exact(CHANNELS * side)) {
                for part in parts.chunks_exact(CHANNELS) {
                    dot.iter_mut().zip(part).for_each(|(sum, value)| *sum += u16::from(*value));
                }
            }
        }
        dots.extend(sums.iter().map(|sum| (*sum / (FINE * FINE) as u16) as u8));
    }
    dots
}

fn pack(dots: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Memory takes all bytes, and the size is that of the dots.
    let _ = encoder.write_header().and_then(|mut writer| writer.write_image_data(dots));
    out
}

/// The plotting library's bitmap, with words of our own.
struct Bitmap<'a>(BitMapBackend<'a>);

type Failure<B> = DrawingErrorKind<<B as DrawingBackend>::ErrorType>;

impl<'a> DrawingBackend for Bitmap<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Result<(), Failure<Self>> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), Failure<Self>> {
        self.0.present()
    }

    fn draw_pixel(&mut self, at: (i32, i32), colour: BackendColor) -> Result<(), Failure<Self>> {
        self.0.draw_pixel(at, colour)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: (i32, i32),
        to: (i32, i32),
        style: &S,
    ) -> Result<(), Failure<Self>> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: (i32, i32),
        bottom_right: (i32, i32),
        style: &S,
        fill: bool,
    ) -> Result<(), Failure<Self>> {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }

    #[expect(clippy::cast_possible_truncation, reason = "places on a sheet")]
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: (i32, i32),
    ) -> Result<(), Failure<Self>> {
        let face = font::face(matches!(style.style(), FontStyle::Bold));
        let em = (style.size() / LINE_PER_EM) as f32;
        let scaled = face.as_scaled(font::scale(face, em));
        let width: f32 = text.chars().map(|c| scaled.h_advance(scaled.glyph_id(c))).sum();
        let anchor = style.anchor();
        let mut x = at.0 as f32
            - match anchor.h_pos {
                HPos::Left => 0.0,
                HPos::Center => width / 2.0,
                HPos::Right => width,
            };
        // The baseline is where the SVG has it.
        let baseline = at.1 as f32
            + match anchor.v_pos {
                VPos::Top => 0.76 * em,
                VPos::Center => 0.5 * X_HEIGHT * em,
                VPos::Bottom => -0.5 * X_HEIGHT * em,
            };
        for c in text.chars() {
            let glyph = scaled.glyph_id(c).with_scale_and_position(scaled.scale(), point(x, baseline));
            x += scaled.h_advance(glyph.id);
            let Some(outline) = face.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|across, down, share| {
                let place = (corner.x as i32 + across as i32, corner.y as i32 + down as i32);
                let _ = self.0.draw_pixel(place, style.color().mix(f64::from(share.min(1.0))));
            });
        }
        Ok(())
    }
}

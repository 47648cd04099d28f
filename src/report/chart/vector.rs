//! Pictures as SVG.

use plotters::prelude::{IntoDrawingArea, SVGBackend};

use super::ink::{Ink, Scheme, dark_rules};
use super::sheet::{PARTS, Sheet, Size, parts};
use super::{Picture, TITLE};

/// What holds in every picture, wherever it stands.
const RULES: &str = "text{font-family:'Noto Sans','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\
                     polyline{stroke-linejoin:round;stroke-linecap:round}rect{shape-rendering:crispEdges}";

/// A document of its own, with its paper and its rules.
pub(super) fn document(picture: &Picture, size: Size) -> String {
    let (width, height) = measures(picture, size, true);
    let (title, description) = (escaped(&picture.title), escaped(&picture.description));
    let (whole_width, whole_height) = (width * PARTS, height * PARTS);
    let (paper, rules, body) = (Ink::Paper.hex(Scheme::Light), dark_rules(), body(picture, size, true));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {whole_width} {whole_height}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{title}</title>\n<desc id=\"description\">{description}</desc>\n\
         <style>{RULES}{rules}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/>\n{body}</svg>\n"
    )
}

/// A part of a page.
pub(super) fn part(picture: &Picture, size: Size, id: &str) -> String {
    let (width, height) = measures(picture, size, false);
    let (title, description) = (escaped(&picture.title), escaped(&picture.description));
    let (whole_width, whole_height) = (width * PARTS, height * PARTS);
    let (class, body) = (size.pick("wide", "narrow"), body(picture, size, false));
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {whole_width} {whole_height}\" role=\"img\" \
         aria-labelledby=\"{id}-{class}-title {id}-{class}-description\">\n\
         <title id=\"{id}-{class}-title\">{title}</title>\n\
         <desc id=\"{id}-{class}-description\">{description}</desc>\n{body}</svg>\n"
    )
}

/// In whole pixels, with or without the title.
pub(super) fn measures(picture: &Picture, size: Size, titled: bool) -> (u32, u32) {
    let whole = |px: f64| parts(px.ceil()).unsigned_abs() / PARTS;
    (whole(size.width()), whole(picture.height(size) + if titled { TITLE } else { 0.0 }))
}

/// What the plotting library draws, without its own root element and without attributes that say what holds anyway.
fn body(picture: &Picture, size: Size, titled: bool) -> String {
    let (width, height) = measures(picture, size, titled);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (width * PARTS, height * PARTS)).into_drawing_area();
        let sheet = Sheet { root: &root, scheme: Scheme::Light, size };
        if titled {
            picture.draw_titled(&sheet);
        } else {
            picture.draw(&sheet);
        }
        // Only closes the root element: memory takes all.
        let _ = root.present();
    }
    let inner = text.split_once('>').map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>");
    // Texts have their quotes escaped: none of this can be in one.
    inner
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace(" font-family=\"sans-serif\"", "")
        .replace(">\n</text>", "></text>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! Pictures of runs: values in, SVG or PNG out.
//!
//! A [`Picture`] says what it shows in words as well. It is drawn for a desk or for a phone, since one that fits the desk
//! can't be read on the phone. An SVG follows the reader's choice of light or dark; a PNG is one or the other.

mod axis;
mod cores;
mod font;
mod frame;
mod ink;
mod legend;
mod lines;
mod machine;
mod percentiles;
mod raster;
mod sheet;
mod slowed;
mod stretch;
mod thin;
mod time;
mod vector;
mod words;

pub use ink::{Scheme, dark_rules};
pub use sheet::Size;
pub use slowed::{Slowed, slowed};

use cores::CoresPicture;
use ink::Ink;
use lines::Lines;
use percentiles::PercentilePicture;
use plotters::prelude::DrawingBackend;
use sheet::{Anchor, Sheet, parts};
use time::TimePicture;

use super::{RunReport, figures};
use crate::load::HistogramError;

/// A run with the name that it has in pictures.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The name.
    pub name: &'a str,
    /// The run.
    pub run: &'a RunReport,
}

/// A run whose latencies are no histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: its latencies can't be read: {source}")]
pub struct Unreadable {
    /// The name of the run.
    pub name: String,
    /// Why not.
    pub source: HistogramError,
}

/// A picture.
pub struct Picture {
    /// What it is, in a few words.
    pub title: String,
    /// What it shows, with its numbers, for those who don't see it.
    pub description: String,
    /// Of which run or runs it is, for a picture that stands alone.
    subtitle: String,
    drawing: Drawing,
}

enum Drawing {
    Time(TimePicture),
    Percentiles(PercentilePicture),
    Cores(CoresPicture),
}

/// More runs than this are not drawn over each other: nobody could tell them apart.
pub const MOST_RUNS: usize = 12;

/// Height of the title of a picture that stands alone, in pixels.
const TITLE: f64 = 54.0;

/// What is left free at its sides.
const MARGIN: f64 = 14.0;

impl Picture {
    /// Requests per second and latency over the time of some runs, at most [`MOST_RUNS`]; `None` where nothing finished.
    #[must_use]
    pub fn time(runs: &[Named<'_>]) -> Option<Self> {
        let lines = |named: &Named<'_>| (figures::plain(named.name), Lines::of(named.run));
        let subtitle = subtitle(runs);
        let runs: Vec<_> = runs.iter().take(MOST_RUNS).map(lines).collect();
        let description = words::time(&runs);
        let drawing = Drawing::Time(TimePicture::new(runs)?);
        let title = "Requests per second and latency over time".to_owned();
        Some(Self { title, description, subtitle, drawing })
    }

    /// Latency by percentile of some runs, at most [`MOST_RUNS`]; `None` where nothing finished.
    ///
    /// # Errors
    /// When a histogram of a run is none.
    pub fn percentiles(runs: &[Named<'_>]) -> Result<Option<Self>, Unreadable> {
        let histogram = |named: &Named<'_>| {
            let name = figures::plain(named.name);
            match named.run.histograms.latency() {
                Ok(histogram) => Ok((name, histogram)),
                Err(source) => Err(Unreadable { name, source }),
            }
        };
        let subtitle = subtitle(runs);
        let runs = runs.iter().take(MOST_RUNS).map(histogram).collect::<Result<Vec<_>, Unreadable>>()?;
        let description = words::percentiles(&runs);
        let drawing = PercentilePicture::new(&runs).map(Drawing::Percentiles);
        let title = "Latency by percentile".to_owned();
        Ok(drawing.map(|drawing| Self { title, description, subtitle, drawing }))
    }

    /// Load per core, clock and temperature of the board during a run, or else of the laptop; `None` when neither was
    /// watched.
    #[must_use]
    pub fn cores(named: Named<'_>) -> Option<Self> {
        let picture = CoresPicture::new(named.run)?;
        let whose = if picture.laptop { " of the laptop" } else { "" };
        let title = format!("Load per core{whose} over time");
        let (subtitle, description) = (subtitle(&[named]), words::cores(&picture));
        Some(Self { title, description, subtitle, drawing: Drawing::Cores(picture) })
    }

    /// As a document of its own.
    #[must_use]
    pub fn svg(&self, size: Size) -> String {
        vector::document(self, size)
    }

    /// As a part of an HTML page. `id` is its own on that page, and the page has [`dark_rules`].
    #[must_use]
    pub fn inline_svg(&self, size: Size, id: &str) -> String {
        vector::part(self, size, id)
    }

    /// As a PNG of two dots to a pixel.
    #[must_use]
    pub fn png(&self, size: Size, scheme: Scheme) -> Vec<u8> {
        raster::png(self, size, scheme)
    }

    fn height(&self, size: Size) -> f64 {
        match &self.drawing {
            Drawing::Time(picture) => picture.height(size),
            Drawing::Percentiles(picture) => picture.height(size),
            Drawing::Cores(picture) => picture.height(size),
        }
    }

    /// With a title, for a picture that stands alone.
    fn draw_titled<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        let size = sheet.size;
        let room = size.width() - 2.0 * MARGIN;
        let (title, subtitle) = (&self.title, font::fitted(&self.subtitle, size.small(), room));
        sheet.bold(title, (MARGIN, 20.0), Anchor::Left, size.pick(17.0, 14.0), Ink::Text);
        sheet.text(&subtitle, (MARGIN, 42.0), Anchor::Left, size.small(), Ink::Muted);
        let below =
            sheet.root.clone().shrink((0, parts(TITLE)), (parts(size.width()), parts(self.height(size))));
        self.draw(&Sheet { root: &below, ..*sheet });
    }

    fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        match &self.drawing {
            Drawing::Time(picture) => picture.draw(sheet),
            Drawing::Percentiles(picture) => picture.draw(sheet),
            Drawing::Cores(picture) => picture.draw(sheet),
        }
    }
}

/// Of which runs a picture is: of one the URL, the length, the connections and the rate that was asked for.
fn subtitle(runs: &[Named<'_>]) -> String {
    match runs {
        [one] => {
            let (url, length) = (figures::plain(&one.run.url), figures::moment(one.run.duration_s));
            let rate = one.run.settings.rate.as_deref().map(figures::plain);
            let rate = rate.map_or_else(String::new, |rate| format!(", open loop of {rate} a second"));
            format!("{url}, {length}, {} connections{rate}", one.run.connections.asked)
        }
        many => format!("{} runs", many.len()),
    }
}

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
mod thin;
mod time;
mod vector;
mod words;

pub use ink::{Scheme, dark_rules};
pub use sheet::Size;
pub use slowed::{Slowed, slowed};

use cores::CoresPicture;
use lines::Lines;
use percentiles::PercentilePicture;
use plotters::prelude::DrawingBackend;
use sheet::Sheet;
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

/// A picture.
pub struct Picture {
    /// What it is, in a few words.
    pub title: String,
    /// What it shows, with its numbers, for those who don't see it.
    pub description: String,
    drawing: Drawing,
}

enum Drawing {
    Time(TimePicture),
    Percentiles(PercentilePicture),
    Cores(CoresPicture),
}

/// More runs than this are not drawn over each other: nobody could tell them apart.
pub const MOST_RUNS: usize = 12;

impl Picture {
    /// Requests per second and latency over the time of some runs, at most [`MOST_RUNS`]; `None` where nothing finished.
    #[must_use]
    pub fn time(runs: &[Named<'_>]) -> Option<Self> {
        let lines = |named: &Named<'_>| (figures::plain(named.name), Lines::of(named.run));
        let runs: Vec<_> = runs.iter().take(MOST_RUNS).map(lines).collect();
        let description = words::time(&runs);
        let drawing = Drawing::Time(TimePicture::new(runs)?);
        Some(Self { title: "Requests per second and latency over time".to_owned(), description, drawing })
    }

    /// Latency by percentile of some runs, at most [`MOST_RUNS`]; `None` where nothing finished.
    ///
    /// # Errors
    /// When a histogram of a run is none.
    pub fn percentiles(runs: &[Named<'_>]) -> Result<Option<Self>, HistogramError> {
        let histogram = |named: &Named<'_>| Ok((figures::plain(named.name), named.run.histograms.latency()?));
        let runs = runs.iter().take(MOST_RUNS).map(histogram).collect::<Result<Vec<_>, HistogramError>>()?;
        let description = words::percentiles(&runs);
        let drawing = PercentilePicture::new(runs).map(Drawing::Percentiles);
        Ok(drawing.map(|drawing| Self { title: "Latency by percentile".to_owned(), description, drawing }))
    }

    /// Load per core, clock and temperature of the board during a run, or else of the laptop; `None` when neither was
    /// watched.
    #[must_use]
    pub fn cores(run: &RunReport) -> Option<Self> {
        let picture = CoresPicture::new(run)?;
        let whose = if picture.laptop { " of the laptop" } else { "" };
        let title = format!("Load per core{whose} over time");
        Some(Self { title, description: words::cores(&picture), drawing: Drawing::Cores(picture) })
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

    fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        match &self.drawing {
            Drawing::Time(picture) => picture.draw(sheet),
            Drawing::Percentiles(picture) => picture.draw(sheet),
            Drawing::Cores(picture) => picture.draw(sheet),
        }
    }
}

//! Load per core over time as a heat map, with the network's share of it, and clock and temperature under it.

use std::collections::BTreeSet;

use plotters::prelude::DrawingBackend;

use super::axis::Axis;
use super::ink::{HEATS, Ink};
use super::lines::{MISSING_S, end_s, in_order, watched};
use super::machine::Machine;
use super::sheet::{Anchor, Rect, Sheet, Size};
use super::thin::column;
use crate::board::CoreLoad;
use crate::report::{RunReport, SeriesRow};

/// More cores than this are not drawn: their rows would be thinner than a line.
const MOST_CORES: usize = 128;

/// Cells of a picture, at most: what is more makes a page heavy and shows nothing more.
const MOST_CELLS: usize = 6000;

/// From this height on a row has room for the network's share.
const SPLIT_FROM: f64 = 14.0;

/// Above the cells.
const TOP: f64 = 8.0;

/// Below the cells, with their times and what their colours mean.
const SCALE: f64 = 54.0;

/// How much of a core was used, and how much of it by network interrupts; `None` where that is not known.
type Load = Option<(f64, f64)>;

/// Those of all cores in one second.
type Loads = Vec<Load>;

/// A second, or a time of which nothing is known.
struct Second {
    from_s: f64,
    to_s: f64,
    /// Of each of the cores.
    loads: Loads,
}

/// Load of each core in each column; `None` where it is not known.
pub(super) struct CoresPicture {
    cores: Vec<u32>,
    /// The seconds, and the times between them of which there are no rows.
    seconds: Vec<Second>,
    machine: Machine,
    end_s: f64,
    /// It is not the board, which gave nothing, but the laptop.
    pub(super) laptop: bool,
}

impl CoresPicture {
    /// Of what the board gave, or else of the laptop; `None` when neither was watched.
    pub(super) fn new(report: &RunReport) -> Option<Self> {
        let rows = in_order(&report.series);
        let laptop =
            !rows.iter().any(|row| row.board.as_ref().is_some_and(|sample| !sample.cores.is_empty()));
        let known = || rows.iter().filter_map(|row| watched(row, laptop));
        let cores: BTreeSet<u32> = known().flat_map(|sample| sample.cores.keys().copied()).collect();
        let cores: Vec<u32> = cores.into_iter().take(MOST_CORES).collect();
        let seconds = seconds(&rows, &cores, laptop);
        let end_s = end_s(&rows);
        let machine = Machine::new(&report.series, &rows, laptop);
        (!cores.is_empty()).then_some(Self { cores, seconds, machine, end_s, laptop })
    }

    /// The cores in the picture.
    pub(super) fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// Mean load of each core, all of it and that of network interrupts; `None` where it was never known.
    pub(super) fn means(&self) -> Loads {
        let mean = |place: usize| mean(self.seconds.iter().filter_map(|second| second.loads[place]));
        (0..self.cores.len()).map(mean).collect()
    }

    /// Clock and temperature.
    pub(super) fn machine(&self) -> &Machine {
        &self.machine
    }

    fn row_height(&self, size: Size) -> f64 {
        (size.pick(320.0, 260.0) / self.cores.len() as f64).clamp(4.0, size.pick(28.0, 24.0))
    }

    /// What it needs.
    pub(super) fn height(&self, size: Size) -> f64 {
        TOP + self.row_height(size) * self.cores.len() as f64 + SCALE + self.machine.height(size) + 10.0
    }

    /// Draws it.
    pub(super) fn draw<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>) {
        let size = sheet.size;
        let (left, right) = (size.label_room(), size.width() - size.right_room());
        let area =
            Rect { left, right, top: TOP, bottom: TOP + self.row_height(size) * self.cores.len() as f64 };
        let x = Axis::time(self.end_s, size.time_ticks());
        self.cells(sheet, &x, area);
        self.names(sheet, area);
        for (at, label) in &x.ticks {
            let at = left + x.share(*at) * (right - left);
            sheet.line(&[(at, area.bottom), (at, area.bottom + 4.0)], Ink::Axis, 1.0);
            sheet.text(label, (at, area.bottom + 13.0), Anchor::Middle, size.small(), Ink::Muted);
        }
        self.scale(sheet, (left, area.bottom + 38.0));
        self.machine.draw(sheet, &x, Rect { top: area.bottom + SCALE, ..area });
    }

    /// The columns: load of each core, as the mean of the seconds in it.
    fn columns(&self, size: Size) -> Vec<Loads> {
        let most = size.pick(420, 140).min(MOST_CELLS / self.cores.len()).max(20);
        if self.seconds.len() <= most {
            return self.seconds.iter().map(|second| second.loads.clone()).collect();
        }
        let mut columns: Vec<Vec<&Loads>> = vec![Vec::new(); most];
        for second in &self.seconds {
            let middle = f64::midpoint(second.from_s, second.to_s);
            columns[column(middle, self.end_s, most)].push(&second.loads);
        }
        let core = |rows: &[&Loads], place: usize| mean(rows.iter().filter_map(|row| row[place]));
        columns.iter().map(|rows| (0..self.cores.len()).map(|place| core(rows, place)).collect()).collect()
    }

    /// Where the columns begin and end, in pixels.
    fn edges(&self, columns: usize, x: &Axis, area: Rect) -> Vec<f64> {
        let across = |s: f64| area.left + x.share(x.at(s)) * (area.right - area.left);
        if columns != self.seconds.len() {
            let width = self.end_s / columns as f64;
            return (0..=columns).map(|place| across(width * place as f64)).collect();
        }
        let mut edges: Vec<f64> = vec![area.left];
        // What little is between two rows is halved. Rows that overlap, as nobody writes them, end where the next begins.
        let mut furthest = area.left;
        edges.extend(self.seconds.windows(2).map(|pair| {
            furthest = across(f64::midpoint(pair[0].to_s, pair[1].from_s)).max(furthest);
            furthest
        }));
        edges.push(across(self.end_s));
        edges
    }

    fn cells<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, x: &Axis, area: Rect) {
        let columns = self.columns(sheet.size);
        let edges = self.edges(columns.len(), x, area);
        let height = self.row_height(sheet.size);
        // The upper part of a row is all of the load, the lower one that of network interrupts.
        let (split, gap) = if height >= SPLIT_FROM { (0.66, 2.0) } else { (1.0, 0.0) };
        for row in 0..self.cores.len() {
            let top = area.top + height * row as f64;
            let (middle, bottom) = (top + (height - gap) * split, top + height - gap);
            let busy = |cell: Load| cell.map_or(Ink::Blank, |(busy, _)| heat(busy));
            let network = |cell: Load| cell.map_or(Ink::Blank, |(_, network)| heat(network));
            let of_row =
                |ink: &dyn Fn(Load) -> Ink| columns.iter().map(|loads| ink(loads[row])).collect::<Vec<Ink>>();
            strip(sheet, &of_row(&busy), &edges, (top, middle));
            if split < 1.0 {
                strip(sheet, &of_row(&network), &edges, (middle, bottom));
            }
        }
    }

    /// The names of the cores, as many as have room.
    fn names<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, area: Rect) {
        let height = self.row_height(sheet.size);
        let mut next = 0.0;
        for (row, core) in self.cores.iter().enumerate() {
            let middle = area.top + height * (row as f64 + 0.5) - 1.0;
            if middle >= next {
                let at = (area.left - 9.0, middle);
                sheet.text(&format!("core {core}"), at, Anchor::Right, sheet.size.small(), Ink::Muted);
                next = middle + 17.0;
            }
        }
    }

    /// What the colours mean.
    fn scale<B: DrawingBackend>(&self, sheet: &Sheet<'_, B>, (left, middle): (f64, f64)) {
        let (size, px) = (sheet.size, sheet.size.small());
        let width = size.pick(18.0, 9.0);
        sheet.text("0 %", (left - 9.0, middle), Anchor::Right, px, Ink::Muted);
        for step in 0..HEATS {
            let from = left + width * step as f64;
            let cell = Rect { left: from, right: from + width, top: middle - 6.0, bottom: middle + 6.0 };
            sheet.fill(cell, Ink::Heat(step));
        }
        let end = left + width * HEATS as f64 + 8.0;
        let words = match (self.row_height(size) >= SPLIT_FROM, size) {
            (false, _) => "100 % of a core",
            (true, Size::Wide) => {
                "100 % of a core; the thin strip is the part for network interrupts (softirq)"
            }
            (true, Size::Narrow) => "100 %; thin strip: network (softirq)",
        };
        sheet.text(words, (end, middle), Anchor::Left, px, Ink::Muted);
    }
}

/// The seconds of rows, and between them those that are missing.
fn seconds(rows: &[&SeriesRow], cores: &[u32], laptop: bool) -> Vec<Second> {
    let load = |load: &CoreLoad| (load.busy(), load.softirq);
    let (mut found, mut end_s) = (Vec::with_capacity(rows.len()), 0.0);
    for row in rows {
        if row.begin_s - end_s > MISSING_S {
            found.push(Second { from_s: end_s, to_s: row.begin_s, loads: vec![None; cores.len()] });
        }
        let sample = watched(row, laptop);
        let loads = cores.iter().map(|core| sample.and_then(|sample| sample.cores.get(core)).map(load));
        end_s = row.begin_s + row.length_s;
        found.push(Second { from_s: row.begin_s, to_s: end_s, loads: loads.collect() });
    }
    found
}

/// Draws the cells of a row, neighbours of one colour as one.
fn strip<B: DrawingBackend>(sheet: &Sheet<'_, B>, inks: &[Ink], edges: &[f64], (top, bottom): (f64, f64)) {
    let mut first = 0;
    for run in inks.chunk_by(PartialEq::eq) {
        let cell = Rect { left: edges[first], right: edges[first + run.len()], top, bottom };
        sheet.fill(cell, run[0]);
        if run[0] == Ink::Blank {
            sheet.hatch(cell, Ink::Axis);
        }
        first += run.len();
    }
}

/// The ink of a share of a core.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped, and NaN becomes 0")]
fn heat(share: f64) -> Ink {
    Ink::Heat(((share * HEATS as f64).clamp(0.0, HEATS as f64) as usize).min(HEATS - 1))
}

/// The mean of pairs; `None` when there are none.
fn mean(pairs: impl Iterator<Item = (f64, f64)>) -> Load {
    let (count, sum) =
        pairs.fold((0u32, (0.0, 0.0)), |(count, sum), pair| (count + 1, (sum.0 + pair.0, sum.1 + pair.1)));
    (count > 0).then(|| (sum.0 / f64::from(count), sum.1 / f64::from(count)))
}

//! What the judges look at.

use super::super::seen::{BUSY, Seen, mean_of_rows, occupied};
use super::super::{LinkReport, RunReport, SeriesRow};

/// The server turns requests away from this share of the answers on. Less is a ripple: boardd's admission lets go at once.
pub(super) const REFUSED_SHARE: f64 = 0.05;

/// Statuses that say "not now": Service Unavailable (RFC 9110, 15.6.4) and Too Many Requests (RFC 6585, 4).
const NOT_NOW: [&str; 2] = ["503", "429"];

/// From this share of the machine on, server and load tester are those who fill it, and not the programs beside them: with
/// less they would get more if they asked for more.
pub(super) const OUR_SHARE: f64 = 0.30;

/// A thread that had to wait for a core for this share of the time shared it with others.
pub(super) const WAITED: f64 = 0.05;

/// Another program that uses as much may be the one that fills a core.
pub(super) const FILLS: f64 = 0.50;

/// A run, put together for judging.
pub(in crate::report) struct Case<'a> {
    pub(in crate::report) report: &'a RunReport,
    /// Whether laptop and board are one machine.
    pub(in crate::report) local: bool,
    pub(in crate::report) laptop: Seen,
    pub(in crate::report) board: Seen,
    /// Processor time of the busiest load thread, in cores.
    pub(super) thread: Option<f64>,
    /// The most that a load thread ran or waited for a core, in cores; no less than the busiest ran.
    pub(super) neediest: Option<f64>,
    /// Processor time of all load threads, in cores.
    pub(in crate::report) client_cores: f64,
}

impl<'a> Case<'a> {
    pub(in crate::report) fn new(report: &'a RunReport) -> Self {
        let series = &report.series;
        Self {
            report,
            local: report.telemetry.as_ref().is_some_and(|telemetry| telemetry.local),
            laptop: Seen::laptop(series),
            board: Seen::board(series),
            thread: mean_of_rows(series, |row| row.client_busiest_thread),
            neediest: mean_of_rows(series, |row| {
                row.client_neediest_thread.unwrap_or_default().max(row.client_busiest_thread)
            }),
            client_cores: mean_of_rows(series, |row| row.client_cores).unwrap_or_default(),
        }
    }

    pub(super) fn link(&self) -> Option<&LinkReport> {
        self.report.telemetry.as_ref()?.link.as_ref()
    }

    /// TCP segments that either machine sent again.
    pub(in crate::report) fn resent(&self) -> u64 {
        self.both(|seen| seen.retransmitted)
    }

    /// Packets that either machine dropped.
    pub(in crate::report) fn dropped(&self) -> u64 {
        self.both(|seen| seen.dropped)
    }

    /// Of both machines, where they are two.
    fn both(&self, count: fn(&Seen) -> u64) -> u64 {
        count(&self.board) + if self.local { 0 } else { count(&self.laptop) }
    }

    /// Cores of the board.
    pub(super) fn core_count(&self) -> usize {
        self.board.cores.len()
    }

    /// Whether no core of the board had time left.
    pub(super) fn board_full(&self) -> bool {
        self.core_count() > 0 && self.board.cores.values().all(|load| occupied(load) >= BUSY)
    }

    /// Whether server and, where it runs beside it, load tester are those who fill the board; so it is taken to be when the
    /// server's share is not known.
    pub(super) fn is_ours(&self) -> bool {
        let client = if self.local { self.client_cores } else { 0.0 };
        let ours = |server: f64| server + client >= OUR_SHARE * self.core_count() as f64;
        self.board.server.is_none_or(|server| ours(server.cores))
    }

    /// Whether server and load tester have filled one machine together: then it is the cores that made requests late.
    pub(super) fn is_shared_full(&self) -> bool {
        self.local && self.board_full() && self.is_ours()
    }

    /// Whether all arrivals of an open loop were answered in time; `None` in a closed one.
    pub(super) fn offer_met(&self) -> Option<bool> {
        let open = self.report.open_loop.as_ref()?;
        // As many as there are connections may be under way at any time.
        let late_answers = (open.arrivals / 100).max(self.report.connections.asked as u64);
        Some(open.answered * 100 >= open.arrivals * 99 && open.answered_after_end <= late_answers)
    }

    /// Answers that turned the request away.
    pub(in crate::report) fn refusals(&self) -> u64 {
        let count = |status: &&str| self.report.statuses.get(*status).map_or(0, |answers| answers.count);
        NOT_NOW.iter().map(count).sum()
    }

    /// Share of the answers that turned the request away; 0 when there were no answers.
    pub(super) fn refused(&self) -> f64 {
        share(self.refusals(), self.report.requests)
    }
}

/// Share of the answers of a second that turned the request away.
pub(super) fn refused_in(row: &SeriesRow) -> f64 {
    let count = |status: &&str| row.statuses.get(*status).copied().unwrap_or_default();
    share(NOT_NOW.iter().map(count).sum(), row.requests)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A fraction as people read it.
pub(in crate::report) fn percent(fraction: f64) -> String {
    format!("{:.0} %", fraction * 100.0)
}

//! Watches laptop and board while a run goes on.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use boardkit::load::{LoadPlan, Progress, first_reachable};
use boardkit::report::{SeriesRow, TelemetryReport};
use boardkit::telemetry::Watch;
use boardkit::units::BitRate;

use crate::args::WatchFlags;
use crate::recorder::Watcher;

/// Bits per second in a megabit per second.
const MBIT: f64 = 1_000_000.0;

/// The two machines of a run; the warm-up is in none of their samples.
pub(crate) struct Machines {
    watch: Watch,
    /// How long the warm-up is while it lasts.
    warmup: Option<Duration>,
    link_speed: Option<BitRate>,
    news: Vec<String>,
}

impl Machines {
    /// Begins to watch, for a run of `plan`.
    pub(crate) fn start(plan: &LoadPlan, flags: &WatchFlags) -> Result<Self> {
        let addresses = plan.url.resolve()?;
        // The server may be behind any of several, and it is its process that is looked for.
        let address = reachable(&addresses, plan.timeout)
            .or(addresses.first().copied())
            .context("the name has no address")?;
        let token = flags.telemetry_token.as_deref().map(token).transpose()?;
        let watch = Watch::start(address, flags.telemetry.as_deref(), token.as_deref())?;
        let warmup = Some(plan.warmup).filter(|warmup| !warmup.is_zero());
        Ok(Self { watch, warmup, link_speed: flags.link_speed, news: Vec::new() })
    }
}

impl Watcher for Machines {
    fn look(&mut self, progress: Progress) -> String {
        if self.warmup.is_some_and(|warmup| progress.elapsed >= warmup) {
            self.warmup = None;
            self.news.extend(self.watch.tick().news);
        }
        String::new()
    }

    fn second(&mut self, row: &mut SeriesRow) {
        let observed = self.watch.tick();
        self.news.extend(observed.news);
        (row.laptop, row.board) = (Some(observed.laptop), observed.board);
    }

    fn telemetry(&mut self) -> Option<TelemetryReport> {
        let said = self.link_speed.map(|rate| rate.0 as f64 / MBIT);
        let report = TelemetryReport::new(self.watch.describe(), said);
        Some(TelemetryReport { news: self.news.clone(), ..report })
    }
}

/// The first address that takes a connection. Of one there is no question, and it is not to be connected to twice.
pub(crate) fn reachable(addresses: &[SocketAddr], timeout: Duration) -> Option<SocketAddr> {
    match addresses {
        [only] => Some(*only),
        several => first_reachable(several, timeout).ok(),
    }
}

/// The first line of a file, without the blanks around it.
fn token(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("--telemetry-token: can't read the file {}", path.display()))?;
    let token = text.lines().next().unwrap_or_default().trim().to_owned();
    ensure!(!token.is_empty(), "--telemetry-token: the first line of {} is empty", path.display());
    Ok(token)
}

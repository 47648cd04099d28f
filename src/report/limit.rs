//! What held a run on one machine back, with the evidence.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::CoreLoad;

/// A core counts as busy from here on: the rest is lost between two samples and the end of the run.
const BUSY: f64 = 0.90;

/// Other programs are mentioned from a twentieth of a core on; below it are the machine's own housekeepers.
const OTHERS_CORES: f64 = 0.05;

/// A host that takes more than this share of a virtual machine's time decides what is measured in it.
const STEAL: f64 = 0.05;

/// What a run used, as far as it was measured.
#[derive(Debug, Clone, Default)]
pub struct Usage<'a> {
    /// Load of each core, by its number, while the load ran.
    pub cores: Option<&'a BTreeMap<u32, CoreLoad>>,
    /// Cores' worth of processor time that the server took.
    pub server_cores: Option<f64>,
    /// Cores' worth of processor time that the load tester took.
    pub client_cores: f64,
    /// Worker threads of the server.
    pub workers: usize,
}

/// What held a run back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// Every core of the machine was busy.
    AllCores,
    /// The workers used all they could of their cores, while other cores had time left.
    Workers,
    /// One core was busy and the others were not.
    OneCore,
    /// Nothing was busy: more connections would have found more.
    TooLittleLoad,
    /// The load of the cores is not known.
    Unknown,
}

/// The verdict on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// What held it back.
    pub limited_by: LimitedBy,
    /// Why that is thought, one sentence each.
    pub evidence: Vec<String>,
}

impl Limit {
    /// Judges by what was used.
    #[must_use]
    pub fn of(usage: &Usage<'_>) -> Self {
        let Some(cores) = usage.cores.filter(|cores| !cores.is_empty()) else {
            let evidence = vec!["the load of the cores could not be read".to_owned()];
            return Self { limited_by: LimitedBy::Unknown, evidence };
        };
        let busy: Vec<u32> =
            cores.iter().filter(|(_, load)| occupied(load) >= BUSY).map(|(core, _)| *core).collect();
        let workers_full = usage.server_cores.is_some_and(|used| used >= BUSY * usage.workers as f64);
        let limited_by = match busy.len() {
            all if all == cores.len() => LimitedBy::AllCores,
            _ if workers_full => LimitedBy::Workers,
            0 => LimitedBy::TooLittleLoad,
            _ => LimitedBy::OneCore,
        };
        let mut evidence = vec![headline(limited_by, cores, &busy, usage)];
        evidence.extend(shares(cores, usage));
        evidence.extend(stolen(cores));
        Self { limited_by, evidence }
    }
}

/// The share of a core that was not to be had any more: at work, or taken by the host.
fn occupied(load: &CoreLoad) -> f64 {
    load.busy() + load.steal
}

fn headline(
    limited_by: LimitedBy,
    cores: &BTreeMap<u32, CoreLoad>,
    busy: &[u32],
    usage: &Usage<'_>,
) -> String {
    let mean = cores.values().map(occupied).sum::<f64>() / cores.len() as f64 * 100.0;
    match limited_by {
        LimitedBy::AllCores => format!("all {} cores were busy, {mean:.0} % on average", cores.len()),
        LimitedBy::Workers => {
            format!("the {} workers were busy, the other cores had time left", usage.workers)
        }
        LimitedBy::OneCore => {
            let names: Vec<String> = busy.iter().map(u32::to_string).collect();
            format!("core {} was busy while the machine was at {mean:.0} %", names.join(", "))
        }
        LimitedBy::TooLittleLoad => {
            format!("no core was busy, {mean:.0} % on average: more connections (-c) would show more")
        }
        LimitedBy::Unknown => "the load of the cores is not known".to_owned(),
    }
}

/// Who used the cores. On one machine the load tester's share is the server's loss.
fn shares(cores: &BTreeMap<u32, CoreLoad>, usage: &Usage<'_>) -> Vec<String> {
    let Some(server) = usage.server_cores else { return Vec::new() };
    let client = usage.client_cores;
    let mut evidence = vec![format!(
        "boardd used {server:.2} cores and the load tester {client:.2}; with a laptop for the tester, boardd has them all"
    )];
    let others = cores.values().map(CoreLoad::busy).sum::<f64>() - server - client;
    if others > OTHERS_CORES {
        evidence.push(format!("other programs used {others:.2} cores: the figures are lower for it"));
    }
    evidence
}

fn stolen(cores: &BTreeMap<u32, CoreLoad>) -> Option<String> {
    let steal = cores.values().map(|load| load.steal).sum::<f64>() / cores.len() as f64;
    (steal > STEAL)
        .then(|| format!("the host of this virtual machine took {:.0} % of its time", steal * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(busy: &[f64]) -> BTreeMap<u32, CoreLoad> {
        let load = |&user: &f64| CoreLoad { user, idle: 1.0 - user, ..CoreLoad::default() };
        (0..).zip(busy.iter().map(load)).collect()
    }

    fn judge(busy: &[f64], server_cores: f64, workers: usize) -> (LimitedBy, String) {
        let cores = cores(busy);
        let usage =
            Usage { cores: Some(&cores), server_cores: Some(server_cores), client_cores: 0.5, workers };
        let limit = Limit::of(&usage);
        (limit.limited_by, limit.evidence.join("; "))
    }

    #[test]
    fn each_limit_is_told_from_the_others() {
        assert_eq!(judge(&[0.98, 0.97], 1.2, 2).0, LimitedBy::AllCores);
        assert_eq!(judge(&[0.98, 0.5, 0.5, 0.4], 0.97, 1).0, LimitedBy::Workers);
        assert_eq!(judge(&[0.98, 0.5, 0.5, 0.4], 1.5, 4).0, LimitedBy::OneCore);
        assert_eq!(judge(&[0.2, 0.3], 0.2, 2).0, LimitedBy::TooLittleLoad);
        assert_eq!(Limit::of(&Usage::default()).limited_by, LimitedBy::Unknown);
    }

    #[test]
    fn others_and_the_host_are_named() {
        assert!(judge(&[1.0, 1.0], 1.0, 2).1.contains("other programs used 0.50 cores"));
        assert!(!judge(&[1.0, 1.0], 1.48, 2).1.contains("other programs"));
        let load = CoreLoad { user: 0.7, steal: 0.25, idle: 0.05, ..CoreLoad::default() };
        let stolen = BTreeMap::from([(0, load)]);
        let limit = Limit::of(&Usage { cores: Some(&stolen), ..Usage::default() });
        assert_eq!(limit.limited_by, LimitedBy::AllCores);
        assert!(limit.evidence.join(" ").contains("took 25 %"), "{:?}", limit.evidence);
    }
}

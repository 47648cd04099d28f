//! A machine over a whole run: its samples put together, each by the time that it stands for.

use crate::units::SECOND_US;
use std::collections::BTreeMap;

use super::SeriesRow;
use crate::board::CoreLoad;
use crate::telemetry::Sample;

/// Another program is one from this share of a core on; below it are the machine's own housekeepers.
pub(super) const OTHERS: f64 = 0.05;

/// A host that takes more than this share of a virtual machine's time decides what is measured in it.
pub(super) const STEAL: f64 = 0.05;

/// A core counts as busy from here on: the rest is lost between two samples and at the ends of the run.
pub(super) const BUSY: f64 = 0.90;

/// What a machine did on average over a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Seen {
    /// Seconds for which there are samples of the load's time alone: all means are of these.
    pub(super) seconds: f64,
    /// Seconds for which there are samples, those that may begin before the load included.
    pub(super) watched_s: f64,
    /// Load of each core by its number, over the time in which it had one.
    pub(super) cores: BTreeMap<u32, CoreLoad>,
    /// The server, over the time in which it was seen.
    pub(super) server: Option<ServerSeen>,
    /// Other programs by name with their processor time in cores, the busiest first.
    pub(super) others: Vec<(String, f64)>,
    /// Share of the time in which the process that takes the samples could not run.
    pub(super) held_back: Option<f64>,
    /// The longest time that it could not run at a stretch, in microseconds.
    pub(super) longest_hold_us: Option<u64>,
    /// Time that its control groups held it back, in seconds per second, added up over cores.
    pub(super) throttled: Option<f64>,
    /// TCP segments that were sent again.
    pub(super) retransmitted: u64,
    /// Connections that found the queue of a listener full.
    pub(super) listen_overflows: u64,
    /// Frames that network devices dropped, and packets that the kernel had no time for.
    pub(super) dropped: u64,
}

/// The server as a process over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ServerSeen {
    /// Its processor time, in cores.
    pub(super) cores: f64,
    /// Processor time of its busiest thread, in cores.
    pub(super) busiest_thread: f64,
    /// What its threads ran or waited for a core, in cores; no less than they ran.
    pub(super) wanted: f64,
    /// The most that a thread ran or waited for a core, in cores; no less than the busiest ran.
    pub(super) neediest_thread: f64,
}

/// A mean by time.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    seconds: f64,
}

impl Mean {
    fn add(&mut self, value: f64, seconds: f64) {
        self.sum += value * seconds;
        self.seconds += seconds;
    }

    fn get(self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.sum / self.seconds)
    }
}

/// The mean of a value of each row by the rows' length; `None` when there is no time in them.
pub(super) fn mean_of_rows(series: &[SeriesRow], value: impl Fn(&SeriesRow) -> f64) -> Option<f64> {
    let mut mean = Mean::default();
    for row in series {
        mean.add(value(row), row.length_s);
    }
    mean.get()
}

impl Seen {
    /// The machine that ran the load.
    pub(super) fn laptop(series: &[SeriesRow]) -> Self {
        Self::of(series, |row| row.laptop.as_ref())
    }

    /// The board.
    pub(super) fn board(series: &[SeriesRow]) -> Self {
        Self::of(series, |row| row.board.as_ref())
    }

    fn of(series: &[SeriesRow], sample: fn(&SeriesRow) -> Option<&Sample>) -> Self {
        let watched = || series.iter().filter_map(sample);
        // The time before the load is an idle one, and would make a full machine one with time left.
        let samples = || watched().filter(|sample| !sample.early);
        let length = |sample: &Sample| sample.interval_s;
        let seconds: f64 = samples().map(length).sum();
        let mean = |value: &dyn Fn(&Sample) -> Option<f64>| {
            let mut mean = Mean::default();
            for sample in samples() {
                if let Some(value) = value(sample) {
                    mean.add(value, sample.interval_s);
                }
            }
            mean.get()
        };
        let sum = |count: &dyn Fn(&Sample) -> u64| samples().map(count).sum();
        let tcp = |sample: &Sample| sample.tcp.unwrap_or_default();
        Self {
            seconds,
            watched_s: watched().map(length).sum(),
            cores: cores(samples()),
            server: server(samples()),
            others: others(samples(), seconds),
            held_back: mean(&|sample| sample.held_back),
            longest_hold_us: samples().filter_map(|sample| sample.longest_hold_us).max(),
            throttled: mean(&|sample| {
                let us = sample.own_throttled_us?;
                (sample.interval_s > 0.0).then(|| us as f64 / SECOND_US / sample.interval_s)
            }),
            retransmitted: sum(&|sample| tcp(sample).retransmitted),
            listen_overflows: sum(&|sample| tcp(sample).listen_overflows),
            dropped: sum(&|sample| {
                let devices: u64 = sample.nics.iter().map(|nic| nic.dropped).sum();
                devices + sample.softnet.unwrap_or_default().dropped
            }),
        }
    }

    /// Processor time of other programs, in cores.
    pub(super) fn others_cores(&self) -> f64 {
        self.others.iter().map(|(_, cores)| cores).sum()
    }

    /// Share of all cores that was not to be had any more; `None` when no core was seen.
    pub(super) fn occupied(&self) -> Option<f64> {
        let count = self.cores.len();
        (count > 0).then(|| self.cores.values().map(occupied).sum::<f64>() / count as f64)
    }

    /// The core with the least time left, and its load.
    pub(super) fn busiest_core(&self) -> Option<(u32, CoreLoad)> {
        let by_load = |a: &(&u32, &CoreLoad), b: &(&u32, &CoreLoad)| occupied(a.1).total_cmp(&occupied(b.1));
        self.cores.iter().max_by(by_load).map(|(core, load)| (*core, *load))
    }

    /// Share of a core's time in which one waited for a disk, the highest of all cores.
    pub(super) fn disk_wait(&self) -> f64 {
        self.cores.values().map(|load| load.iowait).fold(0.0, f64::max)
    }

    /// Share of the machine's time that the host of a virtual machine took.
    pub(super) fn steal(&self) -> f64 {
        let sum: f64 = self.cores.values().map(|load| load.steal).sum();
        sum / self.cores.len().max(1) as f64
    }
}

/// The share of a core that was not to be had any more: at work, or taken by the host of a virtual machine.
pub(super) fn occupied(load: &CoreLoad) -> f64 {
    load.busy() + load.steal
}

/// The share of a core that the network's interrupts took; on a board little else causes any.
pub(super) fn interrupts(load: &CoreLoad) -> f64 {
    load.irq + load.softirq
}

fn cores<'a>(samples: impl Iterator<Item = &'a Sample>) -> BTreeMap<u32, CoreLoad> {
    let mut sums: BTreeMap<u32, (CoreLoad, f64)> = BTreeMap::new();
    for sample in samples.filter(|sample| sample.interval_s > 0.0) {
        for (core, load) in &sample.cores {
            let (sum, seconds) = sums.entry(*core).or_default();
            *seconds += sample.interval_s;
            for (sum, part) in parts_mut(sum).into_iter().zip(parts_mut(&mut load.clone())) {
                *sum += *part * sample.interval_s;
            }
        }
    }
    let mean = |(mut sum, seconds): (CoreLoad, f64)| {
        parts_mut(&mut sum).into_iter().for_each(|part| *part /= seconds);
        sum
    };
    sums.into_iter().map(|(core, sum)| (core, mean(sum))).collect()
}

fn parts_mut(load: &mut CoreLoad) -> [&mut f64; 9] {
    [
        &mut load.user,
        &mut load.nice,
        &mut load.system,
        &mut load.idle,
        &mut load.iowait,
        &mut load.irq,
        &mut load.softirq,
        &mut load.steal,
        &mut load.guest,
    ]
}

fn server<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<ServerSeen> {
    let mut means = [Mean::default(); 4];
    for sample in samples {
        let Some(server) = &sample.server else { continue };
        let wanted = server.cores + server.waited.unwrap_or_default();
        let neediest = server.neediest_thread.unwrap_or_default().max(server.busiest_thread);
        for (mean, value) in means.iter_mut().zip([server.cores, server.busiest_thread, wanted, neediest]) {
            mean.add(value, sample.interval_s);
        }
    }
    let [cores, busiest_thread, wanted, neediest_thread] = means.map(Mean::get);
    Some(ServerSeen {
        cores: cores?,
        busiest_thread: busiest_thread?,
        wanted: wanted?,
        neediest_thread: neediest_thread?,
    })
}

/// Over the whole time: a program that ran for one second of ten took a tenth of what it took then. By name, as a compiler is
/// many processes one after the other.
fn others<'a>(samples: impl Iterator<Item = &'a Sample>, seconds: f64) -> Vec<(String, f64)> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for sample in samples {
        for other in &sample.others {
            *sums.entry(&other.name).or_default() += other.cores * sample.interval_s;
        }
    }
    let mut others: Vec<_> =
        sums.into_iter().map(|(name, sum)| (name.to_owned(), sum / seconds.max(f64::MIN_POSITIVE))).collect();
    others.sort_by(|a, b| b.1.total_cmp(&a.1));
    others
}

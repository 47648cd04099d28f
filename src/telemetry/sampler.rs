//! Fills a [`Sample`] from /proc and /sys.

mod counters;
mod processes;
mod rare;
mod server;

use std::time::Instant;

use super::{ClockSample, Sample, Throttle};
use crate::board::{ClockFiles, ClockPolicy, CoreSet, CpuCooling, Firmware, Memory, SysRoot, Thermal};
use counters::Counters;
use processes::Processes;
use rare::Rare;
use server::Server;

/// Whose share of the machine is told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Numbers of the processes that are the load tester's: they are nobody's disturbance.
    pub own: Vec<u32>,
    /// The number of the server's process, if it runs on this machine; any of them where several are one server.
    pub server: Option<u32>,
}

/// Keeps the last reading of every counter, for the difference to the next.
///
/// Prints nothing and starts no program. Everything is read from below its root, so that a recorded machine replays.
#[derive(Debug)]
pub struct Sampler {
    root: SysRoot,
    watch: Watched,
    at: Instant,
    counters: Counters,
    online: Option<CoreSet>,
    clocks: ClockFiles,
    thermal: Thermal,
    cooling: CpuCooling,
    firmware: Firmware,
    rare: Rare,
    processes: Processes,
    server: Server,
}

impl Sampler {
    /// Takes the first reading; the first sample is of the time from here on. Takes some milliseconds.
    #[must_use]
    pub fn new(root: SysRoot, watch: Watched) -> Self {
        Self::new_at(root, watch, Instant::now())
    }

    fn new_at(root: SysRoot, watch: Watched, now: Instant) -> Self {
        let mut sampler = Self {
            at: now,
            counters: Counters::default(),
            online: None,
            clocks: ClockFiles::find(&root),
            thermal: Thermal::read(&root, &mut Vec::new()),
            cooling: CpuCooling::find(&root),
            firmware: Firmware::find(&root),
            rare: Rare::new(now),
            processes: Processes::default(),
            server: Server::default(),
            watch,
            root,
        };
        sampler.sample_at(now);
        sampler
    }

    /// What the machine did since the last call. To be called about once a second: it then costs less than a hundredth of a
    /// core with some hundreds of processes on the machine.
    ///
    /// A counter that went down, or that only one of the two readings has, gives no value for this interval.
    pub fn sample(&mut self) -> Sample {
        self.sample_at(Instant::now())
    }

    fn sample_at(&mut self, now: Instant) -> Sample {
        let since = now.duration_since(self.at);
        self.at = now;
        let mut sample = Sample { interval_s: since.as_secs_f64(), ..Sample::default() };
        let counters = Counters::read(&self.root);
        counters.fill(&self.counters, &mut sample);
        self.counters = counters;
        self.state(now, &mut sample);
        self.processes.scan(&self.root, now, &self.server.members());
        sample.server = self.server.sample(&self.root, &self.processes, &self.watch, since);
        sample.others_seen = self.processes.sees_all();
        sample.others = self.processes.others(&|pid| self.watch.own.contains(&pid) || self.server.has(pid));
        sample
    }

    /// What is as it is at the end of the interval.
    fn state(&mut self, now: Instant, sample: &mut Sample) {
        let root = &self.root;
        let uptime = root.text("proc/uptime");
        sample.uptime_s = uptime.and_then(|text| text.split_ascii_whitespace().next()?.parse().ok());
        sample.memory_available_bytes = Memory::read(root).available_bytes;
        let online: Option<CoreSet> =
            self.counters.stat.as_ref().map(|stat| stat.cores.keys().copied().collect());
        if online != self.online {
            self.clocks = ClockFiles::find(root);
            self.online = online;
        }
        sample.clocks = self.clocks.refresh(root, self.online.as_ref()).map(clock).collect();
        self.thermal.refresh(root);
        let celsius = |milli: i32| f64::from(milli) / 1000.0;
        sample.cpu_temp_c = self.thermal.cpu_millicelsius.map(celsius);
        sample.throttle_trip_c = self.thermal.throttle_millicelsius.map(celsius);
        sample.cooling_state = self.cooling.state(root);
        sample.throttled = self.firmware.throttle_word(root).map(|word| Throttle { raw: word.0 });
        let by_word = sample.throttled.map(Throttle::under_voltage);
        sample.under_voltage = self.firmware.under_voltage(root).or(by_word);
        self.rare.refresh(now);
        for nic in &mut sample.nics {
            self.rare.fill(root, nic);
        }
    }

    /// Looks at another server from now on; the next sample but one has it.
    pub fn watch_server(&mut self, server: Option<u32>) {
        self.watch.server = server;
    }

    /// The machine that is read.
    #[must_use]
    pub fn root(&self) -> &SysRoot {
        &self.root
    }
}

fn clock(policy: &ClockPolicy) -> ClockSample {
    ClockSample {
        cpus: policy.cpus.iter().collect(),
        cur_khz: policy.cur_khz,
        cap_khz: policy.cap_khz,
        max_khz: policy.max_khz,
    }
}

#[cfg(test)]
mod tests;

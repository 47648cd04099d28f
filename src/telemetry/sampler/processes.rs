//! All processes of the machine, and what each used since it was read before.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::super::ProcessSample;
use crate::board::{self, ProcessRow, SysRoot};

/// What reading the processes may cost each time in processor time: half a percent of a core where that is once a second.
/// With more processes than fit, each is read every second, third, … time only.
const BUDGET: Duration = Duration::from_millis(5);

/// A process is read at least this often, counted in samples: what a run of a few seconds is told about others is of that
/// run.
const MAX_TURNS: u32 = 5;

/// Below this share of a core a process is the machine's own housekeeping, and within what a clock tick may be wrong by.
const MENTION_CORES: f64 = 0.01;

/// How many of the others are told.
const MAX_OTHERS: usize = 8;

/// A process as it was last read.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) row: ProcessRow,
    at: Instant,
    /// Processor time between its last two readings, in cores.
    cores: Option<f64>,
    /// Whether it was started after the reading before the last one.
    pub(super) is_new: bool,
}

/// The processes by their number.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: HashMap<u32, Known>,
    /// When the last one was started that was there at the last scan; `None` before the first.
    newest: Option<u64>,
    /// When the last scan was.
    at: Option<Instant>,
    /// In how many turns all are read.
    turns: u32,
    turn: u32,
}

impl Processes {
    /// Reads the processes that are due, those that are new, and `always`.
    pub(super) fn scan(&mut self, root: &SysRoot, now: Instant, always: &HashSet<u32>) {
        let begun = cpu_time();
        let pids = board::pids(root);
        let there: HashSet<u32> = pids.iter().copied().collect();
        self.known.retain(|pid, _| there.contains(pid));
        self.turn = self.turn.wrapping_add(1);
        let (turns, turn) = (self.turns.max(1), self.turn);
        let (mut read, mut newest) = (0, self.newest.unwrap_or(0));
        for (at, pid) in (0..).zip(pids) {
            let known = self.known.get_mut(&pid);
            let due = match &known {
                // What the kernel does itself is no program's work, and is not told.
                Some(known) if known.row.is_kernel => false,
                Some(_) => at % turns == turn % turns || always.contains(&pid),
                None => true,
            };
            if !due {
                continue;
            }
            read += 1;
            match (ProcessRow::read(root, pid), known) {
                (None, _) => drop(self.known.remove(&pid)),
                (Some(row), Some(known)) if known.row.started == row.started => known.update(row, now),
                (Some(row), _) => {
                    newest = newest.max(row.started);
                    let first = self.first(row, now);
                    self.known.insert(pid, first);
                }
            }
        }
        (self.newest, self.at) = (Some(newest), Some(now));
        self.turns = turns_for(cpu_time().saturating_sub(begun), read, self.programs());
    }

    /// A process that was not there before. What was started since the last scan used all its time since then.
    fn first(&self, row: ProcessRow, now: Instant) -> Known {
        let since = self.at.filter(|_| self.newest.is_some_and(|newest| row.started > newest));
        let cores = since.and_then(|since| cores(row.cpu_ns, now.duration_since(since)));
        Known { at: now, cores, is_new: since.is_some(), row }
    }

    fn programs(&self) -> usize {
        self.known.values().filter(|known| !known.row.is_kernel).count()
    }

    pub(super) fn get(&self, pid: u32) -> Option<&Known> {
        self.known.get(&pid)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ProcessRow> {
        self.known.values().map(|known| &known.row)
    }

    /// Whether the processes of all users are seen: those of the kernel itself are on every machine, and hidden with all that
    /// are not this user's, or not of this container.
    pub(super) fn sees_all(&self) -> bool {
        self.known.values().any(|known| known.row.is_kernel)
    }

    /// The busiest programs that are none of `not`.
    pub(super) fn others(&self, not: &dyn Fn(u32) -> bool) -> Vec<ProcessSample> {
        let programs = self.known.values().filter(|known| !known.row.is_kernel && !not(known.row.pid));
        let busy = programs.filter_map(|known| {
            let cores = known.cores.filter(|cores| *cores > MENTION_CORES)?;
            Some(ProcessSample { pid: known.row.pid, name: known.row.name.clone(), cores })
        });
        let mut busy: Vec<ProcessSample> = busy.collect();
        busy.sort_by(|a, b| b.cores.total_cmp(&a.cores).then(a.pid.cmp(&b.pid)));
        busy.truncate(MAX_OTHERS);
        busy
    }
}

impl Known {
    fn update(&mut self, row: ProcessRow, now: Instant) {
        let used = row.cpu_ns.checked_sub(self.row.cpu_ns);
        let since = now.duration_since(self.at);
        *self = Self { at: now, cores: used.and_then(|used| cores(used, since)), is_new: false, row };
    }
}

/// In how many turns all `programs` are read, where `read` of them cost this much.
fn turns_for(cost: Duration, read: u32, programs: usize) -> u32 {
    let all = cost.as_secs_f64() / f64::from(read.max(1)) * programs as f64;
    let turns = (1..MAX_TURNS).find(|turns| all <= BUDGET.as_secs_f64() * f64::from(*turns));
    turns.unwrap_or(MAX_TURNS)
}

/// Processor time over time, in cores; `None` when no time went by.
pub(super) fn cores(used_ns: u64, since: Duration) -> Option<f64> {
    let seconds = since.as_secs_f64();
    (seconds > 0.0).then(|| used_ns as f64 / 1e9 / seconds)
}

/// Processor time of this thread so far.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn stat(pid: u32, name: &str, ticks: u64, started: u64) -> Vec<u8> {
        format!("{pid} ({name}) S 1 {pid} 0 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {started} 0 0 0").into()
    }

    fn write(tree: &Tree, pid: u32, content: &[u8]) {
        let dir = tree.path(&format!("proc/{pid}"));
        std::fs::create_dir_all(&dir).expect("directory");
        std::fs::write(dir.join("stat"), content).expect("file");
    }

    #[test]
    fn busy_programs_are_told_the_busiest_first() {
        let tree = Tree::new(&[("proc/x", b"")]);
        let (root, begin, none) = (tree.root(), Instant::now(), HashSet::new());
        let mut processes = Processes::default();
        write(&tree, 10, &stat(10, "steady", 100, 5));
        write(&tree, 11, &stat(11, "idle", 100, 6));
        write(&tree, 12, &stat(12, "again", 100, 7));
        processes.scan(&root, begin, &none);
        assert_eq!(processes.others(&|_| false), [], "a first reading is no difference");
        write(&tree, 10, &stat(10, "steady", 130, 5));
        write(&tree, 11, &stat(11, "idle", 101, 6));
        write(&tree, 12, &stat(12, "again", 20, 50));
        write(&tree, 13, &stat(13, "new", 60, 51));
        write(&tree, 14, &stat(14, "seen late", 60, 4));
        processes.scan(&root, begin + Duration::from_secs(2), &none);
        let told = |not: &dyn Fn(u32) -> bool| -> Vec<(String, f64)> {
            processes.others(not).into_iter().map(|other| (other.name, other.cores)).collect()
        };
        let of = |name: &str, ticks: f64| {
            (name.to_owned(), ticks / rustix::param::clock_ticks_per_second() as f64 / 2.0)
        };
        let expected = [of("new", 60.0), of("steady", 30.0), of("again", 20.0)];
        assert_eq!(told(&|_| false), expected, "12 is another process of the same number");
        assert_eq!(told(&|pid| pid == 13), expected[1..]);
        std::fs::remove_dir_all(tree.path("proc/10")).expect("it ends");
        processes.scan(&root, begin + Duration::from_secs(3), &none);
        assert_eq!(processes.others(&|_| false), [], "nothing happened in the last second");
        assert!(processes.get(10).is_none());
    }

    #[test]
    fn without_the_kernels_own_not_all_are_seen() {
        let tree = Tree::new(&[("proc/x", b"")]);
        let mut processes = Processes::default();
        write(&tree, 10, &stat(10, "own", 1, 5));
        let begin = Instant::now();
        processes.scan(&tree.root(), begin, &HashSet::new());
        assert!(!processes.sees_all());
        write(&tree, 2, b"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 0");
        processes.scan(&tree.root(), begin + Duration::from_secs(1), &HashSet::new());
        assert!(processes.sees_all());
    }

    #[test]
    fn many_processes_are_read_in_turns() {
        let ms = Duration::from_millis;
        for (cost, read, programs, turns) in [
            (ms(0), 0, 0, 1),
            (ms(5), 200, 200, 1),
            (ms(6), 200, 200, 2),
            (ms(6), 100, 200, 3),
            (ms(900), 9, 9, 5),
        ] {
            assert_eq!(turns_for(cost, read, programs), turns, "{cost:?} for {read} of {programs}");
        }
        let tree = Tree::new(&[]);
        (20..24).for_each(|pid| write(&tree, pid, &stat(pid, "x", 0, 1)));
        let (begin, always) = (Instant::now(), HashSet::from([20]));
        let mut processes = Processes::default();
        processes.scan(&tree.root(), begin, &always);
        (20..24).for_each(|pid| write(&tree, pid, &stat(pid, "x", 200, 1)));
        let mut all = HashSet::new();
        for second in 1..=2 {
            processes.turns = 2;
            processes.scan(&tree.root(), begin + Duration::from_secs(second), &always);
            let read =
                processes.known.values().filter(|known| known.at == begin + Duration::from_secs(second));
            let read: HashSet<u32> = read.map(|known| known.row.pid).collect();
            assert!(read.contains(&20) && read.len() < 4, "{read:?}");
            all.extend(read);
        }
        assert_eq!(all.len(), 4);
    }
}

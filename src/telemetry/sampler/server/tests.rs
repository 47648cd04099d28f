use super::*;
use crate::board::tree::Tree;
use std::fs;
use std::time::Instant;

/// A machine whose processes a test starts, lets work and ends.
struct Machine {
    tree: Tree,
    processes: Processes,
    server: Server,
    watch: Watched,
    begin: Instant,
    second: u64,
}

impl Machine {
    fn new(server: u32, own: &[u32]) -> Self {
        let watch = Watched { own: own.to_vec(), server: Some(server) };
        let tree = Tree::new(&[("proc/x", b"")]);
        Self {
            tree,
            processes: Processes::default(),
            server: Server::default(),
            watch,
            begin: Instant::now(),
            second: 0,
        }
    }

    /// Writes what the kernel says of a process: its time in ticks, and of each thread in ms.
    fn process(&self, pid: u32, name: &str, (parent, group): (u32, u32), ticks: u64, threads: &[(u32, u64)]) {
        let dir = self.tree.path(&format!("proc/{pid}"));
        let _ = fs::remove_dir_all(dir.join("task"));
        let count = threads.len();
        for (tid, ms) in threads {
            let task = dir.join(format!("task/{tid}"));
            fs::create_dir_all(&task).expect("directory");
            fs::write(task.join("schedstat"), format!("{} {} 0\n", ms * 1_000_000, ms * 500_000))
                .expect("file");
        }
        fs::create_dir_all(&dir).expect("directory");
        let stat = format!(
            "{pid} ({name}) S {parent} {group} 0 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 {count} 0 {pid} 0 2 0"
        );
        fs::write(dir.join("stat"), stat).expect("file");
    }

    fn end(&self, pid: u32) {
        fs::remove_dir_all(self.tree.path(&format!("proc/{pid}"))).expect("it was there");
    }

    /// A second later.
    fn sample(&mut self) -> Option<ServerSample> {
        let now = self.begin + Duration::from_secs(self.second);
        self.second += 1;
        let root = self.tree.root();
        self.processes.scan(&root, now, &self.server.members());
        self.server.sample(&root, &self.processes, &self.watch, Duration::from_secs(1))
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn a_master_and_its_workers_are_one_server() {
    // A worker holds the port; the load tester was started by the same shell and stands in the same group.
    let mut machine = Machine::new(101, &[300]);
    let state = |machine: &Machine, ms: u64| {
        machine.process(50, "sh", (1, 50), 0, &[(50, 0)]);
        machine.process(100, "nginx", (50, 50), 1, &[(100, 10)]);
        machine.process(101, "nginx", (100, 50), 0, &[(101, 500 + ms)]);
        machine.process(102, "helper", (101, 50), 0, &[(102, 2 * ms), (103, 5)]);
        machine.process(300, "boardctl", (50, 50), 0, &[(300, 9 * ms)]);
    };
    state(&machine, 0);
    assert_eq!(machine.sample(), None, "a first reading is no difference");
    state(&machine, 300);
    let sample = machine.sample().expect("a difference");
    assert_eq!((sample.pid, sample.name.as_str(), sample.threads), (100, "nginx", 4));
    assert!(near(sample.cores, 0.9) && near(sample.busiest_thread, 0.6), "{sample:?}");
    assert!(sample.waited.is_some_and(|cores| near(cores, 0.45)), "{sample:?}");
    assert!(sample.neediest_thread.is_some_and(|cores| near(cores, 0.9)), "{sample:?}");
    assert_eq!(sample.busy_threads, 2);
    assert!(near(sample.cpu_s, 0.01 + 0.8 + 0.605), "{sample:?}");
    assert_eq!(sample.rss_bytes, Some(3 * 2 * rustix::param::page_size() as u64));
}

#[test]
fn the_load_tester_is_no_part_of_a_server_that_it_started_or_that_started_it() {
    let started_by_us = |machine: &Machine| {
        machine.process(300, "boardctl", (1, 300), 0, &[(300, 0)]);
        machine.process(301, "boardctl", (300, 300), 0, &[(301, 0)]);
    };
    let mut machine = Machine::new(301, &[300]);
    started_by_us(&machine);
    machine.sample();
    assert_eq!(machine.sample().map(|sample| sample.pid), Some(301));
    let started_us = |machine: &Machine| {
        machine.process(10, "ide", (1, 10), 0, &[(10, 0)]);
        machine.process(11, "boardctl", (10, 10), 0, &[(11, 0)]);
        machine.process(12, "child", (11, 12), 0, &[(12, 0)]);
    };
    let mut machine = Machine::new(10, &[11]);
    started_us(&machine);
    machine.sample();
    assert_eq!(machine.sample().map(|sample| sample.threads), Some(1), "neither it nor what it started");
}

#[test]
fn time_of_threads_and_workers_that_end_is_not_lost() {
    let mut machine = Machine::new(100, &[]);
    machine.process(100, "d", (1, 100), 0, &[(100, 100), (101, 400)]);
    machine.process(200, "worker", (100, 100), 0, &[(200, 50)]);
    machine.sample();
    // Thread 101 ended after 650 ms: no thread says so any more, and the process says it in ticks.
    machine.process(100, "d", (1, 100), 75, &[(100, 100)]);
    machine.process(200, "worker", (100, 100), 0, &[(200, 90)]);
    let sample = machine.sample().expect("a difference");
    assert!(near(sample.cores, 0.25 + 0.04) && near(sample.cpu_s, 0.84), "{sample:?}");
    // A worker ends, another is started and works at once.
    machine.end(200);
    machine.process(300, "worker", (100, 100), 0, &[(300, 70)]);
    let sample = machine.sample().expect("a difference");
    assert!(near(sample.cores, 0.07) && near(sample.busiest_thread, 0.07), "{sample:?}");
    assert!(near(sample.cpu_s, 0.91), "{sample:?}");
}

#[test]
fn a_server_that_was_started_anew_begins_anew() {
    let mut machine = Machine::new(100, &[]);
    machine.process(100, "d", (1, 100), 0, &[(100, 100)]);
    machine.sample();
    machine.end(100);
    assert_eq!(machine.sample(), None, "it is gone");
    machine.process(105, "d", (1, 105), 0, &[(105, 20)]);
    machine.watch.server = Some(105);
    let sample = machine.sample().expect("it was started since the last look");
    assert!(near(sample.cpu_s, 0.02) && near(sample.cores, 0.02), "{sample:?}");
    machine.watch.server = None;
    assert_eq!(machine.sample(), None);
    assert!(machine.server.members().is_empty());
}

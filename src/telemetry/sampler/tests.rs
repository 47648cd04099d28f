use super::*;
use crate::board::CoreLoad;
use crate::board::tree::Tree;
use std::fs;
use std::time::Duration;

const CPU: &str = "sys/devices/system/cpu/cpufreq/policy0";
const WORD: &str = "sys/devices/platform/soc/soc:firmware/get_throttled";

/// A board in the middle of a load test, and the same a second later.
const BEFORE_AND_AFTER: &[(&str, &str, &str)] = &[
    ("proc/uptime", "100.50 300.00\n", "101.50 300.10\n"),
    ("proc/stat", "cpu0 100 0 0 100\ncpu1 5 0 0 5\n", "cpu0 175 0 0 125\n"),
    ("proc/meminfo", "MemAvailable: 2000 kB\n", "MemAvailable: 1000 kB\n"),
    ("proc/vmstat", "pswpin 1\npswpout 7\n", "pswpin 3\npswpout 7\n"),
    (
        "proc/net/dev",
        "h\nh\neth0: 100 1 0 0 0 0 0 0 500 2 0 0 0 0 0 0\n",
        "h\nh\neth0: 1100 11 0 1 0 0 0 0 800 5 0 2 0 0 0 0\n",
    ),
    ("proc/net/softnet_stat", "9 0 1\n9 1 0\n", "9 0 3\n9 2 0\n"),
    ("proc/net/snmp", "Tcp: RetransSegs\nTcp: 5\n", "Tcp: RetransSegs\nTcp: 9\n"),
    ("proc/net/netstat", "TcpExt: ListenOverflows\nTcpExt: 0\n", "TcpExt: ListenOverflows\nTcpExt: 1\n"),
    ("proc/self/cgroup", "0::/a\n", "0::/a\n"),
    ("sys/fs/cgroup/a/cpu.stat", "throttled_usec 50\n", "throttled_usec 75\n"),
    ("sys/class/net/eth0/speed", "100\n", "100\n"),
    ("sys/class/net/eth0/mtu", "1500\n", "1500\n"),
    ("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n", "cpu-thermal\n"),
    ("sys/class/thermal/thermal_zone0/temp", "70000\n", "81500\n"),
    ("sys/class/thermal/thermal_zone0/trip_point_0_type", "passive\n", "passive\n"),
    ("sys/class/thermal/thermal_zone0/trip_point_0_temp", "80000\n", "80000\n"),
    ("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n", "cpufreq-cpu0\n"),
    ("sys/class/thermal/cooling_device0/cur_state", "0\n", "2\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/related_cpus", "0 1\n", "0 1\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "1500000\n", "1500000\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "1500000\n", "1200000\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1500000\n", "1200000\n"),
    (WORD, "0\n", "50005\n"),
];

fn board() -> Tree {
    let files: Vec<(&str, &[u8])> =
        BEFORE_AND_AFTER.iter().map(|(path, before, _)| (*path, before.as_bytes())).collect();
    Tree::new(&files)
}

fn change(tree: &Tree, path: &str, text: &str) {
    fs::write(tree.path(path), text).expect("file");
}

#[test]
fn a_sample_is_what_happened_between_two_readings() {
    let (tree, begin) = (board(), Instant::now());
    let mut sampler = Sampler::new_at(tree.root(), Watched::default(), begin);
    BEFORE_AND_AFTER.iter().for_each(|(path, _, after)| change(&tree, path, after));
    let sample = sampler.sample_at(begin + Duration::from_secs(1));
    let load = CoreLoad { user: 0.75, idle: 0.25, ..CoreLoad::default() };
    assert_eq!(sample.cores, [(0, load)].into(), "core 1 is off at the end");
    assert_eq!((sample.interval_s, sample.uptime_s), (1.0, Some(101.5)));
    assert_eq!(sample.memory_available_bytes, Some(1000 << 10));
    let page = rustix::param::page_size() as u64;
    assert_eq!(sample.swap.map(|swap| (swap.in_bytes, swap.out_bytes)), Some((2 * page, 0)));
    let nic = &sample.nics[0];
    assert_eq!((nic.rx_bytes, nic.rx_packets, nic.tx_bytes, nic.tx_packets), (1000, 10, 300, 3));
    assert_eq!((nic.dropped, nic.speed_mbit, nic.mtu), (3, Some(100), Some(1500)));
    assert_eq!(sample.softnet.map(|softnet| (softnet.dropped, softnet.squeezed)), Some((1, 2)));
    assert_eq!(sample.tcp.map(|tcp| (tcp.retransmitted, tcp.listen_overflows)), Some((4, 1)));
    assert_eq!(sample.own_throttled_us, Some(25));
    assert_eq!((sample.cpu_temp_c, sample.throttle_trip_c), (Some(81.5), Some(80.0)));
    assert_eq!(sample.cooling_state, Some(2));
    let clock = ClockSample {
        cpus: vec![0, 1],
        cur_khz: Some(1_200_000),
        cap_khz: Some(1_200_000),
        max_khz: Some(1_500_000),
    };
    assert_eq!(sample.clocks, [clock]);
    assert_eq!((sample.held_back, sample.longest_hold_us), (None, None));
}

#[test]
fn the_throttle_word_is_read_each_time_and_the_speed_of_a_link_every_five_seconds() {
    const SPEED: &str = "sys/class/net/eth0/speed";
    let (tree, begin) = (board(), Instant::now());
    let mut sampler = Sampler::new_at(tree.root(), Watched::default(), begin);
    let mut at = |ms| {
        let sample = sampler.sample_at(begin + Duration::from_millis(ms));
        let speed = sample.nics[0].speed_mbit;
        (sample.throttled.map(|throttle| throttle.raw), sample.under_voltage, speed)
    };
    assert_eq!(at(500), (Some(0), Some(false), Some(100)));
    change(&tree, WORD, "50005\n");
    change(&tree, SPEED, "1000\n");
    assert_eq!(at(1000), (Some(0x50005), Some(true), Some(100)), "a run may be as short");
    change(&tree, WORD, "50000\n");
    assert_eq!(at(4999), (Some(0x50000), Some(false), Some(100)));
    assert_eq!(at(5000), (Some(0x50000), Some(false), Some(1000)));
}

#[test]
fn the_supplys_own_sensor_is_asked_each_time() {
    let (tree, begin) = (board(), Instant::now());
    fs::create_dir_all(tree.path("sys/class/hwmon/hwmon0")).expect("directory");
    change(&tree, "sys/class/hwmon/hwmon0/name", "rpi_volt\n");
    change(&tree, "sys/class/hwmon/hwmon0/in0_lcrit_alarm", "0\n");
    let mut sampler = Sampler::new_at(tree.root(), Watched::default(), begin);
    change(&tree, "sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1\n");
    let sample = sampler.sample_at(begin + Duration::from_secs(1));
    assert_eq!((sample.throttled, sample.under_voltage), (Some(Throttle { raw: 0 }), Some(true)));
}

#[test]
fn what_vanishes_or_begins_again_has_no_value_until_there_are_two_readings() {
    let (tree, begin) = (board(), Instant::now());
    let mut sampler = Sampler::new_at(tree.root(), Watched::default(), begin);
    let known = |sample: &Sample| {
        let counters = [sample.swap.is_some(), sample.softnet.is_some(), sample.tcp.is_some()];
        (counters, sample.nics.len(), sample.own_throttled_us.is_some(), sample.cores.len())
    };
    let mut second = 0;
    let mut sample = || {
        second += 1;
        sampler.sample_at(begin + Duration::from_secs(second))
    };
    change(&tree, "proc/stat", "cpu0 150 0 0 150\ncpu1 5 0 0 6\n");
    assert_eq!(known(&sample()), ([true; 3], 1, true, 2));
    let paths = [
        "proc/vmstat",
        "proc/net/softnet_stat",
        "proc/net/snmp",
        "proc/net/dev",
        "sys/fs/cgroup/a/cpu.stat",
        "proc/stat",
    ];
    for path in paths {
        fs::remove_file(tree.path(path)).expect("file");
    }
    let bare = sample();
    assert_eq!(known(&bare), ([false; 3], 0, false, 0));
    // Without /proc/stat it is not known which cores are off: their clocks are asked all the same.
    assert_eq!(bare.clocks[0].cap_khz, Some(1_500_000));
    let texts =
        paths.map(|path| BEFORE_AND_AFTER.iter().find(|(known, ..)| *known == path).expect("a row").1);
    paths.iter().zip(texts).for_each(|(path, text)| change(&tree, path, text));
    assert_eq!(known(&sample()), ([false; 3], 0, false, 0), "a first reading again");
    change(&tree, "proc/stat", "cpu0 200 0 0 200\n");
    assert_eq!(known(&sample()), ([true; 3], 1, true, 1));
    change(&tree, "proc/net/dev", "h\nh\neth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
    assert_eq!(sample().nics.len(), 0, "the counters began again");
}

#[test]
fn clocks_follow_the_cores_that_come_and_go() {
    let (tree, begin) = (board(), Instant::now());
    let mut sampler = Sampler::new_at(tree.root(), Watched::default(), begin);
    change(&tree, "proc/stat", "cpu4 1 0 0 1\n");
    let sample = sampler.sample_at(begin + Duration::from_secs(1));
    assert_eq!((sample.clocks[0].cur_khz, sample.clocks[0].max_khz), (None, Some(1_500_000)));
    fs::remove_dir_all(tree.path(CPU)).expect("the group's files go with its last core");
    change(&tree, "proc/stat", "cpu5 1 0 0 1\n");
    assert!(sampler.sample_at(begin + Duration::from_secs(2)).clocks.is_empty());
}

#[test]
fn an_empty_machine_is_unknown_and_no_error() {
    let (tree, begin) = (Tree::new(&[]), Instant::now());
    let mut sampler = Sampler::new_at(tree.root(), Watched { own: vec![1], server: Some(7) }, begin);
    let sample = sampler.sample_at(begin + Duration::from_secs(1));
    assert_eq!(sample, Sample { interval_s: 1.0, ..Sample::default() });
}

//! Each check: a board that is well passes it, and one that is not is told with what mends it.

use super::*;
use crate::board::{ClockPolicy, ClockSource, CoreSet, Disk, NicIrq, Swap, SwapKind, ThrottleWord};

/// A board on which nothing is wrong.
fn well() -> (BoardFacts, Health) {
    let mut facts = BoardFacts::default();
    facts.identity.compatible = vec!["allwinner,sun8i-h3".to_owned()];
    facts.identity.machine = Some("armv7l".to_owned());
    facts.identity.userland_bits = Some(32);
    facts.cores.present = CoreSet::parse("0-3");
    facts.cores.online = CoreSet::parse("0-3");
    facts.clocks = vec![ClockPolicy {
        cpus: CoreSet::from_iter([0, 1, 2, 3]),
        min_khz: Some(480_000),
        max_khz: Some(1_200_000),
        cap_khz: Some(1_200_000),
        cur_khz: Some(1_200_000),
        cur_source: ClockSource::Requested,
        governor: Some("schedutil".to_owned()),
    }];
    facts.thermal.cpu_millicelsius = Some(48_000);
    facts.thermal.throttle_millicelsius = Some(80_000);
    facts.throttled = Some(ThrottleWord(0));
    facts.nofile = Some(524_288);
    facts.memory_cgroup = Some(true);
    facts.nic_irqs = vec![NicIrq { name: "end0".to_owned(), irq: vec![35], ..NicIrq::default() }];
    let health = Health {
        load_hundredths: Some(12),
        running: Some(1),
        sysctls: vec![("net/ipv4/tcp_timestamps", Some(1)), ("net/ipv4/tcp_tw_reuse", Some(2))],
        disks: vec![Disk { folder: "/", total_bytes: 1000, free_bytes: 600 }],
        now_unix_s: Some(20),
        written_unix_s: Some(10),
        ..Health::default()
    };
    (facts, health)
}

fn found(facts: &BoardFacts, health: &Health, clocks: &[CoreClock]) -> Vec<Check> {
    examine(facts, health, clocks).into_iter().filter(|check| check.outcome == Outcome::Wrong).collect()
}

#[test]
fn a_board_that_is_well_is_told_so() {
    let (facts, health) = well();
    let clocks = [CoreClock::new(0, Some(1_190_000), Some(1_200_000))];
    let checks = examine(&facts, &health, &clocks);
    assert!(checks.iter().all(|check| check.outcome == Outcome::Good), "{checks:#?}");
    let nothing = examine(&BoardFacts::default(), &Health::default(), &[]);
    assert!(nothing.iter().all(|check| check.outcome != Outcome::Wrong), "{nothing:#?}");
}

#[test]
fn each_ailment_is_found_alone_with_what_mends_it() {
    type Ail = fn(&mut BoardFacts, &mut Health);
    let cases: [(Ail, &str, &str); 18] = [
        (|facts, _| facts.cores.online = CoreSet::parse("0"), "cores", "1 of 4 cores running"),
        (
            |facts, _| {
                (facts.cores.present, facts.cores.online) = (CoreSet::parse("0-1"), CoreSet::parse("0-1"));
            },
            "cores",
            "found 2 of the 4 cores",
        ),
        (|facts, _| facts.clocks[0].cap_khz = Some(1_008_000), "clock limit", "1008 of 1200 MHz"),
        (|facts, _| facts.clocks[0].governor = Some("powersave".to_owned()), "governor", "lowest clock"),
        (|facts, _| facts.throttled = Some(ThrottleWord(0x5_0005)), "supply", "too low now"),
        (|facts, _| facts.throttled = Some(ThrottleWord(0x5_0000)), "supply", "since boot"),
        (|facts, _| facts.under_voltage = Some(true), "supply", "too low now"),
        (|facts, _| facts.thermal.cpu_millicelsius = Some(83_800), "temperature", "slows down from 80"),
        (
            |facts, _| facts.notes.push("/sys/class/thermal/thermal_zone0/temp: nonsense".to_owned()),
            "temperature",
            "nonsense",
        ),
        (|facts, _| facts.nic_irqs[0].all_on_cpu = Some(0), "network interrupts", "RPS is off"),
        (|_, health| health.sysctls[0].1 = Some(0), "sysctl", "time stamps"),
        (|facts, _| facts.nofile = Some(1024), "descriptors", "1024"),
        (
            |_, health| {
                (health.load_hundredths, health.blocked) = (Some(200), vec!["mmcqd".to_owned()]);
            },
            "load average",
            "mmcqd",
        ),
        (
            |_, health| (health.load_hundredths, health.running) = (Some(900), Some(9)),
            "load average",
            "wait for each other",
        ),
        (|facts, _| facts.memory_cgroup = Some(false), "memory limits", "MemoryMax="),
        (
            |facts, _| {
                let swap = Swap {
                    name: "/var/swap".to_owned(),
                    kind: SwapKind::File,
                    total_bytes: None,
                    used_bytes: None,
                };
                facts.swaps = vec![swap];
            },
            "swap",
            "/var/swap",
        ),
        (|facts, _| facts.identity.machine = Some("aarch64".to_owned()), "programs", "32-bit programs"),
        (|_, health| health.disks[0].free_bytes = 50, "card", "95 % full"),
    ];
    for (ail, name, said) in cases {
        let (mut facts, mut health) = well();
        ail(&mut facts, &mut health);
        let found = found(&facts, &health, &[]);
        assert_eq!(found.iter().map(|check| check.name).collect::<Vec<_>>(), [name], "{said}");
        assert!(found[0].evidence.contains(said) && found[0].mend.is_some(), "{found:?}");
        assert!(!found[0].to_string().lines().any(|line| line.chars().count() > 160), "{}", found[0]);
    }
}

#[test]
fn a_clock_that_lies_and_one_that_was_never_set() {
    let (facts, mut health) = well();
    let lie = [CoreClock::new(2, Some(818_000), Some(1_200_000))];
    let told = found(&facts, &health, &lie);
    assert!(told.len() == 1 && told[0].evidence.contains("core 2 has 818 MHz"), "{told:?}");
    health.now_unix_s = Some(5);
    assert_eq!(found(&facts, &health, &[])[0].name, "date");
}

#[test]
fn a_load_of_two_on_an_idle_board_is_its_waiting_tasks_or_history() {
    let (facts, mut health) = well();
    health.load_hundredths = Some(200);
    assert!(found(&facts, &health, &[]).is_empty(), "nothing hangs now");
}

//! What the kernel should be set to, fact by fact.

use super::*;
use crate::board::{ClockSource, NicIrq, Swap};

fn facts() -> BoardFacts {
    let mut facts = BoardFacts::default();
    facts.cores.online = CoreSet::parse("0-3");
    facts.memory.total_bytes = Some(512 << 20);
    facts
}

fn value(facts: &BoardFacts, setting: &str) -> Option<String> {
    decisions(facts).into_iter().find(|one| one.setting == setting).map(|one| one.value)
}

#[test]
fn a_kernel_is_known_by_two_numbers() {
    for (text, expected) in [
        ("3.4.113-sun8i", Some((3, 4))),
        ("6.18.44", Some((6, 18))),
        ("6.1", Some((6, 1))),
        ("linux", None),
        ("6", None),
        ("", None),
    ] {
        let found = KernelVersion::parse(text).map(|version| (version.major, version.minor));
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn a_clock_that_is_held_down_or_nearly_too_hot_is_left_alone() {
    let mut facts = facts();
    assert_eq!(value(&facts, "governor").as_deref(), Some("-"));
    let policy = |cap| ClockPolicy {
        cpus: CoreSet::from_iter([0, 1]),
        min_khz: None,
        max_khz: Some(1200),
        cap_khz: Some(cap),
        cur_khz: None,
        cur_source: ClockSource::Requested,
        governor: None,
    };
    facts.clocks = vec![policy(1200)];
    let of = |facts: &BoardFacts| value(facts, "governor of cores 0-1");
    assert_eq!(of(&facts).as_deref(), Some("performance"));
    facts.thermal.cpu_millicelsius = Some(72_000);
    facts.thermal.throttle_millicelsius = Some(80_000);
    assert_eq!(of(&facts).as_deref(), Some("left alone"));
    facts.thermal.cpu_millicelsius = Some(50_000);
    facts.clocks = vec![policy(1008)];
    assert_eq!(of(&facts).as_deref(), Some("left alone"));
}

#[test]
fn one_queue_is_shared_and_a_fast_one_leaves_its_core_out() {
    let mut facts = facts();
    let nic = |speed| Nic {
        name: "end0".to_owned(),
        rps: vec![CoreSet::default()],
        speed_mbit: speed,
        ..Nic::default()
    };
    facts.nic_irqs = vec![NicIrq { name: "end0".to_owned(), all_on_cpu: Some(0), ..NicIrq::default() }];
    let setting = "end0/queues/rx-0/rps_cpus";
    for (speed, expected) in [(Some(100), "f"), (Some(1000), "e"), (None, "f")] {
        facts.nics = vec![nic(speed)];
        assert_eq!(value(&facts, setting).as_deref(), Some(expected), "{speed:?}");
    }
    facts.nics[0].rps.push(CoreSet::default());
    assert_eq!(value(&facts, setting).as_deref(), Some("left alone"));
    facts.cores.online = CoreSet::parse("0");
    assert_eq!(value(&facts, setting), None);
    assert_eq!(mask(&CoreSet::from_iter([1, 33])), "2,00000002");
}

#[test]
fn swap_decides_how_willingly_it_is_used() {
    let mut facts = facts();
    let swap = |kind| Swap { name: "x".to_owned(), kind, total_bytes: None, used_bytes: None };
    for (swaps, expected) in [
        (vec![], None),
        (vec![swap(SwapKind::Zram)], Some("100")),
        (vec![swap(SwapKind::Zram), swap(SwapKind::Mmc)], Some("10")),
    ] {
        facts.swaps = swaps;
        assert_eq!(value(&facts, "vm.swappiness").as_deref(), expected);
    }
}

#[test]
fn keys_that_are_gone_are_said_to_be() {
    let mut facts = facts();
    let because = |facts: &BoardFacts| {
        let found = decisions(facts).into_iter().find(|one| one.setting == "net.ipv4.tcp_tw_recycle");
        found.map(|one| one.because).unwrap_or_default()
    };
    facts.identity.kernel = Some("6.1.0".to_owned());
    assert!(because(&facts).contains("removed in 4.12"));
    facts.identity.kernel = Some("3.4.113-sun8i".to_owned());
    assert!(because(&facts).contains("NAT"));
}

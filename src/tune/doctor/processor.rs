//! The processor: its cores, its clock, its supply, its heat.

use super::{Check, good, unknown, wrong};
use crate::board::{BoardFacts, CoreClock, CoreSet, chip_cores};

pub(super) fn cores(facts: &BoardFacts) -> Check {
    let name = "cores";
    let count = |set: &Option<CoreSet>| set.as_ref().map(CoreSet::len);
    let (Some(online), Some(present)) = (count(&facts.cores.online), count(&facts.cores.present)) else {
        return unknown(name, "the kernel does not say which cores there are");
    };
    let chip = chip_cores(&facts.identity.compatible).and_then(|cores| usize::try_from(cores).ok());
    match chip {
        Some(chip) if present < chip => wrong(
            name,
            format!("the kernel found {present} of the {chip} cores that this chip has"),
            "boot a kernel that was built for them, or take maxcpus= and nr_cpus= out of its command line",
        ),
        _ if online < present => wrong(
            name,
            format!("{online} of {present} cores running"),
            "echo 1 | sudo tee /sys/devices/system/cpu/cpu*/online",
        ),
        _ => good(name, format!("{online} of {present} cores running")),
    }
}

pub(super) fn cap(facts: &BoardFacts) -> Check {
    let name = "clock limit";
    if facts.clocks.is_empty() {
        return unknown(name, "this kernel does not say what clock the cores may have");
    }
    let capped = facts.clocks.iter().find_map(|policy| {
        let (cap, max) = (policy.cap_khz?, policy.max_khz?);
        (cap < max).then(|| (policy.cpus.to_string(), cap / 1000, max / 1000))
    });
    match capped {
        None => good(name, "all cores may have their highest clock"),
        Some((cpus, cap, max)) => wrong(
            name,
            format!("cores {cpus} may have {cap} of {max} MHz"),
            "cool the board, or if it is cold: cpufreq-set, or the governor's settings, hold it down",
        ),
    }
}

pub(super) fn true_clock(clocks: &[CoreClock]) -> Check {
    let name = "true clock";
    let known = || clocks.iter().filter(|clock| clock.lies.is_some());
    if known().next().is_none() {
        return unknown(name, "not measured, or nothing claimed to hold it against (boardd clock)");
    }
    match known().find(|clock| clock.lies == Some(true)) {
        None => good(name, "the cores have the clock that the kernel says"),
        Some(clock) => {
            let mhz = |khz: Option<u64>| khz.unwrap_or_default() / 1000;
            let (real, claimed) = (mhz(clock.real_khz), mhz(clock.claimed_khz));
            wrong(
                name,
                format!("core {} has {real} MHz where the kernel says {claimed}", clock.core),
                "cool the board and look at its supply: firmware slows it down and does not say so",
            )
        }
    }
}

pub(super) fn governor(facts: &BoardFacts) -> Check {
    let name = "governor";
    let slow = facts.clocks.iter().find(|policy| policy.governor.as_deref() == Some("powersave"));
    match slow {
        Some(policy) => wrong(
            name,
            format!("cores {} are kept at their lowest clock (powersave)", policy.cpus),
            "echo schedutil | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        ),
        None if facts.clocks.iter().all(|policy| policy.governor.is_none()) => {
            unknown(name, "this kernel has none")
        }
        None => good(
            name,
            facts.clocks.iter().filter_map(|policy| policy.governor.clone()).collect::<Vec<_>>().join(", "),
        ),
    }
}

pub(super) fn supply(facts: &BoardFacts) -> Check {
    let name = "supply";
    let word = facts.throttled;
    let low_now = word.is_some_and(|word| word.now().any(|name| name == "under_voltage"))
        || facts.under_voltage == Some(true);
    let low_before = word.is_some_and(|word| word.since_boot().any(|name| name == "under_voltage"));
    let mend = "take a supply and a cable that hold 5.1 V at the board, and power USB devices apart";
    match (low_now, low_before) {
        (true, _) => {
            wrong(name, "the voltage is too low now, and the firmware slows the board down for it", mend)
        }
        (false, true) => wrong(name, "the voltage was too low since boot", mend),
        _ if word.is_none() && facts.under_voltage.is_none() => {
            unknown(name, "this board does not measure it")
        }
        _ => good(name, "no low voltage since boot"),
    }
}

pub(super) fn sensors(facts: &BoardFacts) -> Check {
    let name = "temperature";
    let thermal = &facts.thermal;
    let nonsense = facts.notes.iter().find(|note| note.contains("thermal"));
    match (thermal.cpu_millicelsius, nonsense) {
        (_, Some(note)) => {
            wrong(name, note.clone(), "update kernel and device tree: its sensor can't be believed")
        }
        (None, None) => unknown(name, "no sensor that means the processor gives a reading"),
        (Some(now), None) => match thermal.throttle_millicelsius {
            Some(trip) if now >= trip => wrong(
                name,
                format!("{} °C, and the kernel slows down from {} °C on", now / 1000, trip / 1000),
                "give it a heat sink or a fan",
            ),
            _ => good(name, format!("{} °C", now / 1000)),
        },
    }
}

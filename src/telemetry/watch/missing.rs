//! Which evidence is missing, in sentences for people.

use super::super::{Link, Sample};

/// What a machine's samples do not say; `whose` is `the board's` or `this machine's`.
pub(super) fn of_machine(sample: &Sample, whose: &str) -> Vec<String> {
    let mut missing = Vec::new();
    let mut say = |is_missing: bool, what: &str, why: &str| {
        if is_missing {
            missing.push(format!("{whose} {what} unknown: {why}"));
        }
    };
    let no_clock = sample.clocks.iter().all(|clock| clock.cur_khz.is_none() && clock.cap_khz.is_none());
    say(sample.cores.is_empty(), "load per core is", "/proc/stat can't be read there");
    say(no_clock, "clock is", "its kernel has no cpufreq, as in a virtual machine");
    say(sample.cpu_temp_c.is_none(), "temperature is", "it has no sensor that means the processor");
    missing
}

/// What is not known of the way to the server.
pub(super) fn of_link(link: Option<&Link>) -> Option<String> {
    match link {
        None => Some(
            "no network device has the address that leads to the server: whether the link was full is unknown".to_owned(),
        ),
        Some(Link { loopback: false, speed_mbit: None, device, .. }) => Some(format!(
            "{device} does not say its speed, as Wi-Fi and tunnels don't: whether the link was full is unknown; use a cable"
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::CoreLoad;
    use crate::telemetry::ClockSample;

    #[test]
    fn what_is_known_is_not_missed() {
        let nothing = of_machine(&Sample::default(), "the board's");
        assert_eq!(nothing.len(), 3, "{nothing:?}");
        assert!(nothing.iter().all(|line| line.starts_with("the board's ") && line.contains(" unknown: ")));
        let clocks = vec![ClockSample { cap_khz: Some(1), ..ClockSample::default() }];
        let cores = [(0, CoreLoad::default())].into();
        let all = Sample { cores, clocks, cpu_temp_c: Some(50.0), ..Sample::default() };
        assert!(of_machine(&all, "the board's").is_empty());
    }

    #[test]
    fn a_link_without_a_speed_is_told_unless_it_is_no_wire() {
        let link = |speed_mbit, loopback| Link {
            device: "wlan0".to_owned(),
            local: [10, 0, 0, 1].into(),
            speed_mbit,
            loopback,
        };
        assert!(of_link(Some(&link(None, false))).is_some_and(|line| line.starts_with("wlan0 ")));
        assert_eq!(of_link(Some(&link(Some(100), false))), None);
        assert_eq!(of_link(Some(&link(None, true))), None);
        assert!(of_link(None).is_some());
    }
}

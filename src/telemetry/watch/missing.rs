//! Which evidence is missing, in sentences for people.

use super::super::Sample;

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
}

//! What changes on a board while it runs, found once and looked at again and again.

use super::{BoardFacts, ClockFiles, ClockPolicy, CoreSet, Quota, SysRoot, Thermal};

/// Where it is said which cores run.
const ONLINE: &str = "sys/devices/system/cpu/online";

/// Knows where to look, so that a look is a few reads of small files.
#[derive(Debug, Clone)]
pub struct Lookout {
    online: Option<CoreSet>,
    clocks: ClockFiles,
    thermal: Thermal,
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Cores that run; `None` when it can't be read.
    pub online: Option<CoreSet>,
    /// The limit on processor time.
    pub quota: Option<Quota>,
    /// The clocks that cores may have.
    pub clocks: Vec<ClockPolicy>,
    /// The processor's temperature in thousandths of a degree.
    pub cpu_millicelsius: Option<i32>,
}

impl Lookout {
    /// Looks for the files of a board that has these facts.
    #[must_use]
    pub fn new(root: &SysRoot, facts: &BoardFacts) -> Self {
        Self {
            online: facts.cores.online.clone(),
            clocks: ClockFiles::find(root),
            thermal: facts.thermal.clone(),
        }
    }

    /// Looks.
    pub fn look(&mut self, root: &SysRoot) -> Seen {
        let online = root.text(ONLINE).and_then(|text| CoreSet::parse(&text));
        if online != self.online {
            // A group without a running core may have no files.
            self.clocks = ClockFiles::find(root);
            self.online.clone_from(&online);
        }
        self.thermal.refresh_cpu(root);
        Seen {
            clocks: self.clocks.refresh_caps(root, online.as_ref()).cloned().collect(),
            online,
            quota: Quota::read(root),
            cpu_millicelsius: self.thermal.cpu_millicelsius,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn what_changes_is_seen() {
        const POLICY: &str = "sys/devices/system/cpu/cpufreq/policy0";
        let tree = Tree::new(&[
            (ONLINE, b"0-3\n"),
            (&format!("{POLICY}/related_cpus"), b"0 1 2 3\n"),
            (&format!("{POLICY}/cpuinfo_max_freq"), b"1200000\n"),
            (&format!("{POLICY}/scaling_max_freq"), b"1200000\n"),
            ("sys/class/thermal/thermal_zone0/type", b"cpu-thermal\n"),
            ("sys/class/thermal/thermal_zone0/temp", b"48\n"),
        ]);
        let root = tree.root();
        let mut lookout = Lookout::new(&root, &BoardFacts::read(&root));
        let seen = lookout.look(&root);
        assert_eq!((seen.cpu_millicelsius, seen.clocks[0].cap_khz), (Some(48_000), Some(1_200_000)));
        for (file, text) in [
            (ONLINE.to_owned(), "0-1\n"),
            (format!("{POLICY}/scaling_max_freq"), "816000\n"),
            ("sys/class/thermal/thermal_zone0/temp".to_owned(), "88\n"),
        ] {
            std::fs::write(tree.path(&file), text).expect("file");
        }
        let seen = lookout.look(&root);
        assert_eq!(seen.online.expect("a list").to_string(), "0-1");
        assert_eq!((seen.cpu_millicelsius, seen.clocks[0].cap_khz), (Some(88_000), Some(816_000)));
    }
}

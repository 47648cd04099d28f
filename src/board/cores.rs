//! Sets of cores in the kernel's list syntax: `0-3,8`.

use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;

/// The highest core number that is believed. The kernel is built for at most 8192 cores; without a bound a malformed
/// `0-4294967295` would fill the memory of a board.
const MAX_CORE: u32 = 8191;

/// Core numbers, ascending. JSON: an array of numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoreSet(BTreeSet<u32>);

impl CoreSet {
    /// Reads the kernel's list syntax (`0-1,4-5,8`). `None` when it is anything else, or empty: a list of no core at all
    /// is a file that says nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut cores = BTreeSet::new();
        for range in text.trim().split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (core_number(first)?, core_number(last)?);
            if first > last {
                return None;
            }
            cores.extend(first..=last);
        }
        Some(Self(cores))
    }

    /// Reads cores separated by blanks, as cpufreq's `related_cpus` has them (`0 1 2 3`).
    #[must_use]
    pub fn parse_words(text: &str) -> Option<Self> {
        let cores: Option<BTreeSet<u32>> = text.split_whitespace().map(core_number).collect();
        cores.filter(|set| !set.is_empty()).map(Self)
    }

    /// How many cores are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no core is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this core is in the set.
    #[must_use]
    pub fn contains(&self, core: u32) -> bool {
        self.0.contains(&core)
    }

    /// The core numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// The cores that are in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// The cores that are in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }
}

fn core_number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits
        .then(|| text.parse().ok())?
        .filter(|core| *core <= MAX_CORE)
}

impl FromIterator<u32> for CoreSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cores: I) -> Self {
        Self(cores.into_iter().collect())
    }
}

impl Serialize for CoreSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

/// The kernel's list syntax again.
impl fmt::Display for CoreSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cores = self.iter().peekable();
        let mut comma = "";
        while let Some(first) = cores.next() {
            let mut last = first;
            while let Some(next) = cores.next_if_eq(&(last + 1)) {
                last = next;
            }
            write!(f, "{comma}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_the_round_trip() {
        for text in ["0", "0-3", "0-1,4-5,8-9,12-13", "0-1,8,16-17"] {
            assert_eq!(CoreSet::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(CoreSet::parse("0,1,2\n").expect("list").to_string(), "0-2");
        assert_eq!(CoreSet::parse_words("4 5 \n").expect("words").to_string(), "4-5");
    }

    #[test]
    fn nonsense_is_unknown_and_never_fills_memory() {
        for text in [
            "",
            "\n",
            "3-0",
            "0-",
            "-1",
            "a",
            "0-4294967295",
            "8192",
            "+1",
            "0,,1",
            "0-3-5",
        ] {
            assert_eq!(CoreSet::parse(text), None, "{text:?}");
        }
        assert_eq!(CoreSet::parse_words(" "), None);
    }

    #[test]
    fn sets_meet_and_differ() {
        let (a, b) = (CoreSet::from_iter([0, 1, 2, 3]), CoreSet::from_iter([2, 3, 4]));
        assert_eq!(a.and(&b).to_string(), "2-3");
        assert_eq!(a.without(&b).to_string(), "0-1");
        assert!(a.contains(0) && !a.contains(4) && a.len() == 4);
    }
}

//! Sets of cores in the kernel's list syntax: `0-3,8`.

use super::root::number_after;
use serde::{Serialize, Serializer};
use std::fmt;

/// The highest core number that is believed. The kernel is built for at most 8192 cores; without a bound a malformed
/// `0-4294967295` would fill the memory of a board.
const MAX_CORE: u32 = 8191;

/// Core numbers. JSON: an array of them, ascending.
///
/// Bit n of word n / 64 is core n, and the last word is not 0: a set of the largest machine is a kilobyte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoreSet(Vec<u64>);

impl CoreSet {
    /// Reads the kernel's list syntax (`0-1,4-5,8`). `None` when it is anything else, or empty: a list of no core at all
    /// is a file that says nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut cores = Self::default();
        for range in text.trim_ascii().split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (core_number(first)?, core_number(last)?);
            if first > last {
                return None;
            }
            (first..=last).for_each(|core| cores.insert(core));
        }
        Some(cores)
    }

    /// Reads cores separated by blanks, as cpufreq's `related_cpus` has them (`0 1 2 3`).
    #[must_use]
    pub fn parse_words(text: &str) -> Option<Self> {
        let mut cores = Self::default();
        for word in text.split_ascii_whitespace() {
            cores.insert(core_number(word)?);
        }
        (!cores.is_empty()).then_some(cores)
    }

    /// Reads a mask as sysfs has them: hexadecimal words of 32 bits with commas between, the cores from 0 on last
    /// (`00000000,0000000f`). A mask of nothing is an empty set.
    #[must_use]
    pub fn parse_mask(text: &str) -> Option<Self> {
        let mut cores = Self::default();
        for (at, word) in (0u32..).zip(text.trim_ascii().rsplit(',')) {
            let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let bits = plain.then(|| u32::from_str_radix(word, 16).ok())??;
            (0..32).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| cores.insert(at * 32 + bit));
        }
        Some(cores)
    }

    /// Adds a core; a number that no kernel has (past 8191) is left out.
    pub fn insert(&mut self, core: u32) {
        if core > MAX_CORE {
            return;
        }
        let word = (core / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (core % 64);
    }

    /// How many cores are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no core is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this core is in the set.
    #[must_use]
    pub fn contains(&self, core: u32) -> bool {
        self.0.get((core / 64) as usize).is_some_and(|word| word >> (core % 64) & 1 == 1)
    }

    /// The core numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..=MAX_CORE).take(self.0.len() * 64).filter(|core| self.contains(*core))
    }

    /// The cores that are in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.each_word(other, |a, b| a & b)
    }

    /// The cores that are in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.each_word(other, |a, b| a & !b)
    }

    fn each_word(&self, other: &Self, keep: fn(u64, u64) -> u64) -> Self {
        let theirs = |at: usize| other.0.get(at).copied().unwrap_or(0);
        let mut words: Vec<u64> =
            self.0.iter().enumerate().map(|(at, word)| keep(*word, theirs(at))).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(words)
    }
}

fn core_number(text: &str) -> Option<u32> {
    number_after("", text).filter(|core| *core <= MAX_CORE)
}

impl FromIterator<u32> for CoreSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cores: I) -> Self {
        let mut set = Self::default();
        cores.into_iter().for_each(|core| set.insert(core));
        set
    }
}

impl Serialize for CoreSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
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
        for text in ["", "\n", "3-0", "0-", "-1", "a", "0-4294967295", "8192", "+1", "0,,1", "0-3-5"] {
            assert_eq!(CoreSet::parse(text), None, "{text:?}");
        }
        assert_eq!(CoreSet::parse_words(" "), None);
    }

    #[test]
    fn masks_are_hexadecimal_and_begin_at_their_end() {
        let set = |text: &str| CoreSet::parse_mask(text).map(|set| set.to_string());
        assert_eq!(set("f\n").as_deref(), Some("0-3"));
        assert_eq!(set("00000001,0000000e").as_deref(), Some("1-3,32"));
        assert_eq!(set("0").as_deref(), Some(""));
        for text in ["", ",", "x", "+1", "1,,2", "123456789"] {
            assert_eq!(set(text), None, "{text:?}");
        }
    }

    #[test]
    fn sets_meet_and_differ() {
        let (a, b) = (CoreSet::from_iter([0, 1, 2, 3]), CoreSet::from_iter([2, 3, 4]));
        assert_eq!(a.and(&b).to_string(), "2-3");
        assert_eq!(a.without(&b).to_string(), "0-1");
        assert!(a.contains(0) && !a.contains(4) && !a.contains(u32::MAX) && a.len() == 4);
        let far = CoreSet::from_iter([1, 64, 8191, 8192]);
        assert_eq!(far.to_string(), "1,64,8191");
        assert_eq!(far.and(&a), CoreSet::from_iter([1]), "the words past the last core do not count");
        assert!(a.without(&a).is_empty());
    }
}

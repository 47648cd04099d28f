//! The root as a value: every reader of /proc and /sys takes a [`SysRoot`], so that a recorded board replays as a test.

use super::CoreSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The running machine's own root. Nothing else in the crate spells it.
const LIVE_ROOT: &str = "/";

/// The most that is read of one file. /proc/cpuinfo of a 256-core server is about 400 KiB; whatever is longer than this
/// is no kernel table.
const READ_LIMIT: u64 = 1 << 20;

/// The most entries that are taken from one directory; a board has tens of cores and zones, not thousands.
const LIST_LIMIT: usize = 4096;

/// How much of a malformed file a note quotes.
const QUOTE_CHARS: usize = 40;

/// A folder that holds `proc` and `sys`: the running machine, or a board that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SysRoot {
    path: PathBuf,
}

impl SysRoot {
    /// The machine that this program runs on.
    #[must_use]
    pub fn live() -> Self {
        Self::at(LIVE_ROOT)
    }

    /// A recorded board: `path` holds its `proc` and `sys`.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Whether this is the running machine, so that a system call about this process says something about the board.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.path == Path::new(LIVE_ROOT)
    }

    /// The file's bytes, at most a mebibyte of them.
    ///
    /// `None` for every error alike. The kernel answers ENOENT for what this board lacks, EBUSY or ENODEV for a core that
    /// is switched off, EIO or EINVAL for a sensor that does not answer, EACCES for what only root may see: in each case
    /// the value is unknown, and the files beside it still count.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let file = File::open(self.path.join(path)).ok()?;
        let mut bytes = Vec::new();
        file.take(READ_LIMIT).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The file as text without the blanks and NUL bytes around it (device-tree strings end in one). Bytes that are not
    /// UTF-8 become U+FFFD. An empty file is `None`: it says nothing.
    #[must_use]
    #[inline(never)] // Called from everywhere, hot nowhere: boardd has to stay small.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.bytes(path)?;
        let is_text = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
        let first = bytes.iter().position(is_text)?;
        let last = bytes.iter().rposition(is_text)?;
        Some(String::from_utf8_lossy(&bytes[first..=last]).into_owned())
    }

    /// The file's text as `parse` understands it. Text that it does not understand is `None` and a note that names the
    /// file and quotes its content.
    pub fn parsed<T>(
        &self,
        path: &str,
        notes: &mut Vec<String>,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(path)?;
        let value = parse(&text);
        if value.is_none() {
            note_malformed(path, &text, notes);
        }
        value
    }

    /// The file's one number, by [`SysRoot::parsed`]'s rules.
    #[inline(never)]
    pub fn number(&self, path: &str, notes: &mut Vec<String>) -> Option<u64> {
        self.parsed(path, notes, |text| text.parse().ok())
    }

    /// The numbers N of the entries called `<prefix>N` in a directory; empty when there is no such directory. Entries with
    /// anything but digits after the prefix (`cpufreq` beside `cpu0`) are left out.
    #[must_use]
    #[inline(never)]
    pub fn numbered(&self, dir: &str, prefix: &str) -> CoreSet {
        let mut numbers = CoreSet::default();
        self.find_numbered(dir, prefix, &mut |number| {
            numbers.insert(number);
            false
        });
        numbers
    }

    /// The first N of the entries called `<prefix>N` in a directory for which `is_it` holds; `None` when there is none, or
    /// no such directory.
    #[inline(never)]
    pub fn find_numbered(&self, dir: &str, prefix: &str, is_it: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        for entry in fs::read_dir(self.path.join(dir)).ok()?.take(LIST_LIMIT).flatten() {
            let number = entry.file_name().to_str().and_then(|name| number_after(prefix, name));
            if let Some(number) = number.filter(|number| is_it(*number)) {
                return Some(number);
            }
        }
        None
    }

    /// The file's text as one read into `buffer` gives it: for the short files of /proc that are read by the hundred. `None`
    /// as for [`SysRoot::bytes`], and for what is not UTF-8; what is longer than the buffer is cut off.
    #[must_use]
    pub fn read_once<'a>(&self, path: &str, buffer: &'a mut [u8]) -> Option<&'a str> {
        let length = File::open(self.path.join(path)).ok()?.read(buffer).ok()?;
        std::str::from_utf8(&buffer[..length]).ok()
    }

    /// The names of the entries of a directory, sorted; empty when there is no such directory.
    #[must_use]
    pub fn names(&self, dir: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path.join(dir)).into_iter().flatten().take(LIST_LIMIT).flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// What a symbolic link says; `None` when it is none or may not be read.
    #[must_use]
    pub fn link(&self, path: &str) -> Option<String> {
        fs::read_link(self.path.join(path)).ok()?.into_os_string().into_string().ok()
    }

    /// Where a path ends that goes over symbolic links, below this root; `None` when there is nothing, or it leads out.
    #[must_use]
    pub fn real_path(&self, path: &str) -> Option<String> {
        let (root, real) = (fs::canonicalize(&self.path).ok()?, fs::canonicalize(self.path.join(path)).ok()?);
        real.strip_prefix(root).ok()?.to_str().map(str::to_owned)
    }
}

#[cold]
fn note_malformed(path: &str, text: &str, notes: &mut Vec<String>) {
    let start: String = text.chars().take(QUOTE_CHARS).collect();
    notes.push(format!("/{path}: cannot make sense of {start:?}, left out"));
}

/// N of `<prefix>N`, where N is all digits: `"+4"` parses as a number in Rust, and is none here.
pub(crate) fn number_after(prefix: &str, name: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn text_loses_nul_and_blanks_but_not_what_is_between() {
        let tree = Tree::new(&[("proc/device-tree/model", b" Board 1\0Rev\0 \n")]);
        assert_eq!(tree.root().text("proc/device-tree/model").as_deref(), Some("Board 1\0Rev"));
    }

    #[test]
    fn absent_empty_and_unreadable_files_are_unknown() {
        let tree = Tree::new(&[("a/empty", b""), ("a/dir/file", b"1")]);
        // Opening a directory works and reading it fails: an error that comes at the read, like EBUSY of a core that is off.
        for path in ["a/none", "a/empty", "a/dir", "a/empty/below"] {
            assert_eq!(tree.root().text(path), None, "{path}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let tree = Tree::new(&[("big", &vec![b'x'; 3 << 20])]);
        assert_eq!(tree.root().bytes("big").map(|b| b.len() as u64), Some(READ_LIMIT));
    }

    #[test]
    fn malformed_numbers_are_noted_by_path_and_content() {
        let tree = Tree::new(&[("sys/x", b"1 2\xff")]);
        let mut notes = Vec::new();
        assert_eq!(tree.root().number("sys/x", &mut notes), None);
        assert_eq!(notes, ["/sys/x: cannot make sense of \"1 2\u{fffd}\", left out"]);
    }

    #[test]
    fn numbered_entries_take_digits_only_and_sort_as_numbers() {
        let tree =
            Tree::new(&[("d/cpu10/a", b""), ("d/cpu2/a", b""), ("d/cpufreq/a", b""), ("d/cpu+4/a", b"")]);
        assert_eq!(tree.root().numbered("d", "cpu").to_string(), "2,10");
        assert!(tree.root().numbered("nowhere", "cpu").is_empty());
    }

    #[test]
    fn one_read_takes_what_fits_and_names_are_sorted() {
        let tree = Tree::new(&[("d/b", b"text\n"), ("d/a", b"\xff")]);
        assert_eq!(tree.root().read_once("d/b", &mut [0; 64]), Some("text\n"));
        assert_eq!(tree.root().read_once("d/b", &mut [0; 2]), Some("te"));
        assert_eq!(tree.root().read_once("d/a", &mut [0; 64]), None);
        assert_eq!(tree.root().read_once("d", &mut [0; 64]), None);
        assert_eq!(tree.root().names("d"), ["a", "b"]);
        assert!(tree.root().names("nowhere").is_empty());
    }

    #[test]
    fn only_the_live_root_is_live() {
        assert!(SysRoot::live().is_live());
        assert!(!SysRoot::at("/tmp").is_live());
    }
}

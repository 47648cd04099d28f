//! The files that a worker has at hand: bounded in bytes, and in open descriptors.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::Entry;
use crate::server::wheel::TICK_MS;

/// How long a file is taken to be what it was: a change shows within a second.
const FRESH_TICKS: u64 = 1000 / TICK_MS;

/// Longest path that is remembered, in bytes: longer ones are rare, and then cheap beside their files.
const MAX_PATH_BYTES: usize = 512;

/// What an entry costs beside its content: names, header lines, the map's own.
const ENTRY_BYTES: usize = 1024;

/// Descriptors of large files that a worker keeps open.
const MAX_OPEN: usize = 32;

/// A worker's cache, by the paths of targets as they came. No lock: each worker has its own.
pub(in crate::server) struct FileCache {
    files: HashMap<Box<str>, Kept>,
    most_bytes: usize,
    bytes: usize,
    open: usize,
}

struct Kept {
    entry: Arc<Entry>,
    /// Tick at which it was looked at.
    checked: u64,
    /// Tick at which it was asked for.
    used: u64,
    /// Tick at which a request was sent to look at it again.
    asked: Option<u64>,
    bytes: usize,
}

/// What a cache knows of a path.
pub(in crate::server) enum Known {
    /// The file as it is.
    Fresh(Arc<Entry>),
    /// The file as it was: to be looked at.
    Stale(Arc<Entry>),
    /// Nothing.
    Unknown,
}

impl FileCache {
    /// An empty cache of at most so many bytes.
    pub(in crate::server) fn new(most_bytes: usize) -> Self {
        Self { files: HashMap::new(), most_bytes, bytes: 0, open: 0 }
    }

    /// What is known of a path. While one request has a stale file looked at, others are answered with what is known; should
    /// it end before it has seen the file, another looks a second later.
    pub(in crate::server) fn find(&mut self, path: &str, tick: u64) -> Known {
        let Some(kept) = self.files.get_mut(path) else { return Known::Unknown };
        kept.used = tick;
        let is_asked = kept.asked.is_some_and(|asked| tick - asked < FRESH_TICKS);
        if tick - kept.checked < FRESH_TICKS || is_asked {
            return Known::Fresh(Arc::clone(&kept.entry));
        }
        kept.asked = Some(tick);
        Known::Stale(Arc::clone(&kept.entry))
    }

    /// Remembers a file that was looked at no earlier than at `tick`.
    pub(in crate::server) fn keep(&mut self, path: &str, entry: Arc<Entry>, tick: u64) {
        self.forget(path);
        let bytes = ENTRY_BYTES + path.len() + entry.memory_bytes();
        if path.len() > MAX_PATH_BYTES || bytes > self.most_bytes / 4 {
            return;
        }
        self.bytes += bytes;
        self.open += entry.open_files();
        let kept = Kept { entry, checked: tick, used: tick, asked: None, bytes };
        self.files.insert(path.into(), kept);
        while self.bytes > self.most_bytes || self.open > MAX_OPEN {
            let oldest = self.files.iter().min_by_key(|(_, kept)| kept.used).map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { break };
            self.forget(&oldest);
        }
    }

    /// Forgets a path.
    pub(in crate::server) fn forget(&mut self, path: &str) {
        if let Some(kept) = self.files.remove(path) {
            self.bytes -= kept.bytes;
            self.open -= kept.entry.open_files();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(bytes: usize) -> Arc<Entry> {
        Arc::new(Entry::in_memory("text/plain", &vec![b'x'; bytes]))
    }

    #[test]
    fn a_file_is_fresh_for_a_second_and_one_request_looks_again() {
        let mut cache = FileCache::new(1 << 20);
        assert!(matches!(cache.find("/a", 0), Known::Unknown));
        cache.keep("/a", entry(10), 5);
        assert!(matches!(cache.find("/a", 14), Known::Fresh(_)));
        assert!(matches!(cache.find("/a", 15), Known::Stale(_)));
        assert!(matches!(cache.find("/a", 15), Known::Fresh(_)), "somebody looks already");
        assert!(matches!(cache.find("/a", 25), Known::Stale(_)), "who looked has not come back");
        cache.keep("/a", entry(10), 25);
        assert!(matches!(cache.find("/a", 34), Known::Fresh(_)));
        cache.forget("/a");
        assert!(matches!(cache.find("/a", 16), Known::Unknown));
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let mut cache = FileCache::new(100_000);
        for (tick, path) in ["/a", "/b", "/c", "/d"].into_iter().enumerate() {
            cache.keep(path, entry(20_000), tick as u64);
        }
        let _ = cache.find("/a", 10);
        cache.keep("/e", entry(20_000), 11);
        assert!(cache.bytes <= 100_000);
        assert!(matches!(cache.find("/b", 12), Known::Unknown), "the oldest");
        assert!(!matches!(cache.find("/a", 12), Known::Unknown), "used since");
        cache.keep("/large", entry(90_000), 12);
        assert!(matches!(cache.find("/large", 12), Known::Unknown), "one file is not the whole cache");
        for path in ["/a", "/c", "/d", "/e"] {
            cache.forget(path);
        }
        assert_eq!((cache.bytes, cache.open), (0, 0));
    }
}

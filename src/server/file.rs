//! Files as bodies: sent by the kernel, without a copy, and never before they are in memory.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{Advice, Mode, OFlags, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

/// Bytes that are fetched from the disk at once: a tenth of a second of a 100 Mbit/s link.
pub(super) const FETCH_BYTES: u64 = 1024 * 1024;

/// Bytes that are looked for in memory at once, in steps of what is fetched: so many that looking costs nothing beside
/// sending them.
pub(super) const LOOK_BYTES: u64 = 8 * FETCH_BYTES;

/// How files are opened. Not blocking: a pipe without a writer would be waited for.
pub(super) const READING: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Part of an open file. Clones share the descriptor.
#[derive(Debug, Clone)]
pub struct FilePart {
    file: Arc<File>,
    from: u64,
    length: u64,
}

impl FilePart {
    /// `length` bytes of a file from byte `from` on. If the file turns out to be shorter, the connection ends early.
    #[must_use]
    pub fn new(file: Arc<File>, from: u64, length: u64) -> Self {
        leave_reading_ahead(&file);
        Self::prepared(file, from, length)
    }

    /// The whole of the file of this name; what is none is not found. Waits for the disk.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::from(rustix::fs::open(path, READING, Mode::empty())?);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self::new(Arc::new(file), 0, metadata.len()))
    }

    /// Part of a file that was prepared by [`leave_reading_ahead`].
    pub(super) const fn prepared(file: Arc<File>, from: u64, length: u64) -> Self {
        Self { file, from, length }
    }

    /// Length in bytes.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Where byte `at` of the part is in the file.
    pub(super) const fn offset(&self, at: u64) -> u64 {
        self.from + at
    }
}

/// Leaves reading ahead to the threads that read: the kernel, left to itself, would have the worker ask the disk for it.
pub(super) fn leave_reading_ahead(file: &File) {
    let _ = fadvise(file, 0, None, Advice::Random);
}

/// Whether this byte of a file can be had without waiting for a disk. If not, the kernel sends for its page and for no
/// other: asked again, the answer says nothing any more. A kernel (before 4.14) or file system that cannot say counts as
/// yes.
pub(super) fn is_in_memory(file: &File, at: u64) -> bool {
    let mut byte = [0];
    let read = preadv2(file, &mut [IoSliceMut::new(&mut byte)], at, ReadWriteFlags::NOWAIT);
    !matches!(read, Err(Errno::AGAIN))
}

/// Has the kernel read these bytes into its memory; blocks for as long as the disk takes. What cannot be read is found out
/// when it is sent.
pub(super) fn fetch(file: &File, from: u64, length: u64) {
    /// More calls than needed would be slower, more memory would not be faster.
    const BUFFER_BYTES: usize = 128 * 1024;
    let mut buffer = vec![0; usize::try_from(length).map_or(BUFFER_BYTES, |length| length.min(BUFFER_BYTES))];
    let (mut at, end) = (from, from + length);
    while at < end {
        match file.read_at(&mut buffer, at) {
            Ok(0) | Err(_) => return,
            Ok(count) => at += count as u64,
        }
    }
    // Not waited for: while these bytes are sent, the disk gets the next.
    let _ = fadvise(file, end, NonZeroU64::new(length), Advice::WillNeed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_just_read_is_in_memory() {
        let file = File::open(std::env::current_exe().expect("our program")).expect("readable");
        fetch(&file, 0, FETCH_BYTES);
        assert!(is_in_memory(&file, 0) && is_in_memory(&file, 4095));
        assert!(is_in_memory(&file, u64::MAX / 4), "beyond the end nothing has to be waited for");
        fetch(&file, u64::MAX / 4, 1);
    }
}

//! Looking at files: on a thread that may wait for the disk.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use super::entry::{Content, Entry, Stamp, Variant};
use crate::http::{Coding, media_type};
use crate::server::file::{READING, leave_reading_ahead};

/// Largest file that is kept in memory, in bytes: above it, sending from the kernel's own memory is no dearer.
const SMALL_BYTES: u64 = 64 * 1024;

/// What stands for a folder.
const INDEX: &[u8] = b"index.html";

/// How folders are opened: to be looked below, not into.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What was found.
pub(super) enum Loaded {
    /// The file that is known, unchanged.
    Same,
    /// A file.
    File(Entry),
    /// A folder that was asked for like a file.
    Folder,
    /// Nothing that is served.
    Missing,
    /// A file that may not be read.
    Forbidden,
    /// Descriptors or memory ran out: perhaps it can be had in a moment.
    Busy,
    /// The disk failed.
    Failed,
}

impl Loaded {
    pub(super) fn without(error: Errno) -> Self {
        match error {
            // NXIO is what a socket or a pipe without a writer says.
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG | Errno::NXIO | Errno::NODEV => {
                Self::Missing
            }
            Errno::ACCESS | Errno::PERM => Self::Forbidden,
            Errno::MFILE | Errno::NFILE | Errno::NOMEM => Self::Busy,
            _ => Self::Failed,
        }
    }
}

/// Looks for the file that the decoded names mean below `root`. If it is the one that is `known`, it is not read again.
pub(super) fn load(root: &Path, names: &[u8], is_folder: bool, known: Option<&Entry>) -> Loaded {
    let mut names = names.to_vec();
    if is_folder {
        if !names.is_empty() {
            names.push(b'/');
        }
        names.extend_from_slice(INDEX);
    }
    let root = match Root::open(root) {
        Ok(root) => root,
        Err(error) => return Loaded::without(error),
    };
    let whole = match root.open_file(&names) {
        Ok(Some(file)) => file,
        Ok(None) => return if is_folder { Loaded::Missing } else { root.folder_or_nothing(&names) },
        Err(error) => return Loaded::without(error),
    };
    let mut others = Vec::new();
    for coding in Coding::ALL {
        let mut beside = names.clone();
        beside.extend_from_slice(coding.suffix().as_bytes());
        match root.open_file(&beside).map_err(Loaded::without) {
            Ok(Some(file)) => others.push((coding, file)),
            Err(Loaded::Busy) => return Loaded::Busy,
            // What is not there, or cannot be had, is not offered.
            Ok(None) | Err(_) => {}
        }
    }
    if known.is_some_and(|known| {
        known.is_of(&whole.1, others.iter().map(|(coding, (_, stamp))| (*coding, *stamp)))
    }) {
        return Loaded::Same;
    }
    let varies = !others.is_empty();
    let mut variants = vec![variant(None, whole, varies)];
    variants.extend(others.into_iter().map(|(coding, file)| variant(Some(coding), file, varies)));
    match variants.into_iter().collect() {
        Ok(variants) => Loaded::File(Entry::new(media_type(&names), variants)),
        Err(_) => Loaded::Failed,
    }
}

fn variant(coding: Option<Coding>, (file, mut stamp): (File, Stamp), varies: bool) -> io::Result<Variant> {
    let content = if stamp.size <= SMALL_BYTES {
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0) + 1);
        // One byte more than it should have: it may be growing.
        (&file).take(SMALL_BYTES + 1).read_to_end(&mut bytes)?;
        stamp.size = bytes.len() as u64;
        Content::Memory(bytes.into())
    } else {
        leave_reading_ahead(&file);
        Content::Open(Arc::new(file))
    };
    Ok(Variant::new(coding, stamp, content, varies))
}

/// The folder that nothing may lead out of.
struct Root {
    folder: rustix::fd::OwnedFd,
    /// Where it really is.
    place: PathBuf,
}

impl Root {
    fn open(root: &Path) -> Result<Self, Errno> {
        let folder = rustix::fs::open(root, FOLDER, Mode::empty())?;
        let place = place_of(&folder)?;
        Ok(Self { folder, place })
    }

    /// Opens a regular file; `None` for what is none, or lies outside.
    fn open_file(&self, names: &[u8]) -> Result<Option<(File, Stamp)>, Errno> {
        let file = match openat(&self.folder, OsStr::from_bytes(names), READING, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ISDIR) => return Ok(None),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata().map_err(|_| Errno::IO)?;
        if !metadata.is_file() || !self.holds(&file)? {
            return Ok(None);
        }
        let stamp = Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            seconds: metadata.mtime(),
            nanos: metadata.mtime_nsec(),
        };
        Ok(Some((file, stamp)))
    }

    /// Whether what was opened lies below the root, whatever links led to it. By whole names: `site-old` is not in `site`.
    fn holds(&self, file: &impl AsFd) -> Result<bool, Errno> {
        Ok(place_of(file)?.starts_with(&self.place))
    }

    fn folder_or_nothing(&self, names: &[u8]) -> Loaded {
        let folder = openat(&self.folder, OsStr::from_bytes(names), FOLDER, Mode::empty());
        match folder.and_then(|folder| self.holds(&folder)) {
            Ok(true) => Loaded::Folder,
            _ => Loaded::Missing,
        }
    }
}

/// Where an open file really is: the kernel's own word, which no later change of links can make untrue.
fn place_of(file: &impl AsFd) -> Result<PathBuf, Errno> {
    use std::os::fd::AsRawFd;
    let link = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    std::fs::read_link(link).map_err(|_| Errno::IO)
}

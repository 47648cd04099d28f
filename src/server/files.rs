//! Files below a folder: small ones from memory, large ones sent by the kernel, and a disk that no worker waits for.

mod cache;
mod entry;
mod load;

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::http::{Status, decode_path};

pub(super) use cache::{FileCache, Known};
pub(super) use entry::Entry;

use super::pool::{Pools, Refused};
use super::request::OwnedRequest;
use super::response::Response;
use load::{Loaded, load};

/// Memory for small files if nothing else is said: a whole site of the kind that a board serves, and 3 % of the smallest
/// board's memory.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// A folder whose files are served; see [`super::Routes::files`].
///
/// A folder is answered with its `index.html`. Beside a file, one with `.br`, `.zst` or `.gz` behind its name is taken for the
/// same content compressed, and sent to clients that prefer it. Files up to 64 KiB are kept in memory; a change shows
/// within a second. Nothing outside the folder is served, whatever links point to.
#[derive(Debug, Clone)]
pub struct Files {
    pub(super) root: Arc<Path>,
    pub(super) cache_bytes: usize,
}

impl Files {
    /// The files below `root`. If the folder is a symbolic link, it may be led elsewhere while the server runs.
    ///
    /// # Errors
    /// When there is no such folder, or it may not be entered.
    pub fn new(root: impl Into<PathBuf>) -> io::Result<Self> {
        let root: PathBuf = root.into();
        std::fs::read_dir(&root)?;
        Ok(Self { root: root.into(), cache_bytes: CACHE_BYTES })
    }

    /// Uses so many bytes of memory for small files, of all workers together; 0 keeps none.
    #[must_use]
    pub fn with_cache(self, bytes: usize) -> Self {
        Self { cache_bytes: bytes, ..self }
    }
}

/// What is asked of a cache by a request whose file is not in it, or was not looked at for a second.
pub(super) struct Lookup {
    pub(super) root: Arc<Path>,
    pub(super) cache: Rc<RefCell<FileCache>>,
    /// What is known of the file.
    pub(super) known: Option<Arc<Entry>>,
    /// The present tick.
    pub(super) tick: u64,
}

impl Lookup {
    /// Has the file looked at by a thread that may wait for the disk, remembers it, and answers. When it cannot be looked
    /// at now, it is taken to be what it was.
    pub(super) async fn answer(self, request: OwnedRequest) -> Response {
        let mut names = Vec::new();
        let is_folder = match decode_path(&request.path, &mut names) {
            Ok(is_folder) => is_folder,
            Err(error) => return Response::error(error.status()),
        };
        let (root, known, wanted) = (Arc::clone(&self.root), self.known.clone(), names.clone());
        let looked =
            Pools::current().disk.run(move || load(&root, &wanted, is_folder, known.as_deref())).await;
        let entry = match looked {
            Err(_) | Ok(Loaded::Busy) if self.known.is_some() => self.known,
            Err(refused) => return refused.response(),
            Ok(Loaded::Same) => self.known,
            Ok(Loaded::File(entry)) => Some(Arc::new(entry)),
            Ok(other) => {
                self.cache.borrow_mut().forget(&request.path);
                return without_a_file(&other, &names, request.query.as_deref());
            }
        };
        let Some(entry) = entry else { return Response::error(Status::NOT_FOUND) };
        self.cache.borrow_mut().keep(&request.path, Arc::clone(&entry), self.tick);
        let headers: Vec<_> = request.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
        entry.answer(request.method, &headers)
    }
}

fn without_a_file(loaded: &Loaded, names: &[u8], query: Option<&str>) -> Response {
    match loaded {
        Loaded::Folder => Response::redirect(Status::MOVED_PERMANENTLY, &location(names, query)),
        Loaded::Forbidden => Response::error(Status::FORBIDDEN),
        Loaded::Busy => Refused::new().response(),
        Loaded::Failed => Response::error(Status::INTERNAL_SERVER_ERROR),
        Loaded::Missing | Loaded::Same | Loaded::File(_) => Response::error(Status::NOT_FOUND),
    }
}

/// The path of a folder with the slash behind it that relative links need. Made from the decoded names: what the client
/// sent could be the name of another host.
fn location(names: &[u8], query: Option<&str>) -> String {
    let mut location = String::from("/");
    for &byte in names {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => location.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => location.push(char::from(byte)),
            _ => {
                let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value & 0xf)]);
                location.extend(['%', digit(byte >> 4), digit(byte)]);
            }
        }
    }
    location.push('/');
    if let Some(query) = query {
        location.push('?');
        location.push_str(query);
    }
    location
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_stays_on_this_host() {
        assert_eq!(location(b"evil.example", None), "/evil.example/");
        assert_eq!(location("a b/ü%".as_bytes(), Some("x=1")), "/a%20b/%C3%BC%25/?x=1");
    }

    #[test]
    fn what_the_kernel_says_has_a_status() {
        use rustix::io::Errno;
        let rows = [
            (Errno::NOENT, Status::NOT_FOUND),
            (Errno::LOOP, Status::NOT_FOUND),
            (Errno::ACCESS, Status::FORBIDDEN),
            (Errno::MFILE, Status::SERVICE_UNAVAILABLE),
            (Errno::NFILE, Status::SERVICE_UNAVAILABLE),
            (Errno::IO, Status::INTERNAL_SERVER_ERROR),
        ];
        for (error, status) in rows {
            assert_eq!(without_a_file(&Loaded::without(error), b"", None).status(), status, "{error}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_said_at_once() {
        assert!(Files::new("/nowhere/at/all").is_err());
        assert!(Files::new(std::env::current_exe().expect("our program")).is_err(), "a file is no folder");
    }
}

//! A throw-away root for unit tests.

use super::SysRoot;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own under the temporary directory, removed when dropped.
pub(crate) struct Tree {
    path: PathBuf,
}

impl Tree {
    /// A root with these files.
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("boardkit-tree-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let tree = Self { path: std::env::temp_dir().join(name) };
        fs::create_dir_all(&tree.path).expect("temporary directory is writable");
        for (name, content) in files {
            let path = tree.path.join(name);
            fs::create_dir_all(path.parent().expect("a file has a parent")).expect("directory");
            fs::write(path, content).expect("file");
        }
        tree
    }

    /// Where a file of this root is, for tests that change it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The root to read from.
    pub(crate) fn root(&self) -> SysRoot {
        SysRoot::at(&self.path)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

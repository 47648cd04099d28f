//! A report as JSON.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Writes `report` to `path` so that a reader sees the old file or the whole new one, never a part.
///
/// # Errors
/// When the folder can't be written to, or the disk is full; nothing is left behind then.
pub fn write<R: Serialize>(report: &R, path: &Path) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    replace(path, &text)
}

/// The same for text that is there already.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    // A pipe or a device can't be replaced, only written to: --json /dev/stdout.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return fs::write(path, text);
    }
    let temporary = temporary_beside(path)?;
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// In the same folder, since a rename does not cross file systems.
fn temporary_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_file_is_beside_the_old_one_and_hidden() {
        let temporary = temporary_beside(Path::new("results/run.json")).unwrap();
        assert_eq!(temporary.parent(), Some(Path::new("results")));
        assert!(temporary.file_name().unwrap().to_string_lossy().starts_with(".run.json."));
        assert!(temporary_beside(Path::new("/")).is_err());
    }
}

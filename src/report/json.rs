//! A report as JSON.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Writes `report` to `path`, where `-` is standard output, so that a reader sees the old file or the whole new one, never a part.
///
/// # Errors
/// When the folder can't be written to, or the disk is full; nothing is left behind then.
pub fn write<R: Serialize>(report: &R, path: &Path) -> io::Result<()> {
    replace(report, path, File::sync_all)
}

/// Whether `path` stands for standard output: it is `-`.
#[must_use]
pub fn is_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether `path` is, or would become, a file that can be replaced: a pipe or a terminal can only be written to once.
#[must_use]
pub fn is_replaceable(path: &Path) -> bool {
    !is_output(path) && fs::metadata(path).map_or(true, |meta| meta.is_file())
}

/// The same for a report that is written again in a moment: complete whatever becomes of this program, but not safe from a
/// power cut.
///
/// # Errors
/// As [`write()`].
pub fn write_unsynced<R: Serialize>(report: &R, path: &Path) -> io::Result<()> {
    replace(report, path, |_| Ok(()))
}

/// The same for what is no JSON and there already, such as a page.
///
/// # Errors
/// As [`write()`].
pub fn write_text(text: &[u8], path: &Path) -> io::Result<()> {
    replace_text(text, path, File::sync_all)
}

fn replace<R: Serialize>(report: &R, path: &Path, sync: fn(&File) -> io::Result<()>) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    replace_text(&text, path, sync)
}

/// The same for text that is there already.
pub(super) fn replace_text(text: &[u8], path: &Path, sync: fn(&File) -> io::Result<()>) -> io::Result<()> {
    if is_output(path) {
        let mut out = io::stdout().lock();
        return match out.write_all(text).and_then(|()| out.flush()) {
            // A reader that has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        };
    }
    // A pipe or a device can't be replaced, only written to: --json /dev/stdout.
    if !is_replaceable(path) {
        return fs::write(path, text);
    }
    // What a link leads to is replaced, and not the link.
    let real = fs::canonicalize(path);
    let path = real.as_deref().unwrap_or(path);
    let temporary = temporary_beside(path)?;
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text)?;
            sync(&file)
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

//! The files that a run leaves behind.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{Access, access};

/// Looks before the run, and not after it, whether the file that `flag` names can be written.
///
/// # Errors
/// When it can't, with what to do.
pub(crate) fn check(flag: &str, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let shown = path.display();
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => bail!("{flag}: {shown} is a folder; name a file in it"),
        // A pipe or a device is written to; the folder that it is in does not matter.
        Ok(meta) if !meta.is_file() => return Ok(()),
        _ => {}
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "{flag}: there is no folder {}; create it first", folder.display());
    // A file is replaced by a new one beside it, so its own permissions do not matter.
    access(folder, Access::WRITE_OK)
        .with_context(|| format!("{flag}: can't write into the folder {}", folder.display()))
}

/// Writes the file that `flag` names, if it names one.
///
/// # Errors
/// When that fails.
pub(crate) fn save(
    flag: &str,
    path: Option<&Path>,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    write(path).with_context(|| format!("{flag}: can't write {}", path.display()))
}

//! The files that a run leaves behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use boardkit::report::json;
use rustix::fs::{Access, access};

/// Looks before the run, and not after it, whether the file that `flag` names can be written. Where that is standard output,
/// all text goes to the error output from here on.
///
/// # Errors
/// When it can't, with what to do.
pub(crate) fn check(flag: &str, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    if json::is_output(path) {
        crate::load::print_beside();
        return Ok(());
    }
    let shown = path.display();
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => bail!("{flag}: {shown} is a folder; name a file in it"),
        // A pipe or a device is written to; the folder that it is in does not matter.
        Ok(meta) if !meta.is_file() => return Ok(()),
        _ => {}
    }
    let folder = folder(path);
    ensure!(folder.is_dir(), "{flag}: there is no folder {}; create it first", folder.display());
    // A file is replaced by a new one beside it, so its own permissions do not matter.
    access(folder, Access::WRITE_OK)
        .with_context(|| format!("{flag}: can't write into the folder {}", folder.display()))
}

/// Looks before the run whether the files that two flags name can be written, the one and the other.
///
/// # Errors
/// When they can't, or when they are the same file.
pub(crate) fn check_two(one: (&str, Option<&Path>), other: (&str, Option<&Path>)) -> Result<()> {
    check(one.0, one.1)?;
    check(other.0, other.1)?;
    let same = one.1.zip(other.1).is_some_and(|(one, other)| place(one) == place(other));
    ensure!(!same, "{} and {} must name two different files", one.0, other.0);
    Ok(())
}

/// The same for each way to write the path of a file, which need not be there yet.
fn place(path: &Path) -> PathBuf {
    let there = folder(path).canonicalize().ok();
    there.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

/// The folder that the file is in, or will be.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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

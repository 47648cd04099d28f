//! `boardctl report`: results → one page, and pictures.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use boardkit::report::chart::{Named, Picture, Scheme, Size};
use boardkit::report::{json, page};

use crate::args::ReportArgs;
use crate::files;
use crate::load::print;
use crate::results::{STANDARD, names, read};

/// The page where nothing is said.
const PAGE: &str = "report.html";

/// What is to be written, and where. Nothing is, before all of it is there.
type Writings = Vec<(PathBuf, Vec<u8>)>;

/// Runs the verb.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode> {
    let only_pictures = args.output.is_none() && (args.svg.is_some() || args.png.is_some());
    let output = args.output.clone().or_else(|| (!only_pictures).then(|| PathBuf::from(PAGE)));
    let to_output = output.as_deref() == Some(Path::new(STANDARD));
    let output = output.filter(|_| !to_output);
    ensure!(
        !to_output || !io::stdout().is_terminal(),
        "-o -: a page is nothing for a terminal; send it on, or name a file"
    );
    check_output(output.as_deref(), &args.files)?;
    check_folder("--svg", args.svg.as_deref())?;
    check_folder("--png", args.png.as_deref())?;
    let inputs = args.files.iter().filter(|path| path.as_path() == Path::new(STANDARD)).count();
    ensure!(inputs < 2, "-: there is only one standard input; name it once");
    let reports = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let names = names(&args.files);
    let runs: Vec<Named<'_>> = names.iter().zip(&reports).map(|(name, run)| Named { name, run }).collect();
    let page = if only_pictures { None } else { Some(page::page(&runs)?) };
    let mut writings = Writings::new();
    if let Some((path, page)) = output.zip(page.as_ref()) {
        writings.push((path, page.clone().into_bytes()));
    }
    if args.svg.is_some() || args.png.is_some() {
        pictures(args, &runs, &mut writings)?;
    }
    let lines = write(&writings)?;
    print(&page.filter(|_| to_output).unwrap_or(lines))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes all of it and tells the names of the files.
fn write(writings: &Writings) -> Result<String> {
    let mut names = String::new();
    for (path, bytes) in writings {
        // Of the pictures; that of the page is there.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            fs::create_dir(folder)
                .with_context(|| format!("can't create the folder {}", folder.display()))?;
        }
        json::write_text(bytes, path).with_context(|| format!("can't write {}", path.display()))?;
        if json::is_replaceable(path) {
            names += &format!("{}\n", path.display());
        }
    }
    Ok(names)
}

/// A page must not take the place of what it is made from.
fn check_output(output: Option<&Path>, files: &[PathBuf]) -> Result<()> {
    let Some(page) = output else { return Ok(()) };
    let same = |file: &&PathBuf| {
        let real = |path: &Path| path.canonicalize().ok();
        *file == page || real(file).is_some_and(|file| Some(file) == real(page))
    };
    if let Some(file) = files.iter().find(same) {
        bail!("-o {}: that is one of the results; give the page another name", file.display());
    }
    files::check("-o", output)
}

/// The folder of the pictures may be a new one in a folder that is there.
fn check_folder(flag: &str, folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder.filter(|folder| !folder.is_dir()) else { return Ok(()) };
    files::check(flag, Some(folder))?;
    ensure!(!folder.exists(), "{flag}: {} is a file; name a folder", folder.display());
    Ok(())
}

/// The pictures: those of all runs, and the load per core of each.
fn pictures(args: &ReportArgs, runs: &[Named<'_>], writings: &mut Writings) -> Result<()> {
    let size = if args.narrow { Size::Narrow } else { Size::Wide };
    let scheme = if args.dark { Scheme::Dark } else { Scheme::Light };
    let percentiles = Picture::percentiles(runs)?;
    let mut found = vec![("time".to_owned(), Picture::time(runs)), ("percentiles".to_owned(), percentiles)];
    for (place, named) in runs.iter().enumerate() {
        let name = if runs.len() == 1 { "cores".to_owned() } else { format!("cores-{}", place + 1) };
        found.push((name, Picture::cores(*named)));
    }
    let found: Vec<(String, Picture)> =
        found.into_iter().filter_map(|(name, picture)| Some((name, picture?))).collect();
    if found.is_empty() && args.output.is_none() {
        bail!("there is nothing to draw: no request finished, and neither board nor laptop was watched");
    }
    for (name, picture) in &found {
        if let Some(folder) = &args.svg {
            writings.push((folder.join(format!("{name}.svg")), picture.svg(size).into_bytes()));
        }
        if let Some(folder) = &args.png {
            writings.push((folder.join(format!("{name}.png")), picture.png(size, scheme)));
        }
    }
    Ok(())
}

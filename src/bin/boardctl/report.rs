//! `boardctl report`: results → one page, and pictures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use boardkit::report::chart::{Named, Picture, Scheme, Size};
use boardkit::report::{json, page};

use crate::args::ReportArgs;
use crate::load::print;
use crate::results::{names, read};

/// The page where nothing is said.
const PAGE: &str = "report.html";

/// What is to be written, and where. Nothing is, before all of it is there.
type Writings = Vec<(PathBuf, Vec<u8>)>;

/// Runs the verb.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode> {
    let only_pictures = args.output.is_none() && (args.svg.is_some() || args.png.is_some());
    let output = args.output.clone().or_else(|| (!only_pictures).then(|| PathBuf::from(PAGE)));
    if let Some(output) = &output {
        check_output(output, &args.files)?;
    }
    let reports = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let names = names(&args.files);
    let runs: Vec<Named<'_>> = names.iter().zip(&reports).map(|(name, run)| Named { name, run }).collect();
    let mut writings = Writings::new();
    if let Some(path) = output {
        let page = page::page(&runs)?;
        writings.push((path, page.into_bytes()));
    }
    if args.svg.is_some() || args.png.is_some() {
        pictures(args, &runs, &mut writings)?;
    }
    for (path, bytes) in &writings {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|_| json::is_replaceable(path)) {
            fs::create_dir_all(folder)
                .with_context(|| format!("can't create the folder {}", folder.display()))?;
        }
        json::write_text(bytes, path).with_context(|| format!("can't write {}", path.display()))?;
    }
    let written = writings.iter().filter(|(path, _)| json::is_replaceable(path));
    let lines: String = written.map(|(path, _)| format!("{}\n", path.display())).collect();
    print(&lines)?;
    Ok(ExitCode::SUCCESS)
}

/// A page must not take the place of what it is made from.
fn check_output(output: &Path, files: &[PathBuf]) -> Result<()> {
    let same = |file: &&PathBuf| {
        let real = |path: &Path| path.canonicalize().ok();
        *file == output || real(file).is_some_and(|file| Some(file) == real(output))
    };
    if let Some(file) = files.iter().find(same) {
        bail!("-o {}: that is one of the results; give the page another name", file.display());
    }
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

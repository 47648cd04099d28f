//! `boardctl report`: results → one page, and pictures.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use boardkit::report::chart::{Named, Picture, Scheme, Size};
use boardkit::report::{RunReport, json, page};
use serde::Deserialize;

use crate::args::ReportArgs;
use crate::load::print;

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

/// Reads a result.
fn read(path: &Path) -> Result<RunReport> {
    let name = path.display();
    let text = fs::read(path).with_context(|| format!("can't read {name}"))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        bail!(
            "{name} is empty: nothing was measured yet, or the disk was full; run the load again with --json"
        );
    }
    let form: Form = serde_json::from_slice(&text).map_err(|error| not_json(path, &error))?;
    match form.form.as_deref() {
        Some(RunReport::FORM) => {}
        Some(other) => bail!(
            "{name} is of the form `{}`, and report reads `{}`: give it what `load --json` writes",
            other.chars().take(40).collect::<String>().escape_debug(),
            RunReport::FORM
        ),
        None => {
            bail!("{name} is JSON but no result of a load: give it what `load --json` or `try --json` writes")
        }
    }
    serde_json::from_slice(&text).map_err(|error| {
        anyhow!("{name} is not as boardctl writes it: {error}; a newer boardctl may have written it")
    })
}

/// The one field by which a result is known.
#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    form: Option<String>,
}

fn not_json(path: &Path, error: &serde_json::Error) -> anyhow::Error {
    let name = path.display();
    match error.classify() {
        serde_json::error::Category::Eof => {
            anyhow!("{name} ends in the middle, at line {}: copy it again, whole", error.line())
        }
        serde_json::error::Category::Data => {
            anyhow!(
                "{name} is JSON but no result of a load: give it what `load --json` or `try --json` writes"
            )
        }
        _ => anyhow!("{name} is no JSON: {error}; give it what `load --json` or `try --json` writes"),
    }
}

/// Names by the files, with as much of their folders as makes them distinct, and a number where nothing does.
fn names(files: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| path.with_extension("").to_string_lossy().into_owned();
    let parts: Vec<Vec<String>> =
        files.iter().map(|path| stem(path).split('/').map(str::to_owned).collect()).collect();
    let tail = |parts: &Vec<String>, count: usize| parts[parts.len().saturating_sub(count)..].join("/");
    let deepest = parts.iter().map(Vec::len).max().unwrap_or(1);
    let distinct = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let of_depth = |depth: usize| parts.iter().map(|parts| tail(parts, depth)).collect::<Vec<String>>();
    let found = (1..=deepest).map(of_depth).find(distinct);
    found.unwrap_or_else(|| numbered(of_depth(deepest)))
}

fn numbered(names: Vec<String>) -> Vec<String> {
    let number = |(place, name): (usize, String)| format!("{name} ({})", place + 1);
    names.into_iter().enumerate().map(number).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be_told_apart() {
        let table: [(&[&str], &[&str]); 5] = [
            (&["results/run.json"], &["run"]),
            (&["a/run.json", "a/other.json"], &["run", "other"]),
            (&["x/a/run.json", "x/b/run.json"], &["a/run", "b/run"]),
            (&["run.json", "run.json"], &["run (1)", "run (2)"]),
            (&["/run.json", "./run.json"], &["/run", "./run"]),
        ];
        for (files, expected) in table {
            assert_eq!(names(&files.iter().map(PathBuf::from).collect::<Vec<_>>()), expected);
        }
    }
}

//! Results that were written before: how they are read, and what they are called.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use boardkit::report::RunReport;
use serde::Deserialize;

/// What stands for standard input or output where a file is named.
pub(crate) const STANDARD: &str = "-";

/// Reads a result, from standard input where `-` is its path.
pub(crate) fn read(path: &Path) -> Result<RunReport> {
    let standard = path == Path::new(STANDARD);
    let path = if standard { Path::new("standard input") } else { path };
    let name = path.display();
    let text = if standard { standard_input() } else { fs::read(path) };
    let text = text.with_context(|| format!("can't read {name}"))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        bail!(
            "{name} is empty: nothing was measured yet, or the disk was full; run the load again with --json"
        );
    }
    let form: Form = serde_json::from_slice(&text).map_err(|error| not_json(path, &error))?;
    match form.form.as_deref() {
        Some(RunReport::FORM) => {}
        Some(other) => bail!(
            "{name} is of the form `{}`, and this boardctl reads `{}`: give it what `load --json` writes",
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

fn standard_input() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
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
pub(crate) fn names(files: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| match path.to_str() {
        Some(STANDARD) => "stdin".to_owned(),
        _ => path.with_extension("").to_string_lossy().into_owned(),
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be_told_apart() {
        let table: [(&[&str], &[&str]); 6] = [
            (&["results/run.json"], &["run"]),
            (&["a/run.json", "a/other.json"], &["run", "other"]),
            (&["x/a/run.json", "x/b/run.json"], &["a/run", "b/run"]),
            (&["-", "run.json"], &["stdin", "run"]),
            (&["run.json", "run.json"], &["run (1)", "run (2)"]),
            (&["/run.json", "./run.json"], &["/run", "./run"]),
        ];
        for (files, expected) in table {
            assert_eq!(names(&files.iter().map(PathBuf::from).collect::<Vec<_>>()), expected);
        }
    }
}

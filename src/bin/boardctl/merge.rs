//! `boardctl merge`: results → their sum.

use std::process::ExitCode;

use anyhow::Result;
use boardkit::report::merge::{Allow, Part};
use boardkit::report::{RunReport, json, text};

use crate::args::MergeArgs;
use crate::load::print;
use crate::results::{names, read};
use crate::{files, progress};

/// Runs the verb.
pub(crate) fn run(args: &MergeArgs) -> Result<ExitCode> {
    files::check("--json", args.json.as_deref())?;
    let reports = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let names = names(&args.files);
    let parts: Vec<_> = names.iter().zip(&reports).map(|(name, run)| Part { name, run }).collect();
    let allow = Allow { different: args.force, sequential: args.sequential };
    let sum = RunReport::merged(&parts, allow, &progress::command_line())?;
    let runs = sum.merged.as_ref().map_or(0, |merged| merged.runs.len());
    print(&format!("Sum of {runs} runs @ {}\n{}", sum.url, text::render(&sum)))?;
    files::save("--json", args.json.as_deref(), |path| json::write(&sum, path))?;
    Ok(ExitCode::SUCCESS)
}

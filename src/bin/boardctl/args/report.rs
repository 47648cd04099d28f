//! The flags of `boardctl report`.

use std::path::PathBuf;

use clap::Args;

const REPORT_EXAMPLES: &str = "\
Examples:
  boardctl report run.json
  boardctl report run.json -o result.html --png pictures
  boardctl report before.json after.json -o compared.html --svg pictures

The page needs no network and runs no script; it follows the reader's choice of light or dark.
Exit codes: 0 written; 2 wrong usage, or a file that is no result of `boardctl load` or `boardctl try`.";

/// `boardctl report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// What `--json` of `load` or `try` has written; several are compared
    #[arg(required = true, value_name = "RUN.JSON")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the page to FILE [default: report.html, unless only pictures are asked for]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write each picture to this folder as SVG, light or dark as its reader prefers
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Also write each picture to this folder as PNG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) png: Option<PathBuf>,
    /// Dark PNGs
    #[arg(long, requires = "png")]
    pub(crate) dark: bool,
    /// Pictures for a phone instead of a desk; the page has both
    #[arg(long)]
    pub(crate) narrow: bool,
}

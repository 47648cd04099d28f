//! The flags of `boardctl report`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

const REPORT_EXAMPLES: &str = "\
Examples:
  boardctl report run.json
  boardctl report run.json -o result.html --png pictures
  boardctl report before.json after.json -o compared.html --svg pictures
  ssh board cat run.json | boardctl report - -o - >result.html

Results are what `--json` of load, try, soak and merge has written. The page
needs no network and runs no script; it follows the reader's choice of light
or dark.
Exit codes: 0 written; 2 wrong usage, or a file that is no such result.";

/// `boardctl report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES, group = ArgGroup::new("pictures").args(["svg", "png"]).multiple(true))]
pub(crate) struct ReportArgs {
    /// What `--json` of `load`, `try`, `soak` or `merge` has written, or - for standard input; several are compared
    #[arg(required = true, value_name = "RUN.JSON")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the page to FILE, or - for standard output [default: report.html, unless only pictures are asked for]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write each picture to this folder as SVG, light or dark as its reader prefers
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Also write each picture to this folder as PNG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) png: Option<PathBuf>,
    /// With --png, dark pictures
    #[arg(long, requires = "png")]
    pub(crate) dark: bool,
    /// With --svg or --png, pictures for a phone instead of a desk; the page has both
    #[arg(long, requires = "pictures")]
    pub(crate) narrow: bool,
}

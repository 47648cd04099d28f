//! The server that runs on the board.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match boardkit::daemon::run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // `eprintln` panics when nobody reads.
            let _ = writeln!(std::io::stderr(), "boardd: {error}");
            ExitCode::from(2)
        }
    }
}

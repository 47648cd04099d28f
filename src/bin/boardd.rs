//! The server that runs on the board.

use std::process::ExitCode;

fn main() -> ExitCode {
    match boardkit::daemon::run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("boardd: {error}");
            ExitCode::from(2)
        }
    }
}

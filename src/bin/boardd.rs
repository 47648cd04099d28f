//! The server that runs on the board.

use std::process::ExitCode;

fn main() -> ExitCode {
    boardkit::daemon::boardd(std::env::args_os().skip(1))
}

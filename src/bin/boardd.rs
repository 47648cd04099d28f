//! The server that runs on the board.

use std::process::ExitCode;

fn main() -> ExitCode {
    boardkit::daemon::main(std::env::args_os().skip(1))
}

//! A board and a laptop joined by a cable: `tests/lan`, and commands run on either side of it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::boardd::{self, Boardd};

/// The cable, its two ends, and all that goes with it when it is dropped.
pub(crate) struct Lan {
    script: Child,
    board: Side,
    laptop: Side,
}

struct Side {
    pid: String,
    address: String,
}

impl Lan {
    /// Joins two machines by a cable of this speed, written as tc takes it.
    pub(crate) fn start(rate: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lan");
        let piped = |command: &mut Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("tests/lan starts")
        };
        let mut script = piped(Command::new(path).arg(rate));
        let mut lines = BufReader::new(script.stdout.take().expect("piped")).lines();
        let mut line = || {
            let line = lines.next().expect("tests/lan says what it made; its error output says why not");
            line.expect("text")
        };
        let mut side = |name: &str| {
            let line = line();
            let mut words = line.split(' ');
            assert_eq!(words.next(), Some(name), "{line}");
            let mut word = || words.next().expect("two words more").to_owned();
            Side { pid: word(), address: word() }
        };
        let (board, laptop) = (side("board"), side("laptop"));
        assert_eq!(line(), "ready");
        Self { script, board, laptop }
    }

    /// A boardd on the board, reached over the cable.
    pub(crate) fn boardd(&self, flags: &[&str]) -> Boardd {
        let mut command = self.board.command(&boardd::program());
        command.args(["serve", "--listen", &format!("{}:0", self.board.address)]).args(flags);
        Boardd::spawn(command)
    }

    /// A command on the laptop.
    pub(crate) fn laptop(&self, program: &Path) -> Command {
        self.laptop.command(program)
    }

    /// The URL of something on the board.
    pub(crate) fn url(&self, address: SocketAddr, path: &str) -> String {
        format!("http://{}:{}{path}", self.board.address, address.port())
    }
}

impl Side {
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.pid, "--user", "--net", "--mount", "--preserve-credentials"]);
        command.arg(program);
        command
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        // The end of its input is the end of the cable.
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

//! Why boardd did not serve, or stopped serving: one line each.

use std::io;

use super::UsageError;

/// Why boardd did not serve, or stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The command line means nothing.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// An address cannot be listened on, or a passed socket is of no use; the text says why and what to do.
    #[error("{0}")]
    Listen(String),
    /// More connections were asked for than there are descriptors; the text has both numbers.
    #[error("{0}")]
    Limit(String),
    /// The folder of files cannot be served.
    #[error("cannot serve the files in {path}: {error}; --root takes a folder that may be read")]
    Root {
        /// The folder.
        path: String,
        /// What the kernel said.
        error: io::Error,
    },
    /// The folder of a recorded board is not there.
    #[error("there is no folder {path}: --root takes the folder that has the board's proc and sys")]
    NoBoard {
        /// The folder.
        path: String,
    },
    /// Checks have found something; what, is printed.
    #[error("{wrong} of the checks found something that makes this board slow")]
    Unwell {
        /// How many.
        wrong: usize,
    },
    /// The boardd that ships does not say anything about the board.
    #[error(
        "this boardd was built to serve alone; one that was built with `cargo build --release` says what the board is"
    )]
    Small,
    /// The access log cannot be opened.
    #[error("cannot write the access log {path}: {error}")]
    AccessLog {
        /// The file.
        path: String,
        /// What the kernel said.
        error: io::Error,
    },
    /// Anything else that the kernel refused.
    #[error("{what}: {error}")]
    System {
        /// What was attempted.
        what: &'static str,
        /// What the kernel said.
        error: io::Error,
    },
    /// A second signal came before every connection had ended.
    #[error("ended at once by a second signal; connections cut off: {open}")]
    AtOnce {
        /// Connections that were open.
        open: u64,
    },
    /// The server could not go on; the messages before this one say why.
    #[error("ended because it could not go on serving")]
    Broken,
}

impl DaemonError {
    /// The program's exit code: 1 when it served before, 2 when it could not start.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::AtOnce { .. } | Self::Broken | Self::Unwell { .. } => 1,
            _ => 2,
        }
    }
}

//! Why a load run could not be carried out. What happens *during* a run is counted, not raised.

use std::io;

use super::request::RequestError;
use super::target::UrlError;

/// A run that did not start.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The URL can't be loaded.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The request can't be rendered.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The host's name has no address.
    #[error("can't resolve the name `{host}` (check the spelling, or use the address)")]
    Resolve {
        /// The name as typed.
        host: String,
        /// The resolver's answer, which is not in the text: it is the cause.
        source: io::Error,
    },
    /// The descriptor limit is too low even when raised as far as it goes.
    #[error(
        "--connections {asked} needs {needed} open files and the hard limit is {limit}: \
         at most {fits} connections fit; lower -c or raise `ulimit -Hn`"
    )]
    Descriptors {
        /// Connections asked for.
        asked: usize,
        /// Descriptors they need, with those of the program itself.
        needed: u64,
        /// The hard limit.
        limit: u64,
        /// Connections that the limit allows.
        fits: u64,
    },
    /// The machine allows no more threads.
    #[error(
        "can't start thread {number} of --threads {asked}: lower -t, or raise what limits processes and memory \
         (`ulimit -u`, `ulimit -v`, a container's pids)"
    )]
    Thread {
        /// Threads to be started.
        asked: usize,
        /// Which of them could not be, from 1.
        number: usize,
        /// The kernel's answer, which is not in the text: it is the cause.
        source: io::Error,
    },
    /// What is sent at once does not fit into memory that anybody has for it.
    #[error(
        "--pipeline {asked} of requests of {bytes} bytes is more than the 64 MiB that are sent at once: at most {fits} fit"
    )]
    Batch {
        /// Requests asked for at once.
        asked: usize,
        /// The length of one.
        bytes: usize,
        /// How many fit.
        fits: usize,
    },
    /// A system call that the run can't do without failed.
    #[error("can't {what}")]
    System {
        /// What was attempted.
        what: &'static str,
        /// The kernel's answer, which is not in the text: it is the cause.
        source: io::Error,
    },
}

impl LoadError {
    /// For `map_err`: names what was attempted.
    pub(super) fn system<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { what, source: source.into() }
    }
}

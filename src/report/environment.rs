//! The conditions of a run.

use std::collections::BTreeMap;
use std::thread::available_parallelism;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where and how a result came about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Environment {
    /// The machine that ran the load: architecture and usable cores. No host name: reports get published.
    pub machine: String,
    /// The kernel's name and release.
    pub kernel: String,
    /// Versions of the programs involved, by name.
    pub versions: BTreeMap<String, String>,
    /// The command line.
    pub command: String,
}

impl Environment {
    /// The environment of this process, which was started as `command`.
    #[must_use]
    pub fn of_this_machine(command: String) -> Self {
        let uname = rustix::system::uname();
        let cores = available_parallelism().map_or_else(|_| "?".to_owned(), |cores| cores.to_string());
        Self {
            machine: format!("{}, {cores} cores", uname.machine().to_string_lossy()),
            kernel: format!("{} {}", uname.sysname().to_string_lossy(), uname.release().to_string_lossy()),
            versions: BTreeMap::from([("boardctl".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
            command,
        }
    }
}

//! Who was watched during a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::telemetry::Description;

/// What was watched beside the requests; the samples themselves are in the series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TelemetryReport {
    /// Whether the server ran on the machine that loaded it, so that laptop and board are one.
    pub local: bool,
    /// The way to the server; `null` when it is not known.
    pub link: Option<LinkReport>,
    /// The server's process; `null` where it runs elsewhere or may not be looked at.
    pub server: Option<ServerProcess>,
    /// Facts about the board, as boardd serves them; `null` when it gave none.
    pub board: Option<Value>,
    /// Which evidence is missing and how to get it, one sentence each.
    pub missing: Vec<String>,
    /// What happened to the board's telemetry during the run, one sentence each.
    pub news: Vec<String>,
}

impl TelemetryReport {
    /// What a watch says of itself. `said_mbit` is the link's speed by who typed it, in Mbit/s.
    #[must_use]
    pub fn new(description: Description, said_mbit: Option<f64>) -> Self {
        let Description { local, link, server, board, missing } = description;
        let link = link.map(|link| LinkReport {
            device: Some(link.device),
            speed_mbit: link.speed_mbit.map(f64::from),
            said_mbit: None,
            half_duplex: link.half_duplex,
            loopback: link.loopback,
        });
        let link = match said_mbit {
            Some(_) => Some(LinkReport { said_mbit, ..link.unwrap_or_default() }),
            None => link,
        };
        let server = server.map(|server| ServerProcess { pid: server.pid, name: server.name });
        Self { local, link, server, board, missing, news: Vec::new() }
    }
}

/// The way to the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LinkReport {
    /// The network device of the laptop that leads there; `null` when it is not known.
    pub device: Option<String>,
    /// Speed in Mbit/s by that device; `null` where it does not say, as Wi-Fi and tunnels don't.
    pub speed_mbit: Option<f64>,
    /// Speed in Mbit/s by whoever typed `--link-speed`; it goes before the device's.
    pub said_mbit: Option<f64>,
    /// Whether both directions share the speed; `null` where the device does not say.
    pub half_duplex: Option<bool>,
    /// Whether the address is the laptop's own, so that nothing goes over a wire.
    pub loopback: bool,
}

/// The server's process on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
}

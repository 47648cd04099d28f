//! boardkit: a tiny, fast web server for ARM boards, and the tools that say what the board can really do.
//!
//! A server of your own begins in [`server`], whose front page is a tour, and as a whole program with [`daemon::main`]. The
//! other modules are what boardd and boardctl are made of: [`board`] reads what a machine is, [`tune`] plans from that,
//! [`http`] turns bytes into messages and back.
//!
//! ```text
//! units → board → tune → server → daemon → boardd
//! units → http  → server
//! units → load → report → boardctl
//!         board → telemetry → report, boardctl
//!         board, tune → report
//!         daemon → boardctl (only for `try`, which runs itself again with the hidden verb `serve`)
//! ```
//!
//! Right may use left, never the other way round; a test holds these arrows.

pub mod board;
pub mod daemon;
pub mod http;
#[cfg(feature = "ctl")]
pub mod load;
#[cfg(feature = "ctl")]
pub mod report;
pub mod server;
#[cfg(feature = "ctl")]
pub mod telemetry;
pub mod tune;
pub mod units;

//! boardkit: a tiny, fast web server for ARM boards, and the tools that say what the board can really do.
//!
//! ```text
//! units → board → tune → server → daemon → boardd
//! units → http  → server
//! units → load → report → boardctl
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
pub mod tune;
pub mod units;

//! boardd as a program: settings → facts → plan → listener → serve.
//!
//! Both boardd and boardctl's hidden verb `serve` call [`run`], so what a newcomer tries is what a board runs.

mod args;
mod routes;

pub use args::{Command, ServeArgs, UsageError, parse};
pub use routes::{MAX_FILL_BYTES, routes};

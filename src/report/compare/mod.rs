//! A comparison of several servers.

mod interval;

pub use interval::MIN_ROUNDS;

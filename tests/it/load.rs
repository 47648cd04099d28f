//! `boardctl load` against servers that behave, misbehave, or are not there.

mod answers;
mod ends;
mod familiar;
mod faults;
mod highest;
mod limits;
mod merge;
mod open_loop;
mod preset;
mod ramps;
mod requests;
mod soak;
mod stops;

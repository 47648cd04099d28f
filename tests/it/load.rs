//! `boardctl load` against servers that behave, misbehave, or are not there.

mod answers;
mod ends;
mod familiar;
mod faults;
mod limits;
mod open_loop;
mod preset;
mod stops;

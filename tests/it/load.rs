//! `boardctl load` against servers that behave, misbehave, or are not there.

mod answers;
mod ends;
mod faults;
mod limits;
mod open_loop;
mod ramps;
mod stops;

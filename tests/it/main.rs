//! Integration tests.

mod arrows;
mod board;
mod readme;

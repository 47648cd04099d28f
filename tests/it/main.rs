//! Integration tests.

mod arrows;
mod board;
mod board_bytes;
mod readme;
mod scratch;

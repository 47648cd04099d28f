//! Integration tests.

mod board;

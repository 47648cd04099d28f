//! The server that runs on the board.
fn main() {}

//! Integration tests: the programs that ship, over real sockets.

mod load;
mod support;

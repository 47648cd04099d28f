//! Integration tests: the programs that ship, over real sockets.

mod arrows;
mod board;
mod board_bytes;
mod clients;
mod compare;
mod fuzz;
mod lan;
mod load;
mod pictures;
mod playbook;
mod readme;
mod schema;
mod scratch;
mod server;
mod support;
mod telemetry;
mod trial;
mod verdict;

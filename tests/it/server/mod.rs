//! boardd's data path over real sockets: what it answers, what it refuses, what it survives.

mod connection;
mod deadlines;
mod refusals;
mod routes;
mod splits;

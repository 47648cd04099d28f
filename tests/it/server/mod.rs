//! boardd's data path over real sockets: what it answers, what it refuses, what it survives.

mod any_bytes;
mod bodies;
mod conformance;
mod connection;
mod deadlines;
mod dealing;
mod files;
mod following;
mod handlers;
mod leaks;
mod lifecycle;
mod lifecycle_notify;
mod lifecycle_passed;
mod limits;
mod logs;
mod own;
mod own_answers;
mod partial;
mod program;
mod refusals;
mod routes;
mod splits;
mod work;

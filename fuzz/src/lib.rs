//! What must hold for any bytes. The fuzzer calls these functions, and the tests call them with the corpora.

pub mod chunked;
pub mod head;
pub mod path;
pub mod query;
pub mod range;

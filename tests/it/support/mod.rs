//! What the tests share: programs run as a user would, clients and servers that do exactly as told.

pub(crate) mod boardctl;
pub(crate) mod boardd;
pub(crate) mod client;
pub(crate) mod lan;
pub(crate) mod scripted;

//! What the tests share: programs run as a user would, and servers that do exactly as told.

pub(crate) mod boardctl;
pub(crate) mod scripted;

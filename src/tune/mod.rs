//! Decisions: a pure function from facts to a plan. Reads nothing and changes nothing.

mod admission;
mod plan;
mod share;

pub use admission::{QueueLimits, QueueLoad, TurnQuota};
pub use plan::{Decision, Plan, Wanted, WorkerPlan, own_descriptors, plan};

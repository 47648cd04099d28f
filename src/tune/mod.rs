//! Decisions: a pure function from facts to a plan. Reads nothing and changes nothing.

mod admission;
mod doctor;
mod follow;
mod kernel;
mod plan;
mod share;

pub use admission::{QueueLimits, QueueLoad, TurnQuota};
pub use doctor::{Check, Outcome, examine};
pub use follow::{Change, Follow};
pub use kernel::{KernelPlan, KernelVersion};
pub use plan::{Decision, Plan, Wanted, WorkerPlan, own_descriptors, plan};

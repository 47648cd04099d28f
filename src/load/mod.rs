//! The load tester: HTTP/1.1 load, in a closed or an open loop, and what it found.
//!
//! [`run`] takes a [`LoadPlan`] and gives an [`Outcome`]. Each thread has its own epoll and an exact share of the
//! connections; a connection is a state machine, registered once and edge-triggered.
//!
//! What is measured:
//!
//! - **Latency** runs from the start of a request's send to the last byte of its answer. Connecting is no part of it.
//!   In an open loop it runs from the moment at which the [`Schedule`] wants the request to start: a server that stalls
//!   can't hold back the requests that would have shown it. An arrival that finds all connections busy waits for one,
//!   and that is in its latency; one that found a free connection and still started late is the fault of this program,
//!   and is counted as such.
//!   Pipelined requests are each measured from the send of their batch. A request that is repeated because the server
//!   closed the connection keeps its first start.
//! - In each turn a thread first reads all answers that are there and then sends the next requests, so that its own
//!   queue is in nobody's latency. The clock is read once per read that completes an answer and once per send.
//! - A request that waits longer than the time-out counts as an error and not as finished, and its wait is recorded as
//!   the least it took: leaving it out would flatter the server.
//! - A close by the server, announced or while no byte of an answer has come, is a reconnect and no error. With
//!   repeating switched off nothing is sent twice: a request that such a close left unanswered has failed. One of which
//!   not a byte was sent is made on the next connection, and counts as nothing until then.
//! - Connections that the server closed without announcing it in their last answer are counted apart, and so are
//!   connects that were refused: neither is a request.
//! - Requests in flight when the time is over are neither finished nor failed; they are counted as unfinished. An open
//!   loop first waits for them as long as the time-out is. Of its arrivals none gets lost: each was answered, has failed,
//!   or is unfinished.
//! - Latencies are kept by status: what was served and what was turned away are two questions.

mod answers;
mod arrivals;
mod chunks;
mod collect;
mod connection;
mod dealt;
mod ending;
mod error;
mod exchange;
mod fault;
mod head;
mod histogram;
mod limits;
mod measure;
mod outcome;
mod parts;
mod plan;
mod probe;
mod request;
mod response;
mod run;
mod schedule;
mod search;
mod seconds;
mod shared;
mod status;
mod steps;
mod tally;
mod target;
mod worker;

pub use answers::AnswerCounts;
pub use collect::{Observer, Places, Second, ThreadSecond};
pub use error::LoadError;
pub use fault::{ErrorCounts, FailureCounts, Fault};
pub use histogram::{HistogramError, LatencyHistogram, LatencySummary, PercentileStep};
pub use limits::{allow_descriptors, share};
pub use outcome::Outcome;
pub use parts::TimeParts;
pub use plan::LoadPlan;
pub use probe::{ProbeAnswer, ProbeError, probe};
pub use request::{Request, RequestError, RequestParts};
pub use response::ResponseError;
pub use run::{Progress, run};
pub use schedule::{Schedule, ScheduleError, Step};
pub use search::{Interval, Search, Tried};
pub use status::{StatusLatency, Statuses};
pub use steps::{StepCounts, Steps};
pub use tally::{OpenCounts, Tally};
pub use target::{Refusal, Url, UrlError, first_reachable};

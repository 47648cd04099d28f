//! What a machine does while it is watched: one [`Sample`] a second, with loads and rates and not counters.
//!
//! The same form serves the board, which serves it to who asks, and the laptop, which watches itself while it loads.
//! [`Sampler`] fills it on the machine it runs on, [`Remote`] reads it from a board, and [`Watch`] is both for a load test.

mod heartbeat;
mod link;
mod remote;
mod sample;
mod sampler;
mod watch;

pub use heartbeat::{Heartbeat, Hold};
pub use link::{Link, WireBytes, wire_bytes};
pub use remote::{News, Remote, RemoteError, RemoteSample};
pub use sample::{
    ClockSample, NicSample, ProcessSample, Sample, ServerSample, SoftnetSample, SwapSample, TcpSample,
    Throttle,
};
pub use sampler::{Sampler, Watched};
pub use watch::{Description, Holder, Observed, ServerName, Watch};

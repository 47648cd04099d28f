//! What a machine does while it is watched: one [`Sample`] a second, with loads and rates and not counters.
//!
//! The same form serves the board, which serves it to who asks, and the laptop, which watches itself while it loads.

mod sample;

pub use sample::{
    ClockSample, NicSample, ProcessSample, Sample, ServerSample, SoftnetSample, SwapSample, TcpSample,
    Throttle,
};

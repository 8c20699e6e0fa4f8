//! What the operating system says: the ids and the clock by which other programs on the machine, such as profilers, know
//! a thread and a time.

/// Returns the id of the calling thread, or `None` where the system's is not known.
#[cfg(target_os = "linux")]
pub(crate) fn thread_id() -> Option<u32> {
    rustix::thread::gettid().as_raw_nonzero().get().try_into().ok()
}

/// Returns the time of `CLOCK_MONOTONIC` in nanoseconds, or `None` where there is no such clock.
#[cfg(target_os = "linux")]
pub(crate) fn monotonic_ns() -> Option<i64> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec.checked_mul(1_000_000_000)?.checked_add(now.tv_nsec)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn thread_id() -> Option<u32> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn monotonic_ns() -> Option<i64> {
    None
}

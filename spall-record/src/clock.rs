//! Where times come from.

use alloc::sync::Arc;
use core::fmt;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::system;

/// The clock of a recording.
///
/// A recording stores the ticks of its clock as they are, counted from its start. The file says how long a tick is.
///
/// ```
/// use spall_record::ClockSource;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// // A clock that a test moves by hand: a tick is a microsecond.
/// static TIME: AtomicU64 = AtomicU64::new(0);
/// let clock = ClockSource::new(|| TIME.load(Ordering::Relaxed), 1000.0);
/// # let _ = clock;
/// ```
#[derive(Clone, Default)]
pub struct ClockSource(Source);

#[derive(Clone, Default)]
enum Source {
    #[default]
    Instant,
    #[cfg(feature = "quanta")]
    Counter(quanta::Clock),
    Custom(Arc<dyn Fn() -> u64 + Send + Sync>, f64),
}

impl ClockSource {
    /// Returns the clock [`std::time::Instant`], the default. A tick is a nanosecond.
    ///
    /// It never goes back, and works everywhere but on `wasm32-unknown-unknown`, where reading it panics.
    #[must_use]
    pub const fn instant() -> Self {
        Self(Source::Instant)
    }

    /// Returns the counter of the processor, which takes about half as long to read as [`ClockSource::instant`].
    ///
    /// The first call takes up to 200 milliseconds to calibrate it. Where the processor has no counter that runs at a
    /// constant rate, this is the clock of the operating system.
    ///
    /// A tick is what the processor counts. Its duration is measured from the start of the recording to its finish.
    /// Until then, or if the output cannot be changed, the duration is the one that the calibration found.
    #[cfg(feature = "quanta")]
    #[must_use]
    pub fn counter() -> Self {
        Self(Source::Counter(quanta::Clock::new()))
    }

    /// Returns a clock that calls `now` for each reading. A tick lasts `ns_per_tick` nanoseconds.
    ///
    /// This is for browsers, for tests, and for programs with a time of their own, such as games and simulations. A time
    /// that goes back is recorded as it is; a time before the start of the recording becomes that start.
    #[must_use]
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static, ns_per_tick: f64) -> Self {
        Self(Source::Custom(Arc::new(now), ns_per_tick))
    }

    /// Starts the clock: now is tick 0.
    pub(crate) fn start(self) -> RunningClock {
        match self.0 {
            Source::Instant => RunningClock::Instant(Instant::now()),
            #[cfg(feature = "quanta")]
            Source::Counter(clock) => {
                let start = bracketed(&clock);
                RunningClock::Counter(clock, start)
            }
            Source::Custom(now, ns_per_tick) => {
                let start = now();
                RunningClock::Custom { now, start, ns_per_tick }
            }
        }
    }
}

impl fmt::Debug for ClockSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::Instant => "ClockSource::instant()",
            #[cfg(feature = "quanta")]
            Source::Counter(_) => "ClockSource::counter()",
            Source::Custom(..) => "ClockSource::new(…)",
        })
    }
}

/// A clock that counts ticks from the start of a recording.
#[derive(Clone)]
pub(crate) enum RunningClock {
    Instant(Instant),
    #[cfg(feature = "quanta")]
    Counter(quanta::Clock, (Instant, u64)),
    Custom {
        now: Arc<dyn Fn() -> u64 + Send + Sync>,
        start: u64,
        ns_per_tick: f64,
    },
}

impl RunningClock {
    /// Returns the number of ticks since the start.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        match self {
            Self::Instant(start) => {
                let elapsed = Instant::now().saturating_duration_since(*start);
                elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())
            }
            #[cfg(feature = "quanta")]
            Self::Counter(clock, (_, start)) => clock.raw().saturating_sub(*start),
            Self::Custom { now, start, .. } => now().saturating_sub(*start),
        }
    }

    /// Returns the duration of a tick in nanoseconds, as well as it is known now.
    pub(crate) fn ns_per_tick(&self) -> f64 {
        match self {
            Self::Instant(_) => 1.0,
            #[cfg(feature = "quanta")]
            Self::Counter(clock, (start, first)) => {
                let (now, last) = bracketed(clock);
                let (elapsed, ticks) = (now.saturating_duration_since(*start), last.saturating_sub(*first));
                // The error of the two readings is some 50 ns, so this is better than the calibration, which is good to
                // 100 ppm, only after a while.
                if elapsed < core::time::Duration::from_millis(10) || ticks == 0 {
                    return calibrated(clock);
                }
                elapsed.as_nanos() as f64 / ticks as f64
            }
            Self::Custom { ns_per_tick, .. } => *ns_per_tick,
        }
    }

    /// Returns whether [`RunningClock::ns_per_tick`] gets better with time.
    pub(crate) const fn is_measured(&self) -> bool {
        #[cfg(feature = "quanta")]
        if matches!(self, Self::Counter(..)) {
            return true;
        }
        false
    }

    /// Returns the Unix time of tick 0 in nanoseconds, if this is a clock of the machine. Called at the start.
    pub(crate) fn epoch_ns(&self) -> Option<i64> {
        if matches!(self, Self::Custom { .. }) {
            return None;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    }

    /// Returns the time of tick 0 by the machine's monotonic clock in nanoseconds, or `None` where the system has none
    /// that other programs know too, and for a clock of the program's own.
    pub(crate) fn monotonic_ns(&self) -> Option<i64> {
        if matches!(self, Self::Custom { .. }) {
            return None;
        }
        let now = system::monotonic_ns()?;
        #[expect(clippy::cast_possible_truncation, reason = "the clock has just been started")]
        let elapsed = (self.now() as f64 * self.ns_per_tick()) as i64;
        Some(now - elapsed)
    }
}

impl fmt::Debug for RunningClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunningClock")
    }
}

/// Returns the duration of a tick that the calibration found, in nanoseconds.
#[cfg(feature = "quanta")]
fn calibrated(clock: &quanta::Clock) -> f64 {
    const MANY: u64 = 1 << 32;
    clock.delta_as_nanos(0, MANY) as f64 / MANY as f64
}

/// Reads both clocks at the same time: of a few tries, the one that took the shortest time.
#[cfg(feature = "quanta")]
fn bracketed(clock: &quanta::Clock) -> (Instant, u64) {
    let tries = (0..16).map(|_| {
        let before = Instant::now();
        let ticks = clock.raw();
        let took = before.elapsed();
        (took, (before + took / 2, ticks))
    });
    tries.min_by_key(|&(took, _)| took).map_or_else(|| (Instant::now(), clock.raw()), |(_, both)| both)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    #[test]
    fn nanoseconds_count_from_the_start_beyond_a_second() {
        let start = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        let now = RunningClock::Instant(start).now();
        assert!((5_000_000_000..60_000_000_000).contains(&now), "{now}");
    }

    /// Returns a counter that began two seconds ago, and has counted for twice as long.
    #[cfg(feature = "quanta")]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "far below 64 bits")]
    fn fast_counter(clock: &quanta::Clock) -> RunningClock {
        let start = Instant::now().checked_sub(Duration::from_secs(2)).unwrap();
        let ticks = (4e9 / calibrated(clock)) as u64;
        RunningClock::Counter(clock.clone(), (start, clock.raw().checked_sub(ticks).unwrap()))
    }

    #[cfg(feature = "quanta")]
    #[test]
    fn the_scale_of_the_counter_is_its_calibration_until_it_can_be_measured() {
        let (clock, second) = (quanta::Clock::new(), Duration::from_secs(1));
        for start in [(Instant::now() + 3600 * second, 0), (Instant::now() - second, u64::MAX)] {
            let running = RunningClock::Counter(clock.clone(), start);
            assert_eq!(running.ns_per_tick(), calibrated(&clock), "{start:?}");
        }
        let measured = fast_counter(&clock).ns_per_tick() / calibrated(&clock);
        assert!((0.4..0.8).contains(&measured), "{measured}");
    }

    #[cfg(all(feature = "quanta", target_os = "linux"))]
    #[test]
    fn tick_0_has_a_time_by_the_clock_of_the_machine() {
        let start = fast_counter(&quanta::Clock::new()).monotonic_ns().unwrap();
        let age = system::monotonic_ns().unwrap() - start;
        assert!((1_500_000_000..3_000_000_000).contains(&age), "{age}");
    }
}

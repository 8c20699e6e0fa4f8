//! A stop watch that does not count dropping, and jobs that take turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

#[cfg(feature = "criterion")]
use criterion::{Criterion, Throughput};

#[cfg(feature = "criterion")]
use crate::input::Input;

/// Returns how long it takes to make a value. Dropping the value is not counted.
pub fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(run());
    let time = start.elapsed();
    drop(made);
    time
}

/// A job that can be run any number of times. It returns its time.
pub type Job<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// Returns the job that makes a value with `run`.
pub fn job<'a, T: 'a>(mut run: impl FnMut() -> T + 'a) -> Job<'a> {
    Box::new(move || timed(&mut run))
}

/// Returns the shortest time of each job in `rounds` rounds.
///
/// The jobs take turns, so that other work of the machine affects all of them alike. Such work can only add to a time, so
/// the shortest time is the best estimate.
#[must_use]
pub fn fastest(jobs: &mut [Job<'_>], rounds: usize) -> Vec<Duration> {
    let mut times = vec![Duration::MAX; jobs.len()];
    for _ in 0..rounds {
        for (job, time) in jobs.iter_mut().zip(&mut times) {
            *time = job().min(*time);
        }
    }
    times
}

/// Measures `run` as `name/input/size`. It says how many events it saw, and what to keep until the time is taken.
///
/// # Panics
/// When `run` does not see `expected` events.
#[cfg(feature = "criterion")]
pub fn bench<'a, T>(
    criterion: &mut Criterion,
    name: &str,
    input: &'a Input,
    expected: usize,
    mut run: impl FnMut(&'a [u8]) -> (usize, T),
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(input.data.len() as u64));
    group.bench_function(&input.name, |bencher| {
        bencher.iter_custom(|iterations| {
            let once = |_| {
                let mut seen = 0;
                let time = timed(|| {
                    let (count, made) = run(&input.data);
                    seen = count;
                    made
                });
                assert_eq!(seen, expected, "{name}/{}", input.name);
                time
            };
            (0..iterations).map(once).sum()
        });
    });
    group.finish();
}

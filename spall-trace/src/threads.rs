//! The threads of a function that loads on several of them.

use core::num::NonZeroUsize;
use std::thread;

/// Returns a number of threads: the wanted one, or one for each core that the program may use.
pub(crate) fn count(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    wanted.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Runs `work` on as many threads at once, that of the caller included, and returns when all have ended. If the
/// operating system has no more threads, fewer do the work.
pub(crate) fn run(n_threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..n_threads {
            if thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

//! The threads of a function that loads on several of them.

use std::thread;

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

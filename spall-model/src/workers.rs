//! The threads among which work is divided.

use alloc::boxed::Box;
#[cfg(feature = "parallel")]
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// A number of threads. Without the feature `parallel` it is one, which is the thread of the caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workers(usize);

impl Workers {
    /// The thread of the caller alone.
    pub(crate) const ONE: Self = Self(1);

    #[cfg(feature = "parallel")]
    pub(crate) fn new(n_threads: core::num::NonZeroUsize) -> Self {
        Self(n_threads.get())
    }

    /// Returns whether the thread of the caller is alone.
    pub(crate) fn is_one(self) -> bool {
        self.0 == 1
    }

    /// Calls both functions, on two threads if there are two.
    pub(crate) fn join(self, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
        let both: [Box<dyn FnOnce() + Send + '_>; 2] = [Box::new(one), Box::new(other)];
        Self(self.0.min(2)).each(both.into_iter(), || (), |(), run| run());
    }

    /// Calls `work` for each item, on the threads that are free. Each thread has a scratch of its own. If the operating
    /// system has no more threads, fewer do the work.
    pub(crate) fn each<T, S>(
        self,
        mut items: impl Iterator<Item = T> + Send,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, T) + Sync,
    ) {
        #[cfg(feature = "parallel")]
        if self.0 > 1 {
            let items = Mutex::new(items);
            let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let run = || {
                let mut scratch = scratch();
                while let Some(item) = next() {
                    work(&mut scratch, item);
                }
            };
            thread::scope(|scope| {
                for _ in 1..self.0 {
                    if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                        break;
                    }
                }
                run();
            });
            return;
        }
        let mut scratch = scratch();
        items.by_ref().for_each(|item| work(&mut scratch, item));
    }
}

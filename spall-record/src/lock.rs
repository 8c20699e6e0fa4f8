//! How mutexes are locked here.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. What a thread that panicked left is as good as anything: each record is put in whole.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

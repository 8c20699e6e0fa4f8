//! Jobs that own the trace and the layout they read, so that these are freed once nothing reads them.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use spall_trace::model::Job;

/// How many elements a step looks at.
pub const STEP: usize = 2000;

/// A computation that goes on step by step, so that other questions are answered in between.
pub(crate) struct Task<T>(Pin<Box<dyn Future<Output = T> + Send>>);

impl<T: 'static> Task<T> {
    /// The job may borrow from the values of the block that runs it.
    pub(crate) fn new(block: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Box::pin(block))
    }

    /// Goes on for a step. Returns the result at the last one, after which there is no other.
    pub(crate) fn step(&mut self) -> Option<T> {
        match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }
}

/// Goes on to the end.
pub(crate) fn finish<T>(mut future: Pin<&mut impl Future<Output = T>>) -> T {
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

/// Runs a job inside a task.
pub(crate) async fn run<T>(mut job: impl Job<Output = T>) -> T {
    loop {
        if let Some(result) = job.step(STEP) {
            return result;
        }
        pause().await;
    }
}

/// Ends a step.
pub(crate) async fn pause() {
    let mut is_over = false;
    poll_fn(|_| if core::mem::replace(&mut is_over, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

//! Jobs that own the layout they read, so that a layout is freed once nothing reads it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use spall_trace::model::Job;

/// How many elements a step looks at.
pub const STEP: usize = 2000;

/// A computation that goes on step by step, so that other questions are answered in between.
pub struct Task<T>(Pin<Box<dyn Future<Output = T>>>);

impl<T: 'static> Task<T> {
    /// The job may borrow from the values of the block that runs it.
    pub fn new(block: impl Future<Output = T> + 'static) -> Self {
        Self(Box::pin(block))
    }

    /// Goes on for a step. Returns the result at the last one, after which there is no other.
    pub fn step(&mut self) -> Option<T> {
        match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }
}

/// Runs a job inside a task.
pub async fn run<T>(mut job: impl Job<Output = T>) -> T {
    loop {
        if let Some(result) = job.step(STEP) {
            return result;
        }
        pause().await;
    }
}

/// Ends a step.
pub async fn pause() {
    let mut is_over = false;
    poll_fn(|_| if std::mem::replace(&mut is_over, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

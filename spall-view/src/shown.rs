//! What an engine shows: a trace that is finished, or one that grows.

use alloc::sync::Arc;
use core::{
    fmt,
    future::{Future, ready},
    ops::Deref,
};

use serde::Serialize;
use spall_trace::Hidden;
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{Diagnostics, Trace, TraceView};

use crate::task::{self, Task};

/// A trace and its layout, which an [`Engine`](crate::Engine) shows: [`Finished`] or [`Live`](crate::Live). The trait is sealed.
#[allow(private_bounds, reason = "seals the trait")]
pub trait Shown: Parts + fmt::Debug {
    /// The trace.
    type Trace<'s>: Deref<Target: TraceView + Sized> + Copy
    where
        Self: 's;
    /// Its layout.
    type Layout<'s>: Deref<Target: LayoutView + Sized> + Copy
    where
        Self: 's;

    /// Returns the trace.
    fn trace(&self) -> Self::Trace<'_>;

    /// Returns the layout of what is shown of it.
    fn layout(&self) -> Self::Layout<'_>;
}

/// What the engine needs of what it shows.
pub(crate) trait Parts {
    /// The trace if it is finished, for what a growing one does not have.
    fn finished(&self) -> Option<&Trace>;

    /// The trace and its layout if a task can hold them.
    fn held(&self) -> Option<(Arc<Trace>, Arc<Layout>)>;

    /// Begins to compute something. What is borrowed from a trace cannot live while it grows, so for such a trace this computes
    /// all of it.
    fn start<W: Work>(&self, work: W) -> Task<W::Output>;

    /// Shows all but what is hidden.
    fn hide(&mut self, hidden: &Hidden);

    /// The faults of begins and ends that a trace that grows has so far.
    fn pairing_faults(&self) -> Option<&Diagnostics> {
        None
    }

    /// How many slices overlap others; 0 while that is not known.
    fn n_overlapping(&self) -> u64;

    /// How far a trace has grown; `None` for a finished one.
    fn growth(&self) -> Option<Growth>;

    /// The state in which lines or titles have changed last.
    fn lines_changed(&self) -> u64 {
        0
    }
}

/// A computation over a trace and its layout.
pub(crate) trait Work: Send + 'static {
    type Output: Send + 'static;

    fn run<T: TraceView + Sync, L: LayoutView + Sync>(
        self,
        trace: &T,
        layout: &L,
    ) -> impl Future<Output = Self::Output> + Send;
}

/// A finished trace.
#[derive(Debug)]
pub struct Finished {
    pub(crate) trace: Arc<Trace>,
    /// The rows of what is shown of it.
    pub(crate) layout: Arc<Layout>,
}

impl Shown for Finished {
    type Trace<'s> = &'s Trace;
    type Layout<'s> = &'s Layout;

    fn trace(&self) -> &Trace {
        &self.trace
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Parts for Finished {
    fn finished(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn held(&self) -> Option<(Arc<Trace>, Arc<Layout>)> {
        Some((Arc::clone(&self.trace), Arc::clone(&self.layout)))
    }

    fn start<W: Work>(&self, work: W) -> Task<W::Output> {
        let (trace, layout) = (Arc::clone(&self.trace), Arc::clone(&self.layout));
        Task::new(async move { work.run(&*trace, &*layout).await })
    }

    fn hide(&mut self, hidden: &Hidden) {
        self.layout = Arc::default(); // the last one is freed before the next one is made
        self.layout = hidden.layout(&self.trace).into();
    }

    fn n_overlapping(&self) -> u64 {
        self.layout.n_overlapping()
    }

    fn growth(&self) -> Option<Growth> {
        None
    }
}

/// How far a trace has grown. Everything that a frontend has of an earlier state may be another now: it asks for the
/// [news](crate::Question::News).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Growth {
    /// The number of the state, which is larger after each growth.
    pub state: u64,
    /// Whether nothing comes any more.
    pub ended: bool,
}

/// A view of something that is made where it is needed.
#[derive(Debug, Clone, Copy)]
pub struct Now<T>(pub(crate) T);

impl<T> Deref for Now<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Computes something at once.
pub(crate) fn at_once<W: Work>(
    work: W,
    trace: &(impl TraceView + Sync),
    layout: &(impl LayoutView + Sync),
) -> Task<W::Output> {
    Task::new(ready(task::finish(core::pin::pin!(work.run(trace, layout)))))
}

//! A trace in memory, which tables share.

use std::sync::OnceLock;

use spall_trace::{layout::Layout, model::Trace};

/// A trace, and its layout once it is needed.
pub(crate) struct Loaded {
    pub(crate) trace: Trace,
    layout: OnceLock<Layout>,
}

impl Loaded {
    pub(crate) fn new(trace: Trace) -> Self {
        Self { trace, layout: OnceLock::new() }
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(&self.trace))
    }
}

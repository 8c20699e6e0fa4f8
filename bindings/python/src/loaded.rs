//! A trace in memory, which tables share.

use std::sync::OnceLock;

use spall_trace::{layout::Layout, model::Trace};

/// A trace as it was loaded, the one that is shown of it, and the layout of that once it is needed.
pub(crate) struct Loaded {
    /// With all values of the samples.
    pub(crate) file: Trace,
    /// With the value that the file says, if that makes it another trace.
    shown: OnceLock<Option<Trace>>,
    layout: OnceLock<Layout>,
}

impl Loaded {
    pub(crate) fn new(file: Trace) -> Self {
        Self { file, shown: OnceLock::new(), layout: OnceLock::new() }
    }

    /// The trace of which tables, sums and pictures are made.
    pub(crate) fn trace(&self) -> &Trace {
        let shown = self.shown.get_or_init(|| {
            // Others stay as they are, and need no copy.
            self.file.needs_value().then(|| self.file.clone().with_value(None))
        });
        shown.as_ref().unwrap_or(&self.file)
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(self.trace()))
    }
}

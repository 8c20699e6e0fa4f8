//! The rows of the table of diagnostics.

use spall_layout::Layout;
use spall_model::{Trace, TraceView};

/// A row of the table of diagnostics.
#[derive(Debug, Clone)]
pub(crate) struct DiagnosticRow {
    pub(crate) kind: &'static str,
    pub(crate) description: &'static str,
    pub(crate) count: i64,
    pub(crate) first_byte: Option<i64>,
}

impl DiagnosticRow {
    /// Returns the diagnostics of the trace, and one of the layout: the slices that overlap others.
    pub(crate) fn all(trace: &Trace, layout: &Layout) -> Vec<Self> {
        let signed = |number| i64::try_from(number).unwrap_or(i64::MAX);
        let of_trace = trace.diagnostics().counts().iter().map(|row| DiagnosticRow {
            kind: row.kind.name(),
            description: row.kind.description(),
            count: signed(row.count),
            first_byte: Some(signed(row.first_byte)),
        });
        let overlapping = (layout.n_overlapping() > 0).then(|| DiagnosticRow {
            kind: "partial-overlap",
            description: "slices that overlap another one without lying inside it",
            count: signed(layout.n_overlapping()),
            first_byte: None,
        });
        of_trace.chain(overlapping).collect()
    }
}

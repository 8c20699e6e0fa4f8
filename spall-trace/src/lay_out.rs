//! Makes a trace ready to be drawn.

use spall_layout::Layout;
use spall_model::Trace;

use crate::merge_samples;

/// Makes a trace ready to be drawn: merges its samples with its slices, and lays out what comes of it.
///
/// Of several values of samples this is the one that the file says; [`Trace::with_value`] chooses another one before.
///
/// A viewer that shows only slices of the file lays out the trace that it loaded instead, with [`Layout::new`], and one that
/// hides some of them uses [`Hidden::layout`](crate::Hidden::layout). [`merge_samples`] says what a merge may cost.
///
/// ```
/// use spall_trace::{Loader, layout::LayoutView, model::{Limits, SliceId, TraceView}};
///
/// let profile = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
///     {"id":2,"callFrame":{"functionName":"work"}}],
///     "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
/// let trace = Loader::new().with_limits(Limits::default()).load(profile)?;
/// let (trace, layout) = spall_trace::lay_out(trace);
/// assert_eq!(trace.slice_name(SliceId(0)), "work");
/// assert_eq!(layout.place(SliceId(0)).unwrap().start.0, 10_000);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[must_use]
pub fn lay_out(trace: Trace) -> (Trace, Layout) {
    let trace = merge_samples(trace.with_value(None));
    let layout = Layout::new(&trace);
    (trace, layout)
}

/// Loads a trace of any supported format from a file, and makes it ready to be drawn: [`load_file`](crate::load_file) and
/// [`lay_out`] in one call.
///
/// # Errors
/// This returns the errors of [`load_file`](crate::load_file).
///
/// ```no_run
/// use spall_trace::layout::{Vertical, VerticalStyle};
///
/// let (trace, layout) = spall_trace::open_file("trace.json")?;
/// let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[cfg(feature = "std")]
pub fn open_file(path: impl AsRef<std::path::Path>) -> Result<(Trace, Layout), crate::Error> {
    crate::load_file(path).map(lay_out)
}

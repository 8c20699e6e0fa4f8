//! Merges samples of CPU profiles with slices, by the rules of V8, because all profiles that are read come from V8.

use spall_json::V8;
use spall_model::Trace;

/// Turns the samples of CPU profiles into slices.
///
/// A function gets a slice where samples found it running. That slice is nested between the slice that called the function
/// and the slices that the function called. A trace without samples is returned unchanged. See [`spall_samples::merge`] for
/// rules, cost and limits; this function uses the rules for Chrome and Node.
///
/// # Examples
/// ```
/// use spall_trace::model::{SliceId, TraceView};
///
/// let profile = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
///     {"id":2,"callFrame":{"functionName":"work"}}],
///     "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
/// let trace = spall_trace::merge_samples(spall_trace::load(profile)?);
/// let work = trace.slice(SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!((work.start.0, work.end.0), (10_000, 30_000));
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[doc(alias("sampling", "stack samples"))]
#[must_use]
pub fn merge_samples(trace: Trace) -> Trace {
    spall_samples::merge(trace, &V8)
}

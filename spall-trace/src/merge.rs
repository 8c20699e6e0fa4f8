//! CPU samples, with the rules of the one runtime whose profiles are read.

use spall_json::V8;
use spall_model::{Trace, TrackId};
use spall_samples::ThreadTree;

/// Puts what CPU samples found on the timeline: each function gets slices where it was found running, below the
/// slices that ran it and above those that it called.
///
/// A trace without sampling profiles stays as it is. One that is nothing but a profile has no slices before. See
/// [`spall_samples::merge`] for rules, cost and limits, and to use other rules than those for Chrome and Node.
///
/// # Examples
/// ```
/// let profile = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
///     {"id":2,"callFrame":{"functionName":"work"}}],
///     "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
/// let trace = spall_trace::merge_samples(spall_trace::load(profile, &spall_trace::model::Limits::default())?);
/// let work = trace.slice(spall_trace::model::SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!((work.start.0, work.end.0), (10_000, 30_000));
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[must_use]
pub fn merge_samples(trace: Trace<'_>) -> Trace<'_> {
    spall_samples::merge(trace, &V8)
}

/// Adds up what ran on a thread by call path: its slices, and the functions that CPU samples found.
///
/// See [`spall_samples::call_tree`].
#[must_use]
pub fn call_tree(trace: &Trace<'_>, track: TrackId) -> ThreadTree {
    spall_samples::call_tree(trace, track, &V8)
}

/// The call trees of all threads, in the order of the tracks.
///
/// See [`spall_samples::call_trees`].
pub fn call_trees(trace: &Trace<'_>) -> impl Iterator<Item = ThreadTree> {
    spall_samples::call_trees(trace, &V8)
}

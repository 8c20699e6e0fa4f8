//! Sums of a whole trace, and how those of two traces differ.

use alloc::vec::Vec;
use core::cmp::Reverse;

use spall_json::V8;
use spall_model::{CallTree, Clock, FunctionDiff, Measure, Trace, TraceView, TrackSet, Unit};
use spall_samples::call_trees;

/// Adds up a measure of the slices and samples of a set of tracks by call path: all their [`call_trees`] as one tree, by the
/// rules of [`merge_samples`](crate::merge_samples).
#[must_use]
pub fn merged_call_tree(trace: &Trace, tracks: TrackSet, measure: Measure) -> CallTree {
    CallTree::merged(call_trees(trace, &V8, tracks, measure).map(|of| of.tree))
}

/// The call trees of two traces, of one set of tracks, with times in one unit. [`compare`] returns them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison {
    /// The tracks that are compared.
    pub tracks: TrackSet,
    /// The tree of the trace before, and that of the trace after. One that has nothing of the measure on these tracks is all
    /// zero, or empty.
    pub trees: [CallTree; 2],
    /// The clock by which times of both trees are shown.
    pub clock: Clock,
}

/// The reason why two traces cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// One of the traces has nothing of the measure on any track that is compared.
    #[error("the trace {} has nothing to add up", if *.is_after { "after" } else { "before" })]
    Nothing {
        /// Whether that is the trace after, and not the one before.
        is_after: bool,
    },
    /// The numbers of the traces count different things.
    #[error(
        "the traces count different things: the one before {}, and the one after {}",
        .before.counted().unwrap_or("nanoseconds"), .after.counted().unwrap_or("nanoseconds")
    )]
    Units {
        /// What the trace before counts.
        before: Unit,
        /// What the trace after counts.
        after: Unit,
    },
}

/// Compares what two traces have on a set of tracks, or on each of [`TrackSet::KINDS`] by itself that one of them has
/// something on. The trace before comes first. [tree 5](spall_model::rules::tree#5) [tree 7](spall_model::rules::tree#7)
///
/// # Errors
/// This returns an error if one of the traces has nothing to add up, or if they count different things, such as nanoseconds and
/// bytes.
///
/// ```
/// use spall_trace::{compare, load, model::{Measure, TrackSet}};
///
/// let [before, after] = [b"main;f 30\nmain;g 5\n", b"main;f 30\nmain;g 8\n"].map(|text| load(text).unwrap());
/// let comparisons = compare([&before, &after], None, Measure::WallTime)?;
/// assert_eq!(comparisons.len(), 1, "there are threads only");
/// let slowest = comparisons[0].functions([&before, &after])[0];
/// assert_eq!((slowest.describe([&before, &after]).as_str(), slowest.change().0), ("g", 3));
/// # Ok::<(), spall_trace::CompareError>(())
/// ```
pub fn compare(
    traces: [&Trace; 2],
    tracks: Option<TrackSet>,
    measure: Measure,
) -> Result<Vec<Comparison>, CompareError> {
    let (mut found, mut has_before, mut has_after) = (Vec::new(), false, false);
    for &set in tracks.as_ref().map_or(&TrackSet::KINDS[..], core::slice::from_ref) {
        let trees = traces.map(|trace| merged_call_tree(trace, set, measure));
        let [before, after] = trees.each_ref().map(|tree| tree.has(measure));
        (has_before, has_after) = (has_before || before, has_after || after);
        if before || after {
            found.push((set, trees));
        }
    }
    if !(has_before && has_after) {
        return Err(CompareError::Nothing { is_after: has_before });
    }
    let clocks = traces.map(|trace| measure.clock(trace.clock()));
    let [before, after] = clocks.map(|clock| clock.unit);
    let compared = found.into_iter().map(|(tracks, trees)| {
        let (trees, clock) =
            CallTree::in_one_unit(trees, clocks).ok_or(CompareError::Units { before, after })?;
        Ok(Comparison { tracks, trees, clock })
    });
    compared.collect()
}

impl Comparison {
    /// Returns the functions of the two traces that are compared, the one that got slowest first. Those of one change are in
    /// the order of their names.
    #[must_use]
    pub fn functions(&self, traces: [&Trace; 2]) -> Vec<FunctionDiff> {
        let ([before, after], [of_before, of_after]) = (&self.trees, traces.map(TraceView::names));
        let mut functions = FunctionDiff::of_traces((before, of_before), (after, of_after));
        functions.sort_by_cached_key(|diff| (Reverse(diff.change()), diff.describe(traces)));
        functions
    }
}

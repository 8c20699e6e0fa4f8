//! Adds up another measure of slices than time. [tree 6](spall_model::rules::tree#6)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{CallTreeBuilder, Measure, SliceId, Tick, Ticks, TraceView, TreeNodeId};

use crate::visits::Visit;

/// The self values of the slices of a track.
#[derive(Debug, Clone)]
pub(super) struct Measured<'t, T> {
    trace: &'t T,
    measure: Measure,
    /// For each row of the track, what is known of its latest slice; `None` if the row had no slice yet.
    latest: Vec<Option<Latest>>,
}

/// Returns the value of a slice. Returns `None` if it has none, or if nothing says how much of it is inside of the range.
pub(crate) fn value_of(
    trace: &impl TraceView,
    measure: Measure,
    slice: SliceId,
    is_inside: bool,
    is_shown: bool,
) -> Option<i64> {
    if let Some(counter) = measure.of_thread() {
        return is_inside.then(|| trace.slice_args(slice).thread_measure(counter)).flatten();
    }
    match (measure, trace.sampled(slice)) {
        (Measure::Count, _) => Some(i64::from(is_shown)),
        (_, Some(sampled)) => is_inside.then_some(sampled.hits.into()),
        (_, None) => Some(0),
    }
}

/// The latest slice of a row.
#[derive(Debug, Clone)]
struct Latest {
    slice: SliceId,
    /// The node that its self value belongs to.
    node: Option<TreeNodeId>,
    /// Its value without those of the nearest slices inside it that have one so far; `None` if it has no value.
    rest: Option<i64>,
    /// The row of the nearest slice around it that has a value, and that slice.
    around: Option<(usize, SliceId)>,
}

impl<'t, T: TraceView> Measured<'t, T> {
    pub(super) fn new(trace: &'t T, measure: Measure) -> Self {
        Self { trace, measure, latest: Vec::new() }
    }

    /// Adds the self values of the track before, and prepares for one with `n_rows` rows.
    pub(super) fn begin_track(&mut self, n_rows: usize, builder: &mut CallTreeBuilder) {
        self.latest.drain(..).flatten().for_each(|latest| latest.add_to(builder));
        self.latest.resize_with(n_rows, || None);
    }

    /// Adds a slice. `node` is its node if it is shown, and otherwise that of the nearest slice around it which has one.
    pub(super) fn add(
        &mut self,
        visit: Visit,
        range: &Range<Tick>,
        node: Option<TreeNodeId>,
        is_shown: bool,
        builder: &mut CallTreeBuilder,
    ) {
        let is_inside = visit.start >= range.start && visit.end <= range.end;
        let value = value_of(self.trace, self.measure, visit.slice, is_inside, is_shown);
        if self.measure.of_thread().is_some() {
            self.open(visit, node, value, builder);
        } else if let (Some(_), Some(value)) = (node, value) {
            builder.add_time(node, Ticks(value));
        }
        if let Some(node) = node.filter(|_| is_shown && value.is_none()) {
            builder.add_unmeasured(node, 1);
        }
    }

    /// Makes a slice the latest of its row, and adds the self value of the one before, which is over.
    #[allow(clippy::indexing_slicing, reason = "there is a place for each row of the track")]
    fn open(
        &mut self,
        visit: Visit,
        node: Option<TreeNodeId>,
        value: Option<i64>,
        builder: &mut CallTreeBuilder,
    ) {
        let row = visit.row as usize;
        let above = (visit.row > visit.top).then(|| self.latest[row - 1].as_ref()).flatten();
        let around = above.and_then(|above| match above.rest {
            Some(_) => Some((row - 1, above.slice)),
            None => above.around,
        });
        // A span may outlive the slices around it.
        let outer =
            around.and_then(|(row, slice)| self.latest[row].as_mut().filter(|outer| outer.slice == slice));
        if let (Some(value), Some(Latest { rest: Some(rest), .. })) = (value, outer) {
            *rest = rest.saturating_sub(value);
        }
        let latest = Latest { slice: visit.slice, node, rest: value, around };
        if let Some(before) = self.latest[row].replace(latest) {
            before.add_to(builder);
        }
    }
}

impl Latest {
    /// Adds the self value to the node.
    fn add_to(self, builder: &mut CallTreeBuilder) {
        if let (Some(_), Some(rest)) = (self.node, self.rest) {
            builder.add_time(self.node, Ticks(rest.max(0)));
        }
    }
}

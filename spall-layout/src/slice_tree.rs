//! Makes call trees of slices alone: slices of one name with the same callers become one node. [tree
//! 1](spall_model::rules::tree#1), [tree 6](spall_model::rules::tree#6)
#![allow(clippy::indexing_slicing, reason = "rows are numbered by the visits of a track")]

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use spall_model::{
    CallTree, CallTreeBuilder, Function, Job, Measure, SliceId, Tick, Ticks, TraceView, TrackId, TreeNodeId,
};

use crate::LayoutView;
use crate::convert::to_ticks;
use crate::visits::{Visit, VisitSlices};
use by_parent::ByParent;
use measured::Measured;

mod by_parent;
pub(crate) mod measured;

/// Adds up a measure of the slices of `tracks` that touch `range`, such as time, by call path. The result is a top-down tree.
///
/// A slice counts with the part that is inside the range. An empty range gives an empty tree. [`flame_rows`](crate::flame_rows) draws the tree. This takes O(n log
/// n) for n slices.
///
/// `function` returns the function that a slice counts for, for instance one per name and category, or
/// [`TraceView::function_of`] to tell apart functions of one name that samples found. If it returns `None`, the slice has
/// no node, and its time belongs to the nearest slice around it that has one.
///
/// Slices without the measure are counted in [`TreeNode::unmeasured`](spall_model::TreeNode::unmeasured). So are those that
/// reach out of the range, because nothing says how much of their thread time, their instructions or their samples is in it.
///
/// ```
/// use spall_layout::{Layout, RowId, Viewport, flame_rows, slice_tree};
/// use spall_model::{Function, Job, Measure, Tick, TraceView, TreeNodeId};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, duration) in [("f", 0, 10), ("g", 1, 2), ("f", 20, 30), ("h", 20, 5), ("g", 30, 9)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // f(g) f(h g)
/// let layout = Layout::new(&trace);
/// let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
/// let all = Tick::MIN..Tick::MAX;
/// let tree = slice_tree(&trace, &layout, [TrackId(0)], all, Measure::WallTime, by_name).run();
/// let nodes: Vec<_> =
///     tree.nodes().iter().map(|n| (trace.name(n.function.name), n.parent, n.count, n.total.0)).collect();
/// let f = Some(TreeNodeId(0));
/// assert_eq!(nodes, [("f".into(), None, 2, 40), ("g".into(), f, 2, 11), ("h".into(), f, 1, 5)]);
///
/// // Draw it: one row per depth, over an axis of 0 to the total.
/// let rows = flame_rows(tree.nodes()).run();
/// let viewport = Viewport::new(Tick(0)..Tick(tree.total().0), 40);
/// let mut rects = Vec::new();
/// rows[1].view(RowId(1)).rects(&viewport, &mut rects);
/// assert_eq!((rects[0].slice.0, rects[0].x0, rects[0].x1), (1, 0, 11)); // node 1 is g
/// ```
#[doc(alias("flamegraph", "call graph", "top-down", "left heavy"))]
pub fn slice_tree<'l>(
    trace: &'l impl TraceView,
    layout: &'l impl LayoutView,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
    measure: Measure,
    function: impl FnMut(SliceId) -> Option<Function>,
) -> impl Job<Output = CallTree> {
    SliceTree::new(trace, layout, tracks.into_iter().collect(), range, measure, function)
}

/// Says of a slice which function it counts for.
pub(crate) trait FunctionOf {
    fn function_of(&mut self, slice: SliceId) -> Option<Function>;
}

impl<F: FnMut(SliceId) -> Option<Function>> FunctionOf for F {
    fn function_of(&mut self, slice: SliceId) -> Option<Function> {
        self(slice)
    }
}

/// The job of [`slice_tree`].
#[derive(Debug, Clone)]
pub(crate) struct SliceTree<'l, T, L: LayoutView, F> {
    trace: &'l T,
    layout: &'l L,
    /// The tracks that are not begun, the next one last.
    tracks: Vec<TrackId>,
    range: Range<Tick>,
    function: F,
    /// The rest of the track that is begun.
    visits: Option<L::Visits<'l>>,
    merge: SliceMerge,
    /// What adds up a measure instead of time; `None` for time.
    measured: Option<Measured<'l, T>>,
    /// What adds up spans that say their parents; `None` if the trace has none.
    by_parent: Option<ByParent<'l, T>>,
}

impl<'l, T: TraceView, L: LayoutView, F: FunctionOf> SliceTree<'l, T, L, F> {
    pub(crate) fn new(
        trace: &'l T,
        layout: &'l L,
        mut tracks: Vec<TrackId>,
        range: Range<Tick>,
        measure: Measure,
        mut function: F,
    ) -> Self {
        tracks.reverse();
        let by_parent = layout.span_parents().map(|parents| {
            let parents = parents.of_shown(trace, |slice| function.function_of(slice).is_some());
            ByParent::new(trace, parents, range.clone(), measure)
        });
        let measured = (measure != Measure::WallTime).then(|| Measured::new(trace, measure));
        let (visits, merge) = (None, SliceMerge::default());
        Self { trace, layout, tracks, range, function, visits, merge, measured, by_parent }
    }
}

impl<T: TraceView, L: LayoutView, F: FunctionOf> Job for SliceTree<'_, T, L, F> {
    type Output = CallTree;

    /// Visits at most `work` slices. Beginning a track counts like a slice.
    fn step(&mut self, work: usize) -> Option<CallTree> {
        let mut left = work;
        let mut visits = self.visits.take();
        loop {
            let Self { merge, range, function, measured, by_parent, .. } = self;
            if let Some(visits) = &mut visits {
                let by_parent = by_parent.as_mut().filter(|by_parent| by_parent.is_of_track);
                left -= match (by_parent, measured.as_mut()) {
                    (Some(by_parent), _) => visits.visit_some(left, |visit| {
                        by_parent.add(visit.slice, |slice| function.function_of(slice), &mut merge.builder);
                    }),
                    (None, None) => visits.visit_some(left, |visit| {
                        merge.add::<true>(visit, range, function.function_of(visit.slice));
                    }),
                    (None, Some(measured)) => visits.visit_some(left, |visit| {
                        let function = function.function_of(visit.slice);
                        merge.add::<false>(visit, range, function);
                        let node = merge.node_of_latest(visit.row);
                        measured.add(visit, range, node, function.is_some(), &mut merge.builder);
                    }),
                };
            }
            if left == 0 {
                self.visits = visits;
                return None;
            }
            let Some(track) = self.tracks.pop() else { break };
            left -= 1;
            let begun = self.layout.visits(self.trace.slice_times(), track, range);
            if let Some(by_parent) = by_parent {
                by_parent.begin_track(track, &mut merge.builder);
            }
            merge.latest.clear();
            merge.latest.resize(begun.n_rows(), None);
            if let Some(measured) = measured {
                measured.begin_track(begun.n_rows(), &mut merge.builder);
            }
            visits = Some(begun);
        }
        if let Some(measured) = &mut self.measured {
            measured.begin_track(0, &mut self.merge.builder);
        }
        if let Some(by_parent) = &mut self.by_parent {
            by_parent.finish(&mut self.merge.builder);
        }
        Some(mem::take(&mut self.merge.builder).finish())
    }
}

/// A tree in the making, and the place of the walk over a track.
#[derive(Debug, Clone, Default)]
struct SliceMerge {
    builder: CallTreeBuilder,
    /// For each row of the track, the node of its latest slice. `None` if the row had no slice yet, and `Some(None)` if
    /// neither the slice nor any slice around it has a node.
    latest: Vec<Option<Option<ShownSlice>>>,
}

/// The node of a slice, or of the nearest slice around it if it has none itself.
#[derive(Debug, Clone, Copy)]
struct ShownSlice {
    node: TreeNodeId,
    /// The end of the slice that the node is of, clamped to the range.
    end: Tick,
}

impl SliceMerge {
    /// Adds a slice to the tree, and its time to the node if `TIMED`.
    #[inline(always)]
    fn add<const TIMED: bool>(&mut self, visit: Visit, range: &Range<Tick>, function: Option<Function>) {
        let parent = self.parent(&visit);
        let Some(function) = function else {
            self.latest[visit.row as usize] = Some(parent);
            return;
        };
        let start = visit.start.max(range.start);
        let end = visit.end.min(range.end).max(start);
        let duration = |end: Tick| to_ticks(end.0.abs_diff(start.0));
        let node = self.builder.child(parent.map(|parent| parent.node), function);
        if let Some(parent) = parent.filter(|_| TIMED) {
            // A span may outlive its parent.
            self.builder.subtract_time(parent.node, duration(end.min(parent.end).max(start)));
        }
        self.builder.add_slice(node, if TIMED { duration(end) } else { Ticks::ZERO });
        self.latest[visit.row as usize] = Some(Some(ShownSlice { node, end }));
    }

    /// Returns the node of the latest slice of a row, or that of the nearest slice around it which has one.
    fn node_of_latest(&self, row: u32) -> Option<TreeNodeId> {
        self.latest[row as usize].flatten().map(|shown| shown.node)
    }

    /// Returns the node that a slice's node is a child of, or `None` if that is a root.
    #[inline(always)]
    fn parent(&mut self, visit: &Visit) -> Option<ShownSlice> {
        if visit.row == visit.top {
            return None;
        }
        match self.latest[visit.row as usize - 1] {
            Some(found) => found,
            None => self.parent_of_orphan(visit),
        }
    }

    /// Finds the caller of a span whose parent is over when the range begins: the nearest slice around the parent. The parent had
    /// its part of that slice's time, and the span takes none of it.
    #[cold]
    fn parent_of_orphan(&mut self, visit: &Visit) -> Option<ShownSlice> {
        let (top, row) = (visit.top as usize, visit.row as usize);
        let above = self.latest[top..row].iter().rposition(Option::is_some);
        let found = above.and_then(|above| self.latest[top + above]).flatten();
        let found = found.map(|found| ShownSlice { end: Tick::MIN, ..found });
        // Every row is filled once, so all orphans together cost no more than the rows.
        self.latest[above.map_or(top, |above| top + above + 1)..row].fill(Some(found));
        found
    }
}

//! Flows between slices, as the arrows that a frontend draws. [layout 12](crate::rules::layout#12)

use alloc::vec::Vec;
use core::cmp::Reverse;

use spall_model::{Flow, FlowId, Tick, TraceView};

use crate::{LayoutView, Line, LineId, LineKind, RowId, Vertical, Viewport};

/// The binary logarithm of the number of flows in a block of the index.
const BLOCK_BITS: u32 = 4;

/// The flows of a trace, ready to be drawn as arrows.
///
/// Both ends of a flow are found once, from its slices, so they do not depend on what is visible, merged or folded. A
/// live trace has no flows; they are known when it is finished.
///
/// ```
/// use spall_layout::{Flows, Layout, Vertical, VerticalStyle, Viewport};
/// # use spall_model::{Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (tid, phase, start) in [(1, FlowPhase::Start, 0), (2, FlowPhase::End, 70)] {
/// #     let (thread, name) = (Thread::new(1_i64, tid), Text::plain(b"work"));
/// #     builder.push(&Event::Complete(ThreadEvent::new(thread, Tick(start), name), Ticks(30)));
/// #     let flow = FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(start + 10), Id::Number(1), name);
/// #     builder.push(&Event::Flow(flow));
/// # }
/// # let trace = builder.finish(); // a flow from thread 1 at tick 10 to thread 2 at tick 80
/// let layout = Layout::new(&trace);
/// let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
/// let flows = Flows::new(&trace, &layout);
///
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let mut arrows = Vec::new();
/// flows.arrows(&viewport, &vertical, vertical.visible(0..1), &mut arrows);
/// let arrow = arrows[0]; // its other end is on a line further down
/// assert_eq!((arrow.from.line.0, arrow.from.column), (0, 1));
/// assert_eq!((arrow.to.line.0, arrow.to.column), (1, 8));
/// assert_eq!(trace.flows()[arrow.flow.index()].arrives, Tick(80));
/// ```
#[doc(alias("arrow"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flows {
    /// The flows, ordered by the earlier of their two times.
    flows: Vec<ResolvedFlow>,
    /// The latest time of each block of 16 flows, then of each block of 16 such blocks, and so on.
    latest: Vec<Vec<Tick>>,
}

/// A flow with the rows of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ResolvedFlow {
    /// The earlier one of the times at which the flow leaves and arrives.
    first: Tick,
    /// The later one of these times. A flow may arrive before it leaves.
    last: Tick,
    /// The row and the time at which the flow leaves.
    from: (RowId, Tick),
    /// The row and the time at which the flow arrives.
    to: (RowId, Tick),
    flow: FlowId,
}

/// The place where an arrow begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FlowEnd {
    /// The line at which the end is drawn.
    pub line: LineId,
    /// Whether the row of the slice is folded away, so that the line is the header that stands for it.
    pub is_folded: bool,
    /// The column of the end. An end outside of the viewport is at its first or last column.
    pub column: u32,
}

/// An arrow: one flow, or several that begin and end in the same lines and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FlowArrow {
    /// The place where the arrow begins.
    pub from: FlowEnd,
    /// The place where the arrow ends.
    pub to: FlowEnd,
    /// The first flow that the arrow stands for, in the order of [`TraceView::flows`](spall_model::TraceView::flows).
    pub flow: FlowId,
    /// The number of flows that the arrow stands for. It is at least 1.
    pub count: u32,
}

impl Flows {
    /// Finds the rows and times of all flows of a trace.
    ///
    /// Flows from or to a slice that is on no row are left out. This takes O(n log n).
    #[must_use]
    pub fn new(trace: &impl TraceView, layout: &impl LayoutView) -> Self {
        let resolve = |(flow, id): (&Flow, FlowId)| {
            let (from, to) = (layout.place(flow.from)?, layout.place(flow.to)?);
            // A slice may be drawn shorter than it is, and then end before the flow leaves or arrives.
            let (leaves, arrives) = (flow.leaves.min(from.end), flow.arrives.min(to.end));
            let (first, last) = (leaves.min(arrives), leaves.max(arrives));
            Some(ResolvedFlow { first, last, from: (from.row, leaves), to: (to.row, arrives), flow: id })
        };
        let mut flows: Vec<_> = trace.flows().iter().zip((0..).map(FlowId)).filter_map(resolve).collect();
        flows.sort_by_key(|flow| (flow.first, flow.flow));
        Self::of_sorted(flows)
    }

    /// Returns the flows for which `is_wanted` returns true, such as those of the selected slice: where several flows
    /// share an arrow, one of them could not be told from the others. This takes O(n).
    #[must_use]
    pub fn filtered(&self, mut is_wanted: impl FnMut(FlowId) -> bool) -> Self {
        Self::of_sorted(self.flows.iter().filter(|flow| is_wanted(flow.flow)).copied().collect())
    }

    /// Makes the index.
    fn of_sorted(flows: Vec<ResolvedFlow>) -> Self {
        let mut latest: Vec<Vec<Tick>> = Vec::new();
        let mut below: Vec<Tick> = flows.iter().map(|flow| flow.last).collect();
        while below.len() > 1 {
            below = below.chunks(1 << BLOCK_BITS).filter_map(|block| block.iter().max().copied()).collect();
            latest.push(below.clone());
        }
        Self { flows, latest }
    }

    /// Returns the number of flows that can be drawn.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Returns whether no flow can be drawn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Writes the arrows that cross `viewport` and touch or cross `lines` to `out`. This replaces the content of `out`.
    ///
    /// `lines` must be lines of `vertical` that follow one another, such as [`Vertical::visible`] returns. A flow is
    /// left out if there is no line for one of its ends. This takes O(log n + k log k) for the k flows whose time
    /// crosses the viewport.
    pub fn arrows(&self, viewport: &Viewport, vertical: &Vertical, lines: &[Line], out: &mut Vec<FlowArrow>) {
        out.clear();
        let range = viewport.range();
        let (Some(top), Some(bottom)) = (lines.first(), lines.last()) else { return };
        if viewport.columns() == 0 {
            return;
        }
        let end = self.flows.partition_point(|flow| flow.first < range.end);
        let mut at = 0;
        while let Some(next) = self.next_reaching(at, end, range.start) {
            let Some(flow) = self.flows.get(next) else { break };
            at = next + 1;
            let ends = (arrow_end(viewport, vertical, flow.from), arrow_end(viewport, vertical, flow.to));
            if let (Some(from), Some(to)) = ends
                && from.line.min(to.line) <= bottom.id
                && from.line.max(to.line) >= top.id
            {
                out.push(FlowArrow { from, to, flow: flow.flow, count: 1 });
            }
        }
        // Of flows that share an arrow, the first one in the order of the trace is kept.
        out.sort_unstable_by_key(|rect| (rect.from, rect.to, rect.flow));
        out.dedup_by(|next, kept| {
            let same = next.from == kept.from && next.to == kept.to;
            kept.count += u32::from(same);
            same
        });
    }

    /// Returns the first flow of `at..end` whose later time is not before `start`.
    fn next_reaching(&self, mut at: usize, end: usize, start: Tick) -> Option<usize> {
        while at < end {
            if self.flows.get(at)?.last >= start {
                return Some(at);
            }
            // Skips the largest block that begins after this flow and ends before `start`.
            at += 1;
            let mut width = 0;
            let mut step = 0;
            for blocks in &self.latest {
                width += BLOCK_BITS;
                if at & ((1 << width) - 1) != 0
                    || blocks.get(at >> width).is_none_or(|&latest| latest >= start)
                {
                    break;
                }
                step = 1 << width;
            }
            at += step;
        }
        None
    }
}

/// Keeps at most `most` arrows, and returns how many of the others there were.
///
/// Kept are those that stand for the most flows, and of equal ones those whose first flow has the smaller hash. So the
/// arrows that stay are spread over all, and a flow that is seen stays in sight while the viewport moves. This takes O(n).
/// [layout 12.4](crate::rules::layout#12.4)
// Compiled where it is used: its sort moves the loops of dense rows apart here, which costs them 4 % (`dense row, even`).
#[inline]
pub fn thin_arrows(arrows: &mut Vec<FlowArrow>, most: usize) -> usize {
    let left_out = arrows.len().saturating_sub(most);
    if left_out > 0 {
        let rank = |arrow: &FlowArrow| (Reverse(arrow.count), arrow.flow.0.wrapping_mul(0x9E37_79B1));
        arrows.select_nth_unstable_by_key(most, rank);
        arrows.truncate(most);
    }
    left_out
}

/// Returns where the end of an arrow is drawn, or `None` if no line shows its row.
fn arrow_end(viewport: &Viewport, vertical: &Vertical, (row, at): (RowId, Tick)) -> Option<FlowEnd> {
    let line = vertical.line_of(row)?;
    let is_folded = line.kind != LineKind::Row(row);
    let last = viewport.columns() - 1;
    let column = viewport.column(at).unwrap_or(if at < viewport.range().start { 0 } else { last });
    Some(FlowEnd { line: line.id, is_folded, column })
}

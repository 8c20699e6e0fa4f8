//! Arrows between slices. \[layout 12\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{Tick, Trace};

use crate::convert::to_u32;
use crate::{Layout, LineKind, RowId, Vertical, Viewport};

/// Arrows of a block of the index, as a power of two.
const BLOCK_BITS: u32 = 4;

/// The arrows of a trace, ready to be drawn: their ends are resolved once, from the slices themselves, so they do not
/// depend on what is visible, merged or folded away.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    /// By the earlier of the two times.
    arrows: Vec<Arrow>,
    /// The latest time of any arrow of 16, of 16 of those, and so on.
    latest: Vec<Vec<Tick>>,
}

/// An arrow in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arrow {
    first: Tick,
    last: Tick,
    from: (RowId, Tick),
    to: (RowId, Tick),
    flow: u32,
}

/// One end of a [`FlowRect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowEnd {
    /// Position in [`Vertical::lines`] of the line it is drawn at.
    pub line: u32,
    /// Whether the row itself is folded away, so that the line is the head that stands for it.
    pub is_folded: bool,
    /// The column, clamped to the frame.
    pub column: u32,
}

/// Arrows that are drawn as one, because they begin and end in the same places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowRect {
    /// Where they begin.
    pub from: FlowEnd,
    /// Where they end.
    pub to: FlowEnd,
    /// Position of one of them in the trace's flows: the first in time.
    pub flow: u32,
    /// How many they are.
    pub count: u32,
}

impl Flows {
    /// Resolves the arrows of a trace. Arrows to or from a slice without a place are left out.
    #[must_use]
    pub fn new(trace: &Trace<'_>, layout: &Layout) -> Self {
        let arrow = |(flow, at): (&spall_model::Flow, usize)| {
            let (from, to) = (layout.place(flow.from)?, layout.place(flow.to)?);
            // What is drawn shorter than it is may end before.
            let (leaves, arrives) = (flow.leaves.min(from.end), flow.arrives.min(to.end));
            let (first, last) = (leaves.min(arrives), leaves.max(arrives));
            Some(Arrow { first, last, from: (from.row, leaves), to: (to.row, arrives), flow: to_u32(at) })
        };
        let mut arrows: Vec<Arrow> = trace.flows().iter().zip(0..).filter_map(arrow).collect();
        arrows.sort_by_key(|arrow| (arrow.first, arrow.flow));
        let mut latest: Vec<Vec<Tick>> = Vec::new();
        let mut below: Vec<Tick> = arrows.iter().map(|arrow| arrow.last).collect();
        while below.len() > 1 {
            below = below.chunks(1 << BLOCK_BITS).filter_map(|block| block.iter().max().copied()).collect();
            latest.push(below.clone());
        }
        Self { arrows, latest }
    }

    /// How many arrows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arrows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.arrows.is_empty()
    }

    /// Puts the arrows that cross `viewport` in time and have an end on one of `lines` or cross them into `out`, replacing
    /// what was there. O(log n + k log k) for k arrows that cross the frame in time.
    ///
    /// `lines` are positions in [`Vertical::lines`]. An arrow with an end that no line stands for is left out.
    pub fn rects(
        &self,
        viewport: &Viewport,
        vertical: &Vertical,
        lines: Range<u32>,
        out: &mut Vec<FlowRect>,
    ) {
        out.clear();
        let view = viewport.view();
        if viewport.columns() == 0 {
            return;
        }
        let end = self.arrows.partition_point(|arrow| arrow.first < view.end);
        let mut at = 0;
        while let Some(next) = self.next_reaching(at, end, view.start) {
            let arrow = &self.arrows[next];
            at = next + 1;
            let ends = (place(viewport, vertical, arrow.from), place(viewport, vertical, arrow.to));
            if let (Some(from), Some(to)) = ends {
                let (top, bottom) = (from.line.min(to.line), from.line.max(to.line));
                if top < lines.end && bottom >= lines.start {
                    out.push(FlowRect { from, to, flow: arrow.flow, count: 1 });
                }
            }
        }
        // Stable order within a bundle: the first in time stands for it.
        out.sort_unstable_by_key(|rect| (rect.from, rect.to, rect.flow));
        out.dedup_by(|next, kept| {
            let same = next.from == kept.from && next.to == kept.to;
            kept.count += u32::from(same);
            same
        });
    }

    /// The first arrow of `at..end` that is not over before `start`.
    fn next_reaching(&self, mut at: usize, end: usize, start: Tick) -> Option<usize> {
        while at < end {
            if self.arrows[at].last >= start {
                return Some(at);
            }
            // Steps over the largest block that begins behind this arrow and is over.
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

fn place(viewport: &Viewport, vertical: &Vertical, (row, at): (RowId, Tick)) -> Option<FlowEnd> {
    let line = vertical.index_of(row)?;
    let is_folded = vertical.lines()[line].kind != LineKind::Row(row);
    let last = viewport.columns() - 1;
    let column = viewport.column(at).unwrap_or(if at < viewport.view().start { 0 } else { last });
    Some(FlowEnd { line: to_u32(line), is_folded, column })
}

//! Slices reduced to the facts that rectangles are made of: the columns that they touch and their overlap with these.
//! [layout 3.3](crate::rules::layout#3.3) [layout 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::SliceId;

use crate::convert::to_f32;
use crate::edge::ColumnEdge;
use crate::extent::SliceExtent;
use crate::index::Node;
use crate::viewport::Position;
use crate::{RowView, Viewport};

/// One slice, or several consecutive slices that their longest slice represents.
///
/// A query reduces a row to clusters in time order, about as many as there are columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cluster {
    /// The overlap of the owner with the first column, in parts of a column.
    pub(crate) first_overlap: u64,
    /// The overlap of the owner with the last column.
    pub(crate) last_overlap: u64,
    /// The first and the last column that is touched. All columns between them are touched too.
    pub(crate) columns: (u32, u32),
    /// The position of the first slice in the row.
    pub(crate) first: u32,
    /// The number of slices.
    pub(crate) count: u32,
    /// The parts of the first and of the last column that are inside slices. If these are one column, the first number
    /// counts and the second one is 0.
    pub(crate) busy: (f32, f32),
    /// The fraction of the columns between the first and the last one that is inside slices.
    pub(crate) busy_between: f32,
    /// The slice that represents the cluster: the longest one. Its fields stand here one by one, because a [`SliceExtent`]
    /// inside would be padded and the cluster would not fit into a line of the cache.
    owner: SliceId,
    owner_start: i64,
    owner_end: i64,
}

const _: () = assert!(size_of::<Cluster>() == 64);

/// Consecutive slices while a walk gathers them into one cluster.
pub(crate) trait Gather: Copy {
    /// Returns whether the slices of a node, which come next, belong to those gathered so far.
    fn extends_to(&self, viewport: &Viewport, node: &Node) -> bool;

    /// Adds the slices of a node for which [`Gather::extends_to`] is true. `slices` are the position of the first one and
    /// their number.
    fn add_node(&mut self, node: &Node, slices: (u32, u32));

    /// Appends the slices gathered so far to `clusters`, and begins with those of a node that does not belong to them.
    /// Returns `false`, and does nothing, if the node has to be opened.
    fn begin_with(
        &mut self,
        viewport: &Viewport,
        node: &Node,
        slices: (u32, u32),
        clusters: &mut Vec<Cluster>,
    ) -> bool;

    /// Adds slices of a row, at most a leaf of them. Where one does not belong to those gathered so far, these are appended to
    /// `clusters`.
    fn take_slices(
        &mut self,
        viewport: &Viewport,
        row: &RowView<'_>,
        slices: Range<u32>,
        clusters: &mut Vec<Cluster>,
    );

    /// Appends the cluster of the slices gathered so far, if there are any, and leaves none.
    fn flush(&mut self, viewport: &Viewport, clusters: &mut Vec<Cluster>);
}

impl Cluster {
    /// Returns the slice that represents the cluster: the longest one.
    #[inline(always)]
    pub(crate) fn owner(&self) -> SliceExtent {
        SliceExtent { start: self.owner_start, end: self.owner_end, id: self.owner }
    }

    /// Adds to each touched column the fraction of it that is inside slices. A column has `width` parts.
    pub(crate) fn add_busy(&self, width: f32, columns: &mut [f32]) {
        let (first, last) = (self.columns.0 as usize, self.columns.1 as usize);
        if let Some(column) = columns.get_mut(first) {
            *column += self.busy.0 / width;
        }
        if last > first {
            // Only a single slice touches more than two columns, and it fills those between its ends.
            columns.get_mut(first + 1..last).unwrap_or_default().iter_mut().for_each(|column| *column += 1.0);
            if let Some(column) = columns.get_mut(last) {
                *column += self.busy.1 / width;
            }
        }
    }

    /// Makes the cluster of slices that lie in one column, of which the longest has an overlap and all have `busy` parts.
    #[inline(always)]
    pub(crate) fn in_column(
        column: u32,
        (first, count): (u32, u32),
        owner: SliceExtent,
        overlap: u64,
        busy: f32,
    ) -> Self {
        Self {
            first_overlap: overlap,
            last_overlap: overlap,
            columns: (column, column),
            first,
            count,
            busy: (busy, 0.0),
            busy_between: 0.0,
            owner: owner.id,
            owner_start: owner.start,
            owner_end: owner.end,
        }
    }

    /// Makes the cluster of slices that are not told apart, which leaves contested columns to others.
    #[inline(always)]
    pub(crate) fn gathered(
        columns: (u32, u32),
        (first, count): (u32, u32),
        owner: SliceExtent,
        busy: (f32, f32),
        busy_between: f32,
    ) -> Self {
        Self {
            first_overlap: 0,
            last_overlap: 0,
            columns,
            first,
            count,
            busy,
            busy_between,
            owner: owner.id,
            owner_start: owner.start,
            owner_end: owner.end,
        }
    }

    /// Makes the cluster of one slice, and returns the position of its end too.
    #[inline(always)]
    pub(crate) fn slice(viewport: &Viewport, owner: SliceExtent, first: u32) -> (Self, Position) {
        let (from, to, whole) =
            (viewport.position(owner.start), viewport.position(owner.end), viewport.column_parts());
        // A slice without duration touches the column that contains it, even at the edge of that column.
        let last = if from == to { to.column } else { to.last_touched() };
        let (overlaps, busy) = if from.column == last {
            let overlap = if to.column == last { to.part } else { whole } - from.part;
            ((overlap, overlap), (to_f32(overlap), 0.0))
        } else {
            let (first, last) = (whole - from.part, if to.part == 0 { whole } else { to.part });
            ((first, last), (to_f32(first), to_f32(last)))
        };
        let cluster = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count: 1,
            busy,
            busy_between: 1.0,
            owner: owner.id,
            owner_start: owner.start,
            owner_end: owner.end,
        };
        (cluster, to)
    }

    /// Makes the cluster of `count` slices from position `first` on that lie across an edge and touch the two columns
    /// beside it only.
    ///
    /// `extent` is the start of the first and the end of the last slice, `density` the fraction of that time inside
    /// slices.
    #[inline(always)]
    pub(crate) fn across(
        edge: &ColumnEdge,
        extent: (i64, i64),
        (first, count): (u32, u32),
        owner: SliceExtent,
        density: f32,
    ) -> Self {
        let (left, right) = (edge.parts_left(extent.0), edge.parts_right(extent.1));
        Self {
            first_overlap: edge.parts_left(owner.start) - edge.parts_left(owner.end),
            last_overlap: edge.parts_right(owner.end) - edge.parts_right(owner.start),
            columns: edge.columns(),
            first,
            count,
            busy: (to_f32(left) * density, to_f32(right) * density),
            busy_between: 0.0,
            owner: owner.id,
            owner_start: owner.start,
            owner_end: owner.end,
        }
    }

    /// Makes the cluster of a node that is no longer than a column and lies inside the viewport, and returns the position of
    /// its end too.
    #[inline(always)]
    pub(crate) fn node(viewport: &Viewport, node: &Node, first: u32, count: u32) -> (Self, Position) {
        let (from, owner, density) = (viewport.position(node.first), node.longest(), node.density());
        // One position is looked up; everything else follows from it in parts of a column, counted from the node's start.
        // Nothing is further away than a column, so no product overflows.
        let parts_to = |tick: i64| viewport.parts(tick.wrapping_sub(node.first).cast_unsigned());
        let (edge, extent) = (viewport.column_parts() - from.part, parts_to(node.last));
        let (start, end) = (parts_to(owner.start), parts_to(owner.end));
        // The column in which the node's end lies, which need not be touched: a slice that ends at an edge is left of it.
        let column = from.column + u32::from(extent >= edge);
        let (last, overlaps, busy) = if extent > edge || extent == edge && node.ends_in_point() {
            let overlaps = (end.min(edge) - start.min(edge), end.max(edge) - start.max(edge));
            (column, overlaps, (edge, extent - edge))
        } else {
            (from.column, (end - start, end - start), (extent, 0))
        };
        let cluster = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count,
            busy: (to_f32(busy.0) * density, to_f32(busy.1) * density),
            busy_between: 0.0,
            owner: owner.id,
            owner_start: owner.start,
            owner_end: owner.end,
        };
        let part = if column == from.column { from.part + extent } else { extent - edge };
        (cluster, Position { column, part })
    }
}

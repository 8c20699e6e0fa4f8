//! The edge between two columns, and how far slices around it reach to either side.
//!
//! Where many slices have to be compared with one edge, this takes a comparison or a multiplication for each, while
//! [`Viewport::position`] takes several multiplications of 128 bits.

use crate::Viewport;

/// The left edge of a column, for times no further away from it than a column is wide.
///
/// An edge need not be a whole number of ticks. It lies `gap` parts of a column behind the tick `before`, where `gap` is at
/// least one part and at most one tick.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnEdge {
    /// The column to the right of the edge.
    column: u32,
    /// The last tick before the edge.
    before: i64,
    /// The last tick before the edge or exactly on it.
    at_most: i64,
    /// The parts of a column from `before` to the edge.
    gap: u64,
    /// The parts of a column in one tick.
    tick: u64,
}

impl ColumnEdge {
    /// Makes the edge between `right - 1` and `right`, from a time `first` that lies in the left one of these columns.
    #[inline(always)]
    pub(crate) fn after(viewport: &Viewport, first: i64, right: u32) -> Self {
        let position = viewport.position(first);
        let before = viewport.last_before_edge(first, position);
        let rest = viewport.column_parts() - position.part;
        let gap = rest - viewport.parts(before.wrapping_sub(first).cast_unsigned());
        let tick = viewport.parts(1);
        // A tick lies on the edge exactly if the edge is a whole tick behind the last tick before it.
        let at_most = before.saturating_add(i64::from(gap == tick));
        Self { column: right, before, at_most, gap, tick }
    }

    /// Returns the columns to the left and to the right of the edge.
    #[inline(always)]
    pub(crate) fn columns(&self) -> (u32, u32) {
        (self.column - 1, self.column)
    }

    /// Returns whether a slice touches no column to the right. A slice without duration on the edge does touch it.
    #[inline(always)]
    pub(crate) fn is_left(&self, start: i64, end: i64) -> bool {
        end <= self.at_most && start <= self.before
    }

    /// Returns whether a slice that begins at `start` touches no column to the left.
    #[inline(always)]
    pub(crate) fn is_right(&self, start: i64) -> bool {
        start > self.before
    }

    /// Converts ticks to parts of a column.
    #[inline(always)]
    pub(crate) fn parts(&self, ticks: u64) -> u64 {
        ticks.wrapping_mul(self.tick)
    }

    /// Returns the parts of a column from `time` to the edge, or 0 if `time` is not before the edge.
    #[inline(always)]
    pub(crate) fn parts_left(&self, time: i64) -> u64 {
        if self.is_right(time) {
            return 0;
        }
        self.parts(self.before.wrapping_sub(time).cast_unsigned()) + self.gap
    }

    /// Returns the parts of a column from the edge to `time`, or 0 if `time` is before the edge.
    #[inline(always)]
    pub(crate) fn parts_right(&self, time: i64) -> u64 {
        if time <= self.before {
            return 0;
        }
        self.parts(time.wrapping_sub(self.before).cast_unsigned()) - self.gap
    }
}

//! The edge between two columns, and how far what lies around it reaches into both.

use crate::Viewport;
use crate::merge::Item;

/// The left edge of a column, for times that are no further from it than a column is wide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// The column behind it.
    column: u32,
    /// The last tick before it.
    before: i64,
    /// The last tick before it or on it.
    at_most: i64,
    /// Parts of a column from the last tick before it to the edge, and between two ticks.
    gap: u64,
    tick: u64,
}

impl Edge {
    /// The edge that `item`, which begins at `first`, lies across.
    #[inline(always)]
    pub(crate) fn across(viewport: &Viewport, item: &Item, first: i64) -> Self {
        let position = viewport.position(first);
        let before = viewport.last_before_edge(first, position);
        let rest = viewport.column_parts() - position.part;
        let gap = rest - viewport.parts(before.wrapping_sub(first).cast_unsigned());
        let tick = viewport.parts(1);
        let at_most = before.saturating_add(i64::from(gap == tick));
        Self { column: item.columns.1, before, at_most, gap, tick }
    }

    /// The columns to the left and to the right.
    #[inline(always)]
    pub(crate) fn columns(&self) -> (u32, u32) {
        (self.column - 1, self.column)
    }

    /// Whether what begins at `start` and ends at `end` touches no column to the right.
    #[inline(always)]
    pub(crate) fn is_left(&self, start: i64, end: i64) -> bool {
        end <= self.at_most && start <= self.before
    }

    /// Whether what begins at `start` touches no column to the left.
    #[inline(always)]
    pub(crate) fn is_right(&self, start: i64) -> bool {
        start > self.before
    }

    /// How many parts of a column there are in `ticks`.
    #[inline(always)]
    pub(crate) fn parts(&self, ticks: u64) -> u64 {
        ticks.wrapping_mul(self.tick)
    }

    /// How far what begins at `time` reaches to the left.
    #[inline(always)]
    pub(crate) fn parts_left(&self, time: i64) -> u64 {
        if self.is_right(time) {
            return 0;
        }
        self.parts(self.before.wrapping_sub(time).cast_unsigned()) + self.gap
    }

    /// How far what ends at `time` reaches to the right.
    #[inline(always)]
    pub(crate) fn parts_right(&self, time: i64) -> u64 {
        if time <= self.before {
            return 0;
        }
        self.parts(time.wrapping_sub(self.before).cast_unsigned()) - self.gap
    }
}

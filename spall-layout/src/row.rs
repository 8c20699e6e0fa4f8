//! Rows: slices that follow one another without overlap, and their index.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{SliceId, State, Tick};

use crate::extent::SliceExtent;
use crate::index::{GrowingIndex, LEAF_BITS, Levels, RowIndex};

/// A row of a layout, counted from 0 in display order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RowId(pub u32);

/// A row that grows at its end, indexed as it grows: for timelines that are not made from a trace.
///
/// ```
/// use spall_layout::{Fidelity, Viewport, Row, RowId, Scratch};
/// use spall_model::{SliceId, State, Tick};
/// let mut row = Row::new();
/// row.push(Tick(0), Tick(50), SliceId(7));
/// row.push(Tick(50), Tick(51), SliceId(8));
/// row.push(Tick(90), Tick(100), SliceId(9));
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10, Fidelity::Exact);
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&viewport, &mut Scratch::new(), &mut rects);
/// let drawn: Vec<_> = rects.iter().map(|rect| (rect.slice.0, rect.x0, rect.x1)).collect();
/// assert_eq!(drawn, [(7, 0, 5), (8, 5, 6), (9, 9, 10)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Row {
    starts: Vec<Tick>,
    ends: Vec<Tick>,
    ids: Vec<SliceId>,
    index: GrowingIndex,
}

impl Row {
    /// A row without slices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a slice behind the others, amortised O(1).
    ///
    /// A row cannot hold slices that overlap: a start before the end of the slice before is moved there, and so is
    /// an end before the start. A row of 2³² − 1 slices takes no more.
    pub fn push(&mut self, start: Tick, end: Tick, id: SliceId) {
        if self.starts.len() >= u32::MAX as usize {
            return;
        }
        let start = self.ends.last().map_or(start, |&end| end.max(start));
        self.starts.push(start);
        self.ends.push(end.max(start));
        self.ids.push(id);
        if self.ends_with_a_leaf() {
            self.index.push_leaf(&self.starts, &self.ends, &self.ids);
        }
    }

    /// The states of a thread, by time: `trace.states_of(track)`. Their positions there are the "slices".
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport, Row, RowId, Scratch};
    /// # use spall_model::{Limits, TraceBuilder, Tick};
    /// # let trace = TraceBuilder::new(&Limits::default()).finish();
    /// let states = Row::of_states(trace.states());
    /// let mut rects = Vec::new();
    /// let viewport = Viewport::new(Tick(0)..Tick(100), 10, Fidelity::Exact);
    /// states.view(RowId(0)).rects(&viewport, &mut Scratch::new(), &mut rects);
    /// for rect in &rects {
    ///     let state = &trace.states()[rect.slice.index()];
    ///     println!("{} in columns {}..{}", trace.name(state.name), rect.x0, rect.x1);
    /// }
    /// ```
    #[must_use]
    pub fn of_states(states: &[State]) -> Self {
        let mut row = Self::new();
        for (state, id) in states.iter().zip((0..).map(SliceId)) {
            row.push(state.start, state.end, id);
        }
        row
    }

    /// Moves the end of the last slice, if there is one. O(log n) at worst.
    pub(crate) fn set_last_end(&mut self, end: Tick) {
        if let Some(last) = self.starts.len().checked_sub(1) {
            self.set_end(last, end);
        }
    }

    /// Moves the end of the slice `id`, which starts at `start`, to `end` if that is earlier. O(log n).
    pub(crate) fn shorten(&mut self, start: Tick, id: SliceId, end: Tick) {
        // Of several slices with this start only the last one can have a duration, so no other can be shortened.
        let position = self.starts.partition_point(|&other| other <= start).checked_sub(1);
        if let Some(position) = position.filter(|&position| self.ids[position] == id) {
            self.set_end(position, end.min(self.ends[position]));
        }
    }

    /// Moves an end, but not to before the start, and updates the index.
    fn set_end(&mut self, position: usize, end: Tick) {
        self.ends[position] = end.max(self.starts[position]);
        self.index.update(position, &self.starts, &self.ends, &self.ids);
    }

    /// Removes the slices that start at `from` or later.
    pub(crate) fn cut(&mut self, from: Tick) {
        let n_slices = self.starts.partition_point(|&start| start < from);
        self.starts.truncate(n_slices);
        self.ends.truncate(n_slices);
        self.ids.truncate(n_slices);
        self.index.truncate(n_slices);
    }

    /// Returns the last slice with its start and end, or `None` if the row is empty.
    pub(crate) fn last(&self) -> Option<(SliceId, Tick, Tick)> {
        Some((*self.ids.last()?, *self.starts.last()?, *self.ends.last()?))
    }

    /// Returns whether the last slice fills a leaf of the index.
    fn ends_with_a_leaf(&self) -> bool {
        self.starts.len().trailing_zeros() >= LEAF_BITS
    }

    /// The row as [`RowView`], under a number of the caller's.
    #[must_use]
    pub fn view(&self, row: RowId) -> RowView<'_> {
        RowView {
            row,
            starts: &self.starts,
            ends: &self.ends,
            ids: &self.ids,
            index: RowIndex::Growing(&self.index),
        }
    }
}

/// A row to ask.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    pub(crate) row: RowId,
    pub(crate) starts: &'a [Tick],
    pub(crate) ends: &'a [Tick],
    pub(crate) ids: &'a [SliceId],
    pub(crate) index: RowIndex<'a>,
}

impl<'a> RowView<'a> {
    /// Returns the levels of the row's index.
    pub(crate) fn levels(&self) -> Levels<'a> {
        self.index.levels(self.starts.len())
    }

    /// Returns the slice at a position.
    #[inline(always)]
    pub(crate) fn slice(&self, at: usize) -> Option<SliceExtent> {
        let (start, end, id) = (self.starts.get(at)?, self.ends.get(at)?, self.ids.get(at)?);
        Some(SliceExtent { start: start.0, end: end.0, id: *id })
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> RowId {
        self.row
    }

    /// Where each slice begins, ascending.
    #[must_use]
    pub fn starts(&self) -> &'a [Tick] {
        self.starts
    }

    /// Where each slice is drawn to, at most the next one's start.
    #[must_use]
    pub fn ends(&self) -> &'a [Tick] {
        self.ends
    }

    /// The slices.
    #[must_use]
    pub fn slices(&self) -> &'a [SliceId] {
        self.ids
    }

    /// How many slices the row has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the row has no slices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

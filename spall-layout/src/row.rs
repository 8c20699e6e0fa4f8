//! Rows: slices that follow one another without overlap, and their index.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{IdRange, SliceId, State, StateId, Tick};

use crate::index::{GrowingIndex, LEAF_BITS, Levels, RowIndex};

/// The number of a row of a layout.
///
/// The rows of a [`Layout`](crate::Layout) are numbered in display order, those of a [`LiveView`](crate::LiveView) in
/// the order in which they got their first slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct RowId(pub u32);

spall_model::dense_id! {
    RowId: "[`Layout::rows`](crate::Layout::rows)";
}

/// A row of slices that grows at its end, with the index that queries need.
///
/// Use it for a timeline that is not made from a trace. A row takes 20 bytes per slice, and 3.3 bytes for the index.
///
/// ```
/// use spall_layout::{Viewport, Row, RowId};
/// use spall_model::{SliceId, Tick};
/// let mut row = Row::new();
/// row.push(Tick(0), Tick(50), SliceId(7));
/// row.push(Tick(50), Tick(51), SliceId(8));
/// row.push(Tick(90), Tick(100), SliceId(9));
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&viewport, &mut rects);
/// let drawn: Vec<_> = rects.iter().map(|rect| (rect.slice.0, rect.x0, rect.x1)).collect();
/// assert_eq!(drawn, [(7, 0, 5), (8, 5, 6), (9, 9, 10)]);
/// ```
#[doc(alias("lod", "mipmap", "level of detail"))]
#[derive(Debug, Clone, Default)]
pub struct Row {
    starts: Vec<Tick>,
    ends: Vec<Tick>,
    ids: Vec<SliceId>,
    index: GrowingIndex,
}

impl Row {
    /// Creates a row without slices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a slice after the others. This takes amortised O(1).
    ///
    /// Slices of a row cannot overlap: a start before the end of the previous slice is moved there, and an end before
    /// the start is moved to the start. A row that has 2³² − 1 slices ignores further ones.
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

    /// Creates the row of the scheduling states of a thread.
    ///
    /// `states` must be ordered by time, and `ids` are their numbers. [`Rect::state`](crate::Rect::state) returns the state
    /// that a rectangle shows.
    ///
    /// ```
    /// use spall_layout::{Viewport, Row, RowId};
    /// # use spall_model::{Limits, Tick, TraceBuilder, TraceView};
    /// # let trace = TraceBuilder::new(&Limits::default()).finish();
    /// # let viewport = Viewport::new(Tick(0)..Tick(100), 10);
    /// for track in trace.tracks() {
    ///     let states = Row::of_states(trace.states_of(track.id), track.states());
    ///     let mut rects = Vec::new();
    ///     states.view(RowId(0)).rects(&viewport, &mut rects);
    ///     for rect in &rects {
    ///         let state = &trace.states()[rect.state().index()];
    ///         println!("{} in columns {}..{}", trace.name(state.name), rect.x0, rect.x1);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn of_states(states: &[State], ids: IdRange<StateId>) -> Self {
        let mut row = Self::new();
        for (state, id) in states.iter().zip(ids) {
            row.push(state.start, state.end, SliceId(id.0));
        }
        row
    }

    /// Moves the end of the last slice, if there is one. This takes O(log n) at worst.
    pub(crate) fn set_last_end(&mut self, end: Tick) {
        if let Some(last) = self.starts.len().checked_sub(1) {
            self.set_end(last, end);
        }
    }

    /// Moves the end of the slice `id`, which starts at `start`, to `end` if that is earlier. This takes O(log n).
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
        let n_slices = self.n_before(from);
        self.starts.truncate(n_slices);
        self.ends.truncate(n_slices);
        self.ids.truncate(n_slices);
        self.index.truncate(n_slices);
    }

    /// Returns the number of slices.
    pub(crate) fn n_slices(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number of slices that start before a time.
    pub(crate) fn n_before(&self, at: Tick) -> usize {
        self.starts.partition_point(|&start| start < at)
    }

    /// Returns the last slice with its start and end, or `None` if the row is empty.
    pub(crate) fn last(&self) -> Option<(SliceId, Tick, Tick)> {
        Some((*self.ids.last()?, *self.starts.last()?, *self.ends.last()?))
    }

    /// Returns whether the last slice fills a leaf of the index.
    fn ends_with_a_leaf(&self) -> bool {
        self.starts.len().trailing_zeros() >= LEAF_BITS
    }

    /// Returns the row as a [`RowView`], which queries take. Its rectangles carry the number `row`.
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

/// A row of a [`Layout`](crate::Layout), a [`LiveView`](crate::LiveView) or a [`Row`], borrowed for queries.
///
/// Positions in a row count its slices from 0, by time. There is an example at [`Row`].
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

    /// Returns the number of the row.
    #[must_use]
    pub fn id(&self) -> RowId {
        self.row
    }

    /// Returns the starts of all slices, ascending.
    #[must_use]
    pub fn starts(&self) -> &'a [Tick] {
        self.starts
    }

    /// Returns the times to which the slices are drawn, ascending. Each is at most the start of the next slice.
    #[must_use]
    pub fn ends(&self) -> &'a [Tick] {
        self.ends
    }

    /// Returns the ids of all slices, in the order of time.
    #[must_use]
    pub fn slices(&self) -> &'a [SliceId] {
        self.ids
    }

    /// Returns the number of slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether the row has no slices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the slice that runs at the time `at`, or `None` if there is none.
    ///
    /// A slice without duration runs at the tick at which it lies. This takes O(log n).
    #[must_use]
    pub fn find(&self, at: Tick) -> Option<SliceId> {
        let position = self.starts.partition_point(|&start| start <= at).checked_sub(1)?;
        let (start, end) = (*self.starts.get(position)?, *self.ends.get(position)?);
        (at < end || start == at && end == at).then(|| self.ids.get(position).copied()).flatten()
    }

    /// Returns the start or end of a slice that is nearest to `at`, or `None` if the row has no slices.
    ///
    /// If two are equally near, this returns the earlier one. It takes O(log n).
    pub(crate) fn nearest_edge(&self, at: Tick) -> Option<Tick> {
        let after = self.starts.partition_point(|&start| start <= at);
        let before = after.checked_sub(1);
        // Slices do not overlap, so the end before the next start is that of the slice before it.
        [
            before.and_then(|i| self.starts.get(i)),
            before.and_then(|i| self.ends.get(i)),
            self.starts.get(after),
        ]
        .into_iter()
        .flatten()
        .copied()
        .min_by_key(|edge| (edge.0.abs_diff(at.0), *edge))
    }
}

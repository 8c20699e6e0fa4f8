//! A search that goes on step by step. [layout 13](crate::rules::layout#13)

use alloc::vec::Vec;
use core::fmt;

use spall_model::{NameId, SliceId, TraceView};

use crate::{Hits, LayoutView, RowId};

impl Hits {
    /// Finds the slices whose name `matches`. This calls `matches` once for each name of the trace that slices have.
    #[must_use]
    pub fn new(
        trace: &impl TraceView,
        layout: &impl LayoutView,
        mut matches: impl FnMut(NameId) -> bool,
    ) -> Self {
        let mut known: Vec<Option<bool>> = alloc::vec![None; trace.names().len()];
        Self::of_slices(layout, |slice| {
            let Some(name) = trace.slice_name_id(slice) else { return false };
            match known.get_mut(name.index()) {
                Some(known) => *known.get_or_insert_with(|| matches(name)),
                None => matches(name),
            }
        })
    }

    /// Finds the slices for which `matches` returns true. This calls it once for each slice.
    #[must_use]
    pub fn of_slices(layout: &impl LayoutView, matches: impl FnMut(SliceId) -> bool) -> Self {
        HitsBuilder::new(layout, matches).finish()
    }
}

/// A search for slices that goes on step by step, so that a viewer stays alive meanwhile.
///
/// [`Hits::of_slices`] does all steps at once. Drop the builder to cancel.
///
/// ```
/// use spall_layout::{Hits, HitsBuilder, Layout, LayoutOptions};
/// use spall_model::SliceId;
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in 0..100 {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(1)));
/// # }
/// # let trace = builder.finish(); // a hundred slices
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let is_tenth = |slice: SliceId| slice.0 % 10 == 0;
/// let mut search = HitsBuilder::new(&layout, is_tenth);
/// while !search.step(30) {
///     // Here the viewer draws a frame and looks whether the user wants something else.
/// }
/// assert_eq!(search.finish(), Hits::of_slices(&layout, is_tenth));
/// ```
#[must_use]
pub struct HitsBuilder<'l, L, F> {
    layout: &'l L,
    matches: F,
    hits: Hits,
    /// The bits of the latest slices, as many as do not fill a word yet.
    word: u64,
    n_slices: u32,
    /// The row that is looked at, and how many of its slices were.
    row: RowId,
    position: usize,
}

impl<L, F> fmt::Debug for HitsBuilder<'_, L, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HitsBuilder").field("n_slices", &self.n_slices).finish_non_exhaustive()
    }
}

impl<'l, L: LayoutView, F: FnMut(SliceId) -> bool> HitsBuilder<'l, L, F> {
    /// Prepares a search for the slices for which `matches` returns true. Nothing is done before
    /// [`HitsBuilder::step`].
    pub fn new(layout: &'l L, matches: F) -> Self {
        let (hits, word, n_slices) = (Hits::default(), 0, 0);
        Self { layout, matches, hits, word, n_slices, row: RowId(0), position: 0 }
    }

    /// Looks at no more than `budget` slices and rows, and returns whether it has looked at all.
    pub fn step(&mut self, budget: usize) -> bool {
        let mut left = budget;
        while self.row.0 < self.layout.n_rows() {
            if left == 0 {
                return false;
            }
            if self.hits.rows.len() == self.row.index() {
                left -= 1;
                self.hits.rows.push(self.n_slices);
            }
            let slices = self.layout.row(self.row).map_or(&[][..], |row| row.slices());
            let rest = slices.get(self.position..).unwrap_or_default();
            let now = rest.get(..left).unwrap_or(rest);
            for &slice in now {
                self.word |= u64::from((self.matches)(slice)) << (self.n_slices % 64);
                self.n_slices += 1;
                if self.n_slices.is_multiple_of(64) {
                    self.hits.bits.push(core::mem::take(&mut self.word));
                }
            }
            left -= now.len();
            if now.len() < rest.len() {
                self.position += now.len();
                return false;
            }
            (self.row, self.position) = (RowId(self.row.0 + 1), 0);
        }
        true
    }

    /// Returns the slices that match. This does the steps that are left.
    #[must_use]
    pub fn finish(mut self) -> Hits {
        while !self.step(usize::MAX) {}
        self.hits.bits.push(self.word);
        self.hits.rows.push(self.n_slices);
        self.hits
    }
}

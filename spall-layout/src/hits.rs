//! Search results that merging does not hide: every rectangle can say how many of its slices match. [layout
//! 13](crate::rules::layout#13)

use alloc::vec::Vec;

use spall_model::{NameId, SliceId, TraceView};

use crate::bits::BitVector;
use crate::{LayoutView, Rect, RowId};

/// The slices of a layout that match a search.
///
/// Hits belong to the layout that they were made of. After a commit of a live trace, make them again. They take 1.5
/// bits per slice.
///
/// ```
/// use spall_layout::{Fidelity, Hits, Layout, LayoutView, LayoutOptions, Scratch, Vertical, Viewport};
/// # use spall_model::{ByteRange, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for n in 0..1000 {
/// #     let name = if n % 100 == 7 { b"gc".as_slice() } else { b"work" };
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(n), Text::plain(name));
/// #     builder.push(&Event::Complete(event, Ticks(1)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // a thousand slices of one tick, the 7th of each hundred is "gc"
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let hits = Hits::new(&trace, &layout, |name| trace.name(name) == "gc");
/// assert_eq!(hits.len(), 10);
/// assert_eq!(hits.next(&layout, SliceId(7)), Some(SliceId(107)));
///
/// // The whole trace in two columns: a rectangle stands for many slices, and says how many of them match.
/// let vertical = Vertical::new(&trace, &layout, &());
/// let viewport = Viewport::new(Tick(0)..Tick(1000), 2, Fidelity::Fast);
/// let mut rects = Vec::new();
/// layout.rects(&viewport, vertical.lines(), &mut Scratch::new(), &mut rects);
/// assert_eq!(rects.len(), 2);
/// assert_eq!(rects.iter().map(|rect| hits.in_rect(rect)).sum::<u32>(), 10);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[doc(alias = "search")]
#[doc(alias = "filter")]
pub struct Hits {
    /// A bit for each slice, row after row and in the order of the slices of a row.
    bits: BitVector,
    /// The position of the first bit of each row, and the number of bits.
    rows: Vec<u32>,
}

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
    pub fn of_slices(layout: &impl LayoutView, mut matches: impl FnMut(SliceId) -> bool) -> Self {
        let mut hits = Self::default();
        let (mut word, mut n_slices) = (0, 0_u32);
        for row in (0..layout.n_rows()).map(RowId) {
            hits.rows.push(n_slices);
            for &slice in layout.row(row).map_or(&[][..], |row| row.slices()) {
                word |= u64::from(matches(slice)) << (n_slices % 64);
                n_slices += 1;
                if n_slices % 64 == 0 {
                    hits.bits.push(core::mem::take(&mut word));
                }
            }
        }
        hits.bits.push(word);
        hits.rows.push(n_slices);
        hits
    }

    /// Returns the number of slices that match.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.bits.n_set()
    }

    /// Returns whether no slice matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many of the slices that a rectangle stands for match. This takes O(1).
    #[must_use]
    pub fn in_rect(&self, rect: &Rect) -> u32 {
        let first = self.first_bit(rect.row) + rect.first as usize;
        self.bits.rank(first + rect.count as usize) - self.bits.rank(first)
    }

    /// Returns how many slices of a row match. This takes O(1).
    #[must_use]
    pub fn in_row(&self, row: RowId) -> u32 {
        self.bits.rank(self.first_bit(RowId(row.0.saturating_add(1)))) - self.bits.rank(self.first_bit(row))
    }

    /// Returns the next slice after `slice` on its track that matches, in the order of the track: by start, longer
    /// first.
    ///
    /// Returns `None` if no later slice matches, or if `slice` is on no row. This takes O(log n) for each row of the
    /// track.
    #[must_use]
    pub fn next(&self, layout: &impl LayoutView, slice: SliceId) -> Option<SliceId> {
        let track = layout.row_info(layout.row_of(slice)?)?.track;
        let in_row = |row| {
            let view = layout.row(row)?;
            let first = self.first_bit(row);
            let before = layout.n_before(&view, slice);
            let is_here = view.slices().get(before) == Some(&slice);
            let hit = self.bits.select(self.bits.rank(first + before + usize::from(is_here)))?;
            view.slices().get(hit - first).copied()
        };
        layout.track_rows(track).filter_map(in_row).min_by_key(|&hit| layout.order(hit))
    }

    /// Returns the last slice before `slice` on its track that matches, in the order of [`Hits::next`].
    ///
    /// Returns `None` if no earlier slice matches, or if `slice` is on no row. This takes O(log n) for each row of the
    /// track.
    #[must_use]
    pub fn previous(&self, layout: &impl LayoutView, slice: SliceId) -> Option<SliceId> {
        let track = layout.row_info(layout.row_of(slice)?)?.track;
        let in_row = |row| {
            let view = layout.row(row)?;
            let first = self.first_bit(row);
            let end = first + layout.n_before(&view, slice);
            let hit = self.bits.select(self.bits.rank(end).checked_sub(1)?)?;
            view.slices().get(hit.checked_sub(first)?).copied()
        };
        layout.track_rows(track).filter_map(in_row).max_by_key(|&hit| layout.order(hit))
    }

    /// Returns the position of the first bit of a row.
    fn first_bit(&self, row: RowId) -> usize {
        self.rows.get(row.index()).or(self.rows.last()).map_or(0, |&first| first as usize)
    }
}

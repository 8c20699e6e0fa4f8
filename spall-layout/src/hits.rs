//! Search results that merging does not hide: every rectangle can say how many of its slices match. [layout
//! 13](crate::rules::layout#13)

use alloc::{boxed::Box, vec::Vec};
use core::{cmp::Ordering, mem, ops::Range};

use spall_model::{Job, NameId, SliceId, Tick, TraceView};

use crate::bits::BitVector;
use crate::layout_view::Order as _;
use crate::{LayoutView, LiveView, PlacedSlice, Rect, RowId, RowView};

/// The slices of a layout that match a search.
///
/// Hits belong to the layout that they were made of. After a commit of a live trace, [`Hits::grow`] looks at what is new.
/// They take 1.5 bits for each slice of a row that has a hit, up to the last one, and 8 bytes for each row.
///
/// ```
/// use spall_layout::{Hits, Layout, LayoutView, Vertical, VerticalStyle, Viewport};
/// use spall_model::{Job, SliceId};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for n in 0..1000 {
/// #     let name = if n % 100 == 7 { b"gc".as_slice() } else { b"work" };
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(n), Text::plain(name));
/// #     builder.push(&Event::Complete(event, Ticks(1)));
/// # }
/// # let trace = builder.finish(); // a thousand slices of one tick, the 7th of each hundred is "gc"
/// let layout = Layout::new(&trace);
/// let hits = Hits::of_names(&trace, &layout, |name| trace.name(name) == "gc").run();
/// assert_eq!(hits.len(), 10);
/// assert_eq!(hits.next(&layout, SliceId(7)), Some(SliceId(107)));
///
/// // The whole trace in two columns: a rectangle stands for many slices, and says how many of them match.
/// let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
/// let viewport = Viewport::new(Tick(0)..Tick(1000), 2);
/// let mut rects = Vec::new();
/// layout.rects(&viewport, vertical.lines(), &mut rects);
/// assert!(rects.len() <= 2);
/// assert_eq!(rects.iter().map(|rect| hits.in_rect(rect)).sum::<Option<u32>>(), Some(10));
/// ```
#[doc(alias("search", "find", "filter"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// A bit for each slice of each row, in the order of the row; `None` for a row without hits.
    rows: Vec<Option<Box<BitVector>>>,
    n_set: u32,
}

impl Hits {
    /// Finds the slices whose name `matches`. This calls `matches` once for each name of the trace that slices have.
    pub fn of_names(
        trace: &impl TraceView,
        layout: &impl LayoutView,
        mut matches: impl FnMut(NameId) -> bool,
    ) -> impl Job<Output = Self> {
        let mut known: Vec<Option<bool>> = alloc::vec![None; trace.names().len()];
        Self::of_slices(layout, move |slice| {
            let Some(name) = trace.slice_name_id(slice) else { return false };
            match known.get_mut(name.index()) {
                Some(known) => *known.get_or_insert_with(|| matches(name)),
                None => matches(name),
            }
        })
    }

    /// Finds the slices for which `matches` returns true. This calls it once for each slice.
    pub fn of_slices(
        layout: &impl LayoutView,
        matches: impl FnMut(SliceId) -> bool,
    ) -> impl Job<Output = Self> {
        Search { layout, matches, hits: Self::default(), row: RowId(0), position: 0 }
    }

    /// Looks at the slices that the last update of a live layout has placed, moved or ended, and at no others. The hits must be
    /// those of the layout before the update.
    pub fn grow(&mut self, layout: &LiveView<'_>, mut matches: impl FnMut(SliceId) -> bool) {
        self.rows.resize_with(layout.n_rows() as usize, || None);
        for (row, n_kept) in layout.changed_rows() {
            let slices = layout.row(row).map_or(&[][..], |row| row.slices());
            let Some(bits) = self.rows.get_mut(row.index()) else { continue };
            if let Some(mut found) = bits.take() {
                self.n_set -= found.n_set();
                found.truncate(n_kept);
                self.n_set += found.n_set();
                *bits = Some(found).filter(|found| found.n_set() > 0);
            }
            for (position, &slice) in slices.iter().enumerate().skip(n_kept) {
                if matches(slice) {
                    bits.get_or_insert_default().set(position);
                    self.n_set += 1;
                }
            }
        }
    }

    /// Returns the number of slices that match.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.n_set
    }

    /// Returns whether no slice matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many of the slices that a rectangle stands for match. This takes O(1).
    ///
    /// Returns `None` for a rectangle on a line of packed tracks, whose slices are on several rows. [`Hits::has`] tells of
    /// a single slice whether it matches.
    #[must_use]
    pub fn in_rect(&self, rect: &Rect) -> Option<u32> {
        let Some(bits) = self.rows.get(rect.row.index())? else { return Some(0) };
        let first = rect.first as usize;
        Some(bits.rank(first + rect.count as usize) - bits.rank(first))
    }

    /// Returns how many slices of a row match. This takes O(1).
    #[must_use]
    pub fn in_row(&self, row: RowId) -> u32 {
        self.bits(row).map_or(0, BitVector::n_set)
    }

    /// Returns the match that follows `slice` in the order of time: by start, then from top to bottom, on all tracks.
    ///
    /// Returns `None` if no match follows, or if `slice` is on no row. This takes O(log n) for each row.
    #[must_use]
    pub fn next(&self, layout: &impl LayoutView, slice: SliceId) -> Option<SliceId> {
        let place = layout.place(slice)?;
        self.first(layout, |row| n_before(row, &place) + usize::from(row.row == place.row))
    }

    /// Returns the match that precedes `slice` in the order of [`Hits::next`].
    ///
    /// Returns `None` if no match precedes, or if `slice` is on no row. This takes O(log n) for each row.
    #[must_use]
    pub fn previous(&self, layout: &impl LayoutView, slice: SliceId) -> Option<SliceId> {
        let place = layout.place(slice)?;
        self.last(layout, |row| n_before(row, &place))
    }

    /// Returns the first match that starts at the time `at` or later, in the order of [`Hits::next`], or `None` if there
    /// is none. This takes O(log n) for each row.
    #[must_use]
    pub fn first_from(&self, layout: &impl LayoutView, at: Tick) -> Option<SliceId> {
        self.first(layout, |row| row.starts.partition_point(|&start| start < at))
    }

    /// Returns the last match that starts before the time `at`, in the order of [`Hits::next`], or `None` if there is
    /// none. This takes O(log n) for each row.
    #[must_use]
    pub fn last_before(&self, layout: &impl LayoutView, at: Tick) -> Option<SliceId> {
        self.last(layout, |row| row.starts.partition_point(|&start| start < at))
    }

    /// Returns how many matches precede `slice` in the order of [`Hits::next`]: its position among the matches, if it is
    /// one of them.
    ///
    /// Returns 0 if `slice` is on no row. This takes O(log n) for each row.
    #[must_use]
    pub fn rank(&self, layout: &impl LayoutView, slice: SliceId) -> u32 {
        let Some(place) = layout.place(slice) else { return 0 };
        let in_row = |(row, bits): (RowView<'_>, &BitVector)| bits.rank(n_before(&row, &place));
        self.rows_of(layout).map(in_row).sum()
    }

    /// Returns how many matches start before the time `at`. This takes O(log n) for each row.
    #[must_use]
    pub fn n_before(&self, layout: &impl LayoutView, at: Tick) -> u32 {
        let in_row = |(row, bits): (RowView<'_>, &BitVector)| {
            bits.rank(row.starts.partition_point(|&start| start < at))
        };
        self.rows_of(layout).map(in_row).sum()
    }

    /// Returns whether a slice matches. It is false for a slice that is on no row.
    #[must_use]
    pub fn has(&self, layout: &impl LayoutView, slice: SliceId) -> bool {
        layout.place(slice).is_some_and(|place| {
            let position = place.position as usize;
            self.bits(place.row).is_some_and(|bits| bits.rank(position + 1) > bits.rank(position))
        })
    }

    /// Returns all matches, row by row.
    pub fn slices<'l>(&'l self, layout: &'l impl LayoutView) -> impl Iterator<Item = SliceId> + 'l {
        self.rows_of(layout).flat_map(|(row, bits)| {
            let ids = row.ids;
            (0..bits.n_set()).filter_map(move |hit| ids.get(bits.select(hit)?).copied())
        })
    }

    /// Returns the match that a viewer selects when the user asks for the next one.
    ///
    /// This is the match after `selected` if that slice touches the time `shown` in the window, and else the first one
    /// from the start of the window on. After the last match it is the first one. Returns `None` if there is no match.
    #[must_use]
    pub fn step_forward(
        &self,
        layout: &impl LayoutView,
        selected: Option<SliceId>,
        shown: Range<Tick>,
    ) -> Option<SliceId> {
        let found = match selected.filter(|&slice| touches(layout, slice, &shown)) {
            Some(slice) => self.next(layout, slice),
            None => self.first_from(layout, shown.start),
        };
        found.or_else(|| self.first_from(layout, Tick::MIN))
    }

    /// Returns the match that a viewer selects when the user asks for the previous one: as [`Hits::step_forward`], from
    /// `selected` or from the end of the window towards earlier times, and after the first match the last one.
    #[must_use]
    pub fn step_back(
        &self,
        layout: &impl LayoutView,
        selected: Option<SliceId>,
        shown: Range<Tick>,
    ) -> Option<SliceId> {
        let found = match selected.filter(|&slice| touches(layout, slice, &shown)) {
            Some(slice) => self.previous(layout, slice),
            None => self.last_before(layout, shown.end),
        };
        found.or_else(|| self.last(layout, |row| row.len()))
    }

    /// Returns the first match of those that have at least `skipped` slices before them on their row.
    fn first(&self, layout: &impl LayoutView, skipped: impl Fn(&RowView<'_>) -> usize) -> Option<SliceId> {
        let in_row = |(row, bits): (RowView<'_>, &BitVector)| {
            let hit = bits.select(bits.rank(skipped(&row)))?;
            Some((*row.starts.get(hit)?, *row.ids.get(hit)?))
        };
        // Of several with the same start this is the one on the first row.
        self.rows_of(layout).filter_map(in_row).min_by_key(|&(start, _)| start).map(|(_, hit)| hit)
    }

    /// Returns the last match of those that have fewer than `end` slices before them on their row.
    fn last(&self, layout: &impl LayoutView, end: impl Fn(&RowView<'_>) -> usize) -> Option<SliceId> {
        let in_row = |(row, bits): (RowView<'_>, &BitVector)| {
            let hit = bits.select(bits.rank(end(&row)).checked_sub(1)?)?;
            Some((*row.starts.get(hit)?, *row.ids.get(hit)?))
        };
        self.rows_of(layout).filter_map(in_row).max_by_key(|&(start, _)| start).map(|(_, hit)| hit)
    }

    /// Returns the bits of a row; `None` if it has no hit.
    fn bits(&self, row: RowId) -> Option<&BitVector> {
        self.rows.get(row.index())?.as_deref()
    }

    /// Iterates over the rows that have hits.
    fn rows_of<'l>(
        &'l self,
        layout: &'l impl LayoutView,
    ) -> impl Iterator<Item = (RowView<'l>, &'l BitVector)> {
        let with_bits = (0..).map(RowId).zip(&self.rows);
        with_bits.filter_map(|(row, bits)| Some((layout.row(row)?, bits.as_deref()?)))
    }
}

/// Returns how many slices of a row come before a slice, by start and then from top to bottom.
fn n_before(row: &RowView<'_>, slice: &PlacedSlice) -> usize {
    match row.row.cmp(&slice.row) {
        Ordering::Less => row.starts.partition_point(|&start| start <= slice.start),
        Ordering::Equal => slice.position as usize,
        Ordering::Greater => row.starts.partition_point(|&start| start < slice.start),
    }
}

/// Returns whether a slice is visible in a window that shows a range.
fn touches(layout: &impl LayoutView, slice: SliceId, shown: &Range<Tick>) -> bool {
    layout.place(slice).is_some_and(|place| place.start < shown.end && place.end >= shown.start)
}

/// The job of [`Hits::of_slices`].
struct Search<'l, L, F> {
    layout: &'l L,
    matches: F,
    hits: Hits,
    /// The row that is looked at, and how many of its slices were.
    row: RowId,
    position: usize,
}

impl<L: LayoutView, F: FnMut(SliceId) -> bool> Job for Search<'_, L, F> {
    type Output = Hits;

    /// Looks at no more than `work` slices and rows.
    fn step(&mut self, work: usize) -> Option<Hits> {
        let mut left = work;
        while self.row.0 < self.layout.n_rows() {
            if left == 0 {
                return None;
            }
            if self.hits.rows.len() == self.row.index() {
                left -= 1;
                self.hits.rows.push(None);
            }
            let slices = self.layout.row(self.row).map_or(&[][..], |row| row.slices());
            let rest = slices.get(self.position..).unwrap_or_default();
            let now = rest.get(..left).unwrap_or(rest);
            for (position, &slice) in (self.position..).zip(now) {
                if (self.matches)(slice)
                    && let Some(bits) = self.hits.rows.last_mut()
                {
                    bits.get_or_insert_default().set(position);
                    self.hits.n_set += 1;
                }
            }
            left -= now.len();
            if now.len() < rest.len() {
                self.position += now.len();
                return None;
            }
            (self.row, self.position) = (RowId(self.row.0 + 1), 0);
        }
        Some(mem::take(&mut self.hits))
    }
}

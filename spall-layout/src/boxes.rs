//! Slices gathered box by box, for viewports that need not tell narrow slices apart. [layout
//! 2.11](crate::rules::layout#2.11) [layout 3.6](crate::rules::layout#3.6)

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use spall_model::{SliceId, Tick};

use crate::cluster::{Cluster, Gather};
use crate::convert::{to_f32, to_f32_signed};
use crate::extent::SliceExtent;
use crate::gap::GapSize;
use crate::index::Node;
use crate::{RowView, Viewport};

/// What a viewport does not tell apart, for viewports whose boxes are wider than a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxSizes {
    /// The number of columns of a box.
    width: u32,
    /// The number of columns from the left edge of the box in which column 0 lies to column 0.
    before: u32,
    /// The largest number of ticks that is no longer than a box, and than a column. The former is at most 2⁶³ − 1.
    box_ticks: u64,
    column_ticks: u64,
    /// The largest number of ticks that is shorter than a column. A gap of so many ticks leaves no column untouched.
    gap_ticks: u64,
    /// A size that no gap of so many ticks reaches.
    gap_size: GapSize,
}

impl BoxSizes {
    /// Returns the sizes for a viewport, or `None` if it tells slices apart wherever there are columns for it.
    pub(crate) fn of(viewport: &Viewport) -> Option<Self> {
        let width = u32::from(viewport.box_width());
        let (column, tick) = (viewport.column_parts(), viewport.tick_parts());
        let gap_ticks = column.saturating_sub(1) / tick;
        (width > 1).then(|| Self {
            width,
            before: u32::try_from(viewport.first_column().rem_euclid(width.into())).unwrap_or(0),
            box_ticks: ticks(u128::from(column) * u128::from(width), tick).min(i64::MAX.cast_unsigned()),
            column_ticks: column / tick,
            gap_ticks,
            gap_size: GapSize::of(gap_ticks + 1),
        })
    }

    /// Returns the first column of the box in which a column lies, or 0 if that is left of column 0.
    #[inline(always)]
    pub(crate) fn box_start(&self, column: u32) -> u32 {
        column.saturating_sub((column + self.before) % self.width)
    }

    /// Returns whether a slice has a rectangle of its own, because it is longer than a box.
    #[inline(always)]
    pub(crate) fn is_wide(&self, slice: SliceExtent) -> bool {
        slice.duration() > self.box_ticks
    }

    /// Returns the cluster of one slice as one that contests columns by its duration if it is longer than a box, and leaves
    /// them to others if not.
    #[inline(always)]
    fn contesting(&self, mut cluster: Cluster) -> Cluster {
        let duration = cluster.owner().duration();
        let overlap = if duration > self.box_ticks { duration } else { 0 };
        (cluster.first_overlap, cluster.last_overlap) = (overlap, overlap);
        cluster
    }

    /// Returns whether the slices of a node need not be told apart: they are no longer than a box together, and they leave
    /// no column between them untouched.
    #[inline(always)]
    fn has(&self, node: &Node) -> bool {
        let most = if node.gap() < self.gap_size { self.box_ticks } else { self.column_ticks };
        node.last.wrapping_sub(node.first).cast_unsigned() <= most
    }
}

/// Returns the number of ticks that are no longer than some parts of a column, where a tick has `tick` parts.
#[inline(always)]
fn ticks(parts: u128, tick: u64) -> u64 {
    // A division of 128 bits takes several times as long.
    match u64::try_from(parts) {
        Ok(parts) => parts / tick,
        Err(_) => u64::try_from(parts / u128::from(tick)).unwrap_or(u64::MAX),
    }
}

/// Consecutive slices that begin in one box and leave no column between them untouched, while they are gathered into one
/// cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxRun {
    sizes: BoxSizes,
    /// The next slices belong to the run if they begin before this time, which is in the next box or at its edge. The least
    /// time keeps everything out.
    before: i64,
    /// The start of the first slice, its column, and the part of the column before it.
    start: i64,
    column: u32,
    part: u64,
    /// The end of the last slice, and whether that slice has no duration.
    end: i64,
    ends_in_point: bool,
    /// The position of the first slice in the row.
    first: u32,
    /// The number of slices.
    count: u32,
    /// The longest slice, the first one of several, and its duration.
    longest: SliceExtent,
    most: u64,
    /// The number of ticks inside slices.
    busy: f32,
}

impl BoxRun {
    /// Makes a run that no slice belongs to.
    pub(crate) fn new(sizes: BoxSizes) -> Self {
        Self {
            sizes,
            before: i64::MIN,
            start: 0,
            column: 0,
            part: 0,
            end: 0,
            ends_in_point: false,
            first: 0,
            count: 0,
            longest: SliceExtent { start: 0, end: 0, id: SliceId(0) },
            most: 0,
            busy: 0.0,
        }
    }

    /// Returns whether slices from `start` on belong to the run, if they need not be told apart themselves.
    #[inline(always)]
    fn reaches(&self, start: i64) -> bool {
        (start < self.before) & (start.wrapping_sub(self.end).cast_unsigned() <= self.sizes.gap_ticks)
    }

    /// Begins the run with slices from `start` on, which lie inside the viewport and of which `longest` is the longest.
    #[inline(always)]
    fn begin(&mut self, viewport: &Viewport, start: i64, longest: SliceExtent, first: u32) {
        let from = viewport.position(start);
        let BoxSizes { width, before, .. } = self.sizes;
        let columns = width - (from.column + before) % width;
        let parts = u128::from(viewport.column_parts()) * u128::from(columns) - u128::from(from.part);
        // Rounded up: the first tick at or behind the right edge of the box.
        let to_edge = ticks(parts + u128::from(viewport.tick_parts() - 1), viewport.tick_parts());
        *self = Self {
            sizes: self.sizes,
            before: start.saturating_add_unsigned(to_edge),
            start,
            column: from.column,
            part: from.part,
            end: start,
            ends_in_point: false,
            first,
            count: 0,
            longest,
            most: longest.duration(),
            busy: 0.0,
        };
    }

    /// Adds slices as long as they belong to the run. Returns how many did.
    #[inline(always)]
    fn take_reached(&mut self, viewport: &Viewport, row: &RowView<'_>, slices: Range<u32>) -> u32 {
        let range = slices.start as usize..slices.end as usize;
        let starts = row.starts.get(range.clone()).unwrap_or_default();
        let ends = row.ends.get(range).unwrap_or_default();
        // All sums are of whole numbers, and only the position of the longest slice is kept: this loop has to be short.
        let (mut to, mut count, mut busy, mut most, mut longest) = (self.end, 0, 0_u64, self.most, None);
        for (&Tick(start), &Tick(end)) in starts.iter().zip(ends) {
            let duration = end.wrapping_sub(start).cast_unsigned();
            let gap = start.wrapping_sub(to).cast_unsigned();
            let is_reached = (start < self.before)
                & (gap <= self.sizes.gap_ticks)
                & (duration <= self.sizes.box_ticks)
                & viewport.ends_before_edge(end);
            if !is_reached {
                break;
            }
            if duration > most {
                (most, longest) = (duration, Some(count));
            }
            (to, self.ends_in_point) = (end, duration == 0);
            busy += duration;
            count += 1;
        }
        if let Some(slice) = longest.and_then(|at: u32| row.slice((slices.start + at) as usize)) {
            (self.longest, self.most) = (slice, most);
        }
        self.end = to;
        self.count += count;
        self.busy += to_f32(busy);
        count
    }

    /// Adds a slice that does not belong to the run so far.
    #[inline(always)]
    fn take_unreached(
        &mut self,
        viewport: &Viewport,
        slice: SliceExtent,
        at: u32,
        clusters: &mut Vec<Cluster>,
    ) {
        let SliceExtent { start, end, .. } = slice;
        self.flush(viewport, clusters);
        if self.sizes.is_wide(slice) | !viewport.holds(start, end) {
            let (cluster, _) = Cluster::slice(viewport, slice, at);
            clusters.push(self.sizes.contesting(cluster));
            self.before = i64::MIN;
        } else {
            self.begin(viewport, start, slice, at);
            (self.end, self.ends_in_point) = (end, start == end);
            self.count = 1;
            self.busy = to_f32(slice.duration());
        }
    }
}

impl Gather for BoxRun {
    #[inline(always)]
    fn extends_to(&self, viewport: &Viewport, node: &Node) -> bool {
        self.sizes.has(node) & viewport.holds(node.first, node.last) && self.reaches(node.first)
    }

    #[inline(always)]
    fn add_node(&mut self, node: &Node, (_, count): (u32, u32)) {
        let longest = node.longest();
        // Which of several nodes has the longest slice cannot be predicted, so this selects without a branch.
        let is_longest = longest.duration() > self.most;
        self.longest = select_unpredictable(is_longest, longest, self.longest);
        self.most = select_unpredictable(is_longest, longest.duration(), self.most);
        (self.end, self.ends_in_point) = (node.last, node.ends_in_point());
        self.count += count;
        self.busy += to_f32_signed(node.last.wrapping_sub(node.first)) * node.density();
    }

    #[inline(always)]
    fn begin_with(
        &mut self,
        viewport: &Viewport,
        node: &Node,
        slices: (u32, u32),
        clusters: &mut Vec<Cluster>,
    ) -> bool {
        if !(self.sizes.has(node) & viewport.holds(node.first, node.last)) {
            return false;
        }
        self.flush(viewport, clusters);
        self.begin(viewport, node.first, node.longest(), slices.0);
        self.add_node(node, slices);
        true
    }

    #[inline(always)]
    fn take_slices(
        &mut self,
        viewport: &Viewport,
        row: &RowView<'_>,
        slices: Range<u32>,
        clusters: &mut Vec<Cluster>,
    ) {
        let mut at = slices.start;
        while at < slices.end {
            at += self.take_reached(viewport, row, at..slices.end);
            if let Some(slice) = row.slice(at as usize).filter(|_| at < slices.end) {
                self.take_unreached(viewport, slice, at, clusters);
                at += 1;
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, viewport: &Viewport, clusters: &mut Vec<Cluster>) {
        if self.count == 0 {
            return;
        }
        let to = viewport.position(self.end);
        let last = if self.ends_in_point { to.column } else { to.last_touched() };
        let (busy, column) = (viewport.parts_f32(self.busy), viewport.column_parts());
        let (busy, busy_between) = if self.column == last {
            ((busy, 0.0), 0.0)
        } else {
            // The first and the last column get a part of the time in proportion to the run's extent in each.
            let extent = viewport.parts_f32(to_f32(self.end.wrapping_sub(self.start).cast_unsigned()));
            let density = busy / extent;
            let in_last = if to.column == last { to.part } else { column };
            let ends = (to_f32(column - self.part) * density, to_f32(in_last) * density);
            let between = to_f32(column) * to_f32(u64::from(last - self.column - 1).max(1));
            (ends, (busy - ends.0 - ends.1).max(0.0) / between)
        };
        let slices = (self.first, self.count);
        clusters.push(Cluster::gathered((self.column, last), slices, self.longest, busy, busy_between));
        self.count = 0;
    }
}

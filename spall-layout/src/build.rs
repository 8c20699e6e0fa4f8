//! Makes a layout from a trace.
//!
//! Each track is read twice. The first pass decides on which lane and at which depth each slice is, and counts the
//! slices of each row. The second pass copies the slices to their rows, which by then have their final places and
//! sizes: nothing is sorted, and no row has memory of its own. The indices are made last, when all rows are there.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::{vec, vec::Vec};
use core::ops::Range;

use spall_model::nest::{Nesting, OpenPairs, ParentNesting};
use spall_model::{SliceId, Slices, Tick, Trace, TraceView, Track, TrackId, TrackKind, index32};

use crate::Layout;
use crate::index::{append, n_nodes};
use crate::layout::{Lane, RowOffsets};

impl Layout {
    /// Lays out `trace`: finds the lane, the depth and the row of every slice, and indexes the rows.
    ///
    /// This takes O(n) for n slices that nest, and O(n log n) at worst.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        LayoutBuilder::new(trace).build::<false>(|_| true)
    }

    /// Lays out the slices of `trace` that `is_shown` returns `true` for, as if the trace had no others.
    ///
    /// The slices that are left out have no row. So no picture, self time, statistics or call tree of this layout
    /// contains them, and the slices inside them move up. [layout 4.9](crate::rules::layout#4.9)
    ///
    /// ```
    /// use spall_layout::{Layout, LayoutView};
    /// use spall_model::{SliceId, Ticks};
    /// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for (name, start, duration) in [("frame", 0, 100), ("lock", 10, 60), ("draw", 20, 40)] {
    /// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
    /// #     builder.push(&Event::Complete(event, Ticks(duration)));
    /// # }
    /// # let trace = builder.finish(); // frame 0..100, lock 10..70 inside it, draw 20..60 inside that
    /// let lock = trace.names().find(b"lock");
    /// let is_shown = |slice| trace.slice_name_id(slice) != lock;
    /// let layout = Layout::of_slices(&trace, is_shown);
    /// let [frame, lock, draw] = [SliceId(0), SliceId(1), SliceId(2)];
    /// assert_eq!(layout.parent(draw), Some(frame));
    /// assert_eq!(layout.self_time(frame), Some(Ticks(60)));
    /// assert_eq!(layout.place(lock), None);
    /// ```
    #[must_use]
    #[doc(alias("filter", "hide"))]
    pub fn of_slices(trace: &Trace, is_shown: impl FnMut(SliceId) -> bool) -> Self {
        LayoutBuilder::new(trace).build::<true>(is_shown)
    }
}

/// A layout in the making, with working memory for one track at a time.
struct LayoutBuilder<'t> {
    trace: &'t Trace,
    slices: &'t Slices,
    tracks: &'t [Track],
    nesting: Nesting,
    /// The layout, without the slices of its rows.
    layout: Layout,
    columns: Columns,
    track_rows: TrackRows,
    /// The row of each slice of the track, as [`TrackRows::add`] numbers it, or [`NO_ROW`].
    provisional_rows: Vec<u32>,
    /// The slices of the track that are drawn to another end than they have in the trace, with that end, in order.
    drawn_ends: Vec<(u32, Tick)>,
    /// The depths of the spans of an async track, and those of pairs without what is left out.
    open_pairs: OpenPairs,
    /// The walk over the slices of a track whose spans say their parents.
    by_parent: ParentNesting,
    /// For each row of the track, the position in the arrays of its next slice.
    cursors: Vec<u32>,
}

/// The slices of all rows, which become [`Layout::starts`], [`Layout::ends`] and [`Layout::ids`].
///
/// They are plain numbers here, because a list of those can be allocated as zeros, which costs nothing before a part of
/// it is filled.
struct Columns {
    starts: Vec<i64>,
    ends: Vec<i64>,
    ids: Vec<u32>,
}

/// The rows of the current track while its slices are counted.
///
/// Their final numbers, by lane and then by depth, are known only when all of them have turned up. Until then a row of
/// lane 0 has its depth as its number, and another row [`OTHER`] plus its position in `others`.
#[derive(Default)]
struct TrackRows {
    /// The number of slices of each row of lane 0, by depth. Later the final number of each row.
    lane_0: Vec<u32>,
    /// The number of slices of each row of the lanes 1…, in the order in which the rows turned up. Later their final
    /// numbers.
    others: Vec<u32>,
    /// The positions in `others` of the rows of each of the lanes 1…, by depth.
    lanes: Vec<Vec<u32>>,
}

/// Stands for the provisional row of a slice that is on no row.
const NO_ROW: u32 = u32::MAX;
/// The first provisional number of the rows of lanes 1…. The depths of lane 0, which number its rows, stay below it.
const OTHER: u32 = 1 << 31;

impl<'t> LayoutBuilder<'t> {
    fn new(trace: &'t Trace) -> Self {
        let n_slices = trace.slices().len();
        Self {
            trace,
            slices: trace.slices(),
            tracks: trace.tracks(),
            nesting: Nesting::default(),
            layout: Layout::default(),
            columns: Columns { starts: vec![0; n_slices], ends: vec![0; n_slices], ids: vec![0; n_slices] },
            track_rows: TrackRows::default(),
            provisional_rows: Vec::new(),
            drawn_ends: Vec::new(),
            open_pairs: OpenPairs::default(),
            by_parent: ParentNesting::default(),
            cursors: Vec::new(),
        }
    }

    /// Lays out all slices, or if `SOME` those that are shown.
    fn build<const SOME: bool>(mut self, mut is_shown: impl FnMut(SliceId) -> bool) -> Layout {
        let mut n_placed = 0;
        self.layout.parents = match SOME {
            true => self.trace.span_parents().of_shown(self.trace, &mut is_shown),
            false => self.trace.span_parents().clone(),
        };
        for (track_id, track) in (0..).map(TrackId).zip(self.tracks) {
            self.layout.first_rows.push(index32(self.layout.rows.len()));
            if track.slices().is_empty() {
                continue;
            }
            self.provisional_rows.reserve(track.slices().len());
            let is_async = matches!(track.kind, TrackKind::Async { .. });
            let are_shown = if is_async && self.trace.nests_by_parent(track_id) {
                self.place_by_parent(track.slices().indices(), &mut is_shown)
            } else if is_async {
                self.place_by_depth(track.slices().indices(), &mut is_shown)
            } else {
                self.place_by_nesting::<SOME>(track.slices().indices(), &mut is_shown)
            };
            let is_plain = are_shown && self.track_rows.others.is_empty() && self.drawn_ends.is_empty();
            let first_row = self.layout.rows.len();
            n_placed = self.add_rows(track_id, n_placed);
            self.fill_rows(track.slices().indices(), first_row, is_plain);
        }
        finish(self.layout, self.columns, n_placed)
    }

    // The loops over slices are functions of their own, because together they have more values than there are registers:
    // inlined into `build`, a layout takes up to 9 % more instructions.

    /// Finds the rows of a track's slices by their nesting, and returns whether all have one. [layout
    /// 4.2](crate::rules::layout#4.2)
    // Without the attributes in this file, the job `layout of calls` takes 13 % more instructions.
    #[inline(never)]
    fn place_by_nesting<const SOME: bool>(
        &mut self,
        range: Range<usize>,
        is_shown: &mut impl FnMut(SliceId) -> bool,
    ) -> bool {
        self.nesting.clear();
        self.open_pairs.clear();
        let Self { nesting, layout, track_rows, provisional_rows, drawn_ends, open_pairs, .. } = self;
        let (starts, ends) = (&self.slices.starts()[range.clone()], &self.slices.ends()[range.clone()]);
        let flags = &self.slices.flags()[range.clone()];
        let slices = starts.iter().zip(ends).zip(flags).zip(index32(range.start)..);
        let (mut n_overlapping, mut are_shown) = (0, true);
        // As one list, because its length is known: a push for each slice would check for room.
        provisional_rows.extend(slices.map(|(((&start, &end), &flags), id)| {
            if !is_shown(SliceId(id)) {
                are_shown = false;
                open_pairs.leave_out(start, end, flags);
                return NO_ROW;
            }
            let flags = if SOME { open_pairs.keep(start, end, flags) } else { flags };
            let placement = nesting.place(id, start, end, flags);
            n_overlapping += u64::from(placement.overlaps);
            if placement.end != end {
                drawn_ends.push((id, placement.end));
            }
            track_rows.add(placement.lane, placement.depth)
        }));
        layout.n_overlapping += n_overlapping;
        are_shown
    }

    /// Finds the rows of an async track's slices by the spans that are open when each begins, and returns whether all have
    /// one. [layout 4.5](crate::rules::layout#4.5)
    #[inline(never)]
    fn place_by_depth(&mut self, range: Range<usize>, is_shown: &mut impl FnMut(SliceId) -> bool) -> bool {
        let (starts, ends, flags) = (self.slices.starts(), self.slices.ends(), self.slices.flags());
        self.open_pairs.clear();
        let mut are_shown = true;
        for index in range {
            let stays = is_shown(SliceId(index32(index)));
            let depth = self.open_pairs.next(starts[index], ends[index], flags[index].open_depth(), stays);
            self.provisional_rows.push(if stays { self.track_rows.add(0, depth) } else { NO_ROW });
            are_shown &= stays;
        }
        are_shown
    }

    /// Finds the rows of an async track's slices by the parents that spans say they have, and returns whether all have one.
    /// [layout 4.5](crate::rules::layout#4.5)
    #[inline(never)]
    fn place_by_parent(&mut self, range: Range<usize>, is_shown: &mut impl FnMut(SliceId) -> bool) -> bool {
        let (starts, ends) = (self.slices.starts(), self.slices.ends());
        self.by_parent.begin(&self.layout.parents, index32(range.start)..index32(range.end));
        let mut are_shown = true;
        for index in range {
            let slice = SliceId(index32(index));
            let row = if is_shown(slice) {
                let place = self.by_parent.place(slice, starts[index], ends[index]);
                self.track_rows.add(place.lane, place.depth)
            } else {
                are_shown = false;
                NO_ROW
            };
            self.provisional_rows.push(row);
        }
        are_shown
    }

    /// Adds the rows of the current track. Takes and returns the number of slices of the layout that have a row so far.
    fn add_rows(&mut self, track: TrackId, mut n_placed: u32) -> u32 {
        let Layout { rows, lanes, .. } = &mut self.layout;
        // The number of slices is not needed any more, so the final number of the row replaces it.
        let mut add_row = |counter: &mut u32| {
            rows.push(RowOffsets { slices: n_placed, nodes: 0 });
            n_placed += core::mem::replace(counter, index32(rows.len() - 1));
        };
        if let Some(first_row) = self.track_rows.lane_0.first_mut() {
            add_row(first_row);
            lanes.push(Lane { first_row: *first_row, track, lane: 0 });
            self.track_rows.lane_0.iter_mut().skip(1).for_each(&mut add_row);
        }
        for (lane, number) in self.track_rows.lanes.iter().zip(1..) {
            for &other in lane {
                add_row(&mut self.track_rows.others[other as usize]);
            }
            if let Some(&first) = lane.first() {
                lanes.push(Lane { first_row: self.track_rows.others[first as usize], track, lane: number });
            }
        }
        n_placed
    }

    /// Copies the slices of the current track to their rows.
    ///
    /// A track lists its slices by start, and each row keeps that order, so no row has to be sorted.
    fn fill_rows(&mut self, range: Range<usize>, first_row: usize, is_plain: bool) {
        self.cursors.clear();
        self.cursors.extend(self.layout.rows[first_row..].iter().map(|row| row.slices));
        let rows = index32(first_row)..index32(self.layout.rows.len());
        let first_slice = index32(range.start);
        if is_plain {
            self.fill_plain(range);
        } else {
            self.fill_any(range, first_row);
        }
        self.layout.row_numbers.add_track(first_slice, &self.provisional_rows, rows, is_plain);
        self.drawn_ends.clear();
        self.track_rows.clear();
        self.provisional_rows.clear();
    }

    /// Copies slices that are all on lane 0 and drawn to their own ends. Their rows follow one another by depth.
    #[inline(never)]
    fn fill_plain(&mut self, range: Range<usize>) {
        let Self { columns, cursors, provisional_rows, .. } = self;
        let (starts, ends) = (&self.slices.starts()[range.clone()], &self.slices.ends()[range.clone()]);
        let slices = starts.iter().zip(ends).zip(index32(range.start)..);
        for (&depth, ((start, end), id)) in provisional_rows.iter().zip(slices) {
            let cursor = &mut cursors[depth as usize];
            let at = *cursor as usize;
            *cursor += 1;
            columns.starts[at] = start.0;
            columns.ends[at] = end.0;
            columns.ids[at] = id;
        }
    }

    /// Copies the slices of any track. Makes the provisional rows final: they count from the track's first row, and those
    /// of slices without a row are behind the last one.
    #[inline(never)]
    fn fill_any(&mut self, range: Range<usize>, first_row: usize) {
        let mut drawn_ends = self.drawn_ends.iter().peekable();
        for (index, row) in range.zip(&mut self.provisional_rows) {
            let id = index32(index);
            *row = match *row {
                NO_ROW => {
                    *row = index32(self.cursors.len());
                    continue;
                }
                other if other >= OTHER => {
                    self.track_rows.others[(other - OTHER) as usize] - index32(first_row)
                }
                depth => depth,
            };
            // Both lists are in the order of the slices.
            let end = match drawn_ends.next_if(|(slice, _)| *slice == id) {
                Some(&(_, end)) => end,
                None => self.slices.ends()[index],
            };
            let cursor = &mut self.cursors[*row as usize];
            let at = *cursor as usize;
            *cursor += 1;
            self.columns.starts[at] = self.slices.starts()[index].0;
            self.columns.ends[at] = end.0;
            self.columns.ids[at] = id;
        }
    }
}

/// Puts the slices into the rows of all tracks, of which `n_placed` have one, and makes the indices.
fn finish(mut layout: Layout, mut columns: Columns, n_placed: u32) -> Layout {
    layout.first_rows.push(index32(layout.rows.len()));
    columns.starts.truncate(n_placed as usize);
    columns.ends.truncate(n_placed as usize);
    columns.ids.truncate(n_placed as usize);
    // The memory stays where it is.
    layout.starts = columns.starts.into_iter().map(Tick).collect();
    layout.ends = columns.ends.into_iter().map(Tick).collect();
    layout.ids = columns.ids.into_iter().map(SliceId).collect();
    // The entry behind the last row, which bounds it.
    layout.rows.push(RowOffsets { slices: n_placed, nodes: 0 });
    let n_slices = |rows: &[RowOffsets]| (rows[1].slices - rows[0].slices) as usize;
    // Reserved exactly, because a layout lives as long as its trace and never grows.
    layout.nodes.reserve_exact(layout.rows.windows(2).map(|rows| n_nodes(n_slices(rows))).sum());
    for row in 1..layout.rows.len() {
        let range = layout.rows[row - 1].slices as usize..layout.rows[row].slices as usize;
        let (starts, ends) = (&layout.starts[range.clone()], &layout.ends[range.clone()]);
        append(starts, ends, &layout.ids[range], &mut layout.nodes);
        layout.rows[row].nodes = index32(layout.nodes.len());
    }
    layout.rows.shrink_to_fit();
    layout.lanes.shrink_to_fit();
    layout.first_rows.shrink_to_fit();
    layout.row_numbers.shrink();
    layout
}

impl TrackRows {
    /// Prepares for the next track.
    fn clear(&mut self) {
        self.lane_0.clear();
        self.others.clear();
        self.lanes.clear();
    }

    /// Counts a slice. Returns the provisional number of its row.
    // Inlined: "program: layout" takes 9 % more instructions with the calls.
    #[inline(always)]
    fn add(&mut self, lane: u32, depth: u32) -> u32 {
        if lane > 0 {
            return OTHER + self.add_other(lane, depth);
        }
        if self.lane_0.len() <= depth as usize {
            self.lane_0.resize(depth as usize + 1, 0);
        }
        self.lane_0[depth as usize] += 1;
        depth
    }

    /// Counts a slice of one of the lanes 1…. Returns the position of its row in `others`.
    ///
    /// This is marked as cold because few traces have such slices, and the call must not slow down the others.
    #[cold]
    fn add_other(&mut self, lane: u32, depth: u32) -> u32 {
        let lanes = self.lanes.len().max(lane as usize);
        self.lanes.resize_with(lanes, Vec::new);
        let rows = &mut self.lanes[lane as usize - 1];
        match rows.get(depth as usize) {
            Some(&other) => {
                self.others[other as usize] += 1;
                other
            }
            // The nesting reaches a depth of a lane only after every lesser depth, so the row is the next one.
            None => {
                let other = index32(self.others.len());
                rows.push(other);
                self.others.push(1);
                other
            }
        }
    }
}

//! Makes a layout: the nesting walk says where each slice goes, then the slices are dealt out to their rows.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::nest::{Nesting, Place};
use spall_model::{SliceId, Slices, Tick, Trace, Track, TrackId, TrackKind};

use crate::convert::to_u32;
use crate::index::{append, n_nodes};
use crate::layout::{Lane, Row};
use crate::row_numbers::{RowNumbers, Rows};
use crate::{Layout, Options};

pub(crate) struct Builder<'t> {
    slices: &'t Slices,
    tracks: &'t [Track],
    nesting: Nesting,
    layout: Layout,
    shapes: Shapes,
    /// What to know the row of each slice of the track by.
    shape_of: Vec<u32>,
    /// Slices that are not drawn to the end that the trace has, in order.
    drawn_ends: Vec<(u32, Tick)>,
    /// Where the latest span of each depth ends.
    open_ends: Vec<Tick>,
    /// For each row of the track where its next slice goes.
    cursors: Vec<u32>,
}

/// The rows of the track that is being walked, numbered as they turn up.
#[derive(Default)]
struct Shapes {
    /// The number of slices of each row of lane 0.
    lane_0: Vec<u32>,
    /// The number of slices of each row of the lanes 1….
    others: Vec<u32>,
    /// For each of the lanes 1…, the positions of its rows in `others`, by depth.
    lanes: Vec<Vec<u32>>,
}

/// The shape of slices without a place.
const NO_ROW: u32 = u32::MAX;
/// Marks a row of [`Shapes::others`] while a track is walked.
const OTHER: u32 = 1 << 31;

impl<'t> Builder<'t> {
    pub(crate) fn new(trace: &'t Trace<'_>, options: &Options) -> Self {
        let slices = trace.slices();
        let n_slices = slices.len();
        let layout = Layout {
            starts: alloc::vec![Tick::default(); n_slices],
            ends: alloc::vec![Tick::default(); n_slices],
            ids: alloc::vec![SliceId(0); n_slices],
            nodes: Vec::new(),
            rows: Vec::new(),
            lanes: Vec::new(),
            first_rows: Vec::with_capacity(trace.tracks().len() + 1),
            row_numbers: RowNumbers::default(),
            n_overlapping: 0,
            n_rejected: 0,
        };
        Self {
            slices,
            tracks: trace.tracks(),
            nesting: Nesting::new(options.overlap, options.overhang_tolerance),
            layout,
            shapes: Shapes::default(),
            shape_of: Vec::new(),
            drawn_ends: Vec::new(),
            open_ends: Vec::new(),
            cursors: Vec::new(),
        }
    }

    pub(crate) fn build(mut self) -> Layout {
        let mut placed = 0;
        for (index, track) in self.tracks.iter().enumerate() {
            let track_id = TrackId(to_u32(index));
            self.layout.first_rows.push(to_u32(self.layout.rows.len()));
            if track.slices().is_empty() {
                continue;
            }
            let n_rejected = self.layout.n_rejected;
            self.shape_of.reserve(track.slices().len());
            let is_async = matches!(track.kind, TrackKind::Async { .. });
            if is_async {
                self.take_depths(track.slices().indices())
            } else {
                self.nest(track.slices().indices())
            }
            let rows = match self.layout.n_rejected > n_rejected {
                true => Rows::WithRowless,
                false if is_async || !self.shapes.others.is_empty() => Rows::Any,
                false => Rows::Nested,
            };
            let first_row = self.layout.rows.len();
            placed = self.add_rows(track_id, placed);
            self.deal_out(track.slices().indices(), first_row, rows);
        }
        self.finish(placed)
    }

    fn finish(self, placed: u32) -> Layout {
        let mut layout = self.layout;
        layout.first_rows.push(to_u32(layout.rows.len()));
        layout.starts.truncate(placed as usize);
        layout.ends.truncate(placed as usize);
        layout.ids.truncate(placed as usize);
        layout.rows.push(Row { slices: placed, nodes: 0 });
        let n_slices = layout.rows.windows(2).map(|rows| (rows[1].slices - rows[0].slices) as usize);
        layout.nodes.reserve_exact(n_slices.map(n_nodes).sum());
        for row in 0..layout.rows.len() - 1 {
            let range = layout.rows[row].slices as usize..layout.rows[row + 1].slices as usize;
            layout.rows[row].nodes = to_u32(layout.nodes.len());
            let (starts, ends) = (&layout.starts[range.clone()], &layout.ends[range.clone()]);
            append(starts, ends, &layout.ids[range], &mut layout.nodes);
        }
        let n_nodes = to_u32(layout.nodes.len());
        if let Some(last) = layout.rows.last_mut() {
            last.nodes = n_nodes;
        }
        layout.rows.shrink_to_fit();
        layout.lanes.shrink_to_fit();
        layout.row_numbers.shrink();
        layout
    }

    /// Walks a track whose slices nest.
    fn nest(&mut self, range: Range<usize>) {
        self.nesting.clear();
        let (starts, ends, flags) = (self.slices.starts(), self.slices.ends(), self.slices.flags());
        for index in range {
            let id = to_u32(index);
            let place = self.nesting.place(id, starts[index], ends[index], flags[index]);
            let Some(Place { lane, depth, end, overlaps, .. }) = place else {
                self.layout.n_overlapping += 1;
                self.layout.n_rejected += 1;
                self.shape_of.push(NO_ROW);
                continue;
            };
            self.layout.n_overlapping += u64::from(overlaps);
            if end != ends[index] {
                self.drawn_ends.push((id, end));
            }
            self.shape_of.push(self.shapes.add(lane, depth));
        }
    }

    /// Walks an async track, whose slices say their depth. Slices of one depth follow one another, because a depth
    /// is taken until its span ends; one that does not is left out, so that rows are what they promise.
    fn take_depths(&mut self, range: Range<usize>) {
        let (starts, ends, flags) = (self.slices.starts(), self.slices.ends(), self.slices.flags());
        let deepest = range.len() - 1;
        self.open_ends.clear();
        for index in range {
            let depth = (flags[index].open_depth() as usize).min(deepest);
            if self.open_ends.len() <= depth {
                self.open_ends.resize(depth + 1, Tick::MIN);
            }
            if starts[index] < self.open_ends[depth] {
                self.layout.n_overlapping += 1;
                self.layout.n_rejected += 1;
                self.shape_of.push(NO_ROW);
                continue;
            }
            self.open_ends[depth] = ends[index];
            self.shape_of.push(self.shapes.add(0, to_u32(depth)));
        }
    }

    /// Makes the rows of the track just walked; returns how many slices have a place so far.
    fn add_rows(&mut self, track: TrackId, mut placed: u32) -> u32 {
        let Layout { rows, lanes, .. } = &mut self.layout;
        // Each counter of slices becomes the number of a row.
        let mut add_row = |counter: &mut u32| {
            rows.push(Row { slices: placed, nodes: 0 });
            placed += core::mem::replace(counter, to_u32(rows.len() - 1));
        };
        if let Some(first_row) = self.shapes.lane_0.first_mut() {
            add_row(first_row);
            lanes.push(Lane { first_row: *first_row, track, lane: 0 });
            self.shapes.lane_0.iter_mut().skip(1).for_each(&mut add_row);
        }
        for (lane, number) in self.shapes.lanes.iter().zip(1..) {
            for &other in lane {
                add_row(&mut self.shapes.others[other as usize]);
            }
            if let Some(&first) = lane.first() {
                lanes.push(Lane { first_row: self.shapes.others[first as usize], track, lane: number });
            }
        }
        placed
    }

    /// Puts the slices of the track just walked on their rows.
    fn deal_out(&mut self, range: Range<usize>, first_row: usize, rows: Rows) {
        self.cursors.clear();
        self.cursors.extend(self.layout.rows[first_row..].iter().map(|row| row.slices));
        let mut drawn_ends = self.drawn_ends.iter().peekable();
        let on = to_u32(first_row)..to_u32(self.layout.rows.len());
        self.layout.row_numbers.begin(to_u32(range.start)..to_u32(range.end), on, rows);
        for (index, &shape) in range.zip(&self.shape_of) {
            let id = to_u32(index);
            let row = match shape {
                NO_ROW => {
                    self.layout.row_numbers.push(None);
                    continue;
                }
                other if other >= OTHER => self.shapes.others[(other - OTHER) as usize],
                depth => self.shapes.lane_0[depth as usize],
            };
            let end = match drawn_ends.next_if(|(slice, _)| *slice == id) {
                Some(&(_, end)) => end,
                None => self.slices.ends()[index],
            };
            let cursor = &mut self.cursors[row as usize - first_row];
            let at = *cursor as usize;
            *cursor += 1;
            self.layout.row_numbers.push(Some(row));
            self.layout.starts[at] = self.slices.starts()[index];
            self.layout.ends[at] = end;
            self.layout.ids[at] = SliceId(id);
        }
        self.layout.row_numbers.end();
        self.drawn_ends.clear();
        self.shapes.clear();
        self.shape_of.clear();
    }
}

impl Shapes {
    fn clear(&mut self) {
        self.lane_0.clear();
        self.others.clear();
        self.lanes.clear();
    }

    /// Counts a slice; returns what to know its row by until the rows are made.
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
            None => {
                let other = to_u32(self.others.len());
                rows.push(other);
                self.others.push(1);
                other
            }
        }
    }
}

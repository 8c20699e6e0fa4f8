//! The merged timeline, in which a thread has the functions that samples found among its slices.
#![allow(clippy::indexing_slicing, reason = "slices are numbered by the trace")]

use alloc::vec::Vec;

use spall_model::{FrameId, NameId, Sampled, Slice, SliceFlags, SliceId, Tick, Trace, Track, TrackSlices};

use crate::walk::{Opened, Sink};

/// The slices and functions that a walk opens, in the order in which they begin.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    rows: Vec<OpenedSlice>,
    /// The positions of the open rows, the innermost last.
    open: Vec<usize>,
    /// The last row without duration that is kept: the number of rows around it, and its time.
    point: Option<(usize, Tick)>,
}

/// A slice of the file or a function, which a walk opened.
#[derive(Debug, Clone, Copy)]
struct OpenedSlice {
    what: Opened,
    start: Tick,
    end: Tick,
    /// The number of samples that found it innermost.
    hits: u32,
    kept: bool,
    /// Whether a slice without duration lies inside it exactly at its end.
    carries_at_end: bool,
}

impl Sink for Timeline {
    fn open(&mut self, what: Opened, at: Tick) {
        self.open.push(self.rows.len());
        self.rows.push(OpenedSlice { what, start: at, end: at, hits: 0, kept: true, carries_at_end: false });
    }

    fn close(&mut self, at: Tick, kept: bool) {
        if let Some(row) = self.open.pop() {
            let row = &mut self.rows[row];
            let around = self.open.len();
            row.end = at;
            row.kept = kept;
            // A point at the end would lie outside by its times alone, as intervals are half open. The flag keeps it
            // inside.
            row.carries_at_end = self.point == Some((around + 1, at));
            if kept && row.start == at {
                self.point = Some((around, at));
            }
        }
    }

    fn hit(&mut self, _: f64, _: Tick) {
        if let Some(&row) = self.open.last() {
            let hits = &mut self.rows[row].hits;
            *hits = hits.saturating_add(1);
        }
    }

    fn gap(&mut self, _: Tick) {}
}

impl Timeline {
    /// Writes the slices of a track and the functions that were found among them, in display order. Returns whether
    /// there was room for all.
    pub(super) fn write(&self, trace: &Trace, track: &Track, out: &mut TrackSlices<'_>) -> bool {
        // The loop goes over ids and looks at single columns, because every look at the next slice would move a whole
        // slice out of the iterator and back.
        let is_kept_function = |row: &&OpenedSlice| row.kept && matches!(row.what, Opened::Frame(_));
        let n_functions = self.rows.iter().filter(is_kept_function).count();
        // Growing step by step would copy the slices again and again: 3 % of the instructions of a merge.
        out.reserve(track.slices().len() + n_functions, n_functions);
        let mut old = track.slices().iter().peekable();
        let (starts, ends) = (trace.slices().starts(), trace.slices().ends());
        let mut is_complete = true;
        for row in self.rows.iter().filter(|row| row.kept) {
            match row.what {
                // Slices on overflow lanes are not in the walk. Those that come before this slice are written first.
                Opened::Slice(id) => {
                    while let Some(before) = old.next_if(|&before| before <= id) {
                        keep(trace, before, out);
                    }
                }
                Opened::Frame(frame) => {
                    let is_before = |id: SliceId| {
                        let (start, end) = (starts[id.index()], ends[id.index()]);
                        start < row.start || start == row.start && end > row.end
                    };
                    while let Some(before) = old.next_if(|&before| is_before(before)) {
                        keep(trace, before, out);
                    }
                    is_complete &= out.add(row.slice(trace, frame), Some(Sampled { frame, hits: row.hits }));
                }
            }
        }
        old.for_each(|id| keep(trace, id, out));
        is_complete
    }
}

impl OpenedSlice {
    /// Returns the slice of a function.
    fn slice(&self, trace: &Trace, frame: FrameId) -> Slice {
        let name = trace.frame(frame).map_or(NameId::EMPTY, |frame| frame.name);
        let flags = if self.carries_at_end { SliceFlags::CARRIES_AT_END } else { SliceFlags::NONE };
        let flags = flags.with(SliceFlags::SAMPLED);
        Slice { start: self.start, end: self.end, name, category: NameId::EMPTY, flags }
    }
}

/// Keeps a slice of the trace, unless an earlier merge inferred it.
pub(super) fn keep(trace: &Trace, id: SliceId, out: &mut TrackSlices<'_>) {
    if trace.slices().flags().get(id.index()).is_some_and(|flags| !flags.contains(SliceFlags::SAMPLED)) {
        out.keep(id);
    }
}

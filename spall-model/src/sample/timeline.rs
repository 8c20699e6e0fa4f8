//! The merged timeline: a trace whose threads also hold the functions that samples found.
#![allow(clippy::indexing_slicing, reason = "slices are numbered by the trace")]

use alloc::vec::Vec;

use crate::{FrameId, NameId, Sampled, Slice, SliceFlags, SliceId, Slices, Tick, Trace, args_table::ArgsId};

use super::walk::{Opened, Sink};

/// Gathers what a walk opens.
#[derive(Debug, Default)]
pub(super) struct RowSink {
    rows: Vec<Row>,
    open: Vec<usize>,
    /// The latest slice without length: how many are open around it, and when.
    point: Option<(usize, Tick)>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    what: Opened,
    start: Tick,
    end: Tick,
    hits: u32,
    kept: bool,
    /// A slice without length lies on it where it ends.
    carries_at_end: bool,
}

impl Sink for RowSink {
    fn open(&mut self, what: Opened, at: Tick) {
        self.open.push(self.rows.len());
        self.rows.push(Row { what, start: at, end: at, hits: 0, kept: true, carries_at_end: false });
    }

    fn close(&mut self, at: Tick, kept: bool) {
        if let Some(row) = self.open.pop() {
            let row = &mut self.rows[row];
            let around = self.open.len();
            row.end = at;
            row.kept = kept;
            row.carries_at_end = self.point == Some((around + 1, at));
            if kept && row.start == at {
                self.point = Some((around, at));
            }
        }
    }

    fn hit(&mut self) {
        if let Some(&row) = self.open.last() {
            let hits = &mut self.rows[row].hits;
            *hits = hits.saturating_add(1);
        }
    }
}

/// Slices in their new order.
#[derive(Debug)]
pub(super) struct Timeline {
    slices: Slices,
    sampled: Vec<(SliceId, Sampled)>,
    /// The new number of each slice of the trace.
    new_ids: Vec<SliceId>,
}

impl Timeline {
    pub(super) fn new(trace: &Trace<'_>) -> Self {
        let new_ids = alloc::vec![SliceId(u32::MAX); trace.slices.len()];
        Self { slices: Slices::default(), sampled: Vec::new(), new_ids }
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.slices.len()).unwrap_or(u32::MAX)
    }

    /// Takes over a slice of the trace, unless it was inferred earlier.
    pub(super) fn keep(&mut self, trace: &Trace<'_>, id: SliceId) {
        let Some(slice) = trace.slices.get(id) else { return };
        if !slice.flags.contains(SliceFlags::SAMPLED) {
            self.new_ids[id.index()] = SliceId(self.len());
            self.slices.push(slice, trace.slices.args[id.index()]);
        }
    }

    /// Adds what was found on a track whose slices are `old`. How many slices more than `max` there would be.
    pub(super) fn add(
        &mut self,
        trace: &Trace<'_>,
        old: core::ops::Range<u32>,
        rows: &RowSink,
        max: u32,
    ) -> u64 {
        let mut old = old.map(SliceId).peekable();
        let mut left_out = 0;
        for row in rows.rows.iter().filter(|row| row.kept) {
            match row.what {
                // Slices on overflow lanes take no part, but come before this one.
                Opened::Slice(id) => {
                    while let Some(before) = old.next_if(|&before| before <= id) {
                        self.keep(trace, before);
                    }
                }
                Opened::Frame(frame) => {
                    let is_before = |id: SliceId| {
                        let (start, end) = (trace.slices.start[id.index()], trace.slices.end[id.index()]);
                        start < row.start || start == row.start && end > row.end
                    };
                    while let Some(before) = old.next_if(|&before| is_before(before)) {
                        self.keep(trace, before);
                    }
                    if self.len() >= max {
                        left_out += 1;
                        continue;
                    }
                    self.push_frame(trace, frame, row);
                }
            }
        }
        for rest in old {
            self.keep(trace, rest);
        }
        left_out
    }

    fn push_frame(&mut self, trace: &Trace<'_>, frame: FrameId, row: &Row) {
        let name = trace.frame(frame).map_or(NameId::EMPTY, |frame| frame.name);
        let flags = if row.carries_at_end { SliceFlags::CARRIES_AT_END } else { SliceFlags::NONE };
        let slice = Slice {
            start: row.start,
            end: row.end,
            name,
            category: NameId::EMPTY,
            flags: flags.with(SliceFlags::SAMPLED),
        };
        self.sampled.push((SliceId(self.len()), Sampled { frame, hits: row.hits }));
        self.slices.push(slice, ArgsId::NONE);
    }

    /// Puts the slices into the trace.
    pub(super) fn replace(self, trace: &mut Trace<'_>) {
        let new_ids = self.new_ids;
        for flow in &mut trace.flows {
            flow.from = new_ids[flow.from.index()];
            flow.to = new_ids[flow.to.index()];
        }
        trace.slices = self.slices;
        trace.sampled = self.sampled;
    }
}

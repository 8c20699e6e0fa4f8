//! Objects: their lifetimes, on lines by type, in pieces from snapshot to snapshot.
#![allow(clippy::indexing_slicing, reason = "objects, lines and pieces are numbered by this module")]

use core::ops::Range;

use spall_trace::layout::Row;
use spall_trace::model::{NameId, ProcessId, SliceId, Tick, Trace, TraceView};

use crate::packing::Packing;

/// Objects of a type that live at one time on more lines than this are not drawn, but counted.
const MOST: usize = 16;

/// The objects of a trace.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    types: Vec<Type>,
    /// The position of the object of each piece, and that of its snapshot. The lines have the numbers of pieces.
    pieces: Vec<(usize, Option<usize>)>,
}

/// The objects of one type in one process.
#[derive(Debug)]
pub(crate) struct Type {
    process: ProcessId,
    pub(crate) name: NameId,
    pub(crate) lines: Vec<Row>,
    pub(crate) n_left_out: usize,
}

impl Objects {
    pub(crate) fn new(trace: &Trace) -> Self {
        let objects = trace.objects();
        let times = |at: usize| {
            let snapshots = trace.snapshots_of(&objects[at]);
            let start = objects[at].start.or_else(|| snapshots.first().map(|first| first.at));
            let end = objects[at].end.or_else(|| trace.bounds().map(|bounds| bounds.end));
            start.zip(end).map_or(Tick::MIN..Tick::MIN, |(start, end)| start..end.max(start))
        };
        let mut order: Vec<usize> = (0..objects.len()).collect();
        order.sort_unstable_by_key(|&at| (objects[at].process, objects[at].name, times(at).start, at));
        let mut new = Self::default();
        for same in order
            .chunk_by(|&a, &b| (objects[a].process, objects[a].name) == (objects[b].process, objects[b].name))
        {
            let (mut lines, mut packing, mut n_left_out) = (Vec::new(), Packing::default(), 0);
            for &at in same {
                let life = times(at);
                let Some(line) = packing.place(&life, MOST) else {
                    n_left_out += 1;
                    continue;
                };
                if line == lines.len() {
                    lines.push(Row::new());
                }
                new.add_pieces(trace, at, &life, &mut lines[line]);
            }
            let first = &objects[same[0]];
            new.types.push(Type { process: first.process, name: first.name, lines, n_left_out });
        }
        new
    }

    fn add_pieces(&mut self, trace: &Trace, object: usize, life: &Range<Tick>, line: &mut Row) {
        let snapshots = trace.objects()[object].snapshots().map(|at| (trace.snapshots()[at].at, Some(at)));
        let mut parts: Vec<_> = core::iter::once((life.start, None)).chain(snapshots).collect();
        parts.dedup_by(|next, before| {
            let is_same = next.0 <= before.0;
            if is_same {
                before.1 = next.1;
            }
            is_same
        });
        for (at, &(start, snapshot)) in parts.iter().enumerate() {
            let end = parts.get(at + 1).map_or(life.end, |next| next.0);
            line.push(start, end.max(start), SliceId(u32::try_from(self.pieces.len()).unwrap_or(u32::MAX)));
            self.pieces.push((object, snapshot));
        }
    }

    /// The types of a process.
    pub(crate) fn of(&self, process: ProcessId) -> impl Iterator<Item = &Type> {
        self.types.iter().filter(move |found| found.process == process)
    }

    /// The number of lines of a process.
    pub(crate) fn n_lines(&self, process: ProcessId) -> u32 {
        let n_lines: usize = self.of(process).map(|found| found.lines.len()).sum();
        u32::try_from(n_lines).unwrap_or(u32::MAX)
    }

    /// The object of a piece, and its snapshot.
    pub(crate) fn piece(&self, id: u32) -> Option<(usize, Option<usize>)> {
        self.pieces.get(id as usize).copied()
    }
}

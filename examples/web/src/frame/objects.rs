//! Objects: their lifetimes, on lines by type below the header of their process, in pieces from snapshot to snapshot.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use js_sys::Array;
use spall_trace::layout::{Line, Row, RowId, Viewport};
use spall_trace::model::{NameId, ProcessId, SliceId, Tick, Trace, TraceView};
use wasm_bindgen::prelude::JsValue;

use super::{Boxes, HIT, Pictures, STATE, UPPER_BITS, send};
use crate::{Viewer, arrangement::PROCESS, object};

/// The height of a line in pixels.
const LINE: u32 = 14;
/// Objects of a type that live at one time on more lines than this are not drawn, but counted.
const MOST: usize = 16;

/// The objects of a trace.
#[derive(Default)]
pub struct Objects {
    types: Vec<Type>,
    /// The position of the object of each piece, and that of its snapshot. The lines have the numbers of pieces.
    pieces: Vec<(usize, Option<usize>)>,
}

/// The objects of one type in one process.
struct Type {
    process: ProcessId,
    name: NameId,
    lines: Vec<Row>,
    n_left_out: usize,
}

impl Objects {
    pub fn new(trace: &Trace) -> Self {
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
            let (mut lines, mut ends, mut n_left_out) = (Vec::new(), BinaryHeap::new(), 0);
            for &at in same {
                let life = times(at);
                // The line that is free first.
                let free = ends
                    .peek()
                    .filter(|Reverse((end, _))| *end <= life.start)
                    .map(|Reverse((_, line))| *line);
                let line = match free {
                    Some(line) => line,
                    None if lines.len() == MOST => {
                        n_left_out += 1;
                        continue;
                    }
                    None => {
                        lines.push(Row::new());
                        lines.len() - 1
                    }
                };
                if free.is_some() {
                    _ = ends.pop();
                }
                new.add_pieces(trace, at, &life, &mut lines[line]);
                ends.push(Reverse((life.end, line)));
            }
            let first = &objects[same[0]];
            new.types.push(Type { process: first.process, name: first.name, lines, n_left_out });
        }
        new
    }

    fn add_pieces(&mut self, trace: &Trace, object: usize, life: &Range<Tick>, line: &mut Row) {
        let snapshots = trace.objects()[object].snapshots().map(|at| (trace.snapshots()[at].at, Some(at)));
        let mut parts: Vec<_> = std::iter::once((life.start, None)).chain(snapshots).collect();
        parts.dedup_by(|next, before| {
            let is_same = next.0 <= before.0;
            if is_same {
                before.1 = next.1;
            }
            is_same
        });
        for (at, &(start, snapshot)) in parts.iter().enumerate() {
            let end = parts.get(at + 1).map_or(life.end, |next| next.0);
            line.push(start, end.max(start), SliceId(self.pieces.len() as u32));
            self.pieces.push((object, snapshot));
        }
    }

    fn of(&self, process: ProcessId) -> impl Iterator<Item = &Type> {
        self.types.iter().filter(move |found| found.process == process)
    }

    /// How high the lines of a process are together.
    pub fn height(&self, process: ProcessId) -> u32 {
        self.of(process).map(|found| found.lines.len() as u32 * LINE).sum()
    }

    /// The object of a piece, and its snapshot.
    pub fn piece(&self, id: u32) -> Option<(usize, Option<usize>)> {
        self.pieces.get(id as usize).copied()
    }
}

impl Viewer {
    /// The objects of a process below its header, and the names of their types.
    pub fn objects(
        &mut self,
        process: ProcessId,
        header: &Line,
        viewport: &Viewport,
        names: &Array,
        boxes: &mut Boxes,
        labels: &Array,
    ) {
        let Self { trace, objects, pictures, search, .. } = self;
        let Pictures { line_rects, shades, is_sent, .. } = pictures;
        let mut top = header.top + u64::from(PROCESS);
        for Type { name, lines, n_left_out, .. } in objects.of(process) {
            send(trace, is_sent, *name, names);
            let more = if *n_left_out > 0 { format!(" ({n_left_out} more)") } else { String::new() };
            let label = String::from(trace.name(*name)) + &more;
            let height = JsValue::from(lines.len() as u32 * LINE);
            labels.push(&object([("top", (top as f64).into()), ("height", height), ("label", label.into())]));
            for line in lines {
                line_rects.clear();
                line.view(RowId(0)).rects(viewport, line_rects);
                for rect in line_rects.iter() {
                    let hit = if search.is_name(*name) { HIT } else { 0 };
                    let style = u32::from(shades[name.index()]) | STATE | hit | 1 << UPPER_BITS;
                    boxes.push(rect, viewport, top, LINE, *name, style);
                }
                top += u64::from(LINE);
            }
        }
    }
}

//! What is drawn on headers: how busy the tracks are that it stands for, states, and instants.

use core::ops::Range;

use serde::Serialize;
use spall_trace::layout::{BusyRows, InstantMark, LayoutView, Line, Row, RowId, Viewport, instant_marks};
use spall_trace::model::{NameId, SliceId, TraceView, TrackId, TrackKind};

use super::{Boxes, Pictures, Style};
use crate::{Engine, Numbers, Since, item::Item, shown::Shown};

/// More rows than this are put together before they are looked at in each frame.
const MANY_ROWS: usize = 1000;

/// The rows that say how busy a header is.
#[derive(Debug)]
pub(super) enum StripRows {
    Rows(Vec<RowId>),
    Merged(BusyRows),
}

/// How busy the tracks of a header are.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Strip {
    /// The upper edge of the header.
    pub top: u64,
    /// Its height.
    pub height: u32,
    /// How far the left edge of the first column is from the left edge of the picture.
    pub offset: f32,
    /// For each column how many lanes are busy.
    pub busy: Numbers<f32>,
}

/// The instants of a track on its header.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Marks {
    /// The upper edge of the header.
    pub top: u64,
    /// How far down the instants reach, if that is further than their header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<u64>,
    /// How far the left edge of the first column is from the left edge of the picture.
    pub offset: f32,
    /// For each mark its column, the number of its first instant, how many instants there are, and 1 if it was found.
    pub numbers: Numbers<u32>,
}

impl<S: Shown> Engine<S> {
    /// How busy that is what a folded header stands for.
    pub(super) fn strip(&mut self, item: Item, line: &Line, viewport: &Viewport) -> Option<Strip> {
        let Self { shown, pictures, view, .. } = self;
        if let Item::Derived(track) = item {
            let busy = Numbers(view.derived.busy(track, viewport));
            return Some(Strip { top: line.top, height: line.height, offset: viewport.offset(), busy });
        }
        let (trace, layout) = (shown.trace(), shown.layout());
        let rows = pictures.strips.entry(item).or_insert_with(|| {
            let rows = layout.outermost_rows(view.items.tracks_of(&*trace, item));
            if rows.len() > MANY_ROWS {
                StripRows::Merged(BusyRows::new(&*layout, rows))
            } else {
                StripRows::Rows(rows)
            }
        });
        let mut busy = Vec::new();
        match rows {
            StripRows::Rows(rows) if rows.is_empty() => return None,
            StripRows::Rows(rows) => layout.busy_rows(rows.iter().copied(), viewport, &mut busy),
            StripRows::Merged(rows) => rows.busy(viewport, &mut busy),
        }
        Some(Strip { top: line.top, height: line.height, offset: viewport.offset(), busy: Numbers(busy) })
    }

    /// The states of a thread, along the lower edge of its header.
    pub(super) fn states(
        &mut self,
        track: TrackId,
        line: &Line,
        viewport: &Viewport,
        names: &mut Vec<(NameId, String)>,
        boxes: &mut Boxes,
    ) {
        let Self { shown, pictures, view, .. } = self;
        let trace = &*shown.trace();
        let (n_states, height) = (trace.states_of(track).len(), view.heights.states);
        if n_states == 0 {
            return;
        }
        let Pictures { states: rows, line_rects, .. } = pictures;
        line_rects.clear();
        let row = rows.entry(track).or_insert_with(|| StateRow::new(trace, track));
        row.0.view(RowId(0)).rects(viewport, line_rects);
        for rect in core::mem::take(line_rects) {
            let Some((_, state)) = trace.state(rect.state()) else { continue };
            pictures.send(trace, state.name, names);
            let style = Style::of_state(pictures.shade(state.name), false);
            let top = line.bottom().saturating_sub(u64::from(height));
            boxes.push(&rect, viewport, top, height, state.name, style);
        }
    }

    /// The instants of a track; `None` if none is in view.
    pub(super) fn marks(&mut self, track: TrackId, line: &Line, viewport: &Viewport) -> Option<Marks> {
        let Self { shown, pictures, filter, search, .. } = self;
        let trace = &*shown.trace();
        let instants = filter.instants_of(trace, track);
        let marks = &mut pictures.marks;
        marks.clear();
        instant_marks(instants, viewport, marks);
        if marks.is_empty() {
            return None;
        }
        let numbers = |mark: &InstantMark| {
            let number = filter.number(trace, track, mark.first).unwrap_or(u32::MAX);
            let is_found = search.is_instant(trace, number);
            [mark.column, number, mark.count, u32::from(is_found)]
        };
        let numbers = Numbers(marks.iter().flat_map(numbers).collect());
        Some(Marks { top: line.top, bottom: None, offset: viewport.offset(), numbers })
    }

    /// Returns for each column of a range how many threads are busy.
    #[must_use]
    pub fn overview(&self, start: Since, end: Since, columns: u16) -> Numbers<f32> {
        let viewport = Viewport::new(self.range(start, end), columns);
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        let is_thread = |track: &TrackId| {
            trace.track_info(*track).is_some_and(|track| !matches!(track.kind, TrackKind::Async { .. }))
        };
        let mut busy = Vec::new();
        let rows = layout.outermost_rows(trace.track_ids().filter(is_thread));
        layout.busy_rows(rows, &viewport, &mut busy);
        Numbers(busy)
    }
}

/// The states of a thread.
#[derive(Debug, Default)]
pub(super) struct StateRow(Row, usize);

impl StateRow {
    fn new(trace: &impl TraceView, track: TrackId) -> Self {
        let mut row = Self::default();
        row.push_all(trace, track);
        row
    }

    fn push_all(&mut self, trace: &impl TraceView, track: TrackId) {
        for (position, state) in trace.states_of(track).iter().enumerate().skip(self.1) {
            let Some(id) = trace.state_id(track, position) else { continue };
            self.0.push(state.start, state.end, SliceId(id.0));
            self.1 = position + 1;
        }
    }

    /// Adds the states of a thread of a trace that grows. Returns false if it has to be made again, because some came late.
    pub(super) fn grow(&mut self, trace: &impl TraceView, track: TrackId, new: Range<usize>) -> bool {
        let is_behind = new.start >= self.1;
        if is_behind {
            self.push_all(trace, track);
        }
        is_behind
    }
}

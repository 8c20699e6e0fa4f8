//! What is drawn on headers: how busy the tracks are that it stands for, states, and instants.

use serde::Serialize;
use spall_trace::layout::{BusyRows, InstantMark, LayoutView, Line, Row, RowId, Viewport, instant_marks};
use spall_trace::model::{NameId, TraceView, Track, TrackId, TrackKind};

use super::{Boxes, Pictures, Style};
use crate::{Engine, Numbers, Since, item::Item};

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
pub struct Marks {
    /// The upper edge of the header.
    pub top: u64,
    /// How far down the instants reach, if that is further than their header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<u64>,
    /// How far the left edge of the first column is from the left edge of the picture.
    pub offset: f32,
    /// For each mark its column, the number of its first instant, how many instants there are, and 1 if their name was found.
    pub numbers: Numbers<u32>,
}

impl Engine {
    /// How busy that is what a folded header stands for.
    pub(super) fn strip(&mut self, item: Item, line: &Line, viewport: &Viewport) -> Option<Strip> {
        let Self { trace, layout, pictures, view, .. } = self;
        let rows = pictures.strips.entry(item).or_insert_with(|| {
            let rows = layout.outermost_rows(view.items.tracks_of(&**trace, item));
            if rows.len() > MANY_ROWS {
                StripRows::Merged(BusyRows::new(&**layout, rows))
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
        let Self { trace, pictures, view, .. } = self;
        let Some(range) = trace.tracks().get(track.index()).map(Track::states) else { return };
        let (states, height) = (trace.states_of(track), view.heights.states);
        if states.is_empty() {
            return;
        }
        let Pictures { states: rows, line_rects, .. } = pictures;
        line_rects.clear();
        let row = rows.entry(track).or_insert_with(|| Row::of_states(states, range));
        row.view(RowId(0)).rects(viewport, line_rects);
        for rect in core::mem::take(line_rects) {
            let Some(state) = trace.states().get(rect.state().index()) else { continue };
            pictures.send(trace, state.name, names);
            let style = Style::of_state(pictures.shade(state.name), false);
            let top = line.bottom().saturating_sub(u64::from(height));
            boxes.push(&rect, viewport, top, height, state.name, style);
        }
    }

    /// The instants of a track; `None` if none is in view.
    pub(super) fn marks(&mut self, track: TrackId, line: &Line, viewport: &Viewport) -> Option<Marks> {
        let Self { trace, pictures, filter, search, .. } = self;
        let (instants, ids) = filter.instants_of(trace, trace.tracks().get(track.index())?);
        let marks = &mut pictures.marks;
        marks.clear();
        instant_marks(instants, viewport, marks);
        if marks.is_empty() {
            return None;
        }
        let numbers = |mark: &InstantMark| {
            let is_found =
                instants.get(mark.first as usize).is_some_and(|instant| search.is_name(instant.name));
            [mark.column, ids.at(mark.first), mark.count, u32::from(is_found)]
        };
        let numbers = Numbers(marks.iter().flat_map(numbers).collect());
        Some(Marks { top: line.top, bottom: None, offset: viewport.offset(), numbers })
    }

    /// Returns for each column of a range how many threads are busy.
    #[must_use]
    pub fn overview(&self, start: Since, end: Since, columns: u16) -> Numbers<f32> {
        let viewport = Viewport::new(self.range(start, end), columns);
        let is_thread = |track: &&Track| !matches!(track.kind, TrackKind::Async { .. });
        let threads = self.trace.tracks().iter().filter(is_thread).map(|track| track.id);
        let mut busy = Vec::new();
        self.layout.busy_rows(self.layout.outermost_rows(threads), &viewport, &mut busy);
        Numbers(busy)
    }
}

//! What is drawn on headers: how busy the tracks are that it stands for, states, and instants.

use js_sys::{Array, Float32Array, Uint32Array};
use spall_trace::layout::{InstantMark, LayoutView, Line, Row, RowId, Viewport, instant_marks};
use spall_trace::model::{TraceView, Track, TrackId, TrackKind};
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Boxes, Pictures, STATE, send};
use crate::{Viewer, object, tracks::Item};

/// The height of states in pixels.
const STATES: u32 = 7;

impl Viewer {
    /// How busy that is what a header stands for while there are no rows below it.
    pub fn strip(&mut self, item: Item, line: &Line, viewport: &Viewport, strips: &Array) {
        let tracks = self.arrangement.packs().tracks(self.trace, item);
        let rows = self.layout.outermost_rows(tracks);
        if rows.is_empty() {
            return;
        }
        let Pictures { busy, .. } = &mut self.pictures;
        self.layout.busy_rows(rows, viewport, busy);
        let strip = object([
            ("top", (line.top as f64).into()),
            ("height", line.height.into()),
            ("offset", viewport.offset().into()),
            ("busy", Float32Array::from(&busy[..]).into()),
        ]);
        strips.push(&strip);
    }

    /// The states of a thread, along the lower edge of its header.
    pub fn states(
        &mut self,
        track: TrackId,
        line: &Line,
        viewport: &Viewport,
        names: &Array,
        boxes: &mut Boxes,
    ) {
        let (trace, states) = (self.trace, self.trace.states_of(track));
        if states.is_empty() {
            return;
        }
        let Pictures { states: rows, line_rects, shades, is_sent, .. } = &mut self.pictures;
        let row = rows
            .entry(track)
            .or_insert_with(|| Row::of_states(states, trace.tracks()[track.index()].states()));
        line_rects.clear();
        row.view(RowId(0)).rects(viewport, line_rects);
        for rect in line_rects.iter() {
            let Some(state) = trace.states().get(rect.state().index()) else { continue };
            send(trace, is_sent, state.name, names);
            let style = u32::from(shades[state.name.index()]) | STATE;
            boxes.push(rect, viewport, line.bottom() - u64::from(STATES), STATES, state.name, style);
        }
    }

    /// The instants of a track: for each mark its column, the number of the instant, and how many there are.
    pub fn marks(&mut self, track: TrackId, line: &Line, viewport: &Viewport, list: &Array) {
        let range = self.filter.instants_of(&self.trace.tracks()[track.index()]);
        let instants = &self.filter.instants(self.trace)[range.clone()];
        let marks = &mut self.pictures.marks;
        marks.clear();
        instant_marks(instants, viewport, marks);
        if marks.is_empty() {
            return;
        }
        let numbers = |mark: &InstantMark| {
            let name = instants[mark.first as usize].name;
            let number = self.filter.number(range.start + mark.first as usize);
            [mark.column, number, mark.count, u32::from(self.search.is_name(name))]
        };
        let numbers: Vec<u32> = marks.iter().flat_map(numbers).collect();
        let marks = object([
            ("top", (line.top as f64).into()),
            ("offset", viewport.offset().into()),
            ("numbers", Uint32Array::from(&numbers[..]).into()),
        ]);
        list.push(&marks);
    }
}

/// How busy threads are, for the overview.
#[wasm_bindgen]
impl Viewer {
    /// Returns for each column how many threads are busy.
    pub fn overview(&mut self, start: f64, end: f64, columns: u16) -> Float32Array {
        let viewport = Viewport::new(self.range(start, end), columns);
        let is_thread = |track: &&Track| !matches!(track.kind, TrackKind::Async { .. });
        let rows =
            self.layout.outermost_rows(self.trace.tracks().iter().filter(is_thread).map(|track| track.id));
        let Pictures { busy, .. } = &mut self.pictures;
        self.layout.busy_rows(rows, &viewport, busy);
        Float32Array::from(&busy[..])
    }
}

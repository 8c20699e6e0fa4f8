//! What is shown from top to bottom: the order of the tracks, and which are folded, hidden and pinned.

use serde::{Deserialize, Serialize};
use spall_trace::layout::{Folds, Layout, Line, LineKind, PackId, Vertical, VerticalStyle};
use spall_trace::model::{ProcessId, SliceId, Trace, TraceView, Track, TrackId, TrackKind};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer,
    filter::Filter,
    frame::Objects,
    question,
    tracks::{Group, Item, Packs, has_tracks_below},
};

/// In pixels.
pub const PROCESS: u32 = 22;
const ROW: u32 = 18;
const FOLDED: u32 = 20;
const MARKS: u32 = FOLDED;
const COUNTER: u32 = 44;
const GAP: u32 = 5;

/// The lines of the whole timeline, and once more those of the pinned tracks, which stay in sight above it.
#[derive(Default)]
pub struct Arrangement {
    packs: Packs,
    /// The height that the header of each track has while the track is open. 0 if nothing is shown on it.
    headers: Vec<u32>,
    /// How high the lines of the objects of each process are.
    objects: Vec<u32>,
    /// Whether tracks are shown with nothing on them.
    shows_empty: bool,
    folds: Folds,
    is_hidden: Vec<bool>,
    /// The tracks that stay in sight, from top to bottom.
    pinned_tracks: Vec<TrackId>,
    /// From top to bottom; `None` for the order of the trace.
    order: Option<Vec<TrackId>>,
    pub main: Vertical,
    pub pinned: Vertical,
    /// The lines of the main part whose instants are about a whole process or the whole trace, and how far down that is.
    pub wide: Vec<(Line, TrackId, u64)>,
}

/// The lines of an arrangement, as the page lists them.
#[derive(Serialize)]
struct Lines {
    height: f64,
    headers: Vec<Header>,
}

/// A header, and how far the lines below it reach.
#[derive(Serialize)]
struct Header {
    item: Item,
    top: f64,
    height: u32,
    bottom: f64,
}

/// What the user has chosen.
#[derive(Deserialize)]
struct Choice {
    folded: Vec<Item>,
    hidden: Vec<Item>,
    pinned: Vec<Item>,
    /// Whether tracks are shown with nothing on them.
    empty: bool,
    /// All tracks and packs from top to bottom, if that is not the order of the trace.
    order: Option<Vec<Item>>,
}

impl Arrangement {
    pub fn new(trace: &Trace, layout: &Layout, objects: &Objects) -> Self {
        let mut new = Self {
            packs: Packs::new(trace, layout),
            objects: trace.processes().iter().map(|process| objects.height(process.id)).collect(),
            is_hidden: vec![false; trace.tracks().len()],
            ..Self::default()
        };
        new.lay_out(trace, layout, &Filter::default());
        new
    }

    /// Stacks what is shown of a trace. A track of which nothing is shown is like one that has nothing.
    pub fn lay_out(&mut self, trace: &Trace, layout: &Layout, filter: &Filter) {
        self.packs.lay_out(layout);
        let header = |track: &Track| {
            let has_instants = !filter.instants_of(track).is_empty();
            let has_rows = !layout.track_rows(track.id).is_empty();
            let (has_counters, has_states) = (!track.counters().is_empty(), !track.states().is_empty());
            match () {
                () if has_counters => COUNTER,
                () if has_instants || has_states => MARKS,
                () if has_rows => GAP,
                () if has_tracks_below(trace, track) => FOLDED,
                () => 0,
            }
        };
        self.headers = trace.tracks().iter().map(header).collect();
        self.stack(trace, layout);
    }

    pub fn groups(&self, trace: &Trace, layout: &Layout) -> Vec<Group> {
        self.packs.groups(trace, layout)
    }

    pub fn packs(&self) -> &Packs {
        &self.packs
    }

    pub fn part(&self, is_pinned: bool) -> &Vertical {
        if is_pinned { &self.pinned } else { &self.main }
    }

    pub fn n_empty(&self) -> u64 {
        (self.headers.len() - self.packs.n_shown()) as u64
    }

    fn stack(&mut self, trace: &Trace, layout: &Layout) {
        let is_shown = |track: &TrackId| {
            (self.shows_empty || self.headers[track.index()] > 0) && !self.is_hidden[track.index()]
        };
        let in_order = self.order.clone().unwrap_or_else(|| trace.track_ids().collect());
        let mut shown = [in_order, self.pinned_tracks.clone()];
        shown.iter_mut().for_each(|tracks| tracks.retain(is_shown));
        let height = |line| self.height(line);
        let style = VerticalStyle {
            height: Some(&height),
            folds: Some(&self.folds),
            tracks: Some(&shown[0]),
            packs: &self.packs.lines,
            ..VerticalStyle::FLAT
        };
        let main = Vertical::new(trace, layout, &style);
        let height = |line| if matches!(line, LineKind::Process(_)) { 0 } else { self.height(line) };
        let style = VerticalStyle { height: Some(&height), tracks: Some(&shown[1]), ..style };
        let pinned = Vertical::new(trace, layout, &style);
        (self.wide, self.pinned, self.main) = (wide(trace, &main), pinned, main);
    }

    fn height(&self, line: LineKind) -> u32 {
        let folded = if self.folds.is_folded(line) { FOLDED } else { 0 };
        let open = |track: &TrackId| match self.headers[track.index()] {
            0 => FOLDED,
            height => height,
        };
        match line {
            LineKind::Process(_) if folded > 0 => PROCESS,
            LineKind::Process(process) => PROCESS + self.objects[process.index()],
            LineKind::Track(track) => open(&track).max(folded),
            LineKind::Pack(_) if folded > 0 => folded,
            LineKind::Pack(pack) => {
                self.packs.lines[pack.index()].tracks().iter().map(open).max().unwrap_or(GAP)
            }
            _ => ROW,
        }
    }

    /// Which tracks these items stand for.
    pub fn marked(&self, trace: &Trace, items: &[Item]) -> Vec<bool> {
        let mut is_marked = vec![false; trace.tracks().len()];
        for track in items.iter().flat_map(|&item| self.packs.tracks(trace, item)) {
            is_marked[track.index()] = true;
        }
        is_marked
    }

    /// The line of a slice in the whole timeline; a header if its row is folded away, `None` if its track is hidden.
    pub fn line_of(&self, layout: &Layout, slice: SliceId) -> Option<&Line> {
        self.main.line_of_slice(layout, slice)
    }
}

#[wasm_bindgen]
impl Viewer {
    /// Folds, hides and pins these items and no others, in this order. Returns where everything is.
    pub fn arrange(&mut self, choice: JsValue) -> Result<JsValue, JsValue> {
        let choice: Choice = question(choice)?;
        let marked = |items: &[Item]| self.arrangement.marked(self.trace, items);
        let in_order = |items: Vec<Item>| {
            items.into_iter().flat_map(|item| self.arrangement.packs.tracks(self.trace, item)).collect()
        };
        let order: Option<Vec<TrackId>> = choice.order.map(in_order);
        let (is_hidden, is_pinned) = (marked(&choice.hidden), marked(&choice.pinned));
        let all = || self.trace.track_ids().collect();
        let mut pinned = order.clone().unwrap_or_else(all);
        pinned.retain(|track| is_pinned[track.index()]);
        let arrangement = &mut self.arrangement;
        (arrangement.is_hidden, arrangement.pinned_tracks, arrangement.order) = (is_hidden, pinned, order);
        arrangement.shows_empty = choice.empty;
        arrangement.folds = Folds::new();
        for item in choice.folded {
            arrangement.folds.toggle(match item {
                Item::Process(process) => LineKind::Process(ProcessId(process)),
                Item::Track(track) => LineKind::Track(TrackId(track)),
                Item::Pack(pack) => LineKind::Pack(PackId(pack)),
            });
        }
        arrangement.stack(self.trace, &self.layout);
        Ok(answer(&(lines(&arrangement.main), lines(&arrangement.pinned))))
    }
}

fn wide(trace: &Trace, vertical: &Vertical) -> Vec<(Line, TrackId, u64)> {
    let lines = vertical.lines();
    let next_process = |line: &Line| {
        let is_process = |next: &&Line| matches!(next.kind, LineKind::Process(_));
        lines[line.id.index()..].iter().find(is_process).map_or(vertical.height(), |next| next.top)
    };
    let of_line = |line: &Line| {
        let LineKind::Track(track) = line.kind else { return None };
        let bottom = match trace.tracks()[track.index()].kind {
            TrackKind::Global => vertical.height(),
            TrackKind::Process => next_process(line),
            _ => return None,
        };
        Some((*line, track, bottom))
    };
    lines.iter().filter_map(of_line).collect()
}

fn lines(vertical: &Vertical) -> Lines {
    let mut headers: Vec<Header> = Vec::new();
    for line in vertical.lines() {
        if let Some(item) = Item::of_header(line.kind) {
            headers.push(Header { item, top: line.top as f64, height: line.height, bottom: 0.0 });
        }
        if let Some(header) = headers.last_mut() {
            header.bottom = line.bottom() as f64;
        }
    }
    Lines { height: vertical.height() as f64, headers }
}

//! What is shown from top to bottom: the order of the tracks, and which are folded, hidden and pinned.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{Folds, Layout, Line, LineKind, PackId, Vertical, VerticalStyle};
use spall_trace::model::{ProcessId, Trace, TraceView, Track, TrackId, TrackKind};

use crate::{
    Engine,
    filter::Filter,
    item::{Group, Item, Items},
    objects::Objects,
};

/// How high lines are, in the unit of a frontend: pixels, or lines of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heights {
    /// The header of a process.
    pub process: u32,
    /// A row of slices.
    pub row: u32,
    /// The header of what is folded.
    pub folded: u32,
    /// The header of a track that has instants or states.
    pub marks: u32,
    /// The header of a counter.
    pub counter: u32,
    /// The header of a track that has slices alone.
    pub gap: u32,
    /// A line of objects.
    pub object: u32,
    /// The states of a thread, along the lower edge of a header.
    pub states: u32,
}

impl Heights {
    /// Those of a page, in pixels. The names of tracks stand beside their lines.
    pub const PAGE: Self =
        Self { process: 22, row: 18, folded: 20, marks: 20, counter: 44, gap: 5, object: 14, states: 7 };
}

/// The lines of the whole timeline, and once more those of the pinned tracks, which stay in sight above it.
#[derive(Debug)]
pub(crate) struct Arrangement {
    pub(crate) heights: Heights,
    pub(crate) items: Items,
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
    pub(crate) main: Vertical,
    pub(crate) pinned: Vertical,
    /// The lines of the main part whose instants are about a whole process or the whole trace.
    pub(crate) wide: Vec<Wide>,
}

/// A line whose instants are as high as what they are about, and how far down that is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) line: Line,
    pub(crate) track: TrackId,
    pub(crate) bottom: u64,
}

/// The lines of a part of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lines {
    /// How high they are together.
    pub height: u64,
    /// The headers, from top to bottom.
    pub headers: Vec<Header>,
}

/// A header, and how far the lines below it reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Header {
    /// What it is the header of.
    pub item: Item,
    /// Its upper edge.
    pub top: u64,
    /// Its height.
    pub height: u32,
    /// The lower edge of the last line before the next header.
    pub bottom: u64,
}

/// What the user has chosen.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Choice {
    /// What shows its header alone.
    pub folded: Vec<Item>,
    /// What is not shown.
    pub hidden: Vec<Item>,
    /// What stays in sight.
    pub pinned: Vec<Item>,
    /// Whether tracks are shown with nothing on them.
    pub empty: bool,
    /// All tracks and packs from top to bottom, if that is not the order of the trace.
    pub order: Option<Vec<Item>>,
}

impl Arrangement {
    pub(crate) fn new(trace: &Trace, layout: &Layout, objects: &Objects, heights: Heights) -> Self {
        let lines = |process: ProcessId| objects.n_lines(process) * heights.object;
        let mut new = Self {
            heights,
            items: Items::new(trace, layout),
            headers: Vec::new(),
            objects: trace.processes().iter().map(|process| lines(process.id)).collect(),
            shows_empty: false,
            folds: Folds::new(),
            is_hidden: vec![false; trace.tracks().len()],
            pinned_tracks: Vec::new(),
            order: None,
            main: Vertical::default(),
            pinned: Vertical::default(),
            wide: Vec::new(),
        };
        new.folds.fold_tall(new.items.packs());
        new.lay_out(trace, layout, &Filter::default());
        new
    }

    /// Stacks what is shown of a trace. A track of which nothing is shown is like one that has nothing.
    pub(crate) fn lay_out(&mut self, trace: &Trace, layout: &Layout, filter: &Filter) {
        self.items.lay_out(layout);
        let header = |track: &Track| {
            let has_instants = !filter.instants_of(trace, track).0.is_empty();
            let has_rows = !layout.track_rows(track.id).is_empty();
            let (has_counters, has_states) = (!track.counters().is_empty(), !track.states().is_empty());
            match () {
                () if has_counters => self.heights.counter,
                () if has_instants || has_states => self.heights.marks,
                () if has_rows => self.heights.gap,
                () if has_tracks_below(trace, track) => self.heights.folded,
                () => 0,
            }
        };
        self.headers = trace.tracks().iter().map(header).collect();
        self.stack(trace, layout);
    }

    /// The pinned part, or the main one.
    pub(crate) fn part(&self, is_pinned: bool) -> &Vertical {
        if is_pinned { &self.pinned } else { &self.main }
    }

    /// What is folded.
    pub(crate) fn folded(&self) -> Vec<Item> {
        let packs = (0..self.items.packs().len()).map(|pack| Item::Pack(PackId::new(pack)));
        packs.filter(|item| self.folds.is_folded(item.header())).collect()
    }

    /// The number of tracks with nothing on them.
    pub(crate) fn n_empty(&self) -> u64 {
        (self.headers.len() - self.items.n_shown()) as u64
    }

    fn stack(&mut self, trace: &Trace, layout: &Layout) {
        let header = |track: &TrackId| self.headers.get(track.index()).copied().unwrap_or(0);
        let is_hidden = |track: &TrackId| self.is_hidden.get(track.index()) == Some(&true);
        let is_shown = |track: &TrackId| (self.shows_empty || header(track) > 0) && !is_hidden(track);
        let mut shown = self.order.clone().unwrap_or_else(|| trace.track_ids().collect());
        let mut pinned = self.pinned_tracks.clone();
        shown.retain(is_shown);
        pinned.retain(is_shown);
        let height = |line| self.height(line);
        let style = VerticalStyle {
            height: Some(&height),
            folds: Some(&self.folds),
            tracks: Some(&shown),
            packs: self.items.packs(),
            ..VerticalStyle::FLAT
        };
        let main = Vertical::new(trace, layout, &style);
        let height = |line| if matches!(line, LineKind::Process(_)) { 0 } else { self.height(line) };
        let style = VerticalStyle { height: Some(&height), tracks: Some(&pinned), ..style };
        let pinned = Vertical::new(trace, layout, &style);
        (self.wide, self.pinned, self.main) = (wide(trace, &main), pinned, main);
    }

    fn height(&self, line: LineKind) -> u32 {
        let Heights { process: header, row, folded: is_folded, gap, .. } = self.heights;
        let folded = if self.folds.is_folded(line) { is_folded } else { 0 };
        let open = |track: &TrackId| match self.headers.get(track.index()) {
            None | Some(0) => is_folded,
            Some(&height) => height,
        };
        match line {
            LineKind::Process(_) if folded > 0 => header,
            LineKind::Process(process) => header + self.objects.get(process.index()).copied().unwrap_or(0),
            LineKind::Track(track) => open(&track).max(folded),
            LineKind::Pack(_) if folded > 0 => folded,
            LineKind::Pack(pack) => {
                let tracks = self.items.pack(pack).map_or(&[][..], |pack| pack.tracks());
                tracks.iter().map(open).max().unwrap_or(gap)
            }
            _ => row,
        }
    }
}

impl Engine {
    /// Lists the processes and the tracks of each, in the order of the trace.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        self.arrangement.items.groups(&self.trace, &*self.layout)
    }

    /// Folds, hides and pins these items and no others, in this order. Returns where everything is: the main part, and the
    /// pinned one.
    pub fn arrange(&mut self, choice: &Choice) -> (Lines, Lines) {
        let Self { trace, layout, arrangement, .. } = self;
        let items = &arrangement.items;
        let in_order =
            |all: &Vec<Item>| all.iter().flat_map(|&item| items.tracks_of(trace, item)).collect::<Vec<_>>();
        let order = choice.order.as_ref().map(in_order);
        let is_hidden = items.marked(trace, &choice.hidden);
        let is_pinned = items.marked(trace, &choice.pinned);
        let mut pinned = order.clone().unwrap_or_else(|| trace.track_ids().collect());
        pinned.retain(|track| is_pinned.get(track.index()) == Some(&true));
        (arrangement.is_hidden, arrangement.pinned_tracks, arrangement.order) = (is_hidden, pinned, order);
        arrangement.shows_empty = choice.empty;
        arrangement.folds = Folds::new();
        for item in &choice.folded {
            arrangement.folds.toggle(item.header());
        }
        arrangement.stack(trace, layout);
        self.lines()
    }

    /// Returns where everything is: the main part, and the pinned one.
    #[must_use]
    pub fn lines(&self) -> (Lines, Lines) {
        (lines(&self.arrangement.main), lines(&self.arrangement.pinned))
    }

    /// Returns the tracks that some items stand for, in the order of the trace; all tracks for `None`.
    #[must_use]
    pub fn tracks_of(&self, items: Option<&[Item]>) -> Vec<TrackId> {
        let Some(items) = items else { return self.trace.track_ids().collect() };
        let is_wanted = self.arrangement.items.marked(&self.trace, items);
        self.trace.track_ids().filter(|track| is_wanted.get(track.index()) == Some(&true)).collect()
    }
}

/// Returns whether tracks lie below a track, which come right after it.
fn has_tracks_below(trace: &Trace, track: &Track) -> bool {
    trace.tracks().get(track.id.index() + 1).is_some_and(|next| next.parent == Some(track.id))
}

fn wide(trace: &Trace, vertical: &Vertical) -> Vec<Wide> {
    let lines = vertical.lines();
    let next_process = |line: &Line| {
        let is_process = |next: &&Line| matches!(next.kind, LineKind::Process(_));
        let after: Range<usize> = line.id.index().min(lines.len())..lines.len();
        lines
            .get(after)
            .unwrap_or_default()
            .iter()
            .find(is_process)
            .map_or(vertical.height(), |next| next.top)
    };
    let of_line = |line: &Line| {
        let LineKind::Track(track) = line.kind else { return None };
        let bottom = match trace.track_info(track)?.kind {
            TrackKind::Global => vertical.height(),
            TrackKind::Process => next_process(line),
            _ => return None,
        };
        Some(Wide { line: *line, track, bottom })
    };
    lines.iter().filter_map(of_line).collect()
}

fn lines(vertical: &Vertical) -> Lines {
    let mut headers: Vec<Header> = Vec::new();
    for line in vertical.lines() {
        if let Some(item) = Item::of_header(line.kind) {
            headers.push(Header { item, top: line.top, height: line.height, bottom: 0 });
        }
        if let Some(header) = headers.last_mut() {
            header.bottom = line.bottom();
        }
    }
    Lines { height: vertical.height(), headers }
}

//! The processes and tracks of a trace as the page lists them, and which tracks share lines.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{AsyncGroup, Layout, LayoutView, LineKind, PackId, Packed, Viewport, shown_tracks};
use spall_trace::model::{Process, Trace, TraceView, Track, TrackId, TrackKind};

/// Something with a header: it can be folded, hidden and pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "lowercase")]
pub enum Item {
    Process(u32),
    Track(u32),
    Pack(u32),
}

impl Item {
    /// The item whose header a line is.
    pub fn of_header(line: LineKind) -> Option<Self> {
        match line {
            LineKind::Process(process) => Some(Self::Process(process.0)),
            LineKind::Track(track) => Some(Self::Track(track.0)),
            LineKind::Pack(pack) => Some(Self::Pack(pack.0)),
            _ => None,
        }
    }
}

/// A process and its tracks. What belongs to no process is a group without an id.
#[derive(Serialize)]
pub struct Group {
    item: Option<Item>,
    label: String,
    detail: String,
    members: Vec<Member>,
}

/// A track, or tracks that share lines.
#[derive(Serialize)]
pub struct Member {
    item: Item,
    label: String,
    detail: String,
    /// What the timeline shows, such as `thread` or `counter`.
    what: &'static str,
    /// The part of the time in which something ran, for all tracks together.
    busy: f32,
    /// Whether nothing is on it, so that it is only shown if the user wants it.
    empty: bool,
}

/// Which tracks share lines.
#[derive(Default)]
pub struct Packs {
    packs: Vec<AsyncGroup>,
    /// Their lines.
    pub lines: Vec<Packed>,
    of_tracks: HashMap<TrackId, PackId>,
    /// The tracks that have something on them.
    shown: Vec<TrackId>,
}

impl Packs {
    /// Packs the async tracks that show the same kind of thing.
    pub fn new(trace: &Trace, layout: &Layout) -> Self {
        let shown = shown_tracks(trace, layout);
        let packs = AsyncGroup::all(trace, shown.iter().copied());
        let lines = packs.iter().map(|pack| pack.pack(layout)).collect();
        let of_pack = |(pack, group): (u32, &AsyncGroup)| {
            group.tracks.iter().map(move |&track| (track, PackId(pack))).collect::<Vec<_>>()
        };
        let of_tracks = (0..).zip(&packs).flat_map(of_pack).collect();
        Self { packs, lines, of_tracks, shown }
    }

    /// Packs what is shown of the same tracks.
    pub fn lay_out(&mut self, layout: &Layout) {
        self.lines.iter_mut().for_each(|pack| *pack = Packed::new(layout, pack.tracks().iter().copied()));
    }

    /// How many tracks have something on them.
    pub fn n_shown(&self) -> usize {
        self.shown.len()
    }

    /// Whether nothing is on a track of the whole trace.
    pub fn is_empty(&self, track: TrackId) -> bool {
        self.shown.binary_search(&track).is_err()
    }

    pub fn of(&self, track: TrackId) -> Option<PackId> {
        self.of_tracks.get(&track).copied()
    }

    /// The track, or the pack that it belongs to.
    pub fn item(&self, track: TrackId) -> Item {
        self.of(track).map_or(Item::Track(track.0), |pack| Item::Pack(pack.0))
    }

    /// The tracks that an item stands for.
    pub fn tracks(&self, trace: &Trace, item: Item) -> Vec<TrackId> {
        match item {
            Item::Process(process) => trace
                .processes()
                .get(process as usize)
                .map_or(Vec::new(), |process| process.tracks().iter().collect()),
            Item::Track(track) => vec![TrackId(track)],
            Item::Pack(pack) => {
                self.lines.get(pack as usize).map_or(Vec::new(), |pack| pack.tracks().to_vec())
            }
        }
    }

    /// Lists what can be shown, in the order of the trace.
    pub fn groups(&self, trace: &Trace, layout: &Layout) -> Vec<Group> {
        let global = trace.tracks().iter().filter(|track| track.process.is_none());
        let whole = Group {
            item: None,
            label: "Whole trace".into(),
            detail: String::new(),
            members: self.members(trace, layout, global),
        };
        let processes = trace.processes().iter().map(|process| Group {
            item: Some(Item::Process(process.id.0)),
            label: trace.process_title(process.id).into(),
            detail: detail_of_process(trace, process),
            members: self.members(trace, layout, trace.tracks_of(process.id).iter()),
        });
        std::iter::once(whole).chain(processes).filter(|group| !group.members.is_empty()).collect()
    }

    fn members<'t>(
        &self,
        trace: &Trace,
        layout: &Layout,
        tracks: impl Iterator<Item = &'t Track>,
    ) -> Vec<Member> {
        let viewport = Viewport::new(trace.bounds().unwrap_or_default(), 1);
        let (mut members, mut columns) = (Vec::new(), Vec::new());
        for track in tracks {
            let item = self.item(track.id);
            let pack = self.of(track.id);
            if pack.is_some_and(|pack| self.lines[pack.index()].tracks().first() != Some(&track.id)) {
                continue;
            }
            let (label, detail) = match pack.map(|pack| &self.packs[pack.index()]) {
                Some(pack) => (pack.title(trace), trace.name(pack.category).into()),
                None => {
                    // The labels of tracks below others are indented.
                    let above = std::iter::successors(track.parent, |id| trace.tracks()[id.index()].parent);
                    let indent = "\u{2003}".repeat(above.take(8).count());
                    let label = indent + &trace.track_title(track.id);
                    (label.into(), detail_of_track(trace, track))
                }
            };
            let rows = layout.outermost_rows(self.tracks(trace, item));
            layout.busy_rows(rows, &viewport, &mut columns);
            let (label, what, busy) = (label.into(), track.kind.name(), columns.iter().sum());
            let empty = self.is_empty(track.id);
            members.push(Member { item, label, detail, what, busy, empty });
        }
        members
    }
}

/// Returns whether tracks lie below a track, which come right after it.
pub fn has_tracks_below(trace: &Trace, track: &Track) -> bool {
    trace.tracks().get(track.id.index() + 1).is_some_and(|next| next.parent == Some(track.id))
}

/// The id and the labels, unless the name of the process is its id.
fn detail_of_process(trace: &Trace, process: &Process) -> String {
    let id = (!process.name.is_empty()).then(|| trace.key_text(process.pid));
    let labels = process.labels.iter().map(|&label| trace.name(label));
    id.into_iter().chain(labels).collect::<Vec<_>>().join(", ")
}

fn detail_of_track(trace: &Trace, track: &Track) -> String {
    match track.kind {
        TrackKind::Thread { .. } if track.name.is_empty() => String::new(),
        TrackKind::Async { category, .. } => trace.name(category).into(),
        TrackKind::Counter { id } => id.map(|id| trace.key_text(id).into()).unwrap_or_default(),
        kind => kind.tid().map(|tid| trace.key_text(tid).into()).unwrap_or_default(),
    }
}

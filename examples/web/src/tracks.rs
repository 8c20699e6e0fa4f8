//! The processes and tracks of a trace as the page lists them, and which tracks share lines.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{Layout, LayoutView, LineKind, PackId, Packed, Viewport, shown_tracks};
use spall_trace::model::{NameId, Process, ProcessId, Trace, TraceView, Track, TrackId, TrackKind};

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

/// Async tracks of one process whose spans are of the same kind.
pub struct Pack {
    label: NameId,
    category: NameId,
}

/// Which tracks share lines.
#[derive(Default)]
pub struct Packs {
    packs: Vec<Pack>,
    /// Their lines.
    pub lines: Vec<Packed>,
    of_tracks: HashMap<TrackId, PackId>,
    /// The tracks that have something on them.
    shown: Vec<TrackId>,
}

impl Packs {
    /// Packs the async tracks of each process that have the same category and begin with a slice of the same name.
    pub fn new(trace: &Trace, layout: &Layout) -> Self {
        let mut tracks: HashMap<(Option<ProcessId>, NameId, NameId), Vec<TrackId>> = HashMap::new();
        let mut keys = Vec::new();
        let shown = shown_tracks(trace, layout);
        for track in shown.iter().map(|track| &trace.tracks()[track.index()]) {
            if let TrackKind::Async { category, .. } = track.kind {
                let key = (track.process, category, first_name(trace, track));
                let known = tracks.entry(key).or_default();
                if known.is_empty() {
                    keys.push(key);
                }
                known.push(track.id);
            }
        }
        let (mut packs, mut lines) = (Vec::new(), Vec::new());
        let mut of_tracks = HashMap::new();
        for key @ (_, category, label) in keys {
            let tracks = tracks.remove(&key).unwrap_or_default();
            if tracks.len() > 1 {
                of_tracks.extend(tracks.iter().map(|&track| (track, PackId::new(packs.len()))));
                lines.push(Packed::new(layout, tracks));
                packs.push(Pack { label, category });
            }
        }
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
                Some(pack) if pack.label.is_empty() => ("Async".into(), trace.name(pack.category).into()),
                Some(pack) => (trace.name(pack.label), trace.name(pack.category).into()),
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

/// What an async track is about.
fn first_name(trace: &Trace, track: &Track) -> NameId {
    let slice = trace.slices_of(track.id).next().map(|(_, slice)| slice.name);
    slice.or_else(|| trace.instants_of(track.id).first().map(|instant| instant.name)).unwrap_or_default()
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

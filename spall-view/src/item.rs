//! What has a header on the timeline: processes, tracks, and async tracks that share lines.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{AsyncGroup, LayoutView, LineKind, PackId, Packed, Viewport, shown_tracks};
use spall_trace::model::{Process, ProcessId, Trace, TraceView, Track, TrackId, TrackKind};

/// Something with a header: it can be folded, hidden and pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Numbered<ItemKind>", into = "Numbered<ItemKind>")]
pub enum Item {
    /// A process and all its tracks.
    Process(ProcessId),
    /// A track.
    Track(TrackId),
    /// Async tracks that share lines.
    Pack(PackId),
}

/// The kind and the number of something, as they are serialised. What serde makes of a tagged enum is large.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Numbered<K> {
    pub(crate) kind: K,
    pub(crate) id: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ItemKind {
    Process,
    Track,
    Pack,
}

impl From<Numbered<ItemKind>> for Item {
    fn from(Numbered { kind, id }: Numbered<ItemKind>) -> Self {
        match kind {
            ItemKind::Process => Self::Process(ProcessId(id)),
            ItemKind::Track => Self::Track(TrackId(id)),
            ItemKind::Pack => Self::Pack(PackId(id)),
        }
    }
}

impl From<Item> for Numbered<ItemKind> {
    fn from(item: Item) -> Self {
        let (kind, id) = match item {
            Item::Process(process) => (ItemKind::Process, process.0),
            Item::Track(track) => (ItemKind::Track, track.0),
            Item::Pack(pack) => (ItemKind::Pack, pack.0),
        };
        Self { kind, id }
    }
}

impl Item {
    /// Returns the item whose header a line is, or `None` if it is a row of slices.
    #[must_use]
    pub fn of_header(line: LineKind) -> Option<Self> {
        match line {
            LineKind::Process(process) => Some(Self::Process(process)),
            LineKind::Track(track) => Some(Self::Track(track)),
            LineKind::Pack(pack) => Some(Self::Pack(pack)),
            _ => None,
        }
    }

    /// Returns the line that is the header of the item.
    #[must_use]
    pub fn header(self) -> LineKind {
        match self {
            Self::Process(process) => LineKind::Process(process),
            Self::Track(track) => LineKind::Track(track),
            Self::Pack(pack) => LineKind::Pack(pack),
        }
    }
}

/// A process and what belongs to it. What belongs to no process is a group without an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The process.
    pub item: Option<Item>,
    /// Its title.
    pub label: String,
    /// Its id and what the file says of it.
    pub detail: String,
    /// Its tracks and packs, from top to bottom.
    pub members: Vec<Member>,
}

/// A track, or async tracks that share lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// The track or the pack.
    pub item: Item,
    /// Its title. Tracks below others are indented.
    pub label: String,
    /// The id of the thread, or the category.
    pub detail: String,
    /// What the timeline shows, such as `thread` or `counter`.
    pub what: &'static str,
    /// The part of the time in which something ran, for all tracks together.
    pub busy: f32,
    /// Whether nothing is on it, so that it is only shown if the user wants it.
    pub empty: bool,
}

/// The tracks of a trace that have something on them, and which of them share lines.
#[derive(Debug, Default)]
pub(crate) struct Items {
    groups: Vec<AsyncGroup>,
    /// The lines of the packs, by pack.
    packs: Vec<Packed>,
    of_tracks: HashMap<TrackId, PackId>,
    /// The tracks that have something on them, in order.
    shown: Vec<TrackId>,
}

impl Items {
    /// Packs the async tracks that show the same kind of thing.
    pub(crate) fn new(trace: &impl TraceView, layout: &impl LayoutView) -> Self {
        let shown = shown_tracks(trace, layout);
        let groups = AsyncGroup::all(trace, shown.iter().copied());
        let packs = groups.iter().map(|group| group.pack(layout)).collect();
        let of_group = |(pack, group): (u32, &AsyncGroup)| {
            group.tracks.iter().map(move |&track| (track, PackId(pack))).collect::<Vec<_>>()
        };
        let of_tracks = (0..).zip(&groups).flat_map(of_group).collect();
        Self { groups, packs, of_tracks, shown }
    }

    /// Packs what another layout shows of the same tracks.
    pub(crate) fn lay_out(&mut self, layout: &impl LayoutView) {
        for pack in &mut self.packs {
            *pack = Packed::new(layout, pack.tracks().iter().copied());
        }
    }

    /// The lines of the packs, by pack.
    pub(crate) fn packs(&self) -> &[Packed] {
        &self.packs
    }

    /// The lines of a pack.
    pub(crate) fn pack(&self, pack: PackId) -> Option<&Packed> {
        self.packs.get(pack.index())
    }

    /// The number of tracks that have something on them.
    pub(crate) fn n_shown(&self) -> usize {
        self.shown.len()
    }

    /// The track, or the pack that it belongs to.
    pub(crate) fn item_of(&self, track: TrackId) -> Item {
        self.of_tracks.get(&track).map_or(Item::Track(track), |&pack| Item::Pack(pack))
    }

    /// The tracks that an item stands for.
    pub(crate) fn tracks_of(&self, trace: &Trace, item: Item) -> Vec<TrackId> {
        match item {
            Item::Process(process) => trace
                .processes()
                .get(process.index())
                .map_or(Vec::new(), |process| process.tracks().iter().collect()),
            Item::Track(track) => vec![track],
            Item::Pack(pack) => self.pack(pack).map_or(Vec::new(), |pack| pack.tracks().to_vec()),
        }
    }

    /// Which tracks some items stand for, by track.
    pub(crate) fn marked(&self, trace: &Trace, items: &[Item]) -> Vec<bool> {
        let mut is_marked = vec![false; trace.tracks().len()];
        for track in items.iter().flat_map(|&item| self.tracks_of(trace, item)) {
            if let Some(is_marked) = is_marked.get_mut(track.index()) {
                *is_marked = true;
            }
        }
        is_marked
    }

    /// Lists what can be shown, in the order of the trace.
    pub(crate) fn groups(&self, trace: &Trace, layout: &impl LayoutView) -> Vec<Group> {
        let global = trace.tracks().iter().filter(|track| track.process.is_none());
        let whole = Group {
            item: None,
            label: "Whole trace".into(),
            detail: String::new(),
            members: self.members(trace, layout, global),
        };
        let processes = trace.processes().iter().map(|process| Group {
            item: Some(Item::Process(process.id)),
            label: trace.process_title(process.id).into(),
            detail: detail_of_process(trace, process),
            members: self.members(trace, layout, trace.tracks_of(process.id).iter()),
        });
        core::iter::once(whole).chain(processes).filter(|group| !group.members.is_empty()).collect()
    }

    fn members<'t>(
        &self,
        trace: &Trace,
        layout: &impl LayoutView,
        tracks: impl Iterator<Item = &'t Track>,
    ) -> Vec<Member> {
        let viewport = Viewport::new(trace.bounds().unwrap_or_default(), 1);
        let (mut members, mut columns) = (Vec::new(), Vec::new());
        for track in tracks {
            let item = self.item_of(track.id);
            let all = self.tracks_of(trace, item);
            if all.first() != Some(&track.id) {
                continue; // the pack stands where its first track does
            }
            let group = self.of_tracks.get(&track.id).and_then(|pack| self.groups.get(pack.index()));
            let (label, detail) = match group {
                Some(group) => (group.title(trace), trace.name(group.category).into()),
                None => {
                    let above = |track: TrackId| trace.track_info(track)?.parent;
                    let indent = core::iter::successors(track.parent, |&track| above(track)).take(8).count();
                    let label = "\u{2003}".repeat(indent) + &trace.track_title(track.id);
                    (label.into(), detail_of_track(trace, track))
                }
            };
            layout.busy_rows(layout.outermost_rows(all), &viewport, &mut columns);
            let (label, what, busy) = (label.into(), track.kind.name(), columns.iter().sum());
            let empty = self.shown.binary_search(&track.id).is_err();
            members.push(Member { item, label, detail, what, busy, empty });
        }
        members
    }
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

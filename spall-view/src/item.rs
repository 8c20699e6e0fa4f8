//! What has a header on the timeline: processes, tracks, and async tracks that share lines.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{AsyncGroup, LayoutView, LineKind, PackId, Packed, Viewport, shown_tracks};
use spall_trace::model::{ProcessId, TraceView, TrackId, TrackInfo, TrackKind};

/// What belongs to no process.
const WHOLE: &str = "Whole trace";

/// Something with a header: it can be folded, hidden and pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(as = "Numbered<ItemKind>"))]
#[serde(from = "Numbered<ItemKind>", into = "Numbered<ItemKind>")]
pub enum Item {
    /// A process and all its tracks.
    Process(ProcessId),
    /// A track.
    Track(TrackId),
    /// Async tracks that share lines.
    Pack(PackId),
    /// A [derived track](crate::DerivedTrack), by its position in the place.
    Derived(u32),
}

/// The kind and the number of something, as they are serialised. What serde makes of a tagged enum is large.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Numbered<K> {
    pub(crate) kind: K,
    pub(crate) id: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum ItemKind {
    Process,
    Track,
    Pack,
    Derived,
}

impl From<Numbered<ItemKind>> for Item {
    fn from(Numbered { kind, id }: Numbered<ItemKind>) -> Self {
        match kind {
            ItemKind::Process => Self::Process(ProcessId(id)),
            ItemKind::Track => Self::Track(TrackId(id)),
            ItemKind::Pack => Self::Pack(PackId(id)),
            ItemKind::Derived => Self::Derived(id),
        }
    }
}

impl From<Item> for Numbered<ItemKind> {
    fn from(item: Item) -> Self {
        let (kind, id) = match item {
            Item::Process(process) => (ItemKind::Process, process.0),
            Item::Track(track) => (ItemKind::Track, track.0),
            Item::Pack(pack) => (ItemKind::Pack, pack.0),
            Item::Derived(track) => (ItemKind::Derived, track),
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
            LineKind::Derived(track) => Some(Self::Derived(track)),
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
            Self::Derived(track) => LineKind::Derived(track),
        }
    }
}

/// A process and what belongs to it. What belongs to no process is a group without an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    /// The process.
    pub item: Option<Item>,
    /// What a place calls it.
    pub path: String,
    /// Its title.
    pub label: String,
    /// Its id and what the file says of it.
    pub detail: String,
    /// Its tracks and packs, from top to bottom.
    pub members: Vec<Member>,
}

/// A track, or async tracks that share lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Member {
    /// The track or the pack.
    pub item: Item,
    /// What a place calls it.
    pub path: String,
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

/// The tracks of a trace that have something on them, which of them share lines, and what all of them are called.
#[derive(Debug, Default)]
pub(crate) struct Items {
    groups: Vec<AsyncGroup>,
    /// The lines of the packs, by pack.
    packs: Vec<Packed>,
    of_tracks: HashMap<TrackId, PackId>,
    /// The tracks of each pack that have something on their header, such as instants.
    on_headers: Vec<Vec<TrackId>>,
    /// The tracks that have something on them.
    shown: HashSet<TrackId>,
    /// The lists that a user can put in another order: the processes, then the tracks and packs of each, those of no process
    /// first. Only what belongs to no process is always above.
    lists: Vec<Vec<Item>>,
    paths: HashMap<Item, String>,
    by_path: HashMap<String, Item>,
    /// The paths of derived tracks.
    derived: Vec<String>,
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
        let shown = shown.into_iter().collect();
        let mut items = Self { groups, packs, of_tracks, shown, ..Self::default() };
        items.list(trace);
        items
    }

    /// Finds the lists and the paths.
    fn list(&mut self, trace: &impl TraceView) {
        let mut processes: Vec<Option<ProcessId>> = vec![None];
        let mut lists: Vec<Vec<Item>> = vec![Vec::new(), Vec::new()];
        for track in trace.track_ids() {
            let process = trace.track_info(track).and_then(|track| track.process);
            if processes.last() != Some(&process) && process.is_some() {
                processes.push(process);
                lists.push(Vec::new());
            }
            let item = self.item_of(track);
            let is_first = match item {
                Item::Pack(pack) => self.pack(pack).is_some_and(|pack| pack.tracks().first() == Some(&track)),
                _ => true,
            };
            if let Some(members) = lists.last_mut().filter(|_| is_first) {
                members.push(item);
            }
        }
        if let Some(all) = lists.first_mut() {
            all.extend(processes.iter().flatten().copied().map(Item::Process));
        }
        let mut counts = HashMap::<String, usize>::new();
        let mut add = |item: Option<Item>, path: String| {
            let count = counts.entry(path.clone()).or_insert(0);
            *count += 1;
            let path = if *count > 1 { format!("{path}#{count}") } else { path };
            if let Some(item) = item {
                self.paths.insert(item, path.clone());
                self.by_path.insert(path.clone(), item);
            }
            path
        };
        for (process, members) in processes.iter().zip(lists.iter().skip(1)) {
            let title = process.map_or_else(|| WHOLE.into(), |process| trace.process_title(process));
            let process = add(process.map(Item::Process), title.into());
            for &member in members {
                let title = match member {
                    Item::Pack(pack) => self.groups.get(pack.index()).map(|group| group.title(trace)),
                    Item::Track(track) => Some(trace.track_title(track)),
                    Item::Process(_) | Item::Derived(_) => None,
                };
                add(Some(member), format!("{process}/{}", title.unwrap_or_default()));
            }
        }
        self.lists = lists;
    }

    /// Packs what another layout shows of the same tracks.
    pub(crate) fn lay_out(&mut self, layout: &impl LayoutView) {
        for pack in &mut self.packs {
            *pack = Packed::new(layout, pack.tracks().iter().copied());
        }
    }

    /// Finds the tracks that have something on their header.
    pub(crate) fn set_on_headers(&mut self, has_something: impl Fn(TrackId) -> bool) {
        let of_pack =
            |pack: &Packed| pack.tracks().iter().copied().filter(|&track| has_something(track)).collect();
        self.on_headers = self.packs.iter().map(of_pack).collect();
    }

    /// Knows the derived tracks by their paths.
    pub(crate) fn set_derived(&mut self, paths: Vec<String>) {
        self.derived = paths;
    }

    /// The tracks that have something on a header, such as instants, states or a counter.
    pub(crate) fn drawn_on_header(&self, item: Item) -> Vec<TrackId> {
        match item {
            Item::Process(_) | Item::Derived(_) => Vec::new(),
            Item::Track(track) => vec![track],
            Item::Pack(pack) => self.on_headers.get(pack.index()).cloned().unwrap_or_default(),
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

    /// The async tracks of a pack.
    pub(crate) fn group(&self, pack: PackId) -> Option<&AsyncGroup> {
        self.groups.get(pack.index())
    }

    /// The number of tracks that have something on them.
    pub(crate) fn n_shown(&self) -> usize {
        self.shown.len()
    }

    /// What an item is called: the title of its process, a slash, and its own. Equal ones are numbered from the second one on.
    pub(crate) fn path(&self, item: Item) -> Option<&str> {
        let path = match item {
            Item::Derived(track) => self.derived.get(track as usize),
            _ => self.paths.get(&item),
        };
        path.map(String::as_str)
    }

    /// What an item is, such as `thread`, and its title.
    pub(crate) fn named(&self, item: Item, trace: &impl TraceView) -> Option<(&'static str, String)> {
        let track = match item {
            Item::Process(process) => return Some(("process", trace.process_title(process).into())),
            Item::Derived(_) => return None,
            Item::Track(track) => track,
            Item::Pack(pack) => *self.pack(pack)?.tracks().first()?,
        };
        let title = match item {
            Item::Pack(pack) => self.group(pack)?.title(trace),
            _ => trace.track_title(track),
        };
        Some((trace.track_info(track)?.kind.name(), title.into()))
    }

    /// The item that is called so.
    pub(crate) fn at_path(&self, path: &str) -> Option<Item> {
        let derived = (0..).zip(&self.derived).find(|(_, other)| *other == path);
        derived.map(|(track, _)| Item::Derived(track)).or_else(|| self.by_path.get(path).copied())
    }

    /// Whether all items are called as those of before.
    pub(crate) fn are_called_as(&self, before: &Self) -> bool {
        self.paths == before.paths
    }

    /// The lists that a user can put in another order.
    pub(crate) fn lists(&self) -> &[Vec<Item>] {
        &self.lists
    }

    /// The track, or the pack that it belongs to.
    pub(crate) fn item_of(&self, track: TrackId) -> Item {
        self.of_tracks.get(&track).map_or(Item::Track(track), |&pack| Item::Pack(pack))
    }

    /// The process of a track or pack, or the process itself.
    pub(crate) fn process_of(&self, trace: &impl TraceView, item: Item) -> Option<Item> {
        let track = match item {
            Item::Process(_) => return Some(item),
            Item::Derived(_) => return None,
            Item::Track(track) => track,
            Item::Pack(pack) => *self.pack(pack)?.tracks().first()?,
        };
        trace.track_info(track)?.process.map(Item::Process)
    }

    /// The tracks that an item stands for.
    pub(crate) fn tracks_of(&self, trace: &impl TraceView, item: Item) -> Vec<TrackId> {
        match item {
            // Those of a process follow one another.
            Item::Process(_) => {
                let of_process = |track: &TrackId| self.process_of(trace, Item::Track(*track)) == Some(item);
                trace.track_ids().skip_while(|track| !of_process(track)).take_while(of_process).collect()
            }
            Item::Track(track) => vec![track],
            Item::Derived(_) => Vec::new(),
            Item::Pack(pack) => self.pack(pack).map_or(Vec::new(), |pack| pack.tracks().to_vec()),
        }
    }

    /// Which tracks some items stand for, by track.
    pub(crate) fn marked(&self, trace: &impl TraceView, items: impl IntoIterator<Item = Item>) -> Vec<bool> {
        let mut is_marked = vec![false; trace.n_tracks()];
        for track in items.into_iter().flat_map(|item| self.tracks_of(trace, item)) {
            if let Some(is_marked) = is_marked.get_mut(track.index()) {
                *is_marked = true;
            }
        }
        is_marked
    }

    /// The part of the time in which something ran, for all tracks of an item together.
    pub(crate) fn busy(&self, trace: &impl TraceView, layout: &impl LayoutView, item: Item) -> f32 {
        let viewport = Viewport::new(trace.bounds().unwrap_or_default(), 1);
        let mut columns = Vec::new();
        layout.busy_rows(layout.outermost_rows(self.tracks_of(trace, item)), &viewport, &mut columns);
        columns.iter().sum()
    }

    /// The number of processes.
    pub(crate) fn n_processes(&self) -> usize {
        self.lists.first().map_or(0, Vec::len)
    }

    /// Lists what can be shown, in the order of the trace.
    pub(crate) fn groups(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<Group> {
        let Some((processes, lists)) = self.lists.split_first() else { return Vec::new() };
        let processes = core::iter::once(None).chain(processes.iter().copied().map(Some));
        let groups = processes.zip(lists).map(|(item, members)| Group {
            item,
            path: item.and_then(|item| self.path(item)).unwrap_or_default().into(),
            label: match item {
                Some(Item::Process(process)) => trace.process_title(process).into(),
                _ => WHOLE.into(),
            },
            detail: match item {
                Some(Item::Process(process)) => detail_of_process(trace, process),
                _ => String::new(),
            },
            members: members.iter().filter_map(|&member| self.member(member, trace, layout)).collect(),
        });
        groups.filter(|group| !group.members.is_empty()).collect()
    }

    fn member(&self, item: Item, trace: &impl TraceView, layout: &impl LayoutView) -> Option<Member> {
        let group = match item {
            Item::Pack(pack) => self.groups.get(pack.index()),
            _ => None,
        };
        // A pack stands where its first track does.
        let track = *self.tracks_of(trace, item).first()?;
        let info = trace.track_info(track)?;
        let (label, detail) = match group {
            Some(group) => (group.title(trace), trace.name(group.category).into()),
            None => {
                let above = |track: TrackId| trace.track_info(track)?.parent;
                let indent = core::iter::successors(info.parent, |&track| above(track)).take(8).count();
                let label = "\u{2003}".repeat(indent) + &trace.track_title(track);
                (label.into(), detail_of_track(trace, info))
            }
        };
        Some(Member {
            item,
            path: self.path(item).unwrap_or_default().into(),
            label: label.into(),
            detail,
            what: info.kind.name(),
            busy: self.busy(trace, layout, item),
            empty: !self.shown.contains(&track),
        })
    }
}

/// The id and the labels, unless the name of the process is its id.
fn detail_of_process(trace: &impl TraceView, process: ProcessId) -> String {
    let id = trace.process_key(process).filter(|_| trace.is_process_named(process));
    let labels = trace.process_labels(process).into_iter().map(|label| trace.name(label));
    id.map(|id| trace.key_text(id)).into_iter().chain(labels).collect::<Vec<_>>().join(", ")
}

fn detail_of_track(trace: &impl TraceView, track: TrackInfo) -> String {
    match track.kind {
        TrackKind::Thread { .. } if track.name.is_empty() => String::new(),
        TrackKind::Async { category, .. } => trace.name(category).into(),
        TrackKind::Counter { id } => id.map(|id| trace.key_text(id).into()).unwrap_or_default(),
        kind => kind.tid().map(|tid| trace.key_text(tid).into()).unwrap_or_default(),
    }
}

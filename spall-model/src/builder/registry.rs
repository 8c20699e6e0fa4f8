//! The processes and tracks of a trace, found by their ids.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};

use crate::{ChildOrder, CounterEvent, Id, Key, NameId, ThreadRole, Tick, TrackKind, index32};

use super::{recent_names::Fingerprint, reports::Spot};

/// The identity of a track: events with equal keys belong to one track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrackKey {
    /// A thread of a process.
    Thread { process: u32, tid: Key },
    /// Nestable async spans of one id. The process is `None` for an id that is valid everywhere.
    Async { process: Option<u32>, category: NameId, id: Key, scope: NameId },
    /// Async spans of the older kind, which are identified by name and id.
    AsyncStep { process: Option<u32>, name: NameId, id: Key, scope: NameId },
    /// A counter of a process.
    Counter { process: u32, name: NameId, id: Option<Key> },
    /// Instants that concern a whole process.
    Process { process: u32 },
    /// Instants that concern the whole trace.
    Global,
}

/// Hashes few words. What is derived hashes each field, and each tag of one, by itself.
impl Hash for TrackKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let key = |key| match key {
            Key::Number(number) => number.cast_unsigned(),
            Key::Text(name) => pair(u32::MAX, name.0),
        };
        let some = |process: Option<u32>| process.map_or(0, |process| u64::from(process) + 1);
        // Keys of several kinds seldom have the same words, and comparing them tells them apart.
        let words = match *self {
            Self::Thread { process, tid } => [process.into(), key(tid), 1],
            Self::Async { process, category, id, scope } => {
                [some(process), key(id), pair(category.0, scope.0)]
            }
            Self::AsyncStep { process, name, id, scope } => [some(process), key(id), pair(name.0, scope.0)],
            Self::Counter { process, name, id } => [process.into(), id.map_or(0, key), pair(name.0, 2)],
            Self::Process { process } => [process.into(), 0, 3],
            Self::Global => [0; 3],
        };
        words.iter().for_each(|&word| state.write_u64(word));
    }
}

impl TrackKey {
    /// Returns the id that tracks of one kind and name are sorted by.
    pub(super) fn id(&self) -> Option<Key> {
        match *self {
            Self::Global | Self::Process { .. } => None,
            Self::Thread { tid: id, .. } | Self::Async { id, .. } | Self::AsyncStep { id, .. } => Some(id),
            Self::Counter { id, .. } => id,
        }
    }
}

/// A process while the trace is built.
#[derive(Debug, Clone)]
pub(super) struct ProcessRow {
    pub(super) pid: Key,
    pub(super) name: NameId,
    pub(super) sort_index: i64,
    pub(super) labels: Vec<NameId>,
}

/// What the file says of a track of its own, besides its name and its rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnTrack {
    /// The process of its parent, and the id of that; the empty text if the parent is the process.
    pub(super) parent: (u32, Key),
    pub(super) group: NameId,
    pub(super) children: ChildOrder,
    /// Whether the track is shown even if nothing is on it, because a trace of which it is a part has shown it.
    pub(super) is_shown: bool,
    pub(super) spot: Spot,
}

/// A track while the trace is built.
#[derive(Debug, Clone)]
pub(super) struct TrackRow {
    pub(super) key: TrackKey,
    /// The process under which it is shown. For spans that may cross processes it is that of the first event.
    pub(super) process: Option<u32>,
    pub(super) name: NameId,
    /// The categories of its first event that has any; empty if none has.
    pub(super) category: NameId,
    pub(super) sort_index: i64,
    /// The role of a thread that stands for another kind of timeline; `None` for a thread of the operating system.
    pub(super) role: Option<ThreadRole>,
    /// Whether what events call a thread is a track of its own. [`Registry::own`] says more, and the sort index is its rank.
    pub(super) is_own: bool,
    /// The earliest and the latest time of its items; `first > last` while it has none.
    pub(super) first: Tick,
    pub(super) last: Tick,
    /// The number of its slices. Pairs of begin and end are counted by thread, and added once all events were read.
    pub(super) n_slices: u32,
    /// The bounds of the last slice that is not a pair of a thread.
    last_whole: (Tick, Tick),
    /// Whether its slices are known to be in display order as they come, so that nothing has to be sorted.
    pub(super) in_order: bool,
}

impl TrackRow {
    /// Returns the kind of the track.
    pub(super) fn kind(&self) -> TrackKind {
        match self.key {
            TrackKey::Thread { tid: id, .. } if self.is_own => TrackKind::Track { id },
            TrackKey::Thread { tid, .. } => match self.role {
                None => TrackKind::Thread { tid },
                Some(ThreadRole::Cpu) => TrackKind::Cpu { tid },
                Some(ThreadRole::Gpu) => TrackKind::Gpu { tid },
                Some(ThreadRole::Frames) => TrackKind::Frames { tid },
            },
            TrackKey::Async { process, id, scope, .. } | TrackKey::AsyncStep { process, id, scope, .. } => {
                let stepped = matches!(self.key, TrackKey::AsyncStep { .. });
                TrackKind::Async { category: self.category, id, local: process.is_some(), scope, stepped }
            }
            TrackKey::Counter { id, .. } => TrackKind::Counter { id },
            TrackKey::Process { .. } => TrackKind::Process,
            TrackKey::Global => TrackKind::Global,
        }
    }

    /// Returns the rank of the kind of the track and its sort index: of the tracks directly below a process those with lower
    /// ones are shown first.
    pub(super) fn rank(&self) -> (u8, i64) {
        match self.key {
            TrackKey::Global | TrackKey::Process { .. } => (0, self.sort_index),
            TrackKey::Thread { .. } if self.is_own => (2, 0),
            TrackKey::Thread { .. } => (1, self.sort_index),
            TrackKey::Async { .. } | TrackKey::AsyncStep { .. } => (3, self.sort_index),
            TrackKey::Counter { .. } => (4, self.sort_index),
        }
    }

    /// Extends the bounds by an item from `start` to `end`.
    // Without the attributes in this file, the job `spall v3 to trace` takes 18 % more instructions.
    #[inline(always)]
    pub(super) fn touch(&mut self, start: Tick, end: Tick) {
        self.first = self.first.min(start);
        self.last = self.last.max(end);
    }

    /// Counts a slice that is not a pair of a thread, and extends the bounds by it.
    #[inline(always)]
    pub(super) fn add_whole(&mut self, start: Tick, end: Tick) {
        self.touch(start, end);
        let (last_start, last_end) = self.last_whole;
        // Equal bounds count as out of order here, because their order depends on the format's conventions.
        self.in_order &= last_start < start || last_start == start && end < last_end;
        self.last_whole = (start, end);
        self.n_slices += 1;
    }

    /// Counts the slices of the next part of the track, which are no pairs of a thread, and extends the bounds by them.
    #[cfg(feature = "parallel")]
    pub(super) fn append(&mut self, next: &Self) {
        if next.n_slices > 0 {
            self.touch(next.first, next.last);
            self.in_order &= next.in_order && self.last_whole.0 < next.first;
            self.last_whole = next.last_whole;
            self.n_slices += next.n_slices;
        }
    }
}

/// All processes and tracks. A number is the position of a process or track, in the order of their first events.
#[derive(Debug, Default)]
pub(super) struct Registry {
    pub(super) processes: Vec<ProcessRow>,
    pub(super) tracks: Vec<TrackRow>,
    /// The tracks of their own, by track.
    pub(super) own: HashMap<u32, OwnTrack, RandomState>,
    /// The number of events about them.
    pub(super) n_own_events: u64,
    by_pid: HashMap<Key, u32, RandomState>,
    /// The tracks by their keys. The table holds positions only, and compares with the keys in `tracks`.
    by_key: HashTable<u32>,
    hasher: RandomState,
    /// The thread of the last event. Events of one thread often come in runs.
    last_thread: Option<RecentThread>,
    /// The threads of the events before, by [`recent_slot`]. A few threads often take turns.
    recent_threads: [Option<RecentThread>; RECENT],
    /// The last counters with texts as ids, by [`CounterIds::slot`].
    recent_counters: [Option<(CounterIds, u32)>; RECENT],
    /// The process of the last event.
    recent_process: Option<(Key, u32)>,
    /// The last track that was looked up by its key, because a span often ends right after its begin.
    recent_track: u32,
}

/// A thread that is known by its ids.
#[derive(Debug, Clone, Copy)]
struct RecentThread {
    pid: i64,
    tid: i64,
    track: u32,
}

impl RecentThread {
    #[inline(always)]
    fn is(&self, pid: i64, tid: i64) -> bool {
        (self.pid, self.tid) == (pid, tid)
    }
}

/// A counter that is known by its process, its id, which is a text, and its name, both as they are in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CounterIds {
    process: Option<i64>,
    id: Fingerprint,
    name: Fingerprint,
}

impl CounterIds {
    /// Returns what is compared of the counter of an event; `None` for one that the cache does not keep.
    #[inline(always)]
    pub(super) fn of(event: &CounterEvent<'_>) -> Option<Self> {
        let process = match event.pid {
            Id::Number(pid) => Some(pid),
            Id::NONE => None,
            Id::Text(_) => return None,
        };
        let Some(Id::Text(id)) = event.id else { return None };
        let (id, name) = (Fingerprint::of_short(id)?, Fingerprint::of_short(event.name.as_plain()?)?);
        Some(Self { process, id, name })
    }

    /// Returns the slot of a counter in the cache.
    #[inline]
    fn slot(&self) -> usize {
        self.id.hash() % RECENT
    }
}

/// The number of threads in the cache, and that of counters.
const RECENT: usize = 16;

/// Returns the slot of a thread in the cache. The threads of a process often have successive ids, so the lowest bits
/// of the sum tell them apart.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the lowest bits are enough")]
#[inline]
fn recent_slot(pid: i64, tid: i64) -> usize {
    pid.wrapping_add(tid) as usize % RECENT
}

#[allow(clippy::indexing_slicing, reason = "numbers of processes and tracks are given out by this table")]
impl Registry {
    /// Returns the number of a process, which is added if it is new.
    pub(super) fn process(&mut self, pid: Key) -> u32 {
        if let Some((_, process)) = self.recent_process.filter(|&(recent, _)| recent == pid) {
            return process;
        }
        let process = *self.by_pid.entry(pid).or_insert_with(|| {
            self.processes.push(ProcessRow {
                pid,
                name: pid.default_name(),
                sort_index: 0,
                labels: Vec::new(),
            });
            index32(self.processes.len() - 1)
        });
        self.recent_process = Some((pid, process));
        process
    }

    /// Returns a process by its number.
    pub(super) fn process_mut(&mut self, process: u32) -> &mut ProcessRow {
        &mut self.processes[process as usize]
    }

    /// Returns the track of a thread if it is that of the last event.
    #[inline(always)]
    pub(super) fn last(&self, pid: i64, tid: i64) -> Option<u32> {
        self.last_thread.filter(|last| last.is(pid, tid)).map(|last| last.track)
    }

    /// Empties the cache of threads.
    pub(super) fn forget_threads(&mut self) {
        (self.last_thread, self.recent_threads) = (None, [None; RECENT]);
    }

    /// Returns the track of a thread if it is in the cache. It is that of the last event then.
    pub(super) fn recent(&mut self, pid: i64, tid: i64) -> Option<u32> {
        self.last_thread = self.recent_threads[recent_slot(pid, tid)].filter(|recent| recent.is(pid, tid));
        self.last_thread.map(|last| last.track)
    }

    /// Puts a thread into the cache.
    pub(super) fn remember(&mut self, pid: i64, tid: i64, track: u32) {
        self.last_thread = Some(RecentThread { pid, tid, track });
        self.recent_threads[recent_slot(pid, tid)] = self.last_thread;
    }

    /// Returns the track of a counter if it is in the cache.
    #[inline]
    pub(super) fn recent_counter(&self, ids: &CounterIds) -> Option<u32> {
        let (recent, track) = self.recent_counters[ids.slot()].as_ref()?;
        (recent == ids).then_some(*track)
    }

    /// Puts a counter into the cache.
    pub(super) fn remember_counter(&mut self, ids: CounterIds, track: u32) {
        self.recent_counters[ids.slot()] = Some((ids, track));
    }

    /// Returns the number of a process, or `None` if it is not known.
    pub(super) fn find_process(&self, pid: Key) -> Option<u32> {
        self.by_pid.get(&pid).copied()
    }

    /// Returns the track of a key, or `None` if it is not known.
    pub(super) fn find(&self, key: TrackKey) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        self.by_key.find(hash, |&track| self.tracks[track as usize].key == key).copied()
    }

    /// Returns the process and the thread of a track; `None` if it is not that of a thread.
    #[cfg(feature = "parallel")]
    pub(super) fn thread(&self, track: u32) -> Option<(Key, Key)> {
        let TrackKey::Thread { process, tid } = self.tracks.get(track as usize)?.key else { return None };
        Some((self.processes.get(process as usize)?.pid, tid))
    }

    /// Returns the track of a key. A new one is added unless there are `max` tracks already; then this returns `None`.
    pub(super) fn find_or_add(&mut self, key: TrackKey, max: u32) -> Option<u32> {
        if self.tracks.get(self.recent_track as usize).is_some_and(|track| track.key == key) {
            return Some(self.recent_track);
        }
        let hash = self.hasher.hash_one(key);
        if let Some(&track) = self.by_key.find(hash, |&track| self.tracks[track as usize].key == key) {
            self.recent_track = track;
            return Some(track);
        }
        let track = u32::try_from(self.tracks.len()).ok().filter(|&track| track < max)?;
        let (process, name) = match key {
            TrackKey::Thread { process, tid } => (Some(process), tid.default_name()),
            TrackKey::Process { process } => (Some(process), NameId::EMPTY),
            TrackKey::Counter { process, name, .. } => (Some(process), name),
            TrackKey::Async { process, .. } => (process, NameId::EMPTY),
            TrackKey::AsyncStep { process, name, .. } => (process, name),
            TrackKey::Global => (None, NameId::EMPTY),
        };
        self.tracks.push(TrackRow {
            key,
            process,
            name,
            category: NameId::EMPTY,
            sort_index: 0,
            role: None,
            is_own: false,
            first: Tick::MAX,
            last: Tick::MIN,
            n_slices: 0,
            last_whole: (Tick::MIN, Tick::MAX),
            in_order: true,
        });
        let Self { tracks, by_key, hasher, .. } = self;
        by_key.insert_unique(hash, track, |&track| hasher.hash_one(tracks[track as usize].key));
        self.recent_track = track;
        if let TrackKey::Counter { process, id: Some(id), .. } = key
            && !self.own.is_empty()
        {
            self.name_counter(process, id);
        }
        Some(track)
    }

    /// Makes what events call a thread a track of its own.
    pub(super) fn set_own(&mut self, track: u32, name: NameId, rank: i64, own: OwnTrack) {
        let row = self.track_mut(track);
        (row.sort_index, row.is_own) = (rank, true);
        self.own.insert(track, own);
        self.n_own_events += 1;
        self.set_name(track, name);
    }

    /// Names a thread or a track of its own.
    pub(super) fn set_name(&mut self, track: u32, name: NameId) {
        let row = self.track_mut(track);
        row.name = name;
        if let TrackRow { key: TrackKey::Thread { process, tid }, is_own: true, .. } = *row {
            self.name_counter(process, tid);
        }
    }

    /// Gives a counter without a name that of the track of its own with its id, unless another counter with that id has it.
    fn name_counter(&mut self, process: u32, id: Key) {
        let counter = |name| TrackKey::Counter { process, name, id: Some(id) };
        let Some(track) = self.find(counter(NameId::EMPTY)) else { return };
        let place = self.find(TrackKey::Thread { process, tid: id }).map(|place| self.track(place));
        let name = place.filter(|place| place.is_own).map_or(NameId::EMPTY, |place| place.name);
        let is_free = self.find(counter(name)).is_none();
        self.track_mut(track).name = if is_free { name } else { NameId::EMPTY };
    }

    /// Returns the earliest and the latest time of all tracks; `None` if no item has a time.
    pub(super) fn bounds(&self) -> Option<(Tick, Tick)> {
        let used = || self.tracks.iter().filter(|track| track.first <= track.last);
        Some((used().map(|track| track.first).min()?, used().map(|track| track.last).max()?))
    }

    /// Returns a track by its number.
    #[inline]
    pub(super) fn track(&self, track: u32) -> &TrackRow {
        &self.tracks[track as usize]
    }

    /// Returns a track by its number.
    #[inline]
    pub(super) fn track_mut(&mut self, track: u32) -> &mut TrackRow {
        &mut self.tracks[track as usize]
    }
}

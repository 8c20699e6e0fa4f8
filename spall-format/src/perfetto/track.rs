//! The tracks of track events. [perfetto 4.1](crate::rules::perfetto#4.1)

use alloc::vec::Vec;
use core::iter::successors;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Id, Thread, ThreadMeasure};

use super::counters::counter_name;
use super::schema::{CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor};
use super::strings::{Place, Strings, cut};
use crate::ftrace::signed_float;
use crate::protobuf::Message as _;

/// A track, as far as its descriptors say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Track {
    pub(super) uuid: u64,
    /// The digits of the uuid, which are the id of a track that is not a thread.
    digits: Place,
    kind: Kind,
    pub(super) parent: u64,
    pub(super) name: Place,
    /// The name of its first event.
    first_event: Place,
    group: Group,
    pub(super) rank: i32,
    pub(super) ordering: u8,
    pub(super) is_declared: bool,
    /// Whether the track, or one below it, has events, so that it was handed over.
    pub(super) is_shown: bool,
    /// Whether it had events before it was described as a thread, if it ever is. They are on a track of their own.
    has_events: bool,
    /// The position of its counter, plus 1; 0 if it is none.
    counter: u32,
}

/// The tracks that may become one with a track.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Group {
    /// Those of its name.
    #[default]
    Named,
    None,
    /// Those of a key, by its position.
    Keyed(u32),
}

// A descriptor may be a few bytes of a file.
const _: () = assert!(size_of::<Track>() <= 104);

impl Track {
    /// Returns whether the trace has to know the track: it is known, or has events, and is not the track of a thread.
    pub(super) fn is_own(&self) -> bool {
        self.has_events || self.is_shown && self.is_declared && !matches!(self.kind, Kind::Thread(..))
    }

    /// Returns the thread, or the process without a thread, that the track stands for.
    pub(super) fn stands_for(&self) -> Option<Thread<'static>> {
        match self.kind {
            Kind::Thread(pid, tid) => Some(Thread { pid: Id::from(pid), tid: Id::Number(tid) }),
            Kind::Process(pid) => Some(Thread { pid: Id::from(pid), tid: Id::NONE }),
            Kind::Own => None,
        }
    }

    /// Returns the process and the id under which events of a track come: those of its thread, or no process and the digits
    /// of its uuid. In which process such a track lies may come after its events.
    #[inline]
    pub(super) fn thread<'s>(&self, strings: &'s Strings) -> Thread<'s> {
        match self.kind {
            Kind::Thread(pid, tid) if !self.has_events => Thread { pid: Id::from(pid), tid: Id::Number(tid) },
            _ => Thread { pid: Id::NONE, tid: Id::Text(strings.get(self.digits)) },
        }
    }
}

/// What a track stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Own,
    Process(i32),
    Thread(i32, i64),
}

/// How the values of a counter are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counter {
    multiplier: f64,
    pub(super) is_incremental: bool,
    /// What it counts of its thread.
    pub(super) measure: Option<ThreadMeasure>,
}

impl Counter {
    pub(super) fn scaled(self, value: f64) -> f64 {
        value * self.multiplier
    }
}

/// The number of tracks inside one another that are followed. A parent that is its own parent in the end is none.
const MAX_PARENTS: usize = 64;

/// All tracks of a file, by their uuid.
#[derive(Debug, Clone, Default)]
pub(super) struct Tracks {
    list: Vec<Track>,
    by_uuid: HashMap<u64, u32, RandomState>,
    counters: Vec<Counter>,
    merge_keys: Vec<Place>,
    /// The tracks found last, each at the lowest bits of its uuid: an event and its counters have one each.
    recent: [Option<(u64, u32)>; 16],
    /// Whether the ranks of process tracks and of thread tracks count.
    pub(super) orders_processes: bool,
    pub(super) orders_threads: bool,
}

impl Tracks {
    /// Returns the position of a track, which is added if it is new.
    #[inline]
    pub(super) fn find(&mut self, uuid: u64, strings: &mut Strings) -> usize {
        #[allow(clippy::indexing_slicing, reason = "the number is below 16")]
        match self.recent[(uuid & 15) as usize] {
            Some((known, at)) if known == uuid => at as usize,
            _ => self.find_or_add(uuid, strings),
        }
    }

    #[inline(never)]
    fn find_or_add(&mut self, uuid: u64, strings: &mut Strings) -> usize {
        let new = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let at = *self.by_uuid.entry(uuid).or_insert(new);
        if at == new {
            // A list of very many tracks would otherwise be three times as large while it moves.
            if self.list.len() == self.list.capacity() {
                self.list.reserve_exact(4 + self.list.len() / 4);
            }
            let digits = strings.add(digits(uuid, &mut [0; 20]));
            self.list.push(Track { uuid, digits, ..Track::default() });
        }
        #[allow(clippy::indexing_slicing, reason = "the number is below 16")]
        (self.recent[(uuid & 15) as usize] = Some((uuid, at)));
        at as usize
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> &Track {
        #[allow(clippy::indexing_slicing, reason = "positions are given out by this table")]
        &self.list[at]
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes the name of the first event of a track.
    pub(super) fn set_first_event(&mut self, at: usize, name: Place) {
        if let Some(track) = self.list.get_mut(at) {
            track.first_event = name;
        }
    }

    /// Takes note that a track has events. Returns the track, and whether that is new.
    pub(super) fn show(&mut self, at: usize) -> (Track, bool) {
        let track = *self.get(at);
        if let Some(slot) = self.list.get_mut(at) {
            slot.is_shown = true;
        }
        (track, !track.is_shown)
    }

    /// Takes note of an event of a track, unless that is a thread. Returns the track, and how values of its counter are
    /// written if it is one.
    #[inline]
    pub(super) fn settle(&mut self, at: usize) -> (&Track, Option<Counter>) {
        #[allow(clippy::indexing_slicing, reason = "positions are given out by this table")]
        let track = &mut self.list[at];
        track.has_events |= !matches!(track.kind, Kind::Thread(..));
        let counter = (track.counter as usize).checked_sub(1).and_then(|at| self.counters.get(at));
        (track, counter.copied())
    }

    /// Returns the process that a track belongs to as far as descriptors have said it.
    pub(super) fn process(&self, at: usize) -> Id<'static> {
        let above = |track: &&Track| Some(self.get(*self.by_uuid.get(&track.parent)? as usize));
        let mut way_up = successors(Some(self.get(at)), above).take(MAX_PARENTS);
        way_up.find_map(|track| track.stands_for()).map_or(Id::NONE, |thread| thread.pid)
    }

    /// Returns the place of the name of a track's group, which is empty if there is none.
    pub(super) fn group(&self, track: &Track) -> Place {
        match track.group {
            Group::Named if track.name.is_empty() => track.first_event,
            Group::Named => track.name,
            Group::None => Place::default(),
            Group::Keyed(at) => self.merge_keys.get(at as usize).copied().unwrap_or_default(),
        }
    }

    /// Returns the thread or the track that a track lies below, or the process without a thread.
    pub(super) fn parent<'s>(&self, track: &Track, strings: &'s Strings) -> Thread<'s> {
        let above = self.by_uuid.get(&track.parent).filter(|_| track.parent != 0);
        let above = above.map(|&at| self.get(at as usize));
        track.stands_for().or(above.and_then(|above| above.stands_for())).unwrap_or(Thread {
            pid: Id::NONE,
            tid: above.map_or(Id::NONE, |above| Id::Text(strings.get(above.digits))),
        })
    }

    /// Takes a descriptor. Returns the position of its track, or `None` if it has no uuid.
    pub(super) fn describe(
        &mut self,
        descriptor: &TrackDescriptor<'_>,
        strings: &mut Strings,
    ) -> Option<usize> {
        let uuid = descriptor.uuid?;
        if uuid == 0 {
            self.orders_processes |= descriptor.process_ordering == 1;
            self.orders_threads |= descriptor.thread_ordering == 1;
        }
        let at = self.find(uuid, strings);
        let track = self.list.get_mut(at)?;
        track.is_declared = true;
        track.parent = descriptor.parent;
        track.rank = descriptor.rank;
        track.ordering = u8::try_from(descriptor.child_ordering).unwrap_or(0);
        let thread = descriptor.thread.map(ThreadDescriptor::of);
        let process = descriptor.process.map(ProcessDescriptor::of);
        if let Some((pid, tid)) = thread.and_then(|thread| thread.pid.zip(thread.tid)) {
            track.kind = Kind::Thread(pid, tid);
        } else if let Some(pid) = process.and_then(|process| process.pid) {
            track.kind = Kind::Process(pid);
        }
        let mut name = descriptor.any_name();
        if let Some(counter) = descriptor.counter.map(CounterDescriptor::of) {
            let multiplier = if counter.multiplier == 0 { 1 } else { counter.multiplier };
            let multiplier = signed_float(multiplier);
            let measure = match counter.kind {
                1 => Some(ThreadMeasure::Time),
                2 => Some(ThreadMeasure::Instructions),
                _ => None,
            };
            self.counters.push(Counter { multiplier, is_incremental: counter.is_incremental, measure });
            track.counter = u32::try_from(self.counters.len()).unwrap_or(0);
            name = name.or(measure.map(|measure| counter_name(measure).as_bytes()));
        }
        // Of a track that is never merged with others the last name counts, of any other the first.
        if let Some(name) = name.filter(|name| !name.is_empty())
            && (track.name.is_empty() || descriptor.merging == merging::NONE)
        {
            track.name = strings.add(cut(name));
        }
        track.group = match descriptor.merging {
            merging::NONE => Group::None,
            merging::BY_KEY => {
                self.merge_keys.push(match descriptor.merge_key {
                    Some(key) => strings.add(key),
                    None => strings.add(digits(descriptor.merge_key_number, &mut [0; 20])),
                });
                Group::Keyed(u32::try_from(self.merge_keys.len() - 1).unwrap_or(u32::MAX))
            }
            _ => Group::Named,
        };
        Some(at)
    }
}

impl<'a> TrackDescriptor<'a> {
    /// Returns the name that the descriptor gives.
    pub(super) fn any_name(&self) -> Option<&'a [u8]> {
        self.name.or(self.static_name).or(self.atrace_name)
    }
}

/// How tracks of one parent are merged.
mod merging {
    pub(super) const NONE: u32 = 2;
    pub(super) const BY_KEY: u32 = 3;
}

/// Returns the decimal digits of a number.
pub(super) fn digits(mut number: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = buffer.len();
    while let Some(slot) = at.checked_sub(1).and_then(|before| buffer.get_mut(before)) {
        *slot = b'0' + u8::try_from(number % 10).unwrap_or(0);
        (number, at) = (number / 10, at - 1);
        if number == 0 {
            break;
        }
    }
    buffer.get(at..).unwrap_or_default()
}

//! What packets of one sequence leave behind for later ones. [perfetto 2](crate::rules::perfetto#2)

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::clock::{Fit, KnownClock};
use super::schema::{EXTRA, Packet, PacketDefaults, ThreadDescriptor, TrackEventDefaults};
use super::strings::{Interned, Place, Strings};
use crate::protobuf::Message as _;

/// The bit of `sequence_flags` that says that nothing of the state counts any more.
const CLEARED: u32 = 1;
/// The bit of `sequence_flags` that says that the packet refers to the state.
const NEEDS_STATE: u32 = 2;

/// The state of a sequence.
#[derive(Debug, Clone, Default)]
pub(super) struct Sequence {
    pub(super) id: u32,
    /// Whether nothing was lost since the state was cleared.
    is_whole: bool,
    pub(super) interned: Interned,
    pub(super) defaults: Defaults,
    /// The thread of the sequence by the legacy descriptors.
    pub(super) thread: Option<Box<LegacyThread>>,
    /// The counters that are given as differences, and their values.
    pub(super) counters: HashMap<u64, f64, RandomState>,
    pub(super) clock: KnownClock,
}

/// The values that packets of a sequence have unless they say otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    pub(super) clock: Option<u32>,
    pub(super) track: Option<u64>,
    /// The tracks of further counters: of whole numbers, and of fractions.
    pub(super) counters: [Box<[u64]>; 2],
    /// The whole message.
    message: Place,
}

/// A thread that a sequence is about, and the values to which its next deltas add.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LegacyThread {
    pub(super) pid: i64,
    pub(super) tid: i64,
    /// Whether a descriptor has said the ids.
    is_known: bool,
    /// The time by the monotonic clock in nanoseconds.
    pub(super) time_ns: Option<i64>,
    pub(super) thread_time_ns: i64,
    pub(super) instructions: i64,
}

impl Sequence {
    /// Takes what the head of a packet says about the state. Returns whether the packet can be understood.
    #[inline]
    pub(super) fn accept(&mut self, packet: Packet<'_>) -> bool {
        if packet.dropped != 0 {
            self.is_whole = false;
        }
        if packet.is_cleared || packet.flags & CLEARED != 0 {
            self.clear();
        }
        self.is_whole || packet.flags & NEEDS_STATE == 0
    }

    #[cold]
    fn clear(&mut self) {
        self.is_whole = true;
        self.interned.clear();
        self.counters.clear();
        self.defaults = Defaults::default();
        if let Some(thread) = &mut self.thread {
            thread.time_ns = None;
        }
    }

    /// Takes new defaults, which replace all earlier ones.
    pub(super) fn set_defaults(&mut self, message: &[u8], strings: &mut Strings) {
        let defaults = PacketDefaults::of(message);
        self.defaults = Defaults {
            clock: defaults.clock,
            track: TrackEventDefaults::of(defaults.track_event).track,
            counters: EXTRA.map(|extra| extra.tracks_of(defaults.track_event).collect()),
            message: strings.add(message),
        };
    }

    /// Returns the messages whose fields have defaults.
    pub(super) fn defaults<'s>(&self, strings: &'s Strings) -> PacketDefaults<'s> {
        PacketDefaults::of(strings.get(self.defaults.message))
    }

    /// Returns the process and the thread that the sequence is about.
    #[inline]
    pub(super) fn thread(&self) -> Option<(i64, i64)> {
        self.thread.as_ref().filter(|thread| thread.is_known).map(|thread| (thread.pid, thread.tid))
    }

    /// Takes the thread of the sequence, and the times that deltas refer to. Returns whether its time had to be clamped.
    pub(super) fn set_thread(&mut self, thread: &ThreadDescriptor<'_>) -> Fit {
        let known = self.thread.get_or_insert_default();
        if let (Some(pid), Some(tid)) = (thread.pid, thread.tid) {
            (known.pid, known.tid, known.is_known) = (i64::from(pid), tid, true);
        }
        known.time_ns = Some(thread.time_us.saturating_mul(1000));
        known.thread_time_ns = thread.thread_time_us.saturating_mul(1000);
        known.instructions = thread.instructions;
        if thread.time_us.checked_mul(1000).is_some() { Fit::Fits } else { Fit::Clamped }
    }
}

/// All sequences of a file.
#[derive(Debug, Clone)]
pub(super) struct Sequences {
    list: Vec<Sequence>,
    by_id: HashMap<u32, usize, RandomState>,
    /// The position of the sequence of the packet that is being read.
    current: usize,
}

impl Default for Sequences {
    /// Returns the sequence 0, which is that of packets without a number.
    fn default() -> Self {
        Self { list: vec![Sequence::default()], by_id: HashMap::from_iter([(0, 0)]), current: 0 }
    }
}

impl Sequences {
    /// Returns the sequence of a packet if it is known.
    #[inline]
    pub(super) fn known(&mut self, id: u32) -> Option<&mut Sequence> {
        if self.list.get(self.current).is_none_or(|sequence| sequence.id != id) {
            self.current = *self.by_id.get(&id)?;
        }
        self.list.get_mut(self.current)
    }

    /// Returns the sequence of a packet, which is added if it is new. It is the current one from now on.
    #[inline]
    pub(super) fn enter(&mut self, id: u32) -> &mut Sequence {
        if self.known(id).is_none() {
            self.add(id);
        }
        self.current()
    }

    #[cold]
    fn add(&mut self, id: u32) {
        self.current = self.list.len();
        self.by_id.insert(id, self.current);
        self.list.push(Sequence { id, ..Sequence::default() });
    }

    /// Returns the sequence of the packet that is being read.
    #[inline]
    pub(super) fn current(&mut self) -> &mut Sequence {
        #[allow(clippy::indexing_slicing, reason = "the current position is always one of the list")]
        &mut self.list[self.current]
    }
}

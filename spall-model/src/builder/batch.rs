//! Events that another thread has prepared for a builder: their strings are looked up in a table of the batch, and a
//! begin, an end or a complete slice takes 40 bytes.
//!
//! The builder goes over the events in their order, and does with each what it does with an event that is pushed. Only
//! the lookups are different: the first use of a string or thread of the batch is a lookup in the builder's own table,
//! and every other one is an index. So the trace is the same, the numbers of its names included.

use alloc::vec::Vec;

use crate::{
    Args, ByteRange, Event, Id, Key, NameId, Names, Text, Thread, ThreadEvent, Tick, Ticks,
    args_table::ArgsId,
};

use super::{
    InternedEvent, TraceBuilder,
    intern::{Borrowed, intern},
    pairing::EndStrings,
    recent_names::RecentNames,
    registry::{Registry, TrackKey, index32},
};

/// Events of one file, prepared on any thread for a [`TraceBuilder`] on another.
///
/// A batch is used again and again for one builder, because it keeps the strings and threads that it has seen.
///
/// ```
/// use spall_model::{ByteRange, Event, EventBatch, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
///
/// let work = ThreadEvent::new(Thread::new(1, 2), Tick(10), Text::from("work"));
/// let mut batch = EventBatch::new();
/// batch.push(&Event::Complete(work, Ticks(5)), ByteRange::default());
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push_batch(&mut batch);
/// assert!(batch.is_empty());
/// assert_eq!(builder.finish().slices().ends(), [Tick(15)]);
/// ```
#[derive(Debug, Default)]
pub struct EventBatch<'e> {
    events: Vec<PackedEvent>,
    /// The arguments of the packed events that have any.
    args: Vec<Args<'e>>,
    /// The events that are not packed.
    others: Vec<(Event<'e>, ByteRange)>,
    /// The ranges of bytes that do not fit into packed events.
    ranges: Vec<ByteRange>,
    /// The position in the file to which those of packed events are relative.
    base: u64,
    names: Names<'e>,
    recent: RecentNames,
    /// The threads of packed events.
    threads: Registry,
    /// The number that the builder has for each name of the batch, or [`UNKNOWN`].
    builder_names: Vec<NameId>,
    /// The number that the builder has for each thread of the batch, or [`UNKNOWN`].
    builder_tracks: Vec<u32>,
}

/// The number of a name or track that the builder was not asked for yet.
const UNKNOWN: u32 = u32::MAX;

/// The number of packed events that a batch has room for. They take 5 MiB.
const MAX_EVENTS: usize = 1 << 17;

/// The number of other events that a batch has room for. They take less than 3 MiB.
const MAX_OTHERS: usize = 1 << 14;

/// The numbers of names and threads from which on an empty batch forgets them, so that it does not grow with the file.
const MANY_NAMES: usize = 1 << 16;
const MANY_THREADS: usize = 1 << 14;

/// An event of a batch.
#[derive(Debug, Clone, Copy)]
struct PackedEvent {
    at: Tick,
    duration: Ticks,
    /// Name and category, by their numbers in the batch.
    name: NameId,
    category: NameId,
    /// The position in [`EventBatch::args`] behind that of the arguments; 0 if there are none.
    args: u32,
    /// The thread, by its number in the batch, and below that the kind of the event in [`KIND_BITS`]. Of an event that is
    /// not packed the number is its position in [`EventBatch::others`].
    place: u32,
    /// The bytes of the file, from [`EventBatch::base`] on. If the length is [`LARGE`], the start is a position in
    /// [`EventBatch::ranges`].
    start: u32,
    length: u32,
}

// A batch is written and read once for each event, and should stay in the cache meanwhile.
const _: () = assert!(size_of::<PackedEvent>() == 40);

// The kinds of events.
const BEGIN: u32 = 0;
const END: u32 = 1;
const NAMED_END: u32 = 2;
const COMPLETE: u32 = 3;
const OTHER: u32 = 4;
const KIND_BITS: u32 = 3;

/// The length that stands for a range which is kept elsewhere.
const LARGE: u32 = u32::MAX;

impl<'e> EventBatch<'e> {
    /// Returns an empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether the batch has no events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns whether the batch has as many events as it should hold at once. It takes up to 18 MiB then, and a further event
    /// is kept as well.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.events.len() >= MAX_EVENTS || self.others.len() >= MAX_OTHERS
    }

    /// Adds an event, whose strings the batch borrows from the input. This takes amortised constant time.
    ///
    /// `bytes` are the bytes of the file that the event was read from.
    #[inline(always)]
    pub fn push(&mut self, event: &Event<'e>, bytes: ByteRange) {
        if self.events.is_empty() {
            self.base = bytes.start;
        }
        match event {
            Event::Begin(event) => {
                self.pack(BEGIN, event, Ticks::ZERO, bytes);
            }
            Event::End(event) if event.name.is_empty() => self.pack(END, event, Ticks::ZERO, bytes),
            Event::End(event) => self.pack(NAMED_END, event, Ticks::ZERO, bytes),
            Event::Complete(event, duration) => {
                self.pack(COMPLETE, event, *duration, bytes);
            }
            // A copy: if a reference to the event itself left this function, every event would be put together in memory.
            &event => self.push_other(event, bytes),
        }
    }

    /// Adds an event in its packed form.
    #[inline(always)]
    fn pack(&mut self, kind: u32, event: &ThreadEvent<'e>, duration: Ticks, bytes: ByteRange) {
        let (start, length) = (bytes.start.wrapping_sub(self.base), bytes.end.wrapping_sub(bytes.start));
        let (start, length) = match (u32::try_from(start), u32::try_from(length)) {
            (Ok(start), Ok(length)) if length != LARGE => (start, length),
            _ => self.push_range(bytes),
        };
        let place = self.thread(event.thread) << KIND_BITS | kind;
        let args = if event.args.is_none() {
            0
        } else {
            self.args.push(event.args);
            index32(self.args.len())
        };
        let (name, category) = (self.intern(event.name), self.intern(event.category));
        let at = event.at;
        self.events.push(PackedEvent { at, duration, name, category, args, place, start, length });
    }

    /// Keeps a range that is too far away or too long for 32 bits. Returns the numbers that stand for it.
    #[cold]
    fn push_range(&mut self, bytes: ByteRange) -> (u32, u32) {
        self.ranges.push(bytes);
        (index32(self.ranges.len() - 1), LARGE)
    }

    /// Adds an event as it is.
    #[cold]
    #[inline(never)]
    fn push_other(&mut self, event: Event<'e>, bytes: ByteRange) {
        self.events.push(PackedEvent {
            at: Tick(0),
            duration: Ticks::ZERO,
            name: NameId::EMPTY,
            category: NameId::EMPTY,
            args: 0,
            place: index32(self.others.len()) << KIND_BITS | OTHER,
            start: 0,
            length: 0,
        });
        self.others.push((event, bytes));
    }

    #[inline(always)]
    fn intern(&mut self, text: Text<'e>) -> NameId {
        intern::<Borrowed>(&mut self.names, &mut self.recent, text)
    }

    /// Returns the number of a thread, which is added if it is new.
    #[inline(always)]
    fn thread(&mut self, thread: Thread<'e>) -> u32 {
        if let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid)
            && let Some(thread) = self.threads.recent(pid, tid)
        {
            return thread;
        }
        self.find_thread(thread)
    }

    #[inline(never)]
    fn find_thread(&mut self, thread: Thread<'e>) -> u32 {
        let pid = self.key(thread.pid);
        let process = self.threads.process(pid);
        let key = TrackKey::Thread { process, tid: self.key(thread.tid) };
        // There is one for each event of the batch at most, and those that it had before.
        let number = self.threads.find_or_add(key, u32::MAX).unwrap_or(0);
        if let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid) {
            self.threads.remember(pid, tid, number);
        }
        number
    }

    fn key(&mut self, id: Id<'e>) -> Key {
        match id {
            Id::Number(number) => Key::Number(number),
            Id::Text(raw) => Key::Text(self.intern(Text::escaped(raw))),
        }
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.events.clear();
        self.args.clear();
        self.others.clear();
        self.ranges.clear();
        if self.names.len() > MANY_NAMES || self.threads.tracks.len() > MANY_THREADS {
            (self.names, self.recent, self.threads) = Default::default();
            self.builder_names.clear();
            self.builder_tracks.clear();
        }
    }
}

impl<'a> TraceBuilder<'a> {
    /// Adds all events of a batch, whose strings the trace borrows, and empties the batch.
    ///
    /// The result is that of [`TraceBuilder::push`] for each event.
    pub fn push_batch(&mut self, batch: &mut EventBatch<'a>) {
        batch.builder_names.resize(batch.names.len(), NameId(UNKNOWN));
        batch.builder_tracks.resize(batch.threads.tracks.len(), UNKNOWN);
        let EventBatch { events, args, others, ranges, base, .. } = batch;
        let EventBatch { names, threads, builder_names, builder_tracks, .. } = batch;
        let mut lookup = Lookup { names, builder_names, threads, builder_tracks };
        for packed in &*events {
            let (number, kind) = (packed.place >> KIND_BITS, packed.place & ((1 << KIND_BITS) - 1));
            if kind == OTHER {
                if let Some((event, bytes)) = others.get(number as usize) {
                    self.add_other(event, *bytes);
                }
                continue;
            }
            let bytes = if packed.length == LARGE {
                ranges.get(packed.start as usize).copied().unwrap_or_default()
            } else {
                let start = *base + u64::from(packed.start);
                ByteRange::new(start, start + u64::from(packed.length))
            };
            let Some(track) = lookup.track(number, self, bytes) else { continue };
            match kind {
                END | NAMED_END => {
                    let end = PackedEnd { packed, is_unnamed: kind == END, args, lookup: &mut lookup };
                    self.close(track, packed.at, end, bytes);
                }
                _ => {
                    let row = InternedEvent {
                        track,
                        at: packed.at,
                        name: lookup.name(packed.name, self),
                        category: lookup.name(packed.category, self),
                        args: self.keep_packed_args(packed, args, bytes),
                    };
                    if kind == BEGIN {
                        self.begin(row, bytes);
                    } else {
                        self.complete(&row, packed.duration, bytes);
                    }
                }
            }
        }
        batch.clear();
    }

    /// Adds an event that is not packed.
    #[inline(never)]
    fn add_other(&mut self, event: &Event<'a>, bytes: ByteRange) {
        self.add::<Borrowed>(event, bytes);
    }

    /// Keeps the arguments of a packed event.
    #[inline(always)]
    fn keep_packed_args(&mut self, packed: &PackedEvent, args: &[Args<'a>], bytes: ByteRange) -> ArgsId {
        match packed.args.checked_sub(1).and_then(|at| args.get(at as usize)) {
            Some(args) => self.keep_args::<Borrowed>(*args, bytes),
            None => ArgsId::NONE,
        }
    }
}

/// The strings of an end in a batch.
struct PackedEnd<'p, 'l, 'b, 'a> {
    packed: &'p PackedEvent,
    is_unnamed: bool,
    args: &'p [Args<'a>],
    lookup: &'l mut Lookup<'b, 'a>,
}

impl<'a> EndStrings<'a> for PackedEnd<'_, '_, '_, 'a> {
    #[inline(always)]
    fn is_unnamed(&self) -> bool {
        self.is_unnamed
    }

    #[inline(always)]
    fn is_named(&self, _: NameId, _: &Names<'a>) -> bool {
        false
    }

    #[inline(always)]
    fn name(&mut self, builder: &mut TraceBuilder<'a>) -> NameId {
        self.lookup.name(self.packed.name, builder)
    }

    #[inline(always)]
    fn args(&mut self, builder: &mut TraceBuilder<'a>, bytes: ByteRange) -> ArgsId {
        builder.keep_packed_args(self.packed, self.args, bytes)
    }
}

/// The numbers that a builder has for the names and threads of a batch.
struct Lookup<'b, 'e> {
    names: &'b Names<'e>,
    builder_names: &'b mut [NameId],
    threads: &'b Registry,
    builder_tracks: &'b mut [u32],
}

impl<'a> Lookup<'_, 'a> {
    /// Returns the builder's number of a name, which is added if it is new.
    #[inline(always)]
    fn name(&mut self, name: NameId, builder: &mut TraceBuilder<'a>) -> NameId {
        match self.builder_names.get(name.index()) {
            Some(&known) if known.0 != UNKNOWN => known,
            _ => self.find_name(name, builder),
        }
    }

    #[inline(never)]
    fn find_name(&mut self, name: NameId, builder: &mut TraceBuilder<'a>) -> NameId {
        let found = builder.names.intern_name_of(self.names, name);
        if let Some(known) = self.builder_names.get_mut(name.index()) {
            *known = found;
        }
        found
    }

    /// Returns the builder's track of a thread, which is added if it is new; `None` if there are too many tracks.
    #[inline(always)]
    fn track(&mut self, thread: u32, builder: &mut TraceBuilder<'a>, bytes: ByteRange) -> Option<u32> {
        match self.builder_tracks.get(thread as usize) {
            Some(&track) if track != UNKNOWN => Some(track),
            _ => self.find_track(thread, builder, bytes),
        }
    }

    #[inline(never)]
    fn find_track(&mut self, thread: u32, builder: &mut TraceBuilder<'a>, bytes: ByteRange) -> Option<u32> {
        let (pid, tid) = self.threads.thread(thread)?;
        let pid = self.key(pid, builder);
        let process = builder.registry.process(pid);
        let tid = self.key(tid, builder);
        let track = builder.track(TrackKey::Thread { process, tid }, bytes)?;
        if let Some(known) = self.builder_tracks.get_mut(thread as usize) {
            *known = track;
        }
        Some(track)
    }

    /// Returns the builder's form of an id.
    fn key(&mut self, key: Key, builder: &mut TraceBuilder<'a>) -> Key {
        match key {
            Key::Number(number) => Key::Number(number),
            Key::Text(name) => Key::Text(self.name(name, builder)),
        }
    }
}

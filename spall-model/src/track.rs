//! The processes and tracks of a trace.

use alloc::{borrow::Cow, string::ToString, vec::Vec};
use core::ops::Range;

use crate::{
    ChildOrder, Conventions, IdRange, NameId, Names, ProcessId, SliceId, StateId, ThreadRole, TrackId,
};

/// The id of a process, thread, async span, flow or object, as a trace keeps it: an [`Id`](crate::Id) with interned
/// text.
///
/// [`TraceView::key_text`](crate::TraceView::key_text) returns its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A number. If [`Conventions::unsigned_ids`] is set, its bits are those of a `u64`.
    Number(i64),
    /// A text, which is one of the trace's names.
    Text(NameId),
}

impl Key {
    /// Returns the name of a process or thread with this id that no event names.
    pub(crate) fn default_name(self) -> NameId {
        match self {
            Self::Number(_) => NameId::EMPTY,
            Self::Text(name) => name,
        }
    }

    /// Returns the number in decimal digits, or the text.
    pub(crate) fn text<'n>(self, names: &'n Names, conventions: Conventions) -> Cow<'n, str> {
        match self {
            Self::Number(number) => Cow::Owned(conventions.number(number).to_string()),
            Self::Text(name) => names.text(name),
        }
    }
}

/// A process: a group of tracks.
/// [`TraceView::process_title`](crate::TraceView::process_title) returns a title for people.
///
/// ```
/// use spall_model::{Event, Id, Key, Limits, Text, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::ProcessName(Id::Number(7), Text::from("game")));
/// let trace = builder.finish();
/// let process = &trace.processes()[0];
/// assert_eq!((process.pid, &*trace.name(process.name)), (Key::Number(7), "game"));
/// assert!(process.tracks().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The number of the process in the trace.
    pub id: ProcessId,
    /// The id of the process in the file.
    pub pid: Key,
    /// The name; empty if the file has none.
    pub name: NameId,
    /// The key by which the file orders processes: ascending, and 0 by default.
    pub sort_index: i64,
    /// The labels that the file gives the process, each once.
    pub labels: Vec<NameId>,
    pub(crate) tracks: Range<u32>,
}

impl Process {
    /// Returns the ids of the tracks of the process, which are consecutive.
    #[must_use]
    pub fn tracks(&self) -> IdRange<TrackId> {
        IdRange::of(&self.tracks)
    }
}

/// Returns the title of a track for people: its name, or else its kind and id. `first` returns the name of the first
/// slice or instant on the track, which is the title of an async track or a track of its own without a name.
pub(crate) fn track_title<'n>(
    kind: TrackKind,
    name: NameId,
    first: impl FnOnce() -> NameId,
    names: &'n Names,
    conventions: Conventions,
) -> Cow<'n, str> {
    let name = match kind {
        TrackKind::Async { .. } | TrackKind::Track { .. } if name.is_empty() => first(),
        _ => name,
    };
    if !name.is_empty() {
        return names.text(name);
    }
    let with_id = |what: &str, id: Key| Cow::Owned(alloc::format!("{what} {}", id.text(names, conventions)));
    match kind {
        TrackKind::Thread { tid } => with_id("Thread", tid),
        TrackKind::Cpu { .. } => Cow::Borrowed("CPU"),
        TrackKind::Gpu { .. } => Cow::Borrowed("GPU"),
        TrackKind::Frames { .. } => Cow::Borrowed("Frames"),
        TrackKind::Track { id } => with_id("Track", id),
        TrackKind::Async { id, .. } => with_id("Async", id),
        TrackKind::Counter { .. } => Cow::Borrowed("Counter"),
        TrackKind::Process => Cow::Borrowed("Process-wide"),
        TrackKind::Global => Cow::Borrowed("Global"),
    }
}

/// The kind of a track, which says what the timeline shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackKind {
    /// A thread of the operating system, or anything else that the file calls a thread.
    Thread {
        /// The id of the thread in the file.
        tid: Key,
    },
    /// The work of the processor on behalf of graphics calls, as measured while they were replayed.
    Cpu {
        /// The thread id that events of the track have.
        tid: Key,
    },
    /// The work of the graphics processor.
    Gpu {
        /// The thread id that events of the track have.
        tid: Key,
    },
    /// The frames of an animation, one after the other.
    Frames {
        /// The thread id that events of the track have.
        tid: Key,
    },
    /// A track of its own, at a place that the file gives it. [`TrackEvent`](crate::TrackEvent) says how it comes about.
    Track {
        /// The thread id that events of the track have.
        id: Key,
    },
    /// The async spans of one key. Category, id, locality and scope together are the key.
    Async {
        /// The comma-separated categories of the spans.
        category: NameId,
        /// The id that the spans share.
        id: Key,
        /// Whether the id is only valid inside its process.
        local: bool,
        /// The scope that keeps apart equal ids; empty if the file has none.
        scope: NameId,
        /// Whether the spans are of the older kind of the JSON format: their name is part of the key, and their steps
        /// are slices inside them.
        stepped: bool,
    },
    /// A counter with its series. The name of the counter is the name of the track.
    Counter {
        /// The id that tells apart counters of one name; `None` if the file has none.
        id: Option<Key>,
    },
    /// Instants that concern a process as a whole.
    Process,
    /// Instants that concern the whole trace.
    Global,
}

impl TrackKind {
    /// Returns the role of a thread that is none of the operating system.
    pub(crate) fn role(&self) -> Option<ThreadRole> {
        match self {
            Self::Cpu { .. } => Some(ThreadRole::Cpu),
            Self::Gpu { .. } => Some(ThreadRole::Gpu),
            Self::Frames { .. } => Some(ThreadRole::Frames),
            _ => None,
        }
    }

    /// Returns a short stable name of the kind, such as `thread` or `counter`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Thread { .. } => "thread",
            Self::Cpu { .. } => "cpu",
            Self::Gpu { .. } => "gpu",
            Self::Frames { .. } => "frames",
            Self::Track { .. } => "track",
            Self::Async { .. } => "async",
            Self::Counter { .. } => "counter",
            Self::Process => "process",
            Self::Global => "global",
        }
    }

    /// Returns the thread id that events of the track have, for a thread, CPU, GPU or frame timeline and for a track of
    /// its own. Returns `None` for any other kind.
    #[must_use]
    pub fn tid(&self) -> Option<Key> {
        match *self {
            Self::Thread { tid } | Self::Cpu { tid } | Self::Gpu { tid } | Self::Frames { tid } => Some(tid),
            Self::Track { id } => Some(id),
            Self::Async { .. } | Self::Counter { .. } | Self::Process | Self::Global => None,
        }
    }
}

/// A track: one timeline, whose slices share one nesting.
///
/// A track says which elements lie on it. The elements themselves are in the columns of the trace, and
/// [`TraceView::slices_of`](crate::TraceView::slices_of) and its siblings look them up.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let work = ThreadEvent::new(Thread::new(1, 7), Tick(0), Text::from("work"));
/// builder.push(&Event::Complete(work, Ticks(5)));
/// let trace = builder.finish();
///
/// let track = &trace.tracks()[0];
/// assert_eq!((track.kind.name(), track.slices().len()), ("thread", 1));
/// assert_eq!(trace.track_title(track.id), "Thread 7");
/// ```
#[doc(alias("thread", "swimlane"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// The number of the track in the trace.
    pub id: TrackId,
    /// The kind of the track.
    pub kind: TrackKind,
    /// The process that the track belongs to; `None` only for [`TrackKind::Global`].
    pub process: Option<ProcessId>,
    /// The name; empty if the file has none.
    pub name: NameId,
    /// The key by which the file orders the tracks of one kind in a process: ascending, and 0 by default. For a track of
    /// its own, and a counter in its place, it is [`TrackEvent::rank`](crate::TrackEvent::rank).
    pub sort_index: i64,
    /// The thread or track of the same process below which the track lies; `None` if it lies directly below the process.
    /// A track comes right before those below it.
    pub parent: Option<TrackId>,
    /// The order of the tracks directly below this one.
    pub children: ChildOrder,
    pub(crate) slices: Range<u32>,
    pub(crate) instants: Range<u32>,
    pub(crate) counters: Range<u32>,
    pub(crate) states: Range<u32>,
}

impl Track {
    /// Returns the ids of the slices of the track. [pairing 3](crate::rules::pairing#3)
    ///
    /// They are ordered by start. Of slices with one start the longer ones come first, and those of one duration are in
    /// the order of the file. Begins and ends that prove another nesting take precedence over the durations.
    #[must_use]
    pub fn slices(&self) -> IdRange<SliceId> {
        IdRange::of(&self.slices)
    }

    /// Returns the positions of the instants of the track in [`Trace::instants`](crate::Trace::instants).
    #[must_use]
    pub fn instants(&self) -> Range<usize> {
        widen(&self.instants)
    }

    /// Returns the positions of the values of the track in [`Trace::counters`](crate::Trace::counters). The values of all
    /// its series are mixed.
    #[must_use]
    pub fn counters(&self) -> Range<usize> {
        widen(&self.counters)
    }

    /// Returns the ids of the states of the track, ordered by time.
    #[must_use]
    pub fn states(&self) -> IdRange<StateId> {
        IdRange::of(&self.states)
    }
}

/// Returns a range of numbers as a range of positions.
pub(crate) fn widen(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The kind, process and name of a track, in a finished or a live trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackInfo {
    /// The kind of the track: a thread, a counter and so on. A live trace may still change it.
    pub kind: TrackKind,
    /// The process that the track belongs to; `None` only for [`TrackKind::Global`].
    pub process: Option<ProcessId>,
    /// The name of the track; empty if the file has none.
    pub name: NameId,
    /// The key by which the file orders the tracks of one kind in a process: ascending, and 0 by default.
    pub sort_index: i64,
    /// The thread or track of the same process below which the track lies; `None` if it lies directly below the process.
    pub parent: Option<TrackId>,
}

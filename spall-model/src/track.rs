//! Processes and tracks: what shares one nesting, and whose it is.

use alloc::{borrow::Cow, string::ToString, vec::Vec};
use core::ops::Range;

use crate::{
    Conventions, CounterId, IdRange, InstantId, NameId, Names, SliceId, StateId, id_range::dense_id,
};

/// The id of a process, thread, span or object, as a trace keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A number; [`crate::Conventions::unsigned_ids`] says whether it is to be read as unsigned.
    Number(i64),
    /// Text.
    Text(NameId),
}

impl Key {
    pub(crate) fn text<'n>(self, names: &'n Names<'_>, conventions: Conventions) -> Cow<'n, str> {
        match self {
            Self::Number(number) => Cow::Owned(conventions.number(number).to_string()),
            Self::Text(name) => names.text(name),
        }
    }
}

/// The number of a process in [`crate::Trace::processes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// The number of a track in [`crate::Trace::tracks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(pub u32);

dense_id! {
    ProcessId: "[`Trace::processes`](crate::Trace::processes)";
    TrackId: "[`Trace::tracks`](crate::Trace::tracks)";
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id in the file.
    pub pid: Key,
    /// Its name; empty if the file has none.
    pub name: NameId,
    /// Where it stands among the processes.
    pub sort_index: i64,
    /// Its labels, each once.
    pub labels: Vec<NameId>,
    pub(crate) tracks: Range<u32>,
}

impl Process {
    /// Returns the tracks of the process.
    #[must_use]
    pub fn tracks(&self) -> IdRange<TrackId> {
        IdRange::of(&self.tracks)
    }
}

/// The label of a process for people: its name, or else its id.
pub(crate) fn process_label<'n>(
    name: NameId,
    pid: Key,
    names: &'n Names<'_>,
    conventions: Conventions,
) -> Cow<'n, str> {
    match names.text(name) {
        name if name.is_empty() => Cow::Owned(alloc::format!("Process {}", pid.text(names, conventions))),
        name => name,
    }
}

/// The label of a track for people: its name, or else what its kind and id say. `first` is the name of the first thing
/// on the track.
pub(crate) fn track_label<'n>(
    kind: TrackKind,
    name: NameId,
    first: impl FnOnce() -> NameId,
    names: &'n Names<'_>,
    conventions: Conventions,
) -> Cow<'n, str> {
    let name = match kind {
        TrackKind::Async { .. } if name.is_empty() => first(),
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
        TrackKind::Async { id, .. } => with_id("Async", id),
        TrackKind::Counter { .. } => Cow::Borrowed("Counter"),
        TrackKind::Process => Cow::Borrowed("Process-wide"),
        TrackKind::Global => Cow::Borrowed("Global"),
    }
}

/// What a track shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackKind {
    /// A thread.
    Thread {
        /// Its id in the file.
        tid: Key,
    },
    /// Work of the processor on behalf of calls, as a replay measured it.
    Cpu {
        /// Its thread id in the events.
        tid: Key,
    },
    /// Work of the graphics processor.
    Gpu {
        /// Its thread id in the events.
        tid: Key,
    },
    /// Frames of an animation.
    Frames {
        /// Its thread id in the events.
        tid: Key,
    },
    /// The async spans of one key.
    Async {
        /// Categories; part of the key.
        category: NameId,
        /// The key.
        id: Key,
        /// Whether the key only counts inside its process.
        local: bool,
        /// What the key belongs to, and is part of it; empty if the file does not say.
        scope: NameId,
        /// Whether the spans are of the older kind, whose name is part of the key, with their steps in them.
        stepped: bool,
    },
    /// The series of one counter, whose name is the track's.
    Counter {
        /// Tells apart counters of one name.
        id: Option<Key>,
    },
    /// What concerns a process as a whole.
    Process,
    /// What concerns the whole trace.
    Global,
}

impl TrackKind {
    /// Returns a short stable name of the kind, such as `thread` or `counter`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Thread { .. } => "thread",
            Self::Cpu { .. } => "cpu",
            Self::Gpu { .. } => "gpu",
            Self::Frames { .. } => "frames",
            Self::Async { .. } => "async",
            Self::Counter { .. } => "counter",
            Self::Process => "process",
            Self::Global => "global",
        }
    }

    /// The thread id by which events name the track: of a thread, and of what is written as one.
    #[must_use]
    pub fn tid(&self) -> Option<Key> {
        match *self {
            Self::Thread { tid } | Self::Cpu { tid } | Self::Gpu { tid } | Self::Frames { tid } => Some(tid),
            Self::Async { .. } | Self::Counter { .. } | Self::Process | Self::Global => None,
        }
    }
}

/// A line of the timeline: what shares one nesting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// What it shows.
    pub kind: TrackKind,
    /// Whose it is; `None` only for [`TrackKind::Global`].
    pub process: Option<ProcessId>,
    /// Its name; empty if the file has none.
    pub name: NameId,
    /// Where it stands among its process's tracks of its kind.
    pub sort_index: i64,
    pub(crate) slices: Range<u32>,
    pub(crate) instants: Range<u32>,
    pub(crate) counters: Range<u32>,
    pub(crate) states: Range<u32>,
}

impl Track {
    /// Returns the slices of the track, ordered by start, then longer first, then as in the file, unless a begin and an
    /// end prove another order. \[json 3.3\]
    #[must_use]
    pub fn slices(&self) -> IdRange<SliceId> {
        IdRange::of(&self.slices)
    }

    /// Returns the instants of the track, ordered by time.
    #[must_use]
    pub fn instants(&self) -> IdRange<InstantId> {
        IdRange::of(&self.instants)
    }

    /// Returns the counter values of the track, ordered by time.
    #[must_use]
    pub fn counters(&self) -> IdRange<CounterId> {
        IdRange::of(&self.counters)
    }

    /// Returns the states of the track, ordered by time.
    #[must_use]
    pub fn states(&self) -> IdRange<StateId> {
        IdRange::of(&self.states)
    }
}

pub(crate) fn widen(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

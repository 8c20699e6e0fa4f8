//! The interface that finished and live traces share.

use alloc::borrow::Cow;
use core::ops::Range;

use crate::{
    Args, Clock, Conventions, CounterValue, Flow, HasArgs, Instant, Key, LiveSnapshot, NameId, Names,
    ProcessId, Slice, SliceArgs, SliceId, State, Tick, Trace, Track, TrackId, TrackKind,
};

/// Read access to a trace, whether it is finished or still grows.
///
/// [`Trace`] and [`LiveSnapshot`] implement this trait, so code that only reads a trace works with both. All methods
/// are resolved at compile time. The trait is sealed: other crates cannot implement it, and it may gain methods.
///
/// A live trace shows threads with their slices, instants and states, and counters. It has no flows: the slices that a
/// flow connects are only known when the trace is finished.
///
/// ```
/// use spall_model::{ByteRange, Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// /// Returns the label of each track and the names of its slices.
/// fn list(trace: &impl TraceView) -> Vec<(String, Vec<String>)> {
///     let names = |track| trace.track_slices(track).map(|id| trace.slice_name(id).into_owned()).collect();
///     trace.track_ids().map(|track| (trace.label_of_track(track).into_owned(), names(track))).collect()
/// }
///
/// let (mut builder, mut live) = (TraceBuilder::new(&Limits::default()), LiveTrace::new(&Limits::default()));
/// let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(0), Text::plain(b"frame"));
/// builder.push(&Event::Begin(event), ByteRange::default());
/// live.push(&Event::Begin(event), ByteRange::default());
/// let expected = [("Thread 7".into(), vec!["frame".into()])];
/// assert_eq!(list(&live.commit()), expected);
/// assert_eq!(list(&builder.finish()), expected);
/// ```
#[allow(private_bounds, reason = "seals the trait")]
pub trait TraceView: Sealed {
    /// Returns the clock: the unit of all times, and the epoch if it is known.
    fn clock(&self) -> Clock;

    /// Returns the meaning of the format's ids and of the order of its events.
    fn conventions(&self) -> Conventions;

    /// Returns the half-open range of time that covers every track, or `None` if nothing has a time.
    fn bounds(&self) -> Option<Range<Tick>>;

    /// Returns the table of all names.
    fn names(&self) -> &Names<'_>;

    /// Returns the tracks in display order. The tracks of a process are consecutive.
    ///
    /// A live trace sorts its n tracks in each call, which takes O(n log n). The order only changes when a track is
    /// new, or when a name or a sort index arrives.
    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId>;

    /// Returns the kind, process and name of a track, or `None` if the trace has no such track.
    fn track_info(&self, track: TrackId) -> Option<TrackInfo>;

    /// Returns the id and name of a process, or `None` if the trace has no such process.
    fn process_info(&self, process: ProcessId) -> Option<ProcessInfo>;

    /// Returns the number of slices. Slices are numbered from 0.
    fn n_slices(&self) -> usize;

    /// Returns a slice, or `None` if the trace has no such slice. An open slice of a live trace ends at the latest
    /// time of its track.
    fn slice(&self, slice: SliceId) -> Option<Slice>;

    /// Returns the number of the name of a slice, or `None` if the trace has no such slice. This is cheaper than
    /// [`TraceView::slice`].
    fn slice_name_id(&self, slice: SliceId) -> Option<NameId>;

    /// Returns the track of a slice, or `None` if the trace has no such slice. This takes O(log n) for n tracks at
    /// worst.
    fn track_of(&self, slice: SliceId) -> Option<TrackId>;

    /// Returns the arguments of a slice; they are empty if the trace has no such slice.
    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_>;

    /// Returns the arguments of an instant, a state or another element; [`Args::NONE`] if it has none.
    fn args_of(&self, of: &impl HasArgs) -> Args<'_>;

    /// Iterates over the slices of a track, ordered by start. A longer slice comes before a shorter one with the same
    /// start. There are none if the trace has no such track.
    fn track_slices(&self, track: TrackId) -> impl Iterator<Item = SliceId>;

    /// Returns the instants of a track, ordered by time; empty if the trace has no such track.
    fn track_instants(&self, track: TrackId) -> &[Instant];

    /// Returns the counter values of a track, ordered by time; empty if the trace has no such track. The values of
    /// all its series are mixed.
    fn track_counters(&self, track: TrackId) -> &[CounterValue];

    /// Returns the scheduling states of a thread, ordered by time; empty if the trace has no such track.
    fn track_states(&self, track: TrackId) -> &[State];

    /// Returns the flows between slices, ordered by the time at which they leave. A live trace has none.
    fn flows(&self) -> &[Flow];

    /// Returns a name as text, with bad UTF-8 replaced by U+FFFD; empty for a number that the table does not have.
    fn name(&self, name: NameId) -> Cow<'_, str> {
        self.names().text(name)
    }

    /// Returns the text of a key: the number in decimal digits, or the name with bad UTF-8 replaced by U+FFFD.
    fn key_text(&self, key: Key) -> Cow<'_, str> {
        key.text(self.names(), self.conventions())
    }

    /// Returns the name of a slice as text, with bad UTF-8 replaced by U+FFFD; empty if the trace has no such slice.
    fn slice_name(&self, slice: SliceId) -> Cow<'_, str> {
        self.name(self.slice_name_id(slice).unwrap_or_default())
    }

    /// Returns the label of a track for people: its name, or its kind and id if it has none (`Thread 7`, `GPU`). An
    /// async track without a name is labelled with the name of the first slice or instant on it. The label is empty
    /// if the trace has no such track.
    fn label_of_track(&self, track: TrackId) -> Cow<'_, str>;

    /// Returns the label of a process for people: its name, or `Process 7` if it has none. The label is empty if the
    /// trace has no such process.
    fn label_of_process(&self, process: ProcessId) -> Cow<'_, str>;
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
}

/// The id and name of a process, in a finished or a live trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// The id of the process in the file.
    pub pid: Key,
    /// The name of the process; empty if the file has none.
    pub name: NameId,
    /// The key by which the file orders processes: ascending, and 0 by default.
    pub sort_index: i64,
}

/// A private trait, which keeps other crates from implementing [`TraceView`].
trait Sealed {}
impl Sealed for Trace<'_> {}
impl Sealed for LiveSnapshot<'_> {}

impl TraceView for Trace<'_> {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn conventions(&self) -> Conventions {
        self.conventions
    }

    fn bounds(&self) -> Option<Range<Tick>> {
        Trace::bounds(self)
    }

    fn names(&self) -> &Names<'_> {
        &self.names
    }

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        Trace::track_ids(self).iter()
    }

    fn track_info(&self, track: TrackId) -> Option<TrackInfo> {
        let track = self.tracks.get(track.index())?;
        let (kind, process, name, sort_index) = (track.kind, track.process, track.name, track.sort_index);
        Some(TrackInfo { kind, process, name, sort_index })
    }

    fn process_info(&self, process: ProcessId) -> Option<ProcessInfo> {
        let process = self.processes.get(process.index())?;
        Some(ProcessInfo { pid: process.pid, name: process.name, sort_index: process.sort_index })
    }

    fn n_slices(&self) -> usize {
        self.slices.len()
    }

    #[inline]
    fn slice(&self, slice: SliceId) -> Option<Slice> {
        self.slices.get(slice)
    }

    #[inline]
    fn slice_name_id(&self, slice: SliceId) -> Option<NameId> {
        self.slices.name.get(slice.index()).copied()
    }

    fn label_of_track(&self, track: TrackId) -> Cow<'_, str> {
        self.tracks.get(track.index()).map_or(Cow::Borrowed(""), |track| self.track_label(track))
    }

    fn label_of_process(&self, process: ProcessId) -> Cow<'_, str> {
        self.processes.get(process.index()).map_or(Cow::Borrowed(""), |process| self.process_label(process))
    }

    fn track_of(&self, slice: SliceId) -> Option<TrackId> {
        Trace::track_of(self, slice)
    }

    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_> {
        Trace::slice_args(self, slice)
    }

    fn args_of(&self, of: &impl HasArgs) -> Args<'_> {
        self.args.get(of.args_id())
    }

    fn track_slices(&self, track: TrackId) -> impl Iterator<Item = SliceId> {
        self.tracks.get(track.index()).map(Track::slices).unwrap_or_default().iter()
    }

    fn track_instants(&self, track: TrackId) -> &[Instant] {
        self.tracks.get(track.index()).map_or(&[], |track| self.instants_of(track))
    }

    fn track_counters(&self, track: TrackId) -> &[CounterValue] {
        self.tracks.get(track.index()).map_or(&[], |track| self.counters_of(track))
    }

    fn track_states(&self, track: TrackId) -> &[State] {
        self.tracks.get(track.index()).map_or(&[], |track| self.states_of(track))
    }

    fn flows(&self) -> &[Flow] {
        &self.flows
    }
}

impl TraceView for LiveSnapshot<'_> {
    fn clock(&self) -> Clock {
        LiveSnapshot::clock(self)
    }

    fn conventions(&self) -> Conventions {
        LiveSnapshot::conventions(self)
    }

    fn bounds(&self) -> Option<Range<Tick>> {
        LiveSnapshot::bounds(self)
    }

    fn names(&self) -> &Names<'_> {
        LiveSnapshot::names(self)
    }

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        self.display_order().into_iter()
    }

    fn track_info(&self, track: TrackId) -> Option<TrackInfo> {
        let track = self.track(track)?;
        let (kind, process, name) = (track.kind(), track.process(), track.name());
        Some(TrackInfo { kind, process, name, sort_index: track.sort_index() })
    }

    fn process_info(&self, process: ProcessId) -> Option<ProcessInfo> {
        let process = self.process(process)?;
        Some(ProcessInfo { pid: process.pid(), name: process.name(), sort_index: process.sort_index() })
    }

    fn n_slices(&self) -> usize {
        LiveSnapshot::n_slices(self) as usize
    }

    fn slice(&self, slice: SliceId) -> Option<Slice> {
        LiveSnapshot::slice(self, slice)
    }

    fn slice_name_id(&self, slice: SliceId) -> Option<NameId> {
        LiveSnapshot::slice_name_id(self, slice)
    }

    fn label_of_track(&self, track: TrackId) -> Cow<'_, str> {
        self.track(track).map_or(Cow::Borrowed(""), |track| self.track_label(&track))
    }

    fn label_of_process(&self, process: ProcessId) -> Cow<'_, str> {
        self.process(process).map_or(Cow::Borrowed(""), |process| self.process_label(&process))
    }

    fn track_of(&self, slice: SliceId) -> Option<TrackId> {
        LiveSnapshot::track_of(self, slice)
    }

    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_> {
        LiveSnapshot::slice_args(self, slice)
    }

    fn args_of(&self, of: &impl HasArgs) -> Args<'_> {
        LiveSnapshot::args_of(self, of)
    }

    fn track_slices(&self, track: TrackId) -> impl Iterator<Item = SliceId> {
        self.track(track).map_or(&[][..], |track| track.slices()).iter().copied()
    }

    fn track_instants(&self, track: TrackId) -> &[Instant] {
        self.track(track).map_or(&[], |track| track.instants())
    }

    fn track_counters(&self, track: TrackId) -> &[CounterValue] {
        self.track(track).map_or(&[], |track| track.counters())
    }

    fn track_states(&self, track: TrackId) -> &[State] {
        self.track(track).map_or(&[], |track| track.states())
    }

    fn flows(&self) -> &[Flow] {
        &[]
    }
}

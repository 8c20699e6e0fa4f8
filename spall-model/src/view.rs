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
/// A live trace shows threads with their slices, instants and states, and counters. It has no flows: what a flow
/// connects is only known when the trace is finished.
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
    /// Returns the unit of all times, and the wall-clock time of tick 0 if it is known.
    fn clock(&self) -> Clock;

    /// Returns how the ids and ties of the trace's format are read.
    fn conventions(&self) -> Conventions;

    /// Returns the time range that holds everything on a track, or `None` if nothing has a time.
    fn bounds(&self) -> Option<Range<Tick>>;

    /// Returns the names of slices, tracks, processes and everything else.
    fn names(&self) -> &Names<'_>;

    /// Returns the tracks in display order; those of a process follow one another.
    ///
    /// For a live trace this sorts the tracks, which takes O(n log n). Ask again when a track is new or has got a
    /// name.
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

    /// Returns the name of a slice as an id. This is cheaper than [`TraceView::slice`].
    fn slice_name_id(&self, slice: SliceId) -> Option<NameId>;

    /// Returns the track of a slice. O(log tracks) at worst.
    fn track_of(&self, slice: SliceId) -> Option<TrackId>;

    /// Returns the arguments of a slice; there are none if the trace has no such slice.
    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_>;

    /// Returns the arguments of an instant, a state or anything else that has some.
    fn args_of(&self, of: &impl HasArgs) -> Args<'_>;

    /// Returns the slices of a track, by start. A longer slice comes before a shorter one with the same start.
    fn track_slices(&self, track: TrackId) -> impl Iterator<Item = SliceId>;

    /// Returns the instants of a track, by time.
    fn track_instants(&self, track: TrackId) -> &[Instant];

    /// Returns the counter values of a track, by time. The values of all its series are mixed.
    fn track_counters(&self, track: TrackId) -> &[CounterValue];

    /// Returns the scheduling states of a thread, by time.
    fn track_states(&self, track: TrackId) -> &[State];

    /// Returns the flows between slices, by the time at which they leave. A live trace has none.
    fn flows(&self) -> &[Flow];

    /// Returns a name as text, with bad UTF-8 replaced.
    fn name(&self, name: NameId) -> Cow<'_, str> {
        self.names().text(name)
    }

    /// Returns the text of the id of a process, thread or span.
    fn key_text(&self, key: Key) -> Cow<'_, str> {
        key.text(self.names(), self.conventions())
    }

    /// Returns the name of a slice as text, with bad UTF-8 replaced; empty if the trace has no such slice.
    fn slice_name(&self, slice: SliceId) -> Cow<'_, str> {
        self.name(self.slice_name_id(slice).unwrap_or_default())
    }

    /// Returns the label of a track for people: its name, or what its kind says if it has none (`Thread 7`, `GPU`). An async
    /// track is called as the first thing on it. The label is empty if the trace has no such track.
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
    /// The process of the track. Only a [`TrackKind::Global`] track has none.
    pub process: Option<ProcessId>,
    /// The name of the track. Empty if the trace does not name it.
    pub name: NameId,
    /// The position that the trace asks for among the tracks of the process; 0 if it asks for none.
    pub sort_index: i64,
}

/// The id and name of a process, in a finished or a live trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// The id of the process in the file.
    pub pid: Key,
    /// The name of the process. Empty if the trace does not name it.
    pub name: NameId,
    /// The position that the trace asks for among the processes; 0 if it asks for none.
    pub sort_index: i64,
}

/// Keeps other crates from implementing [`TraceView`].
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

//! The queries that finished and live traces share.

use alloc::{borrow::Cow, format, vec::Vec};
use core::ops::Range;

use crate::{
    Args, Clock, Conventions, CounterValue, Diagnostics, Flow, Function, Instant, Key, NameId, Names,
    ProcessId, Sampled, Slice, SliceArgs, SliceId, State, StateId, Tick, TrackId, TrackInfo, TrackSet,
    args_table::ArgsTable, facts::HasArgs, track,
};

/// Read access to a trace, whether it is finished or still grows.
///
/// [`Trace`](crate::Trace) and [`LiveSnapshot`](crate::LiveSnapshot) implement this trait, so code that only reads a
/// trace works with both. All methods are resolved at compile time. The trait is sealed: other crates cannot implement
/// it, and it may gain methods.
///
/// A live trace shows threads with their slices, instants and states, and counters. It has no flows: the slices that a
/// flow connects are only known when the trace is finished.
///
/// ```
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// /// Returns the title of each track and the names of its slices.
/// fn list(trace: &impl TraceView) -> Vec<(String, Vec<String>)> {
///     let names = |track| trace.slices_of(track).map(|(_, slice)| trace.name(slice.name).into_owned()).collect();
///     trace.track_ids().map(|track| (trace.track_title(track).into_owned(), names(track))).collect()
/// }
///
/// let (mut builder, mut live) = (TraceBuilder::new(&Limits::default()), LiveTrace::new(&Limits::default()));
/// let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(0), Text::plain(b"frame"));
/// builder.push(&Event::Begin(event));
/// live.push(&Event::Begin(event));
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

    /// Returns the half-open range of time that covers every track, or `None` if nothing that is shown has a time.
    ///
    /// The range starts at the earliest time of anything and ends at the latest, so that every slice lies within it.
    /// Two cases are on its edge:
    ///
    /// - An instant, a counter value or a slice without duration at the latest time lies on the end of the range.
    /// - The range is empty if the trace has only one time.
    ///
    /// The end is not one tick later, because the latest time may be [`Tick::MAX`], and because a point at the edge
    /// should not make a picture of the range wider.
    fn bounds(&self) -> Option<Range<Tick>>;

    /// Returns the table of all names. Their numbers never change while a trace grows.
    fn names(&self) -> &Names;

    /// Returns the diagnostics of the file: the reports of the parser and of the builder. Those of a live trace leave
    /// out the pairing of begins and ends.
    fn diagnostics(&self) -> &Diagnostics;

    /// Returns the tracks in display order: by process, kind, sort index, main thread, name and id. The tracks of a
    /// process are consecutive, and tracks of no process come first. [pairing 7](crate::rules::pairing#7)
    ///
    /// A live trace sorts its n tracks in each call, which takes O(n log n). The order only changes when a track or
    /// process is new, or gets a name or a sort index.
    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId>;

    /// Returns a number above those of all tracks, as the length of a table by track.
    fn n_tracks(&self) -> usize;

    /// Returns the kind, process and name of a track, or `None` if the trace has no such track.
    fn track_info(&self, track: TrackId) -> Option<TrackInfo>;

    /// Returns the number of slices. Slices are numbered from 0.
    fn n_slices(&self) -> usize;

    /// Returns a slice, or `None` if the trace has no such slice. An open slice of a live trace is unfinished, and
    /// ends at the latest time of its track so far.
    fn slice(&self, slice: SliceId) -> Option<Slice>;

    /// Returns the number of the name of a slice, or `None` if the trace has no such slice. This is cheaper than
    /// [`TraceView::slice`].
    fn slice_name_id(&self, slice: SliceId) -> Option<NameId>;

    /// Returns the starts and the ends of all slices, each as one list by the number of the slice. Code that visits many
    /// slices reads them faster than one by one. Returns `None` for a live trace, which has no such lists.
    fn slice_times(&self) -> Option<(&[Tick], &[Tick])> {
        None
    }

    /// Returns the track of a slice, or `None` if the trace has no such slice. This takes O(log n) for n tracks at
    /// worst.
    fn track_of(&self, slice: SliceId) -> Option<TrackId>;

    /// Returns whether a span of a track says an id or a parent, so that its slices nest by parents and not by time. This takes
    /// O(log n). [pairing 5](crate::rules::pairing#5)
    #[must_use]
    fn nests_by_parent(&self, track: TrackId) -> bool {
        _ = track;
        false
    }

    /// Returns the arguments of a slice; they are empty if the trace has no such slice.
    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_>;

    /// Returns whether the stacks of samples are estimated, because the file has a call graph instead
    /// ([`CallGraph`](crate::CallGraph)).
    fn stacks_are_estimated(&self) -> bool {
        false
    }

    /// Returns the samples behind a slice that was inferred from them, or `None` for a slice that the file has itself. A
    /// live trace has no inferred slices. This takes O(log n) for n inferred slices.
    fn sampled(&self, _slice: SliceId) -> Option<Sampled> {
        None
    }

    /// Returns the function that a slice is a call of, or `None` if the trace has no such slice.
    ///
    /// The function has a place in the source if the slice was inferred from samples. Finding it takes O(log n) for n
    /// such slices.
    fn function_of(&self, slice: SliceId) -> Option<Function> {
        self.slice_name_id(slice).map(Function::named)
    }

    /// Iterates over the slices of a track, ordered by start. A longer slice comes before a shorter one with the same
    /// start. There are none if the trace has no such track.
    fn slices_of(&self, track: TrackId) -> impl Iterator<Item = (SliceId, Slice)>;

    /// Returns the instants of a track, ordered by time; empty if the trace has no such track.
    fn instants_of(&self, track: TrackId) -> &[Instant];

    /// Returns the counter values of a track, ordered by time; empty if the trace has no such track. The values of
    /// all its series are mixed.
    fn counters_of(&self, track: TrackId) -> &[CounterValue];

    /// Returns the scheduling states of a thread, ordered by time; empty if the trace has no such track.
    fn states_of(&self, track: TrackId) -> &[State];

    /// Returns the number of slices on a track.
    fn n_slices_of(&self, track: TrackId) -> usize;

    /// Returns the number of instants. They are numbered from 0.
    fn n_instants(&self) -> u32;

    /// Returns the number in the trace of the instant at a position of [`TraceView::instants_of`]. It never changes while a
    /// trace grows.
    fn instant_number(&self, track: TrackId, position: usize) -> Option<u32>;

    /// Returns the instant of a number, and its track; `None` if the trace has no such instant.
    fn instant(&self, number: u32) -> Option<(TrackId, Instant)>;

    /// Returns the id of the state at a position of [`TraceView::states_of`]. It never changes while a trace grows.
    fn state_id(&self, track: TrackId, position: usize) -> Option<StateId>;

    /// Returns a state and its track; `None` if the trace has no such state.
    fn state(&self, state: StateId) -> Option<(TrackId, State)>;

    /// Returns the set of tracks that is shown and added up unless somebody chooses one: the threads, or everything if nothing on
    /// threads can be added up.
    fn shown_tracks(&self) -> TrackSet {
        let is_used = |track: TrackId| {
            let is_in = self.track_info(track).is_some_and(|track| TrackSet::Threads.contains(&track.kind));
            is_in && self.n_slices_of(track) > 0
        };
        if self.track_ids().any(is_used) { TrackSet::Threads } else { TrackSet::All }
    }

    /// Returns how many slices are on tracks that are not in a set, so that its sums leave them out.
    fn n_left_out(&self, set: TrackSet) -> usize {
        let is_out =
            |&track: &TrackId| self.track_info(track).is_some_and(|track| !set.contains(&track.kind));
        self.track_ids().filter(is_out).map(|track| self.n_slices_of(track)).sum()
    }

    /// Returns the flows between slices, ordered by the time of the event at which they arrive. A live trace has none.
    fn flows(&self) -> &[Flow] {
        &[]
    }

    /// Returns the arguments of an [`Instant`], a [`State`], a [`Snapshot`](crate::Snapshot), a
    /// [`Sample`](crate::Sample) or an [`OtherEvent`](crate::OtherEvent); [`Args::NONE`] if it has none.
    fn args_of(&self, of: &impl HasArgs) -> Args<'_> {
        self.args_table().get(of.args_id())
    }

    /// Returns the arguments of a flow: those of the event at its start, and those of the event at its end.
    fn flow_args(&self, flow: &Flow) -> (Args<'_>, Args<'_>) {
        (self.args_table().get(flow.args.0), self.args_table().get(flow.args.1))
    }

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

    /// Returns the title of a track for people: its name, or its kind and id if it has none (`Thread 7`, `GPU`). An
    /// async track or a track of its own without a name has the name of the first slice or instant on it. The title is empty if the trace has
    /// no such track.
    fn track_title(&self, track: TrackId) -> Cow<'_, str> {
        let Some(info) = self.track_info(track) else { return Cow::Borrowed("") };
        let first = || {
            let slice = self.slices_of(track).next().map(|(_, slice)| slice.name);
            let instant = || self.instants_of(track).first().map(|instant| instant.name);
            slice.or_else(instant).unwrap_or_default()
        };
        track::track_title(info.kind, info.name, first, self.names(), self.conventions())
    }

    /// Returns the id of a process in the file, or `None` if the trace has no such process.
    fn process_key(&self, process: ProcessId) -> Option<Key> {
        self.process(process).map(|(pid, _)| pid)
    }

    /// Returns whether the file has a name for a process.
    fn is_process_named(&self, process: ProcessId) -> bool {
        self.process(process).is_some_and(|(_, name)| name != NameId::EMPTY)
    }

    /// Returns the labels that the file gives a process, each once.
    fn process_labels(&self, process: ProcessId) -> Vec<NameId>;

    /// Returns the title of a process for people: its name, or `Process 7` if it has none. The process of what belongs to
    /// no process, [`Id::NONE`](crate::Id::NONE), is `Global`. The title is empty if the trace has no such process.
    fn process_title(&self, process: ProcessId) -> Cow<'_, str> {
        let Some((pid, name)) = self.process(process) else { return Cow::Borrowed("") };
        match self.name(name) {
            name if name.is_empty() && pid == Key::Text(NameId::EMPTY) => Cow::Borrowed("Global"),
            name if name.is_empty() => Cow::Owned(format!("Process {}", self.key_text(pid))),
            name => name,
        }
    }
}

/// What the provided methods need of a trace. The trait is private, which keeps other crates from implementing
/// [`TraceView`].
pub(crate) trait Sealed {
    /// Returns the table of all arguments.
    fn args_table(&self) -> &ArgsTable;

    /// Returns the id and the name of a process, or `None` if the trace has no such process.
    fn process(&self, id: ProcessId) -> Option<(Key, NameId)>;
}

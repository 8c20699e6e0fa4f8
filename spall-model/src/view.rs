//! The interface that finished and live traces share.

use alloc::borrow::Cow;
use core::ops::Range;

use crate::{
    Args, Clock, Conventions, CounterValue, Flow, HasArgs, Instant, Key, LiveSnapshot, NameId, Names,
    ProcessId, ProcessInfo, Slice, SliceArgs, SliceId, State, Tick, Trace, TrackId, TrackInfo,
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
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// /// Returns the label of each track and the names of its slices.
/// fn list(trace: &impl TraceView) -> Vec<(String, Vec<String>)> {
///     let names = |track| trace.slices_of(track).map(|(_, slice)| trace.name(slice.name).into_owned()).collect();
///     trace.track_ids().map(|track| (trace.track_label(track).into_owned(), names(track))).collect()
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

    /// Returns the starts and the ends of all slices, each as one list by the number of the slice. Code that visits many
    /// slices reads them faster than one by one. Returns `None` for a live trace, which has no such lists.
    fn slice_times(&self) -> Option<(&[Tick], &[Tick])> {
        None
    }

    /// Returns the track of a slice, or `None` if the trace has no such slice. This takes O(log n) for n tracks at
    /// worst.
    fn track_of(&self, slice: SliceId) -> Option<TrackId>;

    /// Returns the arguments of a slice; they are empty if the trace has no such slice.
    fn slice_args(&self, slice: SliceId) -> SliceArgs<'_>;

    /// Returns the arguments of an instant, a state or another element; [`Args::NONE`] if it has none.
    fn args_of(&self, of: &impl HasArgs) -> Args<'_>;

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

    /// Returns the flows between slices, ordered by the time of the event at which they arrive. A live trace has none.
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
    fn track_label(&self, track: TrackId) -> Cow<'_, str>;

    /// Returns the label of a process for people: its name, or `Process 7` if it has none. The label is empty if the
    /// trace has no such process.
    fn process_label(&self, process: ProcessId) -> Cow<'_, str>;
}

/// A private trait, which keeps other crates from implementing [`TraceView`].
trait Sealed {}
impl Sealed for Trace<'_> {}
impl Sealed for LiveSnapshot<'_> {}

/// Implements [`TraceView`] with the methods of the same names that the type itself has.
macro_rules! forward {
    ($type:ident) => {
        fn clock(&self) -> Clock {
            $type::clock(self)
        }

        fn conventions(&self) -> Conventions {
            $type::conventions(self)
        }

        fn bounds(&self) -> Option<Range<Tick>> {
            $type::bounds(self)
        }

        fn names(&self) -> &Names<'_> {
            $type::names(self)
        }

        fn track_info(&self, track: TrackId) -> Option<TrackInfo> {
            $type::track_info(self, track)
        }

        fn process_info(&self, process: ProcessId) -> Option<ProcessInfo> {
            $type::process_info(self, process)
        }

        fn n_slices(&self) -> usize {
            $type::n_slices(self)
        }

        #[inline]
        fn slice(&self, slice: SliceId) -> Option<Slice> {
            $type::slice(self, slice)
        }

        #[inline]
        fn slice_name_id(&self, slice: SliceId) -> Option<NameId> {
            $type::slice_name_id(self, slice)
        }

        fn track_of(&self, slice: SliceId) -> Option<TrackId> {
            $type::track_of(self, slice)
        }

        fn slice_args(&self, slice: SliceId) -> SliceArgs<'_> {
            $type::slice_args(self, slice)
        }

        fn args_of(&self, of: &impl HasArgs) -> Args<'_> {
            $type::args_of(self, of)
        }

        fn slices_of(&self, track: TrackId) -> impl Iterator<Item = (SliceId, Slice)> {
            $type::slices_of(self, track)
        }

        fn instants_of(&self, track: TrackId) -> &[Instant] {
            $type::instants_of(self, track)
        }

        fn counters_of(&self, track: TrackId) -> &[CounterValue] {
            $type::counters_of(self, track)
        }

        fn states_of(&self, track: TrackId) -> &[State] {
            $type::states_of(self, track)
        }

        fn track_label(&self, track: TrackId) -> Cow<'_, str> {
            $type::track_label(self, track)
        }

        fn process_label(&self, process: ProcessId) -> Cow<'_, str> {
            $type::process_label(self, process)
        }
    };
}

impl TraceView for Trace<'_> {
    forward!(Trace);

    fn slice_times(&self) -> Option<(&[Tick], &[Tick])> {
        Some((self.slices().starts(), self.slices().ends()))
    }

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        Trace::track_ids(self).iter()
    }

    fn flows(&self) -> &[Flow] {
        Trace::flows(self)
    }
}

impl TraceView for LiveSnapshot<'_> {
    forward!(LiveSnapshot);

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        self.display_order().into_iter()
    }

    fn flows(&self) -> &[Flow] {
        &[]
    }
}

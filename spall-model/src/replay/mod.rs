//! The replay of a finished trace: its events, for writers.

mod counters;
mod facts;
mod flows;
pub(crate) mod ids;
mod objects;
mod samples;
mod span_lanes;
mod spans;
mod threads;

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    Conventions, Event, Key, Metadata, NameId, ProcessId, Slice, SliceId, Text, Tick, Trace, Track,
    TrackKind, name_pairs::NamePairs, open_stack::OpenStack,
};

use flows::SliceBoundEnds;
use spans::OpenSpans;
use threads::PairEnds;

impl Trace {
    /// Calls `emit` with the events of the trace, such as a writer needs them.
    ///
    /// Events come track by track and not in the order of time: first the facts on processes and threads, then the
    /// items of each track, then flows, objects and sampling profiles. Facts on the whole file come first and last,
    /// as they were in the file. An end has the name and the category of its begin. Slices that were inferred from samples are
    /// left out: the samples come. Diagnostics do not come. An event lives until `emit` returns, and the first error that
    /// `emit` returns ends the walk.
    ///
    /// A [`crate::TraceBuilder`] makes an equal trace of the events, but for what only events without an effect said, such
    /// as the last time of a thread, and for threads whose times go back, whose slices of one time may nest otherwise. Async
    /// spans of a merged trace that neither ids nor names nor arguments tell apart come in lanes, as those of
    /// [`replay_by_name`](Self::replay_by_name) do, and so on several tracks, on each of which unfinished spans last until its end.
    /// [`crate::TraceMerger`] joins traces as they are.
    ///
    /// This takes O(n log n) time in the size of the trace. The memory is that of the shared frames, the flows that
    /// are bound to slices directly, the slices that are open at one time, and some bytes for each span of one async track.
    ///
    /// # Errors
    /// This returns the first error of `emit`. No event follows it.
    ///
    /// # Examples
    /// ```
    /// # use core::convert::Infallible;
    /// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder};
    /// /// Returns a copy without slices shorter than 10 ticks.
    /// fn without_short(trace: &Trace) -> Trace {
    ///     let mut builder = TraceBuilder::new(&Limits::default());
    ///     let Ok(()) = trace.replay(|event| {
    ///         if !matches!(event, Event::Complete(_, duration) if duration.0 < 10) {
    ///             builder.push(event);
    ///         }
    ///         Ok::<(), Infallible>(())
    ///     });
    ///     builder.finish()
    /// }
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for duration in [5, 20] {
    /// #     let slice = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(0), Text::plain(b"a"));
    /// #     builder.push(&Event::Complete(slice, Ticks(duration)));
    /// # }
    /// # let trace = builder.finish();
    /// # assert_eq!(without_short(&trace).slices().ends(), [Tick(20)]);
    /// ```
    pub fn replay<E>(&self, mut emit: impl FnMut(&Event<'_>) -> Result<(), E>) -> Result<(), E> {
        Replay::new(self, &mut emit, false).run()
    }

    /// Calls `emit` with the events of the trace for a format whose async spans have no ids of their own, so that a reader pairs
    /// their begins and ends by name and arguments, and nests them by time.
    ///
    /// The events are those of [`replay`](Self::replay), and say the ids and parents of spans as they do there. But the spans of
    /// each track come in the order of time, and those that such a reader would pair wrongly come in lanes: each lane has its own
    /// id, such as `7:2` for the second lane of `7`, and a reader makes a track of it.
    ///
    /// # Errors
    /// This returns the first error of `emit`. No event follows it.
    ///
    /// ```
    /// use core::convert::Infallible;
    /// use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, Text, Tick, TraceBuilder};
    ///
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// for (span, start, end) in [(1, 0, 5), (2, 3, 9)] {
    ///     for (phase, at) in [(AsyncPhase::Begin, start), (AsyncPhase::End, end)] {
    ///         let event = KeyedEvent::new(1, Tick(at), 7, Text::from("request")).with_span(span);
    ///         builder.push(&Event::Async(phase, event));
    ///     }
    /// }
    /// let mut events = Vec::new();
    /// let Ok(()) = builder.finish().replay_by_name(|event| {
    ///     if let Event::Async(_, event) = event {
    ///         events.push((event.at.0, event.id.to_string()));
    ///     }
    ///     Ok::<(), Infallible>(())
    /// });
    /// assert_eq!(events, [(0, "7"), (5, "7"), (3, "7:2"), (9, "7:2")].map(|(at, id)| (at, id.to_owned())));
    /// ```
    pub fn replay_by_name<E>(&self, mut emit: impl FnMut(&Event<'_>) -> Result<(), E>) -> Result<(), E> {
        Replay::new(self, &mut emit, true).run()
    }
}

/// The state of a replay.
struct Replay<'t, E> {
    trace: &'t Trace,
    emit: &'t mut dyn FnMut(&Event<'_>) -> Result<(), E>,
    /// The open pairs of the current thread; empty between two threads, and kept for the same reason as the spans.
    open_pairs: OpenStack<(SliceId, Slice)>,
    /// The ends of the open pairs, once one of the current thread ends after the one around it.
    pair_ends: Option<PairEnds>,
    /// The open spans of the current track; empty between two tracks. It is kept for the next track because it holds a
    /// position for each name of the trace.
    open_spans: OpenSpans,
    /// The spans of a track as a reader pairs them; empty between two tracks, and kept for the same reason.
    name_pairs: NamePairs<()>,
    /// Whether begins and ends are read by name, and not by the ids that spans say.
    by_name: bool,
    /// The number of the last lane of each id of async tracks that have lanes.
    last_lanes: BTreeMap<Vec<u8>, u32>,
}

impl<'t, E> Replay<'t, E> {
    /// Returns the start of a replay.
    fn new(trace: &'t Trace, emit: &'t mut dyn FnMut(&Event<'_>) -> Result<(), E>, by_name: bool) -> Self {
        let (open_pairs, open_spans, name_pairs, last_lanes) = Default::default();
        Self { trace, emit, open_pairs, pair_ends: None, open_spans, name_pairs, by_name, last_lanes }
    }

    /// Emits all events.
    fn run(mut self) -> Result<(), E> {
        let trace = self.trace;
        self.emit(Event::Clock(trace.clock))?;
        self.emit(Event::Conventions(Conventions {
            children_first: false,
            by_time: false,
            ..trace.conventions
        }))?;
        let is_about_file = |meta: &&Metadata| meta.thread.is_none();
        // Facts on the file that came before all others set things up, and stay before them. The rest comes last.
        let head = trace.meta.iter().take_while(is_about_file).count();
        let (head, rest) = trace.meta.split_at_checked(head).unwrap_or_default();
        self.metas(head.iter())?;
        let shared = self.shared_frames()?;
        for process in &trace.processes {
            self.process(process)?;
        }
        self.metas(rest.iter().filter(|meta| !is_about_file(meta)))?;
        let mut bound = SliceBoundEnds::of(trace);
        for track in &trace.tracks {
            self.track(track, &mut bound)?;
        }
        self.flows()?;
        for object in &trace.objects {
            self.object(object)?;
        }
        for (number, profile) in (0..).zip(&trace.profiles) {
            self.profile(number, profile, &shared)?;
        }
        self.others()?;
        self.metas(rest.iter().filter(is_about_file))
    }

    /// Gives an event to the caller.
    fn emit(&mut self, event: Event<'_>) -> Result<(), E> {
        (self.emit)(&event)
    }

    /// Returns a name as the text of an event.
    fn text(&self, name: NameId) -> Text<'t> {
        Text::plain(self.trace.names.bytes(name))
    }

    /// Returns the id of a process; 0 if there is none, as for global instants, whose process does not matter.
    fn pid(&self, process: Option<ProcessId>) -> Key {
        let process = process.and_then(|process| self.trace.processes.get(process.0 as usize));
        process.map_or(Key::Number(0), |process| process.pid)
    }

    /// Emits everything on a track.
    fn track(&mut self, track: &'t Track, bound: &mut SliceBoundEnds<'t>) -> Result<(), E> {
        match track.kind {
            TrackKind::Thread { tid }
            | TrackKind::Cpu { tid }
            | TrackKind::Gpu { tid }
            | TrackKind::Frames { tid }
            | TrackKind::Track { id: tid } => self.thread(track, tid, bound),
            TrackKind::Async { .. } => self.spans(track),
            TrackKind::Counter { id } => self.counter(track, id),
            TrackKind::Process | TrackKind::Global => self.instants(track),
        }
    }

    /// Returns a time inside the bounds, for events that need one and whose time does not matter.
    fn some_time(&self) -> Tick {
        self.trace.bounds.map_or(Tick(0), |(start, _)| start)
    }
}

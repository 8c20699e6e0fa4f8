//! From a finished trace back to events.

mod counters;
mod facts;
mod flows;
mod ids;
mod objects;
mod samples;
mod spans;
mod threads;

use crate::{Conventions, Event, Key, Meta, NameId, ProcessId, Text, Tick, Trace, Track, TrackKind};

use flows::SliceBoundEnds;
use spans::OpenSpans;

impl Trace<'_> {
    /// Gives events of which a [`crate::TraceBuilder`] makes the same trace: for a writer, or to make another trace
    /// of some of them, or of those of several traces. Stops at the first error.
    ///
    /// They come track by track, not in the order of time: facts first, then what lies on the tracks, then arrows,
    /// objects, sampling profiles. Facts on the whole file stand first and last, where the writer of a document wants
    /// them. An end has the name and the category of its begin. An event lives until `emit` returns.
    ///
    /// O(n log n) in what the trace holds. Nothing of it is copied but shared frames, arrows that are bound to slices
    /// directly, and what is open at a time.
    ///
    /// # What is not the same
    /// - Diagnostics are not said again, only those that the events give rise to. So neither are the flags of slices
    ///   that tell of a fault, such as [`crate::SliceFlags::CLAMPED`]; and where a fault was the last that is known of
    ///   a thread, what is unfinished is drawn less far.
    /// - Slices inferred from samples are left out. The samples are there: merge them again.
    /// - Of slices with equal times those that lie in others come later, whatever the file said:
    ///   [`Conventions::children_first`] is off.
    /// - Begins and ends of a thread whose times go back are complete slices, unless begin and end both have arguments.
    /// - Arrows bound to slices that begin at one time on several tracks may be bound in another order.
    ///
    /// # Errors
    /// What `emit` returns.
    ///
    /// # Examples
    /// ```
    /// # use core::convert::Infallible;
    /// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder};
    /// /// Leaves out slices that are over at once.
    /// fn without_short(trace: &Trace<'_>) -> Trace<'static> {
    ///     let mut builder = TraceBuilder::new(&Limits::default());
    ///     let Ok(()) = trace.replay(|event| {
    ///         if !matches!(event, Event::Complete(_, length) if length.0 < 10) {
    ///             builder.push_copied(event, ByteRange::default());
    ///         }
    ///         Ok::<(), Infallible>(())
    ///     });
    ///     builder.finish()
    /// }
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for length in [5, 20] {
    /// #     let slice = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(0), Text::plain(b"a"));
    /// #     builder.push(&Event::Complete(slice, Ticks(length)), ByteRange::default());
    /// # }
    /// # let trace = builder.finish();
    /// # assert_eq!(without_short(&trace).slices().ends(), [Tick(20)]);
    /// ```
    pub fn replay<E>(&self, mut emit: impl FnMut(&Event<'_>) -> Result<(), E>) -> Result<(), E> {
        Replay { trace: self, emit: &mut emit, open_spans: OpenSpans::default() }.run()
    }
}

/// A trace that is being taken apart.
struct Replay<'t, E> {
    trace: &'t Trace<'t>,
    emit: &'t mut dyn FnMut(&Event<'_>) -> Result<(), E>,
    /// Empty between two tracks. It is kept as it has a place for each name.
    open_spans: OpenSpans,
}

impl<'t, E> Replay<'t, E> {
    fn run(mut self) -> Result<(), E> {
        let trace = self.trace;
        self.emit(Event::Clock(trace.clock))?;
        self.emit(Event::Conventions(Conventions { children_first: false, ..trace.conventions }))?;
        let is_about_file = |meta: &&Meta| meta.thread.is_none();
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
        for profile in &trace.profiles {
            self.profile(profile, &shared)?;
        }
        self.others()?;
        self.metas(rest.iter().filter(is_about_file))
    }

    fn emit(&mut self, event: Event<'_>) -> Result<(), E> {
        (self.emit)(&event)
    }

    fn text(&self, name: NameId) -> Text<'t> {
        Text::plain(self.trace.names.bytes(name))
    }

    fn pid(&self, process: Option<ProcessId>) -> Key {
        let process = process.and_then(|process| self.trace.processes.get(process.0 as usize));
        process.map_or(Key::Number(0), |process| process.pid)
    }

    fn track(&mut self, track: &'t Track, bound: &mut SliceBoundEnds<'t>) -> Result<(), E> {
        match track.kind {
            TrackKind::Thread { tid }
            | TrackKind::Cpu { tid }
            | TrackKind::Gpu { tid }
            | TrackKind::Frames { tid } => self.thread(track, tid, bound),
            TrackKind::Async { .. } => self.spans(track),
            TrackKind::Counter { id } => self.counter(track, id),
            TrackKind::Process | TrackKind::Global => self.instants(track),
        }
    }

    /// A time that does not make the trace longer.
    fn some_time(&self) -> Tick {
        self.trace.bounds.map_or(Tick(0), |(start, _)| start)
    }
}

//! The builder, which makes a trace of the events of a file.
//!
//! While events come, each kind goes to a log of its own in the order of the file ([`pairing`], [`spans`], [`flows`],
//! [`objects`], [`samples`], [`counters`]). Only begins and ends of threads are paired at once,
//! so that [`live`] can show them. [`finish`] settles everything else and puts the tables into display order ([`order`]).

#[cfg(feature = "parallel")]
mod batch;
mod by_time;
mod by_track;
mod columns;
mod counters;
mod cut_threads;
mod cycles;
mod finish;
mod flows;
mod intern;
#[cfg(feature = "parallel")]
mod join;
mod live;
mod merger;
mod objects;
mod order;
mod pairing;
mod points;
mod readings;
mod recent_names;
mod registry;
mod repair;
mod reports;
mod rows;
mod said_spans;
mod samples;
mod slice_order;
mod spans;
mod track_order;
mod track_tree;

use alloc::vec::Vec;

use crate::{
    Args, ByteRange, Clock, Conventions, CounterValue, DiagnosticKind, Event, Instant, Limits, MetaEvent,
    Metadata, NameId, OtherEvent, Receiver, Scope, SliceFlags, State, ThreadEvent, Tick, Ticks, Trace, Value,
    args_table::{ArgsId, ArgsTable, RecentArgs},
    facts::MetaValue,
    index32,
    workers::Workers,
};

#[cfg(feature = "parallel")]
pub use self::batch::EventBatch;
pub use self::live::{LiveSnapshot, LiveTrace, LiveTrack};
pub use self::merger::{MergedPart, TraceMerger};
use self::{
    flows::FlowLog,
    objects::ObjectLog,
    pairing::SliceLog,
    points::PointLog,
    recent_names::CachedNames,
    registry::{Registry, TrackKey},
    reports::{Reports, Spot},
    samples::ProfileLog,
    spans::SpanLog,
};

/// A builder of a [`Trace`] from the events of one file.
///
/// Events are pushed in the order of the file. Every event is then in the trace or counted in its diagnostics; none
/// is lost in silence. Begins and ends are paired by the same rules for every format. [pairing](crate::rules::pairing)
///
/// Memory is proportional to the events pushed, and [`TraceBuilder::finish`] takes O(n log n) time. No sequence of
/// events makes a builder panic.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let work = ThreadEvent::new(Thread::new(1_u32, 2_u32), Tick(10), Text::plain(b"work"));
/// builder.push(&Event::Complete(work, Ticks(5)));
/// let trace = builder.finish();
/// assert_eq!(trace.slices().ends(), [Tick(15)]);
/// assert_eq!(trace.name(trace.slices().names()[0]), "work");
/// ```
#[derive(Debug)]
pub struct TraceBuilder {
    limits: Limits,
    clock: Clock,
    conventions: Conventions,
    names: CachedNames,
    args: ArgsTable,
    /// The last arguments of states. A state is a few bytes of a file, and very many have equal arguments.
    state_args: RecentArgs,
    diagnostics: Reports,
    registry: Registry,
    slices: SliceLog,
    spans: SpanLog,
    flows: FlowLog,
    objects: ObjectLog,
    instants: PointLog<Instant>,
    counters: PointLog<CounterValue>,
    states: PointLog<State>,
    profiles: ProfileLog,
    meta: Vec<Metadata>,
    others: Vec<OtherEvent>,
}

impl<'e> Receiver<'e> for TraceBuilder {
    // If the parser is inlined too, an event of the hot path is never put together in memory. Without the attributes in this
    // file, the job `spall v3 to trace` takes 40 % more instructions.
    #[inline(always)]
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.add(event, bytes);
    }
}

/// A [`ThreadEvent`] with interned strings and a track instead of its thread.
#[derive(Debug, Clone, Copy)]
struct InternedEvent {
    track: u32,
    at: Tick,
    name: NameId,
    category: NameId,
    args: ArgsId,
}

impl TraceBuilder {
    /// Returns an empty builder.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self {
            diagnostics: Reports::new(limits.max_diagnostics),
            limits: limits.clone(),
            clock: Clock::NANOSECONDS,
            conventions: Conventions::default(),
            names: CachedNames::default(),
            args: ArgsTable::default(),
            state_args: RecentArgs::default(),
            registry: Registry::default(),
            slices: SliceLog::default(),
            spans: SpanLog::default(),
            flows: FlowLog::default(),
            objects: ObjectLog::default(),
            instants: PointLog::default(),
            counters: PointLog::default(),
            states: PointLog::default(),
            profiles: ProfileLog::default(),
            meta: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Adds an event that no file has. This takes amortised constant time.
    ///
    /// Events of a file come through [`Receiver::receive`], with the bytes that diagnostics refer to.
    pub fn push(&mut self, event: &Event<'_>) {
        self.add(event, ByteRange::default());
    }

    /// Returns the clock: that of the latest [`Event::Clock`], or nanoseconds if there was none.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns whether an event with a time has come.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.diagnostics.now != Tick::MIN || self.slices.rows.len() > 0
    }

    /// Adds an event. The three kinds that nearly all files consist of are handled here, and the others out of line.
    #[inline(always)]
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        match event {
            Event::Begin(event) => {
                if let Some(row) = self.intern_event(event, bytes)
                    && !self.slices.begin(row, &self.limits, bytes)
                {
                    self.leave_out(row.track, bytes);
                }
            }
            Event::End(event) => self.end(event, bytes),
            Event::Complete(event, duration) => {
                if let Some(row) = self.intern_event(event, bytes) {
                    self.complete(&row, *duration, bytes);
                }
            }
            event => self.add_rare(event, bytes),
        }
    }

    /// Adds an event that is not a plain slice. It is out of line to keep the hot path small.
    #[inline(never)]
    fn add_rare(&mut self, event: &Event<'_>, bytes: ByteRange) {
        match event.at() {
            Some(at) => self.diagnostics.begin(at, bytes),
            None if matches!(event, Event::Diagnostic(_)) => {}
            None => self.diagnostics.flush(),
        }
        match event {
            Event::Unfinished(event) => {
                if let Some(row) = self.intern_event(event, bytes) {
                    self.diagnostics.add(DiagnosticKind::MissingDuration, bytes);
                    self.push_slice(&row, row.at, SliceFlags::UNFINISHED, bytes);
                    // Its end changes once the end of the thread is known, which may change its place in the order.
                    self.registry.track_mut(row.track).in_order = false;
                }
            }
            Event::Instant(event, scope) => self.instant(event, *scope, bytes),
            Event::State(event, duration) => {
                let bare = ThreadEvent { args: Args::NONE, ..*event };
                if let Some(row) = self.intern_event(&bare, bytes) {
                    let (end, _) = self.end_of(row.at, *duration, bytes);
                    self.touch(row.track, row.at, end);
                    let args = self.keep_shared_args(event.args, bytes);
                    let item = State { start: row.at, end, name: row.name, args };
                    self.states.push(row.track, item);
                }
            }
            Event::Counter(event) => self.counter(event, bytes),
            Event::Async(phase, event) => self.span(*phase, event, bytes),
            Event::Object(phase, event) => self.object(*phase, event, bytes),
            Event::Flow(event) => self.flow(event, bytes),
            Event::Other(event, tag) => {
                let thread = (self.key(event.thread.pid), self.key(event.thread.tid));
                let (name, category) = (self.intern(event.name), self.intern(event.category));
                let args = self.keep_args(event.args, bytes);
                self.others.push(OtherEvent { tag: *tag, thread, at: event.at, name, category, args });
            }
            Event::Profile(_)
            | Event::Frame(_)
            | Event::FrameChild(..)
            | Event::LineHits(_)
            | Event::Sample(_)
            | Event::CallSite(..) => self.of_profile(event, bytes),
            Event::Clock(clock) => self.clock = *clock,
            Event::Conventions(conventions) => self.conventions = *conventions,
            Event::Diagnostic(kind) => self.report(*kind, bytes),
            Event::Meta(event) => self.meta(event, bytes),
            Event::ProcessName(pid, name) => {
                let name = self.intern(*name);
                self.process_mut(*pid).name = name;
            }
            Event::ProcessSortIndex(pid, index) => self.process_mut(*pid).sort_index = *index,
            Event::ProcessLabels(pid, labels) => self.labels(*pid, *labels),
            Event::ThreadName(thread, name) => {
                let name = self.intern(*name);
                if let Some(track) = self.thread(*thread, self.diagnostics.now, bytes) {
                    self.registry.set_name(track, name);
                }
            }
            Event::ThreadRole(thread, role) => {
                if let Some(track) = self.thread(*thread, self.diagnostics.now, bytes) {
                    self.registry.track_mut(track).role = Some(*role);
                }
            }
            Event::ThreadSortIndex(thread, index) => {
                if let Some(track) = self.thread(*thread, self.diagnostics.now, bytes) {
                    self.registry.track_mut(track).sort_index = *index;
                }
            }
            Event::Track(event) => self.own_track(event, bytes),
            // Handled by the hot path.
            Event::Begin(_) | Event::End(_) | Event::Complete(..) => {}
        }
    }

    /// Adds a report of the parser. The next event is not of a thread in the cache, and whatever looks up its thread also looks whether
    /// the report is about the event.
    #[cold]
    fn report(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        self.diagnostics.wait(kind, bytes);
        self.registry.forget_threads();
    }

    /// Returns the end of a slice or state of a given duration. A negative duration, or an end out of range, is
    /// counted and clamped.
    #[inline]
    fn end_of(&mut self, start: Tick, duration: Ticks, bytes: ByteRange) -> (Tick, SliceFlags) {
        if duration < Ticks::ZERO {
            self.diagnostics.add(DiagnosticKind::NegativeDuration, bytes);
            return (start, SliceFlags::CLAMPED);
        }
        let end = start.0.checked_add(duration.0).unwrap_or_else(|| {
            self.diagnostics.add(DiagnosticKind::TimeOutOfRange, bytes);
            i64::MAX
        });
        (Tick(end), SliceFlags::NONE)
    }

    /// Adds a slice whose duration is known.
    #[inline(always)]
    fn complete(&mut self, row: &InternedEvent, duration: Ticks, bytes: ByteRange) {
        let (end, flags) = self.end_of(row.at, duration, bytes);
        self.push_slice(row, end, flags, bytes);
    }

    /// Adds a slice that is not a pair of a thread, and returns its row; `None` if there are too many slices.
    #[inline(always)]
    fn push_slice(
        &mut self,
        row: &InternedEvent,
        end: Tick,
        flags: SliceFlags,
        bytes: ByteRange,
    ) -> Option<u32> {
        let n_rows = self.slices.rows.len();
        if n_rows >= self.limits.max_slices as usize {
            self.diagnostics.add_at(DiagnosticKind::SliceLimit, Spot::new(bytes, row.at));
            return None;
        }
        self.registry.track_mut(row.track).add_whole(row.at, end);
        self.slices.rows.push(row, end, flags);
        Some(index32(n_rows))
    }

    /// Extends the bounds of a track by an item from `start` to `end`.
    #[inline(always)]
    fn touch(&mut self, track: u32, start: Tick, end: Tick) {
        self.registry.track_mut(track).touch(start, end);
    }

    /// Adds an instant to the track that its scope asks for.
    fn instant(&mut self, event: &ThreadEvent<'_>, scope: Scope, bytes: ByteRange) {
        let track = match scope {
            Scope::Thread => self.thread(event.thread, event.at, bytes),
            Scope::Process => {
                let process = self.process(event.thread.pid);
                self.track(TrackKey::Process { process }, bytes)
            }
            Scope::Global => self.track(TrackKey::Global, bytes),
        };
        let Some(track) = track else { return };
        let item = Instant {
            at: event.at,
            name: self.intern(event.name),
            category: self.intern(event.category),
            scope,
            depth: 0,
            args: self.keep_args(event.args, bytes),
        };
        self.touch(track, event.at, event.at);
        self.instants.push(track, item);
    }

    /// Keeps a fact that no other event expresses.
    fn meta(&mut self, event: &MetaEvent<'_>, bytes: ByteRange) {
        let value = match event.value {
            Value::Null => MetaValue::Scalar(Value::Null),
            Value::Bool(value) => MetaValue::Scalar(Value::Bool(value)),
            Value::I64(value) => MetaValue::Scalar(Value::I64(value)),
            Value::U64(value) => MetaValue::Scalar(Value::U64(value)),
            Value::F64(value) => MetaValue::Scalar(Value::F64(value)),
            Value::Text(text) => MetaValue::Text(self.intern(text)),
            Value::Bytes(raw) => MetaValue::Bytes(self.keep_args(Args::text(raw), bytes)),
            Value::List(args) => MetaValue::List(self.keep_args(args, bytes)),
            Value::Map(args) => MetaValue::Map(self.keep_args(args, bytes)),
        };
        let thread = event.thread.map(|thread| (self.key(thread.pid), self.key(thread.tid)));
        let key = self.intern(event.key);
        self.meta.push(Metadata { thread, key, value });
    }

    /// Returns the trace of all events that were pushed. This takes O(n log n) for n events.
    #[must_use]
    pub fn finish(self) -> Trace {
        self.finish_with(Workers::ONE)
    }

    /// Returns the trace of all events that were pushed, like [`TraceBuilder::finish`], and uses up to `n_threads` threads
    /// for it.
    ///
    /// The trace is the same. Threads are started if there are more than 100 000 slices, and they sort tracks that are out
    /// of order, and fill the columns of slices.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub fn finish_on(self, n_threads: core::num::NonZeroUsize) -> Trace {
        const MANY: usize = 100_000;
        let workers = if self.slices.rows.len() > MANY { Workers::new(n_threads) } else { Workers::ONE };
        self.finish_with(workers)
    }
}

#[cfg(test)]
mod tests;

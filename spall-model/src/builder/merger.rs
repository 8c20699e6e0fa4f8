//! Several traces as one: their tables are joined, and nothing is paired or bound anew.

mod profiles;

use alloc::{format, string::ToString, vec::Vec};

use crate::{
    ByteRange, Clock, Diagnostic, DiagnosticKind, Flow, Key, Limits, Metadata, NameId, Object, ObjectPhase,
    OtherEvent, Process, SliceFlags, SliceId, Tick, Ticks, Trace, TraceView, Track, TrackKind,
    args_table::ArgsId,
    facts::{FlowEnds, MetaValue},
    index32,
    trace::OwnPlace,
};

use super::{
    InternedEvent, TraceBuilder,
    objects::ObjectEvent,
    registry::{OwnTrack, TrackKey},
    reports::Spot,
    said_spans::SaidRow,
};

/// What changes in a trace that becomes a part of another.
#[expect(missing_debug_implementations, reason = "functions")]
#[derive(Clone, Copy)]
pub struct MergedPart<'m> {
    /// Returns a time of the trace in ticks of the result. One that 64 bits cannot hold is clamped and counted.
    pub time: &'m dyn Fn(Tick) -> i128,
    /// Returns the number that a process of the trace gets in the result; `None` if it keeps its id. A process that is in the
    /// result already is the same process.
    pub pid: &'m dyn Fn(Key) -> Option<i64>,
    /// The label that the processes of the trace get behind those that they have.
    pub label: &'m str,
    /// Whether ids that hold for a whole file, such as those of flows, and the keys of facts about the file get `@` and the label
    /// behind them, so that they stay apart from those of other traces.
    pub keeps_apart: bool,
}

/// Joins traces to one, without changing what they say.
///
/// Slices, flows and profiles are those of the traces, with their flags. Not joined are the diagnostics of the traces, and
/// slices that were inferred from samples: the samples are, and can be merged again. Processes and threads keep the first name
/// that they have. Where several traces have slices on one thread, only those of the first are known to nest as they were begun
/// ([`SliceFlags::is_paired`]), and those of the others nest by their times. Unfinished slices last until the end of their thread.
///
/// The result has signed ids: an unsigned one that needs all 64 bits becomes text.
///
/// ```
/// use spall_model::{
///     Clock, Event, Limits, MergedPart, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceMerger,
/// };
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::Complete(ThreadEvent::new(Thread::new(1, 2), Tick(10), Text::from("work")), Ticks(5)));
/// let trace = builder.finish();
///
/// let mut merger = TraceMerger::new(Clock::NANOSECONDS, &Limits::default());
/// let first = MergedPart { time: &|at| at.0.into(), pid: &|_| None, label: "first", keeps_apart: false };
/// merger.add(&trace, &first);
/// // The same trace as another process, 100 ticks later.
/// let then =
///     MergedPart { time: &|at| i128::from(at.0) + 100, pid: &|_| Some(7), label: "then", keeps_apart: true };
/// merger.add(&trace, &then);
/// let merged = merger.finish();
/// assert_eq!(merged.processes().len(), 2);
/// assert_eq!(merged.slices().starts(), [Tick(10), Tick(110)]);
/// ```
#[derive(Debug)]
pub struct TraceMerger {
    builder: TraceBuilder,
    /// The bounds of all traces. Those of a trace may reach beyond all that is on its tracks.
    bounds: Option<(Tick, Tick)>,
}

impl TraceMerger {
    /// Returns a merger without traces, whose result has a clock.
    #[must_use]
    pub fn new(clock: Clock, limits: &Limits) -> Self {
        Self { builder: TraceBuilder { clock, ..TraceBuilder::new(limits) }, bounds: None }
    }

    /// Adds a trace. This takes time linear in its size.
    pub fn add(&mut self, trace: &Trace, part: &MergedPart<'_>) {
        let mut addition = Addition::new(&mut self.builder, trace, part);
        if let Some((first, last)) = trace.bounds {
            let (first, last) = (addition.at(first), addition.at(last));
            let (known_first, known_last) = self.bounds.unwrap_or((first, last));
            self.bounds = Some((first.min(known_first), last.max(known_last)));
            addition.is_clamped = false;
        }
        addition.run();
    }

    /// Adds a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let Diagnostic { kind, bytes, at } = diagnostic;
        self.builder.diagnostics.found.add(kind, bytes, at);
    }

    /// Returns the trace of all traces that were added. This takes O(n log n) for n items.
    #[must_use]
    pub fn finish(self) -> Trace {
        Trace { bounds: self.bounds, ..self.builder.finish() }
    }
}

/// Nothing of a merge stands in a file.
const NOWHERE: ByteRange = ByteRange::new(0, 0);

/// The work of adding a trace to a builder.
struct Addition<'b> {
    builder: &'b mut TraceBuilder,
    trace: &'b Trace,
    part: &'b MergedPart<'b>,
    /// The number that the result has for each name of the trace.
    names: Vec<NameId>,
    /// What is added to the number of an argument; `None` if the result has no room for them.
    args_shift: Option<u32>,
    /// The builder numbers of processes and tracks of the trace; `None` for a track that is left out by a limit.
    processes: Vec<u32>,
    tracks: Vec<Option<u32>>,
    /// The row of each slice, or [`NO_ROW`].
    rows: Vec<u32>,
    /// Whether a time of the current item had to be clamped.
    is_clamped: bool,
}

/// Stands for the row of a slice that is not in the result.
const NO_ROW: u32 = u32::MAX;

#[allow(clippy::indexing_slicing, reason = "numbers of names, processes, tracks and slices of the trace")]
impl<'b> Addition<'b> {
    fn new(builder: &'b mut TraceBuilder, trace: &'b Trace, part: &'b MergedPart<'b>) -> Self {
        let names = trace.names.iter().map(|name| builder.names.intern_bytes(name)).collect();
        let args_shift = builder.args.append_all(&trace.args);
        if args_shift.is_none() {
            builder.diagnostics.add(DiagnosticKind::SliceLimit, NOWHERE);
        }
        let (processes, tracks, rows) = Default::default();
        Self { builder, trace, part, names, args_shift, processes, tracks, rows, is_clamped: false }
    }

    fn run(mut self) {
        let trace = self.trace;
        self.processes = trace.processes.iter().map(|process| self.process(process)).collect();
        self.tracks = trace.tracks.iter().map(|track| self.track(track)).collect();
        // A track of its own may share its id with a counter, whose facts then are those of the track.
        let is_counter = |track: &&Track| matches!(track.kind, TrackKind::Counter { .. });
        trace.tracks.iter().filter(is_counter).for_each(|track| self.own_track(track));
        trace.tracks.iter().filter(|track| !is_counter(track)).for_each(|track| self.own_track(track));
        self.rows = alloc::vec![NO_ROW; trace.slices.len()];
        trace.tracks.iter().for_each(|track| self.items(track));
        // What spans say of their ids is found among the spans of all traces.
        trace.flows.iter().filter(|flow| !flow.ends.said).for_each(|flow| self.flow(flow));
        trace.objects.iter().for_each(|object| self.object(object));
        self.profiles();
        trace.meta.iter().for_each(|meta| self.meta(meta));
        trace.others.iter().for_each(|other| self.other(other));
    }

    /// Returns a time in the result.
    fn at(&mut self, at: Tick) -> Tick {
        let exact = (self.part.time)(at);
        let clamped = exact.clamp(i64::MIN.into(), i64::MAX.into());
        self.is_clamped |= clamped != exact;
        Tick(i64::try_from(clamped).unwrap_or_default())
    }

    /// Returns a duration from `at` on in ticks of the result, so that start and end are both at the nearest tick.
    fn duration(&mut self, at: Tick, duration: Ticks) -> Ticks {
        self.at(at + duration) - self.at(at)
    }

    /// Counts the current item if a time of it had to be clamped.
    fn count_clamped(&mut self) {
        if core::mem::take(&mut self.is_clamped) {
            self.builder.diagnostics.add(DiagnosticKind::TimeOutOfRange, NOWHERE);
        }
    }

    fn name(&self, name: NameId) -> NameId {
        self.names[name.index()]
    }

    fn args(&self, args: ArgsId) -> ArgsId {
        self.args_shift.map_or(ArgsId::NONE, |shift| args.shifted(shift))
    }

    /// Returns an id with a sign. A number that the sign has no room for becomes text.
    fn key(&mut self, key: Key) -> Key {
        match key {
            Key::Number(number) if self.trace.conventions.unsigned_ids && number < 0 => {
                let text = number.cast_unsigned().to_string();
                Key::Text(self.builder.names.intern_bytes(text.as_bytes()))
            }
            Key::Number(number) => Key::Number(number),
            Key::Text(name) => Key::Text(self.name(name)),
        }
    }

    /// Returns the id of a process in the result.
    fn pid(&mut self, pid: Key) -> Key {
        match (self.part.pid)(pid) {
            Some(number) => Key::Number(number),
            None => self.key(pid),
        }
    }

    /// Returns the ids of a process and one of its threads in the result.
    fn thread(&mut self, (pid, tid): (Key, Key)) -> (Key, Key) {
        (self.pid(pid), self.key(tid))
    }

    /// Returns a text of the trace, with the label behind it if texts that hold for the whole file are kept apart.
    fn apart(&mut self, text: NameId) -> NameId {
        if !self.part.keeps_apart {
            return self.name(text);
        }
        let text = [self.trace.names.bytes(text), b"@", self.part.label.as_bytes()].concat();
        self.builder.names.intern_bytes(&text)
    }

    /// Returns an id that holds for the whole file as one of the result.
    fn file_key(&mut self, key: Key) -> Key {
        match key {
            Key::Text(name) => Key::Text(self.apart(name)),
            Key::Number(number) if self.part.keeps_apart => {
                let number = self.trace.conventions.number(number);
                let text = format!("{number}@{}", self.part.label);
                Key::Text(self.builder.names.intern_bytes(text.as_bytes()))
            }
            Key::Number(_) => self.key(key),
        }
    }

    /// Adds a process, and returns its number.
    fn process(&mut self, process: &Process) -> u32 {
        let pid = self.pid(process.pid);
        let number = self.builder.registry.process(pid);
        // The number that took the place of no id at all says nothing of that.
        let is_renamed_none = process.pid == Key::Text(NameId::EMPTY) && pid != process.pid;
        let name = match process.name {
            NameId::EMPTY if is_renamed_none => self.builder.names.intern_bytes(b"Global"),
            name => self.name(name),
        };
        let label = self.builder.names.intern_bytes(self.part.label.as_bytes());
        let labels = process.labels.iter().map(|&label| self.name(label)).chain([label]);
        let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
        let row = self.builder.registry.process_mut(number);
        if row.name == pid.default_name() {
            row.name = name;
        }
        if process.sort_index != 0 {
            row.sort_index = process.sort_index;
        }
        row.labels.extend(labels);
        number
    }

    /// Adds a track and the facts of a thread, and returns its number; `None` if there are too many tracks.
    fn track(&mut self, track: &Track) -> Option<u32> {
        let process = track.process.map(|process| self.processes[process.index()]);
        let of_process = process.unwrap_or_default();
        let name = self.name(track.name);
        let key = match track.kind {
            TrackKind::Thread { tid }
            | TrackKind::Cpu { tid }
            | TrackKind::Gpu { tid }
            | TrackKind::Frames { tid }
            | TrackKind::Track { id: tid } => TrackKey::Thread { process: of_process, tid: self.key(tid) },
            TrackKind::Async { category, id, local, scope, stepped } => {
                let id = self.key(id);
                let scope = if local { self.name(scope) } else { self.apart(scope) };
                let process = process.filter(|_| local);
                if stepped {
                    TrackKey::AsyncStep { process, name, id, scope }
                } else {
                    TrackKey::Async { process, category: self.name(category), id, scope }
                }
            }
            TrackKind::Counter { id } => {
                let id = id.map(|id| self.key(id));
                TrackKey::Counter { process: of_process, name, id }
            }
            TrackKind::Process => TrackKey::Process { process: of_process },
            TrackKind::Global => TrackKey::Global,
        };
        let Some(number) = self.builder.registry.find_or_add(key, self.builder.limits.max_tracks) else {
            let n_items =
                track.slices.len() + track.instants.len() + track.counters.len() + track.states.len();
            (0..n_items.max(1))
                .for_each(|_| self.builder.diagnostics.add(DiagnosticKind::TrackLimit, NOWHERE));
            return None;
        };
        let row = self.builder.registry.track_mut(number);
        match track.kind {
            TrackKind::Async { category, .. } => {
                row.process = row.process.or(process);
                let category = self.names[category.index()];
                for (cell, text) in [(&mut row.name, name), (&mut row.category, category)] {
                    if cell.is_empty() {
                        *cell = text;
                    }
                }
            }
            TrackKind::Thread { tid }
            | TrackKind::Cpu { tid }
            | TrackKind::Gpu { tid }
            | TrackKind::Frames { tid } => {
                row.role = track.kind.role().or(row.role);
                if track.sort_index != 0 {
                    row.sort_index = track.sort_index;
                }
                let is_unnamed = row.key.id().is_some_and(|id| row.name == id.default_name());
                if is_unnamed && track.name != tid.default_name() {
                    self.builder.registry.set_name(number, name);
                }
            }
            _ => {}
        }
        Some(number)
    }

    /// Says what a track of its own is, or that a counter has a place among such tracks.
    fn own_track(&mut self, track: &Track) {
        let Some(OwnPlace { id, name, parent }) = self.trace.own_place(track) else { return };
        let (name, &Track { sort_index, children, .. }) = (self.name(name), track);
        let Some(process) = track.process.map(|process| self.processes[process.index()]) else { return };
        let key = TrackKey::Thread { process, tid: self.key(id) };
        let Some(number) = self.builder.track(key, NOWHERE) else { return };
        let parent = (process, parent.map_or(Key::Text(NameId::EMPTY), |parent| self.key(parent)));
        let is_shown = matches!(track.kind, TrackKind::Track { .. });
        let own = OwnTrack { parent, group: NameId::EMPTY, children, is_shown, spot: Spot::default() };
        self.builder.registry.set_own(number, name, sort_index, own);
    }

    /// Adds everything on a track.
    fn items(&mut self, track: &Track) {
        let Some(number) = self.tracks[track.id.index()] else { return };
        let is_first = self.builder.registry.track(number).n_slices == 0;
        for (id, slice) in self.trace.slices_of(track.id) {
            if slice.flags.contains(SliceFlags::SAMPLED) {
                continue;
            }
            let row = InternedEvent {
                track: number,
                at: self.at(slice.start),
                name: self.name(slice.name),
                category: self.name(slice.category),
                args: self.args(self.trace.slices.args[id.index()]),
            };
            let end = self.at(slice.end);
            self.count_clamped();
            let flags = if is_first {
                slice.flags
            } else {
                slice.flags.without(SliceFlags::PAIRED).with_open_depth(0)
            };
            if let Some(row) = self.builder.push_slice(&row, end, flags, NOWHERE) {
                self.rows[id.index()] = row;
            }
        }
        self.said_spans(track);
        for &instant in self.trace.instants_of(track.id) {
            let (name, category, args) =
                (self.name(instant.name), self.name(instant.category), self.args(instant.args));
            let at = self.at(instant.at);
            self.builder.touch(number, at, at);
            self.builder.instants.push(number, crate::Instant { at, name, category, args, ..instant });
            self.count_clamped();
        }
        for &value in self.trace.counters_of(track.id) {
            let (at, series) = (self.at(value.at), self.name(value.series));
            self.builder.touch(number, at, at);
            self.builder.counters.push(number, crate::CounterValue { at, series, ..value });
            self.count_clamped();
        }
        for &state in self.trace.states_of(track.id) {
            let (start, end) = (self.at(state.start), self.at(state.end));
            let (name, args) = (self.name(state.name), self.args(state.args));
            self.builder.touch(number, start, end);
            self.builder.states.push(number, crate::State { start, end, name, args });
            self.count_clamped();
        }
    }

    /// Adds what the spans of a track say of their ids. Their parents are found among the spans of all traces.
    fn said_spans(&mut self, track: &Track) {
        if !self.trace.nests_by_parent(track.id) {
            return;
        }
        let said = track.slices().iter().filter_map(|id| self.trace.said_span(id));
        let mut said: Vec<_> = said.collect();
        said.sort_unstable_by_key(|said| said.order);
        for said in said {
            let row = self.rows[said.slice.index()];
            if row != NO_ROW {
                let (span, parent) = (self.key(said.span), self.key(said.parent));
                // Traces come one after the other, as if they were one file.
                let order = index32(self.builder.spans.said_rows.len());
                self.builder.spans.said_rows.push(SaidRow { row, order, span, parent, bytes: NOWHERE });
            }
        }
    }

    /// Adds a flow, which goes on between the rows of its slices.
    fn flow(&mut self, flow: &Flow) {
        let [from, to] = [flow.from, flow.to].map(|slice| self.rows[slice.index()]);
        if from == NO_ROW || to == NO_ROW {
            self.builder.diagnostics.add(DiagnosticKind::UnboundFlow, NOWHERE);
            return;
        }
        let times = (self.at(flow.ends.times.0), self.at(flow.ends.times.1));
        let joined = Flow {
            id: if flow.ends.local { self.key(flow.id) } else { self.file_key(flow.id) },
            name: self.name(flow.name),
            category: self.name(flow.category),
            from: SliceId(from),
            to: SliceId(to),
            leaves: self.at(flow.leaves),
            arrives: self.at(flow.arrives),
            args: (self.args(flow.args.0), self.args(flow.args.1)),
            ends: FlowEnds { times, ..flow.ends },
        };
        self.builder.flows.joined.push(joined);
        self.count_clamped();
    }

    /// Adds the events of an object.
    fn object(&mut self, object: &Object) {
        let event = ObjectEvent {
            phase: ObjectPhase::New,
            process: self.processes[object.process.index()],
            local: object.local,
            id: self.key(object.id),
            scope: if object.local { self.name(object.scope) } else { self.apart(object.scope) },
            name: self.name(object.name),
            at: Tick(0),
            args: ArgsId::NONE,
            bytes: NOWHERE,
        };
        if let Some(start) = object.start {
            let at = self.at(start);
            self.builder.objects.events.push(ObjectEvent { at, ..event });
        }
        for snapshot in self.trace.snapshots_of(object) {
            let (at, args) = (self.at(snapshot.at), self.args(snapshot.args));
            self.builder.objects.events.push(ObjectEvent { phase: ObjectPhase::Snapshot, at, args, ..event });
        }
        if let Some(end) = object.end {
            let at = self.at(end);
            self.builder.objects.events.push(ObjectEvent { phase: ObjectPhase::Delete, at, ..event });
        }
        self.count_clamped();
    }

    /// Adds a fact that nothing else expresses.
    fn meta(&mut self, meta: &Metadata) {
        let key = if meta.thread.is_none() { self.apart(meta.key) } else { self.name(meta.key) };
        let value = match meta.value {
            MetaValue::Scalar(value) => MetaValue::Scalar(value),
            MetaValue::Text(name) => MetaValue::Text(self.name(name)),
            MetaValue::Bytes(args) => MetaValue::Bytes(self.args(args)),
            MetaValue::List(args) => MetaValue::List(self.args(args)),
            MetaValue::Map(args) => MetaValue::Map(self.args(args)),
        };
        let thread = meta.thread.map(|thread| self.thread(thread));
        self.builder.meta.push(Metadata { thread, key, value });
    }

    /// Adds an event that the model does not interpret.
    fn other(&mut self, other: &OtherEvent) {
        let (thread, at) = (self.thread(other.thread), self.at(other.at));
        let (name, category, args) =
            (self.name(other.name), self.name(other.category), self.args(other.args));
        self.builder.others.push(OtherEvent { tag: other.tag, thread, at, name, category, args });
        self.count_clamped();
    }
}

//! Writes track events for Perfetto.

mod fields;
mod flows;
mod packets;
mod thread_counts;
mod uuids;

use core::iter;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::RandomState,
    io::{self, Write},
};

use alloc::{
    format,
    string::{String, ToString},
};
use spall_json::JsonValue;
use spall_model::{
    Args, ChildOrder, LostParts, NameId, Process, SliceId, ThreadMeasure, Tick, Trace, TraceView, Track,
    TrackKind, Value,
};

use super::{
    ExportReport, Loss,
    lane::{Edge, lanes, without_open_ends},
    protobuf::Fields,
    thread::{NamedThread, beginning, name_or_id, title},
    thread_ids::{ThreadIds, fitting},
};
use crate::tick_scale::TickScale;
use fields::{UNMERGED, argument, event, kind, packet, process, thread, track};
use flows::Flows;
use packets::Packets;
use thread_counts::{CounterTracks, MEASURES, WithEvents, at_end, counter_below, has_counts, n_counts};
use uuids::Uuids;

/// Writes a trace as Perfetto's track events, in protocol buffers.
///
/// Times are whole nanoseconds, of which Trace Event JSON loses some in Perfetto. Tracks of their own keep their
/// places, names and ids if these are numbers of 64 bits. Slices that overlap go to a track below that of their thread,
/// each series of a counter is a track, thread states are slices on a track of their own, and flows have ids of 64
/// bits. Process ids that are not numbers of 31 bits, and thread ids that are not, are replaced by free ones, and
/// become names where there is no name. Ticks that are no whole nanoseconds are rounded, and counted for each event. If
/// the trace has a time before 0, all times are moved by [`ExportReport::moved`].
///
/// A flow of Perfetto leads from the start of a slice to the start of a later one. Others count as left out, and so do
/// objects, samples that were not merged, and metadata without a place in Perfetto. Fields of an event that are not
/// arguments count as arguments that are missing. The thread time and the instructions of slices become values of counters
/// below their threads. Of a long name, the further lanes of a thread and series of a counter have
/// the beginning only.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut file = Vec::new();
/// assert!(spall_trace::export::perfetto(&trace, &mut file)?.is_lossless());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn perfetto(trace: &Trace, out: impl Write) -> io::Result<ExportReport> {
    let mut export = Export::new(trace, out);
    export.clock()?;
    for process in trace.processes() {
        export.process(process)?;
    }
    for track in trace.tracks() {
        match track.kind {
            TrackKind::Counter { .. } => export.counter(track)?,
            _ => export.track(track)?,
        }
    }
    export.packets.finish()?;
    Ok(export.report)
}

/// The largest id of a process or thread.
const MAX_ID: u32 = i32::MAX.unsigned_abs();

/// The number of the clock that counts from 1970.
const UNIX_CLOCK: u64 = 1;
const MONOTONIC_CLOCK: u64 = 3;

/// The number of the clock of all times that do not name one.
const BOOT_CLOCK: u64 = 6;

/// A file in the making.
struct Export<'t, W: Write> {
    trace: &'t Trace,
    packets: Packets<'t, W>,
    report: ExportReport,
    scale: TickScale,
    ids: ThreadIds,
    flows: Flows,
    uuids: Uuids,
    with_events: WithEvents,
}

impl<'t, W: Write> Export<'t, W> {
    fn new(trace: &'t Trace, out: W) -> Self {
        let first = trace.bounds().map_or(Tick(0), |bounds| bounds.start.min(Tick(0)));
        let flows = Flows::new(trace);
        let mut report = ExportReport::all_facts(trace);
        report.moved = Tick(0) - first;
        report.add(Loss::Flow, flows.n_left_out());
        report.add_samples(trace);
        Self {
            trace,
            packets: Packets::new(trace, out),
            report,
            scale: TickScale::new(trace.clock().ns_per_tick().unwrap_or(1.0)),
            ids: ThreadIds::of(trace, MAX_ID),
            flows,
            uuids: Uuids::of(trace),
            with_events: WithEvents::default(),
        }
    }

    /// Returns a time in the file. Readers take the 64 bits of one as a number with a sign.
    fn ns(&mut self, at: Tick) -> u64 {
        let at = at + self.report.moved;
        let ns = i64::try_from(self.scale.convert(at).max(0));
        self.report.add(Loss::Time, usize::from(ns.is_err()));
        self.report.add_lost_parts(LostParts::TIME.only_if(!self.scale.is_whole(at)));
        ns.unwrap_or(i64::MAX).unsigned_abs()
    }

    /// Writes what the clocks of the machine showed at tick 0.
    fn clock(&mut self) -> io::Result<()> {
        let clock = self.trace.clock();
        self.report.add(Loss::Metadata, usize::from(clock.ns_per_tick().is_none()));
        let known = [(UNIX_CLOCK, clock.epoch_ns), (MONOTONIC_CLOCK, clock.monotonic_ns)];
        let known = known.into_iter().filter_map(|(clock, ns)| Some((clock, i128::from(ns?))));
        let Some(earliest) = known.clone().map(|(_, ns)| ns).min() else { return Ok(()) };
        // Clocks are not read below 0, so they are read together when none of them is.
        let boot = self.ns(Tick(0));
        let later = earliest.min(0);
        let readings =
            iter::once((BOOT_CLOCK, i128::from(boot))).chain(known).map(|(clock, ns)| (clock, ns - later));
        if readings.clone().any(|(_, ns)| i64::try_from(ns).is_err()) {
            self.report.add(Loss::Metadata, 1);
            return Ok(());
        }
        self.packets.packet(|packet| {
            packet.uint(packet::TIME, boot);
            packet.message(packet::CLOCKS, |clocks| {
                for (clock, ns) in readings {
                    clocks.message(1, |reading| {
                        reading.uint(1, clock);
                        reading.uint(2, u64::try_from(ns).unwrap_or(0));
                    });
                }
            });
        })
    }

    fn process(&mut self, process: &Process) -> io::Result<()> {
        let trace = self.trace;
        let Some(uuid) = self.uuids.process(process.id) else {
            let is_named = usize::from(!process.name.is_empty()) + usize::from(process.sort_index != 0);
            self.report.add(Loss::Metadata, is_named + process.labels.len());
            return Ok(());
        };
        let (pid, sort_index) = (self.ids.process(process), self.sort_index(process.sort_index));
        self.packets.track(|track| {
            track.uint(track::UUID, uuid);
            track.message(track::PROCESS, |fields| {
                fields.uint(process::PID, pid.into());
                if !process.name.is_empty() || fitting(process.pid, MAX_ID) != Some(pid) {
                    fields.text(process::NAME, &name_or_id(trace, process.name, process.pid));
                }
                sort_index.into_iter().for_each(|index| fields.int(process::SORT_INDEX, index));
                process.labels.iter().for_each(|&label| fields.text(process::LABEL, &trace.name(label)));
            });
        })
    }

    /// Returns a sort index, which is absent if it is 0, and counts one of more than 32 bits.
    fn sort_index(&mut self, index: i64) -> Option<i64> {
        let fits = i32::try_from(index).is_ok();
        self.report.add(Loss::Metadata, usize::from(!fits));
        (fits && index != 0).then_some(index)
    }

    /// Writes a track that is no counter, and what is on it.
    fn track(&mut self, track: &Track) -> io::Result<()> {
        let trace = self.trace;
        let uuid = self.uuids.track(track.id);
        self.describe(uuid, track)?;
        let lanes = lanes(trace, track);
        let title = if lanes.len() > 1 { trace.track_title(track.id) } else { "".into() };
        let title = beginning(&title);
        let counters = self.thread_counters(track, uuid)?;
        for (number, lane) in lanes.iter().enumerate() {
            let uuid = match number {
                0 => uuid,
                _ => self.track_below(uuid, &format!("{title} ({})", number + 1))?,
            };
            // Only slices of threads have thread times.
            let counters = if number == 0 { counters } else { [None; 2] };
            for &edge in without_open_ends(trace, lane) {
                self.edge(uuid, edge, counters)?;
            }
        }
        for instant in trace.instants_of(track.id) {
            let args = trace.args_of(instant);
            let mut event = self.named(kind::INSTANT, uuid, instant.name, instant.category);
            self.add_args(&mut event, args, n_counts(args));
            self.add_counts(&mut event, counters, instant.at, |measure| args.thread_count(measure).at);
            let at = self.ns(instant.at);
            self.packets.event(at, &event)?;
        }
        self.states(track, uuid)
    }

    /// Writes what a track is.
    fn describe(&mut self, uuid: u64, track: &Track) -> io::Result<()> {
        let trace = self.trace;
        if matches!(track.kind, TrackKind::Track { .. }) {
            return self.own_track(uuid, track, &trace.name(track.name), None);
        }
        let process = track.process.and_then(|process| trace.processes().get(process.index()));
        let of_thread = process.zip(track.kind.tid()).map(|(process, tid)| {
            let (pid, number) = self.ids.thread(&NamedThread { track, process, tid, is_first: false }, 0);
            let needs_name = !track.name.is_empty() || fitting(tid, MAX_ID) != Some(number);
            let name = needs_name.then(|| name_or_id(trace, track.name, tid));
            (pid, number, self.sort_index(track.sort_index), name)
        });
        if of_thread.is_none() {
            self.report.add(Loss::Metadata, usize::from(track.sort_index != 0));
        }
        let parent = self.uuids.parent(track);
        self.packets.track(|fields| {
            fields.uint(track::UUID, uuid);
            if let Some((pid, number, sort_index, name)) = of_thread {
                fields.message(track::THREAD, |fields| {
                    fields.uint(thread::PID, pid.into());
                    fields.uint(thread::TID, number.into());
                    sort_index.into_iter().for_each(|index| fields.int(thread::SORT_INDEX, index));
                    name.into_iter().for_each(|name| fields.text(thread::NAME, &name));
                });
                return;
            }
            fields.text(track::NAME, &title(trace, track));
            parent.into_iter().for_each(|parent| fields.uint(track::PARENT, parent));
        })
    }

    /// Writes the place of a track of its own, or of a counter in the place of one, which has a type.
    fn own_track(&mut self, uuid: u64, track: &Track, name: &str, counter: Option<u64>) -> io::Result<()> {
        let (rank, parent) = (self.sort_index(track.sort_index), self.uuids.parent(track));
        self.packets.track(|fields| {
            fields.uint(track::UUID, uuid);
            if !name.is_empty() {
                fields.text(track::NAME, name);
            }
            parent.into_iter().for_each(|parent| fields.uint(track::PARENT, parent));
            let order = match track.children {
                ChildOrder::ByName => Some(1),
                ChildOrder::ByTime => Some(2),
                ChildOrder::ByRank => Some(3),
                ChildOrder::Unspecified => None,
            };
            order.into_iter().for_each(|order| fields.uint(track::CHILDREN, order));
            rank.into_iter().for_each(|rank| fields.int(track::RANK, rank));
            fields.uint(track::MERGING, UNMERGED);
            counter.into_iter().for_each(|kind| counter_kind(fields, kind));
        })
    }

    /// Writes that there is a track below another one, and returns its number.
    fn track_below(&mut self, parent: u64, name: &str) -> io::Result<u64> {
        let uuid = self.uuids.next();
        self.packets.track(|fields| {
            fields.uint(track::UUID, uuid);
            fields.text(track::NAME, name);
            fields.uint(track::PARENT, parent);
        })?;
        Ok(uuid)
    }

    /// Writes the begin or the end of a slice.
    fn edge(&mut self, uuid: u64, edge: Edge, counters: CounterTracks) -> io::Result<()> {
        let trace = self.trace;
        let event = match edge {
            Edge::End(id, _) => {
                let mut event = event_of(kind::END, uuid);
                let args = trace.slice_args(id);
                self.add_args(&mut event, args.end, n_counts(args.end));
                self.add_counts(&mut event, counters, edge.at(), |measure| at_end(&args, measure));
                event
            }
            Edge::Begin(id, _) => {
                let Some(slice) = trace.slice(id) else { return Ok(()) };
                let mut event = self.named(kind::BEGIN, uuid, slice.name, slice.category);
                let args = trace.slice_args(id).begin;
                self.add_args(&mut event, args, n_counts(args));
                self.add_counts(&mut event, counters, edge.at(), |measure| args.thread_count(measure).at);
                self.add_source(&mut event, id);
                self.flows.leaving(id).for_each(|flow| event.fixed(event::FLOW, flow));
                self.flows.arriving(id).for_each(|flow| event.fixed(event::ENDING_FLOW, flow));
                event
            }
        };
        let at = self.ns(edge.at());
        self.packets.event(at, &event)
    }

    /// Writes the counters of a thread of which slices have values, and returns their numbers.
    fn thread_counters(&mut self, thread: &Track, parent: u64) -> io::Result<CounterTracks> {
        let trace = self.trace;
        let mut counters = [None; 2];
        if thread.kind.tid().is_none() {
            return Ok(counters);
        }
        for ((measure, kind, name), uuid) in MEASURES.into_iter().zip(&mut counters) {
            if !has_counts(trace, thread, measure) {
                continue;
            }
            let number = match counter_below(trace, thread, name) {
                Some(track) => {
                    let number = self.uuids.track(track.id);
                    self.own_track(number, track, name, Some(kind))?;
                    self.with_events.insert(number, HashMap::default());
                    number
                }
                None => {
                    let number = self.uuids.next();
                    self.packets.track(|fields| {
                        fields.uint(track::UUID, number);
                        fields.uint(track::PARENT, parent);
                        fields.uint(track::MERGING, UNMERGED);
                        counter_kind(fields, kind);
                    })?;
                    number
                }
            };
            *uuid = Some(number);
        }
        Ok(counters)
    }

    /// Adds what counters of the thread showed at an event.
    fn add_counts(
        &mut self,
        event: &mut Fields,
        counters: CounterTracks,
        at: Tick,
        count: impl Fn(ThreadMeasure) -> Option<i64>,
    ) {
        for ((measure, ..), uuid) in MEASURES.into_iter().zip(counters) {
            let Some(count) = count(measure) else { continue };
            let Some(uuid) = uuid else {
                self.report.add_lost_parts(LostParts::ARGUMENTS);
                continue;
            };
            let count = match measure {
                ThreadMeasure::Time => i64::try_from(self.scale.convert(Tick(count))).unwrap_or(i64::MAX),
                ThreadMeasure::Instructions => count,
            };
            event.int(event::FURTHER_VALUE, count);
            event.uint(event::FURTHER_TRACK, uuid);
            #[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
            if let Some(values) = self.with_events.get_mut(&uuid) {
                *values.entry((at, (count as f64).to_bits())).or_default() += 1;
            }
        }
    }

    /// Writes the states of a thread as slices of a track below it.
    fn states(&mut self, track: &Track, uuid: u64) -> io::Result<()> {
        let states = self.trace.states_of(track.id);
        if states.is_empty() {
            return Ok(());
        }
        let below = self.track_below(uuid, "state")?;
        let mut end = Tick(i64::MIN);
        for state in states {
            // Slices of one track have to nest.
            if state.start < end {
                self.report.add(Loss::State, 1);
                continue;
            }
            end = state.end;
            let args = self.trace.args_of(state);
            let mut event = self.named(kind::BEGIN, below, state.name, NameId::default());
            self.add_args(&mut event, args, 0);
            let at = self.ns(state.start);
            self.packets.event(at, &event)?;
            let at = self.ns(state.end);
            self.packets.event(at, &event_of(kind::END, below))?;
        }
        Ok(())
    }

    /// Writes a counter, whose series become tracks.
    fn counter(&mut self, track: &Track) -> io::Result<()> {
        let label = self.trace.track_title(track.id);
        let beginning = beginning(&label);
        let mut uuids: HashMap<NameId, u64, RandomState> = HashMap::default();
        if track.counters().is_empty() {
            // Tracks may lie below it.
            self.own_track(self.uuids.track(track.id), track, &label, Some(0))?;
        }
        for value in self.trace.counters_of(track.id) {
            let is_first = uuids.is_empty();
            let uuid = match uuids.entry(value.series) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let uuid = if is_first { self.uuids.track(track.id) } else { self.uuids.next() };
                    new.insert(uuid);
                    let label = if is_first { &label } else { &beginning };
                    let name = match &*self.trace.name(value.series) {
                        // The name that readers give the only series of a counter.
                        "value" => label.clone().into_owned(),
                        series => format!("{label} {series}").trim_end().into(),
                    };
                    if !self.with_events.contains_key(&uuid) {
                        self.own_track(uuid, track, &name, Some(0))?;
                    }
                    uuid
                }
            };
            let with_events = self.with_events.get_mut(&uuid);
            let with_events =
                with_events.and_then(|values| values.get_mut(&(value.at, value.value.to_bits())));
            if let Some(count) = with_events.filter(|count| **count > 0) {
                *count -= 1;
                continue;
            }
            let mut event = event_of(kind::COUNTER, uuid);
            event.double(event::COUNTER_VALUE, value.value);
            let at = self.ns(value.at);
            self.packets.event(at, &event)?;
        }
        Ok(())
    }

    fn named(&mut self, kind: u64, uuid: u64, name: NameId, category: NameId) -> Fields {
        let mut event = event_of(kind, uuid);
        self.packets.name(name).into_iter().for_each(|iid| event.uint(event::NAME, iid));
        self.packets.category(category).into_iter().for_each(|iid| event.uint(event::CATEGORY, iid));
        event
    }

    /// Adds arguments. Of the further fields of the event, `n_counts` say what counters showed, and are written as that.
    fn add_args(&mut self, event: &mut Fields, args: Args<'_>, n_counts: usize) {
        let mut lost = LostParts::NONE;
        for (key, value) in args.iter() {
            if matches!(value, Value::Bytes(_)) {
                lost = lost.with(LostParts::ARGUMENT_TYPES);
            }
            self.add_argument(event, &key.decode(), value);
        }
        if args.fields().count() > n_counts {
            lost = lost.with(LostParts::ARGUMENTS);
        }
        self.report.add_lost_parts(lost);
    }

    fn add_argument(&mut self, event: &mut Fields, key: &str, value: Value<'_>) {
        let key = self.packets.key(key);
        event.message(event::ARGUMENT, |fields| {
            fields.uint(argument::KEY, key);
            match value {
                // An argument without a value. The trace processor ends at a JSON value that is nothing but `null`.
                Value::Null => {}
                Value::Bool(value) => fields.uint(argument::BOOL, value.into()),
                Value::I64(value) => fields.int(argument::INT, value),
                Value::U64(value) => fields.uint(argument::UINT, value),
                Value::F64(value) => fields.double(argument::DOUBLE, value),
                Value::Text(text) => fields.text(argument::TEXT, &text.decode()),
                Value::Bytes(bytes) => {
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    fields.text(argument::TEXT, &hex);
                }
                value => fields.text(argument::JSON, &JsonValue(value).to_string()),
            }
        });
    }

    /// Adds where the source of a function is that samples found.
    fn add_source(&mut self, event: &mut Fields, slice: SliceId) {
        let Some(frame) = self.trace.sampled(slice).and_then(|sampled| self.trace.frame(sampled.frame))
        else {
            return;
        };
        if !frame.url.is_empty() {
            let url = self.trace.name(frame.url);
            self.add_argument(event, "url", Value::Text((&*url).into()));
        }
        for (key, number) in [("line", frame.line), ("column", frame.column)] {
            if let Some(number) = number {
                self.add_argument(event, key, Value::I64(number.into()));
            }
        }
    }
}

/// Adds that a track is a counter, of a type if it is not 0.
fn counter_kind(track: &mut Fields, kind: u64) {
    track.message(track::COUNTER, |counter| {
        if kind > 0 {
            counter.uint(1, kind);
        }
    });
}

/// Returns an event of a track.
fn event_of(kind: u64, uuid: u64) -> Fields {
    let mut event = Fields::default();
    event.uint(event::KIND, kind);
    event.uint(event::TRACK, uuid);
    event
}

//! Writes track events for Perfetto.

mod flows;
mod messages;
mod packets;

use std::io::{self, Write};

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use spall_json::JsonValue;
use spall_model::{
    Args, NameId, Omitted, Process, SliceFlags, SliceId, Text, Tick, Trace, Track, TrackKind, Unit, Value,
};

use super::{
    ExportReport, Loss,
    lane::{Edge, lanes, without_open_ends},
    thread::{NamedThread, name_or_id, numbered},
    thread_ids::ThreadIds,
};
use crate::tick_scale::TickScale;
use flows::Flows;
use messages::{
    AnnotationValue, Clock, ClockSnapshot, CounterDescriptor, DebugAnnotation, Packet, ProcessDescriptor,
    ThreadDescriptor, TrackDescriptor, TrackEvent,
};
use packets::Packets;

/// Writes a trace as Perfetto's track events, in protocol buffers.
///
/// Times are whole nanoseconds, of which Trace Event JSON loses some in Perfetto. Slices that overlap go to a track below
/// that of their thread, each series of a counter is a track, thread states are slices on a track of their own, and flows
/// have ids of 64 bits. Process ids that are not numbers of 31 bits, and thread ids that are not, are replaced by free ones, and
/// become names where there is no name. If the trace has a time before 0, all times are moved by [`ExportReport::moved`].
///
/// A flow of Perfetto leads from the start of a slice to the start of a later one. Others count as left out, and so do
/// objects, samples that were not merged, and metadata without a place in Perfetto. Fields of an event that are not
/// arguments count as arguments that are missing.
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
pub fn perfetto(trace: &Trace<'_>, out: impl Write) -> io::Result<ExportReport> {
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

/// A file in the making.
struct Export<'t, W: Write> {
    trace: &'t Trace<'t>,
    packets: Packets<'t, W>,
    report: ExportReport,
    scale: TickScale,
    ids: ThreadIds,
    flows: Flows,
    /// The number of the next track. Those of processes come first.
    next_track: u64,
}

impl<'t, W: Write> Export<'t, W> {
    fn new(trace: &'t Trace<'t>, out: W) -> Self {
        let first = trace.bounds().map_or(Tick(0), |bounds| bounds.start.min(Tick(0)));
        let is_merged = trace.slices().flags().iter().any(|flags| flags.contains(SliceFlags::SAMPLED));
        let flows = Flows::new(trace);
        let mut report = ExportReport::default();
        report.moved = Tick(0) - first;
        report.add(Loss::Flow, flows.n_left_out());
        report.add(Loss::Object, trace.objects().len());
        report.add(Loss::Sample, if is_merged { 0 } else { trace.samples().len() });
        report.add(Loss::Metadata, trace.meta().len());
        report.add(Loss::Other, trace.others().len());
        Self {
            trace,
            packets: Packets::new(trace, out),
            report,
            scale: TickScale::new(trace.clock().ns_per_tick().unwrap_or(1.0)),
            ids: ThreadIds::of(trace, i32::MAX.unsigned_abs()),
            flows,
            next_track: trace.processes().len() as u64 + 1,
        }
    }

    /// Returns a time in the file.
    fn ns(&self, at: Tick) -> u64 {
        u64::try_from(self.scale.convert(at + self.report.moved).max(0)).unwrap_or(u64::MAX)
    }

    /// Takes the number of a track.
    fn new_track(&mut self) -> u64 {
        self.next_track += 1;
        self.next_track - 1
    }

    /// Writes the Unix time of tick 0.
    fn clock(&mut self) -> io::Result<()> {
        let clock = self.trace.clock();
        self.report.add(Loss::Metadata, usize::from(clock.unit == Unit::Ordinal));
        let Some(epoch) = clock.epoch_ns else { return Ok(()) };
        let Ok(unix) = u64::try_from(epoch) else {
            self.report.add(Loss::Metadata, 1);
            return Ok(());
        };
        let boot = self.ns(Tick(0));
        let clocks = vec![
            Clock { clock_id: Clock::BOOTTIME, timestamp: boot },
            Clock { clock_id: Clock::REALTIME, timestamp: unix },
        ];
        let clock_snapshot = Some(ClockSnapshot { clocks });
        self.packets.packet(Packet { timestamp: Some(boot), clock_snapshot, ..Packet::default() })
    }

    fn process(&mut self, process: &Process) -> io::Result<()> {
        let name = name_or_id(self.trace, process.name, process.pid).into_owned();
        let process_labels =
            process.labels.iter().map(|&label| self.trace.name(label).into_owned()).collect();
        let descriptor = ProcessDescriptor {
            pid: i32::try_from(self.ids.process(process)).ok(),
            process_name: Some(name),
            legacy_sort_index: self.sort_index(process.sort_index),
            process_labels,
        };
        let uuid = u64::from(process.id.0) + 1;
        self.packets.track(TrackDescriptor { uuid, process: Some(descriptor), ..TrackDescriptor::default() })
    }

    /// Returns a sort index, which is absent if it is 0, and counts one of more than 32 bits.
    fn sort_index(&mut self, index: i64) -> Option<i32> {
        let fitting = i32::try_from(index).ok();
        self.report.add(Loss::Metadata, usize::from(fitting.is_none()));
        fitting.filter(|&index| index != 0)
    }

    /// Writes a track that is no counter, and what is on it.
    fn track(&mut self, track: &Track) -> io::Result<()> {
        let trace = self.trace;
        let uuid = self.new_track();
        self.describe(uuid, track)?;
        for (number, lane) in lanes(trace, track).iter().enumerate() {
            let uuid = if number == 0 {
                uuid
            } else {
                self.track_below(uuid, numbered(trace.track_label(track.id), number))?
            };
            for &edge in without_open_ends(trace, lane) {
                self.edge(uuid, edge)?;
            }
        }
        for instant in trace.instants_of(track.id) {
            let args = trace.args_of(instant);
            let event = self.named(TrackEvent::INSTANT, uuid, instant.name, instant.category);
            let event = self.with_args(event, args);
            self.packets.event(self.ns(instant.at), event)?;
        }
        self.states(track, uuid)
    }

    /// Writes what a track is.
    fn describe(&mut self, uuid: u64, track: &Track) -> io::Result<()> {
        let trace = self.trace;
        let process = track.process.and_then(|process| trace.processes().get(process.index()));
        let mut descriptor = TrackDescriptor { uuid, ..TrackDescriptor::default() };
        match (process, track.kind.tid()) {
            (Some(process), Some(tid)) => {
                let (pid, number) = self.ids.thread(&NamedThread { track, process, tid }, 0);
                descriptor.thread = Some(ThreadDescriptor {
                    pid: i32::try_from(pid).ok(),
                    tid: Some(number.into()),
                    legacy_sort_index: self.sort_index(track.sort_index),
                    thread_name: Some(name_or_id(trace, track.name, tid).into_owned()),
                });
            }
            _ => {
                descriptor.name = Some(trace.track_label(track.id).into_owned());
                descriptor.parent_uuid = process.map(|process| u64::from(process.id.0) + 1);
                self.report.add(Loss::Metadata, usize::from(track.sort_index != 0));
            }
        }
        self.packets.track(descriptor)
    }

    /// Writes that there is a track below another one, and returns its number.
    fn track_below(&mut self, parent: u64, name: String) -> io::Result<u64> {
        let uuid = self.new_track();
        let descriptor = TrackDescriptor {
            uuid,
            name: Some(name),
            parent_uuid: Some(parent),
            ..TrackDescriptor::default()
        };
        self.packets.track(descriptor)?;
        Ok(uuid)
    }

    /// Writes the begin or the end of a slice.
    fn edge(&mut self, uuid: u64, edge: Edge) -> io::Result<()> {
        let trace = self.trace;
        let event = match edge {
            Edge::End(id, _) => {
                let args = trace.slice_args(id).end;
                self.with_args(TrackEvent::new(TrackEvent::SLICE_END, uuid), args)
            }
            Edge::Begin(id, _) => {
                let Some(slice) = trace.slice(id) else { return Ok(()) };
                let event = self.named(TrackEvent::SLICE_BEGIN, uuid, slice.name, slice.category);
                let mut event = self.with_args(event, trace.slice_args(id).begin);
                self.source(id, &mut event);
                event.flow_ids = self.flows.leaving(id).collect();
                event.terminating_flow_ids = self.flows.arriving(id).collect();
                event
            }
        };
        self.packets.event(self.ns(edge.at()), event)
    }

    /// Writes the states of a thread as slices of a track below it.
    fn states(&mut self, track: &Track, uuid: u64) -> io::Result<()> {
        let states = self.trace.states_of(track.id);
        if states.is_empty() {
            return Ok(());
        }
        let below = self.track_below(uuid, "state".into())?;
        let mut end = Tick(i64::MIN);
        for state in states {
            // Slices of one track have to nest.
            if state.start < end {
                self.report.add(Loss::State, 1);
                continue;
            }
            end = state.end;
            let args = self.trace.args_of(state);
            let event = self.named(TrackEvent::SLICE_BEGIN, below, state.name, NameId::default());
            let event = self.with_args(event, args);
            self.packets.event(self.ns(state.start), event)?;
            let event = TrackEvent::new(TrackEvent::SLICE_END, below);
            self.packets.event(self.ns(state.end), event)?;
        }
        Ok(())
    }

    /// Writes a counter, whose series become tracks.
    fn counter(&mut self, track: &Track) -> io::Result<()> {
        let label = self.trace.track_label(track.id);
        let mut series: Vec<(NameId, u64)> = Vec::new();
        for value in self.trace.counters_of(track.id) {
            let known = series.binary_search_by_key(&value.series, |&(name, _)| name);
            let uuid = match known {
                Ok(at) => series.get(at).map_or(0, |&(_, uuid)| uuid),
                Err(at) => {
                    let uuid = self.new_track();
                    series.insert(at, (value.series, uuid));
                    let name = format!("{label} {}", self.trace.name(value.series));
                    self.packets.track(TrackDescriptor {
                        uuid,
                        name: Some(name.trim_end().into()),
                        parent_uuid: track.process.map(|process| u64::from(process.0) + 1),
                        counter: Some(CounterDescriptor {}),
                        ..TrackDescriptor::default()
                    })?;
                    uuid
                }
            };
            let mut event = TrackEvent::new(TrackEvent::COUNTER, uuid);
            event.double_counter_value = Some(value.value);
            self.packets.event(self.ns(value.at), event)?;
        }
        Ok(())
    }

    fn named(&mut self, kind: i32, uuid: u64, name: NameId, category: NameId) -> TrackEvent {
        let mut event = TrackEvent::new(kind, uuid);
        event.name_iid = self.packets.name(name);
        event.category_iids = self.packets.category(category).into_iter().collect();
        event
    }

    fn with_args(&mut self, mut event: TrackEvent, args: Args<'_>) -> TrackEvent {
        let mut omitted = Omitted::NONE;
        for (key, value) in args.iter() {
            let (value, is_exact) = annotation(value);
            if !is_exact {
                omitted = omitted.with(Omitted::ARGUMENT_TYPES);
            }
            self.annotate(&mut event, key, value);
        }
        if args.fields().next().is_some() {
            omitted = omitted.with(Omitted::ARGUMENTS);
        }
        self.report.add_omitted(omitted);
        event
    }

    fn annotate(&mut self, event: &mut TrackEvent, key: Text<'_>, value: AnnotationValue) {
        let name_iid = self.packets.key(&key.decode());
        event.debug_annotations.push(DebugAnnotation { name_iid, value: Some(value) });
    }

    /// Adds where the source of a function is that samples found.
    fn source(&mut self, slice: SliceId, event: &mut TrackEvent) {
        let Some(frame) = self.trace.sampled(slice).and_then(|sampled| self.trace.frame(sampled.frame))
        else {
            return;
        };
        if !frame.url.is_empty() {
            let url = self.trace.name(frame.url).into_owned();
            self.annotate(event, "url".into(), AnnotationValue::Text(url));
        }
        for (key, number) in [("line", frame.line), ("column", frame.column)] {
            if let Some(number) = number {
                self.annotate(event, key.into(), AnnotationValue::Int(number.into()));
            }
        }
    }
}

/// Returns the value of an argument in the file, and whether it has the type that it had.
fn annotation(value: Value<'_>) -> (AnnotationValue, bool) {
    let value = match value {
        Value::Bool(value) => AnnotationValue::Bool(value),
        Value::I64(value) => AnnotationValue::Int(value),
        Value::U64(value) => AnnotationValue::Uint(value),
        Value::F64(value) => AnnotationValue::Double(value),
        Value::Text(text) => AnnotationValue::Text(text.decode().into_owned()),
        Value::Bytes(bytes) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return (AnnotationValue::Text(hex), false);
        }
        value => AnnotationValue::Json(JsonValue(value).to_string()),
    };
    (value, true)
}

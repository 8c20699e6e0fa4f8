//! Writes call trees for pprof.

use std::io::{self, Write};

use alloc::{string::String, vec::Vec};
use spall_json::V8;
use spall_model::{
    Clock, FoldedNode, Function, Interner, Key, Measure, NameId, Names, SampleValue, Tick, Ticks, Trace,
    TraceView, TrackId, TrackSet, Unit, UnitName,
};
use spall_samples::{TrackTree, call_trees};

use super::{
    ExportReport, Loss,
    folded::TrackNames,
    protobuf::MessageWriter,
    trees::{StackRoom, WrittenTrees},
};
use crate::tick_scale::{TickScale, clamped};

/// Writes the call trees of a set of tracks as a profile for pprof.
///
/// A sample of the profile is a call path of a track, with the label `thread`, and `pid` and `tid` where they are
/// numbers. It has three values: the number of calls, the number of CPU samples, and the self time, in nanoseconds or
/// in what the clock counts. If samples have several values, each further one is a value of samples of its own, in which all
/// others are 0. Functions have their source and the line at which they begin. Time and samples with
/// nothing open are a path without functions. A function that CPU samples found has a path where it has time or samples
/// of its own: calls were not counted there. As for [folded stacks](super::folded()), a path has at most
/// [`MAX_FOLDED_DEPTH`](spall_model::CallTree::MAX_FOLDED_DEPTH) names, and what is no slice
/// counts as left out; other tracks do not, as they were not asked for. Where threads of a small trace share very many functions, the further paths have only
/// their 16 outermost ones, and count as too deep.
///
/// The file is not compressed. pprof reads it as it is.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::model::TrackSet;
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut profile = Vec::new();
/// assert!(spall_trace::export::pprof(&trace, TrackSet::All, &mut profile)?.is_lossless());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pprof(trace: &Trace, tracks: TrackSet, out: impl Write) -> io::Result<ExportReport> {
    let mut out = MessageWriter::new(out);
    let mut tables = Tables::default();
    let mut written = WrittenTrees::default();
    let Values { shown, name, others } = Values::of(trace);
    let shown = shown.as_ref().unwrap_or(trace);
    // Readers show the last type of value.
    let mut types: Vec<_> = others.iter().map(|(name, of)| (&**name, of.clock())).collect();
    let [calls, samples] =
        ["calls", "samples"].map(|name| (name, Clock::new(Unit::Count(UnitName::new("count")))));
    types.extend([calls, samples, (name.as_deref().unwrap_or("self"), shown.clock())]);
    for &(name, clock) in &types {
        let (kind, unit) = match (name.rsplit_once('/'), clock.unit.counted()) {
            (Some((kind, unit)), Some(_)) => (kind, unit),
            (Some((kind, _)), None) => (kind, "nanoseconds"),
            (None, counted) => (name, counted.unwrap_or("nanoseconds")),
        };
        let (kind, unit) = (tables.string(kind), tables.string(unit));
        out.write(|profile| {
            profile.message(field::SAMPLE_TYPE, |of| {
                of.int(1, kind);
                of.int(2, unit);
            });
        })?;
    }
    let clock = trace.clock();
    let scale = TickScale::new(clock.ns_per_tick().unwrap_or(1.0));
    let [thread_key, pid_key, tid_key] = ["thread", "pid", "tid"].map(|key| tables.string(key));
    let names = TrackNames::new(trace);
    let mut n_clamped = 0;
    let (mut room, mut path) = (StackRoom::of(trace), Vec::new());
    let mut row = alloc::vec![0; types.len()];
    let n_others = others.len();
    // The columns of the calls, the samples and the time of each trace.
    let others = others.iter().enumerate().map(|(column, (_, of))| (of, [None, None, Some(column)]));
    let columns = [n_others, n_others + 1, n_others + 2].map(Some);
    for (trace, columns, TrackTree { track, name, tree, .. }) in
        others.chain([(shown, columns)]).flat_map(|(trace, columns)| {
            call_trees(trace, &V8, tracks, Measure::WallTime).map(move |tree| (trace, columns, tree))
        })
    {
        let scale = TickScale::new(trace.clock().ns_per_tick().unwrap_or(1.0));
        let ids = thread_ids(trace, track);
        // Without numbers, the name alone tells threads apart.
        let name = if ids.iter().all(Option::is_some) { None } else { Some(names.of(trace, track, &name)) };
        let name = name.map_or_else(|| trace.track_title(track).into_owned(), |name| name.text());
        let thread = tables.string(&name);
        let mut values = |count, hits, time: Ticks| {
            let time = scale.convert(Tick(time.0));
            n_clamped += usize::from(i128::from(clamped(time)) != time);
            [signed(count), signed(hits), clamped(time)]
        };
        let nothing_open = tree.unattributed();
        let nothing_open = (None, values(0, nothing_open.hits, nothing_open.time));
        let nodes = tree.folded_nodes();
        // The calls of a function that samples found were inferred. With a path for each such function, a stack would take
        // as many paths as it has functions.
        let is_counted = |node: &FoldedNode| {
            let is_of_samples = tree.node(node.id).is_some_and(|of| of.function.source.is_some());
            !is_of_samples || node.hits > 0 || node.self_time > Ticks::ZERO
        };
        let nodes = nodes.filter(is_counted);
        let nodes = nodes.map(|node| (Some(node.id), values(node.count, node.hits, node.self_time)));
        for (id, value) in core::iter::once(nothing_open).chain(nodes) {
            row.fill(0);
            for (column, value) in columns.into_iter().zip(value) {
                if let Some(place) = column.and_then(|column| row.get_mut(column)) {
                    *place = value;
                }
            }
            if row.iter().all(|&value| value == 0) {
                continue;
            }
            path.clear();
            let callers =
                core::iter::successors(id.and_then(|id| tree.node(id)), |node| tree.node(node.parent?));
            path.extend(callers.map(|node| tables.location(node.function)));
            if path.len() > StackRoom::FEW_FUNCTIONS && !room.take(LOCATION_BYTES * path.len()) {
                // The innermost function comes first.
                path.drain(..path.len() - StackRoom::FEW_FUNCTIONS);
                written.add_cut();
            }
            let locations = path.iter().copied();
            out.write(|profile| {
                profile.message(field::SAMPLE, |sample| {
                    sample.uints(1, locations);
                    sample.uints(2, row.iter().map(|value| value.cast_unsigned()));
                    sample.message(3, |label| {
                        label.int(1, thread_key);
                        label.int(2, thread);
                    });
                    for (key, id) in [pid_key, tid_key].into_iter().zip(ids) {
                        if let Some(id) = id {
                            sample.message(3, |label| {
                                label.int(1, key);
                                label.int(3, id);
                            });
                        }
                    }
                });
            })?;
        }
        if columns.iter().all(Option::is_some) {
            written.add(&tree);
        }
    }
    tables.write(trace, &mut out)?;
    if let Some(bounds) = trace.bounds() {
        let start = scale.convert(bounds.start) + i128::from(clock.epoch_ns.unwrap_or(0));
        let duration = scale.convert(bounds.end) - scale.convert(bounds.start);
        let time_nanos = if clock.epoch_ns.is_some() { clamped(start) } else { 0 };
        out.write(|profile| {
            profile.int(field::TIME, time_nanos);
            profile.int(field::DURATION, clamped(duration));
        })?;
    }
    out.finish()?;
    let mut report = written.report(trace);
    report.add(Loss::Time, n_clamped);
    Ok(report)
}

/// The values of the samples of a trace.
struct Values {
    /// The trace with the value that counts, if that is another one.
    shown: Option<Trace>,
    /// The name of that value, if there are others.
    name: Option<String>,
    /// The names of the others, and the trace with each.
    others: Vec<(String, Trace)>,
}

impl Values {
    fn of(trace: &Trace) -> Self {
        let values = trace.sample_values();
        let of_value = |value: &SampleValue| {
            (trace.name(value.name).into_owned(), trace.clone().with_value(Some(value.name)))
        };
        let is_named = |value: &&SampleValue| value.counts && value.name != NameId::EMPTY;
        let name = values.iter().find(is_named).filter(|_| values.len() > 1);
        Self {
            shown: trace.needs_value().then(|| trace.clone().with_value(None)),
            name: name.map(|value| trace.name(value.name).into_owned()),
            others: values.iter().filter(|value| !value.counts).map(of_value).collect(),
        }
    }
}

/// How many bytes the number of a location takes in a path, about.
const LOCATION_BYTES: usize = 3;

/// Returns the ids of the process and the thread of a track, as far as they are numbers. The thread of a process without a
/// number has none, as it would be taken for one of another process; and so it is with tracks that have the ids of threads.
fn thread_ids(trace: &Trace, track: TrackId) -> [Option<i64>; 2] {
    let number = |key| match key {
        Key::Number(number) => Some(number),
        Key::Text(_) => None,
    };
    let track = trace.tracks().get(track.index());
    let process = track.and_then(|track| trace.processes().get(track.process?.index()));
    let pid = process.and_then(|process| number(process.pid));
    let thread = track.filter(|track| pid.is_some() && TrackSet::Threads.contains(&track.kind));
    [pid, thread.and_then(|track| number(track.kind.tid()?))]
}

/// Returns a number in the type of the format's values.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The tables of a profile. The number of an entry is its position, and a number of functions and locations counts from 1.
#[derive(Default)]
struct Tables {
    strings: Names,
    functions: Interner<Function>,
}

impl Tables {
    /// Returns the number of a string. The first string of a profile is empty.
    fn string(&mut self, text: &str) -> i64 {
        i64::from(self.strings.intern_bytes(text.as_bytes()).0)
    }

    /// Returns the number of the location of a function.
    fn location(&mut self, function: Function) -> u64 {
        u64::from(self.functions.add(function)) + 1
    }

    /// Writes functions, locations and strings.
    fn write(mut self, trace: &Trace, out: &mut MessageWriter<impl Write>) -> io::Result<()> {
        for (id, function) in (1_u64..).zip(core::mem::take(&mut self.functions).keys()) {
            let line = function.source.and_then(|source| source.line).map_or(0, |line| i64::from(line) + 1);
            let url = function.source.map(|source| trace.name(source.url)).unwrap_or_default();
            let (name, filename) = (self.string(&trace.name(function.name)), self.string(&url));
            out.write(|profile| {
                profile.message(field::FUNCTION, |function| {
                    function.uint(1, id);
                    function.int(2, name);
                    // As the system spells it.
                    function.int(3, name);
                    function.int(4, filename);
                    function.int(5, line);
                });
                profile.message(field::LOCATION, |location| {
                    location.uint(1, id);
                    location.message(4, |place| {
                        place.uint(1, id);
                        place.int(2, line);
                    });
                });
            })?;
        }
        for text in self.strings.iter() {
            out.write(|profile| profile.text(field::STRING, &String::from_utf8_lossy(text)))?;
        }
        Ok(())
    }
}

/// The fields of a profile in pprof's `profile.proto`, as far as a call tree needs them.
mod field {
    pub(super) const SAMPLE_TYPE: u32 = 1;
    pub(super) const SAMPLE: u32 = 2;
    pub(super) const LOCATION: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const STRING: u32 = 6;
    pub(super) const TIME: u32 = 9;
    pub(super) const DURATION: u32 = 10;
}

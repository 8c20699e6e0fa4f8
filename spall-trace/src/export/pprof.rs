//! Writes call trees for pprof.

use std::collections::HashMap;
use std::hash::RandomState;
use std::io::{self, Write};

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use prost::Message;
use spall_model::{Function, Tick, Trace, TraceView, Unit};
use spall_samples::ThreadTree;

use super::{ExportReport, protobuf::Fields, trees::WrittenTrees};
use crate::tick_scale::{TickScale, clamped};

/// Writes the call trees of all threads as a profile for pprof.
///
/// A sample of the profile is a call path of a thread, with the label `thread`. It has three values: the number of calls,
/// the number of CPU samples, and the self time, in nanoseconds unless the clock is ordinal. Functions have their source
/// and the line at which they begin. As for [folded stacks](super::folded()), a path has at most
/// [`MAX_FOLDED_DEPTH`](spall_model::CallTree::MAX_FOLDED_DEPTH) names, and everything that is not in a call tree of a thread counts as left out.
///
/// The file is not compressed. pprof reads it as it is.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10}]"#;
/// let trace = spall_trace::load(json, &spall_trace::model::Limits::default())?;
/// let mut profile = Vec::new();
/// assert!(spall_trace::export::pprof(&trace, &mut profile)?.is_lossless());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pprof(trace: &Trace<'_>, out: impl Write) -> io::Result<ExportReport> {
    let mut out = Fields::new(out);
    let mut tables = Tables::default();
    let mut written = WrittenTrees::default();
    let clock = trace.clock();
    let scale = TickScale::new(clock.ns_per_tick().unwrap_or(1.0));
    let time_unit = if clock.unit == Unit::Ordinal { "events" } else { "nanoseconds" };
    for (kind, unit) in [("calls", "count"), ("samples", "count"), ("self", time_unit)] {
        let (kind, unit) = (tables.string(kind), tables.string(unit));
        out.field(1, &ValueType { kind, unit })?;
    }
    let thread_key = tables.string("thread");
    for ThreadTree { track, tree, .. } in crate::call_trees(trace) {
        let thread = tables.string(&trace.track_label(track));
        for node in tree.folded_nodes() {
            let value =
                [signed(node.count), signed(node.hits), clamped(scale.convert(Tick(node.self_time.0)))];
            if value == [0; 3] {
                continue;
            }
            let path = core::iter::successors(tree.node(node.id), |node| tree.node(node.parent?));
            let location_id = path.map(|node| tables.location(node.function)).collect();
            let label = [Label { key: thread_key, str: thread }].into();
            out.field(2, &Sample { location_id, value: value.to_vec(), label })?;
        }
        written.add(&tree);
    }
    tables.write(trace, &mut out)?;
    if let Some(bounds) = trace.bounds() {
        let start = scale.convert(bounds.start) + i128::from(clock.epoch_ns.unwrap_or(0));
        let duration = scale.convert(bounds.end) - scale.convert(bounds.start);
        let time_nanos = if clock.epoch_ns.is_some() { clamped(start) } else { 0 };
        out.merge(&Times { time_nanos, duration_nanos: clamped(duration) })?;
    }
    out.finish()?;
    Ok(written.report(trace))
}

/// Returns a number in the type of the format's values.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The tables of a profile. The number of an entry is its position, and a number of functions and locations counts from 1.
#[derive(Default)]
struct Tables {
    strings: HashMap<String, i64, RandomState>,
    in_order: Vec<String>,
    functions: HashMap<Function, u64, RandomState>,
    locations: Vec<Function>,
}

impl Tables {
    /// Returns the number of a string. The first string of a profile is empty.
    fn string(&mut self, text: &str) -> i64 {
        if self.in_order.is_empty() {
            self.in_order.push(String::new());
            self.strings.insert(String::new(), 0);
        }
        if let Some(&number) = self.strings.get(text) {
            return number;
        }
        let number = i64::try_from(self.in_order.len()).unwrap_or(i64::MAX);
        self.in_order.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    /// Returns the number of the location of a function.
    fn location(&mut self, function: Function) -> u64 {
        let next = self.locations.len() as u64 + 1;
        *self.functions.entry(function).or_insert_with(|| {
            self.locations.push(function);
            next
        })
    }

    /// Writes functions, locations and strings.
    fn write(mut self, trace: &Trace<'_>, out: &mut Fields<impl Write>) -> io::Result<()> {
        for (id, function) in (1_u64..).zip(core::mem::take(&mut self.locations)) {
            let line = function.source.and_then(|source| source.line).map_or(0, |line| i64::from(line) + 1);
            let url = function.source.map(|source| trace.name(source.url)).unwrap_or_default();
            let (name, filename) = (self.string(&trace.name(function.name)), self.string(&url));
            out.field(5, &FunctionEntry { id, name, system_name: name, filename, start_line: line })?;
            out.field(4, &Location { id, line: [Line { function_id: id, line }].into() })?;
        }
        for text in self.in_order {
            out.string(6, &text)?;
        }
        Ok(())
    }
}

// The messages of pprof's `profile.proto`, as far as a call tree needs them.

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    str: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct FunctionEntry {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Times {
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
}

//! Call trees as tables.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use pyo3::{PyResult, exceptions::PyValueError};
use spall_trace::{
    compare, merged_call_tree,
    model::{FunctionStats, Measure, Ticks, Trace, TraceView, TrackSet},
};

use crate::table::{Table, value_error};

/// Returns the measure that Python names.
pub(crate) fn measure(name: &str) -> PyResult<Measure> {
    Measure::of_name(name).ok_or_else(|| {
        let names = Measure::ALL.map(Measure::name).join(", ");
        PyValueError::new_err(format!("{name}: this is no measure. Use one of {names}."))
    })
}

/// Returns the set of tracks that Python names, if it names one.
pub(crate) fn tracks(name: Option<&str>) -> PyResult<Option<TrackSet>> {
    let Some(name) = name else { return Ok(None) };
    TrackSet::of_name(name).map(Some).ok_or_else(|| {
        let names = TrackSet::ALL.map(TrackSet::name).join(", ");
        PyValueError::new_err(format!("{name}: this is no set of tracks. Use one of {names}."))
    })
}

/// The sums that are asked for: of which tracks, and of what.
pub(crate) type Of = (TrackSet, Measure);

/// Returns the nodes, parents before children.
pub(crate) fn nodes(trace: &Trace, of: Of) -> Result<Table, ArrowError> {
    let tree = merged_call_tree(trace, of.0, of.1);
    let nodes = tree.nodes();
    let functions = nodes.iter().map(|node| node.function);
    let sources = functions.clone().map(|function| function.source);
    let urls = sources.map(|source| source.map(|source| trace.name(source.url).into_owned()));
    table(vec![
        ("id", ints(0..nodes.len() as i64)),
        ("parent_id", Arc::new(Int64Array::from_iter(nodes.iter().map(|node| Some(node.parent?.0.into()))))),
        ("depth", ints(nodes.iter().map(|node| node.depth.into()))),
        ("name", texts(functions.map(|function| trace.name(function.name).into_owned()))),
        ("url", Arc::new(urls.collect::<StringArray>())),
        ("self", ints(nodes.iter().map(|node| node.self_time.0))),
        ("total", ints(nodes.iter().map(|node| node.total.0))),
        ("count", ints(nodes.iter().map(|node| node.count as i64))),
        ("unmeasured", ints(nodes.iter().map(|node| node.unmeasured as i64))),
        ("samples", ints(nodes.iter().map(|node| node.hits as i64))),
    ])
}

/// Returns the `n` functions with the most self time.
pub(crate) fn functions(trace: &Trace, n: usize, of: Of) -> Result<Table, ArrowError> {
    let tree = merged_call_tree(trace, of.0, of.1);
    let all = tree.functions();
    let top = &all[..all.len().min(n)];
    let share = |part: Ticks| part.0 as f64 / tree.total().0.max(1) as f64;
    table(vec![
        ("function", texts(top.iter().map(|stats| stats.function.describe(trace)))),
        ("self", ints(top.iter().map(|stats| stats.self_time.0))),
        ("share", Arc::new(Float64Array::from_iter_values(top.iter().map(|stats| share(stats.self_time))))),
        ("total", ints(top.iter().map(|stats| stats.total.0))),
        ("count", ints(top.iter().map(|stats| stats.count as i64))),
        ("unmeasured", ints(top.iter().map(|stats| stats.unmeasured as i64))),
        ("samples", ints(top.iter().map(|stats| stats.hits as i64))),
    ])
}

/// Returns the functions of both traces, those of each kind of tracks by itself and there the one that got slowest first, in
/// the finer of the units of the traces.
pub(crate) fn changes(traces: [&Trace; 2], tracks: Option<TrackSet>, measure: Measure) -> PyResult<Table> {
    let found = compare(traces, tracks, measure).map_err(value_error)?;
    let functions =
        found.iter().flat_map(|of| of.functions(traces).into_iter().map(|diff| (of.tracks, diff)));
    let all: Vec<_> = functions.collect();
    let diffs = || all.iter().map(|(_, diff)| diff);
    let [before, after] = [0, 1].map(|at| ints(diffs().map(|diff| diff.self_times()[at].0)));
    let unmeasured = |stats: Option<FunctionStats>| stats.map_or(0, |stats| stats.unmeasured as i64);
    table(vec![
        ("function", texts(diffs().map(|diff| diff.describe(traces)))),
        ("tracks", texts(all.iter().map(|(tracks, _)| tracks.name().to_owned()))),
        ("change", ints(diffs().map(|diff| diff.change().0))),
        ("before", before),
        ("after", after),
        ("unmeasured_before", ints(diffs().map(|diff| unmeasured(diff.before)))),
        ("unmeasured_after", ints(diffs().map(|diff| unmeasured(diff.after)))),
    ])
    .map_err(value_error)
}

pub(crate) fn table(columns: Vec<(&str, ArrayRef)>) -> Result<Table, ArrowError> {
    RecordBatch::try_from_iter(columns).map(Table::of_batch)
}

pub(crate) fn ints(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

pub(crate) fn texts(values: impl Iterator<Item = String>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

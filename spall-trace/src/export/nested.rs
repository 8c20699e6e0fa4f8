//! Writes call trees as nested JSON objects, which flame graphs in web pages and notebooks read.
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by their tree")]

use std::io::{self, BufWriter, Write};

use spall_json::{JsonString, V8};
use spall_model::{CallTree, Measure, Text, Ticks, Trace, TraceView, TrackSet, TreeNode, TreeStep};
use spall_samples::{TrackTree, call_trees};

use super::{
    ExportReport,
    folded::TrackNames,
    speedscope::write_source,
    trees::{StackRoom, WrittenTrees},
};

/// Writes the call trees of a set of tracks as one tree of JSON objects, as d3-flame-graph reads it.
///
/// An object has a `name`, its `children`, and as its `value` the total of `measure`, children included: ticks, or a
/// number of instructions, slices or samples. A function with a source has its `file`, and `line` and `column` counted
/// from 1. An object of which slices lack the measure has their number, `unmeasured`. The outermost object is named
/// `all`, and those in it are the tracks: a thread has its name, or else that of the process, with the ids of both
/// behind it if several threads have that name, or the ids alone. The time in which nothing runs is in no object.
///
/// Functions that CPU samples found are included, whether the samples were merged or not. What is no slice counts as left
/// out; other tracks do not, as they were not asked for.
///
/// A tree of any depth is written, one object after the other. Readers that recurse may not read what is nested thousands of
/// levels deep. Where threads of a small trace share very many functions, or names are very long, there is an end to what is
/// written: further objects have no children, and the report counts the stacks that are missing there.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::model::{Measure, TrackSet};
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10,"tdur":8},
///                 {"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7,"tdur":5}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut nested = Vec::new();
/// let _ = spall_trace::export::nested(&trace, TrackSet::Threads, Measure::ThreadTime, &mut nested)?;
/// let expected = r#"{"name":"all","value":8000,"children":[
/// {"name":"1:2","value":8000,"children":[
/// {"name":"frame","value":8000,"children":[
/// {"name":"draw","value":5000,"children":[]}]}]}]}"#;
/// assert_eq!(nested, [expected.as_bytes(), b"\n"].concat());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("flamegraph", "d3-flame-graph"))]
pub fn nested(
    trace: &Trace,
    tracks: TrackSet,
    measure: Measure,
    out: impl Write,
) -> io::Result<ExportReport> {
    let mut out = BufWriter::new(out);
    let mut written = WrittenTrees::default();
    // The sum stands before its parts, so all trees are made twice: threads may share so many functions that the trees
    // would take far more memory than the trace.
    let trees = || call_trees(trace, &V8, tracks, measure);
    let total = trees().map(|of| of.tree.total()).fold(Ticks::ZERO, |sum, total| sum + total);
    let mut room = StackRoom::of(trace);
    let names = TrackNames::new(trace);
    write!(out, "{{\"name\":\"all\",\"value\":{},\"children\":[", total.0)?;
    let mut is_first = true;
    for TrackTree { track, name, tree, .. } in trees() {
        out.write_all(if core::mem::take(&mut is_first) { b"\n" } else { b",\n" })?;
        let name = names.of(trace, track, &name).text();
        let name = JsonString(Text::from(&*name));
        write!(out, "{{\"name\":{name},\"value\":{},\"children\":[", tree.total().0)?;
        let n_cut = write_nodes(trace, &tree, &mut room, &mut out)?;
        out.write_all(b"]}")?;
        (0..n_cut).for_each(|_| written.add_cut());
    }
    out.write_all(b"]}\n")?;
    out.flush()?;
    Ok(written.report(trace))
}

/// Writes the roots of a tree with everything below them, as far as there is room. Returns the number of nodes that were left
/// out with everything below them.
fn write_nodes(
    trace: &Trace,
    tree: &CallTree,
    room: &mut StackRoom,
    out: &mut impl Write,
) -> io::Result<usize> {
    let (mut result, mut is_first) = (Ok(()), true);
    // How many of the nodes that are open are left out.
    let (mut n_left_out, mut n_cut) = (0_usize, 0);
    tree.depth_first(|step| {
        if result.is_err() {
            return;
        }
        match step {
            TreeStep::Enter(id) => {
                let node = &tree.nodes()[id.index()];
                if n_left_out > 0 || !room.take(size(trace, node)) {
                    n_cut += usize::from(n_left_out == 0);
                    n_left_out += 1;
                    return;
                }
                result = write_node(trace, node, is_first, out);
            }
            TreeStep::Leave(_) if n_left_out > 0 => {
                n_left_out -= 1;
                return;
            }
            TreeStep::Leave(_) => result = out.write_all(b"]}"),
        }
        is_first = matches!(step, TreeStep::Enter(_));
    });
    result.map(|()| n_cut)
}

/// Returns about how many bytes an object without its children takes.
fn size(trace: &Trace, node: &TreeNode) -> usize {
    let len = |name| trace.names().bytes(name).len();
    48 + len(node.function.name) + node.function.source.map_or(0, |source| len(source.url))
}

/// Writes an object up to its children.
fn write_node(trace: &Trace, node: &TreeNode, is_first: bool, out: &mut impl Write) -> io::Result<()> {
    out.write_all(if is_first { b"\n" } else { b",\n" })?;
    match node.function.name {
        name if name.is_empty() => out.write_all(b"{\"name\":\"(anonymous)\"")?,
        name => write!(out, "{{\"name\":{}", JsonString(Text::plain(trace.names().bytes(name))))?,
    }
    write_source(out, trace, &node.function, "column")?;
    if node.unmeasured > 0 {
        write!(out, ",\"unmeasured\":{}", node.unmeasured)?;
    }
    write!(out, ",\"value\":{},\"children\":[", node.total.0)
}

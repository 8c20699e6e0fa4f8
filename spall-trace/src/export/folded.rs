//! Writes folded stacks, which flame graph tools read.

use std::io::{self, BufWriter, Write};

use alloc::string::String;
use spall_model::{Key, Trace, TrackId, TrackKind};
use spall_samples::ThreadTree;

use super::{ExportReport, trees::WrittenTrees};

/// Writes the call tree of each thread as folded stacks: one line for each call path.
///
/// A line has the ids of process and thread, the names from the outermost slice inwards, and the self time in ticks. It
/// repeats its whole path, so a path has at most [`MAX_FOLDED_DEPTH`] names. The time of deeper calls counts for the
/// innermost call that is written, and the report counts their stacks. Functions that CPU samples found are included,
/// whether the samples were merged or not. Slices on overflow lanes have no place in a tree. They are counted as left out,
/// and so is everything that is not on a thread.
///
/// [`MAX_FOLDED_DEPTH`]: spall_model::CallTree::MAX_FOLDED_DEPTH
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10},
///                 {"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json, &spall_trace::model::Limits::default())?;
/// let mut folded = Vec::new();
/// let report = spall_trace::export::folded(&trace, &mut folded)?;
/// assert_eq!(folded, b"1:2;frame 3000\n1:2;frame;draw 7000\n");
/// assert_eq!(report.left_out(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("flamegraph", "collapsed stacks"))]
pub fn folded(trace: &Trace<'_>, out: impl Write) -> io::Result<ExportReport> {
    let mut out = BufWriter::new(out);
    let mut written = WrittenTrees::default();
    for ThreadTree { track, tree, .. } in crate::call_trees(trace) {
        let Some(thread) = ids(trace, track) else { continue };
        let mut stacks = tree.folded(trace);
        while let Some((stack, self_time)) = stacks.next_stack() {
            out.write_all(thread.as_bytes())?;
            out.write_all(if stack.is_empty() { b"" } else { b";" })?;
            out.write_all(stack.as_bytes())?;
            writeln!(out, " {}", self_time.0)?;
        }
        written.add(&tree);
    }
    out.flush()?;
    Ok(written.report(trace))
}

/// Returns the ids of process and thread as the first name of a stack, or `None` if the track is not a thread's.
fn ids(trace: &Trace<'_>, id: TrackId) -> Option<String> {
    let track = trace.tracks().get(id.index())?;
    let TrackKind::Thread { tid } = track.kind else { return None };
    let pid = trace.processes().get(track.process?.index())?.pid;
    // The separators of the format must not come from an id.
    let text = |key: Key| trace.key_text(key).replace(';', ":").replace(['\n', '\r'], " ");
    Some(text(pid) + ":" + &text(tid))
}

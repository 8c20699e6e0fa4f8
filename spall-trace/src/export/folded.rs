//! Folded stacks, which flame graph tools read.

use std::io::{self, BufWriter, Write};

use alloc::string::String;
use spall_model::{Key, Trace, TrackId, TrackKind, nest::Nesting};

use super::{Exported, is_sample, threads::threads};

/// Writes the call tree of each thread, a line for each path: the ids of process and thread, the names from the outside
/// in, and their own time in ticks.
///
/// Each line has its whole path, so stacks that are deep make files that are much larger than their trace. Functions that
/// CPU samples found are in it, merged or not. Slices that overlap others have no place in a tree and
/// are left out, as is everything that is no slice, and what a thread stands for that is none.
///
/// # Errors
/// What `out` returns.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10},
///                 {"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json, &spall_trace::model::Limits::default())?;
/// let mut folded = Vec::new();
/// let exported = spall_trace::export::folded(&trace, &mut folded)?;
/// assert_eq!(folded, b"1:2;frame 3000\n1:2;frame;draw 7000\n");
/// assert_eq!(exported.left_out(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn folded(trace: &Trace<'_>, out: impl Write) -> io::Result<Exported> {
    let mut out = BufWriter::new(out);
    for tree in crate::call_trees(trace) {
        let Some(thread) = ids(trace, tree.track) else { continue };
        for (stack, own) in tree.tree.folded(trace) {
            let separator = if stack.is_empty() { "" } else { ";" };
            writeln!(out, "{thread}{separator}{stack} {}", own.0)?;
        }
    }
    out.flush()?;
    let mut exported = Exported::without(trace, is_sample);
    exported.no_form += n_outside(trace);
    Ok(exported)
}

/// Process and thread as the first name of a stack.
fn ids(trace: &Trace<'_>, id: TrackId) -> Option<String> {
    let track = trace.tracks().get(id.index())?;
    let TrackKind::Thread { tid } = track.kind else { return None };
    let pid = trace.processes().get(track.process?.0 as usize)?.pid;
    let text = |key: Key| trace.key_text(key).replace(';', ":").replace(['\n', '\r'], " ");
    Some(text(pid) + ":" + &text(tid))
}

/// How many slices are in no tree: those on lanes of their own, and those of what is no thread.
fn n_outside(trace: &Trace<'_>) -> u64 {
    let outside = threads(trace).map(|thread| {
        let mut nesting = Nesting::default();
        let is_thread = matches!(thread.track.kind, TrackKind::Thread { .. });
        let slices = trace.slices_of(thread.track);
        slices
            .filter(|(id, slice)| {
                let place = nesting.place(id.0, slice.start, slice.end, slice.flags);
                !is_thread || place.is_none_or(|place| place.lane > 0)
            })
            .count() as u64
    });
    outside.sum()
}

//! Folded stacks, which flame graph tools read.

use std::io::{self, Write};

use spall::model::{Trace, TrackKind};

/// Writes the call tree of each thread: process and thread, names, own time in ticks.
///
/// # Errors
/// What `out` returns.
pub fn write(out: &mut impl Write, trace: &Trace<'_>) -> io::Result<()> {
    for (id, tree) in spall::call_trees(trace) {
        let track = &trace.tracks()[id.index()];
        let (TrackKind::Thread { tid }, Some(process)) = (track.kind, track.process) else { continue };
        let pid = trace.key_text(trace.processes()[process.0 as usize].pid);
        let thread = format!("{pid}:{}", trace.key_text(tid));
        for (stack, own) in tree.folded(trace) {
            let separator = if stack.is_empty() { "" } else { ";" };
            writeln!(out, "{thread}{separator}{stack} {}", own.0)?;
        }
    }
    Ok(())
}

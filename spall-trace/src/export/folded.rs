//! Writes folded stacks, which flame graph tools read.

use std::io::{self, BufWriter, Write};

use alloc::string::String;
use spall_json::V8;
use spall_model::{Key, Measure, Trace, TraceView, TrackId, TrackKind};
use spall_samples::{ThreadTree, call_trees_by};

use super::{
    ExportReport,
    trees::{StackRoom, WrittenTrees},
};

/// Writes the call tree of each thread as folded stacks: one line for each call path.
///
/// A line has the ids of process and thread, the names from the outermost slice inwards, and the self time in ticks, or
/// what else `measure` adds up. It repeats its whole path, so a path has at most [`MAX_FOLDED_DEPTH`] names. The time
/// of deeper calls counts for the innermost call that is written, and the report counts their stacks. Where a small
/// trace has stacks without end, because threads share them or names are very long, the further ones have only their
/// first 128 bytes, and are counted, too. Functions that CPU samples found are included, whether the samples were
/// merged or not. Slices on overflow lanes have no place in a tree. They are counted as left out, and so is everything
/// that is not on a thread.
///
/// [`MAX_FOLDED_DEPTH`]: spall_model::CallTree::MAX_FOLDED_DEPTH
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::model::Measure;
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10},
///                 {"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut folded = Vec::new();
/// let report = spall_trace::export::folded(&trace, Measure::WallTime, &mut folded)?;
/// assert_eq!(folded, b"1:2;frame 3000\n1:2;frame;draw 7000\n");
/// assert_eq!(report.left_out(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("flamegraph", "collapsed stacks"))]
pub fn folded(trace: &Trace, measure: Measure, out: impl Write) -> io::Result<ExportReport> {
    let mut out = BufWriter::new(out);
    let mut written = WrittenTrees::default();
    let mut room = StackRoom::of(trace);
    for ThreadTree { track, tree, .. } in call_trees_by(trace, &V8, measure) {
        let Some(thread) = ids(trace, track) else { continue };
        let mut stacks = tree.folded(trace);
        while let Some((stack, self_time)) = stacks.next_stack() {
            let whole = stack.len();
            let stack = if room.take(whole) { stack } else { first_functions(stack) };
            if stack.len() < whole {
                written.add_cut();
            }
            out.write_all(thread.as_bytes())?;
            out.write_all(if stack.is_empty() { b"" } else { b";" })?;
            out.write_all(stack.as_bytes())?;
            out.write_all(b" ")?;
            write_number(&mut out, self_time.0.unsigned_abs())?;
            out.write_all(b"\n")?;
        }
        written.add(&tree);
    }
    out.flush()?;
    Ok(written.report(trace))
}

/// Returns the first functions of a stack that is too long, or the beginning of the first one.
fn first_functions(stack: &str) -> &str {
    let start = stack.get(..stack.floor_char_boundary(StackRoom::FEW_BYTES)).unwrap_or(stack);
    match start.rfind(';').filter(|_| start.len() < stack.len()) {
        Some(end) => start.get(..end).unwrap_or(start),
        None => start,
    }
}

/// Writes a number in decimal. With the formatting of the standard library the whole export takes an eighth longer.
fn write_number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    let (mut digits, mut length) = ([0; 20], 0);
    for digit in digits.iter_mut().rev() {
        // A remainder of 10 fits in 8 bits.
        let [remainder, ..] = (number % 10).to_le_bytes();
        *digit = b'0' + remainder;
        length += 1;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.write_all(digits.get(digits.len() - length..).unwrap_or_default())
}

/// Returns the ids of process and thread as the first name of a stack, or `None` if the track is not a thread's.
pub(super) fn ids(trace: &Trace, id: TrackId) -> Option<String> {
    let track = trace.tracks().get(id.index())?;
    let TrackKind::Thread { tid } = track.kind else { return None };
    let pid = trace.processes().get(track.process?.index())?.pid;
    // The separators of the format must not come from an id.
    let text = |key: Key| trace.key_text(key).replace(';', ":").replace(['\n', '\r'], " ");
    Some(text(pid) + ":" + &text(tid))
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};

    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        let powers = (0..20).map(|power| 10_u64.pow(power));
        for number in powers.flat_map(|power| [power - 1, power, power + 7]).chain([u64::MAX]) {
            let mut written = Vec::new();
            write_number(&mut written, number).unwrap();
            assert_eq!(written, number.to_string().as_bytes());
        }
    }
}

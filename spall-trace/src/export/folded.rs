//! Writes folded stacks, which flame graph tools read.

use core::iter;
use std::io::{self, BufWriter, Write};

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};
use spall_json::V8;
use spall_model::{CallTree, Key, Measure, Process, Trace, TraceView, Track, TrackId, TrackKind, TrackSet};
use spall_samples::{TrackTree, call_trees};

use super::{
    ExportReport,
    thread::beginning,
    trees::{StackRoom, WrittenTrees},
};

/// The first name of the folded stacks of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StackRoot {
    /// The name of the thread, or else that of its process. Names that several threads have are followed by the ids of process and
    /// thread, which are all there is if neither has a name. Blanks are underscores, as inferno and FlameGraph write commands.
    #[default]
    Name,
    /// The ids of process and thread, such as `1:2`. Read again, stacks are of the same threads. The stacks of all names that
    /// a thread had are together.
    Ids,
}

/// Writes the call trees of a set of tracks as folded stacks: one line for each call path.
///
/// A line has the name of the track, which of samples of `perf` is the command of their time, the names from the outermost slice
/// inwards, and the self time in ticks, or what else `measure` adds up. `root` says how a thread is named.
///
/// A line repeats its whole path, so a path has at most [`MAX_FOLDED_DEPTH`] names. The time
/// of deeper calls counts for the innermost call that is written, and the report counts their stacks. Where a small
/// trace has stacks without end, because threads share them or names are very long, the further ones have only their
/// first 128 bytes, and are counted, too. Functions that CPU samples found are included, whether the samples were
/// merged or not. What is no slice counts as left out; other tracks do not, as they were not asked for.
///
/// [`MAX_FOLDED_DEPTH`]: spall_model::CallTree::MAX_FOLDED_DEPTH
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::{export::{self, StackRoot}, model::{Measure, TrackSet}};
/// let json = br#"[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main loop"}},
///                 {"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10},
///                 {"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut folded = Vec::new();
/// let report = export::folded(&trace, TrackSet::All, Measure::WallTime, StackRoot::Name, &mut folded)?;
/// assert_eq!(folded, b"main_loop;frame 3000\nmain_loop;frame;draw 7000\n");
/// assert_eq!(report.left_out(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("flamegraph", "collapsed stacks"))]
pub fn folded(
    trace: &Trace,
    tracks: TrackSet,
    measure: Measure,
    root: StackRoot,
    out: impl Write,
) -> io::Result<ExportReport> {
    let names = TrackNames::new(trace);
    let root = |of: &TrackTree| {
        let ids = (root == StackRoot::Ids).then(|| ids(trace, of.track)).flatten();
        ids.unwrap_or_else(|| names.of(trace, of.track, &of.name).folded())
    };
    let mut out = BufWriter::new(out);
    let mut written = WrittenTrees::default();
    let mut room = StackRoom::of(trace);
    let trees = call_trees(trace, &V8, tracks, measure);
    let mut trees = trees.map(|of| (root(&of), of.tree)).peekable();
    while let Some((root, mut tree)) = trees.next() {
        // A thread has a tree for each of its names, which the ids do not tell apart, and there may be an async track for each
        // of many requests.
        let same = iter::from_fn(|| trees.next_if(|(other, _)| *other == root));
        let others: Vec<_> = same.map(|(_, tree)| tree).collect();
        if !others.is_empty() {
            tree = CallTree::merged(iter::once(tree).chain(others));
        }
        let mut stacks = tree.folded(trace);
        while let Some((stack, self_time)) = stacks.next_stack() {
            let whole = stack.len();
            let stack = if room.take(whole) { stack } else { first_functions(stack) };
            if stack.len() < whole {
                written.add_cut();
            }
            out.write_all(root.as_bytes())?;
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
fn ids(trace: &Trace, id: TrackId) -> Option<String> {
    let (process, _, tid) = thread_of(trace, id)?;
    Some(plain(&trace.key_text(process.pid)) + ":" + &plain(&trace.key_text(tid)))
}

/// Returns a text without the separators of the format.
fn plain(text: &str) -> String {
    text.replace(';', ":").replace(['\n', '\r'], " ")
}

/// Returns the process, the track and the id of a thread, or `None` if the track is not a thread's.
fn thread_of(trace: &Trace, id: TrackId) -> Option<(&Process, &Track, Key)> {
    let track = trace.tracks().get(id.index())?;
    let TrackKind::Thread { tid } = track.kind else { return None };
    Some((trace.processes().get(track.process?.index())?, track, tid))
}

/// The names under which the call trees of tracks are written.
pub(super) struct TrackNames {
    /// The names that several threads have.
    repeated: BTreeSet<String>,
}

/// The name of a track in call trees, and the ids of a thread if others have that name, too.
pub(super) struct TrackName {
    name: Option<String>,
    ids: Option<(String, String)>,
}

impl TrackNames {
    /// Finds out which names several threads with slices or samples have.
    pub(super) fn new(trace: &Trace) -> Self {
        let mut names = BTreeSet::new();
        let has_tree = |track: &&Track| !track.slices().is_empty() || trace.profile_of(track.id).is_some();
        let of_threads = trace.tracks().iter().filter(has_tree).flat_map(|track| {
            let process = thread_of(trace, track.id).map(|(process, ..)| process);
            let renamed =
                trace.profile_of(track.id).into_iter().flat_map(|profile| trace.thread_names(profile));
            let names = renamed.map(|(_, name)| name).chain([trace.name(track.name)]);
            names.filter_map(|name| name_of(trace, process?, &name)).collect::<BTreeSet<String>>()
        });
        let repeated = of_threads.filter_map(|name| names.replace(name)).collect();
        Self { repeated }
    }

    /// Returns the name of a track that has `name` in the time of its tree.
    pub(super) fn of(&self, trace: &Trace, id: TrackId, name: &str) -> TrackName {
        let Some((process, _, tid)) = thread_of(trace, id) else {
            return TrackName { name: Some(beginning(name).into_owned()), ids: None };
        };
        let name = name_of(trace, process, name);
        let is_unique = name.as_ref().is_some_and(|name| !self.repeated.contains(name));
        let ids = (!is_unique).then(|| (trace.key_text(process.pid).into(), trace.key_text(tid).into()));
        TrackName { name, ids }
    }
}

/// Returns the beginning of the name of a thread, or else of its process; `None` if neither has a name.
fn name_of(trace: &Trace, process: &Process, name: &str) -> Option<String> {
    let name = if name.is_empty() { trace.name(process.name) } else { name.into() };
    Some(beginning(&name).into_owned()).filter(|name| !name.trim().is_empty())
}

impl TrackName {
    /// Returns the first name of folded stacks.
    fn folded(&self) -> String {
        let name = self.name.as_deref().map(|name| {
            let name = plain(name).trim().replace(char::is_whitespace, "_");
            // Readers take a line that begins so for a comment.
            let is_comment = name.starts_with('#') || name.starts_with("//");
            if is_comment { format!("_{name}") } else { name }
        });
        match (name, self.ids.as_ref().map(|(pid, tid)| (plain(pid), plain(tid)))) {
            (Some(name), None) => name,
            (Some(name), Some((pid, tid))) => format!("{name}-{pid}/{tid}"),
            (None, ids) => ids.map_or_else(String::new, |(pid, tid)| format!("{pid}:{tid}")),
        }
    }

    /// Returns a text for people.
    pub(super) fn text(&self) -> String {
        match (&self.name, &self.ids) {
            (Some(name), None) => name.clone(),
            (Some(name), Some((pid, tid))) => format!("{name} {pid}/{tid}"),
            (None, ids) => ids.as_ref().map_or_else(String::new, |(pid, tid)| format!("{pid}:{tid}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

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

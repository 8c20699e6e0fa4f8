//! The tracks of a trace that have a thread id: threads, and the tracks of CPUs, GPUs and rendered frames that look the
//! same.

use alloc::{borrow::Cow, format, string::String};

use spall_model::{Key, NameId, Process, Trace, TraceView, Track};

/// A thread with its process and its id.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedThread<'t> {
    pub(super) track: &'t Track,
    pub(super) process: &'t Process,
    pub(super) tid: Key,
    /// Whether no thread of the process comes before it.
    pub(super) is_first: bool,
}

impl NamedThread<'_> {
    /// Returns "process / thread", with ids in the place of missing names, and with the number of the lane unless it is
    /// the first one. The whole name of the process is in that of its first lane.
    pub(super) fn lane_name(&self, trace: &Trace, lane: usize) -> String {
        let process = match self.is_first && lane == 0 {
            true => name_or_id(trace, self.process.name, self.process.pid),
            false => repeated(trace, self.process.name, self.process.pid),
        };
        format!("{process} / {}", thread_lane_name(trace, self.track.name, self.tid, lane))
    }
}

/// Returns the name of a process or thread, or its id if the name is empty.
pub(super) fn name_or_id<'t>(trace: &'t Trace, name: NameId, id: Key) -> Cow<'t, str> {
    if name.is_empty() { trace.key_text(id) } else { trace.name(name) }
}

/// The bytes of a name that stand in front of each further thread, lane or series. So an export does not grow with their
/// number times the length of the name.
const REPEATED_BYTES: usize = 128;

/// Returns the beginning of a text that is written again and again.
pub(super) fn beginning(text: &str) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(REPEATED_BYTES)) {
        Some(start) if start.len() < text.len() => format!("{start}…").into(),
        _ => text.into(),
    }
}

/// Returns the title of a track. One that is that of a slice may come again and again, so it is only its beginning.
pub(super) fn title<'t>(trace: &'t Trace, track: &Track) -> Cow<'t, str> {
    match trace.track_title(track.id) {
        title if track.name.is_empty() => beginning(&title).into_owned().into(),
        title => title,
    }
}

/// Returns the beginning of the name of a process or thread, or of its id if the name is empty. It does not look at the rest.
pub(super) fn repeated<'t>(trace: &'t Trace, name: NameId, id: Key) -> Cow<'t, str> {
    let name = match id {
        Key::Text(id) if name.is_empty() => id,
        Key::Number(_) if name.is_empty() => return trace.key_text(id),
        _ => name,
    };
    match trace.names().bytes(name).get(..=REPEATED_BYTES) {
        Some(start) => beginning(&String::from_utf8_lossy(start)).into_owned().into(),
        None => trace.name(name),
    }
}

/// Returns the name of a lane of a thread, which has the beginning of the thread's name but for the first lane. Lanes count
/// from 0.
pub(super) fn thread_lane_name<'t>(trace: &'t Trace, name: NameId, id: Key, lane: usize) -> Cow<'t, str> {
    match lane {
        0 => name_or_id(trace, name, id),
        _ => numbered(&repeated(trace, name, id), lane).into_owned().into(),
    }
}

/// Returns the name of a lane, with its number unless it is the first one. Lanes count from 0.
pub(super) fn numbered(name: &str, lane: usize) -> Cow<'_, str> {
    if lane == 0 { name.into() } else { format!("{name} ({})", lane + 1).into() }
}

/// Returns the threads of a trace in display order.
pub(super) fn threads<'t>(trace: &'t Trace) -> impl Iterator<Item = NamedThread<'t>> {
    let mut before = None;
    trace.tracks().iter().filter_map(move |track| {
        let tid = track.kind.tid()?;
        let process = trace.processes().get(track.process?.0 as usize)?;
        let is_first = before.replace(process.id) != Some(process.id);
        Some(NamedThread { track, process, tid, is_first })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_text_is_cut_between_characters() {
        assert_eq!(beginning(&"a".repeat(128)), "a".repeat(128));
        assert_eq!(beginning(&"a".repeat(129)), "a".repeat(128) + "…");
        assert_eq!(beginning(&format!("a{}", "é".repeat(64))), format!("a{}…", "é".repeat(63)));
    }

    #[test]
    fn the_first_lane_of_a_process_has_its_whole_name() {
        let name = "n".repeat(200);
        let threads_of = |pid| {
            format!(
                r#"{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"{name}"}}}},
                {{"ph":"X","name":"a","pid":{pid},"tid":1,"ts":0,"dur":1}},
                {{"ph":"X","name":"a","pid":{pid},"tid":2,"ts":0,"dur":1}}"#
            )
        };
        let json = format!("[{},{}]", threads_of(1), threads_of(2));
        let trace = crate::load(json.as_bytes()).unwrap();
        let is_whole = |thread: &NamedThread<'_>, lane| thread.lane_name(&trace, lane).starts_with(&name);
        let found: alloc::vec::Vec<_> =
            threads(&trace).map(|thread| [0, 1].map(|lane| is_whole(&thread, lane))).collect();
        let (first, other) = ([true, false], [false, false]);
        assert_eq!(found, [first, other, first, other]);
    }
}

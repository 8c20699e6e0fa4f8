//! The tracks of a trace that are threads, or like them.

use alloc::{borrow::Cow, format, string::String};

use spall_model::{Key, NameId, Process, Trace, Track};

/// A thread with everything that names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedThread<'t> {
    pub(super) track: &'t Track,
    pub(super) process: &'t Process,
    pub(super) tid: Key,
}

impl NamedThread<'_> {
    /// The names of process and thread, or their ids, and the number of the lane unless it is the first.
    pub(super) fn lane_name(&self, trace: &Trace<'_>, lane: usize) -> String {
        let process = name_or_id(trace, self.process.name, self.process.pid);
        let thread = name_or_id(trace, self.track.name, self.tid);
        format!("{process} / {}", numbered(thread, lane))
    }
}

/// A name, or the id of what has none.
pub(super) fn name_or_id<'t>(trace: &'t Trace<'_>, name: NameId, id: Key) -> Cow<'t, str> {
    if name.is_empty() { trace.key_text(id) } else { trace.name(name) }
}

/// The name of a lane, counted from 0.
pub(super) fn numbered(name: Cow<'_, str>, lane: usize) -> String {
    if lane == 0 { name.into_owned() } else { format!("{name} ({})", lane + 1) }
}

/// The threads, in display order.
pub(super) fn threads<'t>(trace: &'t Trace<'_>) -> impl Iterator<Item = NamedThread<'t>> {
    trace.tracks().iter().filter_map(|track| {
        let tid = track.kind.tid()?;
        let process = trace.processes().get(track.process?.0 as usize)?;
        Some(NamedThread { track, process, tid })
    })
}

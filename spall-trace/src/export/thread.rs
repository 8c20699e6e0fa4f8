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
}

impl NamedThread<'_> {
    /// Returns "process / thread", with ids in the place of missing names, and with the number of the lane unless it is
    /// the first one.
    pub(super) fn lane_name(&self, trace: &Trace<'_>, lane: usize) -> String {
        let process = name_or_id(trace, self.process.name, self.process.pid);
        let thread = name_or_id(trace, self.track.name, self.tid);
        format!("{process} / {}", numbered(thread, lane))
    }
}

/// Returns the name of a process or thread, or its id if the name is empty.
pub(super) fn name_or_id<'t>(trace: &'t Trace<'_>, name: NameId, id: Key) -> Cow<'t, str> {
    if name.is_empty() { trace.key_text(id) } else { trace.name(name) }
}

/// Returns the name of a lane of the thread `name`. Lanes count from 0.
pub(super) fn numbered(name: Cow<'_, str>, lane: usize) -> String {
    if lane == 0 { name.into_owned() } else { format!("{name} ({})", lane + 1) }
}

/// Returns the threads of a trace in display order.
pub(super) fn threads<'t>(trace: &'t Trace<'_>) -> impl Iterator<Item = NamedThread<'t>> {
    trace.tracks().iter().filter_map(|track| {
        let tid = track.kind.tid()?;
        let process = trace.processes().get(track.process?.0 as usize)?;
        Some(NamedThread { track, process, tid })
    })
}

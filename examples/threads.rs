//! The tracks of a trace that are threads, or like them.

use spall::model::{Key, Trace, Track, TrackId, TrackKind};

/// A thread with everything that names it.
#[derive(Debug, Clone)]
pub struct NamedThread<'t> {
    /// Which track.
    pub id: TrackId,
    /// The track.
    pub track: &'t Track,
    /// The id of its process.
    pub pid: Key,
    /// Its own.
    pub tid: Key,
    /// Names of process and thread, or their ids.
    pub name: String,
}

impl NamedThread<'_> {
    /// A name for one of its lanes.
    #[must_use]
    pub fn lane_name(&self, lane: usize) -> String {
        if lane == 0 { self.name.clone() } else { format!("{} ({})", self.name, lane + 1) }
    }
}

/// The threads, in display order.
pub fn threads<'t>(trace: &'t Trace<'_>) -> impl Iterator<Item = NamedThread<'t>> {
    (0..).map(TrackId).zip(trace.tracks()).filter_map(|(id, track)| {
        let (TrackKind::Thread { tid }
        | TrackKind::Cpu { tid }
        | TrackKind::Gpu { tid }
        | TrackKind::Frames { tid }) = track.kind
        else {
            return None;
        };
        let process = &trace.processes()[track.process?.0 as usize];
        let part = |name, key| match trace.name(name) {
            name if name.is_empty() => trace.key_text(key).into_owned(),
            name => name.into_owned(),
        };
        let name = format!("{} / {}", part(process.name, process.pid), part(track.name, tid));
        Some(NamedThread { id, track, pid: process.pid, tid, name })
    })
}

//! The numbers of tracks, which are those of the file for tracks of their own.

use std::{collections::HashSet, hash::RandomState};

use alloc::{string::ToString, vec::Vec};
use spall_model::{Key, NameId, ProcessId, Trace, TraceView, Track, TrackId, TrackKind};

/// The numbers of the tracks and processes of a trace.
pub(super) struct Uuids {
    /// The number of each process, or `None` for that of what belongs to no process.
    processes: Vec<Option<u64>>,
    tracks: Vec<u64>,
    taken: HashSet<u64, RandomState>,
    next: u64,
}

impl Uuids {
    pub(super) fn of(trace: &Trace) -> Self {
        let (processes, tracks) = (Vec::new(), Vec::new());
        let mut uuids = Self { processes, tracks, taken: HashSet::default(), next: 1 };
        let own: Vec<_> = trace.tracks().iter().map(|track| uuids.take(trace, track)).collect();
        for process in trace.processes() {
            let has_number = process.pid != Key::Text(NameId::EMPTY);
            let uuid = has_number.then(|| uuids.next());
            uuids.processes.push(uuid);
        }
        for own in own {
            let uuid = own.unwrap_or_else(|| uuids.next());
            uuids.tracks.push(uuid);
        }
        uuids
    }

    /// Takes the number of a track of its own or of a counter, if its id is one that no track before it has.
    fn take(&mut self, trace: &Trace, track: &Track) -> Option<u64> {
        let (TrackKind::Track { id } | TrackKind::Counter { id: Some(id) }) = track.kind else { return None };
        let text = trace.key_text(id);
        let uuid: u64 = text.parse().ok()?;
        let is_own = matches!(id, Key::Text(_)) && uuid != 0 && text == uuid.to_string();
        (is_own && self.taken.insert(uuid)).then_some(uuid)
    }

    /// Returns a number that no track has.
    pub(super) fn next(&mut self) -> u64 {
        while !self.taken.insert(self.next) {
            self.next += 1;
        }
        self.next
    }

    pub(super) fn process(&self, process: ProcessId) -> Option<u64> {
        self.processes.get(process.index()).copied().flatten()
    }

    pub(super) fn track(&self, track: TrackId) -> u64 {
        self.tracks.get(track.index()).copied().unwrap_or_default()
    }

    /// Returns the number of the track or the process below which a track lies, or `None` if it lies below nothing.
    pub(super) fn parent(&self, track: &Track) -> Option<u64> {
        match track.parent {
            Some(parent) => Some(self.track(parent)),
            None => self.process(track.process?),
        }
    }
}

//! The replay of metadata, and of the names and other facts of processes and threads.

use alloc::vec::Vec;

use crate::{
    Event, MetaEvent, Metadata, Process, Text, ThreadEvent, TraceView, Track, TrackEvent, TrackKind,
    trace::OwnPlace,
};

use super::{
    Replay,
    ids::{self, ThreadIds},
};

impl<'t, E> Replay<'t, E> {
    /// Emits facts that no other event expresses.
    pub(super) fn metas(&mut self, metas: impl Iterator<Item = &'t Metadata>) -> Result<(), E> {
        let mut ids = ThreadIds::default();
        for meta in metas {
            let thread = meta.thread.map(|(pid, tid)| ids.thread(self.trace, pid, tid));
            let value = self.trace.meta_value(meta);
            self.emit(Event::Meta(MetaEvent { thread, key: self.text(meta.key), value }))?;
        }
        Ok(())
    }

    /// Emits the events that the model does not interpret.
    pub(super) fn others(&mut self) -> Result<(), E> {
        let mut ids = ThreadIds::default();
        for other in &self.trace.others {
            let event = ThreadEvent {
                thread: ids.thread(self.trace, other.thread.0, other.thread.1),
                at: other.at,
                name: self.text(other.name),
                category: self.text(other.category),
                args: self.trace.args_of(other),
            };
            self.emit(Event::Other(event, other.tag))?;
        }
        Ok(())
    }

    /// Emits the name, the sort index and the labels of a process, and the facts of its threads.
    pub(super) fn process(&mut self, process: &'t Process) -> Result<(), E> {
        let mut escaped = Vec::new();
        let pid = ids::id(self.trace, process.pid, &mut escaped);
        let has_name = process.name != process.pid.default_name();
        if has_name {
            self.emit(Event::ProcessName(pid, self.text(process.name)))?;
        }
        // A process without tracks is in a trace only because an event stated a fact about it. If no other fact is
        // left to emit, it was the default sort index, which must be emitted for the process to exist again.
        let is_empty = process.tracks.is_empty() && process.labels.is_empty();
        if process.sort_index != 0 || is_empty && !has_name {
            self.emit(Event::ProcessSortIndex(pid, process.sort_index))?;
        }
        let labels: Vec<&[u8]> = process.labels.iter().map(|&label| self.trace.names.bytes(label)).collect();
        if !labels.is_empty() {
            self.emit(Event::ProcessLabels(pid, Text::plain(&labels.join(&b','))))?;
        }
        // Counters first: a track of its own may share its id with a counter, and what comes later counts.
        let tracks = self.trace.tracks_of(process.id);
        let (counters, others): (Vec<_>, Vec<_>) =
            tracks.iter().partition(|track| matches!(track.kind, TrackKind::Counter { .. }));
        counters.iter().chain(&others).try_for_each(|track| self.track_facts(process, track))
    }

    /// Emits the facts of a track that no event on it has.
    fn track_facts(&mut self, process: &'t Process, track: &'t Track) -> Result<(), E> {
        let Some(OwnPlace { id, name, parent }) = self.trace.own_place(track) else {
            return self.thread_facts(process, track);
        };
        let &Track { sort_index, children, .. } = track;
        // Events say no other ranks.
        let rank = i32::try_from(sort_index).unwrap_or_default();
        let (mut ids, mut escaped) = (ThreadIds::default(), Vec::new());
        let thread = ids.thread(self.trace, process.pid, id);
        let mut event = TrackEvent::new(thread, self.text(name));
        if let Some(parent) = parent {
            event.parent.tid = ids::id(self.trace, parent, &mut escaped);
        }
        self.emit(Event::Track(TrackEvent { rank, children, ..event }))
    }

    /// Emits the name, the role and the sort index of the thread that a track stands for. Other tracks have none.
    fn thread_facts(&mut self, process: &'t Process, track: &'t Track) -> Result<(), E> {
        let Some(tid) = track.kind.tid() else { return Ok(()) };
        let role = track.kind.role();
        let mut ids = ThreadIds::default();
        let thread = ids.thread(self.trace, process.pid, tid);
        let has_name = track.name != tid.default_name();
        if has_name {
            self.emit(Event::ThreadName(thread, self.text(track.name)))?;
        }
        if let Some(role) = role {
            self.emit(Event::ThreadRole(thread, role))?;
        }
        // As for a process: nothing else would make the track again.
        let is_empty = track.slices.is_empty()
            && track.instants.is_empty()
            && track.states.is_empty()
            && self.trace.profile_of(track.id).is_none();
        if track.sort_index != 0 || is_empty && !has_name && role.is_none() {
            self.emit(Event::ThreadSortIndex(thread, track.sort_index))?;
        }
        Ok(())
    }
}

//! The conversion of the strings and ids of an event to the numbers that a trace has for names, arguments, processes
//! and tracks.

use crate::{
    Args, ByteRange, DiagnosticKind, Id, Key, NameId, Text, Thread, ThreadEvent, Tick, TrackEvent,
    args_table::ArgsId,
};

use super::{
    InternedEvent, TraceBuilder,
    registry::{OwnTrack, ProcessRow, TrackKey},
};

impl TraceBuilder {
    /// Returns the number of a string, which is added if it is new.
    // Out of line, because the rare events alone have some forty calls: inlined they were 65 kB of code, twice.
    #[inline(never)]
    pub(super) fn intern(&mut self, text: Text<'_>) -> NameId {
        self.names.intern(text)
    }

    /// Stores arguments. [`ArgsId::NONE`] stands for no arguments, and for arguments that the table has no room for.
    #[inline(always)]
    pub(super) fn keep_args(&mut self, args: Args<'_>, bytes: ByteRange) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let id = self.args.add(args);
        if id == ArgsId::NONE {
            self.diagnostics.add(DiagnosticKind::SliceLimit, bytes);
        }
        id
    }

    /// Stores arguments like [`TraceBuilder::keep_args`], but equal ones of states that follow each other only once.
    pub(super) fn keep_shared_args(&mut self, args: Args<'_>, bytes: ByteRange) -> ArgsId {
        let id = self.args.add_shared(args, &mut self.state_args);
        if id == ArgsId::NONE && !args.is_none() {
            self.diagnostics.add(DiagnosticKind::SliceLimit, bytes);
        }
        id
    }

    /// Returns an id as the trace keeps it.
    pub(super) fn key(&mut self, id: Id<'_>) -> Key {
        match id {
            Id::Number(number) => Key::Number(number),
            Id::Text(raw) => Key::Text(self.intern(Text::escaped(raw))),
        }
    }

    /// Returns the number of a process, which is added if it is new.
    pub(super) fn process(&mut self, pid: Id<'_>) -> u32 {
        let pid = self.key(pid);
        self.registry.process(pid)
    }

    /// Returns the record of a process, which is added if it is new.
    pub(super) fn process_mut(&mut self, pid: Id<'_>) -> &mut ProcessRow {
        let process = self.process(pid);
        self.registry.process_mut(process)
    }

    /// Returns the track of a key, which is added if it is new; `None` if there are too many tracks.
    pub(super) fn track(&mut self, key: TrackKey, bytes: ByteRange) -> Option<u32> {
        let track = self.registry.find_or_add(key, self.limits.max_tracks);
        if track.is_none() {
            self.diagnostics.add(DiagnosticKind::TrackLimit, bytes);
        }
        track
    }

    /// Returns the track of the thread of an event of some time, which is added if it is new; `None` if there are too many
    /// tracks.
    #[inline(always)]
    pub(super) fn thread(&mut self, thread: Thread<'_>, at: Tick, bytes: ByteRange) -> Option<u32> {
        let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid) else {
            return self.find_thread(thread, at, bytes);
        };
        // Only the number joins that of the slow path: an `Option` from there would be looked at once more.
        let track = match self.registry.last(pid, tid) {
            Some(track) => track,
            None => self.find_numbered_thread(pid, tid, at, bytes)?,
        };
        self.diagnostics.now = at;
        Some(track)
    }

    /// The slow path of [`TraceBuilder::thread`] for numbers, kept out of line: most events are of the thread of the
    /// event before.
    // It gets numbers: an id would be passed on the stack, and stored there for every event.
    #[inline(never)]
    fn find_numbered_thread(&mut self, pid: i64, tid: i64, at: Tick, bytes: ByteRange) -> Option<u32> {
        if let Some(track) = self.registry.recent(pid, tid) {
            return Some(track);
        }
        self.diagnostics.begin(at, bytes);
        let process = self.registry.process(Key::Number(pid));
        let track = self.track(TrackKey::Thread { process, tid: Key::Number(tid) }, bytes)?;
        self.registry.remember(pid, tid, track);
        Some(track)
    }

    /// The slow path of [`TraceBuilder::thread`] for other ids.
    #[inline(never)]
    fn find_thread(&mut self, thread: Thread<'_>, at: Tick, bytes: ByteRange) -> Option<u32> {
        self.diagnostics.begin(at, bytes);
        let process = self.process(thread.pid);
        let tid = self.key(thread.tid);
        self.track(TrackKey::Thread { process, tid }, bytes)
    }

    /// Makes what events call a thread a track of its own.
    pub(super) fn own_track(&mut self, event: &TrackEvent<'_>, bytes: ByteRange) {
        let Some(track) = self.thread(event.thread, self.diagnostics.now, bytes) else { return };
        let &TrackEvent { parent, group, rank, children, .. } = event;
        let parent = (self.process(parent.pid), self.key(parent.tid));
        // A number is the id of a thread, of which the tracks below it may be all that the file says.
        if let (process, tid @ Key::Number(_)) = parent {
            self.track(TrackKey::Thread { process, tid }, bytes);
        }
        let spot = self.diagnostics.spot(bytes);
        let own = OwnTrack { parent, group: self.intern(group), children, is_shown: false, spot };
        let name = self.intern(event.name);
        self.registry.set_own(track, name, i64::from(rank), own);
    }

    /// Returns an event with its strings interned and its thread as a track; `None` if there are too many tracks.
    #[inline(always)]
    pub(super) fn intern_event(
        &mut self,
        event: &ThreadEvent<'_>,
        bytes: ByteRange,
    ) -> Option<InternedEvent> {
        Some(InternedEvent {
            track: self.thread(event.thread, event.at, bytes)?,
            at: event.at,
            name: self.names.intern(event.name),
            category: self.names.intern(event.category),
            args: self.keep_args(event.args, bytes),
        })
    }

    /// Adds labels to a process. They are separated by commas.
    pub(super) fn labels(&mut self, pid: Id<'_>, labels: Text<'_>) {
        let process = self.process(pid);
        let labels = labels.unescape();
        for label in
            labels.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|label| !label.is_empty())
        {
            let label = self.names.intern_bytes(label);
            self.registry.process_mut(process).labels.push(label);
        }
    }
}

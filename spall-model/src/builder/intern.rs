//! The conversion of the strings and ids of an event to the numbers that a trace has for names, arguments, processes
//! and tracks.

use crate::{
    Args, ByteRange, DiagnosticKind, Id, Key, NameId, Names, Text, Thread, ThreadEvent, TrackEvent,
    args_table::{ArgsId, ArgsTable},
};

use super::{
    InternedEvent, TraceBuilder,
    recent_names::{Fingerprint, RecentNames},
    registry::{OwnTrack, ProcessRow, TrackKey},
};

/// The way in which strings with lifetime `'e` are stored in a trace with lifetime `'a`.
// It is a type parameter and not a flag, so that the builder is compiled once for each way and tests nothing at run
// time.
pub(super) trait TextStorage<'a, 'e> {
    /// Returns the number of a name, which is added if it is new.
    fn store_name(names: &mut Names<'a>, text: Text<'e>) -> NameId;
    /// Adds arguments to the table; [`ArgsId::NONE`] if it is full.
    fn store_args(table: &mut ArgsTable<'a>, args: Args<'e>) -> ArgsId;
}

/// Stores references. The strings live as long as the trace.
pub(super) struct Borrowed;

/// Stores copies. The strings may be gone after the event.
pub(super) struct Copied;

impl<'a> TextStorage<'a, 'a> for Borrowed {
    fn store_name(names: &mut Names<'a>, text: Text<'a>) -> NameId {
        names.intern(text)
    }

    fn store_args(table: &mut ArgsTable<'a>, args: Args<'a>) -> ArgsId {
        table.add_borrowed(args)
    }
}

impl<'a, 'e> TextStorage<'a, 'e> for Copied {
    fn store_name(names: &mut Names<'a>, text: Text<'e>) -> NameId {
        names.intern_copied(&text.unescape())
    }

    fn store_args(table: &mut ArgsTable<'a>, args: Args<'e>) -> ArgsId {
        table.add_copied(args)
    }
}

/// Returns the number of a string, which is added if it is new. The cache comes first, as it spares most names a hash.
// Without the attributes in this file, the job `spall v3 to trace` takes 49 % more instructions.
#[inline(always)]
pub(super) fn intern<'a, 'e, S: TextStorage<'a, 'e>>(
    names: &mut Names<'a>,
    recent: &mut RecentNames,
    text: Text<'e>,
) -> NameId {
    if text.is_empty() {
        return NameId::EMPTY;
    }
    let Some(plain) = text.as_plain() else { return S::store_name(names, text) };
    match recent.find(plain, Fingerprint::new(plain), names) {
        Some(name) => name,
        None => intern_and_remember::<S>(names, recent, plain),
    }
}

/// Returns the number of a string that is not in the cache, into which it is put.
// The fingerprint is made once more: as an argument it would be passed on the stack, and stored there for every name.
#[inline(never)]
fn intern_and_remember<'a, 'e, S: TextStorage<'a, 'e>>(
    names: &mut Names<'a>,
    recent: &mut RecentNames,
    plain: &'e [u8],
) -> NameId {
    let name = S::store_name(names, Text::plain(plain));
    recent.remember(Fingerprint::new(plain), name);
    name
}

impl<'a> TraceBuilder<'a> {
    /// Returns the number of a string, which is added if it is new.
    // Out of line, because the rare events alone have some forty calls: inlined they were 65 kB of code, twice.
    #[inline(never)]
    pub(super) fn intern<'e, S: TextStorage<'a, 'e>>(&mut self, text: Text<'e>) -> NameId {
        intern::<S>(&mut self.names, &mut self.recent, text)
    }

    /// Stores arguments. [`ArgsId::NONE`] stands for no arguments, and for arguments that the table has no room for.
    #[inline(always)]
    pub(super) fn keep_args<'e, S: TextStorage<'a, 'e>>(
        &mut self,
        args: Args<'e>,
        bytes: ByteRange,
    ) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let id = S::store_args(&mut self.args, args);
        if id == ArgsId::NONE {
            self.diagnostics.add(DiagnosticKind::SliceLimit, bytes);
        }
        id
    }

    /// Returns an id as the trace keeps it.
    pub(super) fn key<'e, S: TextStorage<'a, 'e>>(&mut self, id: Id<'e>) -> Key {
        match id {
            Id::Number(number) => Key::Number(number),
            Id::Text(raw) => Key::Text(self.intern::<S>(Text::escaped(raw))),
        }
    }

    /// Returns the number of a process, which is added if it is new.
    pub(super) fn process<'e, S: TextStorage<'a, 'e>>(&mut self, pid: Id<'e>) -> u32 {
        let pid = self.key::<S>(pid);
        self.registry.process(pid)
    }

    /// Returns the record of a process, which is added if it is new.
    pub(super) fn process_mut<'e, S: TextStorage<'a, 'e>>(&mut self, pid: Id<'e>) -> &mut ProcessRow {
        let process = self.process::<S>(pid);
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

    /// Returns the track of a thread, which is added if it is new; `None` if there are too many tracks.
    #[inline(always)]
    pub(super) fn thread<'e, S: TextStorage<'a, 'e>>(
        &mut self,
        thread: Thread<'e>,
        bytes: ByteRange,
    ) -> Option<u32> {
        let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid) else {
            return self.find_thread::<S>(thread, bytes);
        };
        // Only the number joins that of the slow path: an `Option` from there would be looked at once more.
        Some(match self.registry.last(pid, tid) {
            Some(track) => track,
            None => self.find_numbered_thread(pid, tid, bytes)?,
        })
    }

    /// The slow path of [`TraceBuilder::thread`] for numbers, kept out of line: most events are of the thread of the
    /// event before.
    // It gets numbers: an id would be passed on the stack, and stored there for every event.
    #[inline(never)]
    fn find_numbered_thread(&mut self, pid: i64, tid: i64, bytes: ByteRange) -> Option<u32> {
        if let Some(track) = self.registry.recent(pid, tid) {
            return Some(track);
        }
        let process = self.registry.process(Key::Number(pid));
        let track = self.track(TrackKey::Thread { process, tid: Key::Number(tid) }, bytes)?;
        self.registry.remember(pid, tid, track);
        Some(track)
    }

    /// The slow path of [`TraceBuilder::thread`] for other ids.
    #[inline(never)]
    fn find_thread<'e, S: TextStorage<'a, 'e>>(
        &mut self,
        thread: Thread<'e>,
        bytes: ByteRange,
    ) -> Option<u32> {
        let process = self.process::<S>(thread.pid);
        let tid = self.key::<S>(thread.tid);
        self.track(TrackKey::Thread { process, tid }, bytes)
    }

    /// Makes what events call a thread a track of its own.
    pub(super) fn own_track<'e, S: TextStorage<'a, 'e>>(&mut self, event: &TrackEvent<'e>, bytes: ByteRange) {
        let Some(track) = self.thread::<S>(event.thread, bytes) else { return };
        let &TrackEvent { parent, group, rank, children, .. } = event;
        let parent = (self.process::<S>(parent.pid), self.key::<S>(parent.tid));
        // A number is the id of a thread, of which the tracks below it may be all that the file says.
        if let (process, tid @ Key::Number(_)) = parent {
            self.track(TrackKey::Thread { process, tid }, bytes);
        }
        let own = OwnTrack { parent, group: self.intern::<S>(group), children, bytes };
        let name = self.intern::<S>(event.name);
        self.registry.set_own(track, name, i64::from(rank), own);
    }

    /// Returns an event with its strings interned and its thread as a track; `None` if there are too many tracks.
    #[inline(always)]
    pub(super) fn intern_event<'e, S: TextStorage<'a, 'e>>(
        &mut self,
        event: &ThreadEvent<'e>,
        bytes: ByteRange,
    ) -> Option<InternedEvent> {
        Some(InternedEvent {
            track: self.thread::<S>(event.thread, bytes)?,
            at: event.at,
            name: intern::<S>(&mut self.names, &mut self.recent, event.name),
            category: intern::<S>(&mut self.names, &mut self.recent, event.category),
            args: self.keep_args::<S>(event.args, bytes),
        })
    }

    /// Adds labels to a process. They are separated by commas.
    pub(super) fn labels<'e, S: TextStorage<'a, 'e>>(&mut self, pid: Id<'e>, labels: Text<'e>) {
        let process = self.process::<S>(pid);
        let labels = labels.unescape();
        for label in
            labels.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|label| !label.is_empty())
        {
            let label = self.names.intern_copied(label);
            self.registry.process_mut(process).labels.push(label);
        }
    }
}

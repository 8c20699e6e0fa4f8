//! Strings of events are borrowed where they live as long as the trace, and copied where they do not.

use crate::{
    Args, ByteRange, DiagnosticKind, Id, Key, NameId, Names, Text, Thread, ThreadEvent,
    args_table::{ArgsId, ArgsTable},
};

use super::{Row, TraceBuilder, recent_names::Outline, registry::ProcessRow, registry::TrackKey};

/// How strings with lifetime `'e` get into a trace with lifetime `'a`.
pub(super) trait Keep<'a, 'e> {
    fn name(names: &mut Names<'a>, text: Text<'e>) -> NameId;
    fn args(table: &mut ArgsTable<'a>, args: Args<'e>) -> ArgsId;
}

/// They are borrowed.
pub(super) struct Borrowed;

/// They are copied.
pub(super) struct Copied;

impl<'a> Keep<'a, 'a> for Borrowed {
    #[inline]
    fn name(names: &mut Names<'a>, text: Text<'a>) -> NameId {
        names.intern(text)
    }

    #[inline]
    fn args(table: &mut ArgsTable<'a>, args: Args<'a>) -> ArgsId {
        table.add_borrowed(args)
    }
}

impl<'a, 'e> Keep<'a, 'e> for Copied {
    fn name(names: &mut Names<'a>, text: Text<'e>) -> NameId {
        names.intern_copied(&text.unescape())
    }

    fn args(table: &mut ArgsTable<'a>, args: Args<'e>) -> ArgsId {
        table.add_copied(args)
    }
}

impl<'a> TraceBuilder<'a> {
    #[inline(always)]
    pub(super) fn intern<'e, K: Keep<'a, 'e>>(&mut self, text: Text<'e>) -> NameId {
        if text.is_empty() {
            return NameId::EMPTY;
        }
        let Some(plain) = text.as_plain() else { return K::name(&mut self.names, text) };
        let outline = Outline::new(plain);
        if let Some(name) = self.recent.find(plain, outline, &self.names) {
            return name;
        }
        let name = K::name(&mut self.names, Text::plain(plain));
        self.recent.remember(outline, name);
        name
    }

    #[inline(always)]
    pub(super) fn keep_args<'e, K: Keep<'a, 'e>>(&mut self, args: Args<'e>, bytes: ByteRange) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let id = K::args(&mut self.args, args);
        if id == ArgsId::NONE {
            self.diagnostics.add(DiagnosticKind::SliceLimit, bytes);
        }
        id
    }

    pub(super) fn key<'e, K: Keep<'a, 'e>>(&mut self, id: Id<'e>) -> Key {
        match id {
            Id::Number(number) => Key::Number(number),
            Id::Text(raw) => Key::Text(self.intern::<K>(Text::escaped(raw))),
        }
    }

    pub(super) fn process<'e, K: Keep<'a, 'e>>(&mut self, pid: Id<'e>) -> u32 {
        let pid = self.key::<K>(pid);
        self.registry.process(pid)
    }

    pub(super) fn process_mut<'e, K: Keep<'a, 'e>>(&mut self, pid: Id<'e>) -> &mut ProcessRow {
        let process = self.process::<K>(pid);
        self.registry.process_mut(process)
    }

    /// The track of a key; `None` if there are too many.
    pub(super) fn track(&mut self, key: TrackKey, bytes: ByteRange) -> Option<u32> {
        let track = self.registry.find_or_add(key, self.limits.max_tracks);
        if track.is_none() {
            self.diagnostics.add(DiagnosticKind::TrackLimit, bytes);
        }
        track
    }

    /// The track of a thread; `None` if there are too many.
    #[inline(always)]
    pub(super) fn thread<'e, K: Keep<'a, 'e>>(
        &mut self,
        thread: Thread<'e>,
        bytes: ByteRange,
    ) -> Option<u32> {
        if let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid)
            && let Some(track) = self.registry.recent(pid, tid)
        {
            return Some(track);
        }
        self.find_thread::<K>(thread, bytes)
    }

    fn find_thread<'e, K: Keep<'a, 'e>>(&mut self, thread: Thread<'e>, bytes: ByteRange) -> Option<u32> {
        let process = self.process::<K>(thread.pid);
        let tid = self.key::<K>(thread.tid);
        let track = self.track(TrackKey::Thread { process, tid }, bytes)?;
        if let (Id::Number(pid), Id::Number(tid)) = (thread.pid, thread.tid) {
            self.registry.remember(pid, tid, track);
        }
        Some(track)
    }

    /// A thread's event with its strings interned; `None` if there are too many tracks.
    #[inline(always)]
    pub(super) fn row<'e, K: Keep<'a, 'e>>(
        &mut self,
        event: &ThreadEvent<'e>,
        bytes: ByteRange,
    ) -> Option<Row> {
        Some(Row {
            track: self.thread::<K>(event.thread, bytes)?,
            at: event.at,
            name: self.intern::<K>(event.name),
            category: self.intern::<K>(event.category),
            args: self.keep_args::<K>(event.args, bytes),
        })
    }

    /// Adds labels of a process.
    pub(super) fn labels<'e, K: Keep<'a, 'e>>(&mut self, pid: Id<'e>, labels: Text<'e>) {
        let process = self.process::<K>(pid);
        let labels = labels.unescape();
        for label in
            labels.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|label| !label.is_empty())
        {
            let label = self.names.intern_copied(label);
            self.registry.process_mut(process).labels.push(label);
        }
    }
}

//! The conversion of the ids of a trace to those of events.

use alloc::vec::Vec;

use crate::{Args, Id, Key, KeyedEvent, Text, Thread, Tick, Trace};

/// Returns a key as an event has it. Text with a backslash is escaped into `escaped`, as the text of an id is read with
/// escapes.
pub(super) fn id<'b>(trace: &'b Trace, key: Key, escaped: &'b mut Vec<u8>) -> Id<'b> {
    let name = match key {
        Key::Number(number) => return Id::Number(number),
        Key::Text(name) => trace.names.bytes(name),
    };
    self::escaped(name, escaped)
}

/// Returns a text as an id. One with a backslash is escaped into `escaped`.
pub(crate) fn escaped<'b>(name: &'b [u8], escaped: &'b mut Vec<u8>) -> Id<'b> {
    if !name.contains(&b'\\') {
        return Id::Text(name);
    }
    escaped.clear();
    for &byte in name {
        if byte == b'\\' {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    Id::Text(escaped)
}

/// Buffers for the two ids of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadIds {
    pid: Vec<u8>,
    tid: Vec<u8>,
}

impl ThreadIds {
    /// Returns the thread with these ids. They stay in the buffers until the next call.
    pub(super) fn thread<'b>(&'b mut self, trace: &'b Trace, pid: Key, tid: Key) -> Thread<'b> {
        Thread { pid: id(trace, pid, &mut self.pid), tid: id(trace, tid, &mut self.tid) }
    }
}

/// The fields of an event that identify a span or an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyFields<'e> {
    pub(super) pid: Id<'e>,
    pub(super) id: Id<'e>,
    pub(super) local: bool,
    pub(super) any_category: bool,
    pub(super) scope: Text<'e>,
    /// The id of the span, and that of its parent.
    pub(super) span: Id<'e>,
    pub(super) parent: Id<'e>,
}

impl<'e> KeyFields<'e> {
    /// Returns an event with this key.
    pub(super) fn event(
        &self,
        at: Tick,
        name: Text<'e>,
        category: Text<'e>,
        args: Args<'e>,
    ) -> KeyedEvent<'e> {
        let event = KeyedEvent::new(self.pid, at, self.id, name);
        let mut event = event.with_category(category).with_scope(self.scope);
        (event.local, event.any_category, event.args) = (self.local, self.any_category, args);
        (event.span, event.parent) = (self.span, self.parent);
        event
    }
}

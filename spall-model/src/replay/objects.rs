//! The replay of objects: their creation, snapshots and deletion.

use alloc::vec::Vec;

use crate::{Args, Event, Id, Object, ObjectPhase, Text, TraceView};

use super::{
    Replay,
    ids::{self, KeyFields},
};

impl<'t, E> Replay<'t, E> {
    /// Emits the life of an object, in the order of time.
    pub(super) fn object(&mut self, object: &'t Object) -> Result<(), E> {
        let (mut pid_text, mut id_text) = (Vec::new(), Vec::new());
        let key = KeyFields {
            pid: ids::id(self.trace, self.pid(Some(object.process)), &mut pid_text),
            id: ids::id(self.trace, object.id, &mut id_text),
            any_category: false,
            local: object.local,
            scope: self.text(object.scope),
            span: Id::NONE,
            parent: Id::NONE,
        };
        let name = self.text(object.name);
        let event = |at, args| key.event(at, name, Text::EMPTY, args);
        if let Some(at) = object.start {
            self.emit(Event::Object(ObjectPhase::New, event(at, Args::NONE)))?;
        }
        for snapshot in self.trace.snapshots_of(object) {
            let args = self.trace.args_of(snapshot);
            self.emit(Event::Object(ObjectPhase::Snapshot, event(snapshot.at, args)))?;
        }
        match object.end {
            Some(at) => self.emit(Event::Object(ObjectPhase::Delete, event(at, Args::NONE))),
            None => Ok(()),
        }
    }
}

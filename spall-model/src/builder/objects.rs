//! Objects: their creation, snapshots and deletion.

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Key, KeyedEvent, NameId, Object, ObjectPhase, ProcessId, Snapshot, Tick,
    args_table::ArgsId, index32, sort::sort_by_number,
};

use super::{
    TraceBuilder,
    reports::{Reports, Spot},
};

/// The events of all objects, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct ObjectLog {
    pub(super) events: Vec<ObjectEvent>,
}

/// A step in the life of an object, with interned strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectEvent {
    pub(super) phase: ObjectPhase,
    pub(super) process: u32,
    /// Whether the id is only unique inside the process.
    pub(super) local: bool,
    pub(super) id: Key,
    pub(super) scope: NameId,
    pub(super) name: NameId,
    pub(super) at: Tick,
    pub(super) args: ArgsId,
    pub(super) bytes: ByteRange,
}

impl ObjectLog {
    /// Returns whether a process has objects.
    pub(super) fn has_any_of(&self, process: u32) -> bool {
        self.events.iter().any(|event| event.process == process)
    }
}

impl TraceBuilder {
    /// Keeps an event of an object.
    pub(super) fn object(&mut self, phase: ObjectPhase, event: &KeyedEvent<'_>, bytes: ByteRange) {
        let object_event = ObjectEvent {
            phase,
            process: self.process(event.pid),
            local: event.local,
            id: self.key(event.id),
            scope: self.intern(event.scope),
            name: self.intern(event.name),
            at: event.at,
            args: self.keep_args(event.args, bytes),
            bytes,
        };
        self.objects.events.push(object_event);
    }
}

/// Returns all objects in the order of the times of their first events, and their snapshots object by object.
#[allow(clippy::indexing_slicing, reason = "positions are made by this function")]
pub(super) fn finish(
    ObjectLog { mut events }: ObjectLog,
    process_ids: &[u32],
    reports: &mut Reports,
) -> (Vec<Object>, Vec<Snapshot>) {
    // Events of one time keep the order of the file.
    sort_by_number(&mut events, |event| event.at.0);
    let mut objects: Vec<Object> = Vec::new();
    // Only objects that are not deleted yet: an id may be used again, and then names another object.
    let mut alive: HashMap<(Option<u32>, Key, NameId), usize, RandomState> = HashMap::default();
    let mut snapshots: Vec<(usize, Snapshot)> = Vec::new();
    for event in &events {
        let key = (event.local.then_some(event.process), event.id, event.scope);
        let known = alive.get(&key).copied();
        let mut make = |start| {
            objects.push(Object {
                process: ProcessId(process_ids[event.process as usize]),
                name: event.name,
                id: event.id,
                scope: event.scope,
                start,
                end: None,
                local: event.local,
                snapshots: 0..0,
            });
            alive.insert(key, objects.len() - 1);
            objects.len() - 1
        };
        let spot = Spot::new(event.bytes, event.at);
        match event.phase {
            ObjectPhase::New => match known {
                Some(_) => reports.add_at(DiagnosticKind::DuplicateObject, spot),
                None => _ = make(Some(event.at)),
            },
            ObjectPhase::Snapshot => {
                let object = known.unwrap_or_else(|| make(None));
                snapshots.push((object, Snapshot { at: event.at, args: event.args }));
            }
            ObjectPhase::Delete => match known {
                Some(object) => {
                    objects[object].end = Some(event.at);
                    alive.remove(&key);
                }
                None => reports.add_at(DiagnosticKind::UnmatchedDelete, spot),
            },
        }
    }
    // A stable sort keeps the snapshots of one object in the order of time.
    sort_by_number(&mut snapshots, |&(object, _)| index32(object).into());
    for (position, &(object, _)) in (0_u32..).zip(&snapshots) {
        let range = &mut objects[object].snapshots;
        if range.end == 0 {
            range.start = position;
        }
        range.end = position + 1;
    }
    (objects, snapshots.into_iter().map(|(_, snapshot)| snapshot).collect())
}

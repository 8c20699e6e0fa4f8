//! Objects: made, photographed, deleted. [json 1]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Key, KeyedEvent, NameId, Object, ObjectPhase, ProcessId, Snapshot, Tick,
    args_table::ArgsId,
};

use super::{TextStorage, TraceBuilder, order::Arranged};

/// What happened to objects, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct ObjectLog {
    steps: Vec<ObjectEvent>,
}

#[derive(Debug, Clone, Copy)]
struct ObjectEvent {
    phase: ObjectPhase,
    process: u32,
    /// Whether the id counts inside the process only.
    local: bool,
    id: Key,
    scope: NameId,
    name: NameId,
    at: Tick,
    args: ArgsId,
    bytes: ByteRange,
}

impl<'a> TraceBuilder<'a> {
    pub(super) fn object<'e, S: TextStorage<'a, 'e>>(
        &mut self,
        phase: ObjectPhase,
        event: &KeyedEvent<'e>,
        bytes: ByteRange,
    ) {
        let step = ObjectEvent {
            phase,
            process: self.process::<S>(event.pid),
            local: event.local,
            id: self.key::<S>(event.id),
            scope: self.intern::<S>(event.scope()),
            name: self.intern::<S>(event.name()),
            at: event.at,
            args: self.keep_args::<S>(event.args, bytes),
            bytes,
        };
        self.objects.steps.push(step);
    }
}

/// The lives of all objects, in the order in which they are first mentioned in time.
#[allow(clippy::indexing_slicing, reason = "positions are made by this function")]
pub(super) fn finish(builder: &mut TraceBuilder<'_>, arranged: &Arranged) -> (Vec<Object>, Vec<Snapshot>) {
    let mut steps = core::mem::take(&mut builder.objects.steps);
    steps.sort_by_key(|step| step.at);
    let mut objects: Vec<Object> = Vec::new();
    let mut alive: HashMap<(Option<u32>, Key, NameId), usize, RandomState> = HashMap::default();
    let mut snapshots: Vec<(usize, Snapshot)> = Vec::new();
    for step in &steps {
        let key = (step.local.then_some(step.process), step.id, step.scope);
        let known = alive.get(&key).copied();
        let mut make = |start| {
            objects.push(Object {
                process: ProcessId(arranged.process_ids[step.process as usize]),
                name: step.name,
                id: step.id,
                scope: step.scope,
                start,
                end: None,
                local: step.local,
                snapshots: 0..0,
            });
            alive.insert(key, objects.len() - 1);
            objects.len() - 1
        };
        match step.phase {
            ObjectPhase::New => match known {
                Some(_) => builder.diagnostics.add(DiagnosticKind::DuplicateObject, step.bytes),
                None => _ = make(Some(step.at)),
            },
            ObjectPhase::Snapshot => {
                let object = known.unwrap_or_else(|| make(None));
                snapshots.push((object, Snapshot { at: step.at, args: step.args }));
            }
            ObjectPhase::Delete => match known {
                Some(object) => {
                    objects[object].end = Some(step.at);
                    alive.remove(&key);
                }
                None => builder.diagnostics.add(DiagnosticKind::UnmatchedDelete, step.bytes),
            },
        }
    }
    snapshots.sort_by_key(|&(object, _)| object);
    for (position, &(object, _)) in (0_u32..).zip(&snapshots) {
        let range = &mut objects[object].snapshots;
        if range.end == 0 {
            range.start = position;
        }
        range.end = position + 1;
    }
    (objects, snapshots.into_iter().map(|(_, snapshot)| snapshot).collect())
}

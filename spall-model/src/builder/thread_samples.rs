//! Samples that say themselves which thread was sampled: those of a thread and a name become one profile. \[json 3.8\]

use alloc::{string::ToString, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, hash_map::Entry};

use crate::{
    ByteRange, DiagnosticKind, Frame, FrameId, Key, NameId, Profile, Sample, SampleStack, Text,
    ThreadSampleEvent, Tick, TrackId, Value, args_table::ArgsId, profile::Place,
};

use super::{
    Keep, TraceBuilder,
    registry::{TrackKey, index32},
    samples::{FrameIds, Profiles},
};

/// Such samples, while the file is read.
#[derive(Debug, Default)]
pub(super) struct ThreadSampleLog {
    groups: Vec<Group>,
    by_group: HashMap<Group, u32, RandomState>,
    rows: Vec<Row>,
    /// The functions of stacks that are spelt out, each behind its caller.
    calls: Vec<Call>,
    by_call: HashMap<Call, u32, RandomState>,
}

/// What has its own profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Group {
    owner: Owner,
    name: NameId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Track(u32),
    /// The one thread with this id, whatever its process is.
    Thread(Key),
}

/// A function by its name and its caller, as a position among the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    caller: Option<u32>,
    name: NameId,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    group: u32,
    at: Tick,
    found: Found,
    weight: f32,
    args: ArgsId,
    bytes: ByteRange,
}

#[derive(Debug, Clone, Copy)]
enum Found {
    Nothing,
    Frame(Key),
    Call(u32),
}

/// Profiles made of such samples count behind all others of their thread.
const RANK: u8 = 4;

impl<'a> TraceBuilder<'a> {
    pub(super) fn thread_sample<'e, K: Keep<'a, 'e>>(
        &mut self,
        event: &ThreadSampleEvent<'e>,
        bytes: ByteRange,
    ) {
        let owner = if event.any_process {
            Owner::Thread(self.key::<K>(event.thread.tid))
        } else {
            let Some(track) = self.thread::<K>(event.thread, bytes) else { return };
            Owner::Track(track)
        };
        let found = match event.stack {
            SampleStack::Unknown => Found::Nothing,
            SampleStack::Frame(frame) => Found::Frame(self.key::<K>(frame)),
            SampleStack::Names => match event.args.field(b"stack") {
                Some(Value::List(names)) => self.spelt_stack::<K>(names.iter().map(|(_, name)| name), bytes),
                _ => Found::Nothing,
            },
        };
        let group = Group { owner, name: self.intern::<K>(event.name) };
        let args = self.keep_args::<K>(event.args, bytes);
        let log = &mut self.profiles.of_threads;
        let new = index32(log.groups.len());
        let group = *log.by_group.entry(group).or_insert_with(|| {
            log.groups.push(group);
            new
        });
        log.rows.push(Row { group, at: event.at, found, weight: event.weight, args, bytes });
    }

    /// The innermost of functions whose names are given from the outermost in.
    fn spelt_stack<'e, K: Keep<'a, 'e>>(
        &mut self,
        names: impl Iterator<Item = Value<'e>>,
        bytes: ByteRange,
    ) -> Found {
        let mut caller = None;
        for name in names {
            let name = match name {
                Value::Text(Text::EMPTY) => self.names.intern_copied(b"(anonymous)"),
                Value::Text(name) => self.intern::<K>(name),
                Value::I64(address) => self.names.intern_copied(address.to_string().as_bytes()),
                Value::U64(address) => self.names.intern_copied(address.to_string().as_bytes()),
                _ => {
                    self.diagnostics.add(DiagnosticKind::BadStack, bytes);
                    continue;
                }
            };
            let log = &mut self.profiles.of_threads;
            let call = Call { caller, name };
            caller = Some(match log.by_call.entry(call) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    log.calls.push(call);
                    *entry.insert(index32(log.calls.len() - 1))
                }
            });
        }
        caller.map_or(Found::Nothing, Found::Call)
    }

    /// Adds a profile for each thread and name. The frames that threads share begin at `first_frame` and are called
    /// `ids`.
    pub(super) fn finish_thread_samples(
        &mut self,
        log: ThreadSampleLog,
        found: &mut Profiles,
        first_frame: u32,
        ids: &FrameIds,
    ) {
        let first_call = found.frames.len();
        found.frames.extend(log.calls.iter().map(|call| Frame {
            name: call.name,
            url: NameId::EMPTY,
            script: 0,
            line: None,
            column: None,
            parent: call.caller.map(|caller| FrameId(index32(first_call + caller as usize))),
        }));
        found.shared_frames.extend(ids.iter().map(|(&id, &frame)| (id, frame)));
        found.shared_frames.sort_unstable();
        let frames = first_frame..index32(found.frames.len());

        let owners = self.owners(&log);
        let mut rows: Vec<_> = log
            .rows
            .iter()
            .filter_map(|row| Some((owners.get(row.group as usize)?.as_ref()?, row)))
            .collect();
        rows.sort_by_key(|&(&(_, profile), row)| (profile, row.at));
        for rows in rows.chunk_by(|((_, a), _), ((_, b), _)| a == b) {
            let (Some(&(&(track, _), first)), Some((_, last))) = (rows.first(), rows.last()) else {
                continue;
            };
            let start = index32(found.samples.len());
            for (_, row) in rows {
                let frame = match row.found {
                    Found::Nothing => None,
                    Found::Frame(id) => ids.get(&id).copied(),
                    Found::Call(call) => Some(FrameId(index32(first_call + call as usize))),
                };
                if frame.is_none() && matches!(row.found, Found::Frame(_)) {
                    self.diagnostics.add(DiagnosticKind::UnknownFrame, row.bytes);
                }
                let (at, weight, args) = (row.at, row.weight, row.args);
                found.samples.push(Sample { at, frame, weight, place: Place::NONE, args });
            }
            self.touch(track, first.at, last.at);
            found.profiles.push(Profile {
                track: TrackId(track),
                name: log.groups.get(first.group as usize).map_or(NameId::EMPTY, |group| group.name),
                start: first.at,
                end: None,
                rank: RANK,
                frames: frames.clone(),
                samples: start..index32(found.samples.len()),
                sites: 0..0,
            });
        }
    }

    /// The track of each group, and the number of the profile that its samples belong to, counted in the order of the
    /// file; `None` if there are too many tracks.
    fn owners(&mut self, log: &ThreadSampleLog) -> Vec<Option<(u32, u32)>> {
        let mut threads = HashMap::<Key, Option<u32>, RandomState>::default();
        if log.groups.iter().any(|group| matches!(group.owner, Owner::Thread(_))) {
            for (track, number) in self.registry.tracks.iter().zip(0..) {
                if let TrackKey::Thread { tid, .. } = track.key {
                    // One that is not alone is none.
                    threads.entry(tid).and_modify(|found| *found = None).or_insert(Some(number));
                }
            }
        }
        let mut profiles = HashMap::<(u32, NameId), u32, RandomState>::default();
        let mut owners = Vec::with_capacity(log.groups.len());
        for group in &log.groups {
            let track = match group.owner {
                Owner::Track(track) => Some(track),
                Owner::Thread(tid) => threads.get(&tid).copied().flatten().or_else(|| {
                    let process = self.registry.process(tid);
                    self.track(TrackKey::Thread { process, tid }, ByteRange::default())
                }),
            };
            let new = index32(profiles.len());
            owners.push(track.map(|track| (track, *profiles.entry((track, group.name)).or_insert(new))));
        }
        for row in &log.rows {
            let group = log.groups.get(row.group as usize);
            if let Some(Owner::Thread(tid)) = group.map(|group| group.owner)
                && threads.get(&tid).copied().flatten().is_none()
            {
                self.diagnostics.add(DiagnosticKind::MissingProcess, row.bytes);
            }
        }
        owners
    }
}

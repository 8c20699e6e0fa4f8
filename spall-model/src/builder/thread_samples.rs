//! Samples that say themselves which thread was sampled: those of a thread and a name become one profile. \[json 3.8\]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet, hash_map::Entry};

use crate::{
    ByteRange, DiagnosticKind, Frame, FrameId, Key, NameId, Profile, Sample, SampleStack, Text,
    ThreadSampleEvent, Tick, TrackId, Value, args_table::ArgsId,
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
    at: Tick,
    bytes: ByteRange,
    /// The group, and when all were read the profile.
    group: u32,
    found: Found,
    weight: f64,
    args: ArgsId,
}

/// The innermost function.
#[derive(Debug, Clone, Copy)]
enum Found {
    Nothing,
    /// A shared frame, by the number or the name that is its id.
    Numbered(i64),
    Named(NameId),
    /// One that was spelt out, as a position among the calls.
    Call(u32),
}

// A sample takes 20 bytes of a file, and may make a thread.
const _: () = assert!(size_of::<Row>() <= 56);

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
            SampleStack::Frame(frame) => match self.key::<K>(frame) {
                Key::Number(number) => Found::Numbered(number),
                Key::Text(name) => Found::Named(name),
            },
            SampleStack::Names => match event.args.field(b"stack") {
                Some(Value::List(names)) => self.spelt_stack::<K>(names.iter().map(|(_, name)| name), bytes),
                _ => Found::Nothing,
            },
        };
        let group = Group { owner, name: self.intern::<K>(event.name()) };
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
        // What is not needed any more makes room.
        drop((log.by_group, log.by_call));
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

        drop(log.calls);
        let mut rows = log.rows;
        let owners = self.join_groups(&log.groups, &mut rows);
        drop(log.groups);
        rows.retain(|row| (row.group as usize) < owners.len());
        let order = |row: &Row| (row.group, row.at);
        if !rows.is_sorted_by_key(order) {
            rows.sort_by_key(order);
        }
        found.samples.reserve_exact(rows.len());
        found.profiles.reserve_exact(owners.len());
        for (rows, &(track, name)) in rows.chunk_by(|a, b| a.group == b.group).zip(&owners) {
            let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
            let start = index32(found.samples.len());
            for row in rows {
                let shared = |id: Key| ids.get(&id).copied();
                let (frame, is_shared) = match row.found {
                    Found::Nothing => (None, false),
                    Found::Numbered(number) => (shared(Key::Number(number)), true),
                    Found::Named(name) => (shared(Key::Text(name)), true),
                    Found::Call(call) => (Some(FrameId(index32(first_call + call as usize))), false),
                };
                if is_shared && frame.is_none() {
                    self.diagnostics.add(DiagnosticKind::UnknownFrame, row.bytes);
                }
                let Row { at, weight, args, .. } = *row;
                found.samples.push(Sample { args, ..Sample::new(at, frame, weight) });
            }
            self.touch(track, first.at, last.at);
            let profile = Profile {
                track: TrackId(track),
                name,
                start: first.at,
                end: None,
                rank: RANK,
                of_thread_samples: true,
                frames: frames.clone(),
                samples: start..index32(found.samples.len()),
                sites: 0..0,
            };
            found.profiles.push((profile, first.bytes.start));
        }
    }

    /// Finds the thread of each group. Rows get the number of their profile instead of that of their group; those of
    /// threads that are too many get one that no profile has. The thread and the name of each profile.
    fn join_groups(&mut self, groups: &[Group], rows: &mut [Row]) -> Vec<(u32, NameId)> {
        let mut alone = HashMap::<Key, Option<u32>, RandomState>::default();
        let wanted = groups.iter().filter_map(|group| match group.owner {
            Owner::Thread(tid) => Some((tid, None)),
            Owner::Track(_) => None,
        });
        alone.extend(wanted);
        let mut several = HashSet::<Key, RandomState>::default();
        for (track, number) in self.registry.tracks.iter().zip(0..) {
            if let TrackKey::Thread { tid, .. } = track.key
                && let Some(found) = alone.get_mut(&tid)
                && found.replace(number).is_some()
            {
                several.insert(tid);
            }
        }
        alone.retain(|tid, found| found.is_some() && !several.contains(tid));

        let mut profiles = Vec::new();
        let mut numbers = HashMap::<(u32, NameId), u32, RandomState>::default();
        let mut number_of = |group: &Group| -> u32 {
            let track = match group.owner {
                Owner::Track(track) => Some(track),
                Owner::Thread(tid) => alone.get(&tid).copied().flatten().or_else(|| {
                    let process = self.registry.process(tid);
                    self.track(TrackKey::Thread { process, tid }, ByteRange::default())
                }),
            };
            let Some(track) = track else { return u32::MAX };
            *numbers.entry((track, group.name)).or_insert_with(|| {
                profiles.push((track, group.name));
                index32(profiles.len() - 1)
            })
        };
        let numbers: Vec<u32> = groups.iter().map(&mut number_of).collect();
        for row in rows {
            let group = groups.get(row.group as usize);
            if let Some(Group { owner: Owner::Thread(tid), .. }) = group
                && !alone.contains_key(tid)
            {
                self.diagnostics.add(DiagnosticKind::MissingProcess, row.bytes);
            }
            row.group = numbers.get(row.group as usize).copied().unwrap_or(u32::MAX);
        }
        profiles
    }
}

//! The samples that name the sampled thread themselves. Those of one thread and one name become a profile. [json
//! 3.8](crate::rules::json#3.8)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet, hash_map::Entry};

use crate::{
    ByteRange, DiagnosticKind, Frame, FrameId, Key, NameId, Profile, Sample, SampleStack, Text,
    ThreadProfileEvent, ThreadSampleEvent, Tick, Ticks, TrackId, Value, Weights,
    args_table::ArgsId,
    index32,
    profile::{Side, samples_end, samples_start},
    sort::sort_by_number,
};

use super::{
    TraceBuilder,
    registry::TrackKey,
    samples::{Profiles, SharedFrameIds},
};

/// The samples that name their thread, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct ThreadSampleLog {
    groups: Vec<ProfileGroup>,
    by_group: HashMap<ProfileGroup, u32, RandomState>,
    rows: Vec<ThreadSampleRow>,
    /// The meaning of weights and the rank of a profile of which the file says them, by its track and name.
    said: HashMap<(u32, NameId), (Weights, u8), RandomState>,
    /// The functions of stacks that are given by name, each after its caller. Stacks with a common beginning share it.
    calls: Vec<StackCall>,
    by_call: HashMap<StackCall, u32, RandomState>,
}

/// The identity of a profile of such samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ProfileGroup {
    thread: GroupThread,
    name: NameId,
}

/// The thread of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GroupThread {
    /// A track, by its builder number.
    Track(u32),
    /// The only thread with this id in any process.
    Thread(Key),
}

/// A function with its name, and its caller as a position among the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct StackCall {
    caller: Option<u32>,
    name: NameId,
}

/// A sample that names its thread.
#[derive(Debug, Clone, Copy)]
struct ThreadSampleRow {
    at: Tick,
    bytes: ByteRange,
    /// The position of its group; once groups are resolved, the position of its profile.
    group: u32,
    frame: InnermostFrame,
    weight: f64,
    args: ArgsId,
}

/// The innermost function of a stack.
#[derive(Debug, Clone, Copy)]
enum InnermostFrame {
    /// The file does not have the stack.
    Unknown,
    /// A frame that threads share, by its id.
    Shared(Key),
    /// A function of a stack that is given by names, as a position among the calls.
    StackCall(u32),
    /// A frame of another trace, as a position among those that its threads share.
    Joined(u32),
}

// A sample of 20 bytes in a file may make such a row and a thread: that bounds memory by the size of the input.
const _: () = assert!(size_of::<ThreadSampleRow>() <= 56);

/// The resolution of such samples, whose times may be any.
const RESOLUTION: Ticks = Ticks(1);

impl ThreadSampleLog {
    /// Returns the position of a group, which is added if it is new.
    fn group(&mut self, group: ProfileGroup) -> u32 {
        let new = index32(self.groups.len());
        *self.by_group.entry(group).or_insert_with(|| {
            self.groups.push(group);
            new
        })
    }
}

impl TraceBuilder {
    /// Keeps a sample, with its stack as one of the calls of the log.
    pub(super) fn thread_sample(&mut self, event: &ThreadSampleEvent<'_>, bytes: ByteRange) {
        let thread = if event.any_process {
            GroupThread::Thread(self.key(event.thread.tid))
        } else {
            let Some(track) = self.thread(event.thread, bytes) else { return };
            GroupThread::Track(track)
        };
        let frame = match event.stack {
            SampleStack::Unknown => InnermostFrame::Unknown,
            SampleStack::Frame(frame) => InnermostFrame::Shared(self.key(frame)),
            SampleStack::Names => match event.args.field(b"stack") {
                Some(Value::List(names)) => self.written_stack(names.iter().map(|(_, name)| name), bytes),
                _ => InnermostFrame::Unknown,
            },
        };
        let group = ProfileGroup { thread, name: self.intern(event.name) };
        let args = self.keep_args(event.args, bytes);
        let group = self.thread_samples.group(group);
        self.thread_samples.rows.push(ThreadSampleRow {
            group,
            at: event.at,
            frame,
            weight: event.weight,
            args,
            bytes,
        });
    }

    /// Keeps what an event says about the profile that the samples of a thread and a name make.
    pub(super) fn thread_profile(&mut self, event: &ThreadProfileEvent<'_>, bytes: ByteRange) {
        let Some(track) = self.thread(event.thread, bytes) else { return };
        let name = self.intern(event.name);
        self.say_of_thread_profile(track, name, event.weights, event.rank);
    }

    /// Keeps the meaning of weights and the rank of the profile that the samples of a thread and a name make.
    pub(super) fn say_of_thread_profile(&mut self, track: u32, name: NameId, weights: Weights, rank: u8) {
        self.thread_samples.said.insert((track, name), (weights, rank));
    }

    /// Adds a sample of another trace, whose frame is a position among those that its threads share.
    pub(super) fn joined_thread_sample(&mut self, track: u32, name: NameId, sample: &Sample) {
        let frame = sample.frame().map_or(InnermostFrame::Unknown, |frame| InnermostFrame::Joined(frame.0));
        let group = self.thread_samples.group(ProfileGroup { thread: GroupThread::Track(track), name });
        let &Sample { at, weight, args, .. } = sample;
        let bytes = ByteRange::default();
        self.thread_samples.rows.push(ThreadSampleRow { group, at, frame, weight, args, bytes });
    }

    /// Returns the innermost function of a stack that is given by names, the outermost first.
    fn written_stack<'e>(
        &mut self,
        names: impl Iterator<Item = Value<'e>>,
        bytes: ByteRange,
    ) -> InnermostFrame {
        let mut caller = None;
        for name in names {
            let name = match name {
                Value::Text(Text::EMPTY) => self.names.intern_bytes(b"(anonymous)"),
                Value::Text(name) => self.intern(name),
                _ => {
                    self.diagnostics.add(DiagnosticKind::BadStack, bytes);
                    continue;
                }
            };
            let log = &mut self.thread_samples;
            let call = StackCall { caller, name };
            caller = Some(match log.by_call.entry(call) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    log.calls.push(call);
                    *entry.insert(index32(log.calls.len() - 1))
                }
            });
        }
        caller.map_or(InnermostFrame::Unknown, InnermostFrame::StackCall)
    }

    /// Adds a profile for each thread and name to `found`.
    pub(super) fn finish_thread_samples(&mut self, found: &mut Profiles, shared: &SharedFrameIds) {
        let log = core::mem::take(&mut self.thread_samples);
        let ids = &shared.ids;
        // Each table is freed as soon as it is no longer needed, because memory is at its highest while the trace is
        // finished.
        drop((log.by_group, log.by_call));
        let first_call = found.frames.len();
        found.frames.extend(log.calls.iter().map(|call| Frame {
            name: call.name,
            url: NameId::EMPTY,
            source: 0,
            line: None,
            column: None,
            parent: call.caller.map(|caller| FrameId(index32(first_call + caller as usize))),
        }));
        found.shared_frames.extend(ids.iter().map(|(&id, &frame)| (id, frame)));
        found.shared_frames.sort_unstable();
        let frames = shared.first..index32(found.frames.len());

        drop(log.calls);
        let (mut rows, said) = (log.rows, log.said);
        let owners = self.join_groups(&log.groups, &mut rows);
        drop(log.groups);
        rows.retain(|row| (row.group as usize) < owners.len());
        if !rows.is_sorted_by_key(|row| (row.group, row.at)) {
            sort_by_number(&mut rows, |row| row.at.0);
            sort_by_number(&mut rows, |row| row.group.into());
        }
        found.samples.reserve_exact(rows.len());
        found.profiles.reserve_exact(owners.len());
        for (rows, &(track, name)) in rows.chunk_by(|a, b| a.group == b.group).zip(&owners) {
            let Some(first) = rows.first() else { continue };
            let start = index32(found.samples.len());
            for row in rows {
                let frame = match row.frame {
                    InnermostFrame::Unknown => None,
                    InnermostFrame::Shared(id) => {
                        let frame = ids.get(&id).copied();
                        if frame.is_none() {
                            self.diagnostics.add(DiagnosticKind::UnknownFrame, row.bytes);
                        }
                        frame
                    }
                    InnermostFrame::StackCall(call) => Some(FrameId(index32(first_call + call as usize))),
                    InnermostFrame::Joined(frame) => Some(FrameId(shared.first + frame)),
                };
                let ThreadSampleRow { at, weight, args, .. } = *row;
                found.samples.push(Sample { args, ..Sample::new(at, frame, weight) });
            }
            let samples = found.samples.get(start as usize..).unwrap_or_default();
            let (weights, rank) =
                said.get(&(track, name)).copied().unwrap_or((Weights::Samples, ThreadProfileEvent::RANK));
            let has_slices = self.registry.track(track).n_slices > 0;
            let side = if has_slices { Side::After } else { Side::Before };
            let begin = samples.first().map_or(first.at, |first| samples_start(weights, side, first));
            let samples_end = samples_end(first.at, None, RESOLUTION, (weights, side), samples);
            // The last sample of a value that the axis does not show is as wide as its weight only on an axis of its own.
            let is_shown = !matches!(weights, Weights::Counted(_));
            let last =
                samples.last().map_or(samples_end, |last| if is_shown { samples_end } else { last.at });
            self.touch(track, begin, last);
            let profile = Profile {
                track: TrackId(track),
                name,
                start: begin,
                end: None,
                samples_end,
                resolution: RESOLUTION,
                rank,
                weights,
                of_thread_samples: true,
                frames: frames.clone(),
                samples: start..index32(found.samples.len()),
                sites: 0..0,
            };
            found.profiles.push((profile, first.bytes.start));
        }
    }

    /// Returns the thread and the name of each profile, and sets `group` in each row to the position of its profile.
    ///
    /// Groups without a process join those of the only thread with their id. A row whose thread is beyond the limit of
    /// tracks gets `u32::MAX`, the position of no profile.
    fn join_groups(&mut self, groups: &[ProfileGroup], rows: &mut [ThreadSampleRow]) -> Vec<(u32, NameId)> {
        // The track of the only thread with each wanted id: one pass over all tracks, instead of one for each id.
        let mut alone = HashMap::<Key, Option<u32>, RandomState>::default();
        let wanted = groups.iter().filter_map(|group| match group.thread {
            GroupThread::Thread(tid) => Some((tid, None)),
            GroupThread::Track(_) => None,
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
        let mut number_of = |group: &ProfileGroup| -> u32 {
            let track = match group.thread {
                GroupThread::Track(track) => Some(track),
                GroupThread::Thread(tid) => alone.get(&tid).copied().flatten().or_else(|| {
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
            if let Some(ProfileGroup { thread: GroupThread::Thread(tid), .. }) = group
                && !alone.contains_key(tid)
            {
                self.diagnostics.add(DiagnosticKind::MissingProcess, row.bytes);
            }
            row.group = numbers.get(row.group as usize).copied().unwrap_or(u32::MAX);
        }
        profiles
    }
}

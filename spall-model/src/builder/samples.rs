//! The events of sampling profiles. Every event names its profile or its table of call frames, and is kept here until the
//! profiles are put together at the end.

mod frames;
mod join;
mod profiles;

use alloc::{boxed::Box, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, CallSite, DiagnosticKind, Event, Frame, FrameEvent, FrameId, FrameParent, Id, Key, LineHits,
    NameId, ProfileEvent, ProfileId, ProfileKey, ProfilePart, ProfileStart, SampleEvent, SampleStack,
    SampleTime, Text, Tick, Value, Weights, args_table::ArgsId, index32, profile::SourcePosition,
};

use super::{TraceBuilder, reports::Spot};

pub(super) use frames::{FrameLog, NONE};
pub(super) use profiles::Profiles;

/// What events said of all profiles.
#[derive(Debug, Default)]
pub(super) struct ProfileLog {
    profiles: Vec<ProfileRow>,
    by_handle: HashMap<ProfileHandle, u32, RandomState>,
    /// The last profile with frames of its own that was looked up: a file has the events of one in a row.
    recent: Option<(ProfileHandle, u32)>,
    parts: Vec<PartRow>,
    /// The frames that threads share, their ids if they are of other traces, and the place of the first one.
    pub(super) shared: FrameLog,
    pub(super) shared_keys: Vec<(Key, u32)>,
    shared_spot: Option<Spot>,
    samples: Vec<SampleRow>,
    details: Vec<SampleDetail>,
    /// The places of samples whose frame has not come before, or whose process is not known.
    places: Vec<(u32, Spot)>,
    /// The shared frames of stacks that are given by names, by the places of their callers and their names.
    by_name: HashMap<(u32, NameId), u32, RandomState>,
}

/// The identity of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ProfileHandle {
    /// The samples of a track and a value.
    OfTrack {
        track: u32,
        value: NameId,
    },
    /// Those of the only thread with this id in any process.
    OfAnyProcess {
        tid: Key,
        value: NameId,
    },
    /// A profile with frames of its own.
    Id {
        process: u32,
        id: Key,
    },
    Thread {
        process: u32,
        tid: Key,
    },
    Number(u64),
}

/// A profile, and what events said of it.
#[derive(Debug)]
pub(super) struct ProfileRow {
    handle: ProfileHandle,
    /// The numbers of its first and its last part, or [`NONE`].
    parts: [u32; 2],
    pub(super) rank: Option<u8>,
    pub(super) weights: Option<Weights>,
    /// What only profiles with frames of their own have.
    pub(super) own: Option<Box<OwnProfile>>,
}

/// What only a profile with frames of its own has.
#[derive(Debug, Default)]
pub(super) struct OwnProfile {
    /// The track, the clock, and the place of the head.
    pub(super) head: Option<(u32, ProfileStart, Spot)>,
    /// The time of the latest part that says the end, and the end.
    pub(super) end: Option<(Tick, Tick)>,
    /// The time until which the last sample holds, if the trace that had the profile says it.
    pub(super) samples_end: Option<Tick>,
    pub(super) frames: FrameLog,
}

/// A part of a profile, with the place of its first event. A profile of a thread has one.
#[derive(Debug, Clone, Copy)]
struct PartRow {
    profile: u32,
    at: Tick,
    spot: Spot,
}

/// A sample in 24 bytes, because files hold millions of samples.
#[derive(Debug, Clone, Copy)]
struct SampleRow {
    /// The time. If `is_delta`, it is the duration since the sample before.
    at: i64,
    part: u32,
    /// The place of its frame in the table of the profile, or [`NONE`].
    frame: u32,
    /// The position of its details, or [`NONE`].
    detail: u32,
    is_delta: bool,
}

// A sample may take four bytes of a file, and memory is bounded by the size of the input.
const _: () = assert!(size_of::<SampleRow>() <= 24);

/// The parts of a sample that most samples do not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampleDetail {
    pub(super) weight: f64,
    pub(super) position: SourcePosition,
    pub(super) args: ArgsId,
}

impl SampleDetail {
    /// The details of a sample without any.
    const NONE: Self = Self { weight: 1.0, position: SourcePosition::NONE, args: ArgsId::NONE };
}

impl TraceBuilder {
    /// Keeps an event of sampling profiles.
    pub(super) fn of_profile(&mut self, event: &Event<'_>, bytes: ByteRange) {
        let part = event.part().map(|part| self.own_part(part, matches!(event, Event::Profile(_)), bytes));
        match event {
            Event::Profile(event) => self.profile(event, part, bytes),
            Event::Frame(event) => self.frame(event, part, bytes),
            Event::FrameChild(_, caller, callee) => {
                let [caller, callee] = [*caller, *callee].map(|id| self.place(part, id));
                self.profiles.table(part).add_callee(caller, callee);
            }
            Event::LineHits(event) => {
                let frame = FrameId(self.place(part, event.frame));
                let hits = LineHits { frame, line: event.line, hits: event.hits };
                self.profiles.table(part).lines.push((hits, part.unwrap_or(NONE)));
            }
            Event::CallSite(_, number, frame) => {
                let site = CallSite { number: *number, frame: FrameId(self.place(part, *frame)) };
                self.profiles.table(part).sites.push((site, part.unwrap_or(NONE)));
            }
            Event::Sample(event) => self.sample(event, part, bytes),
            _ => {}
        }
    }

    /// Keeps what an event says of a profile.
    fn profile(&mut self, event: &ProfileEvent<'_>, part: Option<u32>, bytes: ByteRange) {
        let Some(profile) = self.profile_of(event.profile, false, part, bytes) else { return };
        if let ProfileId::Own(part) = event.profile {
            let track =
                event.begins.and_then(|clock| Some((self.thread(part.thread, part.at, bytes)?, clock)));
            let own = self.profiles.row(profile).own.get_or_insert_default();
            if let Some(end) = event.end
                && own.end.is_none_or(|(at, _)| at <= part.at)
            {
                own.end = Some((part.at, end));
            }
            if event.begins.is_some() && own.head.is_some() {
                return self.diagnostics.add(DiagnosticKind::DuplicateProfile, bytes);
            }
            own.head = own.head.or(track.map(|(track, clock)| (track, clock, self.diagnostics.spot(bytes))));
        }
        let row = self.profiles.row(profile);
        (row.weights, row.rank) = (event.weights.or(row.weights), event.rank.or(row.rank));
    }

    /// Adds a call frame to its table.
    fn frame(&mut self, event: &FrameEvent<'_>, part: Option<u32>, bytes: ByteRange) {
        let place = self.place(part, event.id);
        let parent = match event.parent {
            FrameParent::Unknown => None,
            FrameParent::Id(caller) => Some(self.place(part, caller)),
            FrameParent::Depth(depth) => self.profiles.table(part).caller_of(place, depth),
        };
        let (name, url) = (self.intern(event.name), self.intern(event.url));
        let &FrameEvent { source, line, column, .. } = event;
        let frame = Frame { name, url, source, line, column, parent: parent.map(FrameId) };
        if part.is_none() {
            let spot = self.diagnostics.spot(bytes);
            self.profiles.shared_spot.get_or_insert(spot).bytes.end = bytes.end;
        }
        if !self.profiles.table(part).add(place, frame, part.unwrap_or(NONE)) {
            self.diagnostics.add(DiagnosticKind::DuplicateFrame, bytes);
        }
    }

    /// Adds a sample.
    fn sample(&mut self, event: &SampleEvent<'_>, part: Option<u32>, bytes: ByteRange) {
        let Some(profile) = self.profile_of(event.profile, event.any_process, part, bytes) else { return };
        let frame = match event.stack {
            SampleStack::Frame(id) => self.place(part, id),
            SampleStack::Names => match event.args.field(b"stack") {
                Some(Value::List(names)) => self.written_stack(names.iter().map(|(_, name)| name), bytes),
                _ => NONE,
            },
            SampleStack::Unknown => NONE,
        };
        let args = self.keep_args(event.args, bytes);
        let position = SourcePosition::new(event.line, event.column);
        let log = &mut self.profiles;
        if event.any_process || part.is_none() && frame != NONE && log.shared.at(frame).is_none() {
            log.places.push((index32(log.samples.len()), self.diagnostics.spot(bytes)));
        }
        let part = part.unwrap_or_else(|| log.part(profile, Tick(0), self.diagnostics.spot(bytes)));
        log.add_sample(part, event.at, frame, SampleDetail { weight: event.weight, position, args });
    }

    /// Returns the number of a profile, of which a part is known if it has frames of its own; `None` if there are too many
    /// tracks.
    fn profile_of(
        &mut self,
        id: ProfileId<'_>,
        any_process: bool,
        part: Option<u32>,
        bytes: ByteRange,
    ) -> Option<u32> {
        let ProfileId::OfThread(thread, value) = id else {
            return self.profiles.parts.get(part? as usize).map(|part| part.profile);
        };
        let handle = if any_process {
            ProfileHandle::OfAnyProcess { tid: self.key(thread.tid), value: self.intern(value) }
        } else {
            ProfileHandle::OfTrack {
                track: self.thread(thread, self.diagnostics.now, bytes)?,
                value: self.intern(value),
            }
        };
        Some(self.profiles.profile(handle))
    }

    /// Returns the number of a part of a profile with frames of its own. One that is announced is a new one.
    fn own_part(&mut self, part: ProfilePart<'_>, is_new: bool, bytes: ByteRange) -> u32 {
        let process = self.process(part.thread.pid);
        let handle = match part.key {
            ProfileKey::Id(id) => ProfileHandle::Id { process, id: self.key(id) },
            ProfileKey::Thread => ProfileHandle::Thread { process, tid: self.key(part.thread.tid) },
            ProfileKey::Number(number) => ProfileHandle::Number(number),
        };
        let log = &mut self.profiles;
        let profile = match log.recent {
            Some((recent, profile)) if recent == handle => profile,
            _ => log.profile(handle),
        };
        log.recent = Some((handle, profile));
        let spot = self.diagnostics.spot(bytes);
        if is_new { log.begin_part(profile, part.at, spot) } else { log.part(profile, part.at, spot) }
    }

    /// Returns the place of a frame in the table of a part.
    fn place(&mut self, part: Option<u32>, id: Id<'_>) -> u32 {
        let id = self.key(id);
        self.profiles.table(part).place(id)
    }

    /// Returns the innermost function of a stack that is given by names, the outermost first.
    fn written_stack<'e>(&mut self, names: impl Iterator<Item = Value<'e>>, bytes: ByteRange) -> u32 {
        let mut innermost = NONE;
        for name in names {
            let name = match name {
                Value::Text(Text::EMPTY) => self.names.intern_bytes(b"(anonymous)"),
                Value::Text(name) => self.intern(name),
                _ => {
                    self.diagnostics.add(DiagnosticKind::BadStack, bytes);
                    continue;
                }
            };
            let ProfileLog { by_name, shared, .. } = &mut self.profiles;
            let parent = (innermost != NONE).then_some(FrameId(innermost));
            innermost = *by_name.entry((innermost, name)).or_insert_with(|| {
                let (url, source, line, column) = (NameId::EMPTY, 0, None, None);
                shared.add_unnamed(Frame { name, url, source, line, column, parent })
            });
        }
        innermost
    }
}

#[allow(clippy::indexing_slicing, reason = "numbers of profiles and parts of the log")]
impl ProfileLog {
    /// Returns the number of a profile, which is added if it is new.
    pub(super) fn profile(&mut self, handle: ProfileHandle) -> u32 {
        let new = index32(self.profiles.len());
        let profile = *self.by_handle.entry(handle).or_insert(new);
        if profile == new {
            let (rank, weights) = (None, None);
            self.profiles.push(ProfileRow { handle, parts: [NONE; 2], rank, weights, own: None });
        }
        profile
    }

    /// Returns the number of profiles that were named.
    pub(super) fn n_profiles(&self) -> u64 {
        self.profiles.len() as u64
    }

    /// Returns a profile.
    pub(super) fn row(&mut self, profile: u32) -> &mut ProfileRow {
        &mut self.profiles[profile as usize]
    }

    /// Returns the table of a part; without a part, the one that threads share.
    fn table(&mut self, part: Option<u32>) -> &mut FrameLog {
        let Some(part) = part else { return &mut self.shared };
        let profile = self.parts[part as usize].profile;
        &mut self.row(profile).own.get_or_insert_default().frames
    }

    /// Returns the part of a profile that has this time: the last one, or else a new one.
    pub(super) fn part(&mut self, profile: u32, at: Tick, spot: Spot) -> u32 {
        let [_, last] = self.row(profile).parts;
        match self.parts.get(last as usize) {
            Some(part) if part.at == at => last,
            _ => self.begin_part(profile, at, spot),
        }
    }

    /// Begins a part of a profile, and returns its number.
    fn begin_part(&mut self, profile: u32, at: Tick, spot: Spot) -> u32 {
        let part = index32(self.parts.len());
        self.parts.push(PartRow { profile, at, spot });
        let [first, last] = &mut self.row(profile).parts;
        (*first, *last) = (part.min(*first), part);
        part
    }

    /// Adds a sample, with the place of its frame or [`NONE`].
    pub(super) fn add_sample(&mut self, part: u32, at: SampleTime, frame: u32, detail: SampleDetail) {
        let (at, is_delta) = match at {
            SampleTime::After(length) => (length.0, true),
            SampleTime::At(at) => (at.0, false),
        };
        let mut row = SampleRow { at, part, frame, detail: NONE, is_delta };
        if detail != SampleDetail::NONE {
            row.detail = index32(self.details.len());
            self.details.push(detail);
        }
        self.samples.push(row);
    }
}

#[cfg(test)]
mod tests;

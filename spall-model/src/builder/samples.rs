//! The events of sampling profiles. A file may spread a profile over many parts, which are kept here and joined at
//! the end.

mod join;

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Frame, FrameEvent, FrameId, FrameParent, Id, Key, LineHitsEvent, NameId,
    ProfileEvent, ProfileKey, ProfileStart, SampleEvent, SampleTime, Tick, Ticks, index32,
    profile::SourcePosition,
};

use super::TraceBuilder;

pub(super) use join::{Profiles, SharedFrameIds};

/// The parts of all profiles, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct ProfileLog {
    /// The head of each profile; `None` while only parts without a head have come.
    heads: Vec<Option<ProfileHead>>,
    by_key: HashMap<ProfileHandle, u32, RandomState>,
    parts: Vec<ProfilePart>,
    frames: Vec<FrameRow>,
    /// The frames that a caller lists as its callees.
    children: Vec<Key>,
    /// The caller of each run of `children`, and the position at which the run begins.
    child_callers: Vec<(u32, Key)>,
    lines: Vec<LineRow>,
    samples: Vec<SampleRow>,
    /// The positions of the few samples that have details, and the details.
    details: Vec<(u32, SampleDetail)>,
    /// The numbers of call sites, and the ids of their frames.
    sites: Vec<(u64, Key)>,
    /// The last frame of each depth, for a part that gives depths instead of callers.
    callers: Vec<Key>,
    /// Whether the last part belongs to a profile, so that frames and samples may follow.
    pub(super) is_open: bool,
    /// The number of the profile that stands for the frames that threads share.
    shared: Option<u32>,
    /// The profiles of other traces, their frames that threads share, and the ids of these.
    pub(super) joined: Profiles,
    pub(super) joined_shared: Vec<Frame>,
    pub(super) joined_keys: Vec<(Key, FrameId)>,
}

/// The identity of a profile that may have several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ProfileHandle {
    Id { process: u32, id: Key },
    Thread { process: u32, tid: Key },
}

/// The head of a profile, which says its thread and its clock.
#[derive(Debug, Clone, Copy)]
struct ProfileHead {
    track: u32,
    start: Tick,
    offset: Ticks,
    rank: u8,
    resolution: Ticks,
    bytes: ByteRange,
}

/// A part of a profile.
#[derive(Debug, Clone, Copy)]
struct ProfilePart {
    profile: u32,
    at: Tick,
    end: Option<Tick>,
    bytes: ByteRange,
    /// The lengths of the tables before the rows of the part. The rows end where those of the next part begin.
    from: LogLengths,
}

/// The lengths of the tables of a [`ProfileLog`].
#[derive(Debug, Clone, Copy)]
struct LogLengths {
    frames: u32,
    children: u32,
    lines: u32,
    samples: u32,
    sites: u32,
}

/// A call frame with its id in the file and that of its caller.
#[derive(Debug, Clone, Copy)]
struct FrameRow {
    id: Key,
    caller: Option<Key>,
    frame: Frame,
}

/// The number of samples at a line of a frame.
#[derive(Debug, Clone, Copy)]
struct LineRow {
    frame: Key,
    line: u32,
    hits: u32,
}

/// A sample in 24 bytes, because files hold millions of samples.
#[derive(Debug, Clone, Copy)]
struct SampleRow {
    /// The id of the frame. If `is_named`, it is the number of a name.
    frame: i64,
    /// The time. If `is_delta`, it is the duration since the sample before.
    at: i64,
    is_named: bool,
    is_delta: bool,
}

impl SampleRow {
    /// Returns the id of the frame.
    fn frame(&self) -> Key {
        match u32::try_from(self.frame) {
            Ok(name) if self.is_named => Key::Text(NameId(name)),
            _ => Key::Number(self.frame),
        }
    }
}

/// The parts of a sample that most samples do not have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SampleDetail {
    weight: f64,
    place: SourcePosition,
}

impl SampleDetail {
    /// The details of a sample without any.
    const NONE: Self = Self { weight: 1.0, place: SourcePosition::NONE };
}

// A sample may take four bytes of a file, and memory is bounded by the size of the input.
const _: () = assert!(size_of::<SampleRow>() <= 24);

impl TraceBuilder {
    /// Begins a part of a profile.
    pub(super) fn profile(&mut self, event: &ProfileEvent<'_>, bytes: ByteRange) {
        let process = self.process(event.thread.pid);
        let handle = match event.key {
            ProfileKey::Id(id) => Some(ProfileHandle::Id { process, id: self.key(id) }),
            ProfileKey::Thread => Some(ProfileHandle::Thread { process, tid: self.key(event.thread.tid) }),
            ProfileKey::Whole => None,
        };
        let log = &mut self.profiles;
        let new = index32(log.heads.len());
        let profile = handle.map_or(new, |handle| *log.by_key.entry(handle).or_insert(new));
        if profile == new {
            log.heads.push(None);
        }
        log.begin_part(profile, event.at, event.end, bytes);
        log.is_open = true;
        let Some(start) = event.begins else { return };
        let Some(track) = self.thread(event.thread, bytes) else { return };
        let ProfileStart { start, offset, rank, resolution } = start;
        let head = ProfileHead { track, start, offset, rank, resolution, bytes };
        match self.profiles.heads.get_mut(profile as usize) {
            Some(slot @ None) => *slot = Some(head),
            _ => self.diagnostics.add(DiagnosticKind::DuplicateProfile, bytes),
        }
    }

    /// Adds a frame that threads share. No profile is current afterwards.
    pub(super) fn shared_frame(&mut self, event: &FrameEvent<'_>, bytes: ByteRange) {
        let log = &mut self.profiles;
        let new = index32(log.heads.len());
        let shared = *log.shared.get_or_insert(new);
        if shared == new {
            log.heads.push(None);
        }
        log.is_open = false;
        // Successive shared frames are one part.
        match log.parts.last_mut().filter(|part| part.profile == shared) {
            Some(part) => part.bytes.end = bytes.end,
            None => log.begin_part(shared, Tick(0), None, bytes),
        }
        self.frame(event);
    }

    /// Adds a frame to the last part.
    pub(super) fn frame(&mut self, event: &FrameEvent<'_>) {
        let id = self.key(event.id);
        let frame = Frame {
            name: self.intern(event.name),
            url: self.intern(event.url),
            source: event.source,
            line: event.line,
            column: event.column,
            parent: None,
        };
        let caller = match event.parent {
            FrameParent::Unknown => None,
            FrameParent::Id(id) => Some(self.key(id)),
            FrameParent::Depth(depth) => {
                let callers = &mut self.profiles.callers;
                // A depth that skips levels has the last frame above as its caller: a list of callers has no holes.
                callers.truncate(depth as usize);
                let caller = callers.last().copied();
                callers.push(id);
                caller
            }
        };
        self.profiles.frames.push(FrameRow { id, caller, frame });
    }

    /// Adds to the last part that a frame calls another one.
    pub(super) fn frame_child(&mut self, caller: Id<'_>, child: Id<'_>) {
        let (caller, child) = (self.key(caller), self.key(child));
        let log = &mut self.profiles;
        // A part begins a run of its own even with the same caller, as each part is joined by itself.
        let first = index32(log.children.len());
        let part = log.parts.last().map_or(0, |part| part.from.children);
        if log.child_callers.last().is_none_or(|&(from, last)| from < part || last != caller) {
            log.child_callers.push((first, caller));
        }
        log.children.push(child);
    }

    /// Adds hits of a line to the last part.
    pub(super) fn line_hits(&mut self, event: &LineHitsEvent<'_>) {
        let frame = self.key(event.frame);
        self.profiles.lines.push(LineRow { frame, line: event.line, hits: event.hits });
    }

    /// Adds a sample to the last part.
    pub(super) fn sample(&mut self, event: &SampleEvent<'_>) {
        let (frame, is_named) = match self.key(event.frame) {
            Key::Number(number) => (number, false),
            Key::Text(name) => (i64::from(name.0), true),
        };
        let (at, is_delta) = match event.at {
            SampleTime::After(length) => (length.0, true),
            SampleTime::At(at) => (at.0, false),
        };
        let log = &mut self.profiles;
        let detail =
            SampleDetail { weight: event.weight, place: SourcePosition::new(event.line, event.column) };
        if detail != SampleDetail::NONE {
            log.details.push((index32(log.samples.len()), detail));
        }
        log.samples.push(SampleRow { frame, at, is_named, is_delta });
    }

    /// Adds a call site to the last part.
    pub(super) fn call_site(&mut self, number: u64, frame: Id<'_>) {
        let frame = self.key(frame);
        self.profiles.sites.push((number, frame));
    }
}

impl ProfileLog {
    /// Begins a part, to which the rows that follow belong.
    fn begin_part(&mut self, profile: u32, at: Tick, end: Option<Tick>, bytes: ByteRange) {
        self.callers.clear();
        self.parts.push(ProfilePart { profile, at, end, bytes, from: self.lengths() });
    }

    /// Returns the lengths of all tables.
    fn lengths(&self) -> LogLengths {
        LogLengths {
            frames: index32(self.frames.len()),
            children: index32(self.children.len()),
            lines: index32(self.lines.len()),
            samples: index32(self.samples.len()),
            sites: index32(self.sites.len()),
        }
    }
}

#[cfg(test)]
mod tests;

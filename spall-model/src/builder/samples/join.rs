//! The joining of the parts of each sampling profile, once all events were read.

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, hash_map::Entry};

use crate::{
    ByteRange, CallSite, DiagnosticKind, Diagnostics, Frame, FrameId, Key, LineHits, NameId, Profile, Sample,
    ThreadProfileEvent, Tick, Ticks, TrackId, Weights,
    builder::{TraceBuilder, cycles::cut_cycles},
    index32,
    profile::{Side, distance_if_end_is_of_another_clock, samples_end},
    sort::sort_by_number,
};

use super::{LineRow, LogLengths, ProfileHead, ProfileLog, ProfilePart, SampleDetail};

/// All profiles of a trace. After [`Profiles::arrange`] those of a track are neighbours, the one with the lowest rank
/// first.
#[derive(Debug, Default)]
pub(in crate::builder) struct Profiles {
    /// The profiles, each with the position of its head in the file.
    pub(in crate::builder) profiles: Vec<(Profile, u64)>,
    pub(in crate::builder) frames: Vec<Frame>,
    pub(in crate::builder) shared_frames: Vec<(Key, FrameId)>,
    pub(in crate::builder) samples: Vec<Sample>,
    pub(in crate::builder) sites: Vec<CallSite>,
    pub(in crate::builder) lines: Vec<LineHits>,
}

impl Profiles {
    /// Replaces builder numbers of tracks by those of the trace, and sorts the profiles by track.
    pub(in crate::builder) fn arrange(&mut self, track_ids: &[u32], diagnostics: &mut Diagnostics) {
        for (profile, _) in &mut self.profiles {
            profile.track = TrackId(track_ids.get(profile.track.index()).copied().unwrap_or(u32::MAX));
        }
        sort_by_number(&mut self.profiles, |(profile, _)| profile.rank.into());
        sort_by_number(&mut self.profiles, |(profile, _)| profile.track.0.into());
        for of_track in self.profiles.chunk_by(|(a, _), (b, _)| a.track == b.track) {
            let Some(((first, _), others)) = of_track.split_first() else { continue };
            // Several values of a sample are several profiles, of which the file says which one counts.
            let is_said = first.of_thread_samples && first.rank < ThreadProfileEvent::RANK;
            for (_, at) in others.iter().filter(|(other, _)| !is_said || !other.of_thread_samples) {
                diagnostics.add(DiagnosticKind::SecondProfile, ByteRange::new(*at, *at));
            }
        }
    }
}

impl TraceBuilder {
    /// Joins the parts of each profile. The profiles have builder numbers of tracks until [`Profiles::arrange`].
    pub(in crate::builder) fn finish_profiles(&mut self) -> (Profiles, SharedFrameIds) {
        let mut log = core::mem::take(&mut self.profiles);
        let joined = core::mem::take(&mut log.joined);
        let ends = log.parts.iter().skip(1).map(|part| part.from).chain([log.lengths()]);
        let mut parts: Vec<_> =
            log.parts.iter().zip(ends).map(|(&part, to)| PartRows { part, rows: part.from..to }).collect();
        sort_by_number(&mut parts, |rows| rows.part.at.0);
        sort_by_number(&mut parts, |rows| rows.part.profile.into());
        let mut joining = ProfileJoiner { log: &log, found: joined, ids: HashMap::default() };
        let mut shared: &[_] = &[];
        for parts in parts.chunk_by(|a, b| a.part.profile == b.part.profile) {
            let Some(&PartRows { part: first, .. }) = parts.first() else { continue };
            if Some(first.profile) == log.shared {
                shared = parts;
                continue;
            }
            let Some(head) = log.heads.get(first.profile as usize).copied().flatten() else {
                for rows in parts {
                    self.diagnostics.add(DiagnosticKind::ProfileWithoutHead, rows.part.bytes);
                }
                continue;
            };
            let (from, to) = joining.join(head, parts, &mut self.diagnostics);
            self.touch(head.track, from, to);
        }
        // The later sorts by rank and track are stable: of equal ranks the profile that begins first counts.
        sort_by_number(&mut joining.found.profiles, |(profile, _)| profile.start.0);
        let shared = joining.join_shared(shared, &mut self.diagnostics);
        (joining.found, shared)
    }
}

/// A part and the rows of it in all tables of the log: the lengths of the tables before and after the part.
#[derive(Debug, Clone)]
struct PartRows {
    part: ProfilePart,
    rows: Range<LogLengths>,
}

impl PartRows {
    /// Returns the rows in the table whose length `length_of` returns.
    fn of(&self, length_of: impl Fn(&LogLengths) -> u32) -> Range<usize> {
        length_of(&self.rows.start) as usize..length_of(&self.rows.end) as usize
    }
}

/// The joining of the parts of all profiles, one profile after the other.
struct ProfileJoiner<'l> {
    log: &'l ProfileLog,
    /// The profiles that are done.
    found: Profiles,
    /// The frames of the current profile.
    ids: FrameIds,
}

/// A table of the frames of one profile by their ids in the file.
type FrameIds = HashMap<Key, FrameId, RandomState>;

/// A table of the frames that threads share by their ids in the file.
#[derive(Debug)]
pub(in crate::builder) struct SharedFrameIds {
    /// The position of the first of them among all frames. They are the last ones.
    pub(in crate::builder) first: u32,
    pub(in crate::builder) ids: HashMap<Key, FrameId, RandomState>,
}

#[allow(clippy::indexing_slicing, reason = "positions are of the log's own tables")]
impl ProfileJoiner<'_> {
    /// Joins the parts of one profile, and returns the earliest and the latest time that the profile and its samples
    /// cover.
    fn join(&mut self, head: ProfileHead, parts: &[PartRows], diagnostics: &mut Diagnostics) -> (Tick, Tick) {
        let found = &self.found;
        let first = [found.frames.len(), found.samples.len(), found.sites.len()].map(index32);
        self.add_frames(parts, diagnostics);
        self.break_cycles(first[0] as usize, parts, diagnostics);
        self.add_sites(parts, first[2] as usize, diagnostics);
        self.add_lines(parts, diagnostics);
        self.add_samples(head, parts, diagnostics);
        let found = &mut self.found;
        let samples = &mut found.samples[first[1] as usize..];
        sort_by_number(samples, |sample| sample.at.0);
        let start = head.start + head.offset;
        let end = parts.iter().filter_map(|part| part.part.end).next_back();
        let end = end.map(|end| end + head.offset);
        let distance = distance_if_end_is_of_another_clock(start, end, samples);
        let end = end.filter(|_| distance.is_none());
        let samples_end = match distance.zip(samples.last()) {
            Some((distance, last)) => {
                diagnostics.add(DiagnosticKind::BadProfileEnd, head.bytes);
                last.at + distance
            }
            None => samples_end(start, end, head.resolution, (Weights::Samples, Side::After), samples),
        };
        let from = samples.first().map_or(start, |first| start.min(first.at));
        let to = start.max(samples_end).max(end.unwrap_or(start));
        let profile = Profile {
            track: TrackId(head.track),
            name: NameId::EMPTY,
            start,
            end,
            samples_end,
            resolution: head.resolution,
            rank: head.rank,
            weights: Weights::Samples,
            of_thread_samples: false,
            frames: first[0]..index32(found.frames.len()),
            samples: first[1]..index32(found.samples.len()),
            sites: first[2]..index32(found.sites.len()),
        };
        found.profiles.push((profile, head.bytes.start));
        (from, to)
    }

    /// Joins the frames that threads share.
    fn join_shared(&mut self, parts: &[PartRows], diagnostics: &mut Diagnostics) -> SharedFrameIds {
        let joined = self.found.frames.len();
        let moved = |frame: FrameId| FrameId::new(joined + frame.index());
        let frames = self.log.joined_shared.iter();
        self.found.frames.extend(frames.map(|frame| Frame { parent: frame.parent.map(moved), ..*frame }));
        let keys = self.log.joined_keys.iter();
        self.found.shared_frames.extend(keys.map(|&(key, frame)| (key, moved(frame))));
        let first = self.found.frames.len();
        self.add_frames(parts, diagnostics);
        self.break_cycles(first, parts, diagnostics);
        SharedFrameIds { first: index32(joined), ids: core::mem::take(&mut self.ids) }
    }

    /// Adds the frames of a profile, and then the links to their callers. Links come last, because a frame may name a
    /// caller that comes later.
    fn add_frames(&mut self, parts: &[PartRows], diagnostics: &mut Diagnostics) {
        self.ids.clear();
        self.found.frames.reserve_exact(parts.iter().map(|rows| rows.of(|log| log.frames).len()).sum());
        for part in parts {
            for row in &self.log.frames[part.of(|log| log.frames)] {
                match self.ids.entry(row.id) {
                    Entry::Vacant(entry) => {
                        entry.insert(FrameId(index32(self.found.frames.len())));
                        self.found.frames.push(row.frame);
                    }
                    Entry::Occupied(_) => diagnostics.add(DiagnosticKind::DuplicateFrame, part.part.bytes),
                }
            }
        }
        // A caller that the frame itself names takes precedence over a caller that lists the frame.
        for part in parts {
            for row in &self.log.frames[part.of(|log| log.frames)] {
                let Some(caller) = row.caller else { continue };
                match (self.ids.get(&row.id), self.ids.get(&caller)) {
                    (Some(id), Some(&caller)) => {
                        self.found.frames[id.index()].parent.get_or_insert(caller);
                    }
                    _ => diagnostics.add(DiagnosticKind::LostFrame, part.part.bytes),
                }
            }
        }
        for part in parts {
            let callers = &self.log.child_callers;
            let mut caller =
                callers.partition_point(|&(from, _)| (from as usize) < part.of(|log| log.children).start);
            for at in part.of(|log| log.children) {
                while callers.get(caller + 1).is_some_and(|&(from, _)| from as usize <= at) {
                    caller += 1;
                }
                match (self.ids.get(&callers[caller].1), self.ids.get(&self.log.children[at])) {
                    (Some(&caller), Some(child)) => {
                        self.found.frames[child.index()].parent.get_or_insert(caller);
                    }
                    _ => diagnostics.add(DiagnosticKind::LostFrame, part.part.bytes),
                }
            }
        }
    }

    /// Makes a root of every frame that is its own caller over any number of steps.
    fn break_cycles(&mut self, first: usize, parts: &[PartRows], diagnostics: &mut Diagnostics) {
        let caller = |frame: &Frame| frame.parent.map(|parent| parent.index() - first);
        cut_cycles(&mut self.found.frames[first..], caller, |frame, _| {
            frame.parent = None;
            diagnostics.add(DiagnosticKind::LostFrame, parts[0].part.bytes);
        });
    }

    /// Adds the call sites of a profile, ordered by their numbers.
    fn add_sites(&mut self, parts: &[PartRows], first: usize, diagnostics: &mut Diagnostics) {
        for part in parts {
            for &(number, frame) in &self.log.sites[part.of(|log| log.sites)] {
                match self.ids.get(&frame) {
                    Some(&frame) => self.found.sites.push(CallSite { number, frame }),
                    None => diagnostics.add(DiagnosticKind::UnknownFrame, part.part.bytes),
                }
            }
        }
        self.found.sites[first..].sort_by_key(|site| site.number);
    }

    /// Adds the hits of lines, sorted by frame. Frames are numbered profile by profile, so that the hits of all
    /// profiles are sorted too.
    fn add_lines(&mut self, parts: &[PartRows], diagnostics: &mut Diagnostics) {
        let first = self.found.lines.len();
        self.found.lines.reserve_exact(parts.iter().map(|rows| rows.of(|log| log.lines).len()).sum());
        for part in parts {
            for &LineRow { frame, line, hits } in &self.log.lines[part.of(|log| log.lines)] {
                match self.ids.get(&frame) {
                    Some(&frame) => self.found.lines.push(LineHits { frame, line, hits }),
                    None => diagnostics.add(DiagnosticKind::UnknownFrame, part.part.bytes),
                }
            }
        }
        self.found.lines[first..].sort_unstable_by_key(|hits| (hits.frame, hits.line, hits.hits));
    }

    /// Adds the samples of a profile, in the order of the file.
    fn add_samples(&mut self, head: ProfileHead, parts: &[PartRows], diagnostics: &mut Diagnostics) {
        // Negative durations count too: they mean that samples are out of order, and not that a time is wrong.
        let mut now = head.start;
        self.found.samples.reserve_exact(parts.iter().map(|rows| rows.of(|log| log.samples).len()).sum());
        for part in parts {
            let details = &self.log.details;
            let first =
                details.partition_point(|&(sample, _)| (sample as usize) < part.of(|log| log.samples).start);
            let mut details = details[first..].iter().peekable();
            for (row, number) in
                self.log.samples[part.of(|log| log.samples)].iter().zip(part.of(|log| log.samples).start..)
            {
                let at = if row.is_delta { now.0.checked_add(row.at) } else { Some(row.at) };
                if at.and_then(|at| at.checked_add(head.offset.0)).is_none() {
                    diagnostics.add(DiagnosticKind::TimeOutOfRange, part.part.bytes);
                }
                now = if row.is_delta { now + Ticks(row.at) } else { Tick(row.at) };
                let detail = details.next_if(|&&(sample, _)| sample as usize == number);
                let frame = self.ids.get(&row.frame()).copied();
                if frame.is_none() {
                    diagnostics.add(DiagnosticKind::UnknownFrame, part.part.bytes);
                }
                let SampleDetail { weight, place } = detail.map_or(SampleDetail::NONE, |&(_, detail)| detail);
                let sample = Sample::new(now + head.offset, frame, weight);
                self.found.samples.push(Sample { position: place, ..sample });
            }
        }
    }
}

//! Tables of call frames while events fill them.

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    CallSite, DiagnosticKind, Frame, FrameId, Key, LineHits,
    builder::{
        cycles::cut_cycles,
        reports::{Reports, Spot},
    },
    frame_ids::FrameIds,
    index32,
    log::Log,
};

use super::profiles::Profiles;

/// The frames of a table and what refers to them. A frame that is referred to has a place in the table, whether it has come
/// or not.
#[derive(Debug, Default)]
pub(in crate::builder) struct FrameLog {
    /// The frames in the order of the file. Their parents are places. A vector that doubles would hold all of them twice.
    frames: Log<Frame>,
    /// The position of the frame of each place, or [`NONE`].
    places: Vec<u32>,
    /// The number of the part that frames are in, from a position on.
    parts: Vec<(u32, u32)>,
    /// The places by ids that are small numbers, or [`NONE`], and by all other ids.
    by_number: Vec<u32>,
    by_id: HashMap<Key, u32, RandomState>,
    /// The places of frames that a caller lists as its callees, and of the caller of each run of them, with the position at
    /// which the run begins.
    callees: Vec<u32>,
    callers: Vec<(u32, u32)>,
    /// The place of the last frame of each depth, for a file that gives depths instead of callers.
    path: Vec<u32>,
    /// Their frames are places. Each has the number of the part that it is in.
    pub(in crate::builder) lines: Vec<(LineHits, u32)>,
    pub(in crate::builder) sites: Vec<(CallSite, u32)>,
}

/// Stands for no place, no frame, and no other number of a log.
pub(in crate::builder) const NONE: u32 = u32::MAX;

#[allow(clippy::indexing_slicing, reason = "places and positions of the table")]
impl FrameLog {
    /// Returns the place of the frame with an id.
    pub(in crate::builder) fn place(&mut self, id: Key) -> u32 {
        let new = self.n_places();
        // Readers count the frames of a file, so that most ids need no hash. A table has a few of these places for each of the
        // frames, whatever the numbers are.
        let small = match id {
            Key::Number(number) => usize::try_from(number).ok().filter(|&at| at < 4 * self.places.len() + 64),
            Key::Text(_) => None,
        };
        if let Some(known) = small.and_then(|at| self.by_number.get(at).copied()).filter(|&at| at != NONE) {
            return known;
        }
        let place = match small {
            // An id may be large for a table of few frames, and small later.
            Some(at) if !self.by_id.contains_key(&id) => {
                let len = self.by_number.len().max(at + 1);
                self.by_number.resize(len, NONE);
                self.by_number[at] = new;
                new
            }
            _ => *self.by_id.entry(id).or_insert(new),
        };
        if place == new {
            self.places.push(NONE);
        }
        place
    }

    /// Returns the place of the caller of a frame that has a depth, and keeps that of the frame.
    pub(in crate::builder) fn caller_of(&mut self, place: u32, depth: u32) -> Option<u32> {
        // A depth that skips levels has the last frame above as its caller: a list of callers has no holes.
        self.path.truncate(depth as usize);
        let caller = self.path.last().copied();
        self.path.push(place);
        caller
    }

    /// Adds a frame of a part, whose parent is a place. Returns whether it is the first one of its place.
    pub(in crate::builder) fn add(&mut self, place: u32, frame: Frame, part: u32) -> bool {
        if self.parts.last().is_none_or(|&(_, last)| last != part) {
            self.parts.push((index32(self.frames.len()), part));
        }
        let slot = &mut self.places[place as usize];
        if let Some(known) = self.frames.get_mut(*slot as usize) {
            known.parent = known.parent.or(frame.parent);
            return false;
        }
        *slot = index32(self.frames.len());
        self.frames.push(frame);
        true
    }

    /// Adds a frame that has no id in the file, whose parent is a place. Returns its place.
    pub(in crate::builder) fn add_unnamed(&mut self, frame: Frame) -> u32 {
        let place = self.n_places();
        self.places.push(index32(self.frames.len()));
        self.frames.push(frame);
        place
    }

    /// Returns the number of places.
    pub(in crate::builder) fn n_places(&self) -> u32 {
        index32(self.places.len())
    }

    /// Adds that a frame calls another one.
    pub(in crate::builder) fn add_callee(&mut self, caller: u32, callee: u32) {
        if self.callers.last().is_none_or(|&(_, last)| last != caller) {
            self.callers.push((index32(self.callees.len()), caller));
        }
        self.callees.push(callee);
    }

    /// Returns the position of the frame of a place.
    pub(super) fn at(&self, place: u32) -> Option<FrameId> {
        self.places.get(place as usize).copied().filter(|&at| at != NONE).map(FrameId)
    }

    /// Takes the ids of the frames that have come. The frames begin at a position of the trace, and some have further ids.
    pub(super) fn take_ids(&mut self, first: u32, mut others: Vec<(Key, FrameId)>) -> FrameIds {
        let moved = |at: FrameId| FrameId(first + at.0);
        let mut by_number = core::mem::take(&mut self.by_number);
        for place in &mut by_number {
            *place = self.at(*place).map_or(NONE, |at| moved(at).0);
        }
        others.extend(self.by_id.iter().filter_map(|(&id, &place)| Some((id, moved(self.at(place)?)))));
        FrameIds::new(by_number, others)
    }

    /// Moves all frames to `found`, with their links to their callers. Returns the position of the first one. What does not fit
    /// together is reported with the place of its part, or else with `spot`.
    pub(super) fn join(
        &mut self,
        found: &mut Profiles,
        spot: Spot,
        spot_of: &dyn Fn(u32) -> Spot,
        reports: &mut Reports,
    ) -> u32 {
        let first = index32(found.frames.len());
        let moved = |frame: FrameId| FrameId(first + frame.0);
        let log = core::mem::take(&mut self.frames);
        found.frames.reserve_exact(log.len());
        log.drain_into(&mut found.frames);
        let frames = &mut found.frames[first as usize..];
        for (frame, at) in frames.iter_mut().zip(0..) {
            let Some(FrameId(place)) = frame.parent else { continue };
            frame.parent = self.at(place);
            if frame.parent.is_none() {
                let n_parts = self.parts.partition_point(|&(first, _)| first <= at);
                reports.add_at(DiagnosticKind::LostFrame, spot_of(self.parts[n_parts - 1].1));
            }
        }
        // A caller that the frame itself names takes precedence over a caller that lists the frame.
        let ends = self.callers.iter().skip(1).map(|&(end, _)| end as usize).chain([self.callees.len()]);
        for (&(first, caller), end) in self.callers.iter().zip(ends) {
            for &callee in &self.callees[first as usize..end] {
                match (self.at(caller), self.at(callee)) {
                    (Some(caller), Some(callee)) => {
                        frames[callee.index()].parent.get_or_insert(caller);
                    }
                    _ => reports.add_at(DiagnosticKind::LostFrame, spot),
                }
            }
        }
        cut_cycles(
            frames,
            |frame| frame.parent.map(FrameId::index),
            |frame, _| {
                frame.parent = None;
                reports.add_at(DiagnosticKind::LostFrame, spot);
            },
        );
        for frame in frames {
            frame.parent = frame.parent.map(moved);
        }

        let mut moved = |place: FrameId, part: u32| {
            let at = self.at(place.0).map(moved);
            if at.is_none() {
                reports.add_at(DiagnosticKind::UnknownFrame, spot_of(part));
            }
            at
        };
        let n_sites = found.sites.len();
        found.sites.extend(self.sites.iter().filter_map(|&(site, part)| {
            let frame = moved(site.frame, part)?;
            Some(CallSite { frame, ..site })
        }));
        found.sites[n_sites..].sort_by_key(|site| site.number);
        // Frames are numbered table by table, so that the hits of all tables are sorted too.
        let n_lines = found.lines.len();
        found.lines.extend(self.lines.iter().filter_map(|&(hits, part)| {
            let frame = moved(hits.frame, part)?;
            Some(LineHits { frame, ..hits })
        }));
        found.lines[n_lines..].sort_unstable_by_key(|hits| (hits.frame, hits.line, hits.hits));
        first
    }
}

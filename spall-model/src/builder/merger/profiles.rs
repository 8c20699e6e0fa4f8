//! The sampling profiles of a trace that becomes a part of another.

use alloc::boxed::Box;
use core::ops::Range;

use crate::{
    CallSite, DiagnosticKind, Frame, FrameId, LineHits, Profile, ProfileStart, SampleTime, Tick, Ticks,
    Weights,
    builder::{
        reports::Spot,
        samples::{FrameLog, NONE, OwnProfile, ProfileHandle, SampleDetail},
    },
    index32,
};

use super::{Addition, NOWHERE};

#[allow(clippy::indexing_slicing, reason = "numbers of tracks and frames of the trace")]
impl Addition<'_> {
    /// Adds the profiles of the trace with their frames and samples.
    pub(super) fn profiles(&mut self) {
        let trace = self.trace;
        // The frames of profiles come first, and behind them those that threads share.
        let of_threads = trace.profiles.iter().filter(|profile| profile.frames_are_shared);
        let shared = of_threads.map(|profile| profile.frames.start);
        let shared = shared.chain(trace.shared_frames.iter().map(|(_, frame)| frame.0)).min();
        let shared = shared.unwrap_or(index32(trace.frames.len()))..index32(trace.frames.len());
        let mut log = core::mem::take(&mut self.builder.profiles.shared);
        let place_of = self.frames(&mut log, shared);
        self.builder.profiles.shared = log;
        for (key, frame) in trace.shared_frames.iter() {
            let key = self.file_key(key);
            self.builder.profiles.shared_keys.push((key, place_of(frame).0));
        }
        for profile in &trace.profiles {
            match self.tracks[profile.track.index()] {
                Some(track) => self.profile(profile, track, &place_of),
                None => self.builder.diagnostics.add(DiagnosticKind::TrackLimit, NOWHERE),
            }
        }
    }

    /// Adds frames of the trace to a table. Returns a function that returns the place of each.
    fn frames(&self, log: &mut FrameLog, frames: Range<u32>) -> impl Fn(FrameId) -> FrameId + use<> {
        let (from, to) = (frames.start, log.n_places());
        let place_of = move |frame: FrameId| FrameId(to + (frame.0 - from));
        for frame in &self.trace.frames[frames.start as usize..frames.end as usize] {
            let (name, url, parent) =
                (self.name(frame.name), self.name(frame.url), frame.parent.map(place_of));
            log.add_unnamed(Frame { name, url, parent, ..*frame });
        }
        place_of
    }

    /// Returns what the weights of a profile count, by the clock of the result.
    #[allow(clippy::cast_precision_loss, reason = "weights are floats")]
    fn weights(&mut self, profile: &Profile) -> Weights {
        match profile.weights {
            Weights::TimeBefore(ticks) => {
                const MANY: Ticks = Ticks(1 << 40);
                let scale = self.duration(profile.start, MANY).0 as f64 / MANY.0 as f64;
                Weights::TimeBefore(ticks * scale)
            }
            Weights::Axis(ticks) => Weights::Axis(self.duration(profile.start, ticks)),
            weights @ (Weights::Samples | Weights::Counted(_)) => weights,
        }
    }

    /// Adds a profile with its samples. Those of a thread and a value join those that the thread has in other traces.
    fn profile(&mut self, profile: &Profile, track: u32, shared: &dyn Fn(FrameId) -> FrameId) {
        let trace = self.trace;
        let weights = self.weights(profile);
        let mut own = None;
        let mut place_of: Box<dyn Fn(FrameId) -> FrameId + '_> = Box::new(shared);
        let mut handle = ProfileHandle::OfTrack { track, value: self.name(profile.name) };
        if !profile.frames_are_shared {
            let mut table = FrameLog::default();
            let place = self.frames(&mut table, profile.frames.clone());
            let sites = trace.call_sites_of(profile).iter();
            table.sites.extend(sites.map(|site| (CallSite { frame: place(site.frame), ..*site }, 0)));
            let lines = profile.frames().into_iter().flat_map(|frame| trace.line_hits(frame));
            table.lines.extend(lines.map(|hits| (LineHits { frame: place(hits.frame), ..*hits }, 0)));
            let resolution = self.duration(profile.start, profile.resolution).max(Ticks(1));
            let clock = ProfileStart::new(self.at(profile.start), resolution);
            own = Some(Box::new(OwnProfile {
                head: Some((track, clock, Spot::default())),
                end: profile.end.map(|end| (Tick(0), self.at(end))),
                samples_end: Some(self.at(profile.samples_end)),
                frames: table,
            }));
            place_of = Box::new(place);
            handle = ProfileHandle::Number(self.builder.profiles.n_profiles());
        }
        let log = &mut self.builder.profiles;
        let number = log.profile(handle);
        let row = log.row(number);
        if own.is_some() || (weights, profile.rank) != (Weights::Samples, Profile::SHARED_RANK) {
            (row.weights, row.rank, row.own) = (Some(weights), Some(profile.rank), own);
        }
        let part = log.part(number, Tick(0), Spot::default());
        self.count_clamped();
        for sample in trace.samples_of(profile) {
            let (at, args) = (SampleTime::At(self.at(sample.at)), self.args(sample.args));
            let frame = sample.frame().map_or(NONE, |frame| place_of(frame).0);
            let detail = SampleDetail { weight: sample.weight, position: sample.position, args };
            self.builder.profiles.add_sample(part, at, frame, detail);
            self.count_clamped();
        }
    }
}

//! The sampling profiles of a trace that becomes a part of another.

use crate::{DiagnosticKind, FrameId, Profile, ThreadProfileEvent, Ticks, TrackId, Weights, index32};

use super::{Addition, NOWHERE};

#[allow(clippy::indexing_slicing, reason = "numbers of tracks of the trace")]
impl Addition<'_> {
    /// Adds the profiles of the trace with their frames and samples.
    pub(super) fn profiles(&mut self) {
        let trace = self.trace;
        // The frames of profiles come first, and behind them those that threads share.
        let of_threads = trace.profiles.iter().filter(|profile| profile.of_thread_samples);
        let shared = of_threads.map(|profile| profile.frames.start);
        let shared = shared.chain(trace.shared_frames.iter().map(|&(_, frame)| frame.0)).min();
        let n_own = shared.map_or(trace.frames.len(), |first| first as usize);
        let first_own = index32(self.builder.profiles.joined.frames.len());
        let first_shared = index32(self.builder.profiles.joined_shared.len());
        let moved = |frame: FrameId| match frame.index().checked_sub(n_own) {
            None => FrameId(first_own + frame.0),
            Some(at) => FrameId(first_shared + index32(at)),
        };
        for (at, &frame) in trace.frames.iter().enumerate() {
            let (name, url) = (self.name(frame.name), self.name(frame.url));
            let frame = crate::Frame { name, url, parent: frame.parent.map(moved), ..frame };
            let log = &mut self.builder.profiles;
            if at < n_own { log.joined.frames.push(frame) } else { log.joined_shared.push(frame) }
        }
        for &(key, frame) in &trace.shared_frames {
            let key = self.file_key(key);
            self.builder.profiles.joined_keys.push((key, moved(frame)));
        }
        // Only frames of profiles have them.
        let lines = trace.line_hits.iter().filter(|hits| hits.frame.index() < n_own);
        let lines = lines.map(|hits| crate::LineHits { frame: moved(hits.frame), ..*hits });
        self.builder.profiles.joined.lines.extend(lines);
        for profile in &trace.profiles {
            let Some(track) = self.tracks[profile.track.index()] else {
                self.builder.diagnostics.add(DiagnosticKind::TrackLimit, NOWHERE);
                continue;
            };
            if profile.of_thread_samples {
                self.thread_samples(profile, track, &moved);
            } else {
                self.own_samples(profile, track, &moved);
            }
        }
    }

    /// Adds a profile with frames and samples of its own.
    fn own_samples(&mut self, profile: &Profile, track: u32, moved: &dyn Fn(FrameId) -> FrameId) {
        let joined = &self.builder.profiles.joined;
        let [samples, sites] = [joined.samples.len(), joined.sites.len()].map(index32);
        for sample in self.trace.samples_of(profile) {
            let (at, args) = (self.at(sample.at), self.args(sample.args));
            let sample = crate::Sample { at, args, ..sample.with_frame(sample.frame().map(moved)) };
            self.builder.profiles.joined.samples.push(sample);
        }
        let of_profile = self.trace.call_sites_of(profile);
        let moved_sites = of_profile.iter().map(|site| crate::CallSite { frame: moved(site.frame), ..*site });
        self.builder.profiles.joined.sites.extend(moved_sites);
        let first_frame = moved(FrameId(profile.frames.start)).0;
        let (start, samples_end) = (self.at(profile.start), self.at(profile.samples_end));
        let end = profile.end.map(|end| self.at(end));
        let joined = &self.builder.profiles.joined;
        let n_frames = profile.frames.end - profile.frames.start;
        let first_sample = joined.samples.get(samples as usize).map_or(start, |first| first.at);
        let moved_profile = Profile {
            track: TrackId(track),
            name: self.name(profile.name),
            start,
            end,
            samples_end,
            frames: first_frame..first_frame + n_frames,
            samples: samples..index32(joined.samples.len()),
            sites: sites..index32(joined.sites.len()),
            resolution: self.duration(profile.start, profile.resolution).max(Ticks(1)),
            weights: self.weights(profile),
            ..*profile
        };
        self.builder.touch(track, start.min(first_sample), samples_end.max(end.unwrap_or(start)).max(start));
        self.builder.profiles.joined.profiles.push((moved_profile, 0));
        self.count_clamped();
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

    /// Adds the samples of a thread and a name, which join those that the thread has in other traces.
    fn thread_samples(&mut self, profile: &Profile, track: u32, moved: &dyn Fn(FrameId) -> FrameId) {
        let name = self.name(profile.name);
        let weights = self.weights(profile);
        if (weights, profile.rank) != (Weights::Samples, ThreadProfileEvent::RANK) {
            self.builder.say_of_thread_profile(track, name, weights, profile.rank);
        }
        for sample in self.trace.samples_of(profile) {
            let (at, args) = (self.at(sample.at), self.args(sample.args));
            let sample = crate::Sample { at, args, ..sample.with_frame(sample.frame().map(moved)) };
            self.builder.joined_thread_sample(track, name, &sample);
            self.count_clamped();
        }
    }
}

//! The profiles of a trace, put together of their parts once all events were read.

use alloc::{boxed::Box, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, FrameId, Key, NameId, Profile, ProfileStart, Sample, Tick, Ticks, TrackId,
    Weights,
    builder::{TraceBuilder, registry::TrackKey, reports::Spot},
    index32,
    profile::{Side, distance_if_end_is_of_another_clock, samples_end, samples_start},
    sort::sort_by_number,
};

use super::{
    NONE, OwnProfile, ProfileHandle, ProfileLog, ProfileRow, SampleDetail, SampleRow, profiles::Profiles,
};

#[allow(clippy::indexing_slicing, reason = "numbers of profiles, parts and samples of the log")]
impl TraceBuilder {
    /// Puts the profiles together. They have builder numbers of tracks until [`Profiles::arrange`].
    pub(in crate::builder) fn finish_profiles(&mut self) -> Profiles {
        let mut log = core::mem::take(&mut self.profiles);
        // Tables are freed as soon as they are no longer needed, because memory is at its highest while the trace is
        // finished.
        log.profiles.shrink_to_fit();
        log.parts.shrink_to_fit();
        self.find_processes(&mut log);
        drop((core::mem::take(&mut log.by_handle), core::mem::take(&mut log.by_name)));
        for (sample, spot) in core::mem::take(&mut log.places) {
            let frame = log.samples.get(sample as usize).map_or(NONE, |row| row.frame);
            if frame != NONE && log.shared.at(frame).is_none() {
                self.diagnostics.add_at(DiagnosticKind::UnknownFrame, spot);
            }
        }
        let (parts, mut rows) = (log.sorted_parts(), core::mem::take(&mut log.samples));
        let mut ranks = alloc::vec![0; parts.len()];
        for (&part, rank) in parts.iter().zip(0_i64..) {
            ranks[part as usize] = rank;
        }
        sort_by_number(&mut rows, |row| ranks[row.part as usize]);
        drop(ranks);
        let (own, of_threads) = parts.split_at(parts.partition_point(|&part| log.is_own(part)));
        let mut joiner =
            ProfileJoiner { builder: self, found: Profiles::default(), rows: &rows, first_shared: 0 };
        joiner.found.samples.reserve_exact(rows.len());
        joiner.found.profiles.reserve_exact(log.profiles.len());
        joiner.join_all(&mut log, own);
        // The later sorts by rank and track are stable: of equal ranks the profile that begins first counts.
        sort_by_number(&mut joiner.found.profiles, |(profile, _)| profile.start.0);
        joiner.join_shared(&mut log);
        joiner.join_all(&mut log, of_threads);
        joiner.found
    }

    /// Gives the samples that do not name their process to the only thread with their id, or else to that of the process with
    /// the same id.
    fn find_processes(&mut self, log: &mut ProfileLog) {
        // The tracks of threads with a wanted id: one pass over all tracks, instead of one for each id.
        let mut alone = HashMap::<Key, (u32, u32), RandomState>::default();
        alone.extend(log.profiles.iter().filter_map(|row| match row.handle {
            ProfileHandle::OfAnyProcess { tid, .. } => Some((tid, (0, NONE))),
            _ => None,
        }));
        if alone.is_empty() {
            return;
        }
        for (track, number) in self.registry.tracks.iter().zip(0..) {
            if let TrackKey::Thread { tid, .. } = track.key
                && let Some((n_tracks, found)) = alone.get_mut(&tid)
            {
                (*n_tracks, *found) = (*n_tracks + 1, number);
            }
        }
        alone.retain(|_, &mut (n_tracks, _)| n_tracks == 1);
        for &(sample, spot) in &log.places {
            let part = log.samples[sample as usize].part;
            if let ProfileHandle::OfAnyProcess { tid, .. } = log.row_of(part).handle
                && !alone.contains_key(&tid)
            {
                self.diagnostics.add_at(DiagnosticKind::MissingProcess, spot);
            }
        }
        for profile in 0..log.profiles.len() {
            let ProfileRow { handle, parts: [part, _], .. } = log.profiles[profile];
            let ProfileHandle::OfAnyProcess { tid, value } = handle else { continue };
            let track = alone.get(&tid).map(|&(_, track)| track).or_else(|| {
                let process = self.registry.process(tid);
                self.track(TrackKey::Thread { process, tid }, ByteRange::default())
            });
            let Some(track) = track else { continue };
            // The profile with the same thread and value, if there is one, gets the samples. The table has each profile once, or
            // it would grow.
            log.by_handle.remove(&handle);
            let handle = ProfileHandle::OfTrack { track, value };
            log.profiles[profile].handle = handle;
            let same = *log.by_handle.entry(handle).or_insert(index32(profile));
            log.parts[part as usize].profile = same;
            let [first, _] = &mut log.row(same).parts;
            *first = part.min(*first);
        }
    }
}

#[allow(clippy::indexing_slicing, reason = "numbers of profiles and parts of the log")]
impl ProfileLog {
    /// Returns the profile of a part.
    fn row_of(&self, part: u32) -> &ProfileRow {
        &self.profiles[self.parts[part as usize].profile as usize]
    }

    /// Returns whether a part is of a profile with frames of its own.
    fn is_own(&self, part: u32) -> bool {
        self.row_of(part).own.is_some()
    }

    /// Returns the numbers of all parts, profile by profile, and by time in each. Profiles with frames of their own come first,
    /// and those of one kind in the order in which the file has them.
    fn sorted_parts(&self) -> Vec<u32> {
        let mut parts: Vec<u32> = (0..index32(self.parts.len())).collect();
        parts
            .sort_by_key(|&part| (!self.is_own(part), self.row_of(part).parts, self.parts[part as usize].at));
        parts
    }
}

/// The joining of the parts of all profiles, one profile after the other.
struct ProfileJoiner<'r> {
    builder: &'r mut TraceBuilder,
    /// The profiles that are done.
    found: Profiles,
    /// The samples of the other profiles.
    rows: &'r [SampleRow],
    /// The position of the first frame that threads share.
    first_shared: u32,
}

#[allow(clippy::indexing_slicing, reason = "numbers of profiles and parts of the log")]
impl ProfileJoiner<'_> {
    /// Puts together the profiles of some parts, which are sorted as the samples are.
    fn join_all(&mut self, log: &mut ProfileLog, parts: &[u32]) {
        let profiles: Vec<u32> = log.parts.iter().map(|part| part.profile).collect();
        let profile_of = |part: u32| profiles[part as usize];
        for parts in parts.chunk_by(|&a, &b| profile_of(a) == profile_of(b)) {
            let profile = profile_of(parts[0]);
            let (rows, others) =
                self.rows.split_at(self.rows.partition_point(|row| profile_of(row.part) == profile));
            self.rows = others;
            let spot_of = |part: u32| log.parts[part as usize].spot;
            let row = &log.profiles[profile as usize];
            let (value, head) = match row.handle {
                ProfileHandle::OfTrack { track, value } => {
                    (value, Some((track, ProfileStart::new(Tick(0), Ticks(1)), spot_of(parts[0]))))
                }
                // A thread beyond the limit of tracks has none.
                ProfileHandle::OfAnyProcess { .. } => continue,
                _ => (NameId::EMPTY, row.own.as_ref().and_then(|own| own.head)),
            };
            let Some((track, clock, spot)) = head else {
                let all = parts.iter().map(|&part| spot_of(part));
                all.for_each(|spot| {
                    self.builder.diagnostics.add_at(DiagnosticKind::ProfileWithoutHead, spot)
                });
                continue;
            };
            let own = log.row(profile).own.take();
            let has_slices = self.builder.registry.track(track).n_slices > 0;
            let side = if has_slices { Side::After } else { Side::Before };
            let facts = &log.profiles[profile as usize];
            let profile = self.join(log, facts, own, (value, clock, side, spot), rows);
            let samples = self.found.samples.get(profile.samples()).unwrap_or_default();
            let from = samples.first().map(|first| first.at);
            // The last sample of a value that the axis does not show is as wide as its weight only on an axis of its own.
            let last = samples.last().filter(|_| matches!(profile.weights, Weights::Counted(_)));
            let to = last.map_or(profile.samples_end, |last| last.at);
            let to = to.max(profile.end.unwrap_or(profile.start)).max(profile.start);
            self.builder.touch(track, from.unwrap_or(profile.start).min(profile.start), to);
            self.found.profiles.push((Profile { track: TrackId(track), ..profile }, spot));
        }
    }

    /// Puts a profile together, with its value, its clock, and the place of its head, and returns it without its track.
    fn join(
        &mut self,
        log: &ProfileLog,
        facts: &ProfileRow,
        mut own: Option<Box<OwnProfile>>,
        (value, clock, side, spot): (NameId, ProfileStart, Side, Spot),
        rows: &[SampleRow],
    ) -> Profile {
        let (found, reports) = (&mut self.found, &mut self.builder.diagnostics);
        let first = [found.samples.len(), found.sites.len()].map(index32);
        let spot_of = |part: u32| log.parts[part as usize].spot;
        let first_frame = match &mut own {
            Some(own) => own.frames.join(found, spot, &spot_of, reports),
            None => self.first_shared,
        };
        let frames = own.as_ref().map_or(&log.shared, |own| &own.frames);
        // Negative durations count too: they mean that samples are out of order, and not that a time is wrong.
        let mut now = clock.start;
        for row in rows {
            let at = if row.is_delta { now.0.checked_add(row.at) } else { Some(row.at) };
            if at.and_then(|at| at.checked_add(clock.offset.0)).is_none() {
                reports.add_at(DiagnosticKind::TimeOutOfRange, spot_of(row.part));
            }
            now = if row.is_delta { now + Ticks(row.at) } else { Tick(row.at) };
            let frame = frames.at(row.frame);
            // Those of threads were reported one by one.
            if frame.is_none() && row.frame != NONE && own.is_some() {
                reports.add_at(DiagnosticKind::UnknownFrame, spot_of(row.part));
            }
            let detail = log.details.get(row.detail as usize).copied().unwrap_or(SampleDetail::NONE);
            let SampleDetail { weight, position, args } = detail;
            let frame = frame.map(|frame| FrameId(first_frame + frame.0));
            let sample = Sample::new(now + clock.offset, frame, weight);
            found.samples.push(Sample { position, args, ..sample });
        }
        let samples = &mut found.samples[first[0] as usize..];
        sort_by_number(samples, |sample| sample.at.0);
        let weights = facts.weights.unwrap_or_default();
        let start = match (&own, samples.first()) {
            (None, Some(first)) => samples_start(weights, side, first),
            _ => clock.start + clock.offset,
        };
        let said = own.as_ref().map_or((None, None), |own| (own.end, own.samples_end));
        let end = said.0.map(|(_, end)| end + clock.offset);
        let distance = distance_if_end_is_of_another_clock(start, end, samples).filter(|_| said.1.is_none());
        let end = end.filter(|_| distance.is_none());
        let samples_end = match (distance, samples.last()) {
            (Some(distance), Some(last)) => {
                reports.add_at(DiagnosticKind::BadProfileEnd, spot);
                last.at + distance
            }
            _ => {
                let otherwise = || samples_end(start, end, clock.resolution, (weights, side), samples);
                said.1.unwrap_or_else(otherwise)
            }
        };
        Profile {
            track: TrackId(0),
            name: value,
            start,
            end,
            samples_end,
            resolution: clock.resolution,
            rank: facts.rank.unwrap_or(if own.is_some() { 0 } else { Profile::SHARED_RANK }),
            weights,
            frames_are_shared: own.is_none(),
            frames: first_frame..index32(found.frames.len()),
            samples: first[0]..index32(found.samples.len()),
            sites: first[1]..index32(found.sites.len()),
        }
    }

    /// Adds the frames that threads share, behind those of all profiles with frames of their own.
    fn join_shared(&mut self, log: &mut ProfileLog) {
        let spot = log.shared_spot.unwrap_or_default();
        let first = log.shared.join(&mut self.found, spot, &|_| spot, &mut self.builder.diagnostics);
        let of_other_traces = log.shared_keys.iter().filter_map(|&(key, at)| Some((key, log.shared.at(at)?)));
        let of_other_traces = of_other_traces.map(|(key, at)| (key, FrameId(first + at.0))).collect();
        self.found.shared_frames = log.shared.take_ids(first, of_other_traces);
        self.first_shared = first;
    }
}

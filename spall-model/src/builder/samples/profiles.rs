//! The profiles of a trace while they are put together.

use alloc::vec::Vec;

use crate::{
    ByteRange, CallSite, DiagnosticKind, Frame, LineHits, Profile, Sample, TrackId,
    builder::reports::{Reports, Spot},
    frame_ids::FrameIds,
    sort::sort_by_number,
};

/// All profiles of a trace. After [`Profiles::arrange`] those of a track are neighbours, the one with the lowest rank
/// first.
#[derive(Debug, Default)]
pub(in crate::builder) struct Profiles {
    /// The profiles, each with the place of its head or of its first sample in the file.
    pub(in crate::builder) profiles: Vec<(Profile, Spot)>,
    pub(in crate::builder) frames: Vec<Frame>,
    pub(in crate::builder) shared_frames: FrameIds,
    pub(in crate::builder) samples: Vec<Sample>,
    pub(in crate::builder) sites: Vec<CallSite>,
    pub(in crate::builder) lines: Vec<LineHits>,
}

impl Profiles {
    /// Replaces builder numbers of tracks by those of the trace, and sorts the profiles by track.
    pub(in crate::builder) fn arrange(&mut self, track_ids: &[u32], reports: &mut Reports) {
        for (profile, _) in &mut self.profiles {
            profile.track = TrackId(track_ids.get(profile.track.index()).copied().unwrap_or(u32::MAX));
        }
        sort_by_number(&mut self.profiles, |(profile, _)| profile.rank.into());
        sort_by_number(&mut self.profiles, |(profile, _)| profile.track.0.into());
        for of_track in self.profiles.chunk_by(|(a, _), (b, _)| a.track == b.track) {
            let Some(((first, _), others)) = of_track.split_first() else { continue };
            // Several values of a sample are several profiles, of which the file says which one counts.
            let is_said = first.frames_are_shared && first.rank < Profile::SHARED_RANK;
            for (_, spot) in others.iter().filter(|(other, _)| !is_said || !other.frames_are_shared) {
                let (at, start) = (spot.at, spot.bytes.start);
                reports.add_at(DiagnosticKind::SecondProfile, Spot::new(ByteRange::new(start, start), at));
            }
        }
    }
}

//! The callers of slices that the arguments of the slices name.

use spall_model::{CallSite, SampleRules, SliceId, Trace, TraceView, Track};

/// A lookup of the call frames that ran when the slices of a thread began.
pub(super) struct Callers<'t> {
    trace: &'t Trace,
    rules: &'t SampleRules,
    /// The call sites of the profile, by their numbers; empty if it has none.
    sites: &'t [CallSite],
    /// The position of the first frame of the profile.
    first_frame: usize,
}

impl<'t> Callers<'t> {
    /// Returns the callers of the slices of a track.
    pub(super) fn new(trace: &'t Trace, track: &Track, rules: &'t SampleRules) -> Self {
        let profile = trace.profile_of(track.id);
        Self {
            trace,
            rules,
            sites: profile.map_or(&[][..], |profile| trace.call_sites_of(profile)),
            first_frame: profile.map_or(0, |profile| profile.frames().start().index()),
        }
    }

    /// Returns the call frame that ran when a slice began, as a position in the profile; `None` if the slice names none.
    pub(super) fn caller(&self, slice: SliceId) -> Option<u32> {
        if self.sites.is_empty() {
            return None;
        }
        let number = (self.rules.call_site)(&self.trace.slice_args(slice))?;
        let found = self.sites.partition_point(|site| site.number < number);
        let site = self.sites.get(found).filter(|site| site.number == number)?;
        u32::try_from(site.frame.index() - self.first_frame).ok()
    }
}

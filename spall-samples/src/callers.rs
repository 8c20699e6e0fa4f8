//! The callers of slices that the arguments of the slices name.

use alloc::vec::Vec;
use core::hint::black_box;

use spall_model::{CallSite, SampleRules, SliceArgs, SliceId, Trace, Track};

/// The number of slices whose arguments are fetched together.
const FETCHED: u32 = 64;
/// The number of bytes of arguments that are too short to name a call site. Rules do not read them, so they are not fetched.
const SHORT: usize = 16;
/// The size of a cache line in bytes.
const LINE: usize = 64;

/// A lookup of the call frames that ran when the slices of a thread began. Slices are asked for in the order of their ids.
pub(super) struct Callers<'t, 'a> {
    trace: &'t Trace<'a>,
    rules: &'t SampleRules,
    /// The call sites of the profile, by their numbers; empty if it has none.
    sites: &'t [CallSite],
    /// The position of the first frame of the profile.
    first_frame: usize,
    /// The arguments of successive slices, the first of which is `first`.
    fetched: Vec<SliceArgs<'t>>,
    first: SliceId,
    /// The slice after the last one of the track.
    end: SliceId,
}

impl<'t, 'a> Callers<'t, 'a> {
    /// Returns the callers of the slices of a track.
    pub(super) fn new(trace: &'t Trace<'a>, track: &Track, rules: &'t SampleRules) -> Self {
        let profile = trace.profile_of(track.id);
        Self {
            trace,
            rules,
            sites: profile.map_or(&[][..], |profile| trace.call_sites_of(profile)),
            first_frame: profile.map_or(0, |profile| profile.frames().start().index()),
            fetched: Vec::new(),
            first: SliceId(0),
            end: track.slices().end(),
        }
    }

    /// Returns the call frame that ran when a slice began, as a position in the profile; `None` if the slice names none.
    pub(super) fn caller(&mut self, slice: SliceId) -> Option<u32> {
        if self.sites.is_empty() {
            return None;
        }
        let number = (self.rules.call_site)(self.args(slice)?)?;
        let found = self.sites.partition_point(|site| site.number < number);
        let site = self.sites.get(found).filter(|site| site.number == number)?;
        u32::try_from(site.frame.index() - self.first_frame).ok()
    }

    /// Returns the arguments of a slice.
    fn args(&mut self, slice: SliceId) -> Option<&SliceArgs<'t>> {
        let place = |first: SliceId| slice.index().checked_sub(first.index());
        if place(self.first).is_none_or(|place| place >= self.fetched.len()) {
            self.fetch(slice);
        }
        self.fetched.get(place(self.first)?)
    }

    /// Fetches the arguments of a slice and of those after it.
    ///
    /// Their texts lie all over the file. A processor waits for many of them at once if one byte of each cache line is read
    /// here. It would wait for one after the other if each was searched before the next one is read.
    fn fetch(&mut self, first: SliceId) {
        let slices = first.0..first.0.saturating_add(FETCHED).min(self.end.0);
        self.first = first;
        self.fetched.clear();
        self.fetched.extend(slices.map(|slice| self.trace.slice_args(SliceId(slice))));
        for args in &self.fetched {
            for line in args.begin.bytes().get(SHORT..).unwrap_or_default().chunks(LINE) {
                black_box(line.first().copied());
            }
        }
    }
}

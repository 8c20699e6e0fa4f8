//! The depths of slices once others are left out.

use alloc::vec::Vec;

use crate::SliceFlags;

/// A walk over the slices of one track that says what depth each has without those that are left out.
///
/// A pair has the number of pairs in which it was begun, and a span of an async track the number of spans around it
/// ([`SliceFlags::open_depth`]). Slices that are left out do not count.
///
/// ```
/// use spall_model::{nest::LeftOut, Event, Limits, SliceFlags, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let at = |at| ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("f"));
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # [Event::Begin(at(0)), Event::Begin(at(1)), Event::End(at(2)), Event::End(at(3))].iter().for_each(|e| builder.push(e));
/// let trace = builder.finish(); // a pair inside of another one
/// let [outer, inner] = [0, 1].map(|slice| trace.slices().flags()[slice]);
/// assert_eq!(inner.open_depth(), 1);
/// let mut left_out = LeftOut::default();
/// left_out.leave_out(outer.open_depth());
/// assert_eq!(left_out.keep(inner).open_depth(), 0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// For the latest slice of each depth, how many of it and the slices around it are left out. A depth that is missing has
    /// none.
    counts: Vec<u32>,
}

impl LeftOut {
    /// Goes to the start of another track.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Takes the next slice of the track, which has a depth and is left out.
    pub fn leave_out(&mut self, depth: u32) {
        let around = self.around(depth);
        self.set(depth, around + 1);
    }

    /// Takes the next slice of the track, which has a depth and stays. Returns its depth without the slices that are
    /// left out.
    pub fn keep_at(&mut self, depth: u32) -> u32 {
        let around = self.around(depth);
        self.set(depth, around);
        depth.saturating_sub(around)
    }

    /// Takes the next slice of the track, which stays. Returns its flags, with the depth that it has if it is a pair.
    #[inline]
    #[must_use]
    pub fn keep(&mut self, flags: SliceFlags) -> SliceFlags {
        if flags.is_paired() { flags.with_open_depth(self.keep_at(flags.open_depth())) } else { flags }
    }

    /// Returns how many of the slices around one are left out.
    fn around(&self, depth: u32) -> u32 {
        let above = depth.checked_sub(1).and_then(|above| self.counts.get(above as usize));
        above.copied().unwrap_or(0)
    }

    fn set(&mut self, depth: u32, count: u32) {
        let depth = depth as usize;
        if count > 0 || depth < self.counts.len() {
            self.counts.resize(self.counts.len().max(depth + 1), 0);
            if let Some(slot) = self.counts.get_mut(depth) {
                *slot = count;
            }
        }
    }
}

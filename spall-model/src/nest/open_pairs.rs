//! The depths of slices where others are left out.

use alloc::vec::Vec;

use crate::{SliceFlags, Tick};

/// A walk over the slices of one track that says in how many of those that stay each was begun.
///
/// A pair has the number of pairs in which it was begun, and a span of an async track that of spans
/// ([`SliceFlags::open_depth`]). With this walk, those that are left out do not count, as if the trace did not have them.
///
/// ```
/// use spall_model::{nest::OpenPairs, Event, Limits, SliceFlags, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let at = |at| ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("f"));
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # [Event::Begin(at(0)), Event::Begin(at(1)), Event::End(at(2)), Event::End(at(3))].iter().for_each(|e| builder.push(e));
/// let trace = builder.finish(); // a pair inside of another one
/// let [outer, inner] = [0, 1].map(|slice| trace.slices().flags()[slice]);
/// assert_eq!(inner.open_depth(), 1);
/// let mut pairs = OpenPairs::default();
/// pairs.leave_out(Tick(0), Tick(3), outer);
/// assert_eq!(pairs.keep(Tick(1), Tick(2), inner).open_depth(), 0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct OpenPairs {
    /// The slices that the next one may have been begun in, from the outermost to the innermost. Those below the last one
    /// may be over.
    all: Vec<OpenPair>,
    /// Those of them that stay.
    kept: Vec<KeptPair>,
}

#[derive(Debug, Clone, Copy)]
struct OpenPair {
    end: Tick,
    /// Its depth in the trace.
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
struct KeptPair {
    end: Tick,
    /// Its position among all.
    position: usize,
}

impl OpenPairs {
    /// Goes to the start of another track.
    pub fn clear(&mut self) {
        self.all.clear();
        self.kept.clear();
    }

    /// Takes the next slice of a thread, which is left out.
    pub fn leave_out(&mut self, start: Tick, end: Tick, flags: SliceFlags) {
        if flags.is_paired() {
            self.next(start, end, flags.open_depth(), false);
        }
    }

    /// Takes the next slice of a thread, which stays. Returns its flags, with the depth that it has if it is a pair.
    #[inline]
    #[must_use]
    pub fn keep(&mut self, start: Tick, end: Tick, flags: SliceFlags) -> SliceFlags {
        if !flags.is_paired() {
            return flags;
        }
        flags.with_open_depth(self.next(start, end, flags.open_depth(), true))
    }

    /// Takes the next slice of a track, with its depth in the trace. Returns its depth among those that stay: one more than
    /// that of the last one of them that is open when it begins.
    ///
    /// Slices come in the order of [`Track::slices`](crate::Track::slices). This takes amortised constant time.
    pub fn next(&mut self, start: Tick, end: Tick, depth: u32, stays: bool) -> u32 {
        // Where one ends and the next begins, the next was begun in it only if it has the greater depth: as long as one is
        // open, it or one that was begun in it is the last one that is open.
        let is_over = |last: &mut OpenPair| last.end < start || last.end == start && last.depth >= depth;
        while self.all.pop_if(is_over).is_some() {}
        let n_open = self.all.len();
        // What ends at the start, but is outlived by what was begun in it, may have ended before or after. It is over.
        let is_outlived = self.all.last().is_some_and(|last| last.end > start);
        let is_over = |kept: &mut KeptPair| {
            kept.position >= n_open || kept.end < start || kept.end == start && is_outlived
        };
        while self.kept.pop_if(is_over).is_some() {}
        let depth_kept = u32::try_from(self.kept.len()).unwrap_or(u32::MAX);
        self.all.push(OpenPair { end, depth });
        if stays {
            self.kept.push(KeptPair { end, position: n_open });
        }
        depth_kept
    }
}

//! The begins of a thread that a reading has not closed yet.

use alloc::vec::Vec;

use crate::{Tick, index32, open_stack::OpenStack};

use super::{PairBegin, Reading, UNFINISHED};

/// The begins that a reading has not closed yet.
#[derive(Debug, Default)]
pub(super) struct OpenBegins {
    pub(super) stack: OpenStack<OpenBegin>,
    /// The runs of all begins since the last [`OpenBegins::clear`].
    runs: Vec<SameTime>,
    /// The open begins that have not outlived a slice around them, by position, and begins that are closed among them.
    inside: Vec<(u32, u32)>,
    /// Whether each begin of the thread is known to get no end.
    pub(super) endless: Vec<bool>,
    /// The begins of a plain reading, which needs neither names nor runs.
    pub(super) plain: Vec<u32>,
}

/// A begin that a reading has not closed yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBegin {
    begin: u32,
    /// The position of its run in [`OpenBegins::runs`].
    run: u32,
    /// One more than the depth of the begin in which it came.
    depth: u32,
}

/// A group of neighbouring open begins of one time.
#[derive(Debug)]
struct SameTime {
    at: Tick,
    /// The lowest position of a begin that follows a closed one instead of lying inside it: the begin below was closed
    /// at the time of the run. [`NO_POSITION`] if there is none.
    first_successor: u32,
    /// The depth of what was closed there, which is that of everything in its successors.
    depth: u32,
}

/// A position above those of all open begins.
const NO_POSITION: u32 = u32::MAX;

#[allow(clippy::indexing_slicing, reason = "positions are made by this module and never read from a file")]
impl OpenBegins {
    /// Removes all begins, for the next reading.
    pub(super) fn clear(&mut self) {
        self.stack.drain().for_each(drop);
        self.runs.clear();
        self.inside.clear();
    }

    /// Adds a begin on top, to the run of the top if both have one time, and returns its depth.
    pub(super) fn push(&mut self, begin: u32, event: &PairBegin) -> u32 {
        let top = self.stack.top_position();
        let depth = top.map_or(0, |top| self.depth_above(top));
        let top_run = self.stack.top().map(|top| top.item.run);
        let run = top_run.filter(|&run| self.runs[run as usize].at == event.at).unwrap_or_else(|| {
            self.runs.push(SameTime { at: event.at, first_successor: NO_POSITION, depth: 0 });
            index32(self.runs.len() - 1)
        });
        let position = self.stack.push(event.name, OpenBegin { begin, run, depth });
        let run = &mut self.runs[run as usize];
        // Positions become free from the top, so all successors of the run are gone if theirs are given out again.
        if position <= run.first_successor {
            run.first_successor = NO_POSITION;
        }
        // Those at positions that became free are closed.
        while self.inside.pop_if(|(other, _)| *other >= position).is_some() {}
        self.inside.push((position, begin));
        depth
    }

    /// Returns the depth of a begin that comes in the one at a position. A successor is no pair, and adds nothing to it.
    fn depth_above(&self, position: u32) -> u32 {
        self.successor_depth(position)
            .or_else(|| Some(self.stack.get(position)?.item.depth + 1))
            .unwrap_or_default()
    }

    /// Returns the depth of what the begin at a position succeeds, or `None` if it is no successor.
    fn successor_depth(&self, position: u32) -> Option<u32> {
        let run = &self.runs[self.stack.get(position)?.item.run as usize];
        (position >= run.first_successor).then_some(run.depth)
    }

    /// Removes the begin at a position and returns it. Records in the reading whether it succeeds a begin instead of
    /// lying inside it.
    pub(super) fn remove(&mut self, position: u32, reading: &mut Reading) -> Option<u32> {
        let is_successor = self.successor_depth(position).is_some();
        let OpenBegin { begin, .. } = self.stack.remove(position)?;
        reading.successor[begin as usize] = is_successor;
        Some(begin)
    }

    /// Returns whether all begins above a position began at exactly `at`. If so, they are marked as successors of the
    /// slice at that position. That slice itself may be of the same run, and is not marked.
    ///
    /// Begins of one time that are neighbours form a run, so the lowest and the highest entry above answer for all: a
    /// walk over all of them for each end would be quadratic.
    pub(super) fn only_successors_above(&mut self, position: u32, at: Tick) -> bool {
        let (Some(above), Some(top)) = (self.stack.above(position), self.stack.top()) else { return true };
        let run = top.item.run;
        let follows = above.item.run == run && self.runs[run as usize].at == at;
        if follows {
            let depth = self.successor_depth(position).or_else(|| Some(self.stack.get(position)?.item.depth));
            let run = &mut self.runs[run as usize];
            if position < run.first_successor {
                (run.first_successor, run.depth) = (position + 1, depth.unwrap_or_default());
            }
        }
        follows
    }

    /// Cuts all begins above a position that outlive a slice around them for the first time. Those that are known to get no end
    /// are gone, and the others stay open.
    pub(super) fn outlive(&mut self, position: u32, at: Tick, reading: &mut Reading) {
        while let Some((above, begin)) = self.inside.pop_if(|(other, _)| *other > position) {
            // Others have been closed.
            if self.stack.get(above).is_some_and(|open| open.item.begin == begin) {
                reading.cut_for_now(begin, at);
                if self.endless[begin as usize] {
                    self.remove(above, reading);
                    reading.faults += UNFINISHED;
                }
            }
        }
    }
}

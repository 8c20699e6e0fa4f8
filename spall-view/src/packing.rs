//! Puts spans on lines.

use alloc::collections::BinaryHeap;
use core::{cmp::Reverse, ops::Range};

use spall_trace::model::Tick;

/// Lines that are filled in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    /// When each line is free again.
    ends: BinaryHeap<Reverse<(Tick, usize)>>,
}

impl Packing {
    /// Finds the line of a span that starts no earlier than those before it: the one that has been free for the longest time, or
    /// else a new one. `None` if there are `most` lines, and none of them is free.
    pub(crate) fn place(&mut self, span: &Range<Tick>, most: usize) -> Option<usize> {
        let free = self.ends.peek().filter(|Reverse((end, _))| *end <= span.start);
        let line = match free.map(|Reverse((_, line))| *line) {
            Some(line) => {
                _ = self.ends.pop();
                line
            }
            None => Some(self.ends.len()).filter(|&line| line < most)?,
        };
        self.ends.push(Reverse((span.end, line)));
        Some(line)
    }
}

//! The search structure behind packing, which knows what lines are free. [layout 17](crate::rules::layout#17)

use alloc::collections::BTreeMap;
use core::ops::Range;

/// How many runs of free lines a search looks at before it goes above all lines in use. [layout
/// 17.3](crate::rules::layout#17.3)
const MAX_TRIES: usize = 64;

/// The lines of a packing at one moment of a sweep in time order.
#[derive(Debug, Clone)]
pub(crate) struct FreeLines {
    /// The runs of neighbouring free lines: the first line of each, and the line behind its last one. The last run has no
    /// end.
    runs: BTreeMap<u32, u32>,
}

impl FreeLines {
    /// Returns lines that are all free.
    pub(crate) fn new() -> Self {
        // Not `BTreeMap::from`, which brings a sort.
        let mut runs = BTreeMap::new();
        runs.insert(0, u32::MAX);
        Self { runs }
    }

    /// Takes the lowest `height` neighbouring lines that are free. Returns the first of them.
    ///
    /// After 64 runs of free lines that are too low, these are the lines above all lines in use. This takes O(log lines).
    pub(crate) fn take(&mut self, height: u32) -> u32 {
        let is_high = |&(first, end): &(&u32, &u32)| end - first >= height;
        let found = self.runs.iter().take(MAX_TRIES).find(is_high).or(self.runs.last_key_value());
        let (first, end) = found.map_or((0, 0), |(&first, &end)| (first, end));
        self.runs.remove(&first);
        if first + height < end {
            self.runs.insert(first + height, end);
        }
        first
    }

    /// Gives back lines that [`FreeLines::take`] returned. This takes O(log lines).
    pub(crate) fn free(&mut self, lines: Range<u32>) {
        let end = self.runs.remove(&lines.end).unwrap_or(lines.end);
        match self.runs.range_mut(..lines.start).next_back() {
            Some((_, before)) if *before == lines.start => *before = end,
            _ => _ = self.runs.insert(lines.start, end),
        }
    }
}

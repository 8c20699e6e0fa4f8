//! Summaries of blocks of items, by which the summary of any range of items is found in a few steps.

use alloc::vec::Vec;
use core::{mem, ops::Range};

/// A summary of items, such as the greatest of them.
pub(crate) trait Summary: Copy {
    /// The summary of no items.
    const NONE: Self;

    /// Adds the summary of the items that follow.
    fn add(&mut self, other: Self);
}

/// The number of items in a block.
const BLOCK: usize = 16;

/// The summary of each block of 16 items, then of each block of 16 such blocks, and so on. Only full blocks have one.
#[derive(Debug, Clone)]
pub(crate) struct Blocks<S> {
    n_items: usize,
    /// The sizes of blocks, smallest first. Each has the summary of what its open block holds so far, and those of its
    /// full blocks.
    sizes: Vec<(S, Vec<S>)>,
}

impl<S> Default for Blocks<S> {
    fn default() -> Self {
        Self { n_items: 0, sizes: Vec::new() }
    }
}

impl<S: Summary> Blocks<S> {
    /// Adds the next item. This takes amortised O(1).
    pub(crate) fn push(&mut self, mut item: S) {
        self.n_items += 1;
        let mut n_items = self.n_items;
        for size in 0.. {
            if self.sizes.len() == size {
                self.sizes.push((S::NONE, Vec::new()));
            }
            let Some((open, full)) = self.sizes.get_mut(size) else { return };
            open.add(item);
            if !n_items.is_multiple_of(BLOCK) {
                return;
            }
            n_items /= BLOCK;
            item = mem::replace(open, S::NONE);
            full.push(item);
        }
    }

    /// Returns the summary of a range of items. `item` returns that of one item. This takes O(log n).
    pub(crate) fn of_range(&self, range: Range<usize>, item: impl Fn(usize) -> S) -> S {
        let (mut all, mut at) = (S::NONE, range.start);
        while at < range.end {
            // The largest full block that begins here and ends in the range.
            let (mut length, mut block) = (1, None);
            for (_, full) in &self.sizes {
                let longer = length * BLOCK;
                let is_inside = at.is_multiple_of(longer) && range.end - at >= longer;
                let Some(&larger) = full.get(at / longer).filter(|_| is_inside) else { break };
                (length, block) = (longer, Some(larger));
            }
            all.add(block.unwrap_or_else(|| item(at)));
            at += length;
        }
        all
    }
}

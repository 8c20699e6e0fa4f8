//! Exact owners: which groups must be looked into because a slice in them may be the largest in a column.

use alloc::vec::Vec;

use crate::index::{FANOUT_BITS, LEAF_BITS, Levels};
use crate::merge::{Item, Run};
use crate::walk::{Found, fitting, slices};
use crate::{Frame, RowView};

/// Working memory of [`crate::Fidelity::Exact`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    pub(crate) best: Bests,
    pub(crate) straddles: Straddles,
}

/// For each column the largest overlap of a slice seen so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bests(Vec<Best>);

#[derive(Debug, Clone, Copy)]
struct Best {
    overlap: u64,
    /// Position in the row of the item that has it.
    first: u32,
}

impl Best {
    /// Nothing seen: any slice owns the column.
    const NONE: Self = Self { overlap: 0, first: u32::MAX };
}

/// Places, as (level, position), of the nodes that lie in two columns. Of a node that lies in one, the longest slice
/// is the largest in it; of these it is not known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Straddles(Vec<(u32, u32)>);

impl Straddles {
    /// Remembers the node if it lies in two columns. Never wants it to be looked into.
    #[inline(always)]
    pub(crate) fn add(&mut self, found: &Found<'_>) -> bool {
        if found.item.columns.0 != found.item.columns.1 {
            self.0.push((found.level, found.at));
        }
        false
    }
}

impl Owners {
    pub(crate) fn begin(&mut self, frame: &Frame) {
        self.straddles.0.clear();
        self.best.0.clear();
        self.best.0.resize(frame.columns() as usize, Best::NONE);
    }

    /// Looks into the remembered nodes where that may raise a best.
    ///
    /// At most one child of a node lies in two columns: one path leads down from each, and the nodes beside it raise
    /// what it is compared with, so that it is soon given up.
    pub(crate) fn refine(
        &mut self,
        row: &RowView<'_>,
        levels: &Levels<'_>,
        frame: &Frame,
        items: &mut Vec<Item>,
    ) {
        for &(level, at) in &self.straddles.0 {
            let mut next = fitting(levels.get(level, at), frame, level, at);
            while let Some(found) = next {
                next = None;
                if !self.best.may_lose(frame, &found) {
                    break;
                }
                if found.level == 0 {
                    items.clear();
                    let first = found.at << LEAF_BITS;
                    let mut run = Run::NONE;
                    slices(row, frame, first, first + (1 << LEAF_BITS), &mut run, items);
                    run.flush(frame, items);
                    self.best.note(items);
                    break;
                }
                // What ends up to here lies in the first column, what begins behind it in the last.
                let limit = frame.last_before_edge(found.node.first, frame.position(found.node.first));
                for child in 0..1 << FANOUT_BITS {
                    let (level, at) = (found.level - 1, (found.at << FANOUT_BITS) + child);
                    let Some(node) = levels.get(level, at) else { continue };
                    let first = at << (LEAF_BITS + FANOUT_BITS * level);
                    if node.last <= limit || node.first > limit {
                        let (left, right) = found.item.columns;
                        let column = if node.last <= limit { left } else { right };
                        self.best.note_one(column, frame.parts(node.longest().length()), first);
                    } else if let Some(child) = fitting(Some(node), frame, level, at) {
                        self.best.note(&[child.item]);
                        if child.item.columns.0 != child.item.columns.1 {
                            next = Some(child);
                        }
                    }
                }
            }
        }
    }
}

impl Bests {
    /// Notes the overlaps of the items' owners with the columns they can be beaten in.
    #[inline(always)]
    pub(crate) fn note(&mut self, items: &[Item]) {
        for item in items {
            self.note_one(item.columns.0, item.first_overlap, item.first);
            self.note_one(item.columns.1, item.last_overlap, item.first);
        }
    }

    #[inline(always)]
    fn note_one(&mut self, column: u32, overlap: u64, first: u32) {
        if let Some(best) = self.0.get_mut(column as usize)
            && (overlap > best.overlap || overlap == best.overlap && overlap > 0 && first < best.first)
        {
            *best = Best { overlap, first };
        }
    }

    fn get(&self, column: u32) -> Best {
        self.0.get(column as usize).copied().unwrap_or(Best::NONE)
    }

    /// Whether a slice of the node other than the longest may own one of the node's columns.
    #[inline(always)]
    pub(crate) fn may_lose(&self, frame: &Frame, found: &Found<'_>) -> bool {
        let (first, last) = found.item.columns;
        first != last && self.may_lose_one_of_two(frame, found)
    }

    fn may_lose_one_of_two(&self, frame: &Frame, found: &Found<'_>) -> bool {
        let Found { item, beside, .. } = found;
        let most = frame.parts(item.owner.length());
        // Ties go to the earlier slice. Slices before the longest are shorter than it, those behind may be as long.
        let before = beside.0.min(most.saturating_sub(frame.parts(1)));
        let behind = beside.1.min(most);
        let (in_first, in_last) = (self.get(item.columns.0), self.get(item.columns.1));
        before > in_first.overlap
            || before == in_first.overlap && item.first <= in_first.first
            || behind > in_last.overlap
            || behind == in_last.overlap && item.first < in_last.first
    }
}

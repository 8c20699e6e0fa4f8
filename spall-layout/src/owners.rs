//! Exact owners: which groups must be looked into because a slice in them may be the largest in a column.

use alloc::vec::Vec;
use core::cmp::Ordering;

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
                items.clear();
                if found.level == 0 {
                    let first = found.at << LEAF_BITS;
                    let mut run = Run::NONE;
                    slices(row, frame, first, first + (1 << LEAF_BITS), &mut run, items);
                    run.flush(frame, items);
                } else {
                    for child in 0..1 << FANOUT_BITS {
                        let (level, at) = (found.level - 1, (found.at << FANOUT_BITS) + child);
                        let child = fitting(levels.get(level, at), frame, level, at);
                        if let Some(child) = child {
                            items.push(child.item);
                            if child.item.columns.0 != child.item.columns.1 {
                                next = Some(child);
                            }
                        }
                    }
                }
                self.best.note(items);
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
        let Found { node, item, .. } = found;
        let (first, last) = item.columns;
        let (left, right) = (frame.position(node.longest().start), frame.position(node.longest().end));
        let (from, to) = (frame.position(node.first), frame.position(node.last));
        let (whole, most) = (frame.column_parts(), frame.parts(node.longest().length()));
        // What lies before the longest slice may be in the first column, what lies behind it in the last.
        let before = if left.column == first { left.part } else { whole } - from.part;
        let behind = if to.column > last { whole } else { to.part }
            - match right.column.cmp(&last) {
                Ordering::Less => 0,
                Ordering::Equal => right.part,
                Ordering::Greater => whole,
            };
        // Ties go to the earlier slice. Slices before the longest are shorter than it.
        let before = before.min(most.saturating_sub(frame.parts(1)));
        let behind = behind.min(most);
        let (in_first, in_last) = (self.get(first), self.get(last));
        before > in_first.overlap
            || before == in_first.overlap && item.first <= in_first.first
            || behind > in_last.overlap
            || behind == in_last.overlap && item.first < in_last.first
    }
}

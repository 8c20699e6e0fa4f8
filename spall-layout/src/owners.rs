//! Exact owners: which groups must be looked into because a slice in them may be the largest in a column.

use alloc::vec::Vec;

use crate::index::{FANOUT_BITS, LEAF_BITS, Levels};
use crate::merge::Item;
use crate::walk::{Found, fitting, walk_node};
use crate::{Frame, RowView};

/// Working memory of [`crate::Fidelity::Exact`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    best: Bests,
    /// Items in time order that are not handed on, because not all is known that touches their columns.
    pending: Vec<Item>,
    /// The items inside of one.
    inside: Vec<Item>,
}

/// For each column the largest overlap of a slice seen so far.
#[derive(Debug, Clone, Default)]
struct Bests(Vec<Best>);

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

/// What is asked, and of what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) row: &'a RowView<'a>,
    pub(crate) levels: &'a Levels<'a>,
    pub(crate) frame: &'a Frame,
}

impl Owners {
    pub(crate) fn begin(&mut self, frame: &Frame) {
        self.pending.clear();
        self.best.0.clear();
        self.best.0.resize(frame.columns() as usize, Best::NONE);
    }

    /// Takes the next items of a walk that opens no node, and hands on those of which all is known.
    pub(crate) fn add(&mut self, query: &Query<'_>, items: &[Item], sink: &mut impl FnMut(&[Item])) {
        self.best.note(items);
        // What comes later does not touch the columns before the last.
        let Some(&Item { columns: (_, known), .. }) = items.last() else { return };
        let n_pending = self.hand_on_pending(query, known, sink);
        let n_items = if n_pending == 0 { self.hand_on(query, items, known, sink) } else { 0 };
        self.pending.extend_from_slice(items.get(n_items..).unwrap_or_default());
    }

    /// Hands on what is left.
    pub(crate) fn finish(&mut self, query: &Query<'_>, sink: &mut impl FnMut(&[Item])) {
        self.hand_on_pending(query, u32::MAX, sink);
    }

    /// How many are left.
    fn hand_on_pending(&mut self, query: &Query<'_>, known: u32, sink: &mut impl FnMut(&[Item])) -> usize {
        let mut pending = core::mem::take(&mut self.pending);
        let n_known = self.hand_on(query, &pending, known, sink);
        pending.drain(..n_known);
        self.pending = pending;
        self.pending.len()
    }

    /// Hands on the first items, that only touch columns before `known`, and says how many they are. Nodes that may hold an
    /// owner other than their longest slice are opened: one path leads down in each, as at most one child of a node lies in
    /// two columns.
    fn hand_on(
        &mut self,
        query: &Query<'_>,
        items: &[Item],
        known: u32,
        sink: &mut impl FnMut(&[Item]),
    ) -> usize {
        let &Query { row, levels, frame } = query;
        let Self { best, inside, .. } = self;
        let n_known = items.iter().rposition(|item| item.columns.1 < known).map_or(0, |last| last + 1);
        let mut from = 0;
        for (at, item) in items.iter().enumerate().take(n_known) {
            if let Some((level, place)) = straddling(item)
                && best.may_lose_item(frame, item)
                && let Some(found) = fitting(levels.get(level, place), frame, level, place)
                && best.may_lose(frame, &found)
            {
                sink(items.get(from..at).unwrap_or_default());
                let open = |found: &Found| best.may_lose(frame, found);
                walk_node(row, levels, frame, (level, place), inside, open, &mut *sink);
                // The next node shares a column with this one.
                best.note(inside);
                from = at + 1;
            }
        }
        sink(items.get(from..n_known).unwrap_or_default());
        n_known
    }
}

/// The node that an item stands for, as (level, position), if it lies in two columns. Of one that lies in one column the
/// longest slice is the largest in it.
#[inline(always)]
fn straddling(item: &Item) -> Option<(u32, u32)> {
    let is_node = item.count > 1 && item.columns.0 != item.columns.1;
    let bits = item.count.trailing_zeros();
    is_node.then(|| ((bits - LEAF_BITS) / FANOUT_BITS, item.first >> bits))
}

impl Bests {
    /// Notes the overlaps of the items' owners with the columns they can be beaten in.
    #[inline(always)]
    fn note(&mut self, items: &[Item]) {
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

    /// As [`Bests::may_lose`] of the node that an item stands for, as far as its longest slice alone says.
    #[inline(always)]
    fn may_lose_item(&self, frame: &Frame, item: &Item) -> bool {
        let most = item.owner.length();
        frame.parts(most.saturating_sub(1)) >= self.get(item.columns.0).overlap
            || frame.parts(most) >= self.get(item.columns.1).overlap
    }

    /// Whether a slice of the node other than the longest may own one of the node's columns.
    #[inline(always)]
    fn may_lose(&self, frame: &Frame, found: &Found) -> bool {
        let (first, last) = found.item.columns;
        first != last && self.may_lose_one_of_two(frame, found)
    }

    fn may_lose_one_of_two(&self, frame: &Frame, found: &Found) -> bool {
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

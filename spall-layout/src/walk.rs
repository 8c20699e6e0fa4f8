//! From the index to items in time order: what is seen of a row, and in what detail. \[layout 3.4\]

use alloc::vec::Vec;

use crate::convert::{to_f32, to_u32};
use crate::index::{FANOUT_BITS, LEAF_BITS, Levels};
use crate::merge::{Item, Merge, Owner, Run};
use crate::owners::Query;
use crate::{Fidelity, Rect, RowView, Scratch, Viewport};

/// Items gathered before they are merged: as many as stay in the nearest cache.
const BLOCK: usize = 256;

pub(crate) fn rects(row: &RowView<'_>, viewport: &Viewport, scratch: &mut Scratch, out: &mut Vec<Rect>) {
    let seen = seen(row, viewport);
    if seen.0 >= seen.1 {
        return;
    }
    let levels = &row.levels();
    let Scratch { items, owners } = scratch;
    let mut merge = None;
    let mut sink = |items: &[Item]| {
        let mut items = items.iter();
        if merge.is_none() {
            merge = items.next().map(|item| Merge::new(row.row, viewport, item));
        }
        if let Some(merge) = &mut merge {
            // A copy lives in registers.
            let mut current = *merge;
            for item in items {
                current.add(viewport, item, out);
            }
            *merge = current;
        }
    };
    // Fewer slices than a node has are visited one by one, so that owners are exact by themselves.
    let is_sparse = seen.1 - seen.0 < 1 << LEAF_BITS;
    if is_sparse || viewport.fidelity() == Fidelity::Fast {
        walk(row, levels, viewport, seen, items, sink);
    } else {
        owners.begin();
        let query = Query { row, levels, viewport };
        walk(row, levels, viewport, seen, items, |items| owners.hand_on(&query, items, &mut sink));
    }
    if let Some(merge) = merge {
        merge.finish(viewport, out);
    }
}

/// Adds to each column the part of it that is inside slices.
pub(crate) fn add_busy(row: &RowView<'_>, viewport: &Viewport, scratch: &mut Scratch, columns: &mut [f32]) {
    let seen = seen(row, viewport);
    if seen.0 >= seen.1 {
        return;
    }
    let width = to_f32(viewport.column_parts());
    walk(row, &row.levels(), viewport, seen, &mut scratch.items, |items| {
        items.iter().for_each(|item| item.add_busy(width, columns));
    });
}

/// The positions in the row of the slices that touch a column of the frame, half open.
pub(crate) fn seen(row: &RowView<'_>, viewport: &Viewport) -> (u32, u32) {
    let ends_inside = |at: usize| match (row.starts.get(at), row.ends.get(at)) {
        (Some(&start), Some(&end)) => viewport.ends_inside(start.0, end.0),
        _ => true,
    };
    // `partition_point` over two arrays.
    let (mut low, mut high) = (0, row.len());
    while low < high {
        let middle = low.midpoint(high);
        if ends_inside(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let end = row.starts.partition_point(|start| viewport.starts_inside(start.0));
    (to_u32(low), to_u32(end))
}

/// Visits what of the slices `from..to` is seen of the row in time order: whole nodes where they fit a column, slices elsewhere.
#[inline(always)]
fn walk(
    row: &RowView<'_>,
    levels: &Levels<'_>,
    viewport: &Viewport,
    (from, to): (u32, u32),
    items: &mut Vec<Item>,
    mut sink: impl FnMut(&[Item]),
) {
    items.clear();
    items.reserve(BLOCK + 2 * (1 << LEAF_BITS));
    let top = levels.len();
    let (mut level, mut at) = (top, 0);
    let mut run = Run::NONE;
    loop {
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let first = u64::from(at) << bits;
        let end = first + (1 << bits);
        if first >= u64::from(to) {
            break;
        }
        if end > u64::from(from) {
            let node = levels.get(level, at);
            if let Some(node) = node.filter(|node| run.holds(node.last)) {
                run.take(node.longest(), node.busy_f32(), at << bits, 1 << bits);
            } else {
                match node.filter(|node| viewport.fits_column(node.first, node.last)) {
                    Some(node) => {
                        run.flush(viewport, items);
                        let (item, next) = Item::node(viewport, node, at << bits, 1 << bits);
                        items.push(item);
                        run = next;
                    }
                    _ if level > 0 => {
                        level -= 1;
                        at <<= FANOUT_BITS;
                        continue;
                    }
                    _ => slices(row, viewport, from.max(at << bits), to_u32_min(end, to), &mut run, items),
                }
                if items.len() >= BLOCK {
                    sink(items);
                    items.clear();
                }
            }
        }
        at += 1;
        while level < top && at & ((1 << FANOUT_BITS) - 1) == 0 {
            at >>= FANOUT_BITS;
            level += 1;
        }
        if level == top {
            break;
        }
    }
    run.flush(viewport, items);
    sink(items);
}

fn to_u32_min(end: u64, to: u32) -> u32 {
    u32::try_from(end).unwrap_or(u32::MAX).min(to)
}

/// The slices of a leaf.
#[inline(always)]
fn slices(row: &RowView<'_>, viewport: &Viewport, from: u32, to: u32, run: &mut Run, items: &mut Vec<Item>) {
    let range = from as usize..to as usize;
    let (Some(starts), Some(ends), Some(ids)) =
        (row.starts.get(range.clone()), row.ends.get(range.clone()), row.ids.get(range))
    else {
        return;
    };
    for (((&start, &end), &id), at) in starts.iter().zip(ends).zip(ids).zip(from..) {
        let slice = Owner { start: start.0, end: end.0, id };
        if run.holds(slice.end) {
            run.take_slice(slice, at);
        } else {
            run.flush(viewport, items);
            let (item, next) = Item::slice(viewport, slice, at);
            items.push(item);
            *run = next;
        }
    }
}

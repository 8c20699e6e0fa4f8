//! Cycles among items that name their parents, as files may have them.

/// Makes a root of every item that is its own parent over any number of steps, so that no walk to a root is endless.
///
/// `parent` returns the position of an item's parent. `cut` gets an item and its position, and removes the parent.
#[allow(clippy::indexing_slicing, reason = "parents are positions of items")]
pub(super) fn cut_cycles<T>(
    items: &mut [T],
    parent: impl Fn(&T) -> Option<usize>,
    mut cut: impl FnMut(&mut T, usize),
) {
    // The number of the walk that has seen each item, counted from 1; 0 for none. A walk stops at an item that any walk
    // has seen, so that all walks together are linear.
    let mut seen_by = alloc::vec![0_u32; items.len()];
    for (start, walk) in (0..items.len()).zip(1..) {
        let mut at = start;
        while seen_by[at] == 0 {
            seen_by[at] = walk;
            at = parent(&items[at]).unwrap_or(at);
        }
        // The walk ended at a root, or at an item of the same walk: then it went in a circle.
        if seen_by[at] == walk {
            while let Some(above) = parent(&items[at]) {
                cut(&mut items[at], at);
                at = above;
            }
        }
    }
}

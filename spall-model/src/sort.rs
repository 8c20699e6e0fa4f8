//! Stable sorts by a number. Only the numbers are sorted, so that one sort is compiled for all types of items.

use alloc::vec::Vec;

/// Sorts items by a number of each. Items with one number keep their order.
pub(crate) fn sort_by_number<T: Clone>(items: &mut [T], number_of: impl Fn(&T) -> i64) {
    if !items.is_sorted_by_key(&number_of) {
        let order = order_of(items.iter().map(number_of).collect());
        permute(items, &order);
    }
}

/// Returns the positions of numbers in ascending order. Positions of one number keep their order.
#[allow(clippy::indexing_slicing, reason = "an order has positions of numbers")]
pub(crate) fn order_of(numbers: Vec<i64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|&at| numbers[at]);
    order
}

/// Moves the value at `order[i]` to `i`, for all `i`.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
pub(crate) fn permute<T: Clone>(values: &mut [T], order: &[usize]) {
    let before = values.to_vec();
    for (value, &was) in values.iter_mut().zip(order) {
        *value = before[was].clone();
    }
}

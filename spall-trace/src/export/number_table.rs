//! What a file refers to by numbers.

use alloc::vec::Vec;
use core::hash::Hash;
use std::collections::HashMap;
use std::hash::RandomState;

/// Functions or texts, numbered from 0 in the order of their first use.
#[derive(Debug)]
pub(super) struct NumberTable<T> {
    items: Vec<T>,
    numbers: HashMap<T, usize, RandomState>,
}

impl<T> Default for NumberTable<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> NumberTable<T> {
    /// Returns the number of an item, and gives it one if it has none yet.
    pub(super) fn number(&mut self, item: T) -> usize {
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            self.items.len() - 1
        })
    }

    /// Returns all items in the order of their numbers.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }
}

//! Numbers for the keys of a table.

use core::hash::{BuildHasher as _, Hash};

use alloc::vec::Vec;
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::index32;

/// Distinct keys, such as functions or stacks, numbered from 0 in the order in which they were added. Each table hashes
/// with a seed of its own, so that no file can make its keys collide. [`Names`](crate::Names) does the same for strings.
///
/// ```
/// let mut functions = spall_model::Interner::default();
/// assert_eq!(["main", "draw", "main"].map(|name| functions.add(name)), [0, 1, 0]);
/// assert_eq!(functions.keys(), ["main", "draw"]);
/// ```
#[derive(Debug, Clone)]
pub struct Interner<K> {
    keys: Vec<K>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl<K> Default for Interner<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), numbers: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<K: Eq + Hash> Interner<K> {
    /// Returns the number of a key, which is added if it is new. A table is for fewer than 2³² keys.
    pub fn add(&mut self, key: K) -> u32 {
        self.add_if(key, || true).unwrap_or_default()
    }

    /// Returns the number of a key. A new one is added if `may_add` says so; `None` if it does not.
    ///
    /// ```
    /// let mut functions = spall_model::Interner::default();
    /// functions.add("main");
    /// assert_eq!(["main", "draw"].map(|name| functions.add_if(name, || false)), [Some(0), None]);
    /// ```
    pub fn add_if(&mut self, key: K, may_add: impl FnOnce() -> bool) -> Option<u32> {
        let Self { keys, numbers, hasher } = self;
        let hash = hasher.hash_one(&key);
        let is_same = |&number: &u32| keys.get(number as usize) == Some(&key);
        if let Some(&known) = numbers.find(hash, is_same) {
            return Some(known);
        }
        if !may_add() {
            return None;
        }
        let new = index32(keys.len());
        keys.push(key);
        numbers.insert_unique(hash, new, |&number| {
            keys.get(number as usize).map_or(hash, |key| hasher.hash_one(key))
        });
        Some(new)
    }

    /// Returns the number of a key, or `None` if the table does not have it.
    #[must_use]
    pub fn find(&self, key: &K) -> Option<u32> {
        let is_same = |&number: &u32| self.keys.get(number as usize) == Some(key);
        self.numbers.find(self.hasher.hash_one(key), is_same).copied()
    }

    /// Returns all keys in the order of their numbers.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        &self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_number_however_many_follow() {
        let mut table = Interner::default();
        let numbers: Vec<_> = (0..1000_u64).map(|key| table.add(key * 7)).collect();
        assert!(numbers.iter().copied().eq((0..1000_u64).map(|key| table.add(key * 7))));
        assert_eq!(table.find(&7), Some(1));
        assert_eq!(table.find(&8), None);
        assert_eq!(table.keys().len(), 1000);
    }
}

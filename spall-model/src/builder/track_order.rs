//! The order of processes, and of the tracks of a process. [pairing 7](crate::rules::pairing#7)

use alloc::{vec, vec::Vec};
use core::cmp::Ordering;

use crate::{Conventions, Key, NameId, Names, Tick, index32, natural};

use super::{
    TraceBuilder,
    by_time::ByTime,
    registry::{Registry, TrackKey},
    track_tree::TrackTree,
};

/// Returns the builder numbers of processes sorted by sort index, name and id, and the place of each in that order.
#[allow(clippy::indexing_slicing, reason = "an order has numbers of processes")]
pub(super) fn process_order(builder: &TraceBuilder, tree: &TrackTree) -> (Vec<u32>, Vec<u32>) {
    let (rows, names) = (&builder.registry.processes, &builder.names.all);
    let by_name = Ranks::natural(names, rows.iter().map(|row| row.name));
    let ids = Ids::new(names, rows.iter().map(|row| row.pid), builder.conventions);
    let mut order: Vec<u32> = (0..index32(rows.len())).filter(|&old| tree.left != Some(old)).collect();
    order.sort_by_cached_key(|&old| {
        let row = &rows[old as usize];
        (row.sort_index, by_name.of(row.name), ids.place(Some(row.pid)))
    });
    let mut places = vec![u32::MAX; rows.len()];
    order.iter().zip(0..).for_each(|(&old, new)| places[old as usize] = new);
    (order, places)
}

/// Returns the builder numbers of tracks sorted by process, kind, sort index, name and id, with the main thread first
/// among equal sort indexes. `process_ids` has the trace numbers of processes.
///
/// This is the order of tracks directly below a process. [`TrackTree::order`] puts others below their parents.
#[allow(clippy::indexing_slicing, reason = "numbers of processes and tracks")]
pub(super) fn track_order(builder: &TraceBuilder, tree: &TrackTree, process_ids: &[u32]) -> Vec<u32> {
    let TraceBuilder { registry, conventions, .. } = builder;
    let (rows, names) = (&registry.tracks, &builder.names.all);
    let by_name = Ranks::natural(names, rows.iter().map(|row| row.name));
    let ids = Ids::new(names, rows.iter().filter_map(|row| row.key.id()), *conventions);
    let is_main = main_threads(registry);
    let row = |track: u32| &rows[track as usize];
    let process =
        |track| tree.process(track, registry).map_or(0, |old| u64::from(process_ids[old as usize]) + 1);
    // Sorts that keep the order of equals, by what counts least first.
    let mut order: Vec<u32> = (0..index32(rows.len())).collect();
    let mut sorted = ByTime::default();
    sort_by(&mut order, &mut sorted, |track| ids.place(row(track).key.id()).1);
    sort_by(&mut order, &mut sorted, |track| {
        let (kind_of_id, name) = (ids.place(row(track).key.id()).0, by_name.of(row(track).name));
        u64::from(!is_main[track as usize]) << 40 | u64::from(name) << 8 | u64::from(kind_of_id)
    });
    sort_by(&mut order, &mut sorted, |track| unsigned(row(track).rank().1));
    sort_by(&mut order, &mut sorted, |track| process(track) << 8 | u64::from(row(track).rank().0));
    order
}

/// Sorts all tracks by a number of each. Tracks of one number stay in the order in which they are. Mostly there is only one
/// process, one name or one sort index, and nothing to sort.
fn sort_by(order: &mut [u32], sorted: &mut ByTime, number_of: impl Fn(u32) -> u64) {
    // In the order of the tracks, which is that of the memory.
    let mut numbers = (0..index32(order.len())).map(&number_of);
    let first = numbers.next();
    if numbers.all(|number| Some(number) == first) {
        return;
    }
    sorted.clear();
    order.iter().for_each(|&track| sorted.add(Tick(signed(number_of(track))), track));
    order.iter_mut().zip(sorted.sorted()).for_each(|(slot, sorted)| *slot = sorted.row);
}

/// Returns an unsigned number that has among its kind the place of a signed one.
fn unsigned(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

/// The inverse of [`unsigned`].
fn signed(number: u64) -> i64 {
    (number ^ 1 << 63).cast_signed()
}

/// Returns for each track whether it is the main thread of its process. [pairing 7](crate::rules::pairing#7)
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn main_threads(registry: &Registry) -> Vec<bool> {
    const ZERO: Key = Key::Number(0);
    let mut has_zero = vec![false; registry.processes.len()];
    for row in &registry.tracks {
        if let (TrackKey::Thread { process, tid: ZERO }, false) = (row.key, row.is_own) {
            has_zero[process as usize] = true;
        }
    }
    let is_main = registry.tracks.iter().map(|row| {
        let TrackKey::Thread { process, tid } = row.key else { return false };
        let process = process as usize;
        row.role.is_none()
            && !row.is_own
            && tid == registry.processes[process].pid
            && (tid == ZERO || !has_zero[process])
    });
    is_main.collect()
}

/// The places of texts in an order, by their numbers as names. Only texts that were given have one.
struct Ranks {
    /// Empty if there is only one text.
    of_names: Vec<u32>,
}

impl Ranks {
    /// Ranks names in the natural order.
    fn natural(names: &Names, used: impl Iterator<Item = NameId>) -> Self {
        Self::new(names, used, natural::key, natural::compare)
    }

    /// Ranks texts, each of which is looked at once and not for each comparison. `key` returns a number that compares as
    /// the texts do, unless two are equal.
    #[allow(clippy::indexing_slicing, reason = "numbers of names")]
    fn new(
        names: &Names,
        mut used: impl Iterator<Item = NameId>,
        key: fn(&[u8]) -> u128,
        compare: fn(&[u8], &[u8]) -> Ordering,
    ) -> Self {
        let first = used.next();
        let Some(second) = used.find(|&name| Some(name) != first) else {
            return Self { of_names: Vec::new() };
        };
        let mut of_names = vec![0; names.len()];
        let mut ranked = Vec::new();
        for name in first.into_iter().chain([second]).chain(used) {
            let is_known = core::mem::replace(&mut of_names[name.index()], 1) != 0;
            if !is_known {
                ranked.push((key(names.bytes(name)), name));
            }
        }
        ranked
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(names.bytes(a.1), names.bytes(b.1))));
        ranked.iter().zip(1..).for_each(|(&(_, name), rank)| of_names[name.index()] = rank);
        Self { of_names }
    }

    fn of(&self, name: NameId) -> u32 {
        self.of_names.get(name.index()).copied().unwrap_or_default()
    }
}

/// The order of ids: numbers before texts, and texts byte by byte.
struct Ids {
    texts: Ranks,
    conventions: Conventions,
}

impl Ids {
    fn new(names: &Names, ids: impl Iterator<Item = Key>, conventions: Conventions) -> Self {
        let texts = ids.filter_map(|id| match id {
            Key::Text(text) => Some(text),
            Key::Number(_) => None,
        });
        Self { texts: Ranks::new(names, texts, first_sixteen, <[u8]>::cmp), conventions }
    }

    /// Returns numbers that compare as ids do: that of the kind of id, which is 0 for none, and that of the id among its kind.
    fn place(&self, id: Option<Key>) -> (u8, u64) {
        match id {
            None => (0, 0),
            Some(Key::Number(number)) if self.conventions.unsigned_ids => (1, number.cast_unsigned()),
            Some(Key::Number(number)) => (1, unsigned(number)),
            Some(Key::Text(text)) => (2, self.texts.of(text).into()),
        }
    }
}

/// Returns the first sixteen bytes of a text as a number. Two of these compare as the bytes do.
fn first_sixteen(text: &[u8]) -> u128 {
    let mut first = [0; 16];
    first.iter_mut().zip(text).for_each(|(to, &from)| *to = from);
    u128::from_be_bytes(first)
}

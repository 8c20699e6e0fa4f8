//! A stack of open intervals, in which an end may close an interval that is not on top. [pairing
//! 2](crate::rules::pairing#2), [3.6](crate::rules::pairing#5)

use alloc::vec::Vec;

use crate::NameId;

/// The open intervals of one group in the order of their begins, the innermost last.
///
/// An entry is found by its position, and the innermost entry of a name without a search.
///
/// A stack is meant to be used again for the next group, because it holds four bytes for each name of the trace up to
/// the greatest id that it has seen. (A hash table instead of this array made a load with a large faulty thread take
/// 20 % more instructions.)
#[derive(Debug)]
pub(crate) struct OpenStack<T> {
    /// A closed entry leaves a hole until everything above it is closed too, so positions stay valid. The last entry
    /// is never a hole.
    entries: Vec<Option<OpenEntry<T>>>,
    /// The position of the innermost entry of each name, or [`NOWHERE`].
    by_name: Vec<u32>,
    /// The number of open entries.
    len: u32,
}

/// An entry of an [`OpenStack`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenEntry<T> {
    pub(crate) item: T,
    pub(crate) name: NameId,
    /// One more than the depth of the entry that was below this one when it began. It stays when that entry is closed.
    depth: u32,
    /// The positions of the next outer and the next inner entry of the same name, or [`NOWHERE`].
    outer: u32,
    inner: u32,
    /// The positions of the neighbouring open entries, or [`NOWHERE`]. They jump over holes: a search through the
    /// holes would make closing from the bottom quadratic.
    below: u32,
    above: u32,
}

/// The position of no entry. There are fewer entries than slices, and those are counted in 32 bits.
const NOWHERE: u32 = u32::MAX;

impl<T> Default for OpenStack<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), by_name: Vec::new(), len: 0 }
    }
}

impl<T: Copy> OpenStack<T> {
    /// Returns the number of open entries.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns the depth that the next pushed entry gets: one more than that of the top.
    pub(crate) fn depth(&self) -> u32 {
        self.top().map_or(0, |top| top.depth.saturating_add(1))
    }

    /// Returns the position of the top, the innermost open entry; `None` if nothing is open.
    pub(crate) fn top_position(&self) -> Option<u32> {
        u32::try_from(self.entries.len()).ok()?.checked_sub(1)
    }

    /// Returns the innermost open entry, or `None` if nothing is open.
    pub(crate) fn top(&self) -> Option<&OpenEntry<T>> {
        self.entries.last()?.as_ref()
    }

    /// Returns the position of the innermost open entry of a name, or `None` if none is open.
    pub(crate) fn innermost(&self, name: NameId) -> Option<u32> {
        self.by_name.get(name.index()).copied().filter(|&position| position != NOWHERE)
    }

    /// Returns the position of the entry that an end of a name closes: the innermost of that name, or the top if the
    /// end has no name.
    pub(crate) fn closed_by(&self, name: NameId) -> Option<u32> {
        if name.is_empty() { self.top_position() } else { self.innermost(name) }
    }

    /// Returns the open entry at a position. A position that became free is given to a later entry.
    pub(crate) fn get(&self, position: u32) -> Option<&OpenEntry<T>> {
        self.entries.get(position as usize)?.as_ref()
    }

    /// Returns the next open entry above the one at a position, or `None` if that one is the top.
    pub(crate) fn above(&self, position: u32) -> Option<&OpenEntry<T>> {
        self.get(self.get(position)?.above)
    }

    /// Pushes an entry and returns its position.
    pub(crate) fn push(&mut self, name: NameId, item: T) -> u32 {
        let position = u32::try_from(self.entries.len()).unwrap_or(NOWHERE);
        let (depth, below) = (self.depth(), self.top_position().unwrap_or(NOWHERE));
        if let Some(top) = self.get_mut(below) {
            top.above = position;
        }
        if name.index() >= self.by_name.len() {
            self.by_name.resize(name.index() + 1, NOWHERE);
        }
        let outer = self.set_innermost(name, position);
        if let Some(outer) = self.get_mut(outer) {
            outer.inner = position;
        }
        let entry = OpenEntry { item, name, depth, outer, inner: NOWHERE, below, above: NOWHERE };
        self.entries.push(Some(entry));
        self.len += 1;
        position
    }

    /// Removes the entry that an end of a name closes, and returns its item, or `None` if there is no such entry.
    pub(crate) fn take(&mut self, name: NameId) -> Option<T> {
        self.remove(self.closed_by(name)?)
    }

    /// Removes the entry at a position.
    pub(crate) fn remove(&mut self, position: u32) -> Option<T> {
        let entry = self.entries.get_mut(position as usize)?.take()?;
        match self.get_mut(entry.inner) {
            Some(inner) => inner.outer = entry.outer,
            None => {
                self.set_innermost(entry.name, entry.outer);
            }
        }
        if let Some(outer) = self.get_mut(entry.outer) {
            outer.inner = entry.inner;
        }
        if let Some(below) = self.get_mut(entry.below) {
            below.above = entry.above;
        }
        match self.get_mut(entry.above) {
            Some(above) => above.below = entry.below,
            // It was the top. The holes directly below it are no longer needed to keep positions valid.
            None => while self.entries.pop_if(|entry| entry.is_none()).is_some() {},
        }
        self.len -= 1;
        Some(entry.item)
    }

    /// Removes all entries and returns them, the outermost first.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> {
        let Self { entries, by_name, len } = self;
        *len = 0;
        entries.drain(..).flatten().map(|entry| {
            // The table is cleared name by name. Clearing all of it would make a small group cost as much as the
            // trace has names.
            if let Some(innermost) = by_name.get_mut(entry.name.index()) {
                *innermost = NOWHERE;
            }
            entry.item
        })
    }

    /// Sets the position of the innermost entry of a name that was pushed before, and returns the former one.
    fn set_innermost(&mut self, name: NameId, position: u32) -> u32 {
        let innermost = self.by_name.get_mut(name.index());
        innermost.map_or(NOWHERE, |innermost| core::mem::replace(innermost, position))
    }

    /// Returns the open entry at a position.
    fn get_mut(&mut self, position: u32) -> Option<&mut OpenEntry<T>> {
        self.entries.get_mut(position as usize)?.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_closed_by_name_and_from_the_top() {
        let [a, b] = [NameId(1), NameId(2)];
        let mut open = OpenStack::default();
        let positions = [a, b, a, b].map(|name| open.push(name, name.0));
        assert_eq!(positions, [0, 1, 2, 3]);
        assert_eq!((open.len(), open.depth(), open.innermost(a)), (4, 4, Some(2)));
        assert_eq!(open.take(a), Some(1));
        assert_eq!((open.len(), open.depth(), open.innermost(a)), (3, 4, Some(0)));
        assert_eq!(open.above(1).map(|entry| entry.name), Some(b), "the hole is jumped over");
        assert_eq!(open.take(NameId::EMPTY), Some(2));
        assert_eq!((open.top_position(), open.get(2).is_none()), (Some(1), true));
        assert_eq!(open.drain().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((open.len(), open.top().is_none(), open.innermost(a)), (0, true, None));
        assert_eq!(open.push(b, 7), 0);
    }

    #[test]
    fn an_entry_may_be_removed_below_others_of_its_name() {
        let a = NameId(1);
        let mut open = OpenStack::default();
        let positions = [0, 1, 2, 3].map(|item| open.push(a, item));
        assert_eq!(open.remove(positions[1]), Some(1));
        assert_eq!(open.remove(positions[3]), Some(3));
        assert_eq!(open.innermost(a), Some(positions[2]));
        assert_eq!([open.take(a), open.take(a), open.take(a)], [Some(2), Some(0), None]);
    }
}

//! Spans that share a key, while they are open. \[json 3.6\]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::NameId;

/// Open spans of a group in the order of their begins; closed ones leave a hole until they are on top.
#[derive(Debug)]
pub(crate) struct OpenSpans<T> {
    spans: Vec<Option<OpenSpan<T>>>,
    /// Where the innermost of each name is.
    by_name: HashMap<NameId, usize, RandomState>,
}

/// An open span.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenSpan<T> {
    pub(crate) what: T,
    pub(crate) name: NameId,
    depth: u32,
    /// Where the next open one of its name is.
    outer: Option<usize>,
}

impl<T> Default for OpenSpans<T> {
    fn default() -> Self {
        Self { spans: Vec::new(), by_name: HashMap::default() }
    }
}

impl<T: Copy> OpenSpans<T> {
    /// The depth of what begins now.
    pub(crate) fn depth(&self) -> u32 {
        self.top().map_or(0, |top| top.depth.saturating_add(1))
    }

    /// The innermost open span.
    pub(crate) fn top(&self) -> Option<OpenSpan<T>> {
        self.spans.last().copied().flatten()
    }

    /// The innermost open span of a name.
    pub(crate) fn innermost(&self, name: NameId) -> Option<OpenSpan<T>> {
        self.at(*self.by_name.get(&name)?)
    }

    /// The span that was begun at a position, unless it is closed; another one if the position is taken again.
    pub(crate) fn at(&self, position: usize) -> Option<OpenSpan<T>> {
        self.spans.get(position).copied().flatten()
    }

    /// Begins a span; its position.
    pub(crate) fn push(&mut self, name: NameId, what: T) -> usize {
        let (position, depth) = (self.spans.len(), self.depth());
        let outer = self.by_name.insert(name, position);
        self.spans.push(Some(OpenSpan { what, name, depth, outer }));
        position
    }

    /// Ends the innermost open span of a name; of any name if it is empty.
    pub(crate) fn take(&mut self, name: NameId) -> Option<T> {
        let position =
            if name.is_empty() { self.spans.len().checked_sub(1)? } else { *self.by_name.get(&name)? };
        let span = self.spans.get_mut(position)?.take()?;
        match span.outer {
            Some(outer) => self.by_name.insert(span.name, outer),
            None => self.by_name.remove(&span.name),
        };
        while self.spans.pop_if(|span| span.is_none()).is_some() {}
        Some(span.what)
    }

    /// All that is open, outermost first.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = T> {
        let Self { spans, by_name } = self;
        // One by one: to clear the table of a small group would cost as much as that of the largest.
        spans.drain(..).flatten().inspect(|span| _ = by_name.remove(&span.name)).map(|span| span.what)
    }
}

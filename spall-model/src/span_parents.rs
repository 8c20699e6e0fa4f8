//! The parents that spans say they have, and what each of them covers. [pairing 5](crate::rules::pairing#5)
#![allow(clippy::indexing_slicing, reason = "families and links are numbered by this module")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{Key, NameId, SliceId, Slices, Tick, Ticks, TraceView, index32};

/// The parent that a span says it has.
///
/// [`KeyedEvent::with_span`](crate::KeyedEvent::with_span) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaidParent {
    /// The parent. It may start later than the span, or end before it.
    pub parent: SliceId,
    /// The part of the parent's time that this child covers and no earlier one does. Children are taken by start, and the
    /// longer one of two first. So the parts of all children together are what these cover together, and the rest of the
    /// parent is its self time. It is empty if other children cover all of it.
    pub covers: Range<Tick>,
}

/// The spans of a trace that say their parents, and the children that others therefore have.
///
/// [`Trace::span_parents`](crate::Trace::span_parents) returns those of a trace. Spans that do not say a parent, or whose
/// parent is not in the trace, have none here. No span is above itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpanParents {
    /// The spans that have parents, by their ids.
    links: Vec<Link>,
    /// The spans that have children, by their ids.
    families: Vec<Family>,
    /// The children of all families, one family after another, by their ids.
    children: Vec<SliceId>,
}

/// The id of no span.
pub(crate) const NO_ID: Key = Key::Text(NameId::EMPTY);

/// What the file says of the ids of a span. [`NO_ID`] stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SaidSpan {
    pub(crate) slice: SliceId,
    /// The place of the span in the file among those of its track that say something.
    pub(crate) order: u32,
    pub(crate) span: Key,
    /// The id of the parent, which need not be in the trace.
    pub(crate) parent: Key,
}

/// A span and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) slice: SliceId,
    /// The position of the parent's family.
    pub(crate) family: u32,
    /// What the span covers of the parent's time.
    covers: (Tick, Tick),
}

/// A span that has children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Family {
    pub(crate) parent: SliceId,
    /// The position behind the last child.
    end: u32,
    /// The time that the children cover together.
    covered: u64,
}

impl SpanParents {
    /// Returns the families of spans with their parents, which are given by the ids of the spans.
    pub(crate) fn new(pairs: &[(SliceId, SliceId)], slices: &Slices) -> Self {
        Self::with_times(pairs, |slice| (slices.start[slice.index()], slices.end[slice.index()]))
    }

    fn with_times(pairs: &[(SliceId, SliceId)], times: impl Fn(SliceId) -> (Tick, Tick)) -> Self {
        let mut by_parent: Vec<u32> = (0..index32(pairs.len())).collect();
        // A stable sort: the children of a span stay in their order.
        by_parent.sort_by_key(|&pair| pairs[pair as usize].1);
        let link = |&(slice, _): &(SliceId, SliceId)| Link { slice, family: 0, covers: Default::default() };
        let mut links: Vec<Link> = pairs.iter().map(link).collect();
        let (mut families, mut children) = (Vec::<Family>::new(), Vec::with_capacity(pairs.len()));
        let mut uncovered = Tick::MIN;
        for pair in by_parent {
            let (slice, parent) = pairs[pair as usize];
            let (parent_start, parent_end) = times(parent);
            if families.last().is_none_or(|family| family.parent != parent) {
                families.push(Family { parent, end: 0, covered: 0 });
                uncovered = parent_start;
            }
            let family_number = index32(families.len() - 1);
            children.push(slice);
            let (start, end) = times(slice);
            let from = start.max(uncovered).min(parent_end);
            let to = end.min(parent_end).max(from);
            uncovered = uncovered.max(to);
            links[pair as usize] = Link { slice, family: family_number, covers: (from, to) };
            if let Some(family) = families.last_mut() {
                family.covered += to.0.abs_diff(from.0);
                family.end = index32(children.len());
            }
        }
        families.shrink_to_fit();
        Self { links, families, children }
    }

    /// Returns whether no span has a parent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Returns the parent that a slice says it has and what it covers of that; `None` if it says none. This takes O(log n).
    #[must_use]
    pub fn parent(&self, slice: SliceId) -> Option<SaidParent> {
        let link = self.link(slice)?;
        let parent = self.families[link.family as usize].parent;
        Some(SaidParent { parent, covers: link.covers.0..link.covers.1 })
    }

    /// Returns the slices whose parent is `slice`, in the order of their ids. This takes O(log n).
    #[must_use]
    pub fn children(&self, slice: SliceId) -> &[SliceId] {
        let Some(number) = self.family(slice) else { return &[] };
        let start = number.checked_sub(1).map_or(0, |before| self.families[before].end);
        &self.children[start as usize..self.families[number].end as usize]
    }

    /// Returns the number of ticks of a slice that its children cover together; `None` if it has no children. It may be too large
    /// for [`Ticks`]. This takes O(log n).
    #[must_use]
    pub fn covered(&self, slice: SliceId) -> Option<u64> {
        Some(self.families[self.family(slice)?].covered)
    }

    /// Returns the number of ticks of a slice in a range of time that its children cover together. This takes O(log n) for each
    /// child that covers time in the range, and as much once.
    #[must_use]
    pub fn covered_in(&self, slice: SliceId, range: &Range<Tick>) -> u64 {
        let children = self.children(slice);
        let covers = |child: &SliceId| self.link(*child).map_or_else(Default::default, |link| link.covers);
        // What children cover follows one another, because the next one covers what those before it do not.
        let first = children.partition_point(|child| covers(child).1 <= range.start);
        let parts = children[first..].iter().map(covers).take_while(|&(start, _)| start < range.end);
        parts.map(|(start, end)| end.min(range.end).0.abs_diff(start.max(range.start).0)).sum()
    }

    /// Returns the families as if the trace had only the slices that are shown. The parent of a slice is then the nearest one
    /// above it that is shown. This takes O(n log n).
    #[must_use]
    pub fn of_shown(&self, trace: &impl TraceView, mut is_shown: impl FnMut(SliceId) -> bool) -> Self {
        let mut shown = AlongParents::default();
        let mut pairs = Vec::with_capacity(self.links.len());
        for link in &self.links {
            if is_shown(link.slice) {
                let parent = self.families[link.family as usize].parent;
                let nearest =
                    shown.get(
                        self,
                        parent,
                        |slice, above: Option<Option<SliceId>>| {
                            if is_shown(slice) { Some(slice) } else { above.flatten() }
                        },
                    );
                pairs.extend(nearest.map(|nearest| (link.slice, nearest)));
            }
        }
        Self::with_times(&pairs, |slice| {
            trace.slice(slice).map_or_else(Default::default, |slice| (slice.start, slice.end))
        })
    }

    /// Returns the links of slices in a range of ids.
    pub(crate) fn links_of(&self, slices: &Range<u32>) -> &[Link] {
        let at = |id| self.links.partition_point(|link| link.slice.0 < id);
        &self.links[at(slices.start)..at(slices.end)]
    }

    /// Returns the families of slices in a range of ids, and the position of the first one.
    pub(crate) fn families_of(&self, slices: &Range<u32>) -> (&[Family], u32) {
        let at = |id| self.families.partition_point(|family| family.parent.0 < id);
        let first = at(slices.start);
        (&self.families[first..at(slices.end)], index32(first))
    }

    fn link(&self, slice: SliceId) -> Option<&Link> {
        self.links.binary_search_by_key(&slice, |link| link.slice).ok().map(|at| &self.links[at])
    }

    fn family(&self, slice: SliceId) -> Option<usize> {
        self.families.binary_search_by_key(&slice, |family| family.parent).ok()
    }
}

/// Values of slices that depend on those of their parents, such as call paths. Each is made once, after that of the parent,
/// and without recursion: a parent may come later in the trace than its children.
#[derive(Debug, Clone)]
pub struct AlongParents<V> {
    known: HashMap<SliceId, V, RandomState>,
    /// The slices whose values are being made, the outermost last.
    path: Vec<SliceId>,
}

impl<V> Default for AlongParents<V> {
    fn default() -> Self {
        Self { known: HashMap::default(), path: Vec::new() }
    }
}

impl<V: Copy> AlongParents<V> {
    /// Returns the value of a slice. Where it is not known, `make` makes it and those above it, each of the slice and of the
    /// value of the parent, which is `None` for a slice without one. This takes amortised O(log n).
    pub fn get(
        &mut self,
        parents: &SpanParents,
        slice: SliceId,
        mut make: impl FnMut(SliceId, Option<V>) -> V,
    ) -> V {
        let (mut next, mut value) = (Some(slice), None);
        while let Some(slice) = next {
            value = self.known.get(&slice).copied();
            if value.is_some() {
                break;
            }
            self.path.push(slice);
            next = parents.parent(slice).map(|said| said.parent);
        }
        while let Some(slice) = self.path.pop() {
            let made = make(slice, value);
            self.known.insert(slice, made);
            value = Some(made);
        }
        value.unwrap_or_else(|| make(slice, None))
    }
}

/// The self values of spans: what something measured in each, without the values of the nearest measured spans below it.
///
/// `N` is what the values are added up for, such as nodes of a tree.
#[derive(Debug, Clone)]
pub struct SelfValues<N> {
    /// The nearest measured span above each slice, the slice included.
    nearest: AlongParents<Option<SliceId>>,
    /// What the values are added up for, and the rests so far.
    rests: HashMap<SliceId, (Option<N>, i64), RandomState>,
}

impl<N> Default for SelfValues<N> {
    fn default() -> Self {
        Self { nearest: AlongParents::default(), rests: HashMap::default() }
    }
}

impl<N> SelfValues<N> {
    /// Adds a slice, which comes once, and returns its value. `value_of` returns the value of any slice, or `None` if nothing
    /// measured it. This takes amortised O(log n).
    pub fn add(
        &mut self,
        parents: &SpanParents,
        slice: SliceId,
        node: N,
        value_of: impl Fn(SliceId) -> Option<i64>,
    ) -> Option<i64> {
        let value = value_of(slice)?;
        let (of, rest) = self.rests.entry(slice).or_default();
        (*of, *rest) = (Some(node), rest.saturating_add(value));
        if let Some(SaidParent { parent, .. }) = parents.parent(slice)
            && let Some(outer) = self.nearest.get(parents, parent, |slice, above: Option<Option<SliceId>>| {
                if value_of(slice).is_some() { Some(slice) } else { above.flatten() }
            })
        {
            let (_, rest) = self.rests.entry(outer).or_default();
            *rest = rest.saturating_sub(value);
        }
        Some(value)
    }

    /// Passes the self value of each slice that was added, which is never negative, to `add`. Nothing is left.
    pub fn drain(&mut self, mut add: impl FnMut(N, Ticks)) {
        self.nearest = AlongParents::default();
        for (_, (node, rest)) in self.rests.drain() {
            if let Some(node) = node {
                add(node, Ticks(rest.max(0)));
            }
        }
    }
}

//! What the spans of a trace say of their ids and parents. [pairing 5](crate::rules::pairing#5)

use crate::{SaidParent, SliceId, SpanParents, span_parents::SaidSpan};

use super::Trace;

impl Trace {
    /// Returns the parent that an async span says it has, and the part of that parent's time that it covers first. `None` if
    /// it says none, or one that is not in the trace. Other slices say none: time decides what they lie below. [pairing
    /// 5](crate::rules::pairing#5)
    ///
    /// [`KeyedEvent::with_span`](crate::KeyedEvent::with_span) has an example. This takes O(log n).
    #[must_use]
    pub fn said_parent(&self, slice: SliceId) -> Option<SaidParent> {
        self.span_parents.parent(slice)
    }

    /// Returns the async spans that say their parents. In most traces none does.
    #[must_use]
    pub fn span_parents(&self) -> &SpanParents {
        &self.span_parents
    }

    /// Returns what the file says of the ids of a span; `None` if it says nothing.
    pub(crate) fn said_span(&self, slice: SliceId) -> Option<SaidSpan> {
        let found = self.said_spans.binary_search_by_key(&slice, |span| span.slice).ok()?;
        self.said_spans.get(found).copied()
    }
}

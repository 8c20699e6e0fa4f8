//! What can be selected.

use serde::{Deserialize, Serialize};
use spall_trace::model::{SliceId, StateId, TrackId};

use crate::item::Numbered;

/// An element of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Numbered<ElementKind>", into = "Numbered<ElementKind>")]
pub enum Element {
    /// A slice.
    Slice(SliceId),
    /// A state of a thread.
    State(StateId),
    /// An instant, by its number in the trace.
    Instant(u32),
    /// A counter, by its track.
    Counter(TrackId),
    /// A piece of an object, from one snapshot to the next.
    Object(u32),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ElementKind {
    Slice,
    State,
    Instant,
    Counter,
    Object,
}

impl From<Numbered<ElementKind>> for Element {
    fn from(Numbered { kind, id }: Numbered<ElementKind>) -> Self {
        match kind {
            ElementKind::Slice => Self::Slice(SliceId(id)),
            ElementKind::State => Self::State(StateId(id)),
            ElementKind::Instant => Self::Instant(id),
            ElementKind::Counter => Self::Counter(TrackId(id)),
            ElementKind::Object => Self::Object(id),
        }
    }
}

impl From<Element> for Numbered<ElementKind> {
    fn from(element: Element) -> Self {
        let (kind, id) = match element {
            Element::Slice(slice) => (ElementKind::Slice, slice.0),
            Element::State(state) => (ElementKind::State, state.0),
            Element::Instant(number) => (ElementKind::Instant, number),
            Element::Counter(track) => (ElementKind::Counter, track.0),
            Element::Object(piece) => (ElementKind::Object, piece),
        };
        Self { kind, id }
    }
}

//! What can be selected.

use serde::{Deserialize, Serialize};
use spall_trace::model::{SliceId, StateId, TraceView, TrackId};

use crate::{Since, item::Numbered};

/// An element of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(as = "Numbered<ElementKind>"))]
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
    /// A span of a [derived track](crate::DerivedTrack), by its number among those that are shown. Who selects it selects what it
    /// stands for, if it does.
    Derived(u32),
}

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Selected {
    /// The element.
    pub element: Element,
    /// When it starts; for a counter, the time at which it was pointed at.
    pub at: Since,
    /// Its name, so that another trace does not show something else.
    pub name: String,
}

impl Element {
    /// Returns the name by which a place knows the element again; empty if its kind and its time are enough.
    pub(crate) fn name(self, trace: &impl TraceView) -> String {
        match self {
            Self::Slice(slice) => trace.slice_name(slice).into(),
            Self::Counter(track) => trace.track_title(track).into(),
            Self::State(_) | Self::Instant(_) | Self::Object(_) | Self::Derived(_) => String::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum ElementKind {
    Slice,
    State,
    Instant,
    Counter,
    Object,
    Derived,
}

impl From<Numbered<ElementKind>> for Element {
    fn from(Numbered { kind, id }: Numbered<ElementKind>) -> Self {
        match kind {
            ElementKind::Slice => Self::Slice(SliceId(id)),
            ElementKind::State => Self::State(StateId(id)),
            ElementKind::Instant => Self::Instant(id),
            ElementKind::Counter => Self::Counter(TrackId(id)),
            ElementKind::Object => Self::Object(id),
            ElementKind::Derived => Self::Derived(id),
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
            Element::Derived(span) => (ElementKind::Derived, span),
        };
        Self { kind, id }
    }
}

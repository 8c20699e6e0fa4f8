//! Marks and notes: what the user has marked, in words.

use core::ops::Range;

use serde::Serialize;
use spall_trace::layout::{LayoutView, active_range};
use spall_trace::model::TraceView;

use crate::{Element, Engine, Selected, Since, place::Mark, shown::Shown};

/// Returns notes on slices and instants, for a program that says what it has found in a trace: a [`Place`](crate::Place) with
/// these marks shows them. The layout is one from which nothing is left out, as a viewer has at first.
#[must_use]
pub fn notes(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    elements: impl IntoIterator<Item = Element>,
    text: &str,
) -> Vec<Mark> {
    let origin = active_range(trace, layout).unwrap_or_default().start;
    let note = |element: Element| {
        let (start, end) = match element {
            Element::Slice(slice) => trace.slice(slice).map(|slice| (slice.start, Some(slice.end)))?,
            Element::Instant(number) => trace.instant(number).map(|(_, instant)| (instant.at, None))?,
            _ => return None,
        };
        let (at, end) = (Since(start - origin), end.map(|end| Since(end - origin)));
        let of = Selected { element, at, name: element.name(trace) };
        Some(Mark { at, end, of: Some(of), text: text.to_owned() })
    };
    elements.into_iter().filter_map(note).collect()
}

/// What there is to say about a mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MarkFacts {
    /// Its position among the marks of the place.
    pub number: usize,
    /// Where it starts.
    pub at: Since,
    /// Where it ends.
    pub end: Since,
    /// When it starts, as a text.
    pub time: String,
    /// How long it lasts; empty if it is a point in time.
    pub takes: String,
    /// The name of what it is about; empty if it is about a time.
    pub about: String,
    /// What the user says about it.
    pub text: String,
    /// How long after the chosen mark it starts, or after the one before it if none is chosen.
    pub distance: String,
}

impl<S: Shown> Engine<S> {
    /// Lists the marks in the order of time. Distances are from the mark with the number `from`, or from the one before.
    #[must_use]
    pub fn marked(&self, from: Option<usize>) -> Vec<MarkFacts> {
        let marks = &self.view.place().marks;
        let clock = self.trace().clock();
        let chosen = from.and_then(|from| marks.get(from)).map(|mark| mark.at);
        let mut sorted: Vec<(usize, &Mark)> = marks.iter().enumerate().collect();
        sorted.sort_by_key(|(_, mark)| mark.at);
        let mut before = None;
        let facts = sorted.into_iter().map(|(number, mark)| {
            let Range { start, end } = mark.range();
            let from = chosen.or(before.replace(start));
            let distance = from.map(|from| clock.duration(start.0 - from.0).to_string());
            MarkFacts {
                number,
                at: start,
                end,
                time: self.time(self.tick(start)),
                takes: if end > start { clock.duration(end.0 - start.0).to_string() } else { String::new() },
                about: mark.of.as_ref().map_or_else(String::new, |of| self.name_of(of.element)),
                text: mark.text.clone(),
                distance: distance.unwrap_or_default(),
            }
        });
        facts.collect()
    }

    fn name_of(&self, element: Element) -> String {
        let trace = &*self.trace();
        let name = match element {
            Element::Derived(span) => {
                return self.derived_span(span).map_or_else(String::new, |span| span.name);
            }
            Element::Slice(_) | Element::Counter(_) | Element::Object(_) => None,
            Element::State(state) => trace.state(state).map(|(_, state)| state.name),
            Element::Instant(number) => trace.instant(number).map(|(_, instant)| instant.name),
        };
        name.map_or_else(|| element.name(trace), |name| trace.name(name).into())
    }
}

//! What changes the derived tracks of a view.

use std::collections::HashSet;

use spall_trace::layout::LayoutView;
use spall_trace::model::TraceView;

use super::View;
use crate::{
    derived::Derived,
    derived_track::{DerivedTrack, NamedRows},
    element::{Element, Selected},
    place::Place,
};

impl View {
    /// Selects what a span of a derived track stands for, and brings it into view, or else the span itself. This is a step.
    pub(crate) fn select_derived(&mut self, span: u32, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(found) = self.derived.span(span, trace) else { return };
        match found.of {
            Some(Element::Slice(slice)) => self.go(slice, trace, layout),
            Some(element @ Element::State(state)) => {
                if let Some((track, state)) = trace.state(state) {
                    self.go_to_header(element, (track, state.start), trace, layout);
                }
            }
            _ => self.select(Some((Element::Derived(span), found.start)), trace),
        }
    }

    /// Shows rows of times and names as a derived track, or no longer if there are none. This is a step.
    pub(crate) fn set_rows(&mut self, rows: NamedRows, trace: &impl TraceView, layout: &impl LayoutView) {
        let is_empty = rows.rows.is_empty();
        let mut rows = rows.bounded();
        rows.forget_others(self.origin, trace);
        let track = DerivedTrack::Rows(rows);
        self.set_derived(&track.path(), Some(track.clone()).filter(|_| !is_empty), trace, layout);
    }

    /// Shows what ran on each processor, or no longer. This is a step.
    pub(crate) fn toggle_cpus(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let is_shown = self.place.derived.contains(&DerivedTrack::Cpus);
        if is_shown || Derived::has_cpus(trace) {
            let track = Some(DerivedTrack::Cpus).filter(|_| !is_shown);
            self.set_derived(&DerivedTrack::Cpus.path(), track, trace, layout);
        }
    }

    /// Shows the critical path of the selected slice as a track. If that is shown, or no slice is selected, no path is shown any
    /// longer. This is a step.
    pub(crate) fn toggle_path(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let is_slice = |selected: &&Selected| matches!(selected.element, Element::Slice(_));
        let slice = self.place.selected.as_ref().filter(is_slice).cloned();
        let track = slice.map(DerivedTrack::Path).filter(|track| !self.place.derived.contains(track));
        let is_path = |track: &&DerivedTrack| matches!(track, DerivedTrack::Path(_));
        let path = track.as_ref().or_else(|| self.place.derived.iter().find(is_path)).map(DerivedTrack::path);
        if let Some(path) = path {
            self.set_derived(&path, track, trace, layout);
        }
    }

    /// Puts a derived track in the place of the one with its path and brings it into view, or removes that. This is a step.
    pub(super) fn set_derived(
        &mut self,
        path: &str,
        track: Option<DerivedTrack>,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) {
        let is_shown = track.is_some();
        self.change_derived(trace, layout, |all| {
            let at = all.iter().position(|other| other.path() == path);
            match (track, at) {
                (Some(track), Some(at)) => all.splice(at..=at, [track]).for_each(drop),
                (Some(track), None) => all.push(track),
                (None, Some(at)) => _ = all.remove(at),
                (None, None) => {}
            }
        });
        let shown = self.items.at_path(path).filter(|_| is_shown);
        if let Some(heights) = shown.and_then(|item| self.heights_of(item, trace, layout)) {
            let range = self.window.viewport().range();
            self.window.reveal(heights, range, &self.main);
            self.place.top = self.window.top();
        }
    }

    /// Changes the derived tracks. This is a step.
    pub(super) fn change_derived(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        change: impl FnOnce(&mut Vec<DerivedTrack>),
    ) {
        self.change(trace, layout, |place, _| {
            let paths = |place: &Place| place.derived.iter().map(DerivedTrack::path).collect::<HashSet<_>>();
            let before = paths(place);
            change(&mut place.derived);
            let now = paths(place);
            for list in place.folded.iter_mut().chain([&mut place.pinned]) {
                list.retain(|path| now.contains(path) || !before.contains(path));
            }
            // Spans have other numbers.
            place.selected.take_if(|selected| matches!(selected.element, Element::Derived(_)));
        });
    }

    /// The rows that are shown under a title, or were.
    pub(crate) fn known_rows(&self, title: &str) -> Option<&NamedRows> {
        let places =
            core::iter::once(&self.place).chain(self.past.iter().rev()).chain(self.future.iter().rev());
        places.flat_map(|place| &place.derived).find_map(|track| match track {
            DerivedTrack::Rows(rows) if rows.title == title && !rows.rows.is_empty() => Some(rows),
            _ => None,
        })
    }
}

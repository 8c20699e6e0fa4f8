//! What a command does to a view.

use core::ops::Range;
use std::collections::HashSet;

use spall_trace::layout::{LayoutView, LineRect};
use spall_trace::model::{Flow, Measure, SliceId, Tick, TraceView, TrackId, TrackSet};

use super::View;
use crate::{
    command::Command,
    element::Element,
    item::Item,
    place::{Mark, Place, toggle},
};

/// So many columns wide is a slice that can be seen.
const VISIBLE: f64 = 4.0;

impl View {
    /// Does what a command says, as far as it is about the timeline. Returns whether it is.
    pub fn run(&mut self, command: Command, trace: &impl TraceView, layout: &impl LayoutView) -> bool {
        let columns = f64::from(self.window.viewport().columns());
        let item = self.current_item(trace);
        match (command, item) {
            (Command::ZoomIn, _) => self.zoom(self.anchor(trace), 1.25),
            (Command::ZoomOut, _) => self.zoom(self.anchor(trace), 0.8),
            (Command::Earlier, _) => self.pan(-0.1 * columns),
            (Command::Later, _) => self.pan(0.1 * columns),
            (Command::PageUp, _) => self.scroll_pages(-0.9),
            (Command::PageDown, _) => self.scroll_pages(0.9),
            (Command::Fit, _) => self.fit_selection(trace, layout),
            (Command::FitAll, _) => self.fit_all(trace, layout),
            (Command::Follow, _) if self.place.follows => self.place.follows = false,
            (Command::Follow, _) => {
                self.remember();
                self.go_to_end();
            }
            (Command::Back, _) => _ = self.take_back(true, trace, layout),
            (Command::Forward, _) => _ = self.take_back(false, trace, layout),
            (
                Command::First
                | Command::Left
                | Command::Right
                | Command::Up
                | Command::Down
                | Command::Next
                | Command::Previous,
                _,
            ) => self.walk(command, trace, layout),
            (Command::FlowOut | Command::FlowIn, _) => {
                if let Some(slice) = self.flow(command == Command::FlowOut, trace) {
                    self.go(slice, trace, layout);
                    self.make_visible(slice, layout);
                }
            }
            (Command::OtherFlowOut | Command::OtherFlowIn, _) => self.flow += 1,
            (Command::RangeOfSelection, _) => {
                let placed = self.selected_slice().and_then(|slice| layout.place(slice));
                self.choose(placed.map(|placed| (placed.start..placed.end, None)));
            }
            // Nothing on it is added up.
            (Command::RangeOfTrack, Some(Item::Derived(_))) => {}
            (Command::RangeOfTrack, Some(item)) => {
                let bounds = self.window.bounds();
                self.choose(Some((bounds.start..Tick(bounds.end.0.saturating_add(1)), Some(vec![item]))));
            }
            (Command::Mark, _) => self.mark(trace),
            (Command::Note, _) => self.note(trace),
            (Command::RemoveMarks, _) => {
                self.remember();
                self.place.marks.clear();
            }
            (Command::Escape, _) => return self.escape(),
            (Command::Fold, Some(item)) => self.toggle_fold(item, trace, layout),
            (Command::FoldAll, _) => self.fold_all(trace, layout),
            (Command::Pin, Some(item)) => self.toggle_pin(item, trace, layout),
            (Command::HideTrack, Some(item)) => self.toggle_hidden(item, trace, layout),
            (Command::CounterRate, Some(item)) => {
                self.toggle_counter(item, trace, layout, |place| &mut place.rates);
            }
            (Command::CounterScale, Some(item)) => {
                self.toggle_counter(item, trace, layout, |place| &mut place.shared);
            }
            (Command::MoveUp, Some(item)) => self.shift(item, true, trace, layout),
            (Command::MoveDown, Some(item)) => self.shift(item, false, trace, layout),
            (Command::OrderOfFile, _) => self.change(trace, layout, |place, _| place.moves.clear()),
            (Command::ByActivity, _) => self.change(trace, layout, |place, _| {
                place.by_activity = !place.by_activity;
                place.moves.clear();
            }),
            (Command::ShowAll, _) => self.change(trace, layout, |place, _| {
                (place.hidden, place.categories, place.names) = Default::default();
            }),
            (Command::HideName | Command::HideCategory, _) => {
                let Some(slice) = self.selected_slice().and_then(|slice| trace.slice(slice)) else {
                    return true;
                };
                self.change(trace, layout, |place, _| match command {
                    Command::HideName => _ = toggle(&mut place.names, &trace.name(slice.name)),
                    _ => _ = toggle(&mut place.categories, &trace.name(slice.category)),
                });
            }
            (Command::CpuTracks, _) => self.toggle_cpus(trace, layout),
            (Command::PathTrack, _) => self.toggle_path(trace, layout),
            (Command::NextMeasure, _) => {
                let now = self.measure();
                let mut from_now = Measure::ALL.into_iter().cycle().skip_while(|&measure| measure != now);
                self.remember();
                self.place.measure = from_now.nth(1).unwrap_or_default().name().into();
            }
            (Command::NextTracks, _) => {
                self.remember();
                let next = match TrackSet::of_name(&self.place.tracks) {
                    None => TrackSet::ALL.into_iter().next(),
                    Some(now) => TrackSet::ALL.into_iter().skip_while(|&set| set != now).nth(1),
                };
                self.place.tracks = next.map_or("", TrackSet::name).into();
            }
            (
                Command::RangeOfTrack
                | Command::Fold
                | Command::Pin
                | Command::HideTrack
                | Command::CounterRate
                | Command::CounterScale
                | Command::MoveUp
                | Command::MoveDown,
                None,
            ) => {}
            _ => return false,
        }
        true
    }

    /// The track of the selected slice, or else what is under the pointer.
    fn current_item(&self, trace: &impl TraceView) -> Option<Item> {
        let track = match self.place.selected.as_ref().map(|selected| selected.element) {
            Some(Element::Slice(slice)) => trace.track_of(slice),
            Some(Element::Counter(track)) => Some(track),
            _ => None,
        };
        track.map(|track| self.items.item_of(track)).or(self.pointer.1)
    }

    /// The column around which keys zoom: that of the pointer, or the start of the selected slice, or the middle.
    fn anchor(&self, trace: &impl TraceView) -> f64 {
        let start = self.selected_slice().and_then(|slice| trace.slice(slice)).map(|slice| slice.start);
        let start = start.filter(|start| self.window.viewport().range().contains(start));
        let start = start.map(|start| f64::from(self.window.x(start)));
        self.pointer.0.or(start).unwrap_or(f64::from(self.window.viewport().columns()) / 2.0)
    }

    fn scroll_pages(&mut self, pages: f64) {
        let Range { start, end } = self.window.heights();
        self.scroll((pages * (end - start) as f64).round());
    }

    /// Zooms to the selected slice, or else to the range; once more to everything. A slice comes to the middle of the height.
    fn fit_selection(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let selected = self.selected_slice();
        let placed = selected.and_then(|slice| layout.place(slice)).map(|placed| placed.start..placed.end);
        let Some(wanted) = placed.or_else(|| Some(self.range()?.0)) else {
            return self.fit_all(trace, layout);
        };
        let mut there = self.window.clone();
        there.fit(wanted.clone());
        if there.viewport() == self.window.viewport() {
            return self.fit_all(trace, layout);
        }
        self.fit(wanted);
        if let Some(line) = selected.and_then(|slice| self.main.line_of_slice(layout, slice)) {
            let Range { start, end } = self.window.heights();
            let middle = |start: u64, end: u64| (start as f64 + end as f64) / 2.0;
            self.scroll((middle(line.top, line.bottom()) - middle(start, end)).round());
        }
    }

    /// Zooms to where a slice is a fifth of the window, unless it is shown whole and wide enough to be seen.
    fn make_visible(&mut self, slice: SliceId, layout: &impl LayoutView) {
        let Some(placed) = layout.place(slice) else { return };
        let (start, end) = (placed.start, placed.end);
        let width = f64::from(self.window.x(end)) - f64::from(self.window.x(start));
        let Range { start: left, end: right } = self.window.viewport().range();
        if width >= VISIBLE && left <= start && end <= right {
            return;
        }
        let beside = end - start;
        let beside = beside + beside;
        self.window.show(start - beside..end + beside);
        self.moved();
    }

    /// Selects what is beside the selected element. Without one it moves.
    fn walk(&mut self, command: Command, trace: &impl TraceView, layout: &impl LayoutView) {
        if let Some(element) = self.on_header() {
            let is_next = match command {
                Command::Right | Command::Next => true,
                Command::Left | Command::Previous => false,
                _ => return,
            };
            let found = self.beside_on_header(element, is_next, trace);
            return found.into_iter().for_each(|(element, at)| self.go_to_header(element, at, trace, layout));
        }
        let columns = f64::from(self.window.viewport().columns());
        let found = match (command, self.selected_slice()) {
            (Command::First, _) => self.rects(layout).first().map(|found| found.rect.slice),
            (Command::Left, None) => return self.pan(-0.1 * columns),
            (Command::Right, None) => return self.pan(0.1 * columns),
            (Command::Up, None) => return self.scroll(-f64::from(self.heights.row)),
            (Command::Down, None) => return self.scroll(f64::from(self.heights.row)),
            (_, None) => None,
            (Command::Left | Command::Previous, Some(slice)) => layout.previous(slice),
            (Command::Right | Command::Next, Some(slice)) => layout.next(slice),
            (Command::Up, Some(slice)) => layout.parent(slice).or_else(|| self.beside(slice, true, layout)),
            (_, Some(slice)) => {
                let children = layout.children(slice).iter().copied();
                // The longest one is most likely the one that is visible, and the first one of several.
                let longest =
                    children.rev().max_by_key(|&child| trace.slice(child).map(|child| child.duration()));
                longest.or_else(|| self.beside(slice, false, layout))
            }
        };
        found.into_iter().for_each(|slice| self.go(slice, trace, layout));
    }

    /// What is selected, if it is on the header of a track.
    fn on_header(&self) -> Option<Element> {
        let element = self.place.selected.as_ref()?.element;
        matches!(element, Element::Instant(_) | Element::State(_) | Element::Counter(_)).then_some(element)
    }

    /// The instant, state or counter value before or behind another one of its track, of those that are shown.
    fn beside_on_header(
        &self,
        element: Element,
        is_next: bool,
        trace: &impl TraceView,
    ) -> Option<(Element, (TrackId, Tick))> {
        let step = |position: &usize| if is_next { Some(position + 1) } else { position.checked_sub(1) };
        match element {
            Element::Instant(number) => {
                let (track, instant) = trace.instant(number)?;
                let all = trace.instants_of(track);
                let first = all.partition_point(|other| other.at < instant.at);
                let own = (first..all.len()).find(|&at| trace.instant_number(track, at) == Some(number))?;
                let Place { names, categories, .. } = &self.place;
                let is_in = |list: &[String], name| list.iter().any(|hidden| *hidden == trace.name(name));
                let shown = |position: &usize| {
                    all.get(*position)
                        .is_none_or(|it| !is_in(names, it.name) && !is_in(categories, it.category))
                };
                let position = core::iter::successors(step(&own), step).find(shown)?;
                let at = all.get(position)?.at;
                Some((Element::Instant(trace.instant_number(track, position)?), (track, at)))
            }
            Element::State(state) => {
                let (track, own) = trace.state(state)?;
                let all = trace.states_of(track);
                let first = all.partition_point(|other| other.start < own.start);
                let own = (first..all.len()).find(|&at| trace.state_id(track, at) == Some(state))?;
                let position = step(&own)?;
                Some((Element::State(trace.state_id(track, position)?), (track, all.get(position)?.start)))
            }
            Element::Counter(track) => {
                let (all, at) = (trace.counters_of(track), self.tick(self.place.selected.as_ref()?.at));
                let position = match is_next {
                    true => Some(all.partition_point(|value| value.at <= at)),
                    false => all.partition_point(|value| value.at < at).checked_sub(1),
                };
                Some((element, (track, all.get(position?)?.at)))
            }
            Element::Slice(_) | Element::Object(_) | Element::Derived(_) => None,
        }
    }

    fn rects(&self, layout: &impl LayoutView) -> Vec<LineRect> {
        let mut rects = Vec::new();
        self.main.rects(self.window.heights(), layout, self.window.viewport(), &mut rects);
        rects
    }

    /// The slice that is drawn above or below another one, on the nearest line that has one.
    fn beside(&self, slice: SliceId, is_above: bool, layout: &impl LayoutView) -> Option<SliceId> {
        let rects = self.rects(layout);
        let from = rects.iter().find(|found| found.rect.slice == slice)?;
        let reaches = |found: &&LineRect| found.rect.x1 > from.rect.x0 && found.rect.x0 < from.rect.x1;
        let mut others = rects.iter().filter(reaches);
        let found = match is_above {
            true => others.rfind(|found| found.line < from.line),
            false => others.find(|found| found.line > from.line),
        };
        Some(found?.rect.slice)
    }

    /// The slice at the other end of a flow of the selected slice.
    fn flow(&self, leaves: bool, trace: &impl TraceView) -> Option<SliceId> {
        let slice = self.selected_slice()?;
        let other = |flow: &Flow| match leaves {
            true => (flow.from == slice).then_some(flow.to),
            // One that arrives where it leaves is among those that leave.
            false => (flow.to == slice && flow.from != slice).then_some(flow.from),
        };
        let all: Vec<SliceId> = trace.flows().iter().filter_map(other).collect();
        all.get(self.flow.checked_rem(all.len())?).copied()
    }

    /// Marks the start of the selected slice, or else the pointer or the middle of the window. A mark that is there goes away.
    fn mark(&mut self, trace: &impl TraceView) {
        let start = self.selected_slice().and_then(|slice| trace.slice(slice)).map(|slice| slice.start);
        let at = self.since(start.unwrap_or_else(|| self.window.tick_at(self.anchor(trace))));
        self.remember();
        let n_marks = self.place.marks.len();
        self.place.marks.retain(|mark| mark.at != at || !mark.is_plain());
        if self.place.marks.len() == n_marks {
            self.place.marks.push(Mark { at, ..Mark::default() });
        }
    }

    /// Marks the selected element, or else the range, or else the pointer or the middle of the window, as the last one, so that
    /// something can be said about it.
    fn note(&mut self, trace: &impl TraceView) {
        let mark = match (&self.place.selected, &self.place.range) {
            (Some(selected), _) => {
                let end = match selected.element {
                    Element::Slice(slice) => trace.slice(slice).map(|slice| slice.end),
                    Element::State(state) => trace.state(state).map(|(_, state)| state.end),
                    Element::Derived(span) => self.derived.span(span, trace).map(|span| span.end),
                    _ => None,
                };
                let end = end.map(|end| self.since(end));
                Mark { at: selected.at, end, of: Some(selected.clone()), ..Mark::default() }
            }
            (None, Some(range)) => Mark { at: range.start, end: Some(range.end), ..Mark::default() },
            (None, None) => {
                let at = self.since(self.window.tick_at(self.anchor(trace)));
                Mark { at, ..Mark::default() }
            }
        };
        self.remember();
        let marks = &mut self.place.marks;
        let is_same = |other: &Mark| (other.at, other.end, &other.of) == (mark.at, mark.end, &mark.of);
        match marks.iter().position(is_same) {
            Some(known) => {
                let known = marks.remove(known);
                marks.push(known);
            }
            None => marks.push(mark),
        }
    }

    /// Ends the search, then the selection, then the range. Returns whether there was one of them.
    fn escape(&mut self) -> bool {
        let Place { search, selected, range, .. } = &self.place;
        if search.is_empty() && selected.is_none() && range.is_none() {
            return false;
        }
        self.remember();
        let Place { search, selected, range, .. } = &mut self.place;
        match () {
            () if !search.is_empty() => search.clear(),
            () if selected.is_some() => *selected = None,
            () => *range = None,
        }
        true
    }

    /// Folds all processes, or opens everything if one is folded.
    fn fold_all(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let processes = self.items.lists().first().into_iter().flatten();
        let paths: Vec<String> =
            processes.filter_map(|&item| self.items.path(item)).map(str::to_owned).collect();
        self.change(trace, layout, |place, folded| {
            let is_one_folded = folded.iter().any(|path| paths.contains(path));
            if is_one_folded {
                folded.clear();
            } else {
                folded.extend(paths);
            }
            place.folded = Some(core::mem::take(folded));
        });
    }

    /// Moves an item up or down by one that is shown.
    fn shift(&mut self, item: Item, is_up: bool, trace: &impl TraceView, layout: &impl LayoutView) {
        let shown: HashSet<Item> =
            self.main.lines().iter().filter_map(|line| Item::of_header(line.kind)).collect();
        let lists = self.lists(trace, layout);
        let derived: Vec<Item> =
            (0..).zip(&self.place.derived).map(|(track, _)| Item::Derived(track)).collect();
        let Some(list) = lists.iter().chain([&derived]).find(|list| list.contains(&item)) else { return };
        let list: Vec<Item> = list.iter().copied().filter(|other| shown.contains(other)).collect();
        let Some(at) = list.iter().position(|&other| other == item) else { return };
        match is_up {
            true if at > 0 => self.move_item(item, list.get(at - 1).copied(), trace, layout),
            false if at + 1 < list.len() => self.move_item(item, list.get(at + 2).copied(), trace, layout),
            _ => {}
        }
    }
}

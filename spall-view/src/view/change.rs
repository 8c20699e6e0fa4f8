//! What changes a view, as a pointer does, and how that is taken back.

use core::ops::Range;
use std::collections::HashSet;

use spall_trace::layout::{LayoutView, Line, active_range};
use spall_trace::model::{SliceId, Tick, TraceView, TrackId};

use super::View;
use crate::{
    Seen,
    element::{Element, Selected},
    item::Item,
    place::{ChosenRange, Place, toggle},
};

/// The part of a window that pinned tracks may take.
const PINNED: f64 = 0.4;
/// How many steps can be taken back.
const STEPS: usize = 200;

impl View {
    /// Gives the window a size: its columns, and its height without the ruler. Pinned tracks take a part of it.
    pub fn resize(&mut self, columns: u16, height: u32) {
        let room = f64::from(height) - self.pinned_height(height) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is at least 0")]
        self.window.resize(columns, room as u32, &self.main);
    }

    /// Returns how much of a window of this height pinned tracks take.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a part of the height")]
    pub fn pinned_height(&self, height: u32) -> u64 {
        self.pinned.height().min((f64::from(height) * PINNED) as u64)
    }

    /// Takes over what a frontend shows, which is no step.
    pub(crate) fn see(&mut self, seen: &Seen) {
        let Seen { view, top, columns, height, pointer, item, panel } = seen;
        self.resize(*columns, *height);
        if let Some(view) = view {
            self.window.show(self.tick(view.start)..self.tick(view.end));
            self.moved();
        }
        self.scroll(*top - self.window.top());
        let column = pointer.map(|at| f64::from(self.window.x(self.tick(at))));
        self.point(column, *item);
        self.set_panel(panel);
    }

    /// Says from how many columns on boxes are told apart.
    pub fn set_box_width(&mut self, columns: u16) {
        self.window.set_box_width(columns);
    }

    /// Says where the pointer is: its column, and the item whose line it is on.
    pub fn point(&mut self, column: Option<f64>, item: Option<Item>) {
        self.pointer = (column, item);
    }

    /// Zooms around a column: with a factor of 2 the window shows half the time.
    pub fn zoom(&mut self, column: f64, factor: f64) {
        self.window.zoom(column, factor);
        self.moved();
    }

    /// Moves by a number of columns, to later times if it is positive.
    pub fn pan(&mut self, columns: f64) {
        self.window.pan(columns);
        self.moved();
    }

    /// Moves down by a distance, or up if it is negative.
    pub fn scroll(&mut self, by: f64) {
        self.window.scroll(by, &self.main);
        self.place.top = self.window.top();
    }

    /// Shows a range of time with a little beside it. This is a step.
    pub fn fit(&mut self, range: Range<Tick>) {
        self.remember();
        self.window.fit(range);
        self.moved();
    }

    /// Shows a range of time, and nothing beside it. This is a step.
    pub(crate) fn show_range(&mut self, range: Range<Tick>) {
        self.remember();
        self.window.show(range);
        self.moved();
    }

    /// Shows a range of time while it is dragged, which is no step.
    pub fn look(&mut self, range: Range<Tick>) {
        self.window.fit(range);
        self.moved();
    }

    /// Shows what is active in the trace, and all of one that grows. This is a step.
    pub fn fit_all(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        self.remember();
        let all = active_range(trace, layout).filter(|_| self.place.view.is_some());
        self.window.fit(all.unwrap_or(self.window.bounds()));
        (self.place.view, self.place.follows) = (None, false);
    }

    /// The window has moved.
    pub(super) fn moved(&mut self) {
        let Range { start, end } = self.window.viewport().range();
        self.place.view = Some(self.since(start)..self.since(end));
        self.place.follows = false;
        self.place.top = self.window.top();
    }

    /// Selects an element, a counter at a time, or nothing. This is a step.
    pub fn select(&mut self, element: Option<(Element, Tick)>, trace: &impl TraceView) {
        self.remember();
        self.flow = 0;
        self.place.selected =
            element.map(|(element, at)| Selected { element, at: self.since(at), name: element.name(trace) });
    }

    /// Selects a slice and brings it into view, if need be by opening what it is folded into and showing its track. This is a
    /// step.
    pub fn go(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(placed) = layout.place(slice) else { return };
        self.select(Some((Element::Slice(slice), placed.start)), trace);
        let is_shown = |line: &Line| Item::of_header(line.kind).is_none();
        if !self.main.line_of_slice(layout, slice).is_some_and(is_shown) {
            self.open(self.items.item_of(placed.track), true, trace, layout);
        }
        if let Some(line) = self.main.line_of_slice(layout, slice) {
            self.bring(line.top..line.bottom(), placed.start..placed.end);
        }
    }

    /// Selects what a place says that was applied, as a part of that step.
    pub(crate) fn keep_selected(&mut self, selected: Selected) {
        self.place.selected = Some(selected);
    }

    /// Brings an item into view with as much of what is below its header as there is room for, if need be by opening what it is
    /// folded into and showing it. This is a step.
    pub fn reveal(&mut self, item: Item, trace: &impl TraceView, layout: &impl LayoutView) {
        self.remember();
        if let Some(heights) = self.heights_of(item, trace, layout) {
            let range = self.window.viewport().range();
            self.window.reveal(self.with_process(heights), range, &self.main);
            self.place.top = self.window.top();
        }
    }

    /// Selects something at a time that is on the header of a track, and brings it into view. This is a step.
    pub(crate) fn go_to_header(
        &mut self,
        element: Element,
        (track, at): (TrackId, Tick),
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) {
        self.select(Some((element, at)), trace);
        if let Some(heights) = self.heights_of(self.items.item_of(track), trace, layout) {
            self.bring(heights, at..at);
        }
    }

    /// Brings the time of a mark into view, and selects what it is about. This is a step.
    pub(crate) fn go_to_mark(&mut self, number: usize, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(mark) = self.place.marks.get(number).cloned() else { return };
        let Range { start, end } = mark.range();
        let (start, end) = (self.tick(start), self.tick(end));
        match mark.of {
            Some(Selected { element: Element::Slice(slice), .. }) => return self.go(slice, trace, layout),
            Some(of) => self.select(Some((of.element, self.tick(of.at))), trace),
            None => self.remember(),
        }
        match end > start {
            true => self.look(start..end),
            false => {
                let heights = self.window.heights();
                self.window.reveal(heights, start..end, &self.main);
                self.moved();
            }
        }
    }

    /// The heights of an item, which is opened and shown if it has no line.
    pub(super) fn heights_of(
        &mut self,
        item: Item,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) -> Option<Range<u64>> {
        let is_header = |line: &Line| line.kind == item.header();
        if !self.main.lines().iter().any(is_header) {
            self.open(item, false, trace, layout);
        }
        let mut lines = self.main.lines().iter().skip_while(|line| !is_header(line));
        let header = lines.next()?;
        let is_below = |line: &&Line| match (item, Item::of_header(line.kind)) {
            (Item::Process(_), Some(other)) => !matches!(other, Item::Process(_)),
            (_, other) => other.is_none(),
        };
        Some(header.top..lines.take_while(is_below).last().unwrap_or(header).bottom())
    }

    /// Opens what an item is folded into, and shows it if it is hidden. `itself` is whether the item is opened, too.
    fn open(&mut self, item: Item, itself: bool, trace: &impl TraceView, layout: &impl LayoutView) {
        let parent = |track: &TrackId| trace.track_info(*track)?.parent;
        let first = self.items.tracks_of(trace, item).first().and_then(parent);
        let mut above: Vec<Item> = core::iter::successors(first, parent).map(Item::Track).collect();
        above.extend(self.items.process_of(trace, item).filter(|&process| process != item));
        let paths = |items: &[Item]| -> HashSet<String> {
            items.iter().filter_map(|&item| self.items.path(item)).map(str::to_owned).collect()
        };
        let mut opened = paths(&above);
        above.push(item);
        let shown = paths(&above);
        if itself {
            opened.clone_from(&shown);
        }
        let mut folded = self.folded();
        folded.retain(|path| !opened.contains(path));
        self.place.hidden.retain(|path| !shown.contains(path));
        self.place.folded = Some(folded);
        self.stack(trace, layout);
    }

    /// Moves no further than it takes to show some heights and some of a range of time.
    fn bring(&mut self, heights: Range<u64>, range: Range<Tick>) {
        let before = self.window.viewport().range();
        self.window.reveal(self.with_process(heights), range, &self.main);
        let follows = self.place.follows && self.window.viewport().range() == before;
        self.moved();
        self.place.follows = follows;
    }

    /// A frontend may keep the header of the process in sight above lines.
    fn with_process(&self, heights: Range<u64>) -> Range<u64> {
        heights.start.saturating_sub(self.heights.process.into())..heights.end
    }

    /// Chooses the range of time, of some items or of all, that statistics and call trees are about. This is a step.
    pub fn choose(&mut self, range: Option<(Range<Tick>, Option<Vec<Item>>)>) {
        self.remember();
        self.choose_on(range);
    }

    /// Does the same while an edge is dragged, which is no step.
    pub fn choose_on(&mut self, range: Option<(Range<Tick>, Option<Vec<Item>>)>) {
        let paths = |items: Vec<Item>| {
            let path = |&item: &Item| self.items.path(item).map(str::to_owned);
            items.iter().filter_map(path).collect()
        };
        self.place.range = range.map(|(range, items)| ChosenRange {
            start: self.since(range.start),
            end: self.since(range.end),
            items: items.map(paths),
        });
    }

    /// Folds what a header stands for, or opens it. This is a step.
    pub fn toggle_fold(&mut self, item: Item, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(path) = self.items.path(item).map(str::to_owned) else { return };
        self.change(trace, layout, |place, folded| {
            toggle(folded, &path);
            place.folded = Some(core::mem::take(folded));
        });
    }

    /// Keeps what a header stands for in sight, or no longer. This is a step.
    pub fn toggle_pin(&mut self, item: Item, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(path) = self.items.path(item).map(str::to_owned) else { return };
        self.change(trace, layout, |place, _| _ = toggle(&mut place.pinned, &path));
    }

    /// Hides what a header stands for, or shows it again. This is a step.
    pub fn toggle_hidden(&mut self, item: Item, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(path) = self.items.path(item).map(str::to_owned) else { return };
        match item {
            Item::Derived(_) => self.set_derived(&path, None, trace, layout),
            _ => self.change(trace, layout, |place, _| _ = toggle(&mut place.hidden, &path)),
        }
    }

    /// Puts a counter into a list of the place, or takes it out. This is a step.
    pub(crate) fn toggle_counter(
        &mut self,
        item: Item,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        list: impl FnOnce(&mut Place) -> &mut Vec<String>,
    ) {
        let is_counter = matches!(item, Item::Track(track) if !trace.counters_of(track).is_empty());
        let Some(path) = self.items.path(item).filter(|_| is_counter).map(str::to_owned) else { return };
        self.change(trace, layout, |place, _| _ = toggle(list(place), &path));
    }

    /// Puts an item before another one of its list, or at the end. This is a step.
    pub fn move_item(
        &mut self,
        item: Item,
        before: Option<Item>,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) {
        let path = |item| self.items.path(item).map(str::to_owned);
        let (Some(path), before) = (path(item), before.and_then(path)) else { return };
        if matches!(item, Item::Derived(_)) {
            return self.change_derived(trace, layout, |all| {
                let Some(at) = all.iter().position(|track| track.path() == path) else { return };
                let moved = all.remove(at);
                let before = before.and_then(|before| all.iter().position(|track| track.path() == before));
                all.insert(before.unwrap_or(all.len()), moved);
            });
        }
        self.change(trace, layout, |place, _| {
            place.moves.pop_if(|(last, _)| *last == path);
            place.moves.push((path, before));
        });
    }

    /// Looks for what a pattern says. This is a step, and typing on belongs to it.
    pub(crate) fn search(&mut self, pattern: String) {
        let is_typed_on = self.past.last().is_some_and(|before| {
            let undone = Place { search: before.search.clone(), ..self.place.clone() };
            before.search != self.place.search && undone == *before
        });
        if !is_typed_on {
            self.remember();
        }
        self.future.clear();
        self.place.search = pattern;
    }

    /// Says which panel is open, which is no step.
    pub fn set_panel(&mut self, panel: &str) {
        panel.clone_into(&mut self.place.panel);
    }

    /// Changes what the user has set, as one step. `change` is also given the paths of what is folded.
    pub fn change(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        change: impl FnOnce(&mut Place, &mut Vec<String>),
    ) {
        self.remember();
        let mut folded = self.folded();
        change(&mut self.place, &mut folded);
        self.stack(trace, layout);
    }

    /// The place is about to change in a way that can be taken back.
    pub(super) fn remember(&mut self) {
        if self.past.last() != Some(&self.place) {
            self.past.push(self.place.clone());
            self.n_steps += 1;
        }
        if self.past.len() > STEPS {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// Takes the last step back, or does it again. Returns whether there was one.
    pub(super) fn take_back(
        &mut self,
        is_back: bool,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) -> bool {
        let (from, to) = match is_back {
            true => (&mut self.past, &mut self.future),
            false => (&mut self.future, &mut self.past),
        };
        let before = loop {
            let Some(mut before) = from.pop() else { return false };
            before.panel.clone_from(&self.place.panel); // it is not taken back
            if before != self.place {
                break before;
            }
        };
        to.push(core::mem::take(&mut self.place));
        self.show(before, trace, layout);
        true
    }

    /// Shows what a place says, which is one step.
    pub(crate) fn apply(&mut self, place: Place, trace: &impl TraceView, layout: &impl LayoutView) {
        self.remember();
        self.show(place, trace, layout);
    }

    pub(super) fn show(&mut self, place: Place, trace: &impl TraceView, layout: &impl LayoutView) {
        match &place.view {
            Some(range) => self.window.show(self.tick(range.start)..self.tick(range.end)),
            // As a trace is shown at first.
            None => self.window.fit(active_range(trace, layout).unwrap_or_default()),
        }
        self.place = place;
        self.stack(trace, layout);
        self.window.scroll(self.place.top - self.window.top(), &self.main);
    }
}

//! What a user does: it changes the place, and what follows from it.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use spall_trace::layout::LayoutView;
use spall_trace::model::{SliceId, Tick, TraceView};

use crate::{
    Engine, Since,
    command::Command,
    derived_track::{DerivedTrack, NamedRows},
    element::{Element, Selected},
    hits::Target,
    item::Item,
    matcher::{matcher, pattern_of},
    objects::Objects,
    place::{ChosenRange, Place},
    shown::Shown,
    statistics::Area,
    view::View,
};

/// What a user does with a pointer or in a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Does what a command says.
    Command(Command),
    /// Selects an element, a counter at a time, or nothing. Instead of a span of a derived track this selects what the span stands
    /// for, if it does, and brings that into view.
    Select(Option<Element>, Since),
    /// Selects a slice and brings it into view.
    Go(#[cfg_attr(test, ts(as = "u32"))] SliceId),
    /// Goes to something that may have been found: brings it into view, and selects it if it can be selected.
    Visit(Target),
    /// Chooses what statistics and call trees are about.
    Choose(Option<ChosenRange>),
    /// Folds what a header stands for, or opens it.
    Fold(Item),
    /// Keeps what a header stands for in sight, or no longer.
    Pin(Item),
    /// Hides what a header stands for, or shows it again. A derived track is removed.
    Hide(Item),
    /// Shows rows of times and names as a derived track, in the place of those with the same title. Without rows, there is no such
    /// track any more.
    Rows(NamedRows),
    /// Shows the change of a counter per second, or its values again.
    Rate(Item),
    /// Gives a counter one scale with all others of which this was said, or its own again.
    Share(Item),
    /// Puts an item before another one of its list, or at the end.
    Move(Item, Option<Item>),
    /// Shows a range of time, and nothing beside it.
    Show(Since, Since),
    /// Looks for what [`matcher`](crate::matcher) says of a pattern, or for nothing if it is empty.
    Search(String),
    /// Looks only for what takes so long of what is looked for, or for all of it again.
    Durations(Option<(Since, Since)>),
    /// Says something about the mark at a position of the place.
    Annotate(usize, String),
    /// Removes the mark at a position of the place.
    Unmark(usize),
    /// Hides these categories and names, and no others.
    Filter(Vec<String>, Vec<String>),
    /// Shows what a place says.
    Apply(Box<Place>),
}

/// What a frontend shows of the timeline when it asks for something, if it moves by itself between its questions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// The range of time in view, if it has moved since the engine has said it.
    pub view: Option<Range<Since>>,
    /// How far the timeline is scrolled down.
    pub top: f64,
    /// How many columns it has.
    pub columns: u16,
    /// How high it is, without the ruler.
    pub height: u32,
    /// The time under the pointer.
    pub pointer: Option<Since>,
    /// The item on whose lines the pointer is.
    pub item: Option<Item>,
    /// The panel that is open.
    pub panel: String,
}

impl<S: Shown> Engine<S> {
    /// Returns what the user has chosen to see.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Changes what is seen. [`View`] says what can be done.
    pub fn change_view(&mut self, change: impl FnOnce(&mut View)) {
        change(&mut self.view);
    }

    /// Returns what the user has set, with the files and the value of samples.
    #[must_use]
    pub fn current_place(&self) -> Place {
        Place { files: self.said.files.clone(), value: self.said.value.clone(), ..self.view.place().clone() }
    }

    /// Does what the user wants. Returns whether it is something that the engine does: a panel, for example, is opened by the
    /// frontend.
    pub fn act(&mut self, action: Action) -> bool {
        let before = self.view.place().clone();
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        let (trace, layout) = (&*trace, &*layout);
        let is_done = match action {
            Action::Command(command @ (Command::NextOfName | Command::PreviousOfName)) => {
                return self.go_to_same_name(command == Command::NextOfName);
            }
            Action::Command(command @ (Command::NextHit | Command::PreviousHit)) => {
                self.step_to_hit(command == Command::NextHit);
                return true;
            }
            Action::Visit(target) => {
                self.visit(target);
                return true;
            }
            Action::Command(Command::Escape) if before.search.is_empty() && self.found_all().is_some() => {
                (self.search, self.searching) = Default::default(); // what has the name of a slice
                true
            }
            Action::Durations(durations) => {
                let (before, clock) = (matcher(&before.search), trace.clock());
                let text = before.map_or_else(|_| String::new(), |matches| matches.text().to_owned());
                let durations = durations.map(|(start, end)| pattern_of(&(start.0..end.0), &clock));
                let pattern = [text, durations.unwrap_or_default()].join(" ");
                self.view.search(pattern.trim().into());
                true
            }
            Action::Select(Some(Element::Derived(span)), _) => {
                self.view.select_derived(span, trace, layout);
                true
            }
            Action::Select(element, at) => {
                let at = element_start(element, at, &self.view, &self.objects, trace);
                self.view.select(element.zip(at), trace);
                true
            }
            action => self.view.act(action, trace, layout),
        };
        self.follow(&before);
        is_done
    }

    /// Takes over what a frontend shows of the timeline, which is no step.
    pub fn see(&mut self, seen: &Seen) {
        self.view.see(seen);
    }

    /// Changes what the user has set, as one step.
    pub fn change(&mut self, change: impl FnOnce(&mut Place)) {
        let before = self.view.place().clone();
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        self.view.change(&*trace, &*layout, |place, _| change(place));
        self.follow(&before);
    }

    /// Does what follows from another place: what is hidden is laid out anew, and what is looked for is found anew.
    fn follow(&mut self, before: &Place) {
        let now = self.view.place();
        let is_filtered = (&now.categories, &now.names) != (&before.categories, &before.names);
        let is_sought = now.search != before.search;
        if is_filtered {
            self.refilter();
        }
        if is_filtered || is_sought {
            self.find_again();
        }
    }

    /// Shows a trace as a place says. Returns a sentence for each thing that the trace does not have: the rest is shown.
    pub fn apply(&mut self, mut place: Place) -> Vec<String> {
        let mut missing = Vec::new();
        if !place.files.is_empty() {
            let others: Vec<&str> = place.files.iter().map(|file| file.name.as_str()).collect();
            if !self.said.files.iter().map(|file| file.name.as_str()).eq(others.iter().copied()) {
                missing.push(format!("This place is one of {}.", others.join(", ")));
            }
        }
        self.check_derived(&mut place, &mut missing);
        // What is on derived tracks is known when they are shown.
        let is_derived = |selected: &mut Selected| matches!(selected.element, Element::Derived(_));
        let on_derived = place.selected.take_if(is_derived);
        if let Some(selected) = place.selected.take_if(|selected| !self.is_here(selected)) {
            missing.push(format!("Here is no {} at that time, so nothing is selected.", selected.name));
        }
        for mark in &mut place.marks {
            if let Some(of) = mark.of.take_if(|of| !is_derived(of) && !self.is_here(of)) {
                missing.push(format!(
                    "Here is no {} at that time, so what is noted on it is noted on the time.",
                    of.name
                ));
            }
        }
        let derived: Vec<String> = place.derived.iter().map(DerivedTrack::path).collect();
        let Place { folded, hidden, pinned, rates, shared, range, .. } = &mut place;
        let lists = folded.iter_mut().chain([hidden, pinned, rates, shared]);
        let lists = lists.chain(range.as_mut().and_then(|range| range.items.as_mut()));
        for list in lists {
            list.retain(|path| {
                let is_known = match self.view.items.at_path(path) {
                    None | Some(Item::Derived(_)) => derived.contains(path),
                    Some(_) => true,
                };
                if !is_known {
                    missing.push(format!("Here is no track {path}."));
                }
                is_known
            });
        }
        self.act(Action::Apply(Box::new(place)));
        if let Some(selected) = on_derived.filter(|selected| self.is_here(selected)) {
            self.view.keep_selected(selected);
        }
        missing
    }

    /// Whether an element of a place is one of this trace.
    pub(crate) fn is_here(&self, selected: &Selected) -> bool {
        let at = self.element_start(Some(selected.element), selected.at);
        at == Some(self.tick(selected.at)) && selected.element.name(&*self.trace()) == selected.name
    }

    /// The start of an element, if there is such an element. A counter has the time at which it was pointed at.
    fn element_start(&self, element: Option<Element>, at: Since) -> Option<Tick> {
        element_start(element, at, &self.view, &self.objects, &*self.trace())
    }

    /// Returns what statistics and call trees are about: what was chosen, or all of the trace.
    #[must_use]
    pub fn area(&self) -> Area {
        self.view.area()
    }

    /// Finds all slices of the name of the selected one, and goes to the next or the previous one.
    fn go_to_same_name(&mut self, is_next: bool) -> bool {
        let Some(slice) = self.view.selected_slice() else { return true };
        self.find_name(slice);
        self.act(Action::Command(if is_next { Command::NextHit } else { Command::PreviousHit }))
    }

    /// Returns the range of time that statistics and call trees are about: the one that was chosen, or all of the trace.
    #[must_use]
    pub fn chosen(&self) -> (Range<Tick>, Option<Vec<Item>>) {
        self.view.chosen()
    }
}

impl View {
    /// Does what the user wants. Returns whether it is something that the view does. Of elements, it
    /// selects slices, and counters at a time.
    pub fn act(&mut self, action: Action, trace: &impl TraceView, layout: &impl LayoutView) -> bool {
        match action {
            Action::Command(command) => return self.run(command, trace, layout),
            Action::Select(element, at) => {
                let start = element.and_then(|element| match element {
                    Element::Slice(slice) => Some(trace.slice(slice)?.start),
                    Element::Counter(track) => trace.track_info(track).map(|_| self.tick(at)),
                    _ => None,
                });
                self.select(element.zip(start), trace);
            }
            Action::Go(slice) => self.go(slice, trace, layout),
            Action::Choose(range) => self.change(trace, layout, |place, _| place.range = range),
            Action::Fold(item) => self.toggle_fold(item, trace, layout),
            Action::Pin(item) => self.toggle_pin(item, trace, layout),
            Action::Hide(item) => self.toggle_hidden(item, trace, layout),
            Action::Rows(rows) => self.set_rows(rows, trace, layout),
            Action::Rate(item) => self.toggle_counter(item, trace, layout, |place| &mut place.rates),
            Action::Share(item) => self.toggle_counter(item, trace, layout, |place| &mut place.shared),
            Action::Move(item, before) => self.move_item(item, before, trace, layout),
            Action::Filter(categories, names) => self.change(trace, layout, |place, _| {
                (place.categories, place.names) = (categories, names);
            }),
            Action::Show(start, end) => self.show_range(self.tick(start)..self.tick(end)),
            Action::Search(pattern) => self.search(pattern),
            Action::Annotate(number, text) => self.change(trace, layout, |place, _| {
                if let Some(mark) = place.marks.get_mut(number) {
                    mark.text = text;
                }
            }),
            Action::Unmark(number) => self.change(trace, layout, |place, _| {
                if number < place.marks.len() {
                    place.marks.remove(number);
                }
            }),
            // What durations are of, and what was found, are questions for an engine.
            Action::Durations(_) | Action::Visit(_) => return false,
            Action::Apply(place) => self.apply(*place, trace, layout),
        }
        true
    }

    /// Returns the range of time that statistics and call trees are about, and the items whose tracks count: what was chosen, or
    /// all of the trace.
    #[must_use]
    pub fn chosen(&self) -> (Range<Tick>, Option<Vec<Item>>) {
        let bounds = self.window().bounds();
        self.range().unwrap_or((bounds.start..Tick(bounds.end.0.saturating_add(1)), None))
    }

    /// Returns what statistics and call trees are about: what was chosen, or all of the trace.
    #[must_use]
    pub fn area(&self) -> Area {
        let (range, items) = self.chosen();
        let chosen = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        let Place { measure, tracks, .. } = self.place();
        let (measure, tracks) = (chosen(measure), chosen(tracks));
        Area { start: self.since(range.start), end: self.since(range.end), items, tracks, measure }
    }
}

/// The start of an element, if there is such an element. A counter has the time at which it was pointed at.
fn element_start(
    element: Option<Element>,
    at: Since,
    view: &View,
    objects: &Objects,
    trace: &impl TraceView,
) -> Option<Tick> {
    match element? {
        Element::Slice(slice) => Some(trace.slice(slice)?.start),
        Element::State(state) => Some(trace.state(state)?.1.start),
        Element::Instant(number) => Some(trace.instant(number)?.1.at),
        Element::Counter(track) => trace.track_info(track).map(|_| view.tick(at)),
        Element::Object(piece) => objects.piece(piece).map(|_| view.tick(at)),
        Element::Derived(span) => Some(view.derived.span(span, trace)?.start),
    }
}

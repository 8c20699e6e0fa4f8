//! What a user has chosen to see of a trace, without the trace: lines, the part of them in a window, and the place.

use core::ops::Range;
use std::collections::HashSet;

use spall_trace::layout::{
    Folds, Hits, LayoutView, Line, LineKind, LineRect, PackId, Vertical, VerticalStyle, Window, active_range,
};
use spall_trace::model::{Measure, ProcessId, SliceId, Tick, TraceView, TrackId, TrackKind, TrackSet};

use crate::{
    Since,
    command::Command,
    element::Element,
    heights::Heights,
    item::{Item, Items},
    place::{ChosenRange, Mark, Place, Selected, toggle},
};

/// The part of a window that pinned tracks may take.
const PINNED: f64 = 0.4;
/// How many steps can be taken back.
const STEPS: usize = 200;

/// What a user has chosen to see of a trace. It holds no trace, so that it stays while a live trace grows: its functions are
/// given the trace and the layout.
#[derive(Debug)]
pub struct View {
    origin: Tick,
    pub(crate) heights: Heights,
    /// The set of tracks that are added up if nobody chooses another one.
    pub(crate) shown: TrackSet,
    pub(crate) items: Items,
    /// The height that the header of each track has while the track is open. 0 if nothing is shown on it.
    headers: Vec<u32>,
    /// How high the lines of the objects of each process are.
    objects: Vec<u32>,
    place: Place,
    past: Vec<Place>,
    future: Vec<Place>,
    window: Window,
    folds: Folds,
    main: Vertical,
    pinned: Vertical,
    /// The lines of the main part whose instants are about a whole process or the whole trace.
    pub(crate) wide: Vec<Wide>,
    /// The column of the pointer, and what it points at.
    pointer: (Option<f64>, Option<Item>),
    /// Which of the flows of the selected slice is followed.
    flow: usize,
}

/// A line whose instants are as high as what they are about, and how far down that is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) line: Line,
    pub(crate) track: TrackId,
    pub(crate) bottom: u64,
}

impl View {
    /// Shows all of a trace, in lines of these heights. `object_lines` are how many lines of objects each process has.
    pub(crate) fn new(
        trace: &impl TraceView,
        layout: &impl LayoutView,
        heights: Heights,
        object_lines: impl Fn(ProcessId) -> u32,
        has_instants: impl Fn(TrackId) -> bool,
        shown: TrackSet,
    ) -> Self {
        let active = active_range(trace, layout).unwrap_or_default();
        let processes = trace.track_ids().filter_map(|track| trace.track_info(track)?.process);
        let n_processes = processes.map(|process| process.index() + 1).max().unwrap_or(0);
        let objects = |process| object_lines(ProcessId::new(process)) * heights.object;
        let mut window = Window::new(trace.bounds().unwrap_or_default());
        window.fit(active.clone());
        let mut view = Self {
            origin: active.start,
            heights,
            shown,
            items: Items::default(),
            headers: Vec::new(),
            objects: (0..n_processes).map(objects).collect(),
            place: Place::default(),
            past: Vec::new(),
            future: Vec::new(),
            window,
            folds: Folds::new(),
            main: Vertical::default(),
            pinned: Vertical::default(),
            wide: Vec::new(),
            pointer: (None, None),
            flow: 0,
        };
        view.items = Items::new(trace, layout);
        view.lay_out(trace, layout, has_instants);
        view
    }

    /// Shows a trace that grows, from nothing on. [`View::grow`] shows more of it.
    #[must_use]
    pub fn live(heights: Heights) -> Self {
        Self {
            origin: Tick(0),
            heights,
            shown: TrackSet::All,
            items: Items::default(),
            headers: Vec::new(),
            objects: Vec::new(),
            place: Place::default(),
            past: Vec::new(),
            future: Vec::new(),
            window: Window::new(Range::default()),
            folds: Folds::new(),
            main: Vertical::default(),
            pinned: Vertical::default(),
            wide: Vec::new(),
            pointer: (None, None),
            flow: 0,
        }
    }

    /// Shows what a live trace has by now. While nobody has chosen a range of time, the whole trace is in view.
    pub fn grow(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let bounds = trace.bounds().unwrap_or_default();
        if self.place == Place::default() && self.window.bounds().is_empty() {
            self.origin = bounds.start;
        }
        self.window.set_bounds(bounds.clone());
        if self.place.view.is_none() {
            self.window.fit(bounds);
        }
        let is_used = |track: &TrackId| {
            let is_thread =
                trace.track_info(*track).is_some_and(|track| TrackSet::Threads.contains(&track.kind));
            is_thread && layout.track_rows(*track).next().is_some()
        };
        let has_threads = trace.track_ids().any(|track| is_used(&track));
        self.shown = if has_threads { TrackSet::Threads } else { TrackSet::All };
        self.items = Items::new(trace, layout);
        self.lay_out(trace, layout, |track| !trace.instants_of(track).is_empty());
    }

    /// Stacks what a layout shows. A track of which nothing is shown is like one that has nothing.
    pub(crate) fn lay_out(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        has_instants: impl Fn(TrackId) -> bool,
    ) {
        self.items.lay_out(layout);
        let Heights { counter, marks, gap, folded, .. } = self.heights;
        let header = |track: TrackId| {
            let next = trace.track_info(TrackId::new(track.index() + 1));
            match () {
                () if !trace.counters_of(track).is_empty() => counter,
                () if has_instants(track) || !trace.states_of(track).is_empty() => marks,
                () if layout.track_rows(track).next().is_some() => gap,
                () if next.is_some_and(|next| next.parent == Some(track)) => folded,
                () => 0,
            }
        };
        self.headers = trace.track_ids().map(header).collect();
        self.stack(trace, layout);
    }

    /// Returns the part of the timeline that is in view. Its heights are those of the main part.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the lines of the whole timeline.
    #[must_use]
    pub fn main(&self) -> &Vertical {
        &self.main
    }

    /// Returns the lines of the pinned tracks, which stay in sight above the others.
    #[must_use]
    pub fn pinned(&self) -> &Vertical {
        &self.pinned
    }

    pub(crate) fn part(&self, is_pinned: bool) -> &Vertical {
        if is_pinned { &self.pinned } else { &self.main }
    }

    /// The number of tracks with nothing on them.
    pub(crate) fn n_empty(&self) -> u64 {
        (self.headers.len() - self.items.n_shown()) as u64
    }

    /// Returns what the user has set.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns how high lines are.
    #[must_use]
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// Returns where the times of the place are counted from.
    #[must_use]
    pub fn origin(&self) -> Tick {
        self.origin
    }

    /// Returns whether what a header stands for is folded.
    #[must_use]
    pub fn is_folded(&self, line: LineKind) -> bool {
        self.folds.is_folded(line)
    }

    /// Returns the text of a header, or `None` for another line. That of a pack says how many spans it has.
    #[must_use]
    pub fn label(&self, line: &Line, trace: &impl TraceView) -> Option<String> {
        let LineKind::Pack(pack) = line.kind else { return line.label(trace).map(Into::into) };
        let (group, packed) = (self.items.group(pack)?, self.items.pack(pack)?);
        Some(format!("{} ({} spans)", group.title(trace), packed.n_slices()))
    }

    /// Returns the item that has the line at a height of the main or the pinned part.
    #[must_use]
    pub fn item_at(&self, is_pinned: bool, y: u64) -> Option<Item> {
        let vertical = self.part(is_pinned);
        let above = vertical.lines().get(..=vertical.at(y)?.id.index())?;
        above.iter().rev().find_map(|line| Item::of_header(line.kind))
    }

    /// Returns the tracks that an item stands for.
    #[must_use]
    pub fn tracks_of(&self, trace: &impl TraceView, item: Item) -> Vec<TrackId> {
        self.items.tracks_of(trace, item)
    }

    /// Returns the slice that is selected.
    #[must_use]
    pub fn selected_slice(&self) -> Option<SliceId> {
        match self.place.selected.as_ref()?.element {
            Element::Slice(slice) => Some(slice),
            _ => None,
        }
    }

    /// Returns the range of time that statistics and call trees are about, and the items whose tracks count; `None` if nobody
    /// has chosen one.
    #[must_use]
    pub fn range(&self) -> Option<(Range<Tick>, Option<Vec<Item>>)> {
        let ChosenRange { start, end, items } = self.place.range.as_ref()?;
        let items = items.as_ref().map(|paths| self.at_paths(paths).collect());
        Some((self.tick(*start)..self.tick(*end), items))
    }

    /// Returns what is added up.
    #[must_use]
    pub fn measure(&self) -> Measure {
        Measure::of_name(&self.place.measure).unwrap_or_default()
    }

    /// Returns the set of tracks that are added up where no items are chosen.
    #[must_use]
    pub fn track_set(&self) -> TrackSet {
        TrackSet::of_name(&self.place.tracks).unwrap_or(self.shown)
    }

    /// Returns the tick of a time.
    #[must_use]
    pub fn tick(&self, at: Since) -> Tick {
        self.origin + at.0
    }

    /// Returns the time of a tick.
    #[must_use]
    pub fn since(&self, at: Tick) -> Since {
        Since(at - self.origin)
    }

    pub(crate) fn at_paths<'p>(&'p self, paths: &'p [String]) -> impl Iterator<Item = Item> + 'p {
        paths.iter().filter_map(|path| self.items.at_path(path))
    }

    // What changes the view, as a pointer does.

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
        self.place.view = None;
    }

    /// The window has moved.
    fn moved(&mut self) {
        let Range { start, end } = self.window.viewport().range();
        self.place.view = Some(self.since(start)..self.since(end));
        self.place.top = self.window.top();
    }

    /// Selects an element, a counter at a time, or nothing. This is a step.
    pub fn select(&mut self, element: Option<(Element, Tick)>, trace: &impl TraceView) {
        self.remember();
        self.flow = 0;
        self.place.selected = element.map(|(element, at)| {
            let name = match element {
                Element::Slice(slice) => trace.slice_name(slice).into(),
                Element::Counter(track) => trace.track_title(track).into(),
                _ => String::new(),
            };
            Selected { element, at: self.since(at), name }
        });
    }

    /// Selects a slice and brings it into view, if need be by opening what it is folded into and showing its track. This is a
    /// step.
    pub fn go(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) {
        let Some(placed) = layout.place(slice) else { return };
        self.select(Some((Element::Slice(slice), placed.start)), trace);
        let is_shown = |line: &Line| Item::of_header(line.kind).is_none();
        if !self.main.line_of_slice(layout, slice).is_some_and(is_shown) {
            let mut items = vec![self.items.item_of(placed.track)];
            let parent = |track: &TrackId| trace.track_info(*track)?.parent;
            items.extend(core::iter::successors(parent(&placed.track), parent).map(Item::Track));
            items.extend(self.items.process_of(trace, Item::Track(placed.track)));
            let opened: HashSet<&str> = items.iter().filter_map(|&item| self.items.path(item)).collect();
            let mut folded = self.folded();
            for list in [&mut folded, &mut self.place.hidden] {
                list.retain(|path| !opened.contains(path.as_str()));
            }
            self.place.folded = Some(folded);
            self.stack(trace, layout);
        }
        if let Some(line) = self.main.line_of_slice(layout, slice) {
            let heights = line.top..line.bottom();
            self.window.reveal(heights, placed.start..placed.end, &self.main);
            self.moved();
        }
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
        self.change(trace, layout, |place, _| _ = toggle(&mut place.hidden, &path));
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
    fn remember(&mut self) {
        if self.past.last() != Some(&self.place) {
            self.past.push(self.place.clone());
        }
        if self.past.len() > STEPS {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// Takes the last step back, or does it again. Returns whether there was one.
    fn take_back(&mut self, is_back: bool, trace: &impl TraceView, layout: &impl LayoutView) -> bool {
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

    fn show(&mut self, place: Place, trace: &impl TraceView, layout: &impl LayoutView) {
        match &place.view {
            Some(range) => self.window.show(self.tick(range.start)..self.tick(range.end)),
            // As a trace is shown at first.
            None => self.window.fit(active_range(trace, layout).unwrap_or_default()),
        }
        self.place = place;
        self.stack(trace, layout);
        self.window.scroll(self.place.top - self.window.top(), &self.main);
    }

    // What a key does.

    /// Does what a command says, as far as it is about the timeline. Returns whether it is.
    pub fn run(
        &mut self,
        command: Command,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        hits: &Hits,
    ) -> bool {
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
                }
            }
            (Command::OtherFlowOut | Command::OtherFlowIn, _) => self.flow += 1,
            (Command::NextHit, _) => {
                let found = hits.step_forward(layout, self.selected_slice(), self.window.viewport().range());
                found.into_iter().for_each(|slice| self.go(slice, trace, layout));
            }
            (Command::PreviousHit, _) => {
                let found = hits.step_back(layout, self.selected_slice(), self.window.viewport().range());
                found.into_iter().for_each(|slice| self.go(slice, trace, layout));
            }
            (Command::RangeOfSelection, _) => {
                let placed = self.selected_slice().and_then(|slice| layout.place(slice));
                self.choose(placed.map(|placed| (placed.start..placed.end, None)));
            }
            (Command::RangeOfTrack, Some(item)) => {
                let bounds = self.window.bounds();
                self.choose(Some((bounds.start..Tick(bounds.end.0.saturating_add(1)), Some(vec![item]))));
            }
            (Command::Mark, _) => self.mark(trace),
            (Command::RemoveMarks, _) => {
                self.remember();
                self.place.marks.clear();
            }
            (Command::Escape, _) => return self.escape(),
            (Command::Fold, Some(item)) => self.toggle_fold(item, trace, layout),
            (Command::FoldAll, _) => self.fold_all(trace, layout),
            (Command::Pin, Some(item)) => self.toggle_pin(item, trace, layout),
            (Command::HideTrack, Some(item)) => self.toggle_hidden(item, trace, layout),
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

    /// Zooms to the selected slice, or else to the range; once more to everything.
    fn fit_selection(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let placed = self.selected_slice().and_then(|slice| layout.place(slice));
        let placed = placed.map(|placed| placed.start..placed.end);
        let Some(wanted) = placed.or_else(|| Some(self.range()?.0)) else {
            return self.fit_all(trace, layout);
        };
        let mut there = self.window.clone();
        there.fit(wanted.clone());
        match there == self.window {
            true => self.fit_all(trace, layout),
            false => self.fit(wanted),
        }
    }

    /// Selects a slice beside the selected one. Without one it moves.
    fn walk(&mut self, command: Command, trace: &impl TraceView, layout: &impl LayoutView) {
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
        let other = |flow: &spall_trace::model::Flow| match leaves {
            true => (flow.from == slice).then_some(flow.to),
            false => (flow.to == slice).then_some(flow.from),
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
        self.place.marks.retain(|mark| mark.at != at);
        if self.place.marks.len() == n_marks {
            self.place.marks.push(Mark { at, text: String::new() });
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
        let Some(list) = lists.iter().find(|list| list.contains(&item)) else { return };
        let list: Vec<Item> = list.iter().copied().filter(|other| shown.contains(other)).collect();
        let Some(at) = list.iter().position(|&other| other == item) else { return };
        match is_up {
            true if at > 0 => self.move_item(item, list.get(at - 1).copied(), trace, layout),
            false if at + 1 < list.len() => self.move_item(item, list.get(at + 2).copied(), trace, layout),
            _ => {}
        }
    }

    // What follows from the place.

    /// What is folded.
    pub(crate) fn folded_items(&self) -> Vec<Item> {
        self.at_paths(&self.folded()).collect()
    }

    /// The paths of what is folded.
    fn folded(&self) -> Vec<String> {
        if let Some(folded) = &self.place.folded {
            return folded.clone();
        }
        let packs = (0..self.items.packs().len()).map(|pack| Item::Pack(PackId::new(pack)));
        let folded = packs.filter(|item| self.folds.is_folded(item.header()));
        folded.filter_map(|item| self.items.path(item)).map(str::to_owned).collect()
    }

    /// The processes, and the tracks and packs of each, in the order in which they are shown.
    pub(crate) fn lists(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<Vec<Item>> {
        let mut lists = self.items.lists().to_vec();
        if self.place.by_activity {
            for list in &mut lists {
                list.sort_by_cached_key(|&item| {
                    // The busiest first; none is negative.
                    core::cmp::Reverse(self.items.busy(trace, layout, item).to_bits())
                });
            }
        }
        for (path, before) in &self.place.moves {
            let item_at = |path: &String| self.items.at_path(path);
            let Some(item) = item_at(path) else { continue };
            let Some(list) = lists.iter_mut().find(|list| list.contains(&item)) else { continue };
            list.retain(|&other| other != item);
            let before = before.as_ref().and_then(item_at);
            let at = list.iter().position(|&other| Some(other) == before).unwrap_or(list.len());
            list.insert(at, item);
        }
        lists
    }

    /// The tracks from top to bottom.
    fn order(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<TrackId> {
        if self.place.moves.is_empty() && !self.place.by_activity {
            return trace.track_ids().collect();
        }
        let lists = self.lists(trace, layout);
        let (processes, members) = lists.split_at(1.min(lists.len()));
        let of = |process: Option<Item>| {
            let is_of = move |list: &&Vec<Item>| {
                list.first().is_some_and(|&item| self.items.process_of(trace, item) == process)
            };
            members.iter().find(is_of).into_iter().flatten()
        };
        let processes = processes.iter().flatten().map(|&process| Some(process));
        let items = core::iter::once(None).chain(processes).flat_map(of);
        items.flat_map(|&item| self.items.tracks_of(trace, item)).collect()
    }

    fn stack(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let mut folds = Folds::new();
        match &self.place.folded {
            Some(folded) => self.at_paths(folded).for_each(|item| folds.toggle(item.header())),
            None => folds.fold_tall(self.items.packs()),
        }
        self.folds = folds;
        let is_hidden = self.items.marked(trace, self.at_paths(&self.place.hidden));
        let is_pinned = self.items.marked(trace, self.at_paths(&self.place.pinned));
        let is_in = |list: &[bool], track: &TrackId| list.get(track.index()) == Some(&true);
        let header = |track: &TrackId| self.headers.get(track.index()).copied().unwrap_or(0);
        let mut shown = self.order(trace, layout);
        shown.retain(|track| (self.place.shows_empty || header(track) > 0) && !is_in(&is_hidden, track));
        let pinned: Vec<TrackId> = shown.iter().copied().filter(|track| is_in(&is_pinned, track)).collect();
        let height = |line| self.height(line);
        let style = VerticalStyle {
            height: Some(&height),
            folds: Some(&self.folds),
            tracks: Some(&shown),
            packs: self.items.packs(),
            ..VerticalStyle::FLAT
        };
        let main = Vertical::new(trace, layout, &style);
        let height = |line| if matches!(line, LineKind::Process(_)) { 0 } else { self.height(line) };
        let style = VerticalStyle { height: Some(&height), tracks: Some(&pinned), ..style };
        let pinned = Vertical::new(trace, layout, &style);
        (self.wide, self.pinned, self.main) = (wide(trace, &main), pinned, main);
        self.window.scroll(0.0, &self.main);
    }

    fn height(&self, line: LineKind) -> u32 {
        let Heights { process: header, row, folded: is_folded, gap, .. } = self.heights;
        let folded = if self.folds.is_folded(line) { is_folded } else { 0 };
        let open = |track: &TrackId| match self.headers.get(track.index()) {
            None | Some(0) => is_folded,
            Some(&height) => height,
        };
        match line {
            LineKind::Process(_) if folded > 0 => header,
            LineKind::Process(process) => header + self.objects.get(process.index()).copied().unwrap_or(0),
            LineKind::Track(track) => open(&track).max(folded),
            LineKind::Pack(_) if folded > 0 => folded,
            LineKind::Pack(pack) => {
                let tracks = self.items.pack(pack).map_or(&[][..], |pack| pack.tracks());
                tracks.iter().map(open).max().unwrap_or(gap)
            }
            _ => row,
        }
    }
}

fn wide(trace: &impl TraceView, vertical: &Vertical) -> Vec<Wide> {
    let lines = vertical.lines();
    let next_process = |line: &Line| {
        let is_process = |next: &&Line| matches!(next.kind, LineKind::Process(_));
        let after = lines.get(line.id.index()..).unwrap_or_default();
        after.iter().find(is_process).map_or(vertical.height(), |next| next.top)
    };
    let of_line = |line: &Line| {
        let LineKind::Track(track) = line.kind else { return None };
        let bottom = match trace.track_info(track)?.kind {
            TrackKind::Global => vertical.height(),
            TrackKind::Process => next_process(line),
            _ => return None,
        };
        Some(Wide { line: *line, track, bottom })
    };
    lines.iter().filter_map(of_line).collect()
}

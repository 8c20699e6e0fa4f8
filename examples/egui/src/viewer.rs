//! The window: a toolbar, the timeline, and below it what is known about the selection.

use eframe::egui::{Button, CentralPanel, ComboBox, Event, Grid, Id, Key, Panel, TextEdit, Ui, Window};
use spall_trace::layout::{Hits, Layout, LayoutView};
use spall_trace::model::{Job, NameId, SliceId, Trace, TraceView, TrackId};
use spall_trace::{Found, Hidden, find, ignoring_case};

use crate::{details, flame::Flame, statistics::Statistics, timeline::Timeline};

/// A trace and what is shown of it.
pub struct Viewer {
    trace: Trace,
    layout: Layout,
    timeline: Timeline,
    search: String,
    /// How many of each kind the search has found.
    found: String,
    hidden: HiddenByUser,
    tab: Tab,
    statistics: Statistics,
    flame: Flame,
    values: Values,
    /// Another value that the user wants to see.
    choice: Option<Option<String>>,
    has_help: bool,
}

/// The values of the samples of a file.
#[derive(Default)]
pub struct Values {
    pub names: Vec<String>,
    /// The one that is shown; `None` for the one that the file says.
    pub chosen: Option<String>,
}

/// What the user has hidden.
#[derive(Default, PartialEq)]
struct HiddenByUser {
    categories: Vec<String>,
    names: Vec<String>,
    tracks: Vec<TrackId>,
}

#[derive(Clone, Copy, PartialEq)]
enum Tab {
    Details,
    Statistics,
    Flame,
}

/// What a key does.
#[derive(Clone, Copy)]
enum Action {
    Zoom(f64),
    /// By a part of the window's width.
    Pan(f64),
    /// By a part of the window's height.
    Scroll(f64),
    Fit,
    FitAll,
    Back,
    Go(Neighbour),
    Search,
    Step(Direction),
    /// To the next slice of the name.
    SameName(Direction),
    RangeOfSelection,
    FoldAll,
    Pin,
    Mark,
    RemoveMarks,
    Show(Tab),
    Help,
    Escape,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Forward,
    Back,
}

/// A slice beside the selected one.
#[derive(Clone, Copy)]
enum Neighbour {
    Parent,
    Child,
    Before,
    After,
    FlowFrom,
    FlowTo,
}

/// All keys, in the order of the help. Letters are places on the keyboard, so that W, A, S and D are together on every
/// one; signs are what is typed.
const KEYS: &[(&str, Action, &str)] = &[
    ("W", Action::Zoom(1.25), "zoom in; also Ctrl and the wheel"),
    ("S", Action::Zoom(0.8), "zoom out"),
    ("+", Action::Zoom(1.25), "zoom in"),
    ("-", Action::Zoom(0.8), "zoom out"),
    ("A", Action::Pan(-0.1), "to earlier times; also Shift and the wheel"),
    ("D", Action::Pan(0.1), "to later times"),
    ("PageUp", Action::Scroll(-0.9), "up; also the wheel"),
    ("PageDown", Action::Scroll(0.9), "down"),
    ("F", Action::Fit, "zoom to the selection; also a double click"),
    ("0", Action::FitAll, "show everything"),
    ("Home", Action::FitAll, "show everything"),
    ("Backspace", Action::Back, "show what was shown before"),
    ("Up", Action::Go(Neighbour::Parent), "to the caller of the selected slice"),
    ("Down", Action::Go(Neighbour::Child), "to its first callee"),
    ("Left", Action::Go(Neighbour::Before), "to the slice before it"),
    ("Right", Action::Go(Neighbour::After), "to the slice behind it"),
    ("[", Action::Go(Neighbour::FlowFrom), "to where a flow comes from"),
    ("]", Action::Go(Neighbour::FlowTo), "to where a flow goes"),
    ("/", Action::Search, "find slices by name; also Ctrl+F"),
    ("N", Action::Step(Direction::Forward), "next slice that was found; also Enter"),
    ("Shift+N", Action::Step(Direction::Back), "previous slice that was found; also Shift+Enter"),
    ("*", Action::SameName(Direction::Forward), "next slice of the selected name"),
    ("#", Action::SameName(Direction::Back), "previous slice of the selected name"),
    ("R", Action::RangeOfSelection, "select the time of the selected slice; also a drag"),
    ("Shift+C", Action::FoldAll, "fold all processes, or open them; a click folds one"),
    ("P", Action::Pin, "keep the track of the selected slice in sight, or no longer"),
    ("M", Action::Mark, "mark the start of the selected slice, or the middle"),
    ("Shift+M", Action::RemoveMarks, "remove all marks"),
    ("1", Action::Show(Tab::Details), "details of the selected slice"),
    ("2", Action::Show(Tab::Statistics), "statistics of the selected range"),
    ("3", Action::Show(Tab::Flame), "flame graph of the selected range"),
    ("?", Action::Help, "this help"),
    ("Escape", Action::Escape, "close the help, then drop the search, then the selection"),
];

/// Returns what an event of the keyboard is called in [`KEYS`].
fn key_of(event: &Event) -> Option<String> {
    match event {
        Event::Key { key, physical_key, pressed: true, modifiers, .. } if !modifiers.command => {
            let place = physical_key.filter(|place| (Key::A..=Key::Z).contains(place)).unwrap_or(*key);
            Some(format!("{}{}", if modifiers.shift { "Shift+" } else { "" }, place.name()))
        }
        Event::Text(text) => Some(text.clone()).filter(|text| !text.contains(char::is_alphanumeric)),
        _ => None,
    }
}

impl Viewer {
    pub fn new(trace: Trace, layout: Layout, values: Values) -> Self {
        let timeline = Timeline::new(&trace, &layout);
        Self {
            trace,
            layout,
            timeline,
            search: String::new(),
            found: String::new(),
            hidden: HiddenByUser::default(),
            tab: Tab::Details,
            statistics: Statistics::default(),
            flame: Flame::default(),
            values,
            choice: None,
            has_help: false,
        }
    }

    /// Shows what another viewer of the same file shows, as far as it does not depend on the value of the samples.
    pub fn show_as(&mut self, before: &Self) {
        self.tab = before.tab;
        self.flame.measure = before.flame.measure;
    }

    /// Returns the value of samples that the user wants to see, once.
    pub fn take_choice(&mut self) -> Option<Option<String>> {
        self.choice.take()
    }

    /// Offers the values of the samples, if there are several.
    fn offer_values(&mut self, ui: &mut Ui) {
        let Values { names, chosen } = &self.values;
        if names.len() < 2 {
            return;
        }
        let own = "value of the file";
        ComboBox::from_id_salt("value").selected_text(chosen.as_deref().unwrap_or(own)).show_ui(ui, |ui| {
            if ui.selectable_label(chosen.is_none(), own).clicked() {
                self.choice = Some(None);
            }
            for name in names {
                if ui.selectable_label(chosen.as_ref() == Some(name), name).clicked() {
                    self.choice = Some(Some(name.clone()));
                }
            }
        });
    }

    /// Draws the window below the toolbar.
    pub fn ui(&mut self, ui: &mut Ui) {
        Panel::bottom("selection").resizable(true).default_size(220.0).show(ui, |ui| self.selection(ui));
        CentralPanel::no_frame().show(ui, |ui| self.timeline.ui(ui, &self.trace, &self.layout));
        // High enough for all keys; it scrolls where the screen is not.
        let help = Window::new("Keys").vscroll(true).default_height(900.0).open(&mut self.has_help);
        help.show(ui.ctx(), |ui| {
            Grid::new("keys").striped(true).show(ui, |ui| {
                for (key, _, what) in KEYS {
                    ui.strong(*key);
                    ui.label(*what);
                    ui.end_row();
                }
            });
        });
        // At the end, so that the field for searches does not get the key that leads to it.
        self.keys(ui);
    }

    /// Draws the toolbar into a row. `frame_time` is what the previous frame took, in seconds.
    pub fn toolbar(&mut self, ui: &mut Ui, frame_time: Option<f32>) {
        let field = ui.add(TextEdit::singleline(&mut self.search).hint_text("find").id(search_field()));
        if field.changed() {
            self.find();
        }
        if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            let shift = ui.input(|input| input.modifiers.shift);
            self.step(if shift { Direction::Back } else { Direction::Forward });
            field.request_focus();
        }
        if !self.search.is_empty() {
            ui.label(&self.found);
        }
        if self.hidden != HiddenByUser::default() && ui.button("Show all").clicked() {
            self.hidden = HiddenByUser::default();
            self.hide();
        }
        ui.checkbox(&mut self.timeline.drag_pans, "drag pans");
        self.has_help ^= ui.button("?").clicked();
        ui.weak(format!("{:.1} ms", frame_time.unwrap_or_default() * 1000.0));
    }

    /// Shows what is known about the selected slice, or about the selected range.
    fn selection(&mut self, ui: &mut Ui) {
        let mut hides = false;
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.tab, Tab::Details, "Details");
            ui.selectable_value(&mut self.tab, Tab::Statistics, "Statistics");
            ui.selectable_value(&mut self.tab, Tab::Flame, "Flame graph");
            self.offer_values(ui);
            let Self { trace, hidden, .. } = self;
            let Some(id) = self.timeline.selected else { return };
            let Some((slice, track)) = trace.slice(id).zip(trace.track_of(id)) else { return };
            let texts = [
                ("Hide category", &mut hidden.categories, slice.category),
                ("Hide name", &mut hidden.names, slice.name),
            ];
            for (label, texts, id) in texts {
                if ui.add_enabled(!id.is_empty(), Button::new(label)).clicked() {
                    texts.push(trace.name(id).into_owned());
                    hides = true;
                }
            }
            if ui.button("Hide track").clicked() {
                hidden.tracks.push(track);
                hides = true;
            }
        });
        if hides {
            self.hide();
        }
        let Self { trace, layout, timeline, .. } = self;
        let range = timeline.range.clone().unwrap_or(timeline.window.bounds());
        match self.tab {
            Tab::Details => {
                if let Some(slice) = details::ui(ui, trace, layout, timeline.selected) {
                    timeline.select(slice, trace, layout);
                }
            }
            Tab::Statistics => {
                if let Some(name) = self.statistics.ui(ui, trace, layout, range) {
                    self.find_name(name);
                }
            }
            Tab::Flame => self.flame.ui(ui, trace, layout, range),
        }
        ui.take_available_space();
    }

    /// Does what the pressed keys ask for, unless they are typed into a field.
    fn keys(&mut self, ui: &Ui) {
        if ui.input(|input| input.modifiers.command && input.key_pressed(Key::F)) {
            ui.memory_mut(|memory| memory.request_focus(search_field()));
        }
        if ui.egui_wants_keyboard_input() {
            return;
        }
        for key in ui.input(|input| input.events.iter().filter_map(key_of).collect::<Vec<_>>()) {
            if let Some((_, action, _)) = KEYS.iter().find(|(meant, ..)| *meant == key) {
                self.act(*action, ui);
            }
        }
    }

    fn act(&mut self, action: Action, ui: &Ui) {
        let Self { trace, layout, timeline, .. } = self;
        let columns = f64::from(timeline.window.viewport().columns());
        match action {
            Action::Zoom(factor) => timeline.window.zoom(columns / 2.0, factor),
            Action::Pan(part) => timeline.window.pan(part * columns),
            Action::Scroll(part) => timeline.scroll(part),
            Action::Fit => timeline.fit_selection(layout),
            Action::FitAll => timeline.fit(timeline.window.bounds()),
            Action::Back => timeline.back(),
            Action::Go(neighbour) => {
                if let Some(slice) = timeline.selected.and_then(|slice| self.neighbour(slice, neighbour)) {
                    self.timeline.select(slice, &self.trace, &self.layout);
                }
            }
            Action::Search => ui.memory_mut(|memory| memory.request_focus(search_field())),
            Action::Step(direction) => self.step(direction),
            Action::SameName(direction) => {
                if let Some(name) = timeline.selected.and_then(|slice| trace.slice_name_id(slice)) {
                    self.find_name(name);
                    self.step(direction);
                }
            }
            Action::RangeOfSelection => {
                let place = timeline.selected.and_then(|slice| layout.place(slice));
                timeline.range = place.map(|place| place.start..place.end);
            }
            Action::FoldAll => timeline.toggle_all(trace, layout),
            Action::Pin => timeline.toggle_pin(trace, layout),
            Action::Mark => timeline.toggle_mark(layout),
            Action::RemoveMarks => timeline.marks.clear(),
            Action::Show(tab) => self.tab = tab,
            Action::Help => self.has_help = !self.has_help,
            Action::Escape if self.has_help => self.has_help = false,
            Action::Escape if !self.search.is_empty() => {
                self.search.clear();
                self.find();
            }
            Action::Escape => (timeline.selected, timeline.range) = (None, None),
        }
    }

    /// Returns a slice beside another one, if it has one.
    fn neighbour(&self, slice: SliceId, neighbour: Neighbour) -> Option<SliceId> {
        let (layout, flows) = (&self.layout, self.trace.flows());
        match neighbour {
            Neighbour::Parent => layout.parent(slice),
            Neighbour::Child => layout.children(slice).first().copied(),
            Neighbour::Before => layout.previous(slice),
            Neighbour::After => layout.next(slice),
            Neighbour::FlowFrom => flows.iter().find(|flow| flow.to == slice).map(|flow| flow.from),
            Neighbour::FlowTo => flows.iter().find(|flow| flow.from == slice).map(|flow| flow.to),
        }
    }

    /// Lays out what is not hidden.
    fn hide(&mut self) {
        let HiddenByUser { categories, names, tracks } = &self.hidden;
        let hidden = Hidden::new(&self.trace, categories, names, tracks);
        self.layout = hidden.layout(&self.trace);
        self.timeline.lay_out(hidden, tracks, &self.trace, &self.layout);
        (self.statistics, self.flame) = Default::default();
        self.find();
    }

    /// Finds the slices of a name.
    fn find_name(&mut self, name: NameId) {
        self.search = self.trace.name(name).into_owned();
        let mut found = Found::default();
        found.slices = Hits::of_names(&self.trace, &self.layout, |other| other == name).run();
        self.show(found);
    }

    /// Finds what contains the text that is searched for.
    fn find(&mut self) {
        let found = if self.search.is_empty() {
            Found::default()
        } else {
            find(&self.trace, &self.layout, &self.timeline.hidden, ignoring_case(&self.search)).run()
        };
        self.show(found);
    }

    fn show(&mut self, found: Found) {
        (self.found, self.timeline.hits) = (found.to_string(), found.slices);
    }

    /// Selects the next slice that was found, or the previous one.
    fn step(&mut self, direction: Direction) {
        let Timeline { hits, selected, window, .. } = &self.timeline;
        let shown = window.viewport().range();
        let found = match direction {
            Direction::Forward => hits.step_forward(&self.layout, *selected, shown),
            Direction::Back => hits.step_back(&self.layout, *selected, shown),
        };
        if let Some(slice) = found {
            self.timeline.select(slice, &self.trace, &self.layout);
        }
    }
}

/// The id of the field for searches.
fn search_field() -> Id {
    Id::unique("search")
}

#[cfg(test)]
mod tests;

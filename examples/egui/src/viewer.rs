//! The window: a toolbar, the timeline, and below it what is known about the selection.

use eframe::egui::{Button, CentralPanel, ComboBox, Event, Id, Key, Panel, TextEdit, Ui, Window};
use spall_view::{Action, Arrows, ColorBy, Command, Engine, GraphKind, Heights, Opened, Place, matcher};

use crate::{
    calls::Calls,
    details::DetailsPanel,
    hits, keys,
    statistics::Statistics,
    timeline::{BOX_WIDTH, Timeline},
    tracks::{self, Lists},
    work,
};

/// The panels below the timeline: what a place calls each, and its title.
const PANELS: [(&str, &str); 9] = [
    ("details", "Details"),
    ("statistics", "Statistics"),
    ("flame", "Flame graph"),
    ("sandwich", "Sandwich"),
    ("bottom-up", "Bottom-up"),
    ("hits", "Hits"),
    ("tracks", "Tracks"),
    ("categories", "Categories"),
    ("notes", "Notes"),
];

/// A trace and how it is shown.
pub struct Viewer {
    engine: Engine,
    timeline: Timeline,
    details: DetailsPanel,
    statistics: Statistics,
    calls: Calls,
    lists: Lists,
    /// The categories and the names that are hidden in what the panels show.
    hidden: (Vec<String>, Vec<String>),
    /// The panel that was open before it was closed.
    last_panel: String,
    values: Vec<String>,
    /// Another value of the samples that the user wants to see.
    choice: Option<Option<String>>,
    has_help: bool,
}

impl Viewer {
    /// Shows what files say, with the value of the samples that is wanted or else the one that the files say.
    pub fn new(opened: Opened, value: Option<&str>) -> Self {
        let mut engine = Engine::new(opened, value, Heights::DESKTOP);
        engine.change_view(|view| {
            view.set_box_width(BOX_WIDTH);
            view.set_panel("details");
        });
        Self {
            values: engine.values().to_vec(),
            engine,
            timeline: Timeline::default(),
            details: DetailsPanel::default(),
            statistics: Statistics::default(),
            calls: Calls::default(),
            lists: Lists::default(),
            hidden: Default::default(),
            last_panel: "details".into(),
            choice: None,
            has_help: false,
        }
    }

    /// Shows what another viewer of the same files shows.
    pub fn show_as(&mut self, before: &Self) {
        self.engine.apply(before.engine.current_place());
        self.timeline.drag_pans = before.timeline.drag_pans;
    }

    /// Returns the value of samples that the user wants to see, once.
    pub fn take_choice(&mut self) -> Option<Option<String>> {
        self.choice.take()
    }

    /// Draws the window below the toolbar.
    pub fn ui(&mut self, ui: &mut Ui) {
        work::go_on(ui, || !self.engine.is_finding() || self.engine.step_find().is_some());
        self.forget_what_is_hidden();
        if !self.engine.view().place().panel.is_empty() {
            Panel::bottom("selection").resizable(true).default_size(220.0).show(ui, |ui| self.panel(ui));
        }
        self.forget_what_is_hidden();
        CentralPanel::no_frame().show(ui, |ui| self.timeline.ui(ui, &mut self.engine));
        // High enough for all keys; it scrolls where the screen is not.
        let help = Window::new("Keys").vscroll(true).default_height(900.0).open(&mut self.has_help);
        help.show(ui.ctx(), keys::help);
        // At the end, so that the field for searches does not get the key that leads to it.
        self.keys(ui);
    }

    /// Draws the toolbar into a row. `frame_time` is what the previous frame took, in seconds.
    pub fn toolbar(&mut self, ui: &mut Ui, frame_time: Option<f32>) {
        let mut pattern = self.engine.view().place().search.clone();
        let field = ui.add(TextEdit::singleline(&mut pattern).hint_text("find").id(search_field()));
        if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            let shift = ui.input(|input| input.modifiers.shift);
            self.run(if shift { Command::PreviousHit } else { Command::NextHit }, ui);
            field.request_focus();
        }
        match (matcher(&pattern).err(), self.engine.found()) {
            (Some(error), _) => _ = ui.label(error),
            (None, Some(found)) => {
                if let Some(hit) = self.engine.current_hit() {
                    ui.label(format!("{} of {}", hit.rank + 1, found.total));
                }
                ui.label(found.text);
            }
            (None, None) => {}
        }
        if field.changed() {
            self.engine.act(Action::Search(pattern));
        }
        let Place { hidden, categories, names, .. } = self.engine.view().place();
        if !(hidden.is_empty() && categories.is_empty() && names.is_empty())
            && ui.button("Show all").clicked()
        {
            self.run(Command::ShowAll, ui);
        }
        ui.checkbox(&mut self.timeline.drag_pans, "drag pans");
        self.settings(ui);
        self.has_help ^= ui.button("?").clicked();
        ui.weak(format!("{:.1} ms", frame_time.unwrap_or_default() * 1000.0));
    }

    /// Offers how the timeline looks.
    fn settings(&mut self, ui: &mut Ui) {
        let Place { color_by, arrows, shows_empty, .. } = self.engine.view().place();
        let before = (*color_by, *arrows, *shows_empty);
        let mut now = before;
        ui.menu_button("View", |ui| {
            for (color_by, text) in [
                (ColorBy::Name, "colours by name"),
                (ColorBy::Category, "colours by category"),
                (ColorBy::Duration, "colours by duration"),
                (ColorBy::Track, "colours by track"),
            ] {
                ui.radio_value(&mut now.0, color_by, text);
            }
            for (arrows, text) in [
                (Arrows::Selected, "flow arrows of the selection"),
                (Arrows::Path, "flow arrows of its critical path"),
                (Arrows::All, "all flow arrows"),
                (Arrows::Off, "no flow arrows"),
            ] {
                ui.radio_value(&mut now.1, arrows, text);
            }
            ui.checkbox(&mut now.2, "empty tracks");
        });
        if now != before {
            self.engine.change(|place| (place.color_by, place.arrows, place.shows_empty) = now);
        }
    }

    /// Shows what is known about what is selected, or about the selected range.
    fn panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            for (panel, title) in PANELS {
                let is_open = self.engine.view().place().panel == panel;
                if ui.selectable_label(is_open, title).clicked() {
                    self.open_panel(panel);
                }
            }
            self.offer_values(ui);
            let slice = self.engine.view().selected_slice();
            for (label, command) in [
                ("Hide category", Command::HideCategory),
                ("Hide name", Command::HideName),
                ("Hide track", Command::HideTrack),
            ] {
                if slice.is_some() && ui.add(Button::new(label)).clicked() {
                    self.run(command, ui);
                }
            }
        });
        let Self { engine, details, statistics, calls, lists, .. } = self;
        match engine.view().place().panel.as_str() {
            "statistics" => statistics.ui(ui, engine),
            "flame" => calls.ui(ui, engine, &[GraphKind::Flame]),
            "sandwich" => calls.ui(ui, engine, &[GraphKind::Callers, GraphKind::Callees]),
            "bottom-up" => calls.ui(ui, engine, &[GraphKind::BottomUp]),
            "hits" => hits::list(ui, engine),
            "tracks" => lists.tracks(ui, engine),
            "categories" => lists.categories(ui, engine),
            "notes" => tracks::notes(ui, engine),
            _ => details.ui(ui, engine),
        }
        ui.take_available_space();
    }

    fn open_panel(&mut self, panel: &str) {
        self.engine.change_view(|view| view.set_panel(panel));
    }

    /// Offers the values of the samples, if there are several.
    fn offer_values(&mut self, ui: &mut Ui) {
        if self.values.len() < 2 {
            return;
        }
        let (own, chosen) = ("value of the file", self.engine.value());
        ComboBox::from_id_salt("value").selected_text(chosen.unwrap_or(own)).show_ui(ui, |ui| {
            if ui.selectable_label(chosen.is_none(), own).clicked() {
                self.choice = Some(None);
            }
            for name in &self.values {
                if ui.selectable_label(chosen == Some(name), name).clicked() {
                    self.choice = Some(Some(name.clone()));
                }
            }
        });
    }

    /// What was asked for once has to be asked for again when other slices are shown.
    fn forget_what_is_hidden(&mut self) {
        let Place { categories, names, .. } = self.engine.view().place();
        if (categories, names) == (&self.hidden.0, &self.hidden.1) {
            return;
        }
        self.hidden = (categories.clone(), names.clone());
        self.timeline.forget();
        self.details.forget();
        self.statistics.forget();
        self.calls.forget();
        self.lists.forget();
    }

    /// Does what the pressed keys ask for.
    fn keys(&mut self, ui: &Ui) {
        let is_typing = ui.egui_wants_keyboard_input();
        let command = |event: &Event| keys::command_of(event, is_typing);
        for command in ui.input(|input| input.events.iter().filter_map(command).collect::<Vec<_>>()) {
            self.run(command, ui);
        }
    }

    /// Does what a command says: the help and the panels are things of this window.
    fn run(&mut self, command: Command, ui: &Ui) {
        if command == Command::Escape && std::mem::take(&mut self.has_help) {
            return;
        }
        if self.engine.act(Action::Command(command)) {
            return;
        }
        let panel = self.engine.view().place().panel.clone();
        let opened = match command {
            Command::Find => return ui.memory_mut(|memory| memory.request_focus(search_field())),
            Command::Help => return self.has_help = !self.has_help,
            Command::NextValue => return self.next_value(),
            Command::TogglePanel if panel.is_empty() => self.last_panel.clone(),
            Command::TogglePanel | Command::Timeline | Command::Escape => String::new(),
            Command::Flame => "flame".into(),
            Command::Sandwich => "sandwich".into(),
            Command::BottomUp => "bottom-up".into(),
            Command::Statistics => "statistics".into(),
            Command::Hits => "hits".into(),
            Command::Tracks => "tracks".into(),
            Command::Categories => "categories".into(),
            _ => return,
        };
        if !panel.is_empty() {
            self.last_panel = panel;
        }
        self.open_panel(&opened);
    }

    /// Asks for the value behind the one that is shown.
    fn next_value(&mut self) {
        let now = self.values.iter().position(|name| Some(name.as_str()) == self.engine.value());
        if self.values.len() > 1 {
            self.choice = Some(self.values.get(now.map_or(0, |now| now + 1)).cloned());
        }
    }
}

/// The id of the field for searches.
fn search_field() -> Id {
    Id::unique("search")
}

#[cfg(test)]
mod tests;

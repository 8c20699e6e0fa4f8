//! The screen: the timeline or what is added up, a line about what is selected in it, and a line for the search.

use ratatui::Frame;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Constraint, Layout as Split};
use ratatui::text::Line as Text;
use ratatui::widgets::Paragraph;
use spall_trace::model::Measure;
use spall_view::{Action, Command, GraphKind, Shown};

use crate::{
    colors::Colors,
    flame::Flame,
    functions, hits, keys,
    shown::Showing,
    timeline::{self, Drawn, Timeline},
};

const HINTS: &str = "1 timeline  2 flame graph  t statistics  / find  ? help  q quit";

/// What is shown of a trace besides what the user has chosen to see of it.
pub(crate) struct Viewer {
    timeline: Timeline,
    flame: Flame,
    tab: Tab,
    /// The number of functions, or lines of the help, that are scrolled out.
    skipped: usize,
    /// What is typed to be found.
    typed: Option<String>,
    /// What was looked for last, and what is wrong with it.
    searched: String,
    wrong: Option<String>,
    /// The column at which the mouse was pressed, and whether it was dragged since.
    pressed: Option<(u16, bool)>,
    colors: Colors,
    /// The height of the view.
    height: u16,
}

#[derive(Clone, Copy, PartialEq)]
enum Tab {
    Timeline,
    Functions,
    Graph(GraphKind),
    Hits,
    Help,
}

impl Tab {
    fn of(command: Command) -> Option<Self> {
        Some(match command {
            Command::Timeline => Self::Timeline,
            Command::Flame => Self::Graph(GraphKind::Flame),
            Command::BottomUp => Self::Graph(GraphKind::BottomUp),
            Command::Statistics => Self::Functions,
            Command::Hits => Self::Hits,
            Command::Help => Self::Help,
            _ => return None,
        })
    }
}

impl Viewer {
    pub(crate) fn new() -> Self {
        Self {
            timeline: Timeline::default(),
            flame: Flame::default(),
            tab: Tab::Timeline,
            skipped: 0,
            typed: None,
            searched: String::new(),
            wrong: None,
            pressed: None,
            colors: Colors::of_terminal(),
            height: 0,
        }
    }

    pub(crate) fn draw(&mut self, frame: &mut Frame<'_>, shown: &mut Showing<impl Shown>) {
        let split = Split::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)]);
        let [area, about, status] = split.areas(frame.area());
        self.height = area.height;
        self.search(shown);
        let description = match self.tab {
            Tab::Timeline => {
                self.timeline.draw(frame.buffer_mut(), area, shown, self.colors);
                timeline::describe(shown)
            }
            Tab::Functions => {
                frame.render_widget(functions::table(shown, self.skipped, area.height), area);
                match shown.view().measure() {
                    Measure::WallTime => timeline::describe(shown),
                    measure => format!("sums of {}", measure.name()),
                }
            }
            Tab::Graph(_) => {
                self.flame.draw(frame.buffer_mut(), area, shown, self.colors);
                self.flame.describe(shown)
            }
            Tab::Hits => {
                frame.render_widget(hits::table(shown, area.height), area);
                timeline::describe(shown)
            }
            Tab::Help => {
                let lines = keys::help(shown).into_iter().skip(self.skipped).map(Text::from);
                frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
                String::new()
            }
        };
        frame.render_widget(description, about);
        frame.render_widget(self.status(shown), status);
    }

    fn status(&self, shown: &Showing<impl Shown>) -> String {
        let found = self.wrong.clone().or_else(|| Some(shown.found_all()?.to_string()));
        if let Some(typed) = &self.typed {
            return format!("/{typed}▏ {}", found.unwrap_or_default());
        }
        if let Some(found) = found {
            let text = &shown.view().place().search;
            let what = if text.is_empty() { "this name" } else { text };
            let current = shown.current_hit();
            let at = current
                .map(|hit| format!(", now {} of {}", hit.rank + 1, shown.found().map_or(0, |all| all.total)));
            return format!(
                "{what}: {found}{}, n and N go through them, F lists them",
                at.unwrap_or_default()
            );
        }
        let value = shown.current_place().value.map_or_else(String::new, |value| format!("{value}:  "));
        let place = shown.view().place();
        let n_hidden = place.hidden.len() + place.categories.len() + place.names.len();
        let counted =
            |count: usize, what: &str| if count > 0 { format!("  {count} {what}") } else { String::new() };
        let n_notes = shown.notes().len();
        let notes = counted(n_notes, if n_notes == 1 { "note" } else { "notes" });
        let hidden = counted(n_hidden, "hidden");
        format!("{value}{HINTS}{notes}{hidden}")
    }

    /// Finds what the user wants to be found by now, unless it is found already.
    fn search(&mut self, shown: &mut Showing<impl Shown>) {
        let wanted = self.typed.as_ref().unwrap_or(&shown.view().place().search).clone();
        let is_lost = !wanted.is_empty() && shown.found_all().is_none() && self.wrong.is_none();
        if wanted != self.searched || is_lost {
            self.wrong = shown.find(&wanted).err();
            self.searched = wanted;
        }
    }

    /// Does what the user asks for. Returns false at the end.
    pub(crate) fn handle(&mut self, event: &Event, shown: &mut Showing<impl Shown>) -> bool {
        match event {
            // The terminal hands the key over, in the place of the signal.
            Event::Key(key) if key.is_press() && keys::is_interrupt(key) => return false,
            Event::Key(key) if key.is_press() && self.typed.is_some() => self.type_key(key, shown),
            Event::Key(key) if key.is_press() && keys::is_quit(key) => return false,
            Event::Key(key) if key.is_press() => {
                if let Some(command) = keys::command(key) {
                    self.run(command, shown);
                }
            }
            Event::Mouse(mouse) => self.point(mouse, shown),
            _ => {}
        }
        true
    }

    /// Handles a key of the search.
    fn type_key(&mut self, key: &KeyEvent, shown: &mut Showing<impl Shown>) {
        let Some(typed) = &mut self.typed else { return };
        match key.code {
            KeyCode::Char(letter) if !key.modifiers.contains(KeyModifiers::CONTROL) => typed.push(letter),
            KeyCode::Backspace => _ = typed.pop(),
            KeyCode::Esc => {
                self.typed = None;
                shown.act(Action::Search(String::new()));
            }
            KeyCode::Enter => {
                shown.act(Action::Search(typed.clone()));
                self.search(shown);
                self.typed = None;
                shown.act(Action::Command(Command::NextHit));
            }
            _ => {}
        }
    }

    fn run(&mut self, command: Command, shown: &mut Showing<impl Shown>) {
        if let Some(tab) = Tab::of(command) {
            self.show(tab, shown);
            return;
        }
        match (command, self.tab) {
            (Command::Escape, Tab::Functions | Tab::Graph(_) | Tab::Hits | Tab::Help) => {
                self.show(Tab::Timeline, shown);
            }
            (Command::Find, _) => {
                self.show(Tab::Timeline, shown);
                self.typed = Some(String::new());
            }
            (Command::NextValue, tab) => {
                shown.next_value();
                self.timeline = Timeline::default();
                self.show(tab, shown);
            }
            (Command::Down | Command::NextHit, Tab::Hits) => {
                _ = shown.act(Action::Command(Command::NextHit));
            }
            (Command::Up | Command::PreviousHit, Tab::Hits) => {
                _ = shown.act(Action::Command(Command::PreviousHit));
            }
            (Command::Up, Tab::Functions | Tab::Help) => self.skip(-1.0),
            (Command::Down, Tab::Functions | Tab::Help) => self.skip(1.0),
            (Command::PageUp, Tab::Functions | Tab::Help) => self.skip(-0.9 * f64::from(self.height)),
            (Command::PageDown, Tab::Functions | Tab::Help) => self.skip(0.9 * f64::from(self.height)),
            (_, Tab::Graph(_)) if self.flame.run(command, shown) => {}
            // What moves or selects in a timeline that is not seen.
            (command, Tab::Functions | Tab::Graph(_) | Tab::Hits | Tab::Help) if !is_about_sums(command) => {}
            (command, tab) => {
                if is_about_selection(command) {
                    // The mouse may have been left anywhere.
                    shown.change_view(|view| view.point(None, None));
                }
                shown.act(Action::Command(command));
                if let Tab::Graph(kind) = tab {
                    self.flame.build(kind, shown);
                }
            }
        }
    }

    fn show(&mut self, tab: Tab, shown: &mut Showing<impl Shown>) {
        (self.tab, self.skipped) = (tab, 0);
        if let Tab::Graph(kind) = tab {
            self.flame.build(kind, shown);
        }
    }

    /// Scrolls the table of functions, or the help.
    fn skip(&mut self, by: f64) {
        self.skipped = (self.skipped as f64 + by).max(0.0) as usize;
    }

    fn point(&mut self, mouse: &MouseEvent, shown: &mut Showing<impl Shown>) {
        match (self.tab, mouse.kind) {
            (Tab::Timeline, _) => self.point_at_timeline(mouse, shown),
            (Tab::Graph(_), MouseEventKind::Down(MouseButton::Left)) => {
                self.flame.click(mouse.column, mouse.row);
            }
            (Tab::Functions | Tab::Help, MouseEventKind::ScrollUp) => self.skip(-3.0),
            (Tab::Functions | Tab::Help, MouseEventKind::ScrollDown) => self.skip(3.0),
            _ => {}
        }
    }

    fn point_at_timeline(&mut self, mouse: &MouseEvent, shown: &mut Showing<impl Shown>) {
        let x = timeline::x_of(mouse.column, shown);
        let item = self.timeline.item_at(mouse.row, shown);
        let is_zoom = mouse.modifiers.contains(KeyModifiers::CONTROL);
        shown.change_view(|view| {
            view.point(Some(x), item);
            match mouse.kind {
                MouseEventKind::ScrollUp if is_zoom => view.zoom(x, 1.25),
                MouseEventKind::ScrollDown if is_zoom => view.zoom(x, 0.8),
                MouseEventKind::ScrollUp => view.scroll(-3.0),
                MouseEventKind::ScrollDown => view.scroll(3.0),
                MouseEventKind::ScrollLeft => view.pan(-5.0),
                MouseEventKind::ScrollRight => view.pan(5.0),
                _ => {}
            }
        });
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.pressed = Some((mouse.column, false));
                self.click(mouse, shown);
            }
            MouseEventKind::Drag(MouseButton::Left) => self.drag(mouse.column, shown),
            MouseEventKind::Up(MouseButton::Left) => self.pressed = None,
            _ => {}
        }
    }

    fn click(&self, mouse: &MouseEvent, shown: &mut Showing<impl Shown>) {
        let at = timeline::time_at(mouse.column, shown);
        match self.timeline.at(mouse.column, mouse.row) {
            Some(Drawn::Element(element)) => _ = shown.act(Action::Select(Some(element), at)),
            Some(Drawn::Header(item)) => _ = shown.act(Action::Fold(item)),
            None => {}
        }
    }

    /// Chooses the range of time between where the mouse was pressed and where it is.
    fn drag(&mut self, column: u16, shown: &mut Showing<impl Shown>) {
        let Some((from, was_dragged)) = self.pressed else { return };
        if from == column && !was_dragged {
            return;
        }
        self.pressed = Some((from, true));
        let [start, end] = [from.min(column), from.max(column)];
        let range = [start, end].map(|column| shown.view().tick(timeline::time_at(column, shown)));
        shown.change_view(|view| {
            let range = Some((range[0]..range[1], None));
            if was_dragged { view.choose_on(range) } else { view.choose(range) }
        });
    }
}

/// Whether a command makes sense beside a table or a graph.
fn is_about_sums(command: Command) -> bool {
    matches!(
        command,
        Command::Back
            | Command::Forward
            | Command::NextMeasure
            | Command::NextTracks
            | Command::ShowAll
            | Command::HideName
            | Command::HideCategory
            | Command::RangeOfSelection
    )
}

/// Whether a command goes from the selected slice to another one.
fn is_about_selection(command: Command) -> bool {
    command.info().is_some_and(|info| info.group == "Select" && command != Command::Mark)
}

//! The screen: one of three views, a line about what is selected in it, and a line for the search.

use ratatui::Frame;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Constraint, Layout as Split, Rect as Area};
use ratatui::text::Line as Text;
use ratatui::widgets::Paragraph;
use spall_trace::layout::{LayoutView, LineRect};
use spall_trace::model::{Job, Measure, Trace, TraceView, TrackId};
use spall_trace::{Found, Hidden, find, ignoring_case};

use crate::{
    colors::Colors,
    flame::Flame,
    functions,
    timeline::{HEAD, Timeline},
};

/// What is shown of a trace.
pub struct Viewer {
    timeline: Timeline,
    flame: Flame,
    /// What is added up of functions.
    measure: Measure,
    /// The names of the values that the samples of the file have.
    values: Vec<String>,
    /// Which of them is shown, from 1 on; 0 is the one that the file says.
    value: usize,
    view: View,
    /// The number of functions, or lines of the help, that are scrolled out.
    skipped: usize,
    search: String,
    /// How many of each kind the search has found.
    found: String,
    /// The categories, names and tracks that the user has hidden.
    hidden: (Vec<String>, Vec<String>, Vec<TrackId>),
    is_typing: bool,
    /// Whether the whole trace is shown while it grows.
    follows: bool,
    colors: Colors,
    /// Where the view was drawn.
    area: Area,
}

#[derive(Clone, Copy, PartialEq)]
enum View {
    Timeline,
    Functions,
    Flame,
    Help,
}

/// What a key does.
#[derive(Clone, Copy)]
enum Action {
    Zoom(f64),
    /// By a part of the window's width.
    Pan(f64),
    /// By a part of the window's height.
    Scroll(f64),
    Left,
    Right,
    Up,
    Down,
    Enter,
    Fit,
    FitAll,
    Search,
    Step(Direction),
    SameName(Direction),
    Fold,
    FoldAll,
    Pin,
    Mark,
    RemoveMarks,
    HideCategory,
    HideName,
    HideTrack,
    ShowAll,
    Show(View),
    NextMeasure,
    NextValue,
    Escape,
    Quit,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Forward,
    Back,
}

/// All keys, in the order of the help. The description of another key names those without one.
const KEYS: &[(KeyCode, Action, &str)] = &[
    (KeyCode::Char('w'), Action::Zoom(1.5), "zoom in; also + and Ctrl with the wheel"),
    (KeyCode::Char('+'), Action::Zoom(1.5), ""),
    (KeyCode::Char('s'), Action::Zoom(1.0 / 1.5), "zoom out; also -"),
    (KeyCode::Char('-'), Action::Zoom(1.0 / 1.5), ""),
    (KeyCode::Char('a'), Action::Pan(-0.1), "to earlier times"),
    (KeyCode::Char('d'), Action::Pan(0.1), "to later times"),
    (KeyCode::PageUp, Action::Scroll(-0.9), "up; also the wheel"),
    (KeyCode::PageDown, Action::Scroll(0.9), "down"),
    (KeyCode::Tab, Action::Enter, "select the first slice that is shown; also a click"),
    (KeyCode::Left, Action::Left, "to the slice before the selected one"),
    (KeyCode::Right, Action::Right, "to the slice behind it"),
    (KeyCode::Up, Action::Up, "to its caller, or what is above"),
    (KeyCode::Down, Action::Down, "to its first callee, or what is below"),
    (KeyCode::Enter, Action::Fit, "zoom to the selected slice or function; also f"),
    (KeyCode::Char('f'), Action::Fit, ""),
    (KeyCode::Char('0'), Action::FitAll, "show everything, also what is yet to come; also Home"),
    (KeyCode::Home, Action::FitAll, ""),
    (KeyCode::Char('/'), Action::Search, "find slices by name"),
    (KeyCode::Char('n'), Action::Step(Direction::Forward), "next slice that was found"),
    (KeyCode::Char('N'), Action::Step(Direction::Back), "previous slice that was found"),
    (KeyCode::Char('*'), Action::SameName(Direction::Forward), "next slice of the selected name"),
    (KeyCode::Char('#'), Action::SameName(Direction::Back), "previous slice of the selected name"),
    (KeyCode::Char('c'), Action::Fold, "fold the track of the selected slice; a click on a header folds it"),
    (KeyCode::Char('C'), Action::FoldAll, "fold all processes, or open them"),
    (KeyCode::Char('p'), Action::Pin, "keep the track of the selected slice in sight, or no longer"),
    (KeyCode::Char('m'), Action::Mark, "mark the start of the selected slice, or the middle"),
    (KeyCode::Char('M'), Action::RemoveMarks, "remove all marks"),
    (
        KeyCode::Char('h'),
        Action::HideName,
        "hide the name of the selected slice, in a file that does not grow",
    ),
    (KeyCode::Char('g'), Action::HideCategory, "hide its category"),
    (KeyCode::Char('t'), Action::HideTrack, "hide its track"),
    (KeyCode::Char('H'), Action::ShowAll, "show all that was hidden again"),
    (KeyCode::Char('1'), Action::Show(View::Timeline), "the timeline"),
    (KeyCode::Char('2'), Action::Show(View::Functions), "functions by self time, in what the timeline shows"),
    (KeyCode::Char('3'), Action::Show(View::Flame), "the flame graph of what the timeline shows"),
    (
        KeyCode::Char('u'),
        Action::NextMeasure,
        "add up time, CPU time, instructions, calls or samples, in turn",
    ),
    (
        KeyCode::Char('v'),
        Action::NextValue,
        "show the next value of the samples, in a file that has several and does not grow",
    ),
    (KeyCode::Char('?'), Action::Show(View::Help), "this help"),
    (KeyCode::Esc, Action::Escape, "drop the search, then the selection; back to the timeline"),
    (KeyCode::Char('q'), Action::Quit, "quit; also Ctrl-C"),
];

/// Whether the key is the one that ends any program.
fn is_interrupt(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

impl Viewer {
    /// Shows all of a finished trace, whose samples have values of these names.
    pub fn new(trace: &Trace, values: Vec<String>) -> Self {
        Self { follows: false, timeline: Timeline::new(Some(trace)), values, ..Self::following() }
    }

    /// Shows all of a trace while it grows.
    pub fn following() -> Self {
        Self {
            timeline: Timeline::new(None::<&Trace>),
            flame: Flame::default(),
            measure: Measure::WallTime,
            values: Vec::new(),
            value: 0,
            view: View::Timeline,
            skipped: 0,
            search: String::new(),
            found: String::new(),
            hidden: Default::default(),
            is_typing: false,
            follows: true,
            colors: Colors::of_terminal(),
            area: Area::default(),
        }
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, trace: &impl TraceView, layout: &impl LayoutView) {
        let split = Split::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)]);
        let [area, about, status] = split.areas(frame.area());
        self.area = area;
        let bounds = trace.bounds().unwrap_or_default();
        if bounds != self.timeline.window.bounds() {
            self.timeline.window.set_bounds(bounds.clone());
            if self.follows {
                self.timeline.window.fit(bounds);
            }
            self.find(trace, layout);
        }
        let range = self.timeline.window.viewport().range();
        let description = match self.view {
            View::Timeline => {
                self.timeline.draw(frame.buffer_mut(), area, trace, layout, self.colors);
                self.timeline.describe(trace, layout)
            }
            View::Functions => {
                let table = functions::table(trace, layout, range, self.measure, self.skipped);
                frame.render_widget(table, area);
                match self.measure {
                    Measure::WallTime => self.timeline.describe(trace, layout),
                    measure => format!("sums of {}", measure.name()),
                }
            }
            View::Flame => {
                self.flame.draw(frame.buffer_mut(), area, trace, self.colors);
                self.flame.describe(trace)
            }
            View::Help => {
                let described = KEYS.iter().filter(|(_, _, what)| !what.is_empty());
                let lines =
                    described.map(|(key, _, what)| Text::from(format!("{:>10}  {what}", key.to_string())));
                let help = Paragraph::new(lines.skip(self.skipped).collect::<Vec<_>>());
                frame.render_widget(help, area);
                String::new()
            }
        };
        frame.render_widget(description, about);
        let found = &self.found;
        let status_text = match (self.is_typing, self.search.is_empty()) {
            (true, _) => format!("/{}▏ {found}", self.search),
            (false, false) => format!("{}: {found}, n and N go through the slices", self.search),
            (false, true) => {
                let value = self.value.checked_sub(1).and_then(|value| self.values.get(value));
                let value = value.map_or_else(String::new, |value| format!("{value}:  "));
                format!("{value}1 timeline  2 functions  3 flame graph  / find  ? help  q quit")
            }
        };
        frame.render_widget(status_text, status);
    }

    /// Does what the user asks for. Returns false at the end.
    pub fn handle(&mut self, event: &Event, trace: &impl TraceView, layout: &impl LayoutView) -> bool {
        match event {
            // The terminal hands the key over, in the place of the signal.
            Event::Key(key) if key.is_press() && is_interrupt(key) => return false,
            Event::Key(key) if key.is_press() && self.is_typing => self.type_key(key.code, trace, layout),
            Event::Key(key) if key.is_press() => {
                let action = KEYS.iter().find(|(meant, ..)| *meant == key.code);
                return action.is_none_or(|(_, action, _)| self.act(*action, trace, layout));
            }
            Event::Mouse(mouse) if self.view == View::Timeline => self.point(mouse, trace, layout),
            _ => {}
        }
        true
    }

    /// Handles a key of the search.
    fn type_key(&mut self, key: KeyCode, trace: &impl TraceView, layout: &impl LayoutView) {
        match key {
            KeyCode::Char(letter) => self.search.push(letter),
            KeyCode::Backspace => _ = self.search.pop(),
            KeyCode::Esc => {
                self.is_typing = false;
                self.search.clear();
            }
            KeyCode::Enter => {
                self.is_typing = false;
                self.step(Direction::Forward, trace, layout);
                return;
            }
            _ => return,
        }
        self.find(trace, layout);
    }

    fn point(&mut self, mouse: &MouseEvent, trace: &impl TraceView, layout: &impl LayoutView) {
        let timeline = &mut self.timeline;
        // The middle of the cell.
        let offset = f64::from(timeline.window.viewport().offset());
        let x = f64::from(mouse.column) + 0.5 - offset;
        let pinned = mouse.row.checked_sub(HEAD).filter(|&row| row < timeline.n_pinned_lines).map(u64::from);
        let y = f64::from(mouse.row) + 0.5 - f64::from(HEAD + timeline.n_pinned_lines);
        let is_zoom = mouse.modifiers.contains(KeyModifiers::CONTROL);
        match mouse.kind {
            MouseEventKind::ScrollUp if is_zoom => timeline.window.zoom(x, 1.25),
            MouseEventKind::ScrollDown if is_zoom => timeline.window.zoom(x, 0.8),
            MouseEventKind::ScrollUp => timeline.window.scroll(-3.0, &timeline.vertical),
            MouseEventKind::ScrollDown => timeline.window.scroll(3.0, &timeline.vertical),
            MouseEventKind::ScrollLeft => timeline.window.pan(-5.0),
            MouseEventKind::ScrollRight => timeline.window.pan(5.0),
            MouseEventKind::Down(MouseButton::Left) => {
                let found = match pinned {
                    Some(y) => LineRect::hit(&timeline.pinned_rects, mouse.column.into(), y),
                    None => timeline.window.hit(&timeline.rects, x, y),
                };
                let line = || match pinned {
                    Some(y) => timeline.pinned_lines.at(y),
                    None => timeline.window.line_at(y, &timeline.vertical),
                };
                if let Some(found) = found {
                    timeline.select(found.rect.slice, trace, layout);
                } else if let Some(kind) = line().map(|line| line.kind) {
                    timeline.folds.toggle(kind);
                }
            }
            _ => return,
        }
        self.follows &=
            !matches!(mouse.kind, MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight) && !is_zoom;
    }

    fn act(&mut self, action: Action, trace: &impl TraceView, layout: &impl LayoutView) -> bool {
        let timeline = &mut self.timeline;
        let columns = f64::from(timeline.window.viewport().columns());
        match (action, self.view) {
            (Action::Quit, _) => return false,
            (Action::Show(view), _) => {
                (self.view, self.skipped) = (view, 0);
                if view == View::Flame {
                    self.build_flame(trace, layout);
                }
            }
            (Action::NextMeasure, _) => {
                let mut from_here =
                    Measure::ALL.into_iter().cycle().skip_while(|&measure| measure != self.measure);
                self.measure = from_here.nth(1).unwrap_or_default();
                self.build_flame(trace, layout);
            }
            (Action::NextValue, _) if self.values.len() > 1 => {
                self.value = (self.value + 1) % (self.values.len() + 1);
            }
            (Action::Escape, View::Timeline) => {
                if self.search.is_empty() {
                    timeline.selected = None;
                }
                self.search.clear();
                self.find(trace, layout);
            }
            (Action::Escape, _) => self.view = View::Timeline,
            (Action::Search, _) => (self.view, self.is_typing) = (View::Timeline, true),
            (Action::Step(direction), _) => self.step(direction, trace, layout),

            (Action::Scroll(part), View::Functions | View::Help) => {
                self.skip(part * f64::from(self.area.height))
            }
            (Action::Up, View::Functions | View::Help) => self.skip(-1.0),
            (Action::Down, View::Functions | View::Help) => self.skip(1.0),

            (Action::Left, View::Flame) => self.flame.go(0, -1),
            (Action::Right, View::Flame) => self.flame.go(0, 1),
            (Action::Up, View::Flame) => self.flame.go(-1, 0),
            (Action::Down, View::Flame) => self.flame.go(1, 0),
            (Action::Fit, View::Flame) => self.flame.zoom(),
            (Action::FitAll, View::Flame) => self.build_flame(trace, layout),

            (Action::Zoom(factor), View::Timeline) => {
                let selected = timeline.selected.and_then(|slice| trace.slice(slice));
                let x = selected.map_or(columns / 2.0, |slice| f64::from(timeline.window.x(slice.start)));
                timeline.window.zoom(x, factor);
                self.follows = false;
            }
            (Action::Pan(part), View::Timeline) => {
                timeline.window.pan(part * columns);
                self.follows = false;
            }
            (Action::Scroll(part), View::Timeline) => {
                let by = part * f64::from(self.area.height);
                timeline.window.scroll(by.round(), &timeline.vertical);
            }
            (Action::Fit, View::Timeline) => {
                if let Some(place) = timeline.selected.and_then(|slice| layout.place(slice)) {
                    timeline.window.fit(place.start..place.end);
                    self.follows = false;
                }
            }
            (Action::FitAll, View::Timeline) => {
                timeline.window.fit(timeline.window.bounds());
                self.follows = true;
            }
            (Action::Fold, View::Timeline) => {
                if let Some(slice) = timeline.selected {
                    timeline.toggle_fold(slice, trace, layout);
                }
            }
            (Action::Pin, View::Timeline) => timeline.toggle_pin(trace),
            (Action::Mark, View::Timeline) => timeline.toggle_mark(trace),
            (Action::RemoveMarks, View::Timeline) => timeline.marks.clear(),
            (Action::HideCategory | Action::HideName | Action::HideTrack, View::Timeline) => {
                let Some(id) = timeline.selected else { return true };
                let Some((slice, track)) = trace.slice(id).zip(trace.track_of(id)) else { return true };
                let (categories, names, tracks) = &mut self.hidden;
                match action {
                    Action::HideCategory if slice.category.is_empty() => {}
                    Action::HideCategory => categories.push(trace.name(slice.category).into_owned()),
                    Action::HideName => names.push(trace.name(slice.name).into_owned()),
                    _ => tracks.push(track),
                }
            }
            (Action::ShowAll, _) => self.hidden = Default::default(),
            (Action::FoldAll, View::Timeline) => timeline.folds.toggle_all(trace),
            (Action::SameName(direction), View::Timeline) => {
                if let Some(slice) = timeline.selected {
                    self.search = trace.slice_name(slice).into_owned();
                    self.find(trace, layout);
                    self.step(direction, trace, layout);
                }
            }
            (Action::Left | Action::Right | Action::Up | Action::Down | Action::Enter, View::Timeline) => {
                self.go(action, trace, layout);
            }
            _ => {}
        }
        true
    }

    /// Selects a slice beside the selected one, or the first one that is shown if none is selected.
    fn go(&mut self, action: Action, trace: &impl TraceView, layout: &impl LayoutView) {
        let timeline = &mut self.timeline;
        let shown = timeline.rects.first().map(|found| found.rect.slice);
        let found = match (action, timeline.selected) {
            (Action::Enter, _) | (_, None) => shown,
            (Action::Left, Some(slice)) => layout.previous(slice),
            (Action::Right, Some(slice)) => layout.next(slice),
            (Action::Up, Some(slice)) => layout.parent(slice).or_else(|| timeline.beside(-1)),
            (_, Some(slice)) => layout.children(slice).first().copied().or_else(|| timeline.beside(1)),
        };
        if let Some(slice) = found {
            timeline.select(slice, trace, layout);
        }
    }

    fn build_flame(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let range = self.timeline.window.viewport().range();
        self.flame.build(trace, layout, range, self.measure);
    }

    /// Scrolls the table of functions.
    fn skip(&mut self, by: f64) {
        self.skipped = (self.skipped as f64 + by).max(0.0) as usize;
    }

    /// Returns which value of the samples is shown, from 1 on, or 0 for the one that the file says.
    pub fn value(&self) -> usize {
        self.value
    }

    /// Shows all of the trace of another value. Times of the one before mean nothing in it.
    pub fn show_value(&mut self, trace: &Trace) {
        let (timeline, bounds) = (&mut self.timeline, trace.bounds().unwrap_or_default());
        timeline.window.set_bounds(bounds.clone());
        timeline.window.fit(bounds);
        timeline.selected = None;
        timeline.marks.clear();
        timeline.hidden = Hidden::default();
        timeline.forget(true);
    }

    /// Returns what is hidden, if that is something else than before. Then the trace is laid out anew.
    pub fn hides(&mut self, trace: &Trace) -> Option<&Hidden> {
        let (categories, names, tracks) = &self.hidden;
        let hidden = Hidden::new(trace, categories, names, tracks);
        if self.timeline.hidden == hidden {
            return None;
        }
        self.timeline.hidden = hidden;
        Some(&self.timeline.hidden)
    }

    /// Shows another layout of the trace, of which something else is hidden.
    pub fn lay_out(&mut self, trace: &Trace, layout: &impl LayoutView) {
        self.timeline.hidden_tracks.clone_from(&self.hidden.2);
        self.timeline.forget(false);
        self.timeline.selected = self.timeline.selected.filter(|&slice| layout.place(slice).is_some());
        self.find(trace, layout);
        self.build_flame(trace, layout);
    }

    /// Finds what contains the text that is searched for.
    fn find(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let job = find(trace, layout, &self.timeline.hidden, ignoring_case(&self.search));
        let found = if self.search.is_empty() { Found::default() } else { job.run() };
        (self.found, self.timeline.hits) = (found.to_string(), found.slices);
    }

    /// Selects the next slice that was found, or the previous one.
    fn step(&mut self, direction: Direction, trace: &impl TraceView, layout: &impl LayoutView) {
        let Timeline { hits, selected, window, .. } = &self.timeline;
        let shown = window.viewport().range();
        let found = match direction {
            Direction::Forward => hits.step_forward(layout, *selected, shown),
            Direction::Back => hits.step_back(layout, *selected, shown),
        };
        if let Some(slice) = found {
            self.timeline.select(slice, trace, layout);
            self.follows = false;
        }
    }
}

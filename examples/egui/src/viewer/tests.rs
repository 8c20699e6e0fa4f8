//! The viewer without a window: events go in, and what it draws and remembers is looked at.

use std::ops::Range;

use eframe::egui::{Context, Event, Key, Modifiers, Panel, Pos2, RawInput};
use spall_trace::layout::LayoutView;
use spall_trace::model::{SliceId, Tick, TraceView};
use spall_view::{Action, COMMANDS, Command, Engine, Heights, Opened, Place, Source, open};

use super::Viewer;
use crate::{frame, keys};

/// A file of the repository.
fn file(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn opened(data: &[u8]) -> Opened {
    open(vec![Source { name: "trace".into(), read: data, offset: None }]).unwrap()
}

/// A viewer in a window of 1000×1000 points.
struct Window {
    context: Context,
    viewer: Viewer,
}

impl Window {
    /// Opens the bundled trace.
    fn open() -> Self {
        Self::of(&file("spall-page/page/record.spall"))
    }

    fn of(data: &[u8]) -> Self {
        let mut window = Self { context: Context::default(), viewer: Viewer::new(opened(data), None) };
        window.draw(vec![]);
        window
    }

    /// Handles events and draws a frame. Returns its texts and where they are.
    fn draw(&mut self, events: Vec<Event>) -> Vec<(Pos2, String)> {
        let input = RawInput { events, ..Default::default() };
        frame::texts(&self.context, input, |ui| {
            Panel::top("toolbar").show(ui, |ui| ui.horizontal(|ui| self.viewer.toolbar(ui, None)));
            self.viewer.ui(ui);
        })
    }

    /// Returns the texts of the frame in which all is done that takes long.
    fn texts(&mut self) -> Vec<String> {
        (0..3).for_each(|_| _ = self.draw(vec![]));
        self.draw(vec![]).into_iter().map(|(_, text)| text).collect()
    }

    /// Returns where a text is.
    fn find(&mut self, text: &str) -> Pos2 {
        frame::find(&self.draw(vec![]), text)
    }

    /// Moves the pointer with a button held down. A click is a drag to where it began.
    fn drag(&mut self, from: Pos2, to: Pos2, modifiers: Modifiers) {
        let button = |pos, pressed| frame::button(pos, pressed, modifiers);
        self.draw(vec![Event::ModifiersChanged(modifiers)]);
        self.draw(vec![Event::PointerMoved(from), button(from, true)]);
        self.draw(vec![Event::PointerMoved(to)]);
        self.draw(vec![Event::PointerMoved(to)]);
        self.draw(vec![button(to, false)]);
        self.draw(vec![Event::ModifiersChanged(Modifiers::NONE)]);
        self.draw(vec![Event::PointerGone]);
    }

    fn click(&mut self, text: &str) {
        let at = self.find(text);
        self.drag(at, at, Modifiers::NONE);
    }

    fn press(&mut self, key: Key, modifiers: Modifiers) {
        let event = |pressed| Event::Key { key, physical_key: Some(key), pressed, repeat: false, modifiers };
        self.draw(vec![Event::ModifiersChanged(modifiers)]);
        self.draw(vec![event(true)]);
        self.draw(vec![event(false)]);
        self.draw(vec![Event::ModifiersChanged(Modifiers::NONE)]);
    }

    fn selected(&self) -> Option<String> {
        let slice = self.viewer.engine.view().selected_slice()?;
        Some(self.viewer.engine.trace().slice_name(slice).into_owned())
    }

    /// Returns the range of time in view.
    fn shown(&self) -> Range<Tick> {
        self.viewer.engine.view().window().viewport().range()
    }
}

#[test]
fn a_click_selects_and_keys_go_on_from_there() {
    let mut window = Window::open();
    window.click("wait for workers");
    assert_eq!(window.selected().as_deref(), Some("wait for workers"));
    assert!(window.texts().contains(&"19.94 ms".into()), "its duration is among the details");
    window.press(Key::ArrowLeft, Modifiers::NONE);
    assert_eq!(window.selected().as_deref(), Some("start workers"));
    window.press(Key::ArrowUp, Modifiers::NONE);
    assert_eq!(window.selected().as_deref(), Some("main"));
    let all = window.shown();
    window.press(Key::ArrowDown, Modifiers::NONE);
    window.press(Key::F, Modifiers::NONE);
    let place = window.viewer.engine.layout().place(SliceId(1)).unwrap();
    let shown = window.shown();
    assert!(shown.start <= place.start && shown.end >= place.end && shown.end < all.end);
    window.press(Key::Backspace, Modifiers::NONE);
    assert_eq!(window.shown(), all);
}

#[test]
fn a_click_on_a_header_folds_it() {
    let mut window = Window::open();
    window.click("▼ worker 1");
    let texts = window.texts();
    assert!(texts.contains(&"▶ worker 1".into()) && !texts.contains(&"job 4".into()), "{texts:?}");
    window.press(Key::C, Modifiers::SHIFT);
    assert!(window.texts().contains(&"▶ record".into()));
}

#[test]
fn a_drag_selects_a_range_that_snaps_and_with_shift_it_pans() {
    let mut window = Window::open();
    let (from, to) = (window.find("job 4"), window.find("wait for workers"));
    let shown = window.shown();
    window.drag(from, to, Modifiers::NONE);
    let range = window.viewer.engine.view().range().unwrap().0;
    assert!(range.start > shown.start && range.end < shown.end && range.start < range.end);
    assert_eq!(window.shown(), shown);
    window.press(Key::T, Modifiers::NONE);
    assert!(window.texts().contains(&"total".into()));
    window.press(Key::Num2, Modifiers::NONE);
    let texts = window.texts();
    assert_eq!(
        texts.iter().filter(|text| *text == "main").count(),
        2,
        "on its thread, and in the flame graph"
    );
    assert!(!texts.contains(&"total".into()));

    window.press(Key::Escape, Modifiers::NONE);
    assert_eq!(window.viewer.engine.view().range(), None);
    window.drag(to, from, Modifiers::SHIFT);
    let panned = window.shown();
    assert!(panned.start > shown.start && window.viewer.engine.view().range().is_none());
}

#[test]
fn a_pinned_track_is_shown_twice_and_a_mark_tells_its_time() {
    let mut window = Window::open();
    window.click("wait for workers");
    let n_shown = |window: &mut Window| window.texts().iter().filter(|text| *text == "▼ main").count();
    assert_eq!(n_shown(&mut window), 1);
    window.press(Key::P, Modifiers::NONE);
    assert_eq!(n_shown(&mut window), 2);
    window.click("wait for workers");
    assert_eq!(window.selected().as_deref(), Some("wait for workers"), "pinned slices can be clicked");
    window.press(Key::P, Modifiers::NONE);
    assert_eq!(n_shown(&mut window), 1);

    let start = window
        .viewer
        .engine
        .layout()
        .place(window.viewer.engine.view().selected_slice().unwrap())
        .unwrap()
        .start;
    let since = start - window.viewer.engine.trace().bounds().unwrap().start;
    let time = window.viewer.engine.trace().clock().duration(since).to_string();
    let n_times = |window: &mut Window| window.texts().iter().filter(|text| **text == time).count();
    let marks = |window: &Window| {
        let view = window.viewer.engine.view();
        view.place().marks.iter().map(|mark| view.tick(mark.at)).collect::<Vec<_>>()
    };
    let before = n_times(&mut window);
    window.press(Key::M, Modifiers::NONE);
    assert_eq!((n_times(&mut window), marks(&window)), (before + 1, vec![start]));
    window.press(Key::M, Modifiers::NONE);
    assert_eq!(n_times(&mut window), before);
}

#[test]
fn a_drag_in_the_map_shows_that_time_and_a_click_moves_there() {
    let mut window = Window::open();
    let bounds = window.viewer.engine.trace().bounds().unwrap();
    // The map is above the ruler, as wide as the window.
    let y = window.find("0 ms").y - 25.0;
    window.drag(Pos2::new(500.0, y), Pos2::new(600.0, y), Modifiers::NONE);
    let shown = window.shown();
    let part = |at: Tick| (at - bounds.start).0 as f64 / (bounds.end - bounds.start).0 as f64;
    assert!((part(shown.start) - 0.5).abs() < 0.02 && (part(shown.end) - 0.6).abs() < 0.02, "{shown:?}");
    let at = Pos2::new(200.0, y);
    window.drag(at, at, Modifiers::NONE);
    let shown = window.shown();
    assert!((part(shown.start) - 0.15).abs() < 0.02 && (part(shown.end) - 0.25).abs() < 0.02, "{shown:?}");
    window.press(Key::Backspace, Modifiers::NONE);
    assert!(part(window.shown().end) > 0.9);
}

#[test]
fn a_search_marks_counts_and_steps() {
    let mut window = Window::open();
    window.draw(vec![Event::Text("/".into())]);
    window.draw(vec![]);
    window.draw(vec![Event::Text("DRAW".into())]);
    assert!(window.texts().contains(&"14 slices".into()), "{:?}", window.texts());
    window.press(Key::Enter, Modifiers::NONE);
    let first = window.viewer.engine.view().selected_slice();
    assert_eq!(window.selected().as_deref(), Some("draw"));
    window.press(Key::Enter, Modifiers::NONE);
    assert_ne!(window.viewer.engine.view().selected_slice(), first);
    window.press(Key::Enter, Modifiers::SHIFT);
    assert_eq!(window.viewer.engine.view().selected_slice(), first);
}

#[test]
fn a_search_counts_what_every_viewer_counts() {
    let mut window = Window::of(&file("testdata/small/search.json"));
    window.draw(vec![Event::Text("/".into())]);
    window.draw(vec![]);
    window.draw(vec![Event::Text("dRaw".into())]);
    let texts = window.texts();
    assert!(texts.contains(&"3 slices, 3 instants, 1 counter".into()), "{texts:?}");
}

#[test]
fn the_help_lists_every_key_once() {
    let mut window = Window::open();
    window.draw(vec![Event::Text("?".into())]);
    // A window measures its content before it shows it.
    window.draw(vec![]);
    window.draw(vec![]);
    let texts = window.texts();
    for info in keys::commands() {
        assert!(texts.contains(&info.text.into()), "{}", info.text);
        assert!(texts.contains(&info.keys.join("  ")), "{:?}", info.keys);
    }
}

#[test]
fn keys_have_the_names_of_the_table() {
    let name = |key, physical_key, modifiers| {
        let event = Event::Key { key, physical_key, pressed: true, repeat: false, modifiers };
        keys::command_of(&event, false)
    };
    let (none, shift, ctrl) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND);
    for (key, modifiers, command) in [
        (Key::W, none, Command::ZoomIn),
        (Key::Num0, none, Command::FitAll),
        (Key::ArrowUp, none, Command::Up),
        (Key::PageDown, none, Command::PageDown),
        (Key::Home, none, Command::FitAll),
        (Key::Escape, none, Command::Escape),
        (Key::Delete, none, Command::RemoveMarks),
        (Key::Enter, none, Command::First),
        (Key::F1, none, Command::Help),
        (Key::Backspace, shift, Command::Forward),
        (Key::C, shift, Command::FoldAll),
        (Key::F, ctrl, Command::Find),
        (Key::P, ctrl | shift, Command::Help),
    ] {
        assert_eq!(name(key, Some(key), modifiers), Some(command), "{key:?}");
    }
    assert_eq!(
        name(Key::Z, Some(Key::W), none),
        Some(Command::ZoomIn),
        "a letter is a place on the keyboard"
    );
    assert_eq!(name(Key::Slash, Some(Key::Num7), shift), None, "what is typed is a text");
    for (text, command) in [("+", Command::ZoomIn), ("?", Command::Help), ("]", Command::FlowOut)] {
        assert_eq!(keys::command_of(&Event::Text(text.into()), false), Some(command));
        assert_eq!(keys::command_of(&Event::Text(text.into()), true), None, "it is typed into a field");
    }
    let known = |key: &str| {
        let texts = [Event::Text(key.into())].into_iter();
        let places = Key::ALL.iter().flat_map(|&key| {
            [none, shift, ctrl, ctrl | shift].map(|modifiers| Event::Key {
                key,
                physical_key: Some(key),
                pressed: true,
                repeat: false,
                modifiers,
            })
        });
        texts.chain(places).any(|event| keys::command_of(&event, false) == Command::of_key(key))
    };
    for key in keys::commands().flat_map(|info| info.keys) {
        assert!(known(key), "{key} is on no keyboard");
    }
}

#[test]
fn commands_do_the_same_as_in_every_other_viewer() {
    let data = file("spall-page/page/record.spall");
    let mut window = Window::of(&data);
    let mut engine = Engine::new(opened(&data), None, Heights::DESKTOP);
    let Range { start, end } = window.viewer.engine.view().window().heights();
    engine.change_view(|view| {
        view.set_panel("details");
        view.resize(1000, (end - start) as u32);
    });
    let are_same = |window: &Window, engine: &Engine, after: &str| {
        assert_eq!(window.viewer.engine.current_place(), engine.current_place(), "{after}");
    };
    are_same(&window, &engine, "at first");
    window.click("find");
    window.draw(vec![Event::Text("draw".into())]);
    engine.act(Action::Search("draw".into()));
    while engine.step_find().is_none() {}
    window.texts();
    are_same(&window, &engine, "a search");
    // All of them, and then those that need a selection with one.
    let commands = COMMANDS.iter().map(|info| info.command);
    let is_last = |command: &Command| !matches!(command, Command::Escape | Command::Back | Command::Forward);
    let all: Vec<_> = commands.clone().filter(is_last).chain([Command::First]).chain(commands).collect();
    for command in all {
        if !engine.act(Action::Command(command)) {
            continue;
        }
        while engine.is_finding() {
            engine.step_find();
        }
        let Window { context, viewer } = &mut window;
        frame::texts(context, RawInput::default(), |ui| viewer.run(command, ui));
        while viewer.engine.is_finding() {
            viewer.engine.step_find();
        }
        are_same(&window, &engine, &format!("{command:?}"));
    }
}

#[test]
fn what_is_hidden_is_gone_until_all_is_shown_again() {
    let mut window = Window::open();
    window.click("wait for workers");
    let n_slices = window.viewer.engine.trace().slices().len();
    let n_shown = |window: &Window| {
        (0..n_slices)
            .filter(|&slice| window.viewer.engine.layout().place(SliceId::new(slice)).is_some())
            .count()
    };
    assert_eq!(n_shown(&window), n_slices);
    window.click("Hide name");
    assert_eq!(window.selected().as_deref(), Some("wait for workers"), "the key takes it back");
    let n_times = |window: &mut Window| window.texts().iter().filter(|t| *t == "wait for workers").count();
    assert_eq!(n_times(&mut window), 1, "among the details");
    assert_eq!(n_shown(&window), n_slices - 1);
    window.click("Show all");
    assert!(window.texts().contains(&"wait for workers".into()));
    assert_eq!(n_shown(&window), n_slices);
}

#[test]
fn a_hidden_track_is_gone_and_counts_no_longer() {
    let mut window = Window::open();
    window.click("wait for workers");
    window.press(Key::P, Modifiers::NONE);
    window.press(Key::T, Modifiers::NONE);
    // The table, and the timeline twice: the track is pinned.
    let n_times = |window: &mut Window, text: &str| window.texts().iter().filter(|&t| t == text).count();
    assert_eq!(n_times(&mut window, "wait for workers"), 3);
    window.click("Hide track");
    assert_eq!(n_times(&mut window, "wait for workers") + n_times(&mut window, "▼ main"), 0);
    assert_eq!(n_times(&mut window, "▼ worker 1"), 1);
    window.click("Show all");
    assert_eq!((n_times(&mut window, "wait for workers"), n_times(&mut window, "▼ main")), (3, 2));
}

#[test]
fn what_is_typed_is_a_step_that_can_be_taken_back() {
    let mut window = Window::open();
    window.draw(vec![Event::Text("/".into())]);
    window.draw(vec![]);
    for letter in ["d", "r", "a"] {
        window.draw(vec![Event::Text(letter.into())]);
    }
    assert!(window.texts().contains(&"14 slices".into()));
    window.press(Key::Escape, Modifiers::NONE);
    assert!(!window.texts().contains(&"14 slices".into()));
    window.press(Key::Backspace, Modifiers::NONE);
    assert!(window.texts().contains(&"14 slices".into()), "it is found again");
    window.press(Key::Backspace, Modifiers::NONE);
    assert_eq!(window.viewer.engine.view().place().search, "");
}

#[test]
fn every_panel_says_something_about_every_kind_of_trace() {
    for data in [file("testdata/small/kinds.json"), file("spall-page/page/record.spall"), b"[]".to_vec()] {
        let mut window = Window::of(&data);
        window.press(Key::Enter, Modifiers::NONE);
        for (_, title) in super::PANELS {
            window.click(title);
            assert!(window.texts().contains(&title.into()));
        }
        window.press(Key::Q, Modifiers::NONE);
        assert!(!window.texts().contains(&"Flame graph".into()));
        window.press(Key::Q, Modifiers::NONE);
        assert!(window.texts().contains(&"Flame graph".into()));
    }
}

/// The keys that all viewers press in tests of their own.
#[test]
fn keys_give_the_place_that_all_viewers_give() {
    let script: serde_json::Value = serde_json::from_slice(&file("testdata/small/keys.json")).unwrap();
    let mut window = Window::of(&file("testdata/small/search.json"));
    for key in script["keys"].as_array().unwrap() {
        let name = key.as_str().unwrap();
        let (name, modifiers) =
            name.strip_prefix("Shift+").map_or((name, Modifiers::NONE), |name| (name, Modifiers::SHIFT));
        match Key::from_name(name) {
            _ if name == "." => _ = window.draw(vec![Event::Text(name.into())]),
            Some(key) => window.press(key, modifiers),
            None => panic!("{name} is no key"),
        }
    }
    let place =
        Place { files: Vec::new(), top: 0.0, panel: String::new(), ..window.viewer.engine.current_place() };
    assert_eq!(serde_json::to_value(&place).unwrap(), script["place"]);
}

//! The viewer without a window: events go in, and what it draws and remembers is looked at.

use eframe::egui::{Context, Event, Key, Modifiers, Panel, Pos2, RawInput};
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{SliceId, TraceView};

use super::Viewer;
use crate::frame;

/// A viewer in a window of 1000×1000 points.
struct Window {
    context: Context,
    viewer: Viewer,
}

impl Window {
    /// Opens the bundled trace.
    fn open() -> Self {
        Self::of(include_bytes!("../../../../testdata/record.spall"))
    }

    fn of(data: &[u8]) -> Self {
        let trace = spall_trace::load(data).unwrap();
        let layout = Layout::new(&trace);
        let viewer = Viewer::new(trace, layout, Default::default());
        let mut window = Self { context: Context::default(), viewer };
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

    /// Returns the texts of the next frame.
    fn texts(&mut self) -> Vec<String> {
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
        let slice = self.viewer.timeline.selected?;
        Some(self.viewer.trace.slice_name(slice).into_owned())
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
    let all = window.viewer.timeline.window.viewport().range();
    window.press(Key::ArrowDown, Modifiers::NONE);
    window.press(Key::F, Modifiers::NONE);
    let place = window.viewer.layout.place(SliceId(1)).unwrap();
    let shown = window.viewer.timeline.window.viewport().range();
    assert!(shown.start <= place.start && shown.end >= place.end && shown.end < all.end);
    window.press(Key::Backspace, Modifiers::NONE);
    assert_eq!(window.viewer.timeline.window.viewport().range(), all);
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
    let shown = window.viewer.timeline.window.viewport().range();
    window.drag(from, to, Modifiers::NONE);
    let range = window.viewer.timeline.range.clone().unwrap();
    assert!(range.start > shown.start && range.end < shown.end && range.start < range.end);
    assert_eq!(window.viewer.timeline.window.viewport().range(), shown);
    window.press(Key::Num2, Modifiers::NONE);
    assert!(window.texts().contains(&"total".into()));
    window.press(Key::Num3, Modifiers::NONE);
    assert!(window.texts().contains(&"callers below".into()));

    window.press(Key::Escape, Modifiers::NONE);
    assert_eq!(window.viewer.timeline.range, None);
    window.drag(to, from, Modifiers::SHIFT);
    let panned = window.viewer.timeline.window.viewport().range();
    assert!(panned.start > shown.start && window.viewer.timeline.range.is_none());
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

    let start = window.viewer.layout.place(window.viewer.timeline.selected.unwrap()).unwrap().start;
    let since = start - window.viewer.trace.bounds().unwrap().start;
    let time = window.viewer.trace.clock().duration(since).to_string();
    let n_times = |window: &mut Window| window.texts().iter().filter(|text| **text == time).count();
    let before = n_times(&mut window);
    window.press(Key::M, Modifiers::NONE);
    assert_eq!((n_times(&mut window), &window.viewer.timeline.marks), (before + 1, &vec![start]));
    window.press(Key::M, Modifiers::NONE);
    assert_eq!(n_times(&mut window), before);
}

#[test]
fn a_drag_in_the_map_shows_that_time_and_a_click_moves_there() {
    let mut window = Window::open();
    let bounds = window.viewer.trace.bounds().unwrap();
    // The map is above the ruler, as wide as the window.
    let y = window.find("0 ms").y - 25.0;
    window.drag(Pos2::new(500.0, y), Pos2::new(600.0, y), Modifiers::NONE);
    let shown = window.viewer.timeline.window.viewport().range();
    let part =
        |at: spall_trace::model::Tick| (at - bounds.start).0 as f64 / (bounds.end - bounds.start).0 as f64;
    assert!((part(shown.start) - 0.5).abs() < 0.02 && (part(shown.end) - 0.6).abs() < 0.02, "{shown:?}");
    let at = Pos2::new(200.0, y);
    window.drag(at, at, Modifiers::NONE);
    let shown = window.viewer.timeline.window.viewport().range();
    assert!((part(shown.start) - 0.15).abs() < 0.02 && (part(shown.end) - 0.25).abs() < 0.02, "{shown:?}");
    window.press(Key::Backspace, Modifiers::NONE);
    assert!(part(window.viewer.timeline.window.viewport().range().end) > 0.9);
}

#[test]
fn a_search_marks_counts_and_steps() {
    let mut window = Window::open();
    window.draw(vec![Event::Text("/".into())]);
    window.draw(vec![]);
    window.draw(vec![Event::Text("DRAW".into())]);
    assert!(window.texts().contains(&"14 slices".into()), "{:?}", window.texts());
    window.press(Key::Enter, Modifiers::NONE);
    let first = window.viewer.timeline.selected;
    assert_eq!(window.selected().as_deref(), Some("draw"));
    window.press(Key::Enter, Modifiers::NONE);
    assert_ne!(window.viewer.timeline.selected, first);
    window.press(Key::Enter, Modifiers::SHIFT);
    assert_eq!(window.viewer.timeline.selected, first);
}

#[test]
fn a_search_counts_what_every_viewer_counts() {
    let mut window = Window::of(include_bytes!("../../../../testdata/small/search.json"));
    window.draw(vec![Event::Text("/".into())]);
    window.draw(vec![]);
    window.draw(vec![Event::Text("dRaw".into())]);
    let texts = window.texts();
    assert!(texts.contains(&"3 slices, 2 instants, 1 track".into()), "{texts:?}");
}

#[test]
fn the_help_lists_every_key_once() {
    let mut window = Window::open();
    window.draw(vec![Event::Text("?".into())]);
    // A window measures its content before it shows it.
    window.draw(vec![]);
    window.draw(vec![]);
    let texts = window.texts();
    for (at, (key, _, what)) in super::KEYS.iter().enumerate() {
        assert!(texts.contains(&String::from(*what)), "{what}");
        assert!(super::KEYS[..at].iter().all(|(other, ..)| other != key), "{key}");
    }
}

#[test]
fn what_is_hidden_is_gone_until_all_is_shown_again() {
    let mut window = Window::open();
    window.click("wait for workers");
    let n_slices = window.viewer.trace.slices().len();
    let n_shown = |window: &Window| {
        (0..n_slices).filter(|&slice| window.viewer.layout.place(SliceId::new(slice)).is_some()).count()
    };
    assert_eq!(n_shown(&window), n_slices);
    window.click("Hide name");
    assert_eq!(window.selected(), None);
    assert!(!window.texts().contains(&"wait for workers".into()));
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
    window.press(Key::Num2, Modifiers::NONE);
    window.click("self");
    // The table, and the timeline twice: the track is pinned.
    let n_times = |window: &mut Window, text: &str| window.texts().iter().filter(|&t| t == text).count();
    assert_eq!(n_times(&mut window, "wait for workers"), 3);
    window.click("Hide track");
    assert_eq!(n_times(&mut window, "wait for workers") + n_times(&mut window, "▼ main"), 0);
    assert_eq!(n_times(&mut window, "▼ worker 1"), 1);
    window.click("Show all");
    assert_eq!((n_times(&mut window, "wait for workers"), n_times(&mut window, "▼ main")), (2, 2));
}

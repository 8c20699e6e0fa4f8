//! What keys and the mouse do, on a screen in memory.

use core::fmt::Write;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use spall_view::{Action, Command, Engine, Heights, Place, Shown, Source, View, open};

use crate::shown::Showing;
use crate::viewer::Viewer;

const TRACE: &str = r#"[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
    {"ph":"X","name":"frame","cat":"c","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","name":"draw","cat":"c","pid":1,"tid":1,"ts":10,"dur":20},
    {"ph":"X","name":"wait","cat":"d","pid":1,"tid":1,"ts":40,"dur":50},
    {"ph":"X","name":"draw","cat":"d","pid":1,"tid":2,"ts":50,"dur":20},
    {"ph":"i","name":"tick","cat":"d","pid":1,"tid":2,"ts":80,"s":"t"},
    {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"used":7}},
    {"ph":"N","name":"Texture","id":"0x1","pid":1,"tid":1,"ts":20},
    {"ph":"D","name":"Texture","id":"0x1","pid":1,"tid":1,"ts":90},
    {"ph":"T","name":"Running","pid":1,"tid":1,"ts":40,"dur":30},
    {"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":15},
    {"ph":"f","bp":"e","name":"f","id":1,"pid":1,"tid":2,"ts":55}]"#;

const COLUMNS: u16 = 100;
const LINES: u16 = 20;

fn source() -> Source<&'static [u8]> {
    Source { name: "a.json".into(), read: TRACE.as_bytes(), offset: None }
}

/// A viewer and the screen that it draws on.
struct Screen {
    terminal: Terminal<TestBackend>,
    viewer: Viewer,
}

impl Screen {
    fn new() -> Self {
        let terminal = Terminal::new(TestBackend::new(COLUMNS, LINES)).unwrap();
        Self { terminal, viewer: Viewer::new() }
    }

    /// Draws, and returns the lines of the screen.
    fn draw(&mut self, shown: &mut Showing<impl Shown>) -> String {
        self.terminal.draw(|frame| self.viewer.draw(frame, shown)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let mut text = String::new();
        for (cell, at) in buffer.content().iter().zip(1..) {
            let end = if at % usize::from(COLUMNS) == 0 { "\n" } else { "" };
            write!(text, "{}{end}", cell.symbol()).unwrap();
        }
        text
    }

    /// Presses a key, and draws.
    fn press(&mut self, code: KeyCode, shown: &mut Showing<impl Shown>) -> String {
        let is_upper = matches!(code, KeyCode::Char(letter) if letter.is_ascii_uppercase());
        let modifiers = if is_upper { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
        assert!(self.viewer.handle(&Event::Key(KeyEvent::new(code, modifiers)), shown));
        self.draw(shown)
    }

    fn mouse(
        &mut self,
        kind: MouseEventKind,
        column: usize,
        row: usize,
        shown: &mut Showing<impl Shown>,
    ) -> String {
        let (column, row) = (column as u16, row as u16);
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        assert!(self.viewer.handle(&Event::Mouse(event), shown));
        self.draw(shown)
    }

    /// Clicks at what is drawn, and draws.
    fn click(&mut self, what: &str, shown: &mut Showing<impl Shown>) -> String {
        let screen = self.draw(shown);
        let found = screen.lines().enumerate().find_map(|(row, line)| Some((line.split_once(what)?.0, row)));
        let (before, row) = found.unwrap_or_else(|| panic!("no {what:?} on the screen:\n{screen}"));
        let column = before.chars().count();
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row, shown);
        self.mouse(MouseEventKind::Up(MouseButton::Left), column, row, shown)
    }
}

fn finished() -> Showing {
    Showing::new(open(vec![source()]).unwrap())
}

/// What is said about what is selected.
fn about(screen: &str) -> &str {
    screen.lines().nth(usize::from(LINES) - 2).unwrap_or_default().trim_end()
}

/// The keys, and what each does to an engine.
const KEYS: &[(KeyCode, Command)] = &[
    (KeyCode::Enter, Command::First),
    (KeyCode::Down, Command::Down),
    (KeyCode::Char('f'), Command::Fit),
    (KeyCode::Char('m'), Command::Mark),
    (KeyCode::Char('w'), Command::ZoomIn),
    (KeyCode::Char('d'), Command::Later),
    (KeyCode::Left, Command::Left),
    (KeyCode::Char('r'), Command::RangeOfSelection),
    (KeyCode::Char('p'), Command::Pin),
    (KeyCode::Char(']'), Command::FlowOut),
    (KeyCode::Char('k'), Command::MoveUp),
    (KeyCode::Char('*'), Command::NextOfName),
    (KeyCode::Char('u'), Command::NextMeasure),
    (KeyCode::Char('y'), Command::NextTracks),
    (KeyCode::Char('o'), Command::ByActivity),
    (KeyCode::Char('c'), Command::Fold),
    (KeyCode::Char('X'), Command::HideCategory),
    (KeyCode::Backspace, Command::Back),
    (KeyCode::Char('x'), Command::HideName),
    (KeyCode::Char('H'), Command::ShowAll),
    (KeyCode::Char('C'), Command::FoldAll),
    (KeyCode::PageDown, Command::PageDown),
    (KeyCode::Char('h'), Command::HideTrack),
    (KeyCode::Esc, Command::Escape),
    (KeyCode::Esc, Command::Escape),
    (KeyCode::Char('s'), Command::ZoomOut),
    (KeyCode::Char('M'), Command::RemoveMarks),
    (KeyCode::Char('0'), Command::FitAll),
];

/// A terminal shows what every frontend shows: its keys lead to the place to which the commands lead.
#[test]
fn keys_lead_where_the_commands_of_an_engine_lead() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    let mut engine = Engine::new(open(vec![source()]).unwrap(), None, Heights::TERMINAL);
    engine.change_view(|view| view.resize(COLUMNS, u32::from(LINES) - 4));
    screen.draw(&mut shown);
    let place = |view: &View| Place { files: Vec::new(), ..view.place().clone() };
    let mut places = vec![place(engine.view())];
    for &(key, command) in KEYS {
        screen.press(key, &mut shown);
        engine.act(Action::Command(command));
        engine.change_view(|view| view.resize(COLUMNS, u32::from(LINES) - 4));
        assert_eq!(shown.view().place(), engine.view().place(), "{key:?} {command:?}");
        assert_eq!(shown.view().main().lines(), engine.view().main().lines(), "{key:?} {command:?}");
        places.push(place(engine.view()));
    }
    places.dedup();
    assert!(places.len() > KEYS.len() * 3 / 4, "most keys do something: {}", places.len());

    for key in ['/', 'd', 'r', 'a', 'w'] {
        screen.press(KeyCode::Char(key), &mut shown);
    }
    screen.press(KeyCode::Enter, &mut shown);
    engine.act(Action::Search("draw".into()));
    engine.begin_find("draw").unwrap();
    while engine.step_find().is_none() {}
    engine.act(Action::Command(Command::NextHit));
    assert_eq!(shown.view().place(), engine.view().place());
    assert!(shown.view().selected_slice().is_some());
}

#[test]
fn what_ran_on_a_processor_leads_to_its_thread() {
    let data = TRACE.replace(r#""ts":40,"dur":30}"#, r#""ts":40,"dur":30,"args":{"cpu":3}}"#);
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let (mut screen, mut shown) = (Screen::new(), Showing::new(open(vec![source]).unwrap()));
    let drawn = screen.press(KeyCode::Char('U'), &mut shown);
    let lines: Vec<&str> = drawn.lines().skip(2).take(2).collect();
    assert!(lines[0].contains("▾ CPUs") && lines[1].starts_with("CPU 3 "), "{drawn}");
    let said = screen.click("▏main", &mut shown);
    assert!(about(&said).starts_with("Running: 30 µs"), "{said}");
    let folded = screen.click("CPUs", &mut shown);
    assert!(folded.contains("▸ CPUs") && !folded.contains("▏main"), "{folded}");
}

#[test]
fn what_is_drawn_on_headers_can_be_selected() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    let said = screen.click("▏Texture", &mut shown);
    assert!(about(&said).starts_with("Texture: 70 µs"), "{said}");
    let said = screen.click("▏Running", &mut shown);
    assert!(said.contains("▾ main") && about(&said).starts_with("Running: 30 µs, at 40 µs"), "{said}");
    let said = screen.click("╷ ", &mut shown);
    assert!(about(&said).starts_with("tick: at 80 µs"), "{said}");
    let said = screen.click(&"█".repeat(60), &mut shown);
    assert!(about(&said).starts_with("memory: at ") && about(&said).ends_with("used: 7"), "{said}");
    let folded = screen.click("▾ main", &mut shown);
    assert!(folded.contains("▸ main") && !folded.contains("▏frame"), "{folded}");
}

#[test]
fn hidden_categories_hide_instants_and_no_sums_count_them() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    screen.click("▏wait", &mut shown);
    let hidden = screen.press(KeyCode::Char('X'), &mut shown);
    let timeline = hidden.lines().skip(2).take(usize::from(LINES) - 4).collect::<String>();
    assert!(!timeline.contains("wait") && !timeline.contains('╷'), "{hidden}");
    assert!(hidden.contains("q quit  1 hidden"), "{hidden}");
    let sums = screen.press(KeyCode::Char('t'), &mut shown);
    assert!(sums.contains("  frame") && !sums.contains("  wait"), "{sums}");
    let all = screen.press(KeyCode::Char('H'), &mut shown);
    assert!(all.contains("  wait"), "{all}");
}

#[test]
fn a_range_that_is_dragged_is_added_up() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    screen.draw(&mut shown);
    let button = MouseButton::Left;
    screen.mouse(MouseEventKind::Down(button), 60, 15, &mut shown);
    screen.mouse(MouseEventKind::Drag(button), 70, 15, &mut shown);
    let chosen = screen.mouse(MouseEventKind::Drag(button), 80, 15, &mut shown);
    assert!(about(&chosen).contains(" chosen"), "{chosen}");
    let sums = screen.press(KeyCode::Char('t'), &mut shown);
    let counts: Vec<_> = sums.lines().skip(1).filter(|line| line.contains("draw")).collect();
    assert!(matches!(&counts[..], [one] if one.split_whitespace().any(|word| word == "1")), "{sums}");
    screen.press(KeyCode::Char('1'), &mut shown);
    screen.press(KeyCode::Backspace, &mut shown);
    assert_eq!(shown.view().place().range, None, "a drag is one step");
}

#[test]
fn functions_are_selected_in_both_graphs() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    screen.press(KeyCode::Char('2'), &mut shown);
    screen.press(KeyCode::Down, &mut shown);
    let flame = screen.press(KeyCode::Down, &mut shown);
    assert!(about(&flame).starts_with("wait: total 50 µs"), "{flame}");
    let zoomed = screen.press(KeyCode::Char('f'), &mut shown);
    assert!(zoomed.lines().nth(1).is_some_and(|line| line.starts_with("▏wait") && !line.contains("draw")));
    screen.press(KeyCode::Char('4'), &mut shown);
    let inverted = screen.press(KeyCode::Enter, &mut shown);
    assert!(about(&inverted).starts_with("wait: total 50 µs"), "{inverted}");
    assert!(screen.press(KeyCode::Char('u'), &mut shown).contains(" without it"));
}

#[test]
fn the_help_is_that_of_all_viewers_and_tells_what_is_odd_about_the_file() {
    let data =
        br#"[{"ph":"E","name":"f","pid":1,"tid":1,"ts":5}, {"ph":"i","name":"i","pid":1,"tid":1,"ts":9}]"#;
    let source = Source { name: "a.json".into(), read: &data[..], offset: None };
    let (mut screen, mut shown) = (Screen::new(), Showing::new(open(vec![source]).unwrap()));
    assert!(screen.draw(&mut shown).contains("q quit  1 note"));
    let help = crate::keys::help(&shown);
    assert!(help.iter().any(|line| line.ends_with("Shift+H  Show all that was hidden")), "{help:#?}");
    assert!(!help.iter().any(|line| line.contains("Sandwich")), "{help:#?}");
    assert!(help.iter().any(|line| line.trim_start().starts_with("1 × ")), "{help:#?}");
}

#[test]
fn a_pattern_that_is_wrong_is_said_to_be() {
    let (mut screen, mut shown) = (Screen::new(), finished());
    let mut said = String::new();
    for key in "//dr(/".chars() {
        said = screen.press(KeyCode::Char(key), &mut shown);
    }
    assert!(said.contains("without closing"), "{said}");
}

#[test]
fn a_trace_that_grows_has_sums_graphs_and_a_search_that_goes_on() {
    let (mut screen, mut shown) = (Screen::new(), Showing::live("a.json"));
    let mut show = |data: &str, keys: &[KeyCode]| {
        shown.feed(data.as_bytes()).unwrap();
        shown.grow();
        keys.iter().fold(screen.draw(&mut shown), |_, &key| screen.press(key, &mut shown))
    };
    let begun = TRACE.strip_suffix(']').unwrap();
    let found = show(begun, &[KeyCode::Char('/'), KeyCode::Char('d'), KeyCode::Char('r'), KeyCode::Enter]);
    assert!(
        found.contains("dr: 2 slices, now 1 of 2, ") && about(&found).starts_with("draw: 20 µs"),
        "{found}"
    );
    let more = r#",{"ph":"X","name":"draw","pid":1,"tid":2,"ts":200,"dur":5}"#;
    assert!(show(more, &[]).contains("dr: 3 slices, now 1 of 3, "));
    let sums = show("", &[KeyCode::Esc, KeyCode::Char('t')]);
    assert!(sums.lines().any(|line| line.contains(" 3  draw")), "{sums}");
    let flame = show("", &[KeyCode::Char('2'), KeyCode::Down]);
    assert!(about(&flame).starts_with("frame: total 100 µs"), "{flame}");
    let hidden = show("", &[KeyCode::Char('1'), KeyCode::Enter, KeyCode::Char('x')]);
    assert!(!hidden.contains("▏frame") && hidden.contains("▏draw"), "{hidden}");
    let more = r#",{"ph":"X","name":"frame","pid":1,"tid":1,"ts":210,"dur":90}"#;
    assert!(!show(more, &[]).contains("▏frame"), "what is hidden stays hidden");
}

/// The keys that all viewers press in tests of their own. A package alone does not have the files.
#[test]
fn keys_give_the_place_that_all_viewers_give() {
    let file = |name| std::fs::read(format!("{}/../testdata/small/{name}", env!("CARGO_MANIFEST_DIR"))).ok();
    let (Some(script), Some(data)) = (file("keys.json"), file("search.json")) else {
        println!("not here: testdata, which is in the repository");
        return;
    };
    let script: serde_json::Value = serde_json::from_slice(&script).unwrap();
    let source = Source { name: "search.json".into(), read: &data[..], offset: None };
    let (mut screen, mut shown) = (Screen::new(), Showing::new(open(vec![source]).unwrap()));
    screen.draw(&mut shown);
    for key in script["keys"].as_array().unwrap() {
        let name = key.as_str().unwrap();
        let letter = |name: &str| name.chars().next().unwrap();
        let code = match (name, name.strip_prefix("Shift+")) {
            ("Enter", _) => KeyCode::Enter,
            ("ArrowDown", _) => KeyCode::Down,
            ("Backspace", _) => KeyCode::Backspace,
            (_, Some(name)) => KeyCode::Char(letter(name)),
            (name, None) => KeyCode::Char(letter(name).to_ascii_lowercase()),
        };
        screen.press(code, &mut shown);
    }
    let place = Place { files: Vec::new(), top: 0.0, panel: String::new(), ..shown.current_place() };
    assert_eq!(serde_json::to_value(&place).unwrap(), script["place"]);
}

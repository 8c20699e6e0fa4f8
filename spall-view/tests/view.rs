//! What a user has chosen to see, and what it changes.
#![expect(clippy::unwrap_used, reason = "a test")]

use spall_trace::{layout::LayoutView as _, model::Ticks};
use spall_view::{Action, By, Command, Element, Engine, Heights, Item, Place, Ranking, Since, Source, open};

const TRACE: &str = r#"[
    {"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":100,"tdur":60},
    {"ph":"X","name":"draw","pid":1,"tid":1,"ts":10,"dur":20,"tdur":9},
    {"ph":"X","name":"draw","pid":1,"tid":2,"ts":50,"dur":30},
    {"ph":"C","name":"memory","pid":1,"ts":5,"args":{"used":7}},
    {"ph":"b","name":"load","cat":"io","id":1,"pid":1,"ts":3},
    {"ph":"e","name":"load","cat":"io","id":1,"pid":1,"ts":40}]"#;

fn engine() -> Engine {
    let source = Source { name: "a.json".into(), read: TRACE.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::TERMINAL);
    engine.change_view(|view| view.resize(100, 20));
    engine
}

#[test]
fn hidden_tracks_and_those_of_other_sets_are_not_added_up() {
    let mut engine = engine();
    let names = |engine: &mut Engine| {
        let area = engine.area();
        engine.begin_statistics(&area, By::Name);
        while !engine.step_statistics() {}
        let ranked = engine.statistics(&Ranking { most: 10, ..Ranking::default() }).unwrap();
        ranked.rows.into_iter().map(|row| (row.name, row.count)).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut engine), [("frame".into(), 1), ("draw".into(), 2)]);
    let first = engine.groups()[0].members.iter().find(|member| member.what == "thread").unwrap().item;
    engine.act(Action::Hide(first));
    assert_eq!(names(&mut engine), [("draw".into(), 1)]);
    engine.act(Action::Command(Command::Back));
    engine.act(Action::Apply(Box::new(Place { tracks: "async".into(), ..Place::default() })));
    assert_eq!(names(&mut engine), [("load".into(), 1)]);
    engine.act(Action::Apply(Box::new(Place { tracks: "all".into(), ..Place::default() })));
    assert_eq!(names(&mut engine).len(), 3);
    assert!(!matches!(first, Item::Process(_)));
}

#[test]
fn what_is_looked_for_is_a_step_and_escape_ends_the_search_for_a_name() {
    let mut engine = engine();
    assert!(engine.act(Action::Search("draw".into())));
    assert_eq!(engine.view().place().search, "draw");
    engine.act(Action::Command(Command::Back));
    assert_eq!(engine.view().place().search, "");
    for command in [Command::First, Command::NextOfName] {
        engine.act(Action::Command(command));
    }
    assert!(engine.found_all().is_some());
    engine.act(Action::Command(Command::Escape));
    assert!(engine.found_all().is_none() && engine.view().selected_slice().is_some());
    engine.act(Action::Command(Command::Escape));
    assert_eq!(engine.view().selected_slice(), None);
}

#[test]
fn the_first_place_shows_what_a_new_view_shows() {
    let mut engine = engine();
    let first = engine.view().window().clone();
    for command in [Command::First, Command::Down, Command::Fit] {
        engine.act(Action::Command(command));
    }
    assert_ne!(engine.view().window(), &first);
    engine.act(Action::Apply(Box::default()));
    assert_eq!(engine.view().window(), &first);
}

const DAMAGED: &str = r#"[7, {"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":100}, {"ph":"E","pid":1,"tid":2,"ts":40},
    {"ph":"X","name":"g","pid":1,"tid":2,"ts":60,"dur":40}, {"ph":"E","pid":1,"tid":2,"ts":70,"name":"none"}]"#;

/// [damage 1](spall_trace::model::rules::damage#1)
#[test]
fn what_is_damaged_has_a_time() {
    let source = |name: &str, offset| Source { name: name.into(), read: DAMAGED.as_bytes(), offset };
    let damage = |sources| {
        let engine = Engine::new(open(sources).unwrap(), None, Heights::PAGE);
        engine.damage().into_iter().map(|(text, _, at)| (text, at)).collect::<Vec<_>>()
    };
    let since = |ticks| Some(Since(Ticks(ticks)));
    let alone = damage(vec![source("a.json", None)]);
    assert_eq!(alone.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [None, since(40_000), since(70_000)]);
    let both = damage(vec![source("a.json", None), source("b.json", Some(1_000))]);
    let times: Vec<_> = both.iter().map(|(_, at)| *at).collect();
    assert_eq!(times, [None, since(40_000), since(70_000), None, since(41_000), since(71_000)]);
    assert!(both[3].0.starts_with("b.json: ") && both[3].0.ends_with(&alone[0].0), "{both:?}");
}

#[test]
fn a_selection_comes_to_the_middle_and_the_end_of_a_flow_can_be_seen() {
    let slice = |tid| {
        format!(r#"{{"ph":"X","name":"f","pid":1,"tid":{tid},"ts":{},"dur":1}},"#, u64::from(tid) * 1000)
    };
    let slices: String = (1_u32..=40).map(slice).collect();
    let flow = r#"{"ph":"s","name":"w","id":1,"pid":1,"tid":1,"ts":1000},
        {"ph":"f","bp":"e","name":"w","id":1,"pid":1,"tid":30,"ts":30000}"#;
    let text = format!("[{slices}{flow}]");
    let source = Source { name: "a.json".into(), read: text.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::TERMINAL);
    engine.change_view(|view| view.resize(100, 20));
    let width = |engine: &Engine| {
        let (window, slice) = (engine.view().window(), engine.view().selected_slice().unwrap());
        let placed = engine.layout().place(slice).unwrap();
        window.x(placed.end) - window.x(placed.start)
    };
    engine.act(Action::Command(Command::First));
    assert!(width(&engine) < 1.0);
    engine.act(Action::Command(Command::FlowOut));
    assert!((width(&engine) - 20.0).abs() < 1.0, "a fifth of the window");
    engine.act(Action::Command(Command::Fit));
    let line = engine.view().main().line_of_slice(engine.layout(), engine.view().selected_slice().unwrap());
    let (line, heights) = (line.unwrap(), engine.view().window().heights());
    assert!((line.top + line.bottom()).abs_diff(heights.start + heights.end) <= 2, "{line:?} in {heights:?}");
}

#[test]
fn arrows_go_from_instant_to_instant_and_from_value_to_value() {
    let at = |ph, name, ts| {
        format!(r#"{{"ph":"{ph}","s":"t","name":"{name}","pid":1,"tid":1,"ts":{ts},"args":{{"v":1}}}}"#)
    };
    let events = [
        at("i", "a", 1),
        at("i", "gone", 2),
        at("i", "b", 3),
        at("i", "c", 3),
        at("C", "n", 10),
        at("C", "n", 20),
    ];
    let text = format!("[{}]", events.join(","));
    let source = Source { name: "a.json".into(), read: text.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::TERMINAL);
    engine.change_view(|view| view.resize(100, 20));
    engine.act(Action::Filter(Vec::new(), vec!["gone".into()]));
    let press = |engine: &mut Engine, command| {
        engine.act(Action::Command(command));
        engine.view().place().selected.as_ref().map(|selected| (selected.element, selected.at.0.0))
    };
    engine.act(Action::Select(Some(Element::Instant(0)), Since::default()));
    assert_eq!(press(&mut engine, Command::Left), Some((Element::Instant(0), 0)), "there is none before");
    assert_eq!(
        press(&mut engine, Command::Right),
        Some((Element::Instant(2), 2000)),
        "what is hidden is left out"
    );
    assert_eq!(press(&mut engine, Command::Next), Some((Element::Instant(3), 2000)));
    assert_eq!(press(&mut engine, Command::Right), Some((Element::Instant(3), 2000)));
    assert_eq!(press(&mut engine, Command::Previous), Some((Element::Instant(2), 2000)));
    let groups = engine.groups();
    let counter = groups.iter().flat_map(|group| &group.members).find(|member| member.what == "counter");
    let Some(Item::Track(track)) = counter.map(|member| member.item) else { panic!("there is a counter") };
    engine.act(Action::Select(Some(Element::Counter(track)), Since(Ticks(12_000))));
    assert_eq!(press(&mut engine, Command::Right), Some((Element::Counter(track), 19_000)));
    assert_eq!(press(&mut engine, Command::Left), Some((Element::Counter(track), 9_000)));
    assert_eq!(press(&mut engine, Command::Left), Some((Element::Counter(track), 9_000)));
}

//! The place: what a user does, takes back, saves, and opens again on another trace.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::layout::{LineKind, Viewport};
use spall_trace::model::{SliceId, Tick, Ticks, TraceView};
use spall_view::{
    Action, Arrows, By, ChosenRange, ChosenTable, ColorBy, Command, Element, Engine, Heights, Item, Mark,
    Order, Place, PlaceFile, Progress, Question, Ranking, Reply, Seen, Since, Source, Style, WantedFrame,
    open,
};

/// Two processes, the first with two threads that call, and a flow from one to the other.
const TRACE: &str = r#"[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"gpu"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
    {"ph":"X","name":"frame","cat":"c","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","name":"draw","cat":"c,d","pid":1,"tid":1,"ts":10,"dur":20},
    {"ph":"X","name":"wait","cat":"c","pid":1,"tid":1,"ts":40,"dur":50},
    {"ph":"X","name":"draw","cat":"e","pid":1,"tid":2,"ts":50,"dur":20},
    {"ph":"X","name":"blit","pid":2,"tid":7,"ts":60,"dur":5},
    {"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":15},
    {"ph":"f","bp":"e","name":"f","id":1,"pid":2,"tid":7,"ts":61}]"#;

fn engine_of(name: &str, data: &str) -> Engine {
    let source = Source { name: name.into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    engine
}

fn engine() -> Engine {
    engine_of("a.json", TRACE)
}

fn slice(engine: &Engine, name: &str, nth: usize) -> SliceId {
    let trace = engine.trace();
    let all = trace.track_ids().flat_map(|track| trace.slices_of(track));
    all.filter(|(id, _)| trace.slice_name(*id) == name).nth(nth).unwrap().0
}

fn selected(engine: &Engine) -> String {
    engine.view().selected_slice().map_or(String::new(), |slice| engine.trace().slice_name(slice).into())
}

fn run(engine: &mut Engine, command: Command) -> bool {
    engine.act(Action::Command(command))
}

#[test]
fn every_step_can_be_taken_back_and_done_again() {
    let mut engine = engine();
    let track = Item::Track(engine.trace().track_ids().nth(1).unwrap());
    let range = ChosenRange { start: Since(Ticks(0)), end: Since(Ticks(50)), items: None };
    let steps = [
        Action::Go(slice(&engine, "blit", 0)),
        Action::Select(None, Since::default()),
        Action::Hide(track),
        Action::Pin(track),
        Action::Fold(track),
        Action::Move(track, None),
        Action::Filter(vec!["e".into()], vec!["wait".into()]),
        Action::Choose(Some(range)),
        Action::Command(Command::Mark),
        Action::Command(Command::FoldAll),
        Action::Command(Command::ByActivity),
        Action::Command(Command::NextMeasure),
        Action::Command(Command::NextTracks),
        Action::Command(Command::RemoveMarks),
    ];
    let state = |engine: &Engine| (engine.current_place(), engine.lines(), engine.layout().rows().len());
    let mut states = vec![state(&engine)];
    for step in steps {
        assert!(engine.act(step.clone()), "{step:?}");
        assert_ne!(states.last(), Some(&state(&engine)), "{step:?}");
        states.push(state(&engine));
    }
    for before in states.iter().rev().skip(1) {
        run(&mut engine, Command::Back);
        assert_eq!(state(&engine), *before);
    }
    run(&mut engine, Command::Back);
    assert_eq!(state(&engine), states[0], "nothing is left to take back");
    for after in &states[1..] {
        run(&mut engine, Command::Forward);
        assert_eq!(state(&engine), *after);
    }
}

#[test]
fn a_place_comes_back_from_its_text_and_shows_the_same() {
    let mut first = engine();
    let blit = slice(&first, "blit", 0);
    for action in [
        Action::Go(blit),
        Action::Command(Command::Mark),
        Action::Command(Command::Fit),
        Action::Command(Command::Pin),
        Action::Command(Command::RangeOfTrack),
        Action::Filter(vec!["e".into()], Vec::new()),
    ] {
        first.act(action);
    }
    let place = first.current_place();
    let text = serde_json::to_string(&place).unwrap();
    let read: Place = serde_json::from_str(&text).unwrap();
    assert_eq!(read, place, "{text}");
    assert_eq!(place.marks, [Mark { at: Since(Ticks(60_000)), ..Mark::default() }]);
    assert_eq!(place.range.as_ref().unwrap().items.as_deref(), Some(&["gpu/Thread 7".to_owned()][..]));

    let mut second = engine();
    assert_eq!(second.apply(read), [""; 0]);
    assert_eq!(second.current_place(), place);
    assert_eq!(second.lines(), first.lines());
    assert_eq!(second.view().window(), first.view().window());
    assert_eq!(second.chosen(), first.chosen());
    assert_eq!(serde_json::to_string(&Place::default()).unwrap(), "{}");
    let files = vec![PlaceFile { name: "b.json".into(), offset: Some(i64::MIN) }];
    let text = serde_json::to_string(&Place { files: files.clone(), ..Place::default() }).unwrap();
    assert_eq!(serde_json::from_str::<Place>(&text).unwrap().files, files);
}

#[test]
fn a_place_of_another_trace_says_what_is_missing_and_selects_nothing_else() {
    let mut first = engine();
    let draw = slice(&first, "draw", 0);
    first.act(Action::Go(draw));
    first.act(Action::Command(Command::Pin));
    let place = first.current_place();
    let mut other = engine_of("b.json", &TRACE.replace("main", "worker").replace("draw", "paint"));
    let missing = other.apply(place);
    assert_eq!(
        missing,
        [
            "This place is one of a.json.",
            "Here is no draw at that time, so nothing is selected.",
            "Here is no track app/main."
        ]
    );
    assert_eq!(selected(&other), "");
    assert_eq!(other.view().place().pinned, [""; 0]);
}

#[test]
fn tracks_of_one_name_have_paths_of_their_own() {
    let engine = engine();
    let paths: Vec<_> = engine
        .groups()
        .iter()
        .flat_map(|group| group.members.iter().map(|member| member.path.clone()))
        .collect();
    assert_eq!(paths, ["app/main", "app/main#2", "gpu/Thread 7"]);
}

#[test]
fn keys_go_to_the_slices_around_the_selected_one() {
    let mut engine = engine();
    run(&mut engine, Command::First);
    assert_eq!(selected(&engine), "frame");
    for (command, name) in [
        (Command::Down, "wait"),
        (Command::Previous, "draw"),
        (Command::Next, "wait"),
        (Command::Up, "frame"),
        (Command::Left, "frame"),
        (Command::Down, "wait"),
        (Command::Left, "draw"),
        (Command::NextOfName, "draw"),
        (Command::FlowIn, "draw"),
    ] {
        run(&mut engine, command);
        assert_eq!(selected(&engine), name, "{command:?}");
    }
    assert_eq!(engine.view().selected_slice(), Some(slice(&engine, "draw", 1)));
    run(&mut engine, Command::PreviousOfName);
    run(&mut engine, Command::FlowOut);
    assert_eq!(selected(&engine), "blit");
    run(&mut engine, Command::FlowIn);
    assert_eq!(selected(&engine), "draw");
}

#[test]
fn what_is_hidden_or_folded_is_opened_for_a_slice_that_is_gone_to() {
    let mut engine = engine();
    let blit = slice(&engine, "blit", 0);
    let process = Item::Process(engine.trace().processes()[1].id);
    engine.act(Action::Hide(process));
    assert_eq!(engine.place(blit).unwrap().line, None);
    engine.act(Action::Fold(process));
    engine.act(Action::Go(blit));
    assert!(engine.place(blit).unwrap().shown);
    assert_eq!(engine.view().place().hidden, [""; 0]);
}

#[test]
fn escape_ends_one_thing_after_another_and_then_nothing() {
    let mut engine = engine();
    run(&mut engine, Command::First);
    run(&mut engine, Command::RangeOfSelection);
    assert_eq!(engine.chosen().0, Tick(0)..Tick(100_000));
    assert!(run(&mut engine, Command::Escape));
    assert_eq!(selected(&engine), "");
    assert!(run(&mut engine, Command::Escape));
    assert_eq!(engine.chosen().0, Tick(0)..Tick(100_001));
    assert!(!run(&mut engine, Command::Escape), "a frontend closes its panel");
}

#[test]
fn an_element_that_is_not_there_is_not_selected() {
    let mut engine = engine();
    for element in [Element::Slice(SliceId(99)), Element::Instant(0), Element::Object(3)] {
        engine.act(Action::Select(Some(element), Since::default()));
        assert_eq!(engine.view().place().selected, None);
    }
}

/// A frontend loads a trace in a thread, and shows it in another one.
#[test]
fn an_engine_moves_to_another_thread() {
    let engine = engine();
    let n_slices = std::thread::spawn(move || engine.trace().slices().len());
    assert_eq!(n_slices.join().unwrap(), 5);
}

fn find(engine: &mut Engine) -> Option<String> {
    while engine.is_finding() {
        engine.step_find();
    }
    Some(engine.found()?.text)
}

#[test]
fn typing_is_one_step_and_what_is_looked_for_is_found_again() {
    let mut engine = engine();
    for pattern in ["d", "dr", "draw"] {
        engine.act(Action::Search(pattern.into()));
    }
    assert_eq!(find(&mut engine).as_deref(), Some("2 slices"));
    engine.act(Action::Filter(vec!["e".into()], Vec::new()));
    assert_eq!(find(&mut engine).as_deref(), Some("1 slice"), "another one is hidden");
    run(&mut engine, Command::Back);
    assert_eq!(find(&mut engine).as_deref(), Some("2 slices"));
    run(&mut engine, Command::Back);
    assert_eq!((find(&mut engine), engine.view().place().search.as_str()), (None, ""));
    run(&mut engine, Command::Forward);
    assert_eq!(find(&mut engine).as_deref(), Some("2 slices"));
    engine.act(Action::Search("/(/".into()));
    assert_eq!(find(&mut engine), None, "no regular expression");
    run(&mut engine, Command::Escape);
    assert_eq!(engine.view().place().search, "");
}

#[test]
fn escape_forgets_what_was_found_by_the_name_of_a_slice() {
    let mut engine = engine();
    let draw = slice(&engine, "draw", 0);
    engine.act(Action::Go(draw));
    run(&mut engine, Command::NextOfName);
    assert_eq!(engine.found().unwrap().slices, 2);
    run(&mut engine, Command::Escape);
    assert_eq!((engine.found(), selected(&engine).as_str()), (None, "draw"));
}

#[test]
fn a_panel_is_no_step_and_stays_when_a_step_is_taken_back() {
    let mut engine = engine();
    engine.change(|place| place.color_by = ColorBy::Track);
    engine.change_view(|view| view.set_panel("statistics"));
    run(&mut engine, Command::Back);
    let place = engine.view().place();
    assert_eq!((place.color_by, place.panel.as_str()), (ColorBy::Name, "statistics"));
    run(&mut engine, Command::Forward);
    assert_eq!(engine.view().place().color_by, ColorBy::Track);
}

#[test]
fn sums_are_of_the_tracks_of_the_set_that_are_not_hidden() {
    let span = r#"[{"ph":"b","cat":"io","name":"read","id":9,"pid":1,"ts":5},
        {"ph":"e","cat":"io","name":"read","id":9,"pid":1,"ts":25},"#;
    let mut engine = engine_of("a.json", &TRACE.replacen('[', span, 1));
    let names = |engine: &mut Engine| {
        engine.begin_statistics(&engine.area(), By::Name);
        while !engine.step_statistics() {}
        let ranking = Ranking {
            table: ChosenTable { order: Order::Name, is_ascending: true, ..ChosenTable::default() },
            most: 9,
        };
        let rows = engine.statistics(&ranking).unwrap().rows;
        rows.into_iter().map(|row| format!("{} {}", row.name, row.count)).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut engine), ["blit 1", "draw 2", "frame 1", "wait 1"], "those of threads");
    engine.change(|place| place.tracks = "all".into());
    assert_eq!(names(&mut engine), ["blit 1", "draw 2", "frame 1", "read 1", "wait 1"]);
    let process = Item::Process(engine.trace().processes()[0].id);
    engine.act(Action::Hide(process));
    assert_eq!(names(&mut engine), ["blit 1"]);
    engine.act(Action::Command(Command::Back));
    engine.change(|place| place.tracks = "async".into());
    assert_eq!(names(&mut engine), ["read 1"]);
}

/// A frontend points at what it has drawn.
#[test]
fn what_is_at_a_point_is_what_was_drawn_there() {
    let data = r#"[
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
        {"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"X","name":"draw","pid":1,"tid":1,"ts":10,"dur":20},
        {"ph":"i","name":"click","pid":1,"tid":1,"ts":50,"s":"t"},
        {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"used":5}},
        {"ph":"N","name":"Node","id":1,"pid":1,"ts":20},
        {"ph":"D","name":"Node","id":1,"pid":1,"ts":60}]"#;
    let mut engine = engine_of("a.json", data);
    let (start, duration) = (Since::default(), Since(Ticks(100_000)));
    let wanted = WantedFrame {
        start,
        duration,
        columns: 1000,
        box_width: 1,
        main: 0.0..400.0,
        pinned: 0.0..0.0,
        selected: None,
        arrows: Arrows::Selected,
        between_marks: 100,
        label_width: 20,
        color_by: ColorBy::Name,
        own_colors: false,
    };
    let frame = engine.frame(&wanted);
    engine.forget_names();
    let viewport = Viewport::new(engine.tick(start)..engine.tick(duration), 1000);
    assert_eq!(engine.frame_in(&viewport, &wanted), frame);

    let view = engine.view();
    let middle_of = |is_wanted: &dyn Fn(LineKind) -> bool| {
        let line = view.main().lines().iter().find(|line| is_wanted(line.kind)).unwrap();
        line.top + u64::from(line.height) / 2
    };
    let is_track = |title: &'static str| {
        let trace = engine.trace();
        move |kind| matches!(kind, LineKind::Track(track) if trace.track_title(track) == title)
    };
    let row = middle_of(&|kind| matches!(kind, LineKind::Row(_)));
    let below = row + u64::from(view.heights().row);
    let (header, counter) = (middle_of(&is_track("main")), middle_of(&is_track("memory")));
    let objects = u64::from(view.heights().process) + 5;
    let at = |x, y| frame.main.at(x, y, 5.0).map(|found| found.element);
    let [frame_slice, draw] = ["frame", "draw"].map(|name| Element::Slice(slice(&engine, name, 0)));
    assert_eq!(at(50.0, row), Some(frame_slice));
    assert_eq!((at(200.0, below), at(400.0, below)), (Some(draw), None));
    assert_eq!((at(504.0, header), at(520.0, header)), (Some(Element::Instant(0)), None));
    let memory = engine.trace().track_ids().find(|&track| engine.trace().track_title(track) == "memory");
    assert_eq!(at(700.0, counter), memory.map(Element::Counter));
    assert_eq!((at(300.0, objects), at(800.0, objects)), (Some(Element::Object(0)), None));

    let main = view.item_at(false, header);
    assert!(matches!(main, Some(Item::Track(_))));
    assert_eq!([row, below].map(|y| view.item_at(false, y)), [main; 2]);
    let drawn = frame.main.boxes.iter().find(|found| found.element() == draw).unwrap();
    assert_eq!((drawn.x0, drawn.x1, drawn.count, drawn.style.busy()), (100.0, 300.0, 1, 1.0));
    assert!(!drawn.style.has(Style::UNFINISHED) && !drawn.style.has(Style::STATE));

    assert_eq!(frame.main.strips, [], "nothing is folded");
    run(&mut engine, Command::FoldAll);
    assert_eq!(engine.frame(&wanted).main.strips.len(), 1);
}

#[test]
fn an_empty_trace_has_a_place_and_takes_every_command() {
    let mut engine = engine_of("empty.json", "[]");
    for info in spall_view::COMMANDS {
        run(&mut engine, info.command);
    }
    assert_eq!(engine.apply(Place::default()), [""; 0]);
    assert_eq!(engine.view().item_at(false, 0), None);
}

/// A page moves by itself while somebody drags or turns a wheel.
#[test]
fn a_command_begins_from_what_the_frontend_shows_by_then() {
    let mut engine = engine();
    let seen = Seen {
        view: Some(Since(Ticks(20_000))..Since(Ticks(60_000))),
        top: 0.0,
        columns: 400,
        height: 300,
        pointer: Some(Since(Ticks(30_000))),
        item: None,
        panel: "calls".into(),
    };
    engine.see(&seen);
    assert_eq!(engine.view().window().viewport().range(), Tick(20_000)..Tick(60_000));
    let before = engine.current_place();
    assert_eq!((before.view, before.panel.as_str()), (seen.view.clone(), "calls"));
    run(&mut engine, Command::Mark);
    assert_eq!(engine.view().place().marks[0].at, Since(Ticks(30_000)), "the time under the pointer");
    engine.see(&Seen { view: Some(Since(Ticks(0))..Since(Ticks(10))), ..seen.clone() });
    engine.act(Action::Show(Since(Ticks(5)), Since(Ticks(7))));
    run(&mut engine, Command::Back);
    assert_eq!(engine.view().place().view, Some(Since(Ticks(0))..Since(Ticks(10))), "moving is no step");
    run(&mut engine, Command::Back);
    assert_eq!(engine.view().place().marks, []);
}

#[test]
fn a_search_that_another_one_replaces_has_no_answer() {
    let mut engine = engine();
    for next in ["blit", ""] {
        let Reply::Later(ticket) = engine.ask(Question::Find(Some("draw".into()))) else {
            panic!("it takes long")
        };
        engine.act(Action::Search(next.into()));
        assert_eq!(engine.go_on(ticket), Progress::Superseded, "{next}");
    }
}

#[test]
fn a_flow_that_arrives_where_it_leaves_leads_nowhere_else() {
    let within = TRACE.replace(
        r#"{"ph":"s","#,
        r#"{"ph":"s","name":"f","id":2,"pid":2,"tid":7,"ts":61},
        {"ph":"f","bp":"e","name":"f","id":2,"pid":2,"tid":7,"ts":62},
        {"ph":"s","#,
    );
    let mut engine = engine_of("a.json", &within);
    let blit = slice(&engine, "blit", 0);
    engine.act(Action::Go(blit));
    let flows = engine.details(Element::Slice(blit), Since::default()).unwrap().flows;
    assert_eq!(flows.iter().map(|flow| flow.leaves).collect::<Vec<_>>(), [false, true]);
    run(&mut engine, Command::FlowIn);
    assert_eq!(selected(&engine), "draw");
}

/// The terminal, the desktop viewer and the page press the same keys in tests of their own.
#[test]
fn keys_give_the_place_that_all_viewers_give() {
    let script: serde_json::Value =
        serde_json::from_str(include_str!("../../testdata/small/keys.json")).unwrap();
    let mut engine = engine_of("search.json", include_str!("../../testdata/small/search.json"));
    for key in script["keys"].as_array().unwrap() {
        let command = Command::of_key(key.as_str().unwrap()).unwrap();
        assert!(run(&mut engine, command), "{key}");
    }
    let place = Place { files: Vec::new(), top: 0.0, ..engine.current_place() };
    assert_eq!(serde_json::to_value(&place).unwrap(), script["place"]);
}

//! Tracks that are derived from the trace: what ran on processors, a critical path, and rows of a query.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::model::{
    ArgsBuilder, ByteRange, Event, Receiver as _, SliceId, StateId, Text, Thread, ThreadEvent, Tick, Ticks,
    TraceView as _, Value,
};
use spall_view::{
    Action, Arrows, Boxes, ColorBy, Command, DerivedTrack, Element, Engine, Frame, Heights, Item, LiveEngine,
    NamedRows, NamedTime, Place, Shown, Since, Source, WantedFrame, open,
};

/// Three threads of two processes. Two of the running states are on no processor, and two of processor 0 overlap.
const TRACE: &str = r#"[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"db"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
    {"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":45},
    {"ph":"X","name":"wait","pid":1,"tid":1,"ts":9,"dur":21},
    {"ph":"X","name":"query","pid":2,"tid":7,"ts":5,"dur":20},
    {"ph":"X","name":"lock","pid":2,"tid":7,"ts":18,"dur":4},
    {"ph":"T","name":"Running","pid":1,"tid":1,"ts":0,"dur":10,"args":{"cpu":0}},
    {"ph":"T","name":"S","pid":1,"tid":1,"ts":10,"dur":10,"args":{"cpu":2}},
    {"ph":"T","name":"R","pid":1,"tid":1,"ts":20,"dur":2,"args":{"waker":7}},
    {"ph":"T","name":"Running","pid":1,"tid":1,"ts":22,"dur":18,"args":{"cpu":1}},
    {"ph":"T","name":"Running","pid":1,"tid":1,"ts":60,"dur":10},
    {"ph":"T","name":"Running","pid":1,"tid":2,"ts":0,"dur":15,"args":{"cpu":1}},
    {"ph":"T","name":"Running","pid":1,"tid":2,"ts":20,"dur":4,"args":{"cpu":0}},
    {"ph":"T","name":"Running","pid":2,"tid":7,"ts":10,"dur":5,"args":{"cpu":0}},
    {"ph":"T","name":"Running","pid":2,"tid":7,"ts":20,"dur":10,"args":{"cpu":0}},
    {"ph":"T","name":"Running","pid":2,"tid":7,"ts":30,"dur":5,"args":{"cpu":11}},
    {"ph":"T","name":"Running","pid":2,"tid":7,"ts":40,"dur":5,"args":{"cpu":-1}}]"#;

fn engine_of(data: &str) -> Engine {
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(700, 100));
    engine
}

fn engine() -> Engine {
    engine_of(TRACE)
}

fn run<S: Shown>(engine: &mut Engine<S>, command: Command) {
    assert!(engine.act(Action::Command(command)));
}

fn at(micros: i64) -> Since {
    Since(Ticks(micros * 1000))
}

fn slice<S: Shown>(engine: &Engine<S>, name: &str) -> SliceId {
    let trace = engine.trace();
    (0..trace.n_slices()).map(SliceId::new).find(|&id| trace.slice_name(id) == name).unwrap()
}

fn select(engine: &mut Engine, name: &str) {
    let slice = slice(engine, name);
    engine.act(Action::Select(Some(Element::Slice(slice)), Since::default()));
}

/// The name, the start and the end of spans.
type Spans = Vec<(String, i64, i64)>;

/// The lines of a derived track: the label of each, and its spans as they are drawn.
fn lines<S: Shown>(engine: &Engine<S>, track: u32) -> Vec<(String, Spans)> {
    let line = |(label, row): (&str, &spall_trace::layout::Row)| {
        let row = row.view(Default::default());
        let spans = row.slices().iter().zip(row.starts()).zip(row.ends());
        let name = |span: &SliceId| engine.derived_span(span.0).unwrap().name;
        let micros = |at: &Tick| engine.since(*at).0.0 / 1000;
        let spans = spans.map(|((span, start), end)| (name(span), micros(start), micros(end)));
        (label.to_owned(), spans.collect())
    };
    engine.view().derived_lines(track).map(line).collect()
}

/// The labels of the list of tracks.
fn listed(engine: &Engine) -> Vec<(String, String)> {
    let groups = engine.groups();
    let derived = groups.iter().flat_map(|group| &group.members);
    let derived = derived.filter(|member| matches!(member.item, Item::Derived(_)));
    derived.map(|member| (member.label.clone(), member.detail.clone())).collect()
}

fn frame(engine: &mut Engine) -> Frame {
    engine.frame(&WantedFrame {
        start: Since::default(),
        duration: at(70),
        columns: 700,
        box_width: 1,
        main: 0.0..1000.0,
        pinned: 0.0..1000.0,
        selected: None,
        arrows: Arrows::Off,
        between_marks: 100,
        label_width: 20,
        color_by: ColorBy::Name,
        own_colors: false,
    })
}

fn derived_boxes(boxes: &Boxes) -> Vec<spall_view::NamedBox> {
    boxes.iter().filter(|found| matches!(found.element(), Element::Derived(_))).collect()
}

fn span(name: &str, start: i64, end: i64) -> (String, i64, i64) {
    (name.into(), start, end)
}

fn row(start: i64, end: i64, name: &str, slice: Option<SliceId>) -> NamedTime {
    NamedTime { start: at(start), end: at(end), name: name.into(), slice }
}

fn rows(title: &str, rows: impl IntoIterator<Item = NamedTime>) -> NamedRows {
    NamedRows { title: title.into(), rows: rows.into_iter().collect(), left_out: 0 }
}

/// [layout 24.2]
#[test]
fn each_processor_has_a_line_of_what_ran_on_it() {
    let mut engine = engine();
    assert!(engine.about().has_cpus);
    let before = engine.lines().0;
    run(&mut engine, Command::CpuTracks);
    let expected = [
        (
            "CPU 0".to_owned(),
            vec![
                span("main", 0, 10),
                span("Thread 7", 10, 15),
                span("Thread 2", 20, 24),
                span("Thread 7", 24, 30),
            ],
        ),
        ("CPU 1".to_owned(), vec![span("Thread 2", 0, 15), span("main", 22, 40)]),
        ("CPU 11".to_owned(), vec![span("Thread 7", 30, 35)]),
    ];
    assert_eq!(lines(&engine, 0), expected);
    assert_eq!(listed(&engine), [("CPUs".to_owned(), "2 running states on no processor".to_owned())]);

    // They stand above all others, which they push down.
    let (main, pinned) = engine.lines();
    let height = Heights::PAGE.folded + 3 * Heights::PAGE.row;
    assert_eq!((main.headers[0].item, main.headers[0].bottom), (Item::Derived(0), height.into()));
    assert_eq!(main.height, before.height + u64::from(height));
    assert_eq!(pinned.headers, []);
    assert_eq!(engine.view().item_at(false, 30), Some(Item::Derived(0)));

    // Their boxes have the colours of processes, and the names of threads are sent once.
    let drawn = frame(&mut engine);
    let boxes = derived_boxes(&drawn.main.boxes);
    assert_eq!(boxes.len(), 7);
    let texts = |name| engine.box_name(name);
    assert_eq!((texts(boxes[0].name), boxes[0].x0, boxes[0].x1), ("main".into(), 0.0, 100.0));
    assert!(drawn.names.contains(&(boxes[0].name, "main".into())), "{:?}", drawn.names);
    let shade = |at: usize| boxes[at].style.shade();
    assert!(shade(0) == shade(2) && shade(1) == shade(3) && shade(0) != shade(1));
    let labels: Vec<_> = drawn.main.objects.iter().map(|line| (line.label.as_str(), line.top)).collect();
    assert_eq!(labels, [("CPU 0", 20), ("CPU 1", 38), ("CPU 11", 56)]);
    assert!(!frame(&mut engine).names.iter().any(|(_, name)| name == "main"));
    engine.forget_names();
    assert!(frame(&mut engine).names.iter().any(|(_, name)| name == "main"));

    run(&mut engine, Command::CpuTracks);
    assert_eq!((engine.lines().0, listed(&engine)), (before, Vec::new()));

    let mut other = engine_of(&TRACE.replace("cpu", "core"));
    run(&mut other, Command::CpuTracks);
    assert!(!other.about().has_cpus && other.view().place().derived.is_empty());
}

/// [layout 24.5]
#[test]
fn a_span_on_a_processor_leads_to_the_state_of_its_thread() {
    let mut engine = engine();
    run(&mut engine, Command::CpuTracks);
    let drawn = frame(&mut engine);
    // At 12 microseconds of processor 0.
    let pointed = drawn.main.at(120.0, 25, 0.0).unwrap();
    let details = engine.details(pointed.element, Since::default()).unwrap();
    assert_eq!(details.name, "Thread 7");
    let facts = [("track", "Thread 7"), ("process", "db"), ("start", "10 µs"), ("duration", "5 µs")];
    assert_eq!(details.facts, facts.map(|(key, value)| (key, value.to_owned())));
    assert_eq!(details.args, [("cpu".to_owned(), "0".to_owned())]);

    engine.act(Action::Select(Some(pointed.element), Since::default()));
    let selected = engine.view().place().selected.clone().unwrap();
    let Element::State(state) = selected.element else { panic!("{selected:?}") };
    let (track, found) = engine.trace().state(state).unwrap();
    assert_eq!((engine.trace().track_title(track), found.start), ("Thread 7".into(), engine.tick(at(10))));
    let header =
        engine.lines().0.headers.iter().find(|header| header.item == Item::Track(track)).unwrap().top;
    assert!(engine.view().window().heights().contains(&header), "it has come into view");
    run(&mut engine, Command::Back);
    assert_eq!((engine.view().place().selected.as_ref(), engine.view().window().top()), (None, 0.0));
    assert_eq!(engine.derived_span(99), None);
    assert!(engine.details(Element::Derived(u32::MAX), Since::default()).is_none());
}

/// [layout 24.3] [layout 24.5]
#[test]
fn the_critical_path_of_a_slice_is_a_track_until_it_is_taken_away() {
    let mut engine = engine();
    run(&mut engine, Command::PathTrack);
    assert_eq!(engine.view().place().derived, [], "nothing is selected");
    select(&mut engine, "frame");
    run(&mut engine, Command::PathTrack);
    assert_eq!(lines(&engine, 0), [("".to_owned(), vec![span("lock", 5, 20), span("frame", 20, 45)])]);
    assert_eq!(listed(&engine), [("Critical path of frame".to_owned(), String::new())]);
    let details = engine.details(Element::Derived(1), Since::default()).unwrap();
    let fact = |key: &str| details.facts.iter().find(|(of, _)| *of == key).map(|(_, text)| text.as_str());
    assert_eq!((fact("track"), fact("came by")), (Some("main"), Some("woken by thread 7")));
    assert!(fact("states").unwrap().contains("Running"), "{details:?}");

    // A part leads to its slice, and the path stays that of the frame.
    engine.act(Action::Select(Some(Element::Derived(0)), Since::default()));
    assert_eq!(engine.view().selected_slice(), Some(slice(&engine, "lock")));
    assert_eq!(lines(&engine, 0)[0].1.len(), 2);
    run(&mut engine, Command::PathTrack);
    assert_eq!(lines(&engine, 0)[0].1, [span("lock", 5, 22)], "that of the other slice has its place");
    run(&mut engine, Command::PathTrack);
    assert_eq!(engine.view().place().derived, []);
    run(&mut engine, Command::Back);
    assert_eq!(listed(&engine)[0].0, "Critical path of lock");
    run(&mut engine, Command::Back);
    assert_eq!(listed(&engine)[0].0, "Critical path of frame");

    // Where the waker was in no slice, the path begins with its thread, which leads to the state that says so.
    let idle = TRACE.replace(r#""name":"query","pid":2,"tid":7"#, r#""name":"query","pid":2,"tid":8"#);
    let mut engine =
        engine_of(&idle.replace(r#""name":"lock","pid":2,"tid":7"#, r#""name":"lock","pid":2,"tid":8"#));
    select(&mut engine, "frame");
    run(&mut engine, Command::PathTrack);
    assert_eq!(lines(&engine, 0)[0].1, [span("Thread 7", 20, 20), span("frame", 20, 45)]);
    let path = engine.path(slice(&engine, "frame"));
    assert_eq!((path.rows[0].slice, path.rows[0].cells[3].as_str()), (None, "Thread 7"));
    engine.act(Action::Select(Some(Element::Derived(0)), Since::default()));
    let selected = engine.view().place().selected.clone().unwrap();
    assert!(matches!(selected.element, Element::State(_)) && selected.at == at(20), "{selected:?}");
}

/// [layout 24.4] [layout 24.5]
#[test]
fn rows_that_overlap_have_lines_of_their_own() {
    let mut engine = engine();
    let lock = slice(&engine, "lock");
    let found = [
        row(30, 40, "late", None),
        row(0, 20, "long", None),
        row(5, 20, "short", Some(lock)),
        row(10, 9, "point", None),
    ];
    engine.act(Action::Rows(rows("Found", found)));
    let expected = [
        ("".to_owned(), vec![span("long", 0, 20)]),
        ("".to_owned(), vec![span("short", 5, 20)]),
        ("".to_owned(), vec![span("point", 10, 10), span("late", 30, 40)]),
    ];
    assert_eq!(lines(&engine, 0), expected);

    // One that is about a slice leads there, and another one is selected itself.
    engine.act(Action::Select(Some(Element::Derived(1)), Since::default()));
    assert_eq!(engine.view().selected_slice(), Some(lock));
    engine.act(Action::Select(Some(Element::Derived(0)), Since::default()));
    let selected = engine.view().place().selected.clone().unwrap();
    assert_eq!((selected.element, selected.at), (Element::Derived(0), at(0)));
    assert_eq!(engine.details(selected.element, selected.at).unwrap().name, "long");
    run(&mut engine, Command::Note);
    assert_eq!(engine.marked(None)[0].about, "long");

    // A slice that is elsewhere is not followed.
    engine.act(Action::Rows(rows("Found", [row(30, 40, "far", Some(lock))])));
    assert_eq!(engine.derived_span(0).unwrap().of, None);
    engine.act(Action::Select(Some(Element::Derived(0)), Since::default()));

    // Rows of the same title take their place; what was selected of them is not.
    engine.act(Action::Rows(rows("Found", [row(1, 2, "new", None)])));
    assert_eq!(lines(&engine, 0), [("".to_owned(), vec![span("new", 1, 2)])]);
    assert_eq!(engine.view().place().selected, None);
    engine.act(Action::Rows(rows("Other", [row(3, 4, "other", None)])));
    assert_eq!(listed(&engine).len(), 2);
    engine.act(Action::Rows(rows("Found", [])));
    assert_eq!(listed(&engine), [("Other".to_owned(), String::new())]);

    // Only so many lines and rows are shown.
    engine.act(Action::Rows(rows("Other", (0..60).map(|at| row(at, 100, "row", None)))));
    assert_eq!((lines(&engine, 0).len(), listed(&engine)[0].1.as_str()), (50, "10 more rows"));
    engine.act(Action::Rows(rows("Other", (0..2005).map(|at| row(at, at + 1, "row", None)))));
    let shown: usize = lines(&engine, 0).iter().map(|(_, spans)| spans.len()).sum();
    assert_eq!((shown, listed(&engine)[0].1.as_str()), (2000, "5 more rows"));
}

#[test]
fn derived_tracks_are_folded_pinned_and_taken_away_and_that_is_taken_back() {
    let mut engine = engine();
    let state = |engine: &Engine| (engine.current_place(), engine.lines());
    let mut states = vec![state(&engine)];
    let mut step = |engine: &mut Engine, action| {
        assert!(engine.act(action));
        assert_ne!(states.last(), Some(&state(engine)));
        states.push(state(engine));
    };
    step(&mut engine, Action::Rows(rows("Found", [row(1, 5, "row", None), row(2, 5, "row", None)])));
    step(&mut engine, Action::Command(Command::CpuTracks));
    let (found, cpus) = (Item::Derived(0), Item::Derived(1));
    step(&mut engine, Action::Fold(found));
    assert_eq!(engine.view().place().folded.as_deref(), Some(&["=Found".to_owned()][..]));
    assert_eq!((engine.lines().0.headers[0].bottom, engine.lines().0.headers[1].item), (20, cpus));
    let drawn = frame(&mut engine);
    assert_eq!(derived_boxes(&drawn.main.boxes).len(), 7, "those of processors alone");
    let busy = &drawn.main.strips[0];
    assert_eq!((busy.top, busy.busy[0], busy.busy[15], busy.busy[30]), (0, 0.0, 1.0, 2.0));
    step(&mut engine, Action::Move(cpus, Some(found)));
    step(&mut engine, Action::Move(found, None));
    engine.change_view(|view| view.point(None, Some(cpus)));
    step(&mut engine, Action::Command(Command::MoveUp));
    engine.change_view(|view| view.point(None, Some(Item::Derived(0))));
    step(&mut engine, Action::Command(Command::MoveDown));
    assert_eq!(engine.view().place().derived[1], DerivedTrack::Cpus);
    step(&mut engine, Action::Pin(cpus));
    let pinned = engine.lines().1;
    assert_eq!((pinned.headers.len(), pinned.headers[0].item), (1, cpus));
    assert_eq!(pinned.height, u64::from(Heights::PAGE.folded + 3 * Heights::PAGE.row));
    assert_eq!(derived_boxes(&frame(&mut engine).pinned.boxes).len(), 7);
    step(&mut engine, Action::Hide(found));
    assert_eq!(engine.view().place().folded.as_deref(), Some(&[][..]));
    assert_eq!(engine.lines().1.headers[0].item, Item::Derived(0), "it has another number");
    step(&mut engine, Action::Hide(Item::Derived(0)));
    let place = engine.view().place();
    assert!(place.derived.is_empty() && place.pinned.is_empty());
    assert_eq!(engine.lines(), states[0].1);
    for before in states.iter().rev().skip(1) {
        run(&mut engine, Command::Back);
        assert_eq!(state(&engine), *before);
    }
    for after in &states[1..] {
        run(&mut engine, Command::Forward);
        assert_eq!(state(&engine), *after);
    }
}

/// [layout 24.5]
#[test]
fn what_is_on_derived_tracks_is_neither_added_up_nor_found() {
    let mut engine = engine();
    let sums = |engine: &mut Engine| {
        let area = engine.area();
        engine.begin_statistics(&area, spall_view::By::Name);
        while !engine.step_statistics() {}
        engine.statistics(&spall_view::Ranking { most: 9, ..Default::default() }).unwrap().rows
    };
    let found = |engine: &mut Engine| {
        engine.begin_find("lock").unwrap();
        while engine.step_find().is_none() {}
        engine.found().unwrap().total
    };
    let before = (sums(&mut engine), found(&mut engine));
    engine.act(Action::Rows(rows("Found", [row(1, 5, "lock", None)])));
    run(&mut engine, Command::CpuTracks);
    assert_eq!((sums(&mut engine), found(&mut engine)), before);
    // A track of which nothing is added up is no range.
    engine.change_view(|view| view.point(None, Some(Item::Derived(0))));
    run(&mut engine, Command::RangeOfTrack);
    assert_eq!(engine.view().place().range, None);
}

#[test]
fn a_place_with_derived_tracks_comes_back_and_another_trace_says_what_it_lacks() {
    let mut first = engine();
    let lock = slice(&first, "lock");
    select(&mut first, "frame");
    run(&mut first, Command::CpuTracks);
    run(&mut first, Command::PathTrack);
    let found = [row(1, 5, "row", None), row(19, 20, "held", Some(lock))];
    first.act(Action::Rows(rows("Found", found)));
    first.act(Action::Fold(Item::Derived(0)));
    first.act(Action::Pin(Item::Derived(2)));
    first.act(Action::Select(Some(Element::Derived(2)), Since::default()));
    let place = first.current_place();
    assert_eq!(place.selected.as_ref().map(|selected| selected.element), Some(Element::Derived(2)));
    let text = serde_json::to_string(&place).unwrap();
    assert!(text.contains(r#""derived":["cpus",{"path":{"element":{"kind":"slice","id":"#), "{text}");
    let mut second = engine();
    assert_eq!(second.apply(serde_json::from_str(&text).unwrap()), [""; 0]);
    assert_eq!((second.current_place(), second.lines()), (place.clone(), first.lines()));

    // An address says the title of many rows, which are those that are shown, or were.
    let titled = DerivedTrack::Rows(rows("Found", []));
    let bare = Place { derived: vec![titled], ..Place::default() };
    second.act(Action::Apply(Box::default()));
    assert_eq!(second.apply(bare.clone()), [""; 0]);
    assert_eq!(lines(&second, 0)[0].1.len(), 2);
    let mut third = engine();
    assert_eq!(third.apply(bare), ["The rows of Found are not in this place."]);
    assert_eq!(third.view().place().derived, []);

    // The slices have other names and times, and nothing says a processor.
    let mut other = engine_of(r#"[{"ph":"X","name":"alone","pid":1,"tid":1,"ts":0,"dur":10}]"#);
    let missing = other.apply(place);
    assert_eq!(
        missing,
        [
            "Here is no processor on which something ran.",
            "Here is no frame at that time, so its critical path is not shown.",
            "Of Found 1 name slices that are not here at that time.",
            "Here is no track =CPUs.",
        ]
    );
    assert_eq!(lines(&other, 0)[0].1, [span("row", 1, 5), span("held", 19, 20)]);
    assert_eq!(other.derived_span(1).unwrap().of, None);
}

#[test]
fn a_hidden_slice_is_on_no_path() {
    let mut engine = engine();
    select(&mut engine, "frame");
    run(&mut engine, Command::PathTrack);
    run(&mut engine, Command::CpuTracks);
    engine.act(Action::Filter(Vec::new(), vec!["lock".into()]));
    assert_eq!(lines(&engine, 0)[0].1, [span("query", 5, 20), span("frame", 20, 45)]);
    assert_eq!(lines(&engine, 1).len(), 3);
}

fn state(live: &mut LiveEngine, thread: i64, start: i64, end: i64, cpu: i64) {
    let mut args = ArgsBuilder::new();
    args.add("cpu", Value::I64(cpu));
    let event = ThreadEvent::new(Thread::new(1, thread), Tick(start * 1000), Text::from("Running"));
    let event = Event::State(ThreadEvent { args: args.args(), ..event }, Ticks((end - start) * 1000));
    live.receive(&event, ByteRange::default());
}

/// [layout 24.2]
#[test]
fn processors_grow_with_their_trace() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    live.change_view(|view| view.resize(700, 100));
    let event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from("frame"));
    live.receive(&Event::Complete(event, Ticks(1000)), ByteRange::default());
    state(&mut live, 1, 0, 10, 0);
    live.grow();
    run(&mut live, Command::CpuTracks);
    assert_eq!(lines(&live, 0), [("CPU 0".to_owned(), vec![span("Thread 1", 0, 10)])]);
    let before = live.growth().unwrap().state;
    state(&mut live, 2, 10, 20, 0);
    live.grow();
    state(&mut live, 1, 20, 30, 0);
    live.grow();
    let all = [span("Thread 1", 0, 10), span("Thread 2", 10, 20), span("Thread 1", 20, 30)];
    assert_eq!(lines(&live, 0)[0].1, all);
    // Another processor has a line, of which a frontend learns.
    state(&mut live, 1, 30, 40, 2);
    live.grow();
    assert!(live.news(before).unwrap().changed.is_some());
    assert_eq!(live.lines().0.headers[0].bottom, u64::from(Heights::PAGE.folded + 2 * Heights::PAGE.row));
    let before = live.growth().unwrap().state;
    state(&mut live, 2, 40, 50, 1);
    live.grow();
    let changed = live.news(before).unwrap().changed.unwrap();
    assert_eq!(changed.main.headers[0].bottom, u64::from(Heights::PAGE.folded + 3 * Heights::PAGE.row));
    assert_eq!(lines(&live, 0)[1], ("CPU 1".to_owned(), vec![span("Thread 2", 40, 50)]));
    // One that comes late is put in its place.
    state(&mut live, 2, 5, 7, 2);
    live.grow();
    assert_eq!(lines(&live, 0)[2].1, [span("Thread 2", 5, 7), span("Thread 1", 30, 40)]);
    let grown = lines(&live, 0);

    // The same, and the path of a slice, are shown when it is finished. Slices have other numbers then.
    let frame = slice(&live, "frame");
    live.act(Action::Select(Some(Element::Slice(frame)), Since::default()));
    run(&mut live, Command::PathTrack);
    live.act(Action::Rows(rows("Found", [row(0, 1, "row", Some(frame))])));
    let finished = live.finish();
    assert_eq!(lines(&finished, 0), grown);
    assert_eq!(lines(&finished, 1)[0].1, [span("frame", 0, 1)]);
    assert_eq!(lines(&finished, 2)[0].1, [span("row", 0, 1)]);
    assert!(finished.trace().state(StateId(0)).is_some());
}

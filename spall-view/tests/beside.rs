//! What a range has besides slices, and how counters are shown.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::layout::Viewport;
use spall_trace::model::{Ticks, TraceView, TrackId};
use spall_view::{
    Action, Area, Arrows, ColorBy, Command, Engine, Frame, Heights, Item, Place, Since, Source, Table,
    WantedFrame, open,
};

/// Two counters, of which one has two series, instants, and states of two threads.
const TRACE: &str = r#"[
    {"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":4000000},
    {"ph":"C","name":"heap","pid":1,"ts":0,"args":{"used":10,"free":90}},
    {"ph":"C","name":"heap","pid":1,"ts":1000000,"args":{"used":30,"free":70}},
    {"ph":"C","name":"heap","pid":1,"ts":3000000,"args":{"used":20,"free":80}},
    {"ph":"C","name":"bytes","pid":1,"ts":0,"args":{"value":0}},
    {"ph":"C","name":"bytes","pid":1,"ts":2000000,"args":{"value":5000}},
    {"ph":"i","name":"tick","pid":1,"tid":1,"ts":500000,"s":"t"},
    {"ph":"i","name":"tick","pid":1,"tid":1,"ts":1500000,"s":"t"},
    {"ph":"i","name":"flush","pid":1,"tid":1,"ts":1600000,"s":"t"},
    {"ph":"T","name":"Running","pid":1,"tid":1,"ts":0,"dur":1500000},
    {"ph":"T","name":"Sleeping","pid":1,"tid":1,"ts":1500000,"dur":2500000},
    {"ph":"T","name":"Running","pid":1,"tid":2,"ts":0,"dur":4000000}]"#;

fn engine() -> Engine {
    let source = Source { name: "a.json".into(), read: TRACE.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    engine
}

fn area(start: i64, end: i64) -> Area {
    let at = |microseconds: i64| Since(Ticks(microseconds * 1000));
    Area { start: at(start), end: at(end), items: None, tracks: None, measure: None }
}

fn rows(table: &Table) -> Vec<String> {
    table.rows.iter().map(|row| row.cells.join(" | ").replace('\u{202f}', " ")).collect()
}

fn counter(engine: &Engine, title: &str) -> TrackId {
    engine.trace().track_ids().find(|&track| engine.trace().track_title(track) == title).unwrap()
}

#[test]
fn a_range_says_what_counters_instants_and_states_are_in_it() {
    let mut engine = engine();
    let tables = engine.beside(&area(0, 4_000_000));
    assert_eq!(
        tables.iter().map(|table| table.title).collect::<Vec<_>>(),
        ["Counters", "Instants", "Thread states"]
    );
    let columns = ["Counter", "Min", "Mean", "Max", "First", "Last", "Change", "Per second"];
    assert_eq!(tables[0].columns, columns);
    // The mean counts the time: 10 for a second, 30 for two, 20 for one.
    assert_eq!(
        rows(&tables[0]),
        [
            "bytes value | 0 | 2 500 | 5 000 | 0 | 5 000 | 5 000 | 1 250",
            "heap used | 10 | 22.5 | 30 | 10 | 20 | 10 | 2.5",
            "heap free | 70 | 77.5 | 90 | 90 | 80 | -10 | -2.5",
        ]
    );
    assert_eq!(rows(&tables[1]), ["tick | 2", "flush | 1"]);
    assert_eq!(
        rows(&tables[2]),
        ["Running | 2 | 5.5 s | 68.8 % | 4 s", "Sleeping | 1 | 2.5 s | 31.2 % | 2.5 s"]
    );

    // A value that was set before is in force, and a state counts with the part inside.
    let tables = engine.beside(&area(1_400_000, 1_600_000));
    assert_eq!(rows(&tables[0])[1], "heap used | 30 | 30 | 30 | 30 | 30 | 0 | 0");
    assert_eq!(rows(&tables[1]), ["tick | 1"]);
    assert_eq!(rows(&tables[2])[1], "Sleeping | 1 | 100 ms | 25.0 % | 100 ms");
    assert_eq!(engine.beside(&area(5_000_000, 5_000_000)), []);
}

#[test]
fn the_items_of_a_range_and_what_is_hidden_decide_what_is_in_it() {
    let mut engine = engine();
    let bytes = Item::Track(counter(&engine, "bytes"));
    let tables = engine.beside(&Area { items: Some(vec![bytes]), ..area(0, 4_000_000) });
    assert_eq!((tables.len(), tables[0].rows.len()), (1, 1));
    engine.act(Action::Hide(bytes));
    engine.act(Action::Filter(Vec::new(), vec!["tick".into()]));
    let tables = engine.beside(&area(0, 4_000_000));
    assert_eq!(rows(&tables[0]).iter().filter(|row| row.starts_with("bytes")).count(), 0);
    assert_eq!(rows(&tables[1]), ["flush | 1"]);
}

fn frame(engine: &mut Engine) -> Frame {
    let wanted = WantedFrame {
        start: Since(Ticks(0)),
        duration: Since(Ticks(1)),
        columns: 1,
        box_width: 1,
        main: 0.0..1e9,
        pinned: 0.0..0.0,
        selected: None,
        arrows: Arrows::Off,
        between_marks: 100,
        label_width: 40,
        color_by: ColorBy::Name,
        own_colors: false,
    };
    let start = engine.view().origin();
    engine.frame_in(&Viewport::new(start..start + Ticks(2_000_000_000), 100), &wanted)
}

#[test]
fn series_have_colours_that_differ_and_a_chart_says_what_is_in_view() {
    let mut engine = engine();
    let (heap, bytes) = (counter(&engine, "heap"), counter(&engine, "bytes"));
    let charts = frame(&mut engine).main.charts;
    let of = |track| charts.iter().find(|chart| chart.track == track).unwrap();
    let heap = of(heap);
    assert!(heap.apart);
    let names: Vec<&str> = heap.layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["free", "used"], "the highest first");
    assert_ne!(heap.layers[0].shade % 8, heap.layers[1].shade % 8);
    // In view are two seconds, and the sum of both series is always 100.
    assert_eq!((heap.low.as_str(), heap.high.as_str()), ("100", "100"));
    let bytes = of(bytes);
    assert!(!bytes.apart && bytes.layers[0].name.is_empty());
    assert_eq!((bytes.low.as_str(), bytes.high.as_str(), bytes.most), ("0", "0", 5000.0));
}

#[test]
fn a_counter_is_shown_as_its_rate_and_with_a_shared_scale() {
    let mut engine = engine();
    let (heap, bytes) = (counter(&engine, "heap"), counter(&engine, "bytes"));
    let chart = |engine: &mut Engine, track| {
        frame(engine).main.charts.into_iter().find(|chart| chart.track == track).unwrap()
    };
    engine.act(Action::Rate(Item::Track(bytes)));
    let shown = chart(&mut engine, bytes);
    assert_eq!(
        (shown.low.as_str(), shown.high.as_str(), shown.note.as_str()),
        ("2\u{202f}500/s", "2\u{202f}500/s", "per second")
    );
    assert_eq!((shown.least, shown.most), (0.0, 2500.0));

    // Rates and values have no scale in common.
    for track in [heap, bytes] {
        engine.act(Action::Share(Item::Track(track)));
    }
    assert_eq!([heap, bytes].map(|track| chart(&mut engine, track).most), [100.0, 2500.0]);
    engine.act(Action::Rate(Item::Track(bytes)));
    assert_eq!([heap, bytes].map(|track| chart(&mut engine, track).most), [5000.0, 5000.0]);
    assert_eq!(chart(&mut engine, heap).note, "shared scale");

    // It is in the place, in which another trace finds its own counters.
    let place = engine.current_place();
    assert_eq!((place.rates.len(), place.shared.len()), (0, 2));
    let text = serde_json::to_string(&place).unwrap();
    assert_eq!(serde_json::from_str::<Place>(&text).unwrap(), place);
    let strange = Place { rates: vec!["other".into()], ..Place::default() };
    assert_eq!(engine.apply(strange), ["Here is no track other."]);
    assert_eq!(chart(&mut engine, heap).most, 100.0);
    engine.act(Action::Command(Command::Back));
    assert_eq!(chart(&mut engine, heap).most, 5000.0);
    // What is no counter has no rate.
    let thread =
        engine.trace().track_ids().find(|&track| engine.trace().counters_of(track).is_empty()).unwrap();
    engine.act(Action::Rate(Item::Track(thread)));
    assert!(engine.current_place().rates.is_empty());
}

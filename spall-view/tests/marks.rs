//! Marks and notes: on a time, a range and a slice, with their times and distances.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::model::{SliceId, Ticks};
use spall_view::{
    Action, ChosenRange, Command, Engine, Heights, Mark, MarkFacts, Place, Selected, Since, Source, open,
};

const TRACE: &str = r#"[
    {"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","name":"draw","pid":1,"tid":1,"ts":10,"dur":20}]"#;

fn engine_of(data: &str) -> Engine {
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    engine
}

fn at(microseconds: i64) -> Since {
    Since(Ticks(microseconds * 1000))
}

fn run(engine: &mut Engine, command: Command) {
    assert!(engine.act(Action::Command(command)), "{command:?}");
}

/// Notes on a slice, on a range that ends before it begins to count, and a plain mark, in this order.
fn noted() -> Engine {
    let mut engine = engine_of(TRACE);
    engine.act(Action::Go(SliceId(1)));
    run(&mut engine, Command::Note);
    engine.act(Action::Annotate(0, "slow".into()));
    run(&mut engine, Command::Mark);
    engine.act(Action::Select(None, at(0)));
    engine.act(Action::Choose(Some(ChosenRange { start: at(2), end: at(5), items: None })));
    run(&mut engine, Command::Note);
    engine.act(Action::Annotate(2, "before it".into()));
    engine
}

fn lines(marks: &[MarkFacts]) -> Vec<String> {
    let line = |mark: &MarkFacts| {
        let MarkFacts { number, time, takes, about, text, distance, .. } = mark;
        format!("{number} | {time} | {takes} | {about} | {text} | {distance}")
    };
    marks.iter().map(line).collect()
}

#[test]
fn marks_are_listed_in_the_order_of_time_with_their_distances() {
    let engine = noted();
    let expected = [
        "2 | 2 µs | 3 µs |  | before it | ",
        "0 | 10 µs | 20 µs | draw | slow | 8 µs",
        "1 | 10 µs |  |  |  | 0 ns",
    ];
    assert_eq!(lines(&engine.marked(None)), expected);
    // From the note on the slice, earlier ones are before it.
    let distances: Vec<_> = engine.marked(Some(0)).into_iter().map(|mark| mark.distance).collect();
    assert_eq!(distances, ["-8 µs", "0 ns", "0 ns"]);
    assert_eq!(engine_of(TRACE).marked(Some(7)), []);
}

#[test]
fn a_note_is_written_once_and_every_change_is_a_step() {
    let mut engine = noted();
    let before = engine.current_place();
    // What is noted already becomes the last one, and keeps its text.
    engine.act(Action::Go(SliceId(1)));
    run(&mut engine, Command::Note);
    let marks = engine.current_place().marks;
    assert_eq!((marks.len(), marks[2].text.as_str()), (3, "slow"));
    run(&mut engine, Command::Back);
    assert_eq!(engine.current_place().marks, before.marks);
    // The key that removes a mark leaves notes alone.
    run(&mut engine, Command::Mark);
    assert_eq!(
        engine.current_place().marks.iter().map(|mark| mark.text.as_str()).collect::<Vec<_>>(),
        ["slow", "before it"]
    );
    engine.act(Action::Unmark(0));
    engine.act(Action::Unmark(9));
    engine.act(Action::Annotate(9, "nothing".into()));
    assert_eq!(engine.current_place().marks.len(), 1);
    run(&mut engine, Command::RemoveMarks);
    assert_eq!(engine.current_place().marks, []);
    run(&mut engine, Command::Back);
    assert_eq!(engine.current_place().marks.len(), 1);
}

#[test]
fn notes_come_back_from_a_file_and_are_on_the_time_where_a_slice_is_missing() {
    let place = noted().current_place();
    let file =
        serde_json::to_string(&Place { files: place.files, marks: place.marks, ..Place::default() }).unwrap();
    let read: Place = serde_json::from_str(&file).unwrap();
    let mut engine = engine_of(TRACE);
    assert_eq!(engine.apply(read.clone()), [""; 0]);
    assert_eq!(lines(&engine.marked(None)), lines(&noted().marked(None)));

    let mut other = engine_of(&TRACE.replace("draw", "paint"));
    assert_eq!(
        other.apply(read),
        ["Here is no draw at that time, so what is noted on it is noted on the time."]
    );
    assert_eq!(lines(&other.marked(None))[1], "0 | 10 µs | 20 µs |  | slow | 8 µs");
    let old: Mark = serde_json::from_str(r#"{"at": 7}"#).unwrap();
    assert_eq!(old, Mark { at: Since(Ticks(7)), ..Mark::default() });
    let about = Selected { element: spall_view::Element::Slice(SliceId(9)), at: at(1), name: "draw".into() };
    let none = Place { marks: vec![Mark { of: Some(about), ..old }], ..Place::default() };
    assert_eq!(engine.apply(none).len(), 1, "there is no such slice");
}

//! Sums: what is added up if nobody chooses, and that the engine and the libraries add up the same.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::model::Ticks;
use spall_view::{Area, By, Engine, GraphKind, Heights, Ranking, Since, Source, WantedGraph, open};

const TRACE: &str = r#"[
    {"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":10},
    {"ph":"X","name":"work","pid":1,"tid":2,"ts":0,"dur":4},
    {"ph":"b","cat":"net","name":"wait","id":1,"pid":1,"ts":0},
    {"ph":"e","cat":"net","name":"wait","id":1,"pid":1,"ts":90}]"#;

fn engine_of(data: &str) -> Engine {
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE)
}

fn sums(engine: &mut Engine, tracks: Option<&str>) -> Vec<(String, i64)> {
    let about = engine.about();
    let tracks = tracks.map(Into::into);
    let area =
        Area { start: about.start, end: Since(about.end.0 + Ticks(1)), items: None, tracks, measure: None };
    let ranking = Ranking { most: 10, ..Ranking::default() };
    let mut all = Vec::new();
    for by in [By::Name, By::Function] {
        engine.begin_statistics(&area, by);
        while !engine.step_statistics() {}
        let rows = engine.statistics(&ranking).unwrap().rows;
        all.push(rows.into_iter().map(|row| (row.name, row.own.0.0)).collect::<Vec<_>>());
    }
    assert_eq!(all[0], all[1], "by name and by function");
    engine.begin_tree(&area, "");
    while !engine.step_tree() {}
    let total: i64 = all[0].iter().map(|(_, own)| own).sum();
    assert_eq!(engine.tree().total().0, total, "in a call tree");
    all.remove(0)
}

#[test]
fn threads_are_added_up_unless_another_set_is_chosen_and_what_is_left_out_is_said() {
    let mut engine = engine_of(TRACE);
    let about = engine.about();
    assert_eq!((about.tracks, about.left_out), ("threads", 1));
    assert_eq!(sums(&mut engine, None), [("work".into(), 14_000)]);
    assert_eq!(sums(&mut engine, Some("async")), [("wait".into(), 90_000)]);
    assert_eq!(sums(&mut engine, Some("all")), [("wait".into(), 90_000), ("work".into(), 14_000)]);
}

#[test]
fn where_threads_have_nothing_spans_are_added_up() {
    let mut engine = engine_of(&TRACE.replace(r#""ph":"X""#, r#""ph":"i""#));
    let about = engine.about();
    assert_eq!((about.tracks, about.left_out), ("all", 0));
    assert_eq!(sums(&mut engine, None), [("wait".into(), 90_000)]);
}

/// A name that is no UTF-8 is sent as text, and a time may have more bits than a number that is sent.
#[test]
fn a_trace_does_not_differ_from_itself() {
    let mut data =
        TRACE.replace("1,\"ts\":0,\"dur\":10}", "1,\"ts\":0,\"dur\":9007199254740.993}").into_bytes();
    let name = data.windows(4).position(|bytes| bytes == b"work").unwrap();
    data[name] = 0xff;
    let source = Source { name: "a.json".into(), read: &data[..], offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.begin_tree(&engine.area(), "");
    while !engine.step_tree() {}
    assert_eq!(engine.tree().total(), Ticks((1 << 53) + 1 + 4000), "an odd time");
    engine.compare(engine.sent_tree());
    engine.begin_graph(
        0,
        &WantedGraph {
            graph: GraphKind::Comparison,
            node: None,
            slice: None,
            of: None,
            without: String::new(),
        },
    );
    let shape = core::iter::repeat_with(|| engine.step_graph()).flatten().next().unwrap();
    assert_eq!(shape.total, Since(engine.tree().total()));
    for node in 0..engine.tree().nodes().len() {
        let facts = engine.graph_box(0, node).unwrap().facts;
        assert_eq!(facts[2], ("change", "0 ns".into()), "{facts:?}");
    }
    assert_eq!(engine.graph_box(0, engine.tree().nodes().len()), None);
}

//! Call trees as tables: what is open, in what order, and that the sums are those of the pictures and the statistics.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot begin fails"
)]

use std::collections::HashMap;

use spall_trace::model::Ticks;
use spall_view::{
    By, ChosenTable, Engine, GraphKind, Heights, ListFormat, Ranking, Shape, Source, TreeOrder, TreeRow,
    WantedGraph, WantedTreeRows, open,
};

/// `main` calls `a`, `b` and `log` in turn; `a` calls `log` and itself.
fn engine() -> Engine {
    let mut events = vec![r#"{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":3000}"#.to_owned()];
    for n in 0..100 {
        let mut push = |name: &str, ts: u32, dur: u32| {
            let ts = n * 30 + ts;
            events.push(format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#));
        };
        push("a", 0, 10);
        push("log", 1, 2);
        push("a", 4, 5);
        push("b", 12, 10);
        push("log", 24, 3);
    }
    let data = format!("[{}]", events.join(","));
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE)
}

fn graph(engine: &mut Engine, place: usize, wanted: &WantedGraph) -> Shape {
    engine.begin_tree(&engine.area(), &wanted.without);
    while !engine.step_tree() {}
    engine.begin_graph(place, wanted);
    core::iter::repeat_with(|| engine.step_graph()).flatten().next().unwrap()
}

fn of_kind(graph: GraphKind) -> WantedGraph {
    WantedGraph { graph, node: None, slice: None, of: None, without: String::new() }
}

fn rows(engine: &mut Engine, wanted: &WantedTreeRows) -> Vec<TreeRow> {
    let rows = engine.tree_rows(0, wanted, 0, usize::MAX);
    assert_eq!(rows.count, rows.rows.len());
    rows.rows
}

fn open_all() -> WantedTreeRows {
    WantedTreeRows { is_open: true, ..WantedTreeRows::default() }
}

/// The rows as lines: how deep, the name, the total, the self time and the count.
fn lines(rows: &[TreeRow]) -> Vec<String> {
    let line = |row: &TreeRow| {
        let indent = "  ".repeat(row.depth as usize);
        format!("{indent}{} {} {} {}", row.name, row.cells[0], row.cells[2], row.cells[4])
    };
    rows.iter().map(line).collect()
}

#[test]
fn all_rows_are_all_nodes_and_their_sums_are_those_of_the_statistics() {
    let mut engine = engine();
    let shape = graph(&mut engine, 0, &of_kind(GraphKind::Flame));
    let all = rows(&mut engine, &open_all());
    let expected = [
        "main 3 ms 700 µs 1",
        "  a 1 ms 300 µs 100",
        "    a 500 µs 500 µs 100",
        "    log 200 µs 200 µs 100",
        "  b 1 ms 1 ms 100",
        "  log 300 µs 300 µs 100",
    ];
    assert_eq!(lines(&all), expected, "the largest first, and equal ones in the order of the tree");
    let nodes = engine.tree().nodes().to_vec();
    assert_eq!(all.len(), nodes.len());
    let own: i64 = all.iter().map(|row| nodes[row.node as usize].self_time.0).sum();
    assert_eq!(Ticks(own), shape.total.0);
    let mut by_name: HashMap<&str, (i64, u64)> = HashMap::new();
    for row in &all {
        let sums = by_name.entry(&row.plain).or_default();
        let node = &nodes[row.node as usize];
        *sums = (sums.0 + node.self_time.0, sums.1 + node.count);
    }
    engine.begin_statistics(&engine.area(), By::Function);
    while !engine.step_statistics() {}
    let ranked = engine.statistics(&Ranking { most: 9, ..Ranking::default() }).unwrap();
    assert_eq!(ranked.rows.len(), by_name.len());
    for sums in ranked.rows {
        assert_eq!(by_name[&*sums.name], (sums.own.0.0, sums.count), "{}", sums.name);
    }
    assert_eq!((all[0].share, all[0].cells[1].as_str()), (1.0, "100.0 %"));
}

#[test]
fn rows_are_below_those_that_are_open() {
    let mut engine = engine();
    graph(&mut engine, 0, &of_kind(GraphKind::Flame));
    let closed = rows(&mut engine, &WantedTreeRows::default());
    assert_eq!((lines(&closed).len(), closed[0].is_open), (1, Some(false)));
    let main = closed[0].node;
    let one = rows(&mut engine, &WantedTreeRows { turned: vec![main], ..WantedTreeRows::default() });
    let names = |rows: &[TreeRow]| {
        rows.iter().map(|row| (row.depth, row.plain.clone(), row.is_open)).collect::<Vec<_>>()
    };
    let row = |depth, name: &str, is_open| (depth, name.to_owned(), is_open);
    let expected =
        [row(0, "main", Some(true)), row(1, "a", Some(false)), row(1, "b", None), row(1, "log", None)];
    assert_eq!(names(&one), expected);
    // Where all are open, those that are turned are closed.
    let but_a = rows(&mut engine, &WantedTreeRows { turned: vec![one[1].node], ..open_all() });
    assert_eq!(names(&but_a), expected);
    // A part of the tree alone.
    let part = rows(&mut engine, &WantedTreeRows { root: Some(one[1].node), ..open_all() });
    assert_eq!(names(&part), [row(0, "a", Some(true)), row(1, "a", None), row(1, "log", None)]);
    // Pieces make the whole.
    let pieces = (0..6).flat_map(|from| engine.tree_rows(0, &open_all(), from, 1).rows).collect::<Vec<_>>();
    assert_eq!(pieces, rows(&mut engine, &open_all()));
    assert_eq!(engine.tree_rows(0, &open_all(), 6, 9).rows, []);
    assert_eq!(engine.tree_rows(1, &open_all(), 0, 9).count, 0, "there is no graph in that place");
    assert_eq!(engine.tree_rows(2, &open_all(), 0, 9).count, 0);
}

#[test]
fn rows_are_sorted_below_each_other_and_filtered_with_what_they_are_below() {
    let mut engine = engine();
    graph(&mut engine, 0, &of_kind(GraphKind::Flame));
    let mut names = |wanted: WantedTreeRows| {
        rows(&mut engine, &wanted).iter().map(|row| row.plain.clone()).collect::<Vec<_>>()
    };
    for (order, is_ascending, expected) in [
        (TreeOrder::Total, true, ["main", "log", "a", "log", "a", "b"]),
        (TreeOrder::Own, false, ["main", "b", "a", "a", "log", "log"]),
        (TreeOrder::Count, false, ["main", "a", "log", "a", "b", "log"]),
        (TreeOrder::Name, true, ["main", "a", "a", "log", "b", "log"]),
        (TreeOrder::Name, false, ["main", "log", "b", "a", "log", "a"]),
    ] {
        assert_eq!(
            names(WantedTreeRows {
                table: ChosenTable { order, is_ascending, ..ChosenTable::default() },
                ..open_all()
            }),
            expected,
            "{order:?}"
        );
    }
    // What is filtered is open.
    let filtered = |filter: &str| WantedTreeRows {
        table: ChosenTable { filter: filter.into(), ..ChosenTable::default() },
        ..WantedTreeRows::default()
    };
    assert_eq!(names(filtered("LOG")), ["main", "a", "log", "log"]);
    assert_eq!(names(filtered("main")), ["main"]);
    assert_eq!(names(filtered("nothing")), [""; 0]);
}

#[test]
fn an_inverted_tree_has_callers_below_functions_also_small_ones() {
    let mut engine = engine();
    let shape = graph(&mut engine, 0, &of_kind(GraphKind::BottomUp));
    let roots = rows(&mut engine, &WantedTreeRows::default());
    let own = |rows: &[TreeRow]| {
        rows.iter().map(|row| (row.plain.clone(), row.cells[0].clone())).collect::<Vec<_>>()
    };
    let expected = [("b", "1 ms"), ("a", "800 µs"), ("main", "700 µs"), ("log", "500 µs")];
    assert_eq!(own(&roots), expected.map(|(name, total)| (name.to_owned(), total.to_owned())));
    assert_eq!(
        roots.iter().map(|row| row.is_open).collect::<Vec<_>>(),
        [Some(false), Some(false), None, Some(false)]
    );
    let share: f32 = roots.iter().map(|row| row.share).sum();
    assert!((share - 1.0).abs() < 1e-6 && shape.total.0 == Ticks(3_000_000));
    let log = WantedTreeRows { turned: vec![roots[3].node], ..WantedTreeRows::default() };
    let callers = lines(&rows(&mut engine, &log));
    assert_eq!(callers[3..], ["log 500 µs 0 ns 200", "  main 300 µs 300 µs 100", "  a 200 µs 0 ns 100"]);

    // A function that takes less than a ten-thousandth has no callers in the picture.
    let data = r#"[{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":1000000},{"ph":"X","name":"tiny","pid":1,"tid":1,"ts":5,"dur":1}]"#;
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    graph(&mut engine, 0, &of_kind(GraphKind::BottomUp));
    let roots = rows(&mut engine, &WantedTreeRows::default());
    assert_eq!((roots[1].plain.as_str(), roots[1].is_open), ("tiny", Some(false)));
    let open =
        rows(&mut engine, &WantedTreeRows { turned: vec![roots[1].node], ..WantedTreeRows::default() });
    assert_eq!(lines(&open)[1..], ["tiny 1 µs 0 ns 1", "  main 1 µs 1 µs 1"]);
}

#[test]
fn what_is_left_out_is_part_of_its_callers_and_a_table_is_written_as_csv() {
    let mut engine = engine();
    graph(&mut engine, 0, &WantedGraph { without: "log".into(), ..of_kind(GraphKind::Flame) });
    let expected = "depth,function,total,self,count\n0,main,3000000,1000000,1\n1,a,1000000,500000,100\n2,a,500000,500000,100\n1,b,1000000,1000000,100\n";
    let text =
        |engine: &mut Engine, from, count| engine.tree_text(0, &open_all(), ListFormat::Csv, from, count);
    assert_eq!(text(&mut engine, 0, 9).unwrap(), expected);
    let pieces: String = (0..4).map(|from| text(&mut engine, from, 1).unwrap()).collect();
    assert_eq!(pieces, expected);
    assert_eq!(engine.tree_text(2, &open_all(), ListFormat::Csv, 0, 9), None);
}

#[test]
fn the_callers_of_a_function_are_those_of_a_slice_of_it() {
    let mut engine = engine();
    for (kind, place) in [(GraphKind::Callers, 0), (GraphKind::Callees, 1)] {
        let of_slice = WantedGraph { slice: Some(spall_trace::model::SliceId(1)), ..of_kind(kind) };
        let of_name = WantedGraph { of: Some("a".into()), ..of_kind(kind) };
        let by_slice = graph(&mut engine, place, &of_slice);
        assert_eq!(by_slice.of, "a");
        assert_eq!(graph(&mut engine, place, &of_name), by_slice);
    }
    let other =
        graph(&mut engine, 0, &WantedGraph { of: Some("nothing".into()), ..of_kind(GraphKind::Callers) });
    assert_eq!(other.of, "");
}

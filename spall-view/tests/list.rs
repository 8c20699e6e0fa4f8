//! Slices and instants as lists: what is in them, their order, and their entries in pieces.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot begin fails"
)]

use spall_trace::layout::LayoutView;
use spall_trace::model::{Ticks, TraceView};
use spall_view::{
    Action, Area, By, ChosenList, Element, Engine, Entry, Heights, List, ListColumn, ListFormat, ListKind,
    LiveEngine, Place, Progress, Question, Ranking, Reply, Shown, Since, Source, WantedList, open,
};

/// Nested slices of several names on two threads of each of two processes, with arguments, categories and CPU times on some.
fn data() -> String {
    let mut events = Vec::new();
    for (thread, n) in (0..4).flat_map(|thread| (0..100).map(move |n| (thread, n))) {
        let (pid, tid, ts) = (thread / 2 + 1, thread % 2 + 1, n * 100);
        let (name, n_bytes) = (["draw", "load", r#"a, \"b\""#][n % 3], (n * 7) % 10);
        let more = if n % 4 == 0 { r#","cat":"ui","tdur":11"# } else { "" };
        let (what, size) = (
            if n % 2 == 0 { "odd" } else { "even" },
            if n % 5 == 0 { "\"none\"".into() } else { n_bytes.to_string() },
        );
        events.push(format!(
            r#"{{"ph":"X","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{},"args":{{"what":"{what}"}}{more}}}"#,
            50 + n % 7
        ));
        events.push(format!(
            r#"{{"ph":"X","name":"inner","pid":{pid},"tid":{tid},"ts":{},"dur":20,"args":{{"size":{size}}}}}"#,
            ts + 10
        ));
        events.push(format!(
            r#"{{"ph":"i","name":"tick {}","pid":{pid},"tid":{tid},"ts":{ts},"s":"t","args":{{"n":{n}}}}}"#,
            n % 3
        ));
    }
    format!("[{}]", events.join(","))
}

fn engine_of(data: &str) -> Engine {
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    engine
}

fn engine() -> Engine {
    engine_of(&data())
}

fn all() -> Area {
    Area { start: Since(Ticks(0)), end: Since(Ticks(i64::MAX)), items: None, tracks: None, measure: None }
}

fn list_of<S: Shown>(engine: &mut Engine<S>, kind: ListKind, area: Area, chosen: ChosenList) -> Option<List> {
    if !engine.begin_list(&WantedList { kind, area, chosen }) {
        return None;
    }
    Some(core::iter::repeat_with(|| engine.step_list()).flatten().next().unwrap())
}

fn slices(engine: &mut Engine, chosen: ChosenList) -> (List, Vec<Entry>) {
    let list = list_of(engine, ListKind::Slices, all(), chosen).unwrap();
    let entries = engine.entries(list.number, 0, usize::MAX);
    assert_eq!(entries.len(), list.count);
    (list, entries)
}

fn ids(entries: &[Entry]) -> Vec<u32> {
    let id = |entry: &Entry| match entry.element {
        Element::Slice(slice) => slice.0,
        Element::Instant(number) => number,
        other => panic!("{other:?}"),
    };
    entries.iter().map(id).collect()
}

/// The texts of a column.
fn column(list: &List, entries: &[Entry], title: &str) -> Vec<String> {
    let at = list.columns.iter().position(|column| column.title == title).unwrap();
    entries.iter().map(|entry| entry.cells[at].clone()).collect()
}

fn search(engine: &mut Engine, pattern: &str) {
    engine.act(Action::Search(pattern.into()));
    while engine.is_finding() {
        engine.step_find();
    }
}

fn sums(engine: &mut Engine, area: &Area, by: By) -> Vec<spall_view::Sums> {
    engine.begin_statistics(area, by);
    while !engine.step_statistics() {}
    engine.statistics(&Ranking { most: 100, ..Ranking::default() }).unwrap().rows
}

#[test]
fn slices_of_a_name_are_as_many_and_take_as_long_as_the_statistics_and_the_tree_say() {
    let mut engine = engine();
    for (by, area) in [By::Name, By::Function].into_iter().flat_map(|by| {
        let part = Area { start: Since(Ticks(3_205_000)), end: Since(Ticks(7_000_000)), ..all() };
        [(by, all()), (by, part), (by, Area { tracks: Some("async".into()), ..all() })]
    }) {
        let sums = sums(&mut engine, &area, by);
        for sums in &sums {
            let chosen = ChosenList { of: Some(sums.name.clone()), by, ..ChosenList::default() };
            let list = list_of(&mut engine, ListKind::Slices, area.clone(), chosen).unwrap();
            assert_eq!(list.count as u64, sums.count, "{} in {area:?}", sums.name);
            let entries = engine.entries(list.number, 0, list.count);
            assert!(entries.iter().all(|entry| entry.cells.contains(&sums.name)));
            if area == all() {
                let layout = engine.layout();
                let own = ids(&entries)
                    .into_iter()
                    .map(|id| layout.self_time(spall_trace::model::SliceId(id)).unwrap());
                assert_eq!(Since(own.sum()), sums.own, "{}", sums.name);
            }
        }
        let list = list_of(&mut engine, ListKind::Slices, area.clone(), ChosenList::default()).unwrap();
        assert_eq!(list.count as u64, sums.iter().map(|sums| sums.count).sum::<u64>());
        engine.begin_tree(&area, "");
        while !engine.step_tree() {}
        assert_eq!(list.count as u64, engine.tree().nodes().iter().map(|node| node.count).sum::<u64>());
    }
    let other = ChosenList { of: Some("nothing".into()), ..ChosenList::default() };
    assert_eq!(slices(&mut engine, other).0.count, 0);
}

#[test]
fn equal_entries_stay_in_the_order_of_time_and_of_the_trace() {
    let mut engine = engine();
    let (list, entries) = slices(&mut engine, ChosenList::default());
    let by_time = ids(&entries);
    let (trace, start) =
        (engine.trace(), |&id: &u32| engine.trace().slice(spall_trace::model::SliceId(id)).unwrap().start);
    assert_eq!(by_time.len(), trace.n_slices());
    assert!(by_time.is_sorted_by_key(|id| (start(id), *id)), "numbers are in the order of the trace");
    let titles: Vec<&str> = list.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(titles, ["Time", "Duration", "Self", "CPU", "Name", "Track", "Category", "size", "what"]);
    assert_eq!(list.keys, [("size".into(), 400), ("what".into(), 400)]);
    let is_number: Vec<bool> = list.columns.iter().map(|column| column.is_number).collect();
    assert_eq!(
        is_number,
        [true, true, true, true, false, false, false, false, false],
        "some sizes are texts"
    );
    let place = |id: u32| by_time.iter().position(|&other| other == id).unwrap();
    for facts in &list.columns {
        let sorted = |engine: &mut Engine, is_descending| {
            slices(engine, ChosenList { order: facts.column.clone(), is_descending, ..ChosenList::default() })
                .1
        };
        let (up, down) = (sorted(&mut engine, false), sorted(&mut engine, true));
        // Runs of equal cells are in the order of time, and the runs of one order are those of the other one.
        let runs = |entries: &[Entry]| {
            let cells: Vec<(String, u32)> =
                column(&list, entries, &facts.title).into_iter().zip(ids(entries)).collect();
            let runs = cells.chunk_by(|a, b| a.0 == b.0).map(|run| {
                assert!(run.is_sorted_by_key(|(_, id)| place(*id)), "{facts:?}: {run:?}");
                (run[0].0.clone(), run.len())
            });
            runs.collect::<Vec<_>>()
        };
        let (up, down) = (runs(&up), runs(&down));
        let with_value = |runs: &[(String, usize)]| {
            runs.iter().filter(|(text, _)| !text.is_empty()).cloned().collect::<Vec<_>>()
        };
        let mut turned = with_value(&down);
        turned.reverse();
        assert_eq!(with_value(&up), turned, "{facts:?}");
        if matches!(facts.column, ListColumn::Cpu | ListColumn::Arg(_)) {
            assert_eq!(
                [up.last(), down.last()].map(|run| run.unwrap().0.is_empty()),
                [true, true],
                "no value is last"
            );
        }
    }
    let (list, entries) =
        slices(&mut engine, ChosenList { order: ListColumn::Arg("size".into()), ..ChosenList::default() });
    let mut sizes = column(&list, &entries, "size");
    sizes.dedup();
    assert_eq!(
        sizes,
        ["1", "2", "3", "4", "6", "7", "8", "9", "none", ""],
        "numbers, then texts, then nothing"
    );
}

#[test]
fn pieces_make_the_whole_and_a_later_list_takes_its_place() {
    let mut engine = engine();
    let chosen = ChosenList { order: ListColumn::Duration, is_descending: true, ..ChosenList::default() };
    let (list, whole) = slices(&mut engine, chosen.clone());
    let pieces: Vec<Entry> =
        (0..list.count).step_by(7).flat_map(|from| engine.entries(list.number, from, 7)).collect();
    assert_eq!(pieces, whole);
    assert_eq!(engine.entries(list.number, list.count, 9), []);
    let text = |from, count| engine.list_text(list.number, ListFormat::Csv, from, count).unwrap();
    let written: String = (0..list.count).step_by(50).map(|from| text(from, 50)).collect();
    assert_eq!(written, text(0, usize::MAX));
    assert_eq!(written.lines().count(), list.count + 1);
    let before = list.number;
    let (list, _) = slices(&mut engine, ChosenList::default());
    assert!(list.number != before && engine.entries(before, 0, 9).is_empty());
    assert_eq!(engine.list_text(before, ListFormat::Tsv, 0, 9), None);

    // Over a wire it is a question that takes long, and is given up for a later one.
    let ask = |engine: &mut Engine| match engine.ask(Question::List(WantedList {
        kind: ListKind::Slices,
        area: all(),
        chosen: chosen.clone(),
    })) {
        Reply::Later(ticket) => ticket,
        Reply::Now(answer) => panic!("{answer:?}"),
    };
    let (first, second) = (ask(&mut engine), ask(&mut engine));
    assert_eq!(engine.go_on(first), Progress::Superseded);
    while matches!(engine.go_on(second), Progress::Of(..)) {}
    assert_eq!(engine.go_on(second), Progress::Superseded, "it was answered");
    let third = ask(&mut engine);
    engine.ask(Question::CancelList);
    assert_eq!(engine.go_on(third), Progress::Superseded);
}

#[test]
fn a_filter_means_what_a_search_means_and_tracks_and_categories_besides() {
    let mut engine = engine();
    let filtered = |engine: &mut Engine, filter: &str| {
        let (list, _) = slices(engine, ChosenList { filter: filter.into(), ..ChosenList::default() });
        assert_eq!((list.all, list.fault), (800, None));
        list.count
    };
    for pattern in ["draw", "DRAW", "/^inner$/", "size=3", "even", "draw dur > 53us", "dur < 30us", "nothing"]
    {
        search(&mut engine, pattern);
        let found = engine.found().unwrap().slices as usize;
        assert_eq!(filtered(&mut engine, pattern), found, "{pattern}");
        let only_found = ChosenList { found: true, ..ChosenList::default() };
        let (list, entries) = slices(&mut engine, only_found.clone());
        assert_eq!(list.count, found, "{pattern}");
        // What is filtered is also of what was found.
        let (both, _) = slices(&mut engine, ChosenList { filter: "size=3".into(), ..only_found });
        assert_eq!(
            both.count,
            entries.iter().filter(|entry| entry.cells.contains(&"3".into())).count(),
            "{pattern}"
        );
    }
    assert_eq!(filtered(&mut engine, "Process 2"), 400, "a track is told by its process");
    assert_eq!(filtered(&mut engine, "/^ui$/"), 100, "a category");
    let (list, _) = slices(&mut engine, ChosenList { filter: "/(/".into(), ..ChosenList::default() });
    assert!(list.fault.is_some() && list.count == 800);
    search(&mut engine, "");
    assert_eq!(
        list_of(&mut engine, ListKind::Slices, all(), ChosenList { found: true, ..ChosenList::default() }),
        None
    );
}

#[test]
fn the_user_chooses_the_arguments_that_are_columns() {
    let events = (0..30).map(|n| {
        let args: Vec<String> = (n..30).map(|key| format!(r#""k{key}":{n}"#)).collect();
        format!(r#"{{"ph":"X","name":"a","pid":1,"tid":1,"ts":{n},"dur":1,"args":{{{}}}}}"#, args.join(","))
    });
    let mut engine = engine_of(&format!("[{}]", events.collect::<Vec<_>>().join(",")));
    let keys = |list: &List| {
        let key = |column: &ListColumn| match column {
            ListColumn::Arg(key) => Some(key.clone()),
            _ => None,
        };
        list.columns.iter().filter_map(|facts| key(&facts.column)).collect::<Vec<_>>()
    };
    let (list, entries) = slices(&mut engine, ChosenList::default());
    assert_eq!(keys(&list), ["k29", "k28", "k27", "k26", "k25", "k24"], "those that most have");
    assert_eq!((list.keys.len(), &list.keys[0], list.keys[29].1), (30, &("k29".into(), 30), 1));
    assert!(
        list.columns.iter().all(|column| column.is_number != ["Name", "Track"].contains(&&*column.title))
    );
    assert_eq!(column(&list, &entries, "k24")[24..26], ["24".to_owned(), String::new()]);
    let all_keys: Vec<String> = (0..30).map(|key| format!("k{key}")).collect();
    let chosen = ChosenList { keys: Some(all_keys.clone()), ..ChosenList::default() };
    assert_eq!(keys(&slices(&mut engine, chosen).0), all_keys[..24], "at most 24");
    assert_eq!(
        keys(&slices(&mut engine, ChosenList { keys: Some(vec![]), ..ChosenList::default() }).0),
        [""; 0]
    );
}

#[test]
fn instants_are_those_that_the_range_has_and_that_are_shown() {
    let mut engine = engine();
    let instants = |engine: &mut Engine, area: &Area| {
        let list = list_of(engine, ListKind::Instants, area.clone(), ChosenList::default()).unwrap();
        let titles: Vec<String> = list.columns.iter().map(|column| column.title.clone()).collect();
        (engine.entries(list.number, 0, usize::MAX), titles)
    };
    let part = Area { start: Since(Ticks(1_000_000)), end: Since(Ticks(2_000_000)), ..all() };
    for area in [all(), part] {
        for names in [vec![], vec!["tick 1".to_owned()]] {
            engine.act(Action::Filter(vec![], names.clone()));
            let (entries, titles) = instants(&mut engine, &area);
            assert_eq!(titles, ["Time", "Name", "Track", "n"]);
            let said = engine.beside(&area);
            let counts = said.iter().find(|table| table.title == "Instants").unwrap().rows.iter();
            let count: usize = counts.map(|row| row.cells[1].parse::<usize>().unwrap()).sum();
            assert_eq!(entries.len(), count, "{area:?} without {names:?}");
            assert!(entries.is_sorted_by_key(|entry| entry.at));
            assert!(entries.iter().all(|entry| !names.contains(&entry.cells[1])));
        }
    }
}

#[test]
fn a_file_has_numbers_for_programs_and_no_line_too_many() {
    let mut engine = engine();
    let chosen =
        ChosenList { of: Some("a, \"b\"".into()), keys: Some(vec!["what".into()]), ..ChosenList::default() };
    let (list, _) = slices(&mut engine, chosen);
    let text = |format| engine.list_text(list.number, format, 0, 2).unwrap();
    let csv: Vec<String> = text(ListFormat::Csv).lines().map(Into::into).collect();
    assert_eq!(csv[0], "start,duration,self,cpu,name,track,category,what");
    assert_eq!(csv[1], "200000,52000,32000,,\"a, \"\"b\"\"\",Thread 1 (Process 1),,odd");
    let tsv = text(ListFormat::Tsv);
    assert!(tsv.lines().all(|line| line.split('\t').count() == 8), "{tsv}");

    let data = r#"[{"ph":"X","name":"a\tb\nc","pid":1,"tid":1,"ts":0.5,"dur":1}]"#;
    let mut engine = engine_of(data);
    let (list, _) = slices(&mut engine, ChosenList::default());
    let text = |format| engine.list_text(list.number, format, 0, 2).unwrap();
    assert_eq!(
        text(ListFormat::Tsv),
        "start\tduration\tself\tname\ttrack\n500\t1000\t1000\ta b c\tThread 1\n"
    );
    assert_eq!(text(ListFormat::Csv), "start,duration,self,name,track\n500,1000,1000,\"a\tb\nc\",Thread 1\n");
}

#[test]
fn nothing_is_a_list_without_entries() {
    let mut engine = engine_of(r#"[{"ph":"i","name":"a","pid":1,"tid":1,"ts":0,"s":"t"}]"#);
    for order in [ListColumn::Start, ListColumn::Name, ListColumn::Arg("x".into())] {
        let (list, _) =
            slices(&mut engine, ChosenList { order, filter: "a".into(), ..ChosenList::default() });
        assert_eq!((list.count, list.all, list.keys.len()), (0, 0, 0));
        assert_eq!(
            engine.list_text(list.number, ListFormat::Csv, 0, 9).unwrap(),
            "start,duration,self,name,track\n"
        );
    }
}

#[test]
fn what_is_hidden_is_gathered_no_more_and_a_place_keeps_how_it_is_listed() {
    let mut engine = engine();
    let (before, _) = slices(&mut engine, ChosenList::default());
    engine.act(Action::Filter(vec![], vec!["inner".into()]));
    assert!(engine.entries(before.number, 0, 9).is_empty(), "it was of other slices");
    let (list, _) = slices(&mut engine, ChosenList::default());
    assert!(list.count == 400 && list.number != before.number);
    let chosen = ChosenList {
        of: Some("draw".into()),
        by: By::Function,
        in_view: Some(false),
        order: ListColumn::Arg("size".into()),
        is_descending: true,
        filter: "x".into(),
        keys: Some(vec![]),
        found: true,
    };
    engine.change(|place| place.slices = chosen.clone());
    let text = serde_json::to_string(&engine.current_place()).unwrap();
    let place: Place = serde_json::from_str(&text).unwrap();
    assert_eq!(place.slices, chosen);
    assert!(!text.contains("instants"), "{text}");
}

#[test]
fn a_trace_that_grows_keeps_its_list_and_gathers_the_next_one_anew() {
    let data = data();
    let half = data[..data.len() / 2].rfind("},{").unwrap() + 2;
    let mut engine = LiveEngine::live("a.json", Heights::PAGE);
    engine.feed(&data.as_bytes()[..half]).unwrap();
    engine.grow();
    let chosen = ChosenList { order: ListColumn::Name, ..ChosenList::default() };
    let first = list_of(&mut engine, ListKind::Slices, all(), chosen.clone()).unwrap();
    let entries = engine.entries(first.number, 0, 20);
    engine.feed(&data.as_bytes()[half..]).unwrap();
    engine.end().unwrap();
    engine.grow();
    assert_eq!(
        ids(&engine.entries(first.number, 0, 20)),
        ids(&entries),
        "the list that is read is still there"
    );
    let second = list_of(&mut engine, ListKind::Slices, all(), chosen).unwrap();
    assert_eq!((second.count, second.number), (800, first.number + 1));
    assert!(first.count < second.count);
}

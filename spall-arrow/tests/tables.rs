//! The contents of every table, for traces written by hand.

mod common;

use arrow_array::{Array, cast::AsArray, types::Int64Type};
use common::{column, rows, with_tables};
use spall_arrow::{Table, Tables};
use spall_layout::Layout;
use spall_model::{Event, Limits, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};

#[test]
fn the_page_of_the_schema_lists_every_column() {
    let page = include_str!("../schema.md");
    for table in Table::ALL {
        let section = page.split("\n# ").find(|section| section.lines().next() == Some(table.name()));
        let section = section.unwrap_or_else(|| panic!("{} has no section", table.name()));
        let listed: Vec<_> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
            .map(|(name, rest)| (name.to_owned(), rest.split(" |").next().unwrap_or_default().to_owned()))
            .collect();
        let columns: Vec<_> = table
            .schema()
            .fields()
            .iter()
            .map(|field| {
                let optional = if field.is_nullable() { "?" } else { "" };
                (field.name().clone(), format!("{}{optional}", common::type_name(field.data_type())))
            })
            .collect();
        assert_eq!(listed, columns, "{}", table.name());
    }
}

const SLICES: &str = r#"[
    {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"app"}},
    {"ph":"X","name":"outer","cat":"c","pid":7,"tid":7,"ts":1,"dur":10,"args":{"n":3,"list":[1,{"a":null}]}},
    {"ph":"B","name":"inner","pid":7,"tid":7,"ts":2,"tts":5},
    {"ph":"E","pid":7,"tid":7,"ts":4,"args":{"done":true}},
    {"ph":"X","name":"across","pid":7,"tid":7,"ts":8,"dur":6},
    {"ph":"B","pid":7,"tid":8,"ts":3}
]"#;

#[test]
fn slices_have_their_place_in_the_layout() {
    with_tables(SLICES.as_bytes(), |tables| {
        let columns =
            ["id", "track_id", "parent_id", "ts", "dur", "self_dur", "depth", "lane", "incomplete", "kind"];
        assert_eq!(
            rows(tables, Table::Slice, &columns),
            [
                "0 0 - 1000 10000 8000 0 0 false complete",
                "1 0 0 2000 2000 2000 1 0 false pair",
                // It begins inside the first slice and ends behind it.
                "2 0 - 8000 6000 6000 0 1 false complete",
                "3 1 - 3000 0 0 0 0 true pair",
            ]
        );
        assert_eq!(
            rows(tables, Table::Slice, &["name", "category"]),
            ["outer c", "inner -", "across -", "- -"],
            "a slice without a name has none, rather than an empty one"
        );
        assert_eq!(rows(tables, Table::Diagnostic, &["kind", "value"]).last().unwrap(), "partial-overlap 1");
    });
}

#[test]
fn arguments_are_a_map_and_json_and_rows() {
    with_tables(SLICES.as_bytes(), |tables| {
        assert_eq!(
            rows(tables, Table::Slice, &["arg_set_id", "args", "args_json"]),
            [
                r#"0 {n: 3, list: [1,{"a":null}]} {"n":3,"list":[1,{"a":null}]}"#,
                r#"1 {done: true} {"done":true}"#,
                "- - -",
                "- - -",
            ]
        );
        let columns = [
            "arg_set_id",
            "table_name",
            "is_field",
            "flat_key",
            "key",
            "value_type",
            "int_value",
            "string_value",
        ];
        assert_eq!(
            rows(tables, Table::Args, &columns),
            [
                "0 slice false n n int 3 -",
                "0 slice false list list[0] int 1 -",
                "0 slice false list.a list[1].a null - -",
                "1 slice false done done bool 1 -",
                "1 slice true tts tts int 5 -",
            ]
        );
    });
}

#[test]
fn values_have_the_type_that_holds_them() {
    let json = br#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1,"args":
        {"twice":1,"big":18446744073709551615,"half":0.5,"text":"a\nb","none":[],"empty":{},"twice":2,"":"key",
         "inside":{"twice":[1,2],"once":3,"twice":4}}}]"#;
    with_tables(json, |tables| {
        assert_eq!(
            rows(tables, Table::Args, &["key", "value_type", "int_value", "real_value", "string_value"]),
            [
                "twice int 2 - -",
                "big uint - - 18446744073709551615",
                "half real - 0.5 -",
                "text string - - a\nb",
                "none json - - []",
                "empty json - - {}",
                " string - - key",
                "inside.twice int 4 - -",
                "inside.once int 3 - -",
            ]
        );
    });
}

/// Each value of a list repeats the key of the list.
#[test]
fn values_below_a_long_key_are_one_text() {
    let file = |key: usize, values: usize| {
        let (key, values) = ("k".repeat(key), vec!["1"; values].join(","));
        format!(
            r#"[{{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1,"args":{{"{key}":[{values}],"last":2}}}}]"#
        )
    };
    let types = |file: &str| {
        let mut found = Vec::new();
        with_tables(file.as_bytes(), |tables| found = rows(tables, Table::Args, &["value_type"]));
        found
    };
    // Within 32 times the arguments and 4096 bytes, of which the key is in two columns.
    assert_eq!(types(&file(36, 500)), vec!["int"; 501]);
    assert_eq!(types(&file(4000, 2000)), ["json", "int"]);
}

#[test]
fn values_that_lie_too_deep_are_one_text() {
    let depth = 40_000;
    let json = format!(
        r#"[{{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1,"args":{{"deep":{}1{}}}}}]"#,
        "[".repeat(depth),
        "]".repeat(depth)
    );
    with_tables(json.as_bytes(), |tables| {
        let found = rows(tables, Table::Args, &["key", "value_type"]);
        assert_eq!(found, [format!("deep{} json", "[0]".repeat(8))]);
    });
}

const FACTS: &str = r#"{"traceEvents":[
    {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5},
    {"ph":"s","name":"go","cat":"f","id":"0x1","pid":1,"tid":1,"ts":1,"args":{"why":"x"}},
    {"ph":"X","name":"b","pid":1,"tid":2,"ts":10,"dur":5},
    {"ph":"f","bp":"e","name":"go","cat":"f","id":"0x1","pid":1,"tid":2,"ts":12},
    {"ph":"i","s":"p","name":"now","pid":1,"tid":1,"ts":3},
    {"ph":"i","s":"t","name":"here","pid":1,"tid":1,"ts":4,"args":{"v":1.5}},
    {"ph":"C","name":"memory","pid":1,"tid":1,"ts":2,"args":{"used":10,"free":2.5}},
    {"ph":"N","name":"Window","id":"w","pid":1,"tid":1,"ts":1},
    {"ph":"O","name":"Window","id":"w","pid":1,"tid":1,"ts":2,"args":{"snapshot":{"title":"t"}}},
    {"ph":"b","cat":"net","name":"load","id":5,"pid":1,"tid":1,"ts":2},
    {"ph":"e","cat":"net","name":"load","id":5,"pid":1,"tid":1,"ts":9}
],"branch":"main"}"#;

#[test]
fn other_tables_have_what_the_trace_has() {
    with_tables(FACTS.as_bytes(), |tables| {
        let label = |id: &str| {
            let tracks = rows(tables, Table::Track, &["id", "label"]);
            let found = tracks.iter().find_map(|row| row.strip_prefix(&format!("{id} ")));
            found.unwrap_or_else(|| panic!("no track {id}")).to_owned()
        };
        let labelled = |table, columns: &[&str]| -> Vec<String> {
            let tracks = rows(tables, table, &["track_id"]);
            let rest = rows(tables, table, columns);
            tracks.iter().zip(rest).map(|(track, rest)| format!("{}: {rest}", label(track))).collect()
        };
        let mut instants = labelled(Table::Instant, &["ts", "name", "scope", "args"]);
        instants.sort();
        assert_eq!(instants, ["Process-wide: 3000 now process -", "Thread 1: 4000 here thread {v: 1.5}"]);
        let mut counters = labelled(Table::Counter, &["ts", "series", "value"]);
        counters.sort();
        assert_eq!(counters, ["memory: 2000 free 2.5", "memory: 2000 used 10"]);

        let slices = rows(tables, Table::Slice, &["id", "name"]);
        let id = |name: &str| {
            let found = slices.iter().find_map(|row| row.strip_suffix(&format!(" {name}")));
            found.unwrap_or_else(|| panic!("no slice {name}")).to_owned()
        };
        assert_eq!(
            rows(
                tables,
                Table::Flow,
                &["name", "category", "slice_out", "slice_in", "ts_out", "ts_in", "args_out"]
            ),
            [format!("go f {} {} 1000 12000 {{why: x}}", id("a"), id("b"))]
        );
        assert_eq!(rows(tables, Table::Object, &["name", "key", "ts", "end_ts"]), ["Window w 1000 -"]);
        assert_eq!(
            rows(tables, Table::Snapshot, &["object_id", "ts", "args"]),
            [r#"0 2000 {snapshot: {"title":"t"}}"#]
        );
        assert_eq!(rows(tables, Table::Metadata, &["key", "value", "value_json"]), [r#"branch main "main""#]);
        assert_eq!(rows(tables, Table::Process, &["id", "pid", "pid_text", "label"]), ["0 1 1 Process 1"]);
        let tracks = rows(tables, Table::Track, &["type", "tid", "is_main_thread", "key", "category"]);
        for track in ["thread 1 true - -", "thread 2 false - -", "async - - 5 net", "counter - - - -"] {
            assert!(tracks.iter().any(|row| row == track), "{track}: {tracks:?}");
        }
        assert_eq!(
            rows(tables, Table::Trace, &["time_unit", "ns_per_tick", "start_ts", "end_ts", "slice_count"]),
            ["tick 1 0 15000 3"]
        );
    });
}

#[test]
fn samples_lead_to_frames() {
    let json = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,
        "columnNumber":-1},"children":[2]},{"id":2,"callFrame":{"functionName":"f","scriptId":"3","url":"a.js",
        "lineNumber":4,"columnNumber":2}}],"startTime":100,"endTime":130,"samples":[2,1],"timeDeltas":[10,10]}"#;
    with_tables(json, |tables| {
        assert_eq!(rows(tables, Table::Profile, &["id", "ts", "end_ts"]), ["0 100000 130000"]);
        let frames = rows(tables, Table::Frame, &["profile_id", "name", "url", "line", "column_number"]);
        assert_eq!(frames, ["0 (root) - - -", "0 f a.js 4 2"]);
        assert_eq!(rows(tables, Table::Frame, &["id", "parent_id"]), ["0 -", "1 0"]);
        assert_eq!(
            rows(tables, Table::Sample, &["profile_id", "ts", "frame_id"]),
            ["0 110000 1", "0 120000 0"]
        );
    });
}

#[test]
fn an_empty_trace_has_every_table() {
    with_tables(b"[]", |tables| {
        for &table in Table::ALL {
            let n_batches = tables.batches(table).count();
            assert_eq!(n_batches, usize::from(table == Table::Trace), "{}", table.name());
        }
        assert_eq!(rows(tables, Table::Trace, &["start_ts", "slice_count"]), ["- 0"]);
    });
}

#[test]
fn sets_of_arguments_are_numbered_table_by_table() {
    let file = br#"[
        {"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1,"args":{"of":"slice"}},
        {"ph":"i","name":"none","pid":1,"tid":1,"ts":2},
        {"ph":"i","name":"i","pid":1,"tid":1,"ts":3,"args":{"of":"instant"}}]"#;
    with_tables(file, |tables| {
        assert_eq!(rows(tables, Table::Instant, &["name", "arg_set_id"]), ["none -", "i 2"]);
        assert_eq!(rows(tables, Table::Args, &["arg_set_id", "string_value"]), ["0 slice", "2 instant"]);
    });
}

#[test]
fn slices_without_arguments_leave_the_table_of_arguments_empty() {
    with_tables(br#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1}]"#, |tables| {
        assert_eq!(tables.batches(Table::Slice).count(), 1);
        assert_eq!(tables.batches(Table::Args).count(), 0);
    });
}

#[test]
fn what_is_empty_is_an_empty_list_or_map_where_it_cannot_be_null_and_null_where_it_can() {
    let file = br#"[
        {"ph":"M","name":"process_labels","pid":1,"tid":1,"args":{"labels":"one,two"}},
        {"ph":"X","name":"none","pid":1,"tid":1,"ts":0,"dur":1},
        {"ph":"X","name":"empty","pid":1,"tid":1,"ts":1,"dur":1,"args":{}},
        {"ph":"X","name":"nothing","pid":2,"tid":2,"ts":0,"dur":1,"args":{"key":null,"list":[]}}]"#;
    with_tables(file, |tables| {
        assert_eq!(rows(tables, Table::Process, &["pid", "labels"]), ["1 [one, two]", "2 []"]);
        assert_eq!(rows(tables, Table::Trace, &["labels"]), ["{}"]);
        let args = rows(tables, Table::Slice, &["name", "args", "args_json", "arg_set_id"]);
        assert_eq!(
            args,
            ["none - - -", "empty - - -", r#"nothing {key: -, list: []} {"key":null,"list":[]} 2"#]
        );
    });
}

#[test]
fn labels_are_the_callers() {
    with_tables(b"[]", |tables| {
        let tables = tables.clone().with_label("host", "a").with_label("host", "b").with_label("x", "");
        assert_eq!(rows(&tables, Table::Trace, &["labels"]), ["{host: b, x: }"]);
    });
}

#[test]
fn batches_are_the_table_cut_into_pieces() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let n_slices = 70_000;
    for number in 0..n_slices {
        let event = ThreadEvent::new(Thread::new(1, number % 3), Tick(number), "f".into());
        builder.push(&Event::Complete(event, Ticks(1)));
    }
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let tables = Tables::new(&trace, &layout).unwrap();
    let mut lengths = Vec::new();
    let mut starts: Vec<i64> = Vec::new();
    for batch in tables.batches(Table::Slice).with_columns(&[3]).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.num_columns(), 1);
        lengths.push(batch.num_rows());
        starts.extend(column(&batch, "ts").as_primitive::<Int64Type>().values());
    }
    assert_eq!(lengths, [65_536, 70_000 - 65_536]);
    let second = tables.batches(Table::Slice).nth(1).unwrap().unwrap();
    assert_eq!(column(&second, "ts").as_primitive::<Int64Type>().values(), &starts[65_536..]);
    assert!(tables.batches(Table::Slice).nth(2).is_none());
    let expected: Vec<i64> = (0..3).flat_map(|thread| (thread..n_slices).step_by(3)).collect();
    assert_eq!(starts, expected, "by track, then by time");
    assert!(tables.batches(Table::Slice).with_columns(&[99]).is_err());
    assert_eq!(
        tables.batches(Table::Slice).with_columns(&[]).unwrap().next().unwrap().unwrap().num_rows(),
        65_536
    );
}

#[test]
fn batches_share_one_dictionary_and_are_shorter_where_arguments_are_long() {
    let long = "x".repeat(3 << 20);
    let events: Vec<_> = (0..12)
        .map(|n| {
            format!(r#"{{"ph":"X","name":"f{n}","pid":1,"tid":1,"ts":{n},"dur":1,"args":{{"t":"{long}"}}}}"#)
        })
        .collect();
    with_tables(format!("[{}]", events.join(",")).as_bytes(), |tables| {
        let batches: Vec<_> = tables.batches(Table::Slice).map(Result::unwrap).collect();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [6, 6]);
        let dictionary =
            |batch: usize| column(&batches[batch], "name").as_any_dictionary().values().to_data();
        assert!(dictionary(0).ptr_eq(&dictionary(1)));
    });
}

/// A trace without times says what its ticks count.
#[test]
fn the_unit_of_ticks_is_named() {
    with_tables(b"a;b 3\na 4\n", |tables| {
        assert_eq!(
            rows(tables, Table::Trace, &["time_unit", "ns_per_tick", "end_ts", "sample_count"]),
            ["samples - 7 2"]
        );
    });
}

#[test]
fn a_duration_longer_than_64_bits_is_the_longest_one() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let event = |at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), "a".into());
    builder.push(&Event::Begin(event(i64::MIN)));
    builder.push(&Event::End(event(i64::MAX)));
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let tables = Tables::new(&trace, &layout).unwrap();
    let expected = [format!("{} {}", i64::MIN, i64::MAX)];
    assert_eq!(rows(&tables, Table::Slice, &["ts", "dur"]), expected);
}

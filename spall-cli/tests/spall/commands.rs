//! What the subcommands do.

use std::fs;

use serde_json::{Value, json};

use crate::{Folder, TRACE, testdata};

#[test]
fn info_says_what_is_in_each_file() {
    let folder = Folder::new("info").with("a.json", TRACE).with("b.json", "[]");
    let text = folder.prints(&["info", "a.json", "b.json"]);
    let [a, b] = text.split("\n\n").collect::<Vec<_>>()[..] else { panic!("{text}") };
    let expected = "file            a.json\nformat          trace-event-json\nbytes           59\ntick            1 ns\n\
                    start           1 µs\nlength          2.5 µs\nprocesses       1\ntracks          1\nslices          1\n\
                    diagnostics     none";
    assert_eq!(a, expected);
    assert!(b.starts_with("file            b.json\n") && !b.contains("slices"), "{b}");
}

#[test]
fn info_reads_a_folder_a_pattern_and_the_standard_input() {
    let folder =
        Folder::new("info_inputs").with("a.json", TRACE).with("b.json", TRACE).with(".hidden", "text");
    let files = |ran: String| -> Vec<String> {
        let rows: Vec<Value> = serde_json::from_str(&ran).unwrap();
        rows.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(files(folder.prints(&["info", "--format", "json", "."])), ["./a.json", "./b.json"]);
    assert_eq!(files(folder.prints(&["info", "--format", "json", "[ab].json"])), ["a.json", "b.json"]);
    let ran = folder.run_with(&["info", "--format", "json", "-"], TRACE.as_bytes());
    assert_eq!(files(ran.out), ["standard input"]);
}

#[test]
fn info_shows_the_others_when_one_file_cannot_be_read() {
    let ran = Folder::new("info_others").with("a.json", TRACE).run(&["info", "none.json", "a.json"]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.out.contains("a.json") && ran.err.starts_with("error: none.json: there is no such file."),
        "{ran:?}"
    );
}

#[test]
fn oddities_are_one_line_each_and_v_says_all() {
    let folder = Folder::new("oddities");
    let motley = testdata("recordings/motley.json");
    let lines = |arguments: &[&str]| folder.run(arguments).err.lines().map(str::to_owned).collect::<Vec<_>>();
    let few = lines(&["convert", &motley, "out.json"]);
    assert!(few[8].ends_with(": and 15 more kinds of oddities, which `-v` lists"), "{few:?}");
    let all = lines(&["-v", "convert", &motley, "out.json"]);
    assert!(all.len() > 23 + 200 && all[23].contains(" at bytes "), "{} {}", all.len(), all[23]);
    assert_eq!(all[..8], few[..8]);
}

#[test]
fn convert_writes_by_the_end_of_the_name_and_says_what_is_lost() {
    let folder = Folder::new("convert").with("a.json", TRACE);
    for name in ["b.json", "b.spall", "b.speedscope.json", "b.firefox.json", "b.pftrace", "b.pb", "b.folded"]
    {
        let moved =
            if name == "b.firefox.json" { "b.firefox.json: all times moved by -1000 ticks\n" } else { "" };
        assert_eq!(folder.run(&["convert", "a.json", name]).err, moved);
        let info = folder.prints(&["info", "--format", "json", name]);
        let info: Value = serde_json::from_str(&info).unwrap();
        assert_ne!(info[0]["format"], "", "{name}: {info}");
    }
    let with_instant = TRACE.replace(']', r#",{"ph":"i","name":"now","pid":1,"tid":1,"ts":2}]"#);
    let ran = folder.with("c.json", with_instant).run(&["convert", "c.json", "c.spall"]);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), "c.spall: left out: 1 instant\n"));
}

#[test]
fn convert_reads_and_writes_pipes() {
    let folder = Folder::new("pipes");
    let ran = folder.run_with(&["convert", "--to", "folded", "-", "-"], TRACE.as_bytes());
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("1:1;work 2500\n", ""));
}

#[test]
fn folded_stacks_begin_with_names_or_with_ids() {
    let named = r#"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},{"#;
    let folder = Folder::new("folded").with("a.json", TRACE.replacen('{', named, 1));
    assert_eq!(folder.prints(&["convert", "--to", "folded", "a.json", "-"]), "main;work 2500\n");
    assert_eq!(folder.prints(&["dump", "--folded", "a.json"]), "main;work 2500\n");
    assert_eq!(folder.prints(&["convert", "--to", "folded", "--ids", "a.json", "-"]), "1:1;work 2500\n");
    assert_eq!(
        folder.run(&["convert", "--ids", "a.json", "b.spall"]).err,
        "b.spall: `--ids` changes nothing, as it is only for .folded\n"
    );
}

#[test]
fn several_files_become_one_only_by_a_merge() {
    let folder = Folder::new("merge").with("a.json", TRACE).with("b.json", TRACE);
    folder.fails(
        &["convert", "a.json", "b.json", "c.json"],
        "c.json: 2 files cannot become one without being put on one axis of time. Use `spall merge`.",
    );
    assert_eq!(
        folder.run(&["merge", "--align", "offset=7000", "a.json", "b.json", "c.json"]).status,
        Some(0)
    );
    let starts = folder.prints(&["find", "--format", "json", "c.json", "work"]);
    let starts: Vec<Value> = serde_json::from_str(&starts).unwrap();
    assert_eq!(starts.iter().map(|row| row["start"].as_i64().unwrap()).collect::<Vec<_>>(), [1000, 8000]);
}

#[test]
fn dump_is_the_neutral_dump() {
    let folder = Folder::new("dump").with("a.json", TRACE);
    let text = folder.prints(&["dump", "a.json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let slice = json!({"k":"slice","track":0,"name":"work","start":1000,"dur":2500,"lane":0,"depth":0,"self":2500,"open":false});
    assert_eq!((lines.len(), &lines[3]), (4, &slice));
    let ran = folder.run(&["dump", "--summary", "a.json"]);
    assert!(ran.out.lines().eq(text.lines().take(1)) && ran.err.starts_with("load "), "{ran:?}");
    assert_eq!(folder.prints(&["dump", "--folded", "a.json"]), "1:1;work 2500\n");
    let calls = folder.prints(&["dump", "--calls", &testdata("recordings/game.trace")]);
    assert!(calls.lines().next().unwrap().starts_with("0 @"), "{calls}");
}

#[test]
fn flame_draws_callers_callees_and_differences() {
    let (folder, trace) = (Folder::new("flame"), testdata("../spall-page/page/record.spall"));
    let draws = |arguments: &[&str]| folder.run(&[&["flame"], arguments].concat()).out;
    let first = draws(&[&trace]);
    assert!(first.starts_with("main"), "{first}");
    assert_eq!(draws(&["--flat", &trace]).lines().next(), first.lines().next());
    assert!(draws(&["--inverted", &trace]).starts_with("load"));
    assert!(draws(&["--diff", &trace, &trace]).starts_with("+0 ns main"));
}

/// One sample of less ticks than a line has columns. Only what has a width is opened, callers above callers: each of the
/// functions that have none would take as much as the one that has it.
#[cfg(target_os = "linux")]
#[test]
fn flame_opens_no_function_that_has_no_width() {
    let frames: String = (0..20_000).map(|at| format!("\tffff f{at} (/bin/x)\n")).collect();
    let sample = format!("a 1/1 [000] 1.000000: 1 cycles: \n{frames}\n");
    let folder = Folder::new("flame_memory").with("deep.perf.txt", sample);
    let mut command = std::process::Command::new("bash");
    let script =
        format!("ulimit -d 128000; exec {} flame --inverted deep.perf.txt", env!("CARGO_BIN_EXE_spall"));
    let ran = crate::ran(command.args(["-c", &script]).current_dir(&folder.0).output().unwrap());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.starts_with('f') && ran.out.lines().count() > 50, "{ran:?}");
}

/// One second is more than 999 ms, although 1 is less than 999.
#[test]
fn flame_compares_times_and_not_ticks() {
    let ran = |ns_per_tick: f64, ticks: u64| {
        let mut trace =
            spall_trace::format::spall::Header::new(spall_trace::format::spall::Version::V3, ns_per_tick)
                .to_bytes()
                .to_vec();
        let mut buffer = spall_trace::format::spall::BufferWriter::new([0; 4096], 1, 1).unwrap();
        buffer.begin(0, "work").unwrap();
        buffer.end(ticks).unwrap();
        trace.extend(buffer.take());
        trace
    };
    let folder = Folder::new("flame_units").with("ms.spall", ran(1e6, 999)).with("s.spall", ran(1e9, 1));
    assert!(folder.prints(&["flame", "--diff", "ms.spall", "s.spall"]).starts_with("+1 ms work"));
    assert!(folder.prints(&["flame", "--diff", "s.spall", "ms.spall"]).starts_with("-1 ms work"));
    let folder = folder.with("counts.folded", "main;work 3\n");
    folder.fails(
        &["flame", "--diff", "s.spall", "counts.folded"],
        "counts.folded: this file counts samples, and s.spall counts nanoseconds. Give two files that count the same.",
    );
}

#[test]
fn flame_filters_call_stacks() {
    let (folder, trace) = (Folder::new("flame_filters"), testdata("../spall-page/page/record.spall"));
    let draws = |arguments: &[&str]| folder.run(&[&["flame"], arguments, &[&trace]].concat());
    let only = draws(&["--only", "load"]).out;
    assert!(only.contains("job") && only.contains("load") && !only.contains("main"), "{only}");
    assert!(!draws(&["--without", "load"]).out.contains("load"));
    let hidden = draws(&["--skip", "main"]).out;
    assert!(!hidden.contains("main") && hidden.contains("load"));
    assert_eq!(draws(&["--flat", "--skip", "main"]).status, Some(2));
}

#[test]
fn find_marks_hits_and_lists_their_flows_and_the_counters() {
    let json = r#"[{"ph":"X","name":"send","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5},
        {"ph":"X","name":"receive","pid":1,"tid":2,"ts":70,"dur":10},{"ph":"f","bp":"e","name":"f","id":1,"pid":1,"tid":2,"ts":75},
        {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"a":1,"b":1}},{"ph":"C","name":"memory","pid":1,"ts":40,"args":{"a":7,"b":1}}]"#;
    let folder = Folder::new("find").with("a.json", json);
    let text = folder.prints(&["find", "a.json", "send"]);
    let lines: Vec<&str> = text.lines().collect();
    // 80 columns for 80 microseconds, the sum of the series is 2 and then 8.
    let axis = format!("0 ns{}80 µs", " ".repeat(71));
    let hits = format!("{}{}      1  Thread 1, from 0 ns", "█".repeat(10), "·".repeat(70));
    let counter = format!("{}{} up to 8  memory", "▂".repeat(40), "█".repeat(40));
    let expected = ["1 slice", &axis, &hits, "1 × send → receive, 70 µs, from 5 µs to 75 µs", &counter];
    assert_eq!(lines, expected);
    folder.fails(
        &["find", "a.json", "receiver"],
        "a.json: nothing has a name that contains \"receiver\". `spall top` lists names.",
    );
    // Between slashes it is a regular expression, as in the viewers.
    assert_eq!(folder.prints(&["find", "a.json", "/^s.nd$/"]), text);
    // A flow has a name, too, and terms stand beside the text.
    let flow = folder.prints(&["find", "a.json", "/^f$/"]);
    let lines: Vec<&str> = flow.lines().collect();
    assert_eq!((lines[0], lines[2]), ("0 slices, 1 flow", expected[3]));
    assert_eq!(folder.prints(&["find", "a.json", "send track:\"Thread 1\" dur > 5 us"]), text);
    folder.fails(
        &["find", "a.json", "send track:nowhere"],
        "a.json: nothing has a name that contains \"send track:nowhere\". `spall top` lists names.",
    );
    folder.fails(&["find", "a.json", "/(/"], "/(/: found open group without closing ')'.");
}

#[test]
fn find_writes_what_it_found_as_notes() {
    let json = r#"[{"ph":"X","name":"send","pid":1,"tid":1,"ts":100,"dur":10},{"ph":"i","s":"t","name":"send it","pid":1,"tid":1,"ts":105},
        {"ph":"X","name":"receive","pid":1,"tid":2,"ts":170,"dur":10}]"#;
    let folder = Folder::new("find_notes").with("a.json", json);
    let text = folder.prints(&["find", "a.json", "send"]);
    assert_eq!(folder.prints(&["find", "--notes", "n.json", "a.json", "send"]), text);
    let notes: Value = serde_json::from_slice(&fs::read(folder.0.join("n.json")).unwrap()).unwrap();
    // Times are ticks since the first slice.
    let slice = json!({"at": 0, "end": 10000, "of": {"element": {"kind": "slice", "id": 0}, "at": 0, "name": "send"}, "text": "send"});
    let instant = json!({"at": 5000, "of": {"element": {"kind": "instant", "id": 0}, "at": 5000, "name": ""}, "text": "send"});
    assert_eq!(notes["marks"], json!([slice, instant]));
    // Numbers and times are those of all slices, whatever is hidden.
    let json = r#"[{"ph":"X","name":"send","cat":"io","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"send","pid":1,"tid":1,"ts":20,"dur":10}]"#;
    let folder = folder.with("b.json", json);
    folder.prints(&["find", "--notes", "n.json", "--hide", "io", "b.json", "send"]);
    let notes: Value = serde_json::from_slice(&fs::read(folder.0.join("n.json")).unwrap()).unwrap();
    let second = json!({"at": 20000, "end": 30000, "of": {"element": {"kind": "slice", "id": 1}, "at": 20000, "name": "send"}, "text": "send"});
    assert_eq!(notes["marks"], json!([second]));
    folder.fails(
        &["find", "--notes", "a.json", "a.json", "send"],
        "a.json: this is the input, which would be replaced. Give another name.",
    );
}

/// A trace in which 50 flows go from and to other slices of the row of the hit.
#[test]
fn find_lists_the_flows_of_its_hits_only() {
    let slice =
        |name: &str, tid: i64, ts: i64| json!({"ph":"X","name":name,"pid":1,"tid":tid,"ts":ts,"dur":5});
    let end = |ph: &str, id: i64, tid: i64, ts: i64| json!({"ph":ph,"bp":"e","name":"f","id":id,"pid":1,"tid":tid,"ts":ts});
    let mut events = vec![slice("needle", 1, 700), slice("thread", 2, 703), slice("other", 1, 800)];
    for at in 0..50 {
        let ts = at * 10;
        events.extend([
            slice("launch", 1, ts),
            slice("kernel", 2, ts + 3),
            end("s", at, 1, ts + 1),
            end("f", at, 2, ts + 4),
        ]);
    }
    let folder = Folder::new("find_flows").with("without.json", Value::from(events.clone()).to_string());
    events.extend([end("s", 99, 1, 702), end("f", 99, 2, 704)]);
    let folder = folder.with("with.json", Value::from(events).to_string());
    let flows = |file: &str| {
        let text = folder.prints(&["find", file, "needle"]);
        text.lines().filter(|line| line.contains(" → ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(flows("without.json").is_empty());
    assert_eq!(flows("with.json"), ["1 × needle → thread, 2 µs, from 702 µs to 704 µs"]);
}

#[test]
fn find_says_of_which_process_and_thread_a_slice_is() {
    let json = r#"[{"ph":"X","name":"work","pid":7,"tid":-3,"ts":0,"dur":1},{"ph":"X","name":"work","pid":"p","tid":"t","ts":1,"dur":1},
        {"ph":"b","name":"work","cat":"c","id":1,"pid":7,"tid":1,"ts":2},{"ph":"e","name":"work","cat":"c","id":1,"pid":7,"tid":1,"ts":3}]"#;
    let folder = Folder::new("find_ids").with("a.json", json);
    let rows: Vec<Value> =
        serde_json::from_str(&folder.prints(&["find", "--format", "json", "a.json", "work"])).unwrap();
    let ids: Vec<_> = rows.iter().map(|row| (row["pid"].clone(), row["tid"].clone())).collect();
    assert_eq!(ids, [(json!(7), json!(-3)), (json!("p"), json!("t")), (json!(7), json!(null))]);
}

#[test]
fn find_counts_what_the_viewers_count() {
    let text = Folder::new("find_counts").prints(&["find", &testdata("small/search.json"), "dRaw"]);
    assert_eq!(text.lines().next(), Some("3 slices, 3 instants, 1 counter"));
}

#[test]
fn render_leaves_out_what_is_of_a_hidden_category() {
    let (folder, trace) = (Folder::new("render_hide"), testdata("small/search.json"));
    for picture in ["all.svg", "some.svg"] {
        let hide: &[&str] = if picture.starts_with("some") { &["--hide", "io"] } else { &[] };
        let ran = folder.run(&[&["render", &trace, picture], hide].concat());
        assert_eq!(ran.err.contains("hidden: 2 slices"), picture.starts_with("some"), "{ran:?}");
    }
    let read = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap();
    let names = |picture: &str| {
        ["Draw", "load", "drawn"].map(|name| picture.matches(&format!("<title>{name}\n")).count())
    };
    assert_eq!([names(&read("all.svg")), names(&read("some.svg"))], [[1, 2, 1], [1, 0, 1]]);
    let n_instants = |picture: &str| picture.matches("<title>redraw</title>").count();
    assert_eq!([n_instants(&read("all.svg")), n_instants(&read("some.svg"))], [2, 1]);
}

#[test]
fn render_puts_several_files_on_one_axis() {
    let (folder, kinds) = (Folder::new("render").with("a.json", TRACE), testdata("small/kinds.json"));
    let ran = folder.run(&["render", "a.json", &kinds, "both.svg"]);
    assert!(ran.out.starts_with("a.json, kinds.json: trace-event-json, trace-event-json · "), "{ran:?}");
    assert!(ran.err.contains("kinds.json has a clock of its own: nothing tells how"), "{ran:?}");
    assert!(fs::read_to_string(folder.0.join("both.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn render_draws_the_bundled_trace() {
    let folder = Folder::new("render_bundled");
    assert!(folder.run(&["render"]).out.starts_with("record.spall: spall-v3 · 1 process"));
    assert!(fs::read_to_string(folder.0.join("render.svg")).unwrap().ends_with("</svg>\n"));
}

#[test]
fn a_page_of_its_own_has_the_files_and_the_place_or_it_is_said_what_it_takes() {
    let folder = Folder::new("render_page").with("a&\"<.json", TRACE);
    let ran = folder.run(&["render", "a&\"<.json", "page.html", "--hide", "</script>"]);
    if !spall_page::can_save() {
        assert!(ran.err.contains("page.html: this program was built without the WebAssembly"), "{ran:?}");
        return;
    }
    let page = fs::read_to_string(folder.0.join("page.html")).unwrap();
    assert!(page.contains("default-src 'none'") && !page.contains("https:"));
    let is_placeholder =
        |rest: &str| rest.split_once("}}").is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric));
    assert!(!page.split("{{").skip(1).any(is_placeholder), "a part of the page is not filled in");
    assert!(page.contains(r#"data-file="0" data-name="a&amp;&quot;<.json" data-gzip>"#));
    assert!(page.contains(r#""categories":["\u003c/script>"]"#), "nothing of the trace ends an element");
    // Those of the page, its modules, its engine, the place and the file.
    assert_eq!(page.matches("</script>").count(), 5);
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    let folder = Folder::new("help");
    let help = folder.prints(&["--help"]);
    let commands = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names: Vec<_> = commands.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = folder.prints(&[name, "--help"]);
        assert!(help.contains(&format!("\n  spall {name}")), "{help}");
    }
}

#[test]
fn shells_complete_subcommands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(Folder::new("completions").prints(&["completions", shell]).contains("convert"), "{shell}");
    }
}

#[test]
fn sums_are_of_the_measure_that_is_asked_for() {
    let json = r#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":100,"tdur":30},
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":10,"dur":80}]"#;
    let less = json.replace("30", "20");
    let folder = Folder::new("measure").with("a.json", json).with("b.json", &less);
    let rows = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&folder.run(&[arguments, &["--format", "json"]].concat()).out).unwrap()
    };
    let by_thread_time = ["--measure", "thread-time"];
    let top = rows(&[&["top", "a.json"], &by_thread_time[..]].concat());
    assert_eq!(top[0]["self"], 30_000);
    assert_eq!((&top[0]["unmeasured"], &top[1]["unmeasured"]), (&0.into(), &1.into()));
    assert_eq!(rows(&["top", "a.json", "--measure", "count"])[0]["self"], 1);
    assert_eq!(rows(&[&["diff", "a.json", "b.json"], &by_thread_time[..]].concat())[0]["change"], -10_000);
    let flame = folder.run(&[&["flame", "a.json"], &by_thread_time[..]].concat());
    assert_eq!(flame.err, "a.json: 1 of 2 slices have no thread-time\n");
    let nested =
        folder.prints(&[&["convert", "--to", "nested", "a.json", "-"], &by_thread_time[..]].concat());
    assert!(nested.starts_with("{\"name\":\"all\",\"value\":30000,"), "{nested}");
}

#[test]
fn top_lists_functions_by_self_time_and_the_longest_calls() {
    let json = r#"[{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"parse","pid":1,"tid":1,"ts":1,"dur":8,"args":{"n":3}},
        {"ph":"X","name":"parse","pid":1,"tid":2,"ts":0,"dur":2}]"#;
    let folder = Folder::new("top").with("a.json", json);
    let expected = " self   share  total  calls  samples  function\n10 µs  83.3 %  10 µs      2        0  parse\n 2 µs  16.7 %  10 µs      1        0  main\n";
    assert_eq!(folder.prints(&["top", "a.json"]), expected);
    let rows: Value =
        serde_json::from_str(&folder.prints(&["top", "-n", "1", "--format", "json", "a.json"])).unwrap();
    let parse =
        json!({"self":10_000,"share":10.0 / 12.0,"total":10_000,"calls":2,"samples":0,"function":"parse"});
    assert_eq!(rows, json!([parse]));
    let rows: Value =
        serde_json::from_str(&folder.prints(&["top", "--longest", "--format", "json", "a.json"])).unwrap();
    let calls = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["arguments"].as_str().unwrap()));
    assert_eq!(calls.collect::<Vec<_>>(), [("main", ""), ("parse", "n=3"), ("parse", "")]);
}

/// A width of 65 536 characters is one more than Rust can format.
#[test]
fn a_table_cuts_what_is_too_long_for_a_line() {
    let slice = |name: &str, tid: i32| json!({"ph":"X","name":name,"pid":1,"tid":tid,"ts":1,"dur":9});
    let long = json!([slice(&"n".repeat(65_536), 1), slice("a", 2)]);
    let folder = Folder::new("long_names").with("long.json", long.to_string());
    let longest = folder.prints(&["top", "--longest", "long.json"]);
    let n_chars = |text: &str| text.lines().map(|line| line.chars().count()).max();
    assert!(longest.lines().count() == 3 && longest.contains('…'), "{longest}");
    assert!(n_chars(&longest) < Some(200), "{longest}");
    let rows: Value =
        serde_json::from_str(&folder.prints(&["top", "--longest", "--format", "json", "long.json"])).unwrap();
    assert_eq!(rows[0]["name"].as_str().unwrap().len(), 65_536);
    // Names of everything that there is.
    let n = |c: &str| c.repeat(70_000);
    let json = json!([
        {"ph":"X","name":n("x"),"cat":n("c"),"pid":1,"tid":1,"ts":0,"dur":9,"args":{n("k"): n("v")}},
        {"ph":"X","name":n("x"),"pid":1,"tid":2,"ts":0,"dur":9},
        {"ph":"M","name":"process_name","pid":1,"args":{"name":n("p")}},
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":n("t")}},
        {"ph":"s","id":1,"name":n("f"),"pid":1,"tid":1,"ts":1},
        {"ph":"f","id":1,"name":n("f"),"pid":1,"tid":2,"ts":2,"bp":"e"},
        {"ph":"C","name":n("n"),"pid":1,"ts":5,"args":{n("s"):3}},
    ]);
    let folder = folder.with("a.json", json.to_string()).with("b.json", TRACE);
    for arguments in [
        &["top", "a.json"][..],
        &["top", "--longest", "a.json"],
        &["info", "a.json"],
        &["find", "a.json", "x"],
        &["diff", "a.json", "b.json"],
        &["diff", "--fail-above", "1", "b.json", "a.json"],
        &["flame", "a.json"],
        &["flame", "--inverted", "a.json"],
        &["flame", "--diff", "b.json", "a.json"],
        &["render", "a.json", "o.svg"],
    ] {
        let ran = folder.run(arguments);
        assert!(matches!(ran.status, Some(0 | 1)) && !ran.out.is_empty(), "{arguments:?}: {ran:?}");
        assert!(n_chars(&ran.out).max(n_chars(&ran.err)) < Some(700), "{arguments:?}: {ran:?}");
    }
}

/// Two runs of 100 µs: in the second, `parse` takes 6 µs more, and `log` is gone.
fn two_runs(test: &str) -> Folder {
    let run = |calls: &[(&str, i32)]| {
        let mut ts = 0;
        let event = |&(name, dur): &(&str, i32)| {
            ts += dur;
            format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{},"dur":{dur}}}"#, ts - dur)
        };
        format!("[{}]", calls.iter().map(event).collect::<Vec<_>>().join(","))
    };
    let before = run(&[("log", 4), ("parse", 30), ("draw", 66)]);
    Folder::new(test).with("a.json", before).with("b.json", run(&[("draw", 66), ("parse", 36)]))
}

#[test]
fn diff_lists_what_got_slower_and_what_got_faster() {
    let expected = "change   share  before   after  calls before  calls after   tracks  function
 +2 µs  +2.0 %  100 µs  102 µs                             threads  (all functions)
 +6 µs  +6.0 %   30 µs   36 µs             1            1  threads  parse
 -4 µs  -4.0 %    4 µs    0 ns             1               threads  log
";
    assert_eq!(two_runs("diff").prints(&["diff", "a.json", "b.json"]), expected);
}

#[test]
fn diff_fails_if_a_function_takes_more_of_the_time_before_than_is_allowed() {
    let folder = two_runs("diff_fails");
    folder.prints(&["diff", "--fail-above", "6%", "a.json", "b.json"]);
    let ran = folder.run(&["diff", "--fail-above", "5.5%", "a.json", "b.json"]);
    let said =
        "error: b.json: parse takes 6.0 % of the time of a.json more, and --fail-above allows 5.5 %.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(1), said));
    let ran = folder.run(&["diff", "--fail-above", "few", "a.json", "b.json"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("use a number such as 5%"), "{ran:?}");
}

/// A tick of one file may be another time than one of the other.
#[test]
fn diff_compares_times_and_not_ticks() {
    let folder = two_runs("diff_units");
    assert_eq!(folder.run(&["convert", "a.json", "a.pb"]).status, Some(0));
    fs::write(folder.0.join("counts.folded"), "main;work 3\n").unwrap();
    folder.fails(
        &["diff", "a.json", "counts.folded"],
        "counts.folded: this file counts samples, and a.json counts nanoseconds. Give two files that count the same.",
    );
}

/// A request of 90 µs with a query of 30 µs in it, and if `with_thread` a call of 10 µs on a thread.
fn request(with_thread: bool, query: i32) -> String {
    let end = 40 + query;
    let call = r#"{"ph":"X","name":"call","pid":1,"tid":1,"ts":0,"dur":10},"#;
    format!(
        r#"[{}{{"ph":"b","name":"request","cat":"net","id":7,"pid":1,"ts":0}},{{"ph":"b","name":"query","cat":"net","id":7,"pid":1,"ts":40}},
        {{"ph":"e","name":"query","cat":"net","id":7,"pid":1,"ts":{end}}},{{"ph":"e","name":"request","cat":"net","id":7,"pid":1,"ts":{}}}]"#,
        if with_thread { call } else { "" },
        end + 20
    )
}

/// [tree 7]
#[test]
fn spans_are_added_up_beside_threads() {
    let folder =
        Folder::new("spans").with("a.json", request(true, 30)).with("spans.json", request(false, 30));
    let functions = |arguments: &[&str]| -> Vec<(String, i64)> {
        let ran = folder.run(&[&["top", "--format", "json"], arguments].concat());
        let rows: Vec<serde_json::Value> = serde_json::from_str(&ran.out).unwrap();
        rows.iter()
            .map(|row| (row["function"].as_str().unwrap().into(), row["self"].as_i64().unwrap()))
            .collect()
    };
    let call = ("call".to_owned(), 10_000);
    let spans = [("request".to_owned(), 60_000), ("query".to_owned(), 30_000)];
    assert_eq!(functions(&["a.json"]), std::slice::from_ref(&call));
    assert_eq!(functions(&["a.json", "--tracks", "threads"]), std::slice::from_ref(&call));
    assert_eq!(functions(&["a.json", "--tracks", "async"]), spans);
    assert_eq!(functions(&["a.json", "--tracks", "all"]), [&spans[..], &[call]].concat());
    assert_eq!(functions(&["spans.json"]), spans, "there is nothing else");
    // What is left out is said, but not if that was asked for.
    let told = |arguments: &[&str]| folder.run(arguments).err;
    assert!(
        told(&["top", "a.json"]).contains(
            "only threads are added up, and 2 slices on other tracks are left out. `--tracks async`"
        )
    );
    assert!(told(&["flame", "a.json"]).contains("2 slices on other tracks are left out"));
    assert!(told(&["convert", "a.json", "a.folded"]).contains("2 slices on other tracks are left out"));
    assert_eq!(told(&["top", "a.json", "--tracks", "threads"]), "");
    assert_eq!(told(&["top", "spans.json"]), "");
    let longest = folder.prints(&["top", "--longest", "--tracks", "async", "-n", "1", "a.json"]);
    assert!(longest.lines().nth(1).unwrap().contains("request"), "{longest}");
    assert!(folder.prints(&["flame", "spans.json"]).starts_with("request"));
    let folded = folder.prints(&["convert", "--tracks", "async", "--to", "folded", "a.json", "-"]);
    assert_eq!(folded, "request;request 60000\nrequest;request;query 30000\n");
}

#[test]
fn diff_compares_threads_and_spans_apart_and_its_gate_looks_at_both() {
    let (slower, faster) = (request(true, 3000), request(true, 30));
    let folder = Folder::new("diff_spans").with("a.json", faster).with("b.json", slower);
    let folder = folder.with("spans.json", request(false, 30)).with("slow-spans.json", request(false, 3000));
    let rows = folder.prints(&["diff", "a.json", "b.json"]);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let shown: Vec<_> = rows.lines().skip(1).map(|line| words(line)[..3].join(" ")).collect();
    // Nothing changed on threads.
    assert_eq!(shown, ["+0 ns +0.0", "+2.97 ms +3300.0", "+2.97 ms +3300.0"]);
    for files in [["a.json", "b.json"], ["spans.json", "slow-spans.json"]] {
        let ran = folder.run(&[&["diff", "--fail-above", "5%"], &files[..]].concat());
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.err.contains("(all functions) beside threads takes 3300.0 % of the time of"), "{ran:?}");
        folder.prints(&["diff", "--fail-above", "5%", files[0], files[0]]);
    }
    folder.prints(&["diff", "--fail-above", "5%", "--tracks", "threads", "a.json", "b.json"]);
    // Spans that one file does not have are all new, or all gone.
    let only_threads = r#"[{"ph":"X","name":"call","pid":1,"tid":1,"ts":0,"dur":10}]"#;
    fs::write(folder.0.join("threads.json"), only_threads).unwrap();
    let ran = folder.run(&["diff", "--fail-above", "5%", "threads.json", "a.json"]);
    assert!(ran.err.contains("takes time, of which threads.json has none"), "{ran:?}");
    folder.prints(&["diff", "--fail-above", "5%", "a.json", "threads.json"]);
}

#[test]
fn tui_says_why_it_cannot_show_a_trace() {
    let folder = Folder::new("tui").with("a.json", TRACE).with("b.txt", "no trace");
    if cfg!(not(feature = "tui")) {
        let sentence =
            "this `spall` was built without its viewer in the terminal. Install it with `--features tui`.";
        return folder.fails(&["tui", "a.json"], sentence);
    }
    let no_file = "none.json: there is no such file. Check the name and the folder.";
    let no_terminal = "there is no terminal to show the trace in. Run `spall tui` in one, without a pipe.";
    for (arguments, sentence) in [(&["none.json"][..], no_file), (&["a.json"], no_terminal)] {
        folder.fails(&[&["tui"], arguments].concat(), sentence);
        folder.fails(&[&["tui", "--follow"], arguments].concat(), sentence);
    }
    let ran = folder.run(&["tui", "b.txt"]);
    assert!(ran.err.starts_with("error: b.txt: not a trace of any supported format"), "{ran:?}");
    assert_eq!(folder.run_with(&["tui", "-"], TRACE.as_bytes()).err, format!("error: {no_terminal}\n"));
}

#[test]
fn query_answers_in_sql_or_says_that_it_was_not_built() {
    let folder = Folder::new("query").with("a.json", TRACE).with("b.json", TRACE);
    let sql = "select trace_id, name, dur from slice order by trace_id";
    if cfg!(not(feature = "sql")) {
        let sentence = "this `spall` was built without SQL. Install it with `--features sql`: tens of minutes on two cores.";
        return folder.fails(&["query", "a.json", sql], sentence);
    }
    let expected = "trace_id\tname\tdur\nt-a.json\twork\t2500\nt-b.json\twork\t2500\n";
    assert_eq!(folder.prints(&["query", "a.json", "b.json", sql]), expected);
    let rows = folder.prints(&["query", "--format", "json", "a.json", sql]);
    let row = json!({"trace_id": "t-a.json", "name": "work", "dur": 2500});
    assert_eq!(serde_json::from_str::<Value>(&rows).unwrap(), json!([row]));

    let ran = folder.run(&["query", "a.json", "none.json", "select count(*) from slice"]);
    assert_eq!((ran.status, ran.out.as_str()), (Some(1), "count(*)\n1\n"));
    assert!(ran.err.starts_with("error: none.json: there is no such file."), "{ran:?}");
    let ran = folder.run_with(&["query", "-", "select count(*) from slice, track"], TRACE.as_bytes());
    assert_eq!((ran.status, ran.out.as_str()), (Some(0), "count(*)\n1\n"), "each table reads it: {ran:?}");
    let ran = folder.run(&["query", "a.json", "selekt"]);
    assert!(
        ran.err.starts_with("error: the question cannot be answered: ") && !ran.err.contains("Error("),
        "{ran:?}"
    );
}

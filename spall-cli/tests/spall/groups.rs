//! Groups of runs, gaps, and sums below a function or by track.

use std::fs;

use serde_json::{Value, json};

use crate::{Folder, testdata};

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A run whose functions `f` and `g` are called once each, and take these times in µs.
fn run_of(f: u32, g: u32) -> String {
    format!(
        r#"[{{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":{f}}},{{"ph":"X","name":"g","pid":1,"tid":1,"ts":500,"dur":{g}}}]"#
    )
}

/// Three runs before and two after: `f` got slower by as much as its runs differ anyway, `g` by more.
fn groups(name: &str) -> Folder {
    let folder = Folder::new(name);
    for of in ["before", "after", "one", "other"] {
        fs::create_dir(folder.0.join(of)).unwrap();
    }
    folder
        .with("before/1.json", run_of(100, 50))
        .with("before/2.json", run_of(140, 52))
        .with("before/3.json", run_of(120, 48))
        .with("before/notes.txt", "no trace")
        .with("after/1.json", run_of(130, 60))
        .with("after/2.json", run_of(150, 62))
        .with("one/1.json", run_of(100, 50))
        .with("other/1.json", run_of(120, 62))
}

/// [tree 9]
#[test]
fn tree_9_a_change_beyond_the_spread_of_the_runs_is_no_noise() {
    let folder = groups("groups");
    let ran = folder.run(&["diff", "before", "after/", "--format", "json"]);
    assert!(ran.err.starts_with("before/notes.txt: left out: "), "{ran:?}");
    let facts: Vec<_> = rows(&ran.out)
        .iter()
        .map(|row| json!([row["function"], row["before"], row["after"], row["noise"], row["spread_after"]]))
        .collect();
    assert_eq!(
        facts,
        [
            json!(["(all functions)", 168_000, 201_000, "within", [190_000, 212_000]]),
            json!(["f", 120_000, 140_000, "within", [130_000, 150_000]]),
            json!(["g", 50_000, 61_000, "beyond", [60_000, 62_000]]),
        ]
    );
    let text = folder.prints(&["diff", "-q", "before", "after/"]);
    assert!(text.contains("48 µs to 52 µs"), "{text}");
}

/// [tree 9] Only what is beyond noise fails: `g` takes 11 µs of 168 µs more, `f` 20 µs, and all together 33 µs.
#[test]
fn tree_9_noise_does_not_fail() {
    let folder = groups("groups_fail");
    assert_eq!(folder.run(&["diff", "-q", "--fail-above", "7%", "before", "after"]).status, Some(0));
    let ran = folder.run(&["diff", "-q", "--fail-above", "6%", "before", "after"]);
    let said = "error: after: g takes 6.5 % of the time of before more, and --fail-above allows 6 %.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(1), said));
    // With one run in each group there is no noise.
    let ran = folder.run(&["diff", "--fail-above", "7%", "one", "other"]);
    let said =
        "error: other: (all functions) takes 21.3 % of the time of one more, and --fail-above allows 7 %.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(1), said));
}

/// [tree 9] A group of one run has the numbers of the run.
#[test]
fn tree_9_a_group_of_one_run_is_the_run() {
    let folder = Folder::new("group_of_one");
    let files = [testdata("small/search.json"), testdata("../spall-page/page/record.spall")];
    let of = |options: &[&str]| {
        let ran = folder.run(
            &[&["diff", "-q", "-n", "9999", "--format", "json", &files[0], &files[1]], options].concat(),
        );
        let row = |row: &Value| {
            json!([
                row["function"],
                row["change"],
                row["before"],
                row["after"],
                row["calls_after"],
                row["tracks"]
            ])
        };
        let mut rows: Vec<_> = rows(&ran.out).iter().map(|found| row(found).to_string()).collect();
        rows.sort();
        rows
    };
    let pair = of(&[]);
    assert!(pair.len() > 20);
    // No function has fewer calls than one in both.
    assert_eq!(of(&["--min-calls", "1"]), pair);
}

/// [tree 9] The calls of `f` take 1 to 100 µs in one trace, and twice as long in the other, but for the longest ones.
#[test]
fn tree_9_percentiles_are_of_durations_of_calls() {
    let run = |factor: u32, last: u32| {
        let call = |at: u32| {
            let dur = if at > 98 { last } else { at * factor };
            format!(r#"{{"ph":"X","name":"f","pid":1,"tid":1,"ts":{},"dur":{dur}}}"#, at * 1000)
        };
        let once = r#"{"ph":"X","name":"once","pid":1,"tid":1,"ts":900000,"dur":7}"#.to_owned();
        format!("[{}]", (1..=100).map(call).chain([once]).collect::<Vec<_>>().join(","))
    };
    let folder = Folder::new("percentiles").with("a.json", run(1, 500)).with("b.json", run(2, 500));
    let compared = |percent: &str| {
        let rest = ["--min-calls", "10", "--format", "json", "a.json", "b.json"];
        folder.prints(&[&["diff", "--percentile", percent][..], &rest].concat())
    };
    let of = |percent: &str| {
        let text = compared(percent);
        let [row] = &rows(&text)[..] else { panic!("{text}") };
        json!([row["function"], row["before"], row["after"], row["share"]])
    };
    assert_eq!(of("50"), json!(["f", 50_000, 100_000, 1.0]));
    assert_eq!(of("95"), json!(["f", 95_000, 190_000, 1.0]));
    let none = compared("99");
    assert_eq!(rows(&none), Vec::<Value>::new(), "the longest calls are as long");
    let ran = folder.run(&["diff", "--percentile", "95", "--fail-above", "50", "a.json", "b.json"]);
    assert_eq!(
        ran.err,
        "error: b.json: f takes 100.0 % longer than in a.json, and --fail-above allows 50 %.\n"
    );
}

/// Times in µs: `main` runs `a` 0 to 10, `b` 20 to 30, `c` 80 to 90; `worker` runs `wait` 5 to 60, in which is `spin` 10 to 55.
const GAPS: &str = r#"[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"b","pid":1,"tid":1,"ts":20,"dur":10},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":80,"dur":10},
{"ph":"X","name":"wait","pid":1,"tid":2,"ts":5,"dur":55},{"ph":"X","name":"spin","pid":1,"tid":2,"ts":10,"dur":45}]"#;

/// [layout 22]
#[test]
fn layout_22_gaps_are_between_slices_and_say_what_ran_meanwhile() {
    let folder = Folder::new("gaps").with("a.json", GAPS);
    let gaps = |options: &[&str]| {
        let found = rows(&folder.prints(&[&["gaps", "a.json", "--format", "json"], options].concat()));
        let row = |row: &Value| {
            json!([row["start"], row["duration"], row["after"], row["before"], row["meanwhile"]])
        };
        found.iter().map(row).collect::<Vec<_>>()
    };
    let spin =
        |time: u32, own: u32| json!([{ "track": "worker", "time": time, "function": "spin", "self": own }]);
    let all = [
        json!([30_000, 50_000, "b", "c", spin(30_000, 25_000)]),
        json!([10_000, 10_000, "a", "b", spin(10_000, 10_000)]),
    ];
    assert_eq!(gaps(&[]), all);
    assert_eq!(gaps(&["--thread", "main", "-n", "1"]), all[..1]);
    // A gap counts with the part inside a range.
    assert_eq!(
        gaps(&["--from", "50us", "--to", "100us"]),
        [
            json!([50_000, 30_000, "b", "c", [{ "track": "worker", "time": 10_000, "function": "wait", "self": 5_000 }]])
        ]
    );
    let text = folder.prints(&["gaps", "a.json"]);
    assert!(text.contains("worker: spin (30 µs)"), "{text}");
    let none = "a.json: there is no gap between slices. `spall top --by track` says how much each track ran.";
    folder.fails(&["gaps", "a.json", "--thread", "worker"], none);
    folder.fails(
        &["gaps", "a.json", "--thread", "manager"],
        "a.json: no thread fits \"manager\". It has: main, worker.",
    );
}

#[test]
fn top_adds_up_below_a_function() {
    let (folder, record) = (Folder::new("under"), testdata("../spall-page/page/record.spall"));
    let top = |options: &[&str]| {
        let ran = folder.run(&[&["top", "-q", "--format", "json", "-n", "99", &record], options].concat());
        rows(&ran.out)
    };
    let (all, under) = (top(&[]), top(&["--under", "draw"]));
    let of = |rows: &[Value], name: &str, key: &str| {
        rows.iter().find(|row| row["function"] == name).map(|row| row[key].as_i64().unwrap())
    };
    // All of the function, and nothing that it does not call.
    assert_eq!(of(&under, "draw", "total"), of(&all, "draw", "total"));
    let sum: i64 = under.iter().map(|row| row["self"].as_i64().unwrap()).sum();
    assert_eq!(Some(sum), of(&all, "draw", "total"));
    assert!(under.len() < all.len() && of(&under, "spawn", "self").is_none());
    let ran = folder.run(&["top", "-q", &record, "--under", "darw"]);
    assert!(
        ran.err.starts_with("error: record.spall: no function fits \"darw\". The closest: draw, "),
        "{ran:?}"
    );
    let ran = folder.run(&["top", "-q", &record, "--under", "a"]);
    assert!(ran.err.contains("functions fit \"a\". Give the whole name of one, such as "), "{ran:?}");
}

#[test]
fn top_by_track_says_how_much_each_ran() {
    let folder = Folder::new("by_track").with("a.json", GAPS);
    let top = |options: &[&str]| {
        let found = rows(
            &folder.prints(&[&["top", "a.json", "--by", "track", "--format", "json"], options].concat()),
        );
        found.iter().map(|row| json!([row["track"], row["time"], row["calls"]])).collect::<Vec<_>>()
    };
    assert_eq!(top(&[]), [json!(["worker", 55_000, 2]), json!(["main", 30_000, 3])]);
    assert_eq!(top(&["--under", "spin"]), [json!(["worker", 45_000, 1])]);
    assert_eq!(top(&["--to", "8us"]), [json!(["main", 8_000, 1]), json!(["worker", 3_000, 1])]);
}

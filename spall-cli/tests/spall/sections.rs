//! Sections of a trace: a range, tracks, categories and names, which mean the same to all subcommands.

use std::fs;

use serde_json::Value;

use crate::{Folder, testdata};

/// Two threads, times in µs: `load` 0 to 90 of category `io` with `read` 20 to 50 inside, and `draw` 40 to 60 on `worker`.
const TWO: &str = r#"[{"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"game"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{"ph":"X","name":"load","cat":"io","pid":1,"tid":1,"ts":0,"dur":90},
{"ph":"X","name":"read","cat":"io,disk","pid":1,"tid":1,"ts":20,"dur":30},
{"ph":"X","name":"draw","cat":"gfx","pid":1,"tid":2,"ts":40,"dur":20}]"#;

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

/// The function, calls and self time of each row of `top`.
fn sums(text: &str) -> Vec<(String, u64, i64)> {
    let row = |row: &Value| {
        (
            row["function"].as_str().unwrap().to_owned(),
            row["calls"].as_u64().unwrap(),
            row["self"].as_i64().unwrap(),
        )
    };
    rows(text).iter().map(row).collect()
}

fn top(folder: &Folder, arguments: &[&str]) -> Vec<(String, u64, i64)> {
    sums(&folder.prints(&[&["top", "--format", "json", "a.json"], arguments].concat()))
}

/// [tree 8]
#[test]
fn a_slice_counts_with_its_part_inside() {
    let folder = Folder::new("section_range").with("a.json", TWO);
    let of = |rows: &[(&str, u64, i64)]| {
        rows.iter().map(|&(name, calls, time)| (name.into(), calls, time)).collect::<Vec<_>>()
    };
    let all = top(&folder, &["--from", "30us", "--to", "50us"]);
    assert_eq!(all, of(&[("read", 1, 20_000), ("draw", 1, 10_000), ("load", 1, 0)]));
    assert_eq!(top(&folder, &["--to", "+0.02 ms"]), of(&[("load", 1, 20_000)]));
    assert_eq!(top(&folder, &["--thread", "WORK"]), of(&[("draw", 1, 20_000)]));
    assert_eq!(top(&folder, &["--thread", "2"]), top(&folder, &["--track", "worker"]));
    assert_eq!(top(&folder, &["--process", "game", "--name", "/^re/"]), of(&[("read", 1, 30_000)]));
    // What is left out belongs to the caller.
    assert_eq!(top(&folder, &["--category", "io", "--name", "load"]), of(&[("load", 1, 90_000)]));
    assert_eq!(
        top(&folder, &["--category", "disk", "--category", "gfx"]),
        of(&[("read", 1, 30_000), ("draw", 1, 20_000)])
    );
}

/// [tree 8] Times of adjacent ranges add up, in a trace of real life.
#[test]
fn times_of_adjacent_ranges_add_up() {
    let (folder, record) = (Folder::new("section_adds_up"), testdata("../spall-page/page/record.spall"));
    let total = |arguments: &[&str]| -> i64 {
        let ran =
            folder.run(&[&["top", "-q", "-n", "9999", "--format", "json", &record], arguments].concat());
        sums(&ran.out).iter().map(|(_, _, time)| time).sum()
    };
    let parts = [&["--to", "10ms"][..], &["--from", "10ms", "--to", "11ms"], &["--from", "11ms"]].map(total);
    assert_eq!(parts.iter().sum::<i64>(), total(&[]));
    assert!(parts.iter().all(|&part| part > 0), "{parts:?}");
}

#[test]
fn a_section_that_fits_nothing_is_an_error_that_says_what_there_is() {
    let folder = Folder::new("section_nothing").with("a.json", TWO);
    for (option, wrong, sentence) in [
        ("--thread", "wroker", "a.json: no thread fits \"wroker\". It has: worker, main."),
        ("--process", "gaem", "a.json: no process fits \"gaem\". It has: game."),
        ("--track", "gpu", "a.json: no track fits \"gpu\". It has: main, worker."),
        ("--category", "net", "a.json: no category fits \"net\". It has: gfx, io, disk."),
        ("--name", "laod", "a.json: no name fits \"laod\". It has: load, read, draw."),
        ("--from", "1s", "a.json: nothing is in this part of the trace, which lasts from 0 ns to 90 µs."),
        (
            "--to",
            "2x",
            "a.json: \"2x\" is no time. Give one such as 1.5ms, 0:01:05.5 or +2s, which is since the start.",
        ),
        ("--to", "-1", "a.json: nothing is in this part of the trace, which lasts from 0 ns to 90 µs."),
    ] {
        for command in [
            &["top", "a.json"][..],
            &["flame", "a.json"],
            &["find", "a.json", "load"],
            &["cut", "a.json", "o.json"],
        ] {
            folder.fails(&[command, &[option, wrong]].concat(), sentence);
        }
    }
    folder.fails(
        &["top", "a.json", "--from", "2us", "--to", "1us"],
        "a.json: a range from 2 µs to 1 µs is empty. Give an end behind the start.",
    );
    assert_eq!(folder.names(), ["a.json"]);
}

/// [tree 8] A section that was cut out says the same as the section of the whole.
#[test]
fn a_cut_is_the_section_as_a_trace() {
    let (folder, record) = (Folder::new("cut"), testdata("../spall-page/page/record.spall"));
    let section = ["--from", "10ms", "--to", "+20ms", "--thread", "worker", "--name", "o"];
    for out in ["part.json", "part.json.gz", "part.spall", "part.perfetto-trace"] {
        assert_eq!(folder.run(&[&["cut", "-q", &record, out], &section[..]].concat()).status, Some(0));
        for command in
            [&["top", "-n", "99", "--format", "json"][..], &["flame"], &["convert", "-", "--to", "folded"]]
        {
            let [whole, cut] = [&[&[record.as_str()], &section[..]].concat(), &vec![out]].map(|of| {
                let (first, rest) = command.split_at(1);
                folder.run(&[first, of, rest, &["-q"]].concat()).out
            });
            assert_eq!(whole, cut, "{out} {command:?}");
            assert!(!whole.is_empty());
        }
    }
    assert_eq!(fs::read(folder.0.join("part.json.gz")).unwrap()[..2], [0x1f, 0x8b]);
    folder.fails(
        &["cut", &record, "o.json"],
        "o.json: nothing says what to cut out. Give `--from`, `--to`, `--thread`, `--process`, `--track`, `--category` or `--name`.",
    );
}

#[test]
fn all_subcommands_that_add_up_or_write_take_a_section() {
    let folder = Folder::new("section_everywhere").with("a.json", TWO);
    for command in
        ["info", "render", "find", "top", "gaps", "diff", "flame", "convert", "cut", "merge", "dump"]
    {
        let help = folder.prints(&[command, "--help"]);
        for option in
            ["--from <", "--to <", "--thread <", "--process <", "--track <", "--category <", "--name <"]
        {
            assert!(help.contains(option), "{command} {option}");
        }
    }
    let dump = folder.prints(&["dump", "a.json", "--thread", "worker"]);
    assert!(dump.contains("draw") && !dump.contains("load"), "{dump}");
    assert!(folder.prints(&["info", "a.json", "--thread", "worker"]).contains("slices          1\n"));
    folder.prints(&["render", "a.json", "o.svg", "--thread", "worker"]);
    let picture = fs::read_to_string(folder.0.join("o.svg")).unwrap();
    assert!(picture.contains("draw") && !picture.contains("read"));
    assert!(folder.run(&["render", "a.json", "o.html", "--thread", "worker"]).err.contains("spall cut"));
}

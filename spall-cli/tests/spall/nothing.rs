//! Nothing found, and nothing to do: a sentence, and status 1 where what was asked for could not be done.

use serde_json::Value;

use crate::{Folder, TRACE, testdata};

const SLEEPER: &str = r#"[{"ph":"X","name":"sleep","pid":1,"tid":1,"ts":1,"dur":0}]"#;
const SAMPLES: &str = "main;work 3\n";
const NO_PROFILE: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[]},"profiles":[]}"#;

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test).with("a.json", TRACE).with("sleep.json", SLEEPER);
    let folder = folder.with("empty.json", "[]").with("none.speedscope.json", NO_PROFILE);
    folder.with("a.folded", SAMPLES)
}

#[test]
fn a_flame_graph_of_nothing_is_said() {
    let folder = folder("nothing_flame");
    let names = "`spall top` lists names.";
    for (arguments, sentence) in [
        (
            &["--only", "zzzz", "a.json"][..],
            &*format!("a.json: no function has a name that contains \"zzzz\". {names}"),
        ),
        (
            &["--without", "work", "a.json"],
            "a.json: nothing is left to draw, as every call stack has a function whose name contains \"work\".",
        ),
        (
            &["--skip", "work", "a.json"],
            "a.json: nothing is left to draw, as every call stack has a function whose name contains \"work\".",
        ),
        (
            &["sleep.json"],
            "sleep.json: what is to be drawn took no time. `spall top --measure count` lists calls.",
        ),
        (
            &["--inverted", "sleep.json"],
            "sleep.json: what is to be drawn took no time. `spall top --measure count` lists calls.",
        ),
    ] {
        folder.fails(&[&["flame"], arguments].concat(), sentence);
    }
    // What was asked for is done: nothing had to be left out.
    for option in ["--without", "--skip"] {
        let ran = folder.run(&["flame", option, "zzzz", "a.json"]);
        let said = "a.json: no function has a name that contains \"zzzz\", so all are drawn\n";
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), said));
        assert!(ran.out.starts_with("work"), "{ran:?}");
    }
}

#[test]
fn a_measure_that_nothing_has_is_said() {
    let folder = folder("nothing_measured");
    for (file, measure) in [
        ("a.json", "thread-time"),
        ("a.json", "instructions"),
        ("a.json", "samples"),
        ("a.folded", "thread-time"),
    ] {
        let sentence = format!(
            "{file}: there is nothing to add up, as nothing in it has {measure}. Without `--measure`, time is added up."
        );
        for command in [
            &["top", file][..],
            &["flame", file],
            &["flame", "--inverted", file],
            &["flame", "--diff", file, file],
            &["diff", file, file],
            &["convert", file, "o.nested.json"],
            &["convert", "--to", "folded", file, "-"],
        ] {
            folder.fails(&[command, &["--measure", measure]].concat(), &sentence);
        }
    }
    let ran = folder.run(&["convert", "a.json", "o.spall", "--measure", "count"]);
    let said = "o.spall: `--measure` changes nothing, as it is only for .folded .nested.json\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), said));
}

#[test]
fn a_file_without_anything_is_said() {
    let folder = folder("nothing_at_all");
    for file in ["empty.json", "none.speedscope.json"] {
        let note = format!("{file}: nothing that has a time is in this file\n");
        for command in [&["convert", file, "o.spall"][..], &["render", file, "o.svg"]] {
            let ran = folder.run(command);
            assert!(ran.status == Some(0) && ran.err.starts_with(&note), "{ran:?}");
        }
        let sums = format!(
            "error: {file}: there are no slices and no samples to add up. `spall info` says what is in a file.\n"
        );
        let longest = format!(
            "error: {file}: there are no slices, of which one would be the longest. `spall info` says what is in a file.\n"
        );
        let found =
            format!("error: {file}: nothing has a name that contains \"work\". `spall top` lists names.\n");
        for (command, sentence) in [
            (&["top", file][..], &sums),
            (&["flame", file], &sums),
            (&["flame", "--inverted", file], &sums),
            (&["flame", "--only", "work", file], &sums),
            (&["flame", "--diff", file, "a.json"], &sums),
            (&["diff", "a.json", file], &sums),
            (&["diff", file, "a.json"], &sums),
            (&["top", "--longest", file], &longest),
            (&["find", file, "work"], &found),
        ] {
            let ran = folder.run(command);
            assert_eq!((ran.status, ran.out.as_str()), (Some(1), ""), "{command:?}");
            assert_eq!(ran.err, format!("{note}{sentence}"), "{command:?}");
        }
    }
}

#[test]
fn the_calls_of_another_format_are_refused_by_its_name() {
    let sentence = "a.json: `--calls` prints the calls of an apitrace recording, and this file is trace-event-json. Leave it out.";
    folder("nothing_calls").fails(&["dump", "--calls", "a.json"], sentence);
}

/// Calls that samples found are counted apart from the slices of the file.
#[test]
fn info_and_render_count_the_same_slices() {
    let folder = Folder::new("counts");
    let mut n_sampled = 0;
    for file in [
        "recordings/profile.cpuprofile",
        "chrome/merge-cases/10-nested-boundary.json",
        "small/kinds.json",
        "../spall-page/page/record.spall",
    ] {
        let trace = testdata(file);
        let rows = folder.run(&["info", "--format", "json", &trace]).out;
        let rows: Value = serde_json::from_str(&rows).unwrap();
        let drawn = folder.run(&["render", &trace, "o.svg"]).out.replace('\u{202f}', "");
        let count = |what: &str| {
            let part = drawn
                .lines()
                .next()
                .unwrap()
                .split(" · ")
                .find(|part| part.trim_end_matches('s').ends_with(what));
            part.map_or(0, |part| part.split(' ').next().unwrap().parse::<u64>().unwrap())
        };
        assert_eq!(rows[0]["slices"], count(" slice"), "{drawn}");
        n_sampled += u64::from(drawn.contains(" found by samples"));
    }
    assert_eq!(n_sampled, 2);
}

/// A range that ends where the trace does has no call that takes no time there.
#[test]
fn a_call_that_takes_no_time_at_the_end_is_listed_and_marked() {
    let end = r#"{"ph":"X","name":"end","pid":1,"tid":1,"ts":10,"dur":0}"#;
    let all = TRACE.replace(']', &format!(",{end}]"));
    let folder = Folder::new("at_the_end").with("all.json", all).with("end.json", format!("[{end}]"));
    for file in ["all.json", "end.json"] {
        let longest = folder.prints(&["top", "--longest", file]);
        assert!(longest.lines().last().unwrap().ends_with("end"), "{longest}");
        let found = folder.prints(&["find", file, "end"]);
        let strip = found.lines().nth(2).unwrap();
        assert!(strip.contains('█') && strip.ends_with("      1  Thread 1, from 10 µs"), "{found}");
        assert!(found.lines().nth(1).unwrap().ends_with(" 10 µs"), "{found}");
    }
}

const NO_ALLOCATION: &str =
    r#"{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"id":1,"children":[]},"samples":[]}"#;
const COSTS: &str = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=2 5\n2 30\nfn=f\n5 30\n";

/// [heap 3.4]
#[test]
fn a_profile_in_which_nothing_was_sampled_is_no_mistake() {
    let folder = Folder::new("nothing_sampled").with("a.heapprofile", NO_ALLOCATION);
    for command in ["info", "top", "flame"] {
        let ran = folder.run(&[command, "a.heapprofile"]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!([&*ran.out, &*ran.err].concat().contains("nothing was sampled"), "{ran:?}");
    }
}

/// [callgrind 3.1]
#[test]
fn a_conversion_of_a_call_graph_says_that_its_stacks_are_estimated() {
    let folder = Folder::new("estimated").with("a.callgrind", COSTS);
    let ran = folder.run(&["convert", "a.callgrind", "a.folded"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.err.contains("a.callgrind: its stacks are estimated from a call graph"), "{ran:?}");
}

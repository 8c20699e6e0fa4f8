//! Arguments: options stand where users put them, and mean the same everywhere.

use std::fs;

use serde_json::Value;

use crate::{Folder, Ran, TRACE, testdata};

/// Runs a command with its options at every place among the other arguments. The result is always the same.
fn same_everywhere(folder: &Folder, arguments: &[&str], options: &[&str], outputs: &[&str]) -> Ran {
    let run = |at: usize| {
        for output in outputs {
            _ = fs::remove_file(folder.0.join(output));
        }
        let (before, after) = arguments.split_at(at);
        let ran = folder.run(&[before, options, after].concat());
        let written: Vec<_> = outputs.iter().map(|output| fs::read(folder.0.join(output)).ok()).collect();
        (ran, written)
    };
    let first = run(1);
    for at in 2..=arguments.len() {
        assert_eq!(run(at), first, "{options:?} at {at} of {arguments:?}");
    }
    assert!(first.1.iter().all(|written| written.as_ref().is_some_and(|bytes| !bytes.is_empty())));
    first.0
}

#[test]
fn options_stand_anywhere_among_the_other_arguments() {
    let folder = Folder::new("options").with("a.json", TRACE).with("b.json", TRACE);
    let json = &["--format", "json"];
    for (arguments, options, outputs) in [
        (&["info", "a.json", "b.json"][..], &json[..], &[][..]),
        (&["find", "a.json", "b.json", "work"], json, &[]),
        (&["top", "a.json", "b.json"], &["-n", "3", "--format", "json"], &[]),
        (&["diff", "a.json", "b.json"], json, &[]),
        (&["flame", "a.json", "b.json"], &["--flat", "-v"], &[]),
        (&["render", "a.json", "b.json", "o.svg"], &["--force"], &["o.svg"]),
        (&["convert", "a.json", "out"], &["--to", "folded"], &["out"]),
        (&["merge", "a.json", "b.json", "out"], &["--align", "start", "--to", "json"], &["out"]),
        (&["dump", "a.json"], &["--folded", "-v"], &[]),
    ] {
        assert_eq!(same_everywhere(&folder, arguments, options, outputs).status, Some(0), "{arguments:?}");
    }
    // The question is asked, or the command was not built to ask it: the arguments make sense.
    let query = ["query", "a.json", "b.json", "select name from slice"];
    let asked = same_everywhere(&folder, &query, json, &[]);
    assert_ne!(asked.status, Some(2), "{asked:?}");
}

#[test]
fn an_argument_that_is_missing_behind_the_files_is_named() {
    let folder = Folder::new("missing_argument").with("a.json", TRACE);
    for (command, missing) in [("find", "TEXT"), ("convert", "OUT"), ("merge", "OUT"), ("query", "SQL")] {
        let ran = folder.run(&[command, "a.json"]);
        assert_eq!(ran.status, Some(2));
        let usage = format!("Usage: spall {command} [OPTIONS] <FILE>... <{missing}>\n");
        assert!(ran.err.starts_with(&format!("error: <{missing}> is missing behind <FILE>...\n")), "{ran:?}");
        assert!(ran.err.contains(&usage), "{ran:?}");
        assert!(folder.prints(&[command, "--help"]).contains(&usage));
    }
}

#[test]
fn of_an_option_that_is_given_twice_the_last_counts() {
    let folder = Folder::new("twice").with("a.json", TRACE);
    for arguments in
        [["-v", "-v", "info", "a.json"], ["-v", "info", "a.json", "-v"], ["info", "-vv", "a.json", "-v"]]
    {
        assert!(folder.prints(&arguments).contains("slices          1\n"));
    }
    let rows = folder.prints(&["top", "--format", "text", "a.json", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&rows).unwrap()[0]["function"], "work");
}

#[test]
fn a_file_without_a_subcommand_is_opened() {
    let folder = Folder::new("opens").with("a.json", TRACE);
    folder.fails(&["none.json"], "none.json: there is no such file. Check the name and the folder.");
    folder.fails(&["-v", "./none"], "./none: there is no such file. Check the name and the folder.");
    assert!(folder.run(&["tpo"]).err.starts_with("error: unrecognized subcommand 'tpo'\n"));
    assert!(folder.run(&["a.json", "--force"]).err.contains("Usage: spall open <FILE>..."));
}

#[test]
fn q_says_errors_alone() {
    let (folder, odd) = (Folder::new("quiet"), testdata("recordings/motley.json"));
    assert_ne!(folder.run(&["top", &odd]).err, "");
    assert_eq!(folder.run(&["top", "-q", &odd]).err, "");
    assert_eq!(folder.run(&["top", "-q", &odd, "-v"]).err, folder.run(&["top", "-v", &odd]).err);
    folder.fails(
        &["top", "-q", "none.json"],
        "none.json: there is no such file. Check the name and the folder.",
    );
}

#[test]
fn csv_has_the_values_of_json() {
    let trace = r#"[{"ph":"X","name":"a, \"b\"","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
    let folder = Folder::new("csv").with("a.json", trace);
    let csv = folder.prints(&["top", "--format", "csv", "a.json"]);
    assert_eq!(csv, "self,share,total,calls,samples,function\n2500,1.0,2500,1,0,\"a, \"\"b\"\"\"\n");
    assert!(
        folder
            .prints(&["find", "--format", "csv", "a.json", "b"])
            .starts_with("start,duration,pid,tid,track,")
    );
}

/// `load` is of the category `io`; it is hidden from everything that adds up or draws.
#[test]
fn hide_leaves_out_a_category_in_all_subcommands() {
    let (folder, trace) = (Folder::new("hide"), testdata("small/search.json"));
    let with_hide = |arguments: &[&str]| {
        let [shown, hidden] =
            [&[][..], &["--hide", "io"]].map(|hide| folder.run(&[arguments, &[&trace], hide].concat()));
        assert_eq!((shown.status, hidden.status), (Some(0), Some(0)), "{arguments:?}: {hidden:?}");
        assert!(shown.out.contains("load") && !hidden.out.contains("load"), "{hidden:?}");
        hidden
    };
    with_hide(&["top"]);
    with_hide(&["top", "--longest"]);
    with_hide(&["flame"]);
    with_hide(&["flame", "--inverted"]);
    with_hide(&["flame", "--diff", &trace]);
    let diff = folder.prints(&["diff", &trace, &trace, "--hide", "io", "--format", "json"]);
    let all = folder.prints(&["diff", &trace, &trace, "--format", "json"]);
    let before = |rows: &str| serde_json::from_str::<Value>(rows).unwrap()[0]["before"].as_i64().unwrap();
    assert!(before(&diff) <= before(&all));
    let ran = folder.run(&["find", &trace, "load", "--hide", "io"]);
    assert_eq!((ran.status, ran.out.as_str()), (Some(1), ""), "{ran:?}");
    for command in ["open", "render", "find", "top", "diff", "flame"] {
        assert!(folder.prints(&[command, "--help"]).contains("--hide <CATEGORY>"), "{command}");
    }
}

#[test]
fn a_category_that_no_slice_has_is_said() {
    let (folder, trace) = (Folder::new("hide_nothing"), testdata("small/search.json"));
    for command in
        [&["top", &trace][..], &["flame", &trace], &["render", &trace, "o.svg"], &["find", &trace, "draw"]]
    {
        let ran = folder.run(&[command, &["--hide", "nonexist"]].concat());
        let said =
            "search.json: nothing is hidden for \"nonexist\", which is no category of this trace. It has: ";
        assert!(ran.err.contains(said) && ran.err.contains("io"), "{ran:?}");
        assert_eq!(ran.status, Some(0));
    }
    let ran = folder.with("a.json", TRACE).run(&["top", "a.json", "--hide", "io"]);
    assert!(ran.err.ends_with("It has no categories.\n"), "{ran:?}");
}

/// Samples of two events: 20 ms of cycles, of which `work` has 10, and 7 page faults, of which it has 4.
const TWO_EVENTS: &str = "\
a 1 1.010: 30000000 cycles:\n\t1 work (/a)\n\t2 main (/a)\n
a 1 1.012: 4 page-faults:\n\t1 work (/a)\n\t2 main (/a)\n
a 1 1.020: 30000000 cycles:\n\t2 main (/a)\n
a 1 1.022: 3 page-faults:\n\t2 main (/a)\n
";

/// [samples 4]
#[test]
fn a_value_means_the_same_to_all_subcommands() {
    let folder = Folder::new("values").with("a.perf.txt", TWO_EVENTS);
    let json = |arguments: &[&str]| serde_json::from_str::<Value>(&folder.run(arguments).out).unwrap();
    let self_times = |found: Value| -> Vec<(String, i64)> {
        let of = |row: &Value| (row["function"].as_str().unwrap().to_owned(), row["self"].as_i64().unwrap());
        found.as_array().unwrap().iter().map(of).collect()
    };
    let rows = |rows: [(&str, i64); 2]| rows.map(|(name, time)| (format!("{name} /a"), time)).to_vec();
    let top = |arguments: &[&str]| self_times(json(&[&["top", "--format", "json"], arguments].concat()));
    assert_eq!(top(&["a.perf.txt"]), rows([("main", 10_000_000), ("work", 10_000_000)]));
    assert_eq!(top(&["a.perf.txt", "--value", "page-faults"]), rows([("work", 4), ("main", 3)]));
    let told = folder.run(&["top", "a.perf.txt"]).err;
    assert!(told.contains("cycles is shown. `--value` shows another one: page-faults"), "{told}");

    let info = json(&["info", "a.perf.txt", "--format", "json"]);
    let values: Vec<_> =
        info[0]["values"].as_array().unwrap().iter().map(|value| value["name"].clone()).collect();
    assert_eq!(values, ["cycles", "page-faults"]);

    let convert = ["convert", "a.perf.txt", "--value", "page-faults", "--to", "folded", "-"];
    assert_eq!(folder.prints(&convert), "a;main 3\na;main;work 4\n");
    assert!(folder.prints(&["flame", "a.perf.txt", "--value", "page-faults"]).contains("main"));
    let found = folder.prints(&["find", "a.perf.txt", "work", "--value", "page-faults", "--format", "json"]);
    assert!(found.contains("\"duration\":4"), "{found}");
    folder.prints(&["render", "a.perf.txt", "o.svg", "--value", "page-faults"]);
    assert!(fs::read_to_string(folder.0.join("o.svg")).unwrap().contains("page-faults"));
    let same = json(&["diff", "a.perf.txt", "a.perf.txt", "--value", "page-faults", "--format", "json"]);
    assert_eq!(same[0]["before"], 7);

    let wrong = folder.run(&["top", "a.perf.txt", "--value", "branches"]);
    assert_eq!(wrong.status, Some(1));
    assert!(
        wrong.err.contains("no samples have the value \"branches\". They have: cycles, page-faults."),
        "{wrong:?}"
    );
}

/// [samples 4] A copy for pprof has all values, under their names.
#[test]
fn a_copy_for_pprof_has_all_values() {
    let folder = Folder::new("values_of_copy").with("a.perf.txt", TWO_EVENTS);
    folder.prints(&["convert", "a.perf.txt", "a.pb"]);
    folder.run(&["convert", "a.pb", "b.pb"]);
    for file in ["a.pb", "b.pb"] {
        let of = |value: &str| folder.run(&["convert", file, "--value", value, "--to", "folded", "-"]).out;
        assert_eq!(of("page-faults"), "a;main 3\na;main;work 4\n", "{file}");
        assert_eq!(of("cycles"), "a;main 10000000\na;main;work 10000000\n", "{file}");
    }
}

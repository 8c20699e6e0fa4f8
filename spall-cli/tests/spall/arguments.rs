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

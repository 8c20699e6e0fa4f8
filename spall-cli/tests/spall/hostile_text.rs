//! Texts of others, which a terminal would obey: names of files, what is in files, and arguments.
#![cfg(unix)]

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    process::Command,
};

use serde_json::{Value, json};

use crate::{Folder, Ran};

/// A title of the window, colours in two encodings, a bell, the other direction, and a cleared screen.
const HOSTILE: &str = "x\x1b]0;TITLE\x07\x1b[31m\u{9b}31m\u{202e}\x7f\x0dback\x1b[2J";

/// A trace each of whose texts is hostile.
fn hostile_trace() -> String {
    let t = HOSTILE;
    let event = |ph: &str, ts: u32, more: Value| {
        let mut event = json!({"ph": ph, "name": t, "cat": t, "pid": 1, "tid": 1, "ts": ts, "args": {t: t}});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let frames = json!({"1": {"name": t, "category": t}});
    let events = json!([
        event("M", 0, json!({"name": "process_name", "args": {"name": t}})),
        event("M", 0, json!({"name": "thread_name", "args": {"name": t}})),
        event("M", 0, json!({"name": "process_labels", "args": {"labels": t}})),
        event("X", 0, json!({"dur": 100})),
        event("X", 10, json!({"dur": 10, "name": "plain", "sf": "1"})),
        event("s", 11, json!({"id": t})),
        event("f", 12, json!({"id": t, "bp": "e"})),
        event("i", 13, json!({"s": "t"})),
        event("C", 14, json!({"args": {t: 1}})),
        event("b", 15, json!({"id": t})),
        event("e", 16, json!({"id": t})),
        event("?", 17, json!({t: t})),
        event("E", 500, json!({"tid": t})),
    ]);
    json!({"traceEvents": events, "stackFrames": frames, t: t}).to_string()
}

/// Checks that a terminal would obey nothing of what was printed.
fn check(arguments: &[OsString], ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let obeyed = |c: char| {
            let turns = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            turns || (c.is_control() && !matches!(c, '\n' | '\t'))
        };
        assert!(!text.contains(obeyed), "{arguments:?}: {text:?}");
    }
}

/// Runs the command with arguments in which `@` stands for the hostile text and `+` for a blank, in a folder whose file has a
/// hostile name.
fn run(folder: &Folder, line: &str) -> Ran {
    let arguments: Vec<OsString> =
        line.split(' ').map(|word| word.replace('@', HOSTILE).replace('+', " ").into()).collect();
    let mut command = folder.command(&[]);
    command.args(&arguments).env("BROWSER", "true").env("TMPDIR", folder.0.join("tmp"));
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let ran = Ran { status: output.status.code(), out, err };
    check(&arguments, &ran);
    ran
}

#[test]
fn a_terminal_obeys_nothing_that_the_command_prints() {
    let folder = Folder::new("hostile_text").with("plain.json", crate::TRACE);
    let trace = hostile_trace();
    for name in ["tmp", "traces", "unknown"] {
        fs::create_dir(folder.0.join(name)).unwrap();
    }
    let named = |folder: &str, name: &str| format!("{folder}/{HOSTILE}{name}");
    let unknown = json!({HOSTILE: 1, "k".repeat(500): 2}).to_string();
    let folder = folder
        .with(&named("traces", ".json"), &trace)
        .with(&named("unknown", ".json"), unknown)
        .with(&named(".", ".json"), &trace)
        .with(&named(".", ".folded"), "main;work 3\n");
    // Bytes that are no text, among them a control character of one byte.
    fs::write(folder.0.join(OsStr::from_bytes(b"\x9b31m\x1b.json")), &trace).unwrap();

    let mut seen = Vec::new();
    for line in [
        "info @.json plain.json @.folded .",
        "info --format json @.json",
        "info unknown",
        "-v info @none.json",
        "open @none.json",
        "serve @none.json",
        "render @.json @.svg",
        "render @.json @.html --hide @",
        "render @.json @/a.svg",
        "render plain.json @.json @.png",
        "find @.json @",
        "find @.json nothing@",
        "find @.json @ --format json",
        "top @.json",
        "top --by track @.json",
        "top --under @ @.json",
        "top --under none@ @.json",
        "gaps @.json",
        "gaps --format csv plain.json",
        "diff . traces",
        "top --longest @.json",
        "top --longest --format json @.json",
        "top --measure @ @.json",
        "diff @.json plain.json",
        "diff plain.json @.json --fail-above 0",
        "diff @.json @.folded",
        "diff --fail-above @ @.json @.json",
        "flame @.json",
        "flame --inverted @.json",
        "flame --only @ @.json",
        "flame --diff @.json plain.json",
        "flame --diff @.folded @.json",
        "flame --measure thread-time @.json",
        "convert @.json @.spall",
        "convert @.json @.pftrace",
        "convert @.json @",
        "convert @.json @.json",
        "convert @.json plain.json @.json.spall",
        "convert @.json @/",
        "convert --to @ @.json o",
        "cut @.json @c.json --name @",
        "cut @.json @c.json --thread @none",
        "top @.json --category @ --from @",
        "top --format csv @.json",
        "merge @.json plain.json @2.json --align event=@",
        "merge @.json plain.json @2.json --align start",
        "merge @.json plain.json @2.json --align @",
        "query @.json select",
        "query @.json select@",
        "query @.json -",
        "query @.json select+name,+category,+args,+'@'+as+\"@\"+from+slice",
        "query --format json @.json select+name,+'@'+as+\"@\"+from+slice",
        "dump @.json",
        "dump --calls @.json",
        "dump --summary @.json",
        "dump --folded plain.json",
        "dump traces/*@",
        "dump .",
        "tui @none.json",
        "tui @.json",
        "completions @",
        "completions bash",
        "@",
        "info --@",
        "info @[",
        "help @",
    ] {
        let ran = run(&folder, line);
        seen.push(line.split(' ').find(|word| !word.starts_with('-')).unwrap());
        assert!(!ran.out.is_empty() || !ran.err.is_empty() || line.starts_with("convert"), "{line}");
    }
    let help = folder.prints(&["--help"]);
    let commands = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    for command in commands.lines().map(|line| line.split_whitespace().next().unwrap()) {
        assert!(seen.contains(&command), "{command} is not tried");
    }
    // JSON is the same for whoever reads it.
    let rows = run(&folder, "top --longest --format json @.json").out;
    let rows: Value = serde_json::from_str(&rows).unwrap();
    assert_eq!(rows[0]["name"], HOSTILE);
    let found = run(&folder, "info unknown").err;
    assert!(found.contains("kkk…\", \"x\\u{1b}]0;TITLE"), "{found}");
}

/// A file that is printed arrives as it is, unless a terminal would show it.
#[test]
fn a_terminal_obeys_nothing_of_a_file_that_it_is_given() {
    let folder = Folder::new("hostile_file").with("a.json", hostile_trace());
    let raw = folder.run(&["convert", "--to", "folded", "a.json", "-"]).out;
    assert!(raw.contains("\x1b[31m"), "{raw:?}");
    // The program `script` runs a command in a terminal of its own.
    let command = format!("{} convert --to folded a.json -", env!("CARGO_BIN_EXE_spall"));
    let mut script = Command::new("script");
    let Ok(output) = script.args(["-qec", &command, "/dev/null"]).current_dir(&folder.0).output() else {
        return eprintln!("skipped: there is no program `script`");
    };
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("plain 10000") && !shown.contains('\x1b'), "{shown:?}");
}

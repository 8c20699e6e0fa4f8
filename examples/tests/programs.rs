//! The programs that need no window, as a user runs them.

use spall_trace::model::TraceView;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs an example, which `cargo test` has built beside the tests.
fn run(name: &str, arguments: &[&Path]) -> Output {
    let tests = std::env::current_exe().unwrap();
    let programs = tests.parent().and_then(Path::parent).unwrap().join("examples");
    let program = programs.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    Command::new(&program).args(arguments).output().unwrap_or_else(|error| panic!("{program:?}: {error}"))
}

/// Runs an example that succeeds, and returns what it printed.
fn print(name: &str, arguments: &[&Path]) -> String {
    let output = run(name, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/record.spall")
}

/// A path for a file of one test.
fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn top_prints_functions_and_calls_with_arguments() {
    let text = print("top", &[&recorded(), Path::new("12")]);
    assert_eq!(text.lines().count(), 1 + 12 + 2 + 12);
    assert!(text.contains("  load\n") && text.contains(" bytes\n"), "{text}");
}

#[test]
fn threads_writes_a_file_with_all_slices() {
    let path = temporary("threads.spall");
    assert!(print("threads", &[&path]).contains("20 slices of 4 threads"));
}

/// The guide has the programs as they are, apart from their documentation.
#[test]
fn the_guide_shows_the_recording_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("../spall-record/guides/record.md")).unwrap();
    for name in ["threads.rs", "server.rs", "frames.rs"] {
        let program = std::fs::read_to_string(root.join(name)).unwrap();
        let code = &program[program.find("\nuse ").unwrap()..];
        assert!(guide.contains(code), "{name}");
    }
}

#[test]
fn server_records_requests_and_what_happens_in_them() {
    let path = temporary("server.json");
    assert_eq!(print("server", &[&path]), "");
    let trace = spall_trace::load_file(&path).unwrap();
    assert_eq!((trace.slices().len(), trace.instants().len()), (8 * 3, 8));
    assert!(
        trace.instants().iter().all(|instant| trace.args_of(instant).to_string() == "level=INFO, bytes=9")
    );
}

#[test]
fn frames_draws_itself_and_keeps_its_slowest_frame() {
    let folder = temporary("frames");
    std::fs::create_dir_all(&folder).unwrap();
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples/frames");
    let output = Command::new(program).arg("20").current_dir(&folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("main") && text.contains("the slowest of 20"), "{text}");
    let trace = spall_trace::load_file(folder.join("slowest.spall")).unwrap();
    assert!(trace.slices().names().iter().any(|&name| trace.name(name) == "physics"));
}

#[test]
fn annotate_adds_instants_and_slices() {
    let (log, out) = (temporary("annotate.log"), temporary("annotate.json"));
    std::fs::write(&log, "0.001 cache flushed\n0.002+0.001 level\nnot a line of the log\n").unwrap();
    assert_eq!(print("annotate", &[&recorded(), &log, &out]), "added 2 of 3 lines\n");
    let before = spall_trace::load_file(recorded()).unwrap();
    let after = spall_trace::load_file(&out).unwrap();
    assert_eq!(after.slices().len(), before.slices().len() + 1);
    assert_eq!(after.name(after.instants()[0].name), "cache flushed");
    assert_eq!(after.args_of(&after.instants()[0]).to_string(), "line=1");
}

#[test]
fn convert_writes_by_the_end_of_the_name_and_says_what_is_lost() {
    for name in ["convert.json", "convert.spall", "convert.speedscope.json", "convert.pb", "convert.folded"] {
        let out = temporary(name);
        assert_eq!(print("convert", &[&recorded(), &out]), "");
        assert!(std::fs::metadata(&out).unwrap().len() > 1000, "{name}");
    }
    let output = run("convert", &[&recorded(), &temporary("convert.png")]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("endings"));
}

#[test]
fn live_draws_every_thread_once() {
    let text = print("live", &[Path::new("--once"), &recorded()]);
    assert!(["main", "worker 1", "worker 4"].iter().all(|thread| text.lines().any(|line| line == *thread)));
    let output = run("live", &[Path::new("--once"), Path::new(file!())]);
    assert!(!output.status.success());
}

#[test]
fn flame_draws_all_three_graphs() {
    let (trace, inverted, diff) = (recorded(), Path::new("--inverted"), Path::new("--diff"));
    assert!(print("flame", &[&trace]).starts_with("main"));
    assert!(print("flame", &[inverted, &trace]).starts_with("load"));
    assert!(print("flame", &[diff, &trace, &trace]).starts_with("+0 ns main"));
}

#[test]
fn flame_filters_call_stacks() {
    let trace = recorded();
    let filtered = |option, text| print("flame", &[Path::new(option), Path::new(text), &trace]);
    let only = filtered("--only", "load");
    assert!(only.contains("job") && only.contains("load") && !only.contains("main"), "{only}");
    assert!(!filtered("--without", "load").contains("load"));
    let hidden = filtered("--hide", "main");
    assert!(!hidden.contains("main") && hidden.contains("load"));
    assert!(print("flame", &[Path::new("--flat"), &trace]).starts_with("main"));
    assert!(!run("flame", &[Path::new("--all"), Path::new("load"), &trace]).status.success());
}

#[test]
fn find_marks_hits_and_lists_their_flows_and_the_counters() {
    let path = temporary("find.json");
    let json = r#"[{"ph":"X","name":"send","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5},
        {"ph":"X","name":"receive","pid":1,"tid":2,"ts":70,"dur":10},{"ph":"f","bp":"e","name":"f","id":1,"pid":1,"tid":2,"ts":75},
        {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"a":1,"b":1}},{"ph":"C","name":"memory","pid":1,"ts":40,"args":{"a":7,"b":1}}]"#;
    std::fs::write(&path, json).unwrap();
    let text = print("find", &[&path, Path::new("send")]);
    let lines: Vec<&str> = text.lines().collect();
    // 80 columns for 80 microseconds, the sum of the series is 2 and then 8.
    let hits = format!("{}{}      1  Thread 1", "█".repeat(10), "·".repeat(70));
    let counter = format!("{}{} up to 8  memory", "▂".repeat(40), "█".repeat(40));
    let expected = ["1 slices", &hits, "1 × send → receive, 70 µs, in columns 5 to 75", &counter];
    assert_eq!(lines, expected);
}

#[test]
fn render_puts_several_files_on_one_axis() {
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/small/kinds.json");
    let picture = temporary("both.svg");
    let text = print("render", &[&recorded(), &kinds, &picture]);
    assert!(text.starts_with("record.spall, kinds.json: "), "{text}");
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(text.contains("4 processes") && svg.starts_with("<svg"), "{text}");
    assert!(text.contains("Nothing tells how the clock"), "{text}");
    for arguments in [["--help"].as_slice(), &["-x", "a.json"]] {
        let output = run("render", &arguments.iter().map(Path::new).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: "));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn convert_adds_files_to_a_data_set_and_names_those_it_cannot_read() {
    let folder = temporary("data-set");
    _ = std::fs::remove_dir_all(&folder);
    let target = folder.join("");
    let output = run("convert", &[&recorded(), Path::new("absent.json"), &target]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("1 of 2 files were not added"), "{said}");
    assert!(
        said.contains("absent.json: ")
            && folder.join("slice/trace_id=t-record.spall/part-0.parquet").exists()
    );
}

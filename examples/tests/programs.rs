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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spall-page/page/record.spall")
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
fn top_adds_up_page_faults_where_nothing_is_a_time() {
    let path = temporary("faults.perf");
    let sample = |at: u32| format!("run 7 {at}.0: 3 page-faults: \n\t1000 work ([unknown])\n\n");
    std::fs::write(&path, sample(1) + &sample(5)).unwrap();
    let text = print("top", &[&path]);
    let work = text.lines().find(|line| line.ends_with("  work"));
    assert!(work.is_some_and(|line| line.trim_start().starts_with("6 page-faults")), "{text}");
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
fn live_draws_every_thread_once() {
    let text = print("live", &[Path::new("--once"), &recorded()]);
    assert!(["main", "worker 1", "worker 4"].iter().all(|thread| text.lines().any(|line| line == *thread)));
    let output = run("live", &[Path::new("--once"), Path::new(file!())]);
    assert!(!output.status.success());
}

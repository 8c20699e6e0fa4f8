//! What is in the file after each way in which a process can end.
//!
//! Each test runs this program again, with only the test `child`, which then ends in that way.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::thread;

use spall_record::{Session, span};
use spall_trace::model::Trace;

use crate::common::{faults, names, open_count};

const HOW: &str = "SPALL_RECORD_END";
const PATH: &str = "SPALL_RECORD_PATH";

/// Returns where the process records that ends in one way.
fn path(how: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spall-record-{how}-{}.spall", std::process::id()))
}

/// Runs a process that ends in one way, and loads what it left.
fn run(how: &str) -> (ExitStatus, Trace<'static>) {
    let path = path(how);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "ends::child", "--nocapture"]).env(HOW, how).env(PATH, &path);
    let status = command.output().unwrap().status;
    let data = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    (status, spall_trace::load_from(&data[..]).unwrap())
}

/// Begins a recording, and records one slice before a flush and one after it, on this thread and on a detached one that
/// never ends.
fn record(path: &Path) -> Session {
    let session = spall_record::to_file(path).unwrap();
    let (started, has_started) = mpsc::channel();
    let (flushed, is_flushed) = mpsc::channel();
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        drop(span!("before"));
        started.send(()).unwrap();
        is_flushed.recv().unwrap();
        let _open = span!("after");
        done.send(()).unwrap();
        loop {
            thread::park();
        }
    });
    drop(span!("before"));
    has_started.recv().unwrap();
    session.flush().unwrap();
    flushed.send(()).unwrap();
    is_done.recv().unwrap();
    session
}

#[test]
fn child() {
    let Ok(how) = std::env::var(HOW) else { return };
    let path = PathBuf::from(std::env::var_os(PATH).unwrap());
    let session = record(&path);
    let _after = span!("after");
    match how.as_str() {
        "return" => {}
        "finish-exit" => {
            spall_record::finish().unwrap();
            std::process::exit(3);
        }
        "exit" => std::process::exit(3),
        "abort" => std::process::abort(),
        "panic-abort" => {
            spall_record::flush_on_panic();
            // What an abort by a panic does: the hook, and nothing after it.
            let _ = std::panic::catch_unwind(|| panic!("for the test"));
            std::process::abort();
        }
        "panic" => panic!("for the test"),
        #[cfg(unix)]
        "fork" => fork_and_record(&path),
        other => panic!("{other}"),
    }
    drop(session);
}

/// Records in a forked process, into the recording of the parent and into one of its own.
#[cfg(unix)]
fn fork_and_record(path: &Path) {
    match fork::fork().unwrap() {
        fork::Fork::Parent(child) => assert_eq!(fork::waitpid(child).unwrap(), 0),
        fork::Fork::Child => {
            // More than a ring holds.
            for _ in 0..10_000 {
                drop(span!("child"));
            }
            spall_record::flush().unwrap();
            assert!(!spall_record::is_enabled());
            let own = spall_record::to_file(path.with_extension("child")).unwrap();
            drop(span!("child"));
            own.finish().unwrap();
            std::process::exit(0);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_forked_process_leaves_the_file_of_its_parent_alone_and_may_have_its_own() {
    let (status, trace) = run("fork");
    assert!(status.success());
    assert_eq!((count(&trace, "before"), count(&trace, "after"), count(&trace, "child")), (2, 2, 0));
    assert!(faults(&trace).is_empty());
    let path = path("fork").with_extension("child");
    let own = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let own = spall_trace::load_from(&own[..]).unwrap();
    assert_eq!((names(&own), faults(&own)), (vec!["child".to_owned()], vec![]));
}

fn count(trace: &Trace<'_>, name: &str) -> usize {
    names(trace).iter().filter(|found| *found == name).count()
}

#[test]
fn a_process_that_returns_loses_nothing_even_of_detached_threads() {
    let (status, trace) = run("return");
    assert!(status.success());
    assert_eq!((count(&trace, "before"), count(&trace, "after"), open_count(&trace)), (2, 2, 2));
}

#[test]
fn a_process_that_panics_loses_nothing() {
    let (status, trace) = run("panic");
    assert!(!status.success());
    // The slice of the thread that panicked has ended, because its guard was dropped before the session.
    assert_eq!((count(&trace, "before"), count(&trace, "after"), open_count(&trace)), (2, 2, 1));
}

#[test]
fn exit_after_finish_loses_nothing() {
    let (status, trace) = run("finish-exit");
    assert_eq!(status.code(), Some(3));
    assert_eq!((count(&trace, "before"), count(&trace, "after")), (2, 2));
}

#[test]
fn exit_and_abort_leave_at_least_what_was_flushed() {
    for how in ["exit", "abort"] {
        let (status, trace) = run(how);
        assert!(!status.success());
        assert_eq!(count(&trace, "before"), 2, "{how}");
        assert!(faults(&trace).is_empty(), "{how}");
    }
}

#[test]
fn a_panic_that_aborts_flushes_if_asked() {
    let (_, trace) = run("panic-abort");
    assert_eq!((count(&trace, "before"), count(&trace, "after"), open_count(&trace)), (2, 2, 2));
}

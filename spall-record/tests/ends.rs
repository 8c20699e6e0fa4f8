//! What is in the file after each way in which a process can end, as a table.
//!
//! This program runs itself for each end, size of rings, number of threads and output, and loads what is left. Each
//! process records slices that a flush of the recorder finds, slices of a thread that is joined, and slices right before
//! its end.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test without functions that are marked as tests"
)]

use core::mem;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::time::Instant;
use std::{env, panic, process, thread};

use spall_record::{Recorder, span};
use spall_trace::model::{DiagnosticKind, TraceView as _};

/// The ends, and whether they keep everything, as far as systems run the destructors of a thread that exits.
const ENDS: &[(&str, bool)] = &[
    ("return", RUNS_DESTRUCTORS),
    ("exit", RUNS_DESTRUCTORS),
    ("finish, exit", true),
    ("panic", true),
    ("panic, abort", true),
    ("abort", false),
    #[cfg(unix)]
    ("SIGINT", false),
    #[cfg(unix)]
    ("SIGTERM", false),
    ("SIGKILL", false),
];
const RUNS_DESTRUCTORS: bool = cfg!(all(target_os = "linux", target_env = "gnu"));
const RINGS: [usize; 2] = [16 << 10, 1 << 20];
const THREADS: [usize; 2] = [1, 4];
const OUTPUTS: [&str; 3] = ["file.spall", "file.json", "writer"];

/// The slices that each thread records before a flush, a thread that is joined, and each thread right before the end.
const BEFORE: usize = 400;
const JOINED: usize = 400;
const AFTER: usize = 100;

fn main() {
    let args: Vec<String> = env::args().collect();
    if let [_, child, end, ring, threads, path] = &args[..]
        && child == "child"
    {
        if end == EXIT_OF_AN_OUTPUT {
            return exit_in_an_output();
        }
        return record(end, ring.parse().unwrap(), threads.parse().unwrap(), Path::new(path));
    }
    let folder = env::temp_dir().join(format!("spall-record-ends-{}", process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    check_table(&folder);
    #[cfg(unix)]
    check_fork(&folder);
    check_exit_of_an_output(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Records as the table wants it, and ends.
fn record(end: &str, ring_bytes: usize, n_threads: usize, path: &Path) {
    let recorder = Recorder::new().ring_bytes(ring_bytes).flush_every(Duration::from_millis(5));
    let session = match path.extension() {
        Some(_) => recorder.file(path).start().unwrap(),
        None => recorder.writer(File::create(path).unwrap()).start().unwrap(),
    };
    let [go_on, done] = [(); 2].map(|()| &*Box::leak(Box::new(Barrier::new(n_threads))));
    let work = move || {
        (0..BEFORE).for_each(|_| drop(span!("before", "a slice that a flush finds")));
        go_on.wait();
        (0..AFTER).for_each(|_| drop(span!("after")));
        done.wait();
    };
    for _ in 1..n_threads {
        thread::spawn(move || {
            work();
            loop {
                thread::park();
            }
        });
    }
    (0..BEFORE).for_each(|_| drop(span!("before", "a slice that a flush finds")));
    io::stdin().read_line(&mut String::new()).unwrap();
    let joined = thread::spawn(|| {
        (0..JOINED).for_each(|_| drop(span!("joined")));
        panic::resume_unwind(Box::new("a panic that others survive"));
    });
    assert!(joined.join().is_err());
    go_on.wait();
    (0..AFTER).for_each(|_| drop(span!("after")));
    done.wait();
    println!("ready");
    match end {
        // As of a session in a `static`.
        "return" => mem::forget(session),
        "exit" => {
            mem::forget(session);
            process::exit(3);
        }
        "finish, exit" => {
            spall_record::finish().unwrap();
            process::exit(3);
        }
        "panic" => panic!("for the test"),
        "panic, abort" => {
            spall_record::flush_on_panic();
            // What an abort by a panic does: the hook, and nothing after it.
            let _ = panic::catch_unwind(|| panic!("for the test"));
            process::abort();
        }
        "abort" => process::abort(),
        _ => loop {
            thread::park();
        },
    }
}

fn check_table(folder: &Path) {
    let cells = ENDS.iter().flat_map(|end| RINGS.map(|ring| (end, ring)));
    let cells = cells.flat_map(|(end, ring)| THREADS.map(|n_threads| (end, ring, n_threads)));
    let cells: Vec<_> = cells.flat_map(|cell| OUTPUTS.map(|output| (cell, output))).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&((end, ring, n_threads), output)) =
                    cells.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    check(end, ring, n_threads, output, folder);
                }
            });
        }
    });
    println!("{} processes ended in {} ways", cells.len(), ENDS.len());
}

/// Runs a process of the table, and counts the slices that it leaves.
fn check(&(end, keeps_all): &(&str, bool), ring: usize, n_threads: usize, output: &str, folder: &Path) {
    let cell = format!("{end}, rings of {ring} bytes, {n_threads} threads, {output}");
    let path = folder.join(cell.replace(", file", ""));
    let path =
        if output == "writer" { path } else { path.with_extension(Path::new(output).extension().unwrap()) };
    let mut child = start([end, &ring.to_string(), &n_threads.to_string()], &path);
    let start = Instant::now();
    // Whatever is in the file at any time can be read.
    while count(&path, ["before"]) != [n_threads * BEFORE] {
        assert!(start.elapsed() < Duration::from_secs(30), "{cell}: nothing flushes");
        thread::sleep(Duration::from_millis(10));
    }
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "ready", "{cell}");
    if let Some(signal) = end.strip_prefix("SIG") {
        kill(&mut child, signal);
    }
    let status = child.wait().unwrap();
    assert_eq!(status.success(), end == "return", "{cell}: {status}");
    let [before, joined, after] = count(&path, ["before", "joined", "after"]);
    assert_eq!((before, joined), (n_threads * BEFORE, JOINED), "{cell}");
    let range = if keeps_all { n_threads * AFTER } else { 0 }..=n_threads * AFTER;
    assert!(range.contains(&after), "{cell}: {after}");
}

/// Starts this program as a child.
fn start(args: [&str; 3], path: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    // A panic of a process that shows where it was takes longer than all the rest.
    command.arg("child").args(args).arg(path).env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn kill(child: &mut Child, signal: &str) {
    if signal != "KILL" {
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            // A process that is started in the background may have inherited that it ignores the signal.
            if start.elapsed() > Duration::from_secs(2) {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
    child.kill().unwrap();
}

/// Returns how many slices of a file have each name. The file has no faults, but may lack its end, and the rest of a
/// write that goes on or was cut off.
fn count<const N: usize>(path: &Path, names: [&str; N]) -> [usize; N] {
    let Some(data) = std::fs::read(path).ok().filter(|data| !data.is_empty()) else { return [0; N] };
    let trace = spall_trace::load(&data).unwrap();
    let kinds = trace.diagnostics().counts().iter().map(|count| count.kind);
    let of_end = [DiagnosticKind::UnfinishedSlice, DiagnosticKind::UnclosedList, DiagnosticKind::Truncated];
    let faults: Vec<_> = kinds.filter(|kind| !of_end.contains(kind)).collect();
    assert_eq!(faults, [], "{}", path.display());
    let found: Vec<_> = trace.slices().names().iter().map(|&id| trace.name(id)).collect();
    names.map(|name| found.iter().filter(|&found| found == name).count())
}

/// Records in a forked process, into the recording of the parent and into one of its own.
#[cfg(unix)]
fn check_fork(folder: &Path) {
    let [of_parent, of_child] = ["parent.spall", "child.spall"].map(|name| folder.join(name));
    let session = spall_record::to_file(&of_parent).unwrap();
    drop(span!("parent"));
    match fork::fork().unwrap() {
        fork::Fork::Parent(child) => assert_eq!(fork::waitpid(child).unwrap(), 0),
        fork::Fork::Child => {
            // More than a ring holds.
            (0..10_000).for_each(|_| drop(span!("child")));
            spall_record::flush().unwrap();
            assert!(!spall_record::is_enabled());
            let own = spall_record::to_file(&of_child).unwrap();
            (0..2).for_each(|_| drop(span!("child")));
            own.finish().unwrap();
            process::exit(0);
        }
    }
    session.finish().unwrap();
    assert_eq!(count(&of_parent, ["parent", "child"]), [1, 0]);
    assert_eq!(count(&of_child, ["parent", "child"]), [0, 2]);
}

const EXIT_OF_AN_OUTPUT: &str = "exit of an output";

/// The thread that ends holds what a flush would wait for.
fn check_exit_of_an_output(folder: &Path) {
    let mut child = start([EXIT_OF_AN_OUTPUT, "", ""], folder);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(30), "the process waits for itself");
        thread::sleep(Duration::from_millis(1));
    }
}

fn exit_in_an_output() {
    struct Exit;
    impl Write for Exit {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if spall_record::is_enabled() && bytes.len() > 1_000 {
                process::exit(0)
            }
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let _session = Recorder::new().flush_every(None).writer(Exit).start().unwrap();
    loop {
        drop(span!("span"));
    }
}

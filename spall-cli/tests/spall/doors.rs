//! All doors of the project tell one story of a trace.
//!
//! The page, the terminal and the window show what the engine of `spall-view` says; the command has subcommands that add up,
//! find, compare and draw. Each file is asked the same in both ways. The package for Python is compared with the command in
//! `bindings/python/tests`.
//!
//! What is counted otherwise on purpose is said where it is compared.

mod hidden;
mod hits;
mod owners;
mod sums;

use std::{
    collections::BTreeMap,
    fmt::Debug,
    fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::Value;
use spall_trace::model::{Measure, Ticks, TraceView, TrackSet};
use spall_view::{Area, Engine, Heights, Source, open};

use crate::{Folder, Ran};

/// The size in bytes of the largest file that is asked.
const MOST_BYTES: u64 = 2 << 20;

/// The part of the collection that a plain run asks: one file of so many. The number is odd, as many a trace stands beside a file
/// of what is expected of it.
const ONE_OF: usize = 3;

/// `testdata` has more traces than this.
const FEWEST: usize = 200;

/// Cases in which two doors differ: the end of the path of a file, the beginning of what was asked, and the reason.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("heph/attack/time-max.bin", r#"hits of "t" in rows"#, AT_THE_LAST_TICK),
    ("spall/attack/auto-dt-wrap.spall", r#"hits of "0x1" in rows"#, AT_THE_LAST_TICK),
    ("spall/crafted/v3-max.spall", r#"hits of "max ts" in rows"#, AT_THE_LAST_TICK),
    ("spall/crafted/v0-nan-inf.spall", "", TOO_FAR),
    ("perfetto/cases/profiling-stack_sample.pftrace", "flame", FIRST_SEEN),
];
const AT_THE_LAST_TICK: &str =
    "a slice without duration at the last tick is in no column, as columns are half open";
const TOO_FAR: &str =
    "the trace is longer than a duration can be, so the engine does not have its times exactly";
const FIRST_SEEN: &str = "two functions take the same time, and of one the command saw a sample before that has no duration and no slice";

#[test]
fn all_doors_tell_one_story() {
    let files = files();
    let (next, n_opened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let faults = Mutex::new(Vec::new());
    let ask = |number: usize| {
        let folder = Folder::new(&format!("doors{number}"));
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            // A panic is a fault of the file that it names.
            let found = catch_unwind(|| Doors::ask(file, &folder));
            let found =
                found.unwrap_or_else(|_| Some(vec![format!("{}: a panic, which is above", file.display())]));
            n_opened.fetch_add(found.iter().len(), Ordering::Relaxed);
            faults.lock().unwrap().extend(found.into_iter().flatten());
        }
    };
    let n_threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| (0..n_threads).for_each(|number| _ = scope.spawn(move || ask(number))));
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    let n_opened = n_opened.into_inner();
    println!("{n_opened} traces among {} files", files.len());
    assert!(n_opened > FEWEST, "{n_opened} of {} files are traces", files.len());
    assert!(faults.is_empty(), "{} of {} files:\n{}", faults.len(), files.len(), faults.join("\n"));
}

/// All files of `testdata`, and of the collection a part, or all if tests may take their time.
fn files() -> Vec<PathBuf> {
    let testdata = spall_testdata::folders("").swap_remove(0);
    let (mut ours, others): (Vec<_>, Vec<_>) =
        spall_testdata::inputs("", "").into_iter().partition(|path| path.starts_with(&testdata));
    ours.extend(others.into_iter().step_by(if spall_testdata::is_long() { 1 } else { ONE_OF }));
    ours.retain(|path| path.metadata().is_ok_and(|file| file.len() <= MOST_BYTES));
    ours
}

/// A trace, and the doors to it.
struct Doors<'f> {
    file: &'f str,
    folder: &'f Folder,
    engine: Engine,
    faults: Vec<String>,
}

impl<'f> Doors<'f> {
    /// Asks all doors, and returns where they differ, or nothing if none takes the file.
    fn ask(path: &Path, folder: &'f Folder) -> Option<Vec<String>> {
        let path = fs::canonicalize(path).unwrap();
        let file = path.to_str().unwrap();
        let source = Source { name: file.into(), read: fs::File::open(&path).unwrap(), offset: None };
        let opened = open(vec![source]);
        let dumped = folder.run(&["dump", file]);
        let opened = match (opened, dumped.status) {
            (Ok(opened), Some(0)) => opened,
            (Err(_), Some(1)) => return None,
            (opened, status) => {
                let opened = opened.map(|_| "a trace").map_err(|error| error.message);
                return Some(vec![format!(
                    "{file}: opening: dump ended with {status:?}, and the engine has {opened:?}"
                )]);
            }
        };
        let engine = Engine::new(opened.clone(), None, Heights::PAGE);
        let mut doors = Doors { file, folder, engine, faults: Vec::new() };
        doors.names(&dumped.out);
        doors.longest(&dumped.out);
        doors.sums();
        doors.hits();
        doors.owners();
        doors.hidden();
        doors.values(&opened);
        Some(doors.faults)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.folder.run(arguments)
    }

    /// Runs the command. Returns the rows that it prints as JSON, or none if it says that there is nothing.
    fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(arguments);
        match ran.status {
            Some(0) => {
                serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
            }
            Some(1) => Vec::new(),
            _ => panic!("{arguments:?}: {ran:?}"),
        }
    }

    /// Returns the area of all of the trace on a set of tracks.
    fn area(&self, tracks: Option<TrackSet>) -> Area {
        Area { tracks: tracks.map(|set| set.name().into()), ..self.engine.area() }
    }

    /// A duration as the command prints it as JSON: in nanoseconds where the trace has times.
    fn duration(&self, ticks: Ticks) -> Value {
        self.amount(Measure::WallTime, ticks)
    }

    /// A number of what is measured.
    fn amount(&self, measure: Measure, Ticks(ticks): Ticks) -> Value {
        let value: Value = match measure.clock(self.engine.trace().clock()).ns_per_tick() {
            Some(ns) if ns != 1.0 => (ticks as f64 * ns).into(),
            _ => ticks.into(),
        };
        // A number with a fraction is read as the command's is.
        serde_json::from_str(&value.to_string()).unwrap()
    }

    /// Says that the command and the engine differ, unless they do not.
    fn same<T: PartialEq + Debug>(&mut self, what: &str, command: T, engine: T) {
        if command != engine {
            self.differ(what, &format!("the command has {command:?}, and the engine {engine:?}"));
        }
    }

    /// Says what only one of them has of two lists, in any order.
    fn same_lines(&mut self, what: &str, command: Vec<String>, engine: Vec<String>) {
        let mut counts = BTreeMap::<String, i64>::new();
        let mut add =
            |lines: Vec<String>, n| lines.into_iter().for_each(|line| *counts.entry(line).or_default() += n);
        add(command, 1);
        add(engine, -1);
        for (door, of) in [("the command", 1), ("the engine", -1)] {
            let only: Vec<_> =
                counts.iter().filter(|(_, n)| n.signum() == of).map(|(line, _)| line).collect();
            if !only.is_empty() {
                let some = &only[..only.len().min(4)];
                self.differ(what, &format!("only {door} has these {}: {some:?}", only.len()));
            }
        }
    }

    fn differ(&mut self, what: &str, how: &str) {
        let is_known =
            |(file, asked, _): &(&str, &str, &str)| self.file.ends_with(file) && what.starts_with(asked);
        if !LEFT_OUT.iter().any(is_known) {
            self.faults.push(format!("{}: {what}: {how}", self.file));
        }
    }
}

//! A file that is loaded on several threads gives the trace that one thread makes of it.
#![cfg(feature = "parallel")]

use core::num::NonZeroUsize;

use spall_fuzz::identical::assert_identical;

use spall_synth::program::{Order, Program};
use spall_trace::model::{DiagnosticKind, Limits, TraceView};
use spall_trace::{Loader, load};

/// The numbers of threads, of which a plain run tries one.
fn threads() -> &'static [usize] {
    if spall_testdata::is_long() { &[3, 1, 2, 8] } else { &[3] }
}

/// Loads a file on one thread and on several, in parts of the given numbers of bytes, and compares the traces or errors.
fn check(data: &[u8], limits: &Limits, parts: &[usize], what: &str) {
    let alone = Loader::new().with_limits(limits.clone()).load(data);
    for &n_threads in threads() {
        for &part_bytes in parts {
            let n_threads = NonZeroUsize::new(n_threads).unwrap();
            let mut loader = Loader::new().with_limits(limits.clone()).with_threads(n_threads);
            loader.part_bytes = part_bytes;
            let what = format!("{what}, {n_threads} threads, parts of {part_bytes} bytes");
            match (&alone, loader.load(data)) {
                (Ok(alone), Ok(shared)) => assert_identical(alone, &shared, &what),
                (Err(alone), Err(shared)) => assert_eq!(alone.to_string(), shared.to_string(), "{what}"),
                (_, shared) => panic!("{what}: {:?}", shared.map(|_| ())),
            }
        }
    }
}

/// The parts of which a file of this size has about a hundred, and about twenty.
fn parts_of(data: &[u8]) -> [usize; 2] {
    [data.len() / 97 + 1, data.len() / 19 + 1]
}

#[test]
fn every_file_gives_the_same_trace() {
    let mut n_files = 0;
    for folder in ["json", "chrome", "spall", "recordings", "small", "heph", "apitrace"] {
        for path in spall_testdata::inputs(folder, "") {
            let data = std::fs::read(&path).unwrap();
            check(&data, &Limits::default(), &parts_of(&data), &path.to_string_lossy());
            n_files += 1;
        }
    }
    assert!(n_files > 100, "{n_files} files");
}

/// Enough slices for threads to put them in order at the end.
#[test]
fn large_files_give_the_same_trace() {
    let program = Program { calls: 110_000, threads: 5, run: 700 };
    // A flow is bound to a slice by its place among all.
    let complete = String::from_utf8(program.complete(Order::Ends)).unwrap();
    let flow = r#"{"ph":"s","id":1,"name":"f","pid":4711,"tid":100,"ts":9},{"ph":"f","id":1,"name":"f","pid":4711,"tid":101,"ts":11}"#;
    let files = [
        ("flow", complete.replacen('[', &format!("[{flow},"), 1).into()),
        ("spall", program.spall()),
        ("begins and ends", program.begins_and_ends()),
        ("complete", program.complete(Order::Ends)),
        ("shuffled blocks", program.complete(Order::ShuffledBlocks)),
        ("shuffled", program.complete(Order::Shuffled)),
    ];
    for (name, data) in files {
        check(&data, &Limits::default(), &[1 << 16], name);
    }
}

/// Each file is cut, and has bytes replaced, at many places.
#[test]
fn damaged_files_give_the_same_trace() {
    let program = Program { calls: 60, threads: 3, run: 5 };
    for file in [program.spall(), program.begins_and_ends(), program.complete(Order::Ends)] {
        for at in (0..file.len()).step_by(file.len() / 60) {
            check(&file[..at], &Limits::default(), &[100], &format!("cut at {at}"));
            for byte in *b"\"{}],\0\xff" {
                let mut damaged = file.clone();
                damaged[at] = byte;
                check(&damaged, &Limits::default(), &[100], &format!("{byte} at {at}"));
            }
        }
    }
}

#[test]
fn limits_count_as_on_one_thread() {
    let program = Program { calls: 300, threads: 4, run: 9 };
    for file in [program.spall(), program.begins_and_ends(), program.complete(Order::Shuffled)] {
        let limits = |set: fn(&mut Limits)| {
            let mut limits = Limits::default();
            set(&mut limits);
            check(&file, &limits, &[200], &format!("{limits:?}"));
            Loader::new().with_limits(limits.clone()).load(&file).unwrap()
        };
        let is_cut = |trace: spall_trace::model::Trace, kind| trace.diagnostics().count(kind) > 0;
        assert!(is_cut(limits(|limits| limits.max_slices = 100), DiagnosticKind::SliceLimit));
        assert!(is_cut(limits(|limits| limits.max_tracks = 2), DiagnosticKind::TrackLimit));
        limits(|limits| limits.max_depth = 3);
        limits(|limits| (limits.max_depth, limits.max_diagnostics) = (2, 1));
    }
}

/// Where such a document is cut, the events in the arguments look like those of the list. The list that encloses them
/// is over at their end.
#[test]
fn a_wrong_guess_is_read_again() {
    let inner = r#"{"ph":"X","name":"inner","pid":9,"tid":9,"ts":1,"dur":1}"#;
    let inner = vec![inner; 30].join(",");
    let outer = |at: usize| {
        format!(
            r#"{{"ph":"X","name":"outer{at}","pid":1,"tid":1,"ts":{at},"dur":1,"args":{{"list":[{inner}]}}}}"#
        )
    };
    let events: Vec<_> = (0..40).map(outer).collect();
    for document in
        [format!("[{}]", events.join(",")), format!("{{\"traceEvents\":[{}]}}", events.join(" ,\n"))]
    {
        let parts = [50, 300, 1000, 2000, 5000];
        check(document.as_bytes(), &Limits::default(), &parts, "events in arguments");
        assert_eq!(load(document.as_bytes()).unwrap().slices().len(), 40);
    }
}

/// A text that no quote closes hides the rest of the file from whoever begins to read inside it.
#[test]
fn a_text_without_an_end_is_read_to_the_end_of_the_file_in_order() {
    let event = r#"{"ph":"i","name":"n","pid":1,"tid":1,"ts":1}"#;
    let events = vec![event; 200].join(",");
    for quote in [
        "\"",
        "\"\"",
        "{\"ph\":\"X\",\"name\":\"",
        "[",
        "]",
        "}",
        "]}",
        "],\"traceEvents\":[",
        "],\"a\":[{},{}]}",
    ] {
        let document = format!("{{\"traceEvents\":[{events},{quote}{events},{event}]}}");
        check(document.as_bytes(), &Limits::default(), &[64, 500], quote);
    }
}

/// Lists of the document beside that of the events, and a second list of events.
#[test]
fn a_document_with_several_lists_gives_the_same_trace() {
    let event = |name: &str| format!(r#"{{"ph":"B","name":"{name}","pid":1,"tid":1,"ts":1}}"#);
    let list = |name: &str| vec![event(name); 50].join(", ");
    let document = format!(
        r#"{{"traceEvents":[{}],"other":[{}],"traceEvents":[{}],"samples":[{{"tid":1,"ts":3,"stack":["a"]}},{{"tid":1,"ts":4}}],"key":1}}"#,
        list("a"),
        list("b"),
        list("c")
    );
    check(document.as_bytes(), &Limits::default(), &[64, 300], "several lists");
}

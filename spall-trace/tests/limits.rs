//! Checks each limit with an input that just keeps it and one that just exceeds it.

use spall_synth::{apitrace::snappy, gzip};
use spall_trace::{
    format::{FormatErrorKind, container::decompress},
    model::{DiagnosticKind, Limits, Trace, TraceView},
};

/// Returns `count` copies of an event, in which `#` stands for the number of the copy.
fn events(count: usize, event: &str) -> String {
    (0..count).map(|i| event.replace('#', &i.to_string())).collect()
}

fn check(limits: &Limits, events: &str, check: impl Fn(&Trace)) {
    let json = format!("[{events}]").replace("},]", "}]");
    check(&spall_trace::Loader::new().with_limits(limits.clone()).load(json.as_bytes()).unwrap());
    check(&spall_trace::Loader::new().with_limits(limits.clone()).load_from(json.as_bytes()).unwrap());
}

/// Returns the kinds of diagnostics and how often each was reported.
fn counts(trace: &Trace) -> Vec<(DiagnosticKind, u64)> {
    trace.diagnostics().counts().iter().map(|count| (count.kind, count.count)).collect()
}

const BEGIN: &str = r##"{"ph":"B","ts":#,"tid":1,"name":"a"},"##;
const END: &str = r##"{"ph":"E","ts":9#,"tid":1},"##;
const COMPLETE: &str = r##"{"ph":"X","ts":#,"dur":1,"tid":1},"##;

/// A new field of `Limits` makes this fail, because it needs a test here.
#[test]
fn every_limit_is_tested_here() {
    let fields = format!("{:?}", Limits::default()).matches(": ").count();
    assert_eq!(fields, 5, "max_depth, max_tracks, max_slices, max_diagnostics, max_decompressed_bytes");
}

#[test]
fn max_depth_leaves_out_begins_and_their_ends() {
    let mut limits = Limits::default();
    limits.max_depth = 3;
    check(&limits, &(events(3, BEGIN) + &events(3, END)), |trace| {
        assert_eq!((trace.slices().len(), counts(trace)), (3, vec![]));
    });
    check(&limits, &(events(4, BEGIN) + &events(4, END)), |trace| {
        assert_eq!((trace.slices().len(), counts(trace)), (3, vec![(DiagnosticKind::DepthLimit, 2)]));
    });
    // Later events are read as if nothing had been left out, and other threads have depths of their own.
    let more = events(4, BEGIN) + &events(4, END) + &events(3, BEGIN) + &events(3, END);
    check(
        &limits,
        &(more + &events(3, &BEGIN.replace(":1", ":2")) + &events(3, &END.replace(":1", ":2"))),
        |trace| {
            assert_eq!(trace.slices().len(), 9);
            assert_eq!(trace.diagnostics().count(DiagnosticKind::DepthLimit), 2);
            assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedEnd), 0);
        },
    );
}

#[test]
fn max_tracks_leaves_out_events_of_further_tracks() {
    let mut limits = Limits::default();
    limits.max_tracks = 2;
    for event in [
        r##"{"ph":"X","ts":1,"dur":1,"tid":#},"##,
        r##"{"ph":"X","ts":1,"dur":1,"pid":#,"tid":1},"##,
        r##"{"ph":"C","ts":1,"name":"#","args":{"v":1}},"##,
        r##"{"ph":"n","ts":1,"id":#},"##,
        r##"{"ph":"i","ts":1,"pid":#,"s":"p"},"##,
    ] {
        check(&limits, &events(2, event), |trace| {
            assert_eq!((trace.tracks().len(), counts(trace)), (2, vec![]), "{event}");
        });
        check(&limits, &(events(3, event) + &events(2, event)), |trace| {
            let content = trace.slices().len() + trace.counters().len() + trace.instants().len();
            assert_eq!((trace.tracks().len(), content), (2, 4), "{event}");
            assert_eq!(counts(trace), [(DiagnosticKind::TrackLimit, 1)], "{event}");
        });
    }
}

#[test]
fn max_slices_leaves_out_slices() {
    let mut limits = Limits::default();
    limits.max_slices = 5;
    let span = r##"{"ph":"b","ts":1,"id":#},{"ph":"e","ts":2,"id":#},"##;
    for (event, under, over) in [
        (COMPLETE, vec![], vec![(DiagnosticKind::SliceLimit, 1)]),
        (
            r##"{"ph":"B","ts":#,"tid":#},{"ph":"E","ts":#,"tid":#},"##,
            vec![],
            // The end is counted too, because it belongs to no slice then.
            vec![(DiagnosticKind::SliceLimit, 2)],
        ),
        (span, vec![], vec![(DiagnosticKind::SliceLimit, 1), (DiagnosticKind::UnmatchedAsync, 1)]),
    ] {
        check(&limits, &events(5, event), |trace| {
            assert_eq!((trace.slices().len(), counts(trace)), (5, under.clone()))
        });
        check(&limits, &events(6, event), |trace| {
            assert_eq!((trace.slices().len(), counts(trace)), (5, over.clone()))
        });
    }
    // The steps of a span for which there was no room are left out with it.
    let steps = r##"{"ph":"S","ts":1,"id":1},{"ph":"T","ts":2,"id":1},{"ph":"F","ts":3,"id":1},"##;
    check(&limits, &(events(5, COMPLETE) + steps), |trace| {
        assert_eq!((trace.slices().len(), counts(trace)), (5, vec![(DiagnosticKind::SliceLimit, 3)]));
    });
}

#[test]
fn max_diagnostics_keeps_the_first_and_counts_all() {
    let mut limits = Limits::default();
    limits.max_diagnostics = 2;
    for (found, kept) in [(1, 1), (2, 2), (3, 2), (100, 2)] {
        check(&limits, &events(found, END), |trace| {
            assert_eq!(trace.diagnostics().kept().len(), kept);
            assert_eq!(counts(trace), [(DiagnosticKind::UnmatchedEnd, u64::try_from(found).unwrap())]);
        });
    }
}

/// The same is tested for gzip, brotli and zstd where they are decoded.
#[test]
fn max_decompressed_bytes_is_an_error_that_names_it() {
    let stream = [5; 5000];
    let file = snappy(&stream, 1000);
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = 5000;
    assert_eq!(*decompress(&file, &limits).unwrap().stream, stream);
    limits.max_decompressed_bytes = 4999;
    let error = decompress(&file, &limits).unwrap_err();
    assert_eq!(error.kind(), FormatErrorKind::OutputLimit { max_mib: 0 });
    assert!(error.to_string().contains("limit"), "{error}");
}

#[cfg(feature = "gzip")]
#[test]
fn max_decompressed_bytes_holds_for_compressed_json() {
    let json = format!("[{}]", events(9, COMPLETE));
    let file = gzip::member(json.as_bytes());
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = json.len() as u64;
    assert_eq!(spall_trace::Loader::new().with_limits(limits.clone()).load(&file).unwrap().slices().len(), 9);
    limits.max_decompressed_bytes -= 1;
    assert!(
        spall_trace::Loader::new()
            .with_limits(limits.clone())
            .load(&file)
            .unwrap_err()
            .to_string()
            .contains("limit")
    );
}

/// Checks that a stream of calls that never return costs no more than the parser allows, however long it is.
#[test]
fn calls_that_never_return_are_counted_and_not_kept() {
    let mut stream = spall_synth::apitrace::Stream::new(5, &[]);
    for _ in 0..200_000 {
        stream.enter(1, (0, "wait", &[]), &[]);
    }
    // The first call returns, and then one that was left out.
    stream.leave(0, &[]);
    stream.leave(199_999, &[]);
    let trace = spall_trace::load(stream.bytes()).unwrap();
    assert_eq!(trace.slices().len(), 1 << 16);
    let left_out = 200_000 - (1 << 16);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::DepthLimit), left_out);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedEnd), 1);
}

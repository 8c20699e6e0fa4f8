//! Tracks of their own, in merges of traces and in the formats that have none.

use spall_trace::export::{self, Loss};
use spall_trace::model::{
    ArgsBuilder, ChildOrder, CounterEvent, Event, Id, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
    TraceBuilder, TraceView, TrackEvent, TrackId,
};
use spall_trace::{MergeInput, merge_traces};

const PROCESSES: [Id<'static>; 2] = [Id::Number(1), Id::NONE];

/// Returns the same tracks in process 1 and in none: 5, with 7 and the counter 8 below it in this order, and below 7 another
/// one of 18 digits. Process 1 has a thread 7 besides. Each but the counter has a slice, and all slices begin at one time.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let thread = ThreadEvent::new(Thread::new(1, 7), Tick(0), Text::from("on thread"));
    builder.push(&Event::Complete(thread, Ticks(90)));
    for pid in PROCESSES {
        let tracks = [("5", "", 0), ("8", "5", 2), ("7", "5", 1), ("123456789012345678", "7", 0)];
        for (id, parent, rank) in tracks {
            let id_of = |id: &'static str| Id::Text(id.as_bytes());
            let thread = Thread { pid, tid: id_of(id) };
            let event = TrackEvent::new(thread, Text::from(if id == "7" { "seven" } else { "" }));
            let children = if id == "5" { ChildOrder::ByRank } else { ChildOrder::Unspecified };
            let parent = Thread { pid, tid: id_of(parent) };
            builder.push(&Event::Track(TrackEvent { parent, rank, children, ..event }));
            if id == "8" {
                let mut values = ArgsBuilder::new();
                values.add("v", 3);
                let mut value = CounterEvent::new(pid, Tick(4), Text::from("count"), values.args());
                value.id = Some(thread.tid);
                builder.push(&Event::Counter(value));
            } else {
                let event = ThreadEvent::new(thread, Tick(0), Text::from("on track"));
                builder.push(&Event::Complete(event, Ticks(50)));
            }
        }
    }
    builder.finish()
}

/// Returns the kind and the title of each track, and its place below others, by the titles of its processes.
fn lines(trace: &Trace) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for process in trace.processes() {
        lines.push(trace.process_title(process.id).into_owned());
        for track in trace.tracks_of(process.id) {
            let parent_of = |&id: &TrackId| trace.track_info(id).unwrap().parent;
            let above = core::iter::successors(track.parent, parent_of).count();
            let id = track.kind.tid().map(|id| trace.key_text(id)).unwrap_or_default();
            let (kind, name) = (track.kind.name(), trace.name(track.name));
            lines.push(format!("{above} {kind} {id} {name} {}", track.slices().len()).replace("  ", " "));
        }
    }
    lines
}

const GLOBAL: [&str; 4] =
    ["0 track 5 1", "1 track 7 seven 1", "2 track 123456789012345678 1", "1 counter count 0"];

#[test]
fn tracks_of_two_traces_with_one_id_stay_apart() {
    let trace = trace();
    let of_one = [&["Process 1", "0 thread 7 1"], &GLOBAL[..]].concat();
    assert_eq!(lines(&trace), [&of_one[..], &["Global"], &GLOBAL].concat());
    let merged =
        merge_traces(&[MergeInput::new(&trace, "a"), MergeInput::new(&trace, "b")], &Limits::default());
    let of_two = [&["Process 2", "0 thread 7 1"], &GLOBAL[..]].concat();
    let expected = [&of_one[..], &of_two, &["Global"], &GLOBAL, &["Global"], &GLOBAL].concat();
    assert_eq!(lines(&merged.trace), expected);
}

#[test]
fn json_has_tracks_as_threads_that_no_other_thread_is_mixed_with() {
    let trace = trace();
    let mut json = Vec::new();
    let report = export::json(&trace, &mut json).unwrap();
    // The places of six tracks and two counters.
    assert_eq!((report.count(Loss::Metadata), report.left_out()), (8, 8));
    let again = spall_trace::load(&json).unwrap();
    let threads =
        ["0 thread track 123456789012345678 track 123456789012345678 1", "0 thread track 7 seven 1"];
    let threads = [threads[0], threads[1], "0 thread track 5 track 5 1", "0 counter count 0"];
    let mut found = lines(&again);
    let mut expected = [&["Global"], &threads[..], &["Process 1", "0 thread 7 1"], &threads].concat();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn formats_of_threads_have_the_slices_of_tracks_and_count_their_places() {
    let trace = trace();
    let mut file = Vec::new();
    let reports = [
        export::spall(&trace, &mut file).unwrap(),
        export::speedscope(&trace, "tracks", &mut Vec::new()).unwrap(),
    ];
    for report in reports {
        // The places of six tracks and two counters.
        assert_eq!((report.count(Loss::Metadata), report.count(Loss::CounterValue)), (8, 2), "{report}");
        assert_eq!(report.left_out(), 10);
    }
    let again = spall_trace::load(&file).unwrap();
    let slices = again.tracks().iter().map(|track| track.slices().len());
    assert_eq!(slices.collect::<Vec<_>>(), [1; 7]);
}

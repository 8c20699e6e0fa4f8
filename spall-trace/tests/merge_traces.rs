//! Several traces on one axis of time.

use spall_trace::json::JsonParser;
use spall_trace::model::Parser as _;
use spall_trace::model::{
    ArgsBuilder, Clock, Conventions, DiagnosticKind, Event, Limits, NameId, Receiver, SliceId, Text, Thread,
    ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackKind,
};
use spall_trace::{Alignment, MergeInput, MergedTraces, PlacedBy, load, merge_traces};

fn json(text: &str) -> Trace {
    load(text.as_bytes()).unwrap()
}

fn merged(inputs: &[MergeInput<'_>]) -> MergedTraces {
    merge_traces(inputs, &Limits::default())
}

/// Returns name and start of every slice, in the order of time.
fn slices(trace: &Trace) -> Vec<(String, i64)> {
    let mut slices: Vec<_> = trace
        .slices()
        .ids()
        .iter()
        .map(|id| (trace.slice_name(id).into_owned(), trace.slice(id).unwrap().start.0))
        .collect();
    slices.sort_by_key(|&(_, start)| start);
    slices
}

fn slice(name: &str, pid: u32, ts: i64) -> String {
    format!(r#"{{"ph":"X","name":"{name}","pid":{pid},"tid":1,"ts":{ts},"dur":2}}"#)
}

/// Without a name there is no label to add.
#[test]
fn one_trace_stays_as_it_is() {
    let mut n_merged = 0;
    for path in spall_testdata::inputs("", "") {
        let Ok(trace) = spall_trace::load_file(&path) else { continue };
        // Numbers of processes and threads lose what they have no sign for.
        let is_same = !trace.conventions().unsigned_ids;
        let merged = merged(&[MergeInput::new(&trace, "")]);
        assert_eq!(merged.placements[0].by, PlacedBy::First);
        assert!(merged.trace == trace || !is_same, "{}", path.display());
        n_merged += usize::from(is_same);
    }
    assert!(n_merged > 100, "{n_merged}");
}

#[test]
fn a_name_with_a_comma_is_one_label() {
    let a = json(&format!("[{}]", slice("a", 1, 0)));
    let trace = merged(&[MergeInput::new(&a, "a, b.json")]).trace;
    assert_eq!(processes(&trace), ["1 a, b.json"]);
}

#[test]
fn metadata_of_whole_files_say_of_which() {
    let text = r#"{"traceEvents":[{"ph":"M","name":"custom","pid":1,"tid":2,"args":{"k":1}}],"host":"box"}"#;
    let one = json(text);
    let trace = merged(&[MergeInput::new(&one, "a"), MergeInput::new(&one, "b")]).trace;
    let keys: Vec<_> = trace.meta().iter().map(|meta| trace.name(meta.key)).collect();
    assert_eq!(keys, ["custom", "host", "custom", "host@b"]);
}

#[test]
fn processes_with_one_id_stay_apart_and_have_labels() {
    let a = json(&format!("[{},{}]", slice("a", 1, 0), slice("a2", 7, 0)));
    let b = json(&format!("[{},{}]", slice("b", 1, 5), slice("b2", 3, 5)));
    let trace = merged(&[MergeInput::new(&a, "a.json"), MergeInput::new(&b, "b.json")]).trace;
    // 8 is the number behind the largest one of both traces.
    assert_eq!(processes(&trace), ["1 a.json", "3 b.json", "7 a.json", "8 b.json"]);
}

/// Returns the id and the labels of each process.
fn processes(trace: &Trace) -> Vec<String> {
    let labels =
        |labels: &[NameId]| labels.iter().map(|&label| trace.name(label)).collect::<Vec<_>>().join(" ");
    let processes = trace.processes().iter();
    processes.map(|process| format!("{} {}", trace.key_text(process.pid), labels(&process.labels))).collect()
}

#[test]
fn an_id_that_only_metadata_or_other_events_mention_is_not_given_to_a_process() {
    let mention = r#"{"ph":"M","name":"num_cpus","pid":2,"tid":1,"args":{"number":4}},
        {"ph":"v","name":"m","ts":0,"pid":3,"tid":1}"#;
    let a = json(&format!("[{},{mention}]", slice("a", 1, 0)));
    let b = json(&format!("[{},{mention}]", slice("b", 1, 0)));
    let trace = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).trace;
    // No process appears that no trace has. 4 is the number behind the largest.
    assert_eq!(processes(&trace), ["1 a", "4 b"]);
    let of_meta = trace.meta().iter().filter_map(|meta| meta.thread);
    let mentioned: Vec<_> = of_meta.chain(trace.others().iter().map(|other| other.thread)).collect();
    let pids: Vec<_> = mentioned.iter().map(|(pid, _)| trace.key_text(*pid)).collect();
    assert_eq!(pids, ["2", "5", "3", "6"], "what two traces mention stays apart, too");
}

#[test]
fn events_of_the_whole_trace_do_not_add_a_process() {
    let a =
        json(&format!(r#"[{},{{"ph":"i","s":"g","name":"boom","ts":1,"pid":1,"tid":1}}]"#, slice("a", 1, 0)));
    let merged = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&a, "b")]);
    assert_eq!(processes(&merged.trace), ["1 a", "2 b"]);
}

#[test]
fn processes_with_the_largest_id_stay_apart() {
    let text = format!(
        "[{},{}]",
        slice("a", 1, 0),
        slice("b", 1, 0).replace(":1,\"tid", ":9223372036854775807,\"tid")
    );
    let a = json(&text);
    let inputs: Vec<_> = ["a", "b", "c"].iter().map(|name| MergeInput::new(&a, name)).collect();
    // There is no number behind the largest, so the first free ones follow.
    let expected = ["1 a", "2 b", "3 b", "4 c", "5 c", "9223372036854775807 a"];
    assert_eq!(processes(&merged(&inputs).trace), expected);
}

#[test]
fn a_process_whose_id_was_text_is_named_by_it() {
    let a = json(r#"[{"ph":"X","name":"a","pid":"C:\\x","tid":1,"ts":0,"dur":1}]"#);
    let trace = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&a, "b")]).trace;
    let names: Vec<_> = trace.processes().iter().map(|process| trace.name(process.name)).collect();
    assert_eq!((processes(&trace), names), (vec!["1 b".into(), "C:\\x a".into()], vec!["C:\\x".into(); 2]));
}

#[test]
fn times_beyond_all_clocks_are_clamped() {
    let far = spall_synth::spall::File::new(3, 1e300).buffer(1, 1).begin_v3(1, b"a", b"").end_v3(6).finish();
    let far = load(&far).unwrap();
    let near = json(r#"[{"ph":"X","ts":-0.005,"dur":1,"pid":1,"tid":1,"name":"a"}]"#);
    for (alignment, by) in [(Alignment::Start, PlacedBy::Start), (Alignment::Event("a"), PlacedBy::Event)] {
        let merged = |first: &Trace, second: &Trace| {
            let inputs =
                [MergeInput::new(first, "1"), MergeInput::new(second, "2").with_alignment(alignment)];
            let merged = merge_traces(&inputs, &Limits::default());
            assert!(merged.trace.diagnostics().count(DiagnosticKind::TimeOutOfRange) > 0);
            merged.placements[1]
        };
        // A tick of the spall file takes longer than nanoseconds can count.
        let expected = [(by, i64::MIN), (by, i64::MAX)];
        assert_eq!(
            [(&near, &far), (&far, &near)].map(|(a, b)| merged(a, b)).map(|p| (p.by, p.offset.0)),
            expected
        );
    }
}

#[test]
fn labels_of_the_file_stay_in_front() {
    let a = json(&format!(
        r#"[{{"ph":"M","name":"process_labels","pid":1,"args":{{"labels":"x,y"}}}},{}]"#,
        slice("a", 1, 0)
    ));
    let trace = merged(&[MergeInput::new(&a, "a.json")]).trace;
    let labels: Vec<_> = trace.processes()[0].labels.iter().map(|&label| trace.name(label)).collect();
    assert_eq!(labels, ["x", "y", "a.json"]);
}

#[test]
fn ids_of_a_whole_file_do_not_join_two_files() {
    let flow = |from: &str, to: &str| {
        format!(
            r#"[{},{{"ph":"s","id":1,"name":"f","cat":"c","pid":1,"tid":1,"ts":1}},
            {},{{"ph":"f","bp":"e","id":1,"name":"f","cat":"c","pid":1,"tid":1,"ts":11}},
            {{"ph":"b","id":5,"cat":"net","name":"load","pid":1,"ts":0}},{{"ph":"e","id":5,"cat":"net","name":"load","pid":1,"ts":9}}]"#,
            slice(from, 1, 0),
            slice(to, 1, 10)
        )
    };
    let (a, b) = (json(&flow("a", "b")), json(&flow("c", "d")));
    let trace = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).trace;
    let name = |id: SliceId| trace.slice_name(id).into_owned();
    let mut ends: Vec<_> = trace.flows().iter().map(|flow| (name(flow.from), name(flow.to))).collect();
    ends.sort();
    assert_eq!(ends, [("a".into(), "b".into()), ("c".into(), "d".into())] as [(String, String); 2]);
    let is_async = |track: &&spall_trace::model::Track| matches!(track.kind, TrackKind::Async { .. });
    assert_eq!(trace.tracks().iter().filter(is_async).count(), 2);
}

#[test]
fn offsets_starts_and_events_place_times() {
    let a = json(&format!("[{},{}]", slice("a", 1, 100), slice("sync", 1, 150)));
    let b = json(&format!("[{},{}]", slice("b", 1, 10), slice("sync", 1, 20)));
    let placed = |alignment| {
        let merged = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b").with_alignment(alignment)]);
        let start = slices(&merged.trace).into_iter().find(|(name, _)| name == "b").unwrap().1;
        (merged.placements[1].by, merged.placements[1].offset.0, start)
    };
    assert_eq!(placed(Alignment::Offset(-3)), (PlacedBy::Offset, -3, 9_997));
    assert_eq!(placed(Alignment::Start), (PlacedBy::Start, 90_000, 100_000));
    assert_eq!(placed(Alignment::Event("sync")), (PlacedBy::Event, 130_000, 140_000));
    assert_eq!(placed(Alignment::Event("absent")), (PlacedBy::Nothing, 0, 10_000));
    assert_eq!(placed(Alignment::Auto), (PlacedBy::Nothing, 0, 10_000));
}

/// The second trace is moved by 7 ms, and what it knows of times moves with it.
#[test]
fn a_trace_is_placed_by_what_traces_in_front_of_it_know() {
    let marker = |ts: i64, more: &str| {
        format!(
            r#"{{"ph":"c","name":"clock_sync","pid":1,"tid":1,"ts":{ts},"args":{{"sync_id":"x"{more}}}}}"#
        )
    };
    let with_epoch = |events: &[String], epoch: i64| {
        json(&format!(r#"{{"traceEvents":[{}],"baseTimeNanoseconds":{epoch}}}"#, events.join(",")))
    };
    let far = Alignment::Offset(7_000_000);
    let third_by = |first: &Trace, second: &Trace, third: &Trace, alignment| {
        let second = MergeInput::new(second, "2").with_alignment(far);
        let third = MergeInput::new(third, "3").with_alignment(alignment);
        let placement = merged(&[MergeInput::new(first, "1"), second, third]).placements[2];
        (placement.by, placement.offset.0, placement.error.0)
    };
    let plain = json(&format!("[{}]", slice("a", 1, 0)));
    let (sync, earlier) =
        (json(&format!("[{}]", slice("sync", 1, 100))), json(&format!("[{}]", slice("sync", 1, 10))));
    assert_eq!(third_by(&plain, &sync, &earlier, Alignment::Event("sync")), (PlacedBy::Event, 7_090_000, 0));
    let epoch = 1_700_000_000_000_000_000;
    let [known, later] = [epoch, epoch + 500].map(|epoch| with_epoch(&[slice("a", 1, 0)], epoch));
    assert_eq!(third_by(&plain, &known, &later, Alignment::Auto), (PlacedBy::Epoch, 7_000_500, 0));
    // The first trace knows the marker to 50 µs.
    let rough = json(&format!("[{}]", marker(100, r#","issue_ts":0"#)));
    let (exact, marked) = (json(&format!("[{}]", marker(50, ""))), json(&format!("[{}]", marker(20, ""))));
    for first in [&plain, &rough] {
        assert_eq!(third_by(first, &exact, &marked, Alignment::Auto), (PlacedBy::ClockSync, 7_030_000, 0));
    }
    let first = MergeInput::new(&plain, "1").with_alignment(far);
    let second = MergeInput::new(&earlier, "2").with_alignment(Alignment::Start);
    assert_eq!(merged(&[first, second]).placements[1].offset.0, 7_000_000 - 10_000);
}

/// The number -1 of a file with unsigned ids means another process than that of one without.
#[test]
fn unsigned_ids_are_told_from_negative_ones() {
    let trace = |conventions: Conventions| {
        let mut builder = TraceBuilder::new(&Limits::default());
        let event = ThreadEvent::new(Thread::new(-1_i64, 1_i64), Tick(0), Text::from("a"));
        for event in [Event::Conventions(conventions), Event::Complete(event, Ticks(1))] {
            builder.receive(&event, Default::default());
        }
        builder.finish()
    };
    let [unsigned, signed] = [Conventions::default().with_unsigned_ids(), Conventions::default()].map(trace);
    let trace = merged(&[MergeInput::new(&unsigned, "a"), MergeInput::new(&signed, "b")]).trace;
    assert_eq!(processes(&trace), ["-1 b", "18446744073709551615 a"]);
}

/// Trace Event JSON says the time in microseconds. The argument of a trace that was built is a number.
#[test]
fn the_issue_time_of_a_marker_is_a_number_of_microseconds() {
    let marker = |issued: Option<i64>, at| {
        let mut args = ArgsBuilder::new();
        args.add("sync_id", "x");
        if let Some(issued) = issued {
            args.add("issue_ts", issued);
        }
        let mut event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::from("clock_sync"));
        event.args = args.args();
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.receive(&Event::Other(event, b'c'), Default::default());
        builder.finish()
    };
    let (a, b) = (marker(Some(100), 102_000), marker(None, 0));
    let placement = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).placements[1];
    assert_eq!((placement.offset.0, placement.error.0), (101_000, 1_000));
}

#[test]
fn a_trace_whose_clock_is_unknown_is_counted() {
    let (a, b) = (json(&format!("[{}]", slice("a", 1, 0))), json(&format!("[{}]", slice("b", 1, 0))));
    let trace = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).trace;
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnalignedClock), 1);
}

#[test]
fn the_sync_marker_with_the_smallest_error_counts() {
    let marker = |id: &str, issued: Option<i64>, ts: i64| {
        let issued = issued.map_or(String::new(), |ts| format!(r#","issue_ts":{ts}"#));
        format!(
            r#"{{"ph":"c","name":"clock_sync","pid":1,"tid":1,"ts":{ts},"args":{{"sync_id":"{id}"{issued}}}}}"#
        )
    };
    // The marker `x` happened within 2 µs on the first clock, `y` within 40 µs.
    let a = json(&format!(
        "[{},{},{}]",
        slice("a", 1, 0),
        marker("x", Some(100), 102),
        marker("y", Some(200), 240)
    ));
    let b = json(&format!("[{},{},{}]", slice("b", 1, 0), marker("x", None, 51), marker("y", None, 150)));
    let inputs = [MergeInput::new(&a, "a"), MergeInput::new(&b, "b")];
    let both = merged(&inputs);
    let of_a = (PlacedBy::ClockSync, 50_000, 1_000);
    let placement = both.placements[1];
    assert_eq!((placement.by, placement.offset.0, placement.error.0), of_a);
    assert_eq!(both.trace.diagnostics().count(DiagnosticKind::UnalignedClock), 0);
    // Both traces know their markers within some time: `x` within 2 and 18 µs, `y` within 40 and 80 µs.
    let c = format!("[{},{}]", marker("x", Some(42), 60), marker("y", Some(110), 190));
    let c = json(&c);
    let placement = merged(&[inputs[0], MergeInput::new(&c, "c")]).placements[1];
    assert_eq!((placement.by, placement.offset.0, placement.error.0), (PlacedBy::ClockSync, 50_000, 10_000));
    // Of two traces that know a moment equally well, the first one counts.
    let equal = json(&format!("[{},{}]", slice("c", 1, 0), marker("x", Some(300), 302)));
    let equal = MergeInput::new(&equal, "c").with_alignment(Alignment::Offset(0));
    let placement = merged(&[inputs[0], equal, inputs[1]]).placements[2];
    assert_eq!((placement.by, placement.offset.0, placement.error.0), of_a);
}

#[test]
fn markers_of_unix_times_are_exact_to_the_nanosecond() {
    let marker = |args: &str, ts: &str| {
        json(&format!(
            r#"[{{"ph":"c","name":"clock_sync","pid":1,"tid":1,"ts":{ts},"args":{{"sync_id":"x"{args}}}}}]"#
        ))
    };
    let a = marker(r#","issue_ts":1700000000123456.789"#, "1700000000123460.789");
    let b = marker("", "5");
    let placement = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).placements[1];
    assert_eq!(placement.by, PlacedBy::ClockSync);
    // The middle of both times of the first trace is at the 5 µs of the second.
    assert_eq!((placement.offset.0, placement.error.0), (1_700_000_000_123_458_789 - 5_000, 2_000));
}

#[test]
fn known_unix_times_place_traces() {
    let with_epoch = |epoch: i64, name: &str| {
        json(&format!(r#"{{"traceEvents":[{}],"baseTimeNanoseconds":{epoch}}}"#, slice(name, 1, 1)))
    };
    let (a, b) = (with_epoch(1_700_000_000_000_000_000, "a"), with_epoch(1_700_000_000_000_000_500, "b"));
    let merged = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]);
    assert_eq!((merged.placements[1].by, merged.placements[1].offset.0), (PlacedBy::Epoch, 500));
    assert_eq!(merged.trace.clock().epoch_ns, Some(1_700_000_000_000_000_000));
}

/// As the ranks of a distributed job write them: microseconds of the Unix time, without a word of that.
#[test]
fn traces_whose_times_are_unix_times_keep_them() {
    let [a, b] = [1_682_725_897_226_747, 1_682_725_897_226_757].map(|ts| json(&slice("step", 10, ts)));
    let both = merged(&[MergeInput::new(&a, "rank 0"), MergeInput::new(&b, "rank 1")]);
    assert_eq!(both.placements[1].by, PlacedBy::Epoch);
    let starts: Vec<_> = slices(&both.trace).into_iter().map(|(_, start)| start).collect();
    assert_eq!(starts, [1_682_725_897_226_747_000, 1_682_725_897_226_757_000]);
    // Another trace says the Unix time of its tick 0.
    let c = json(&format!(
        r#"{{"traceEvents":[{}],"baseTimeNanoseconds":1682725897000000000}}"#,
        slice("c", 1, 226_750)
    ));
    let all = merged(&[MergeInput::new(&a, "rank 0"), MergeInput::new(&c, "c")]);
    assert_eq!(slices(&all.trace)[1].1, 1_682_725_897_226_750_000);
    // Times of another clock say nothing of these.
    let d = json(&slice("d", 1, 5));
    assert_eq!(
        merged(&[MergeInput::new(&a, "a"), MergeInput::new(&d, "d")]).placements[1].by,
        PlacedBy::Nothing
    );
}

#[test]
fn known_monotonic_times_place_traces_without_unix_times() {
    let with_clock = |epoch_ns: Option<i64>, monotonic_ns: Option<i64>| {
        let clock = Clock::NANOSECONDS.with_epoch_ns(epoch_ns).with_monotonic_ns(monotonic_ns);
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Clock(clock));
        builder.finish()
    };
    let traces = [
        with_clock(Some(1_000), Some(70)),
        with_clock(None, Some(75)),
        // The Unix times say the same, but less exactly.
        with_clock(Some(1_300), Some(70)),
        // The machine was started anew, or is another one.
        with_clock(Some(3_000_001_000), Some(80)),
        with_clock(Some(1_300), None),
        with_clock(None, None),
    ];
    let inputs: Vec<_> = traces.iter().map(|trace| MergeInput::new(trace, "")).collect();
    let merged = merged(&inputs);
    let placed: Vec<_> = merged.placements.iter().map(|place| (place.by, place.offset.0)).collect();
    let expected = [
        (PlacedBy::First, 0),
        (PlacedBy::Monotonic, 5),
        (PlacedBy::Monotonic, 0),
        (PlacedBy::Epoch, 3_000_000_000),
        (PlacedBy::Epoch, 300),
        (PlacedBy::Nothing, 0),
    ];
    assert_eq!(placed, expected);
    assert_eq!(merged.trace.clock(), traces[0].clock());
}

#[test]
fn a_process_is_the_same_in_traces_of_one_start_of_a_machine() {
    let recorded = |monotonic_ns: Option<i64>, name| {
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Clock(Clock::NANOSECONDS.with_monotonic_ns(monotonic_ns)));
        let event = ThreadEvent::new(Thread::new(7, 8), Tick(100), Text::from(name));
        builder.push(&Event::Complete(event, Ticks(10)));
        builder.push(&Event::ThreadName(event.thread, Text::from("replaced in this trace")));
        builder.push(&Event::ThreadName(event.thread, event.name));
        builder.finish()
    };
    let traces = [recorded(Some(1_000), "own"), recorded(Some(1_050), "sampled"), recorded(None, "other")];
    let perf = MergeInput::new(&traces[2], "perf").with_alignment(Alignment::Monotonic);
    let inputs = [MergeInput::new(&traces[0], "a"), MergeInput::new(&traces[1], "b"), perf];
    let one = merged(&inputs).trace;
    assert_eq!(one.processes().len(), 1);
    assert_eq!(
        slices(&one),
        [("other".into(), -900), ("own".into(), 100), ("sampled".into(), 150)] as [(String, i64); 3]
    );
    let thread = one.tracks().iter().find(|track| !track.slices().is_empty()).unwrap();
    assert_eq!(one.name(thread.name), "own");
    // Without the clock nothing says that the third trace is of that machine.
    let apart = merged(&[inputs[0], inputs[1], MergeInput::new(&traces[2], "c")]).trace;
    assert_eq!(apart.processes().len(), 2);
}

#[test]
fn a_process_is_another_one_after_a_new_start_of_the_machine() {
    let recorded = |epoch_ns: i64, monotonic_ns| {
        let mut builder = TraceBuilder::new(&Limits::default());
        let clock = Clock::NANOSECONDS.with_epoch_ns(Some(epoch_ns)).with_monotonic_ns(Some(monotonic_ns));
        builder.push(&Event::Clock(clock));
        let event = ThreadEvent::new(Thread::new(7, 8), Tick(100), Text::from("work"));
        builder.push(&Event::Complete(event, Ticks(10)));
        builder.finish()
    };
    let second = 1_000_000_000;
    let merge = |epoch_s: i64, monotonic_s: i64| {
        let traces =
            [recorded(1 << 60, 5 * second), recorded((1 << 60) + epoch_s * second, monotonic_s * second)];
        let merged = merged(&[MergeInput::new(&traces[0], "a"), MergeInput::new(&traces[1], "b")]);
        let placement = merged.placements[1];
        (merged.trace.processes().len(), placement.by, placement.offset.0 / second)
    };
    // The Unix time of a machine may be set, but by no more than a second.
    assert_eq!(merge(70, 75), (1, PlacedBy::Monotonic, 70));
    assert_eq!(merge(71, 75), (1, PlacedBy::Monotonic, 70));
    assert_eq!(merge(72, 75), (2, PlacedBy::Epoch, 72));
    assert_eq!(merge(70, 5), (2, PlacedBy::Epoch, 70));
}

#[test]
fn clocks_of_different_units_become_nanoseconds() {
    use spall_trace::format::spall::{Header, ThreadRecorder, Version};
    let spall = |ns_per_tick: f64| {
        let mut file = Header::new(Version::V3, ns_per_tick).to_bytes().to_vec();
        let mut recorder =
            ThreadRecorder::new([0; 1024], 1, 1, |bytes: &[u8]| file.extend_from_slice(bytes)).unwrap();
        recorder.begin(1_000, "work");
        recorder.end(1_003);
        drop(recorder);
        load(&file).unwrap()
    };
    let (half, third, json) = (spall(0.5), spall(0.5), json(&format!("[{}]", slice("a", 9, 1))));
    let both = merged(&[MergeInput::new(&half, "h"), MergeInput::new(&json, "j")]);
    assert_eq!(both.trace.clock().ns_per_tick(), Some(1.0));
    let work = both.trace.slices().ids().iter().find(|&id| both.trace.slice_name(id) == "work").unwrap();
    let work = both.trace.slice(work).unwrap();
    // 501.5 is as near to 501 as to 502.
    assert_eq!((work.start, work.end), (Tick(500), Tick(502)));

    let same = merged(&[
        MergeInput::new(&half, "h"),
        MergeInput::new(&third, "t").with_alignment(Alignment::Offset(10)),
    ]);
    assert_eq!(same.trace.clock().ns_per_tick(), Some(0.5), "ticks of one duration stay as they are");
    assert_eq!(slices(&same.trace), [("work".into(), 1_000), ("work".into(), 1_020)]);
}

#[test]
fn samples_of_two_profiles_stay_with_their_functions() {
    let profile = |function: &str| {
        json(&format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"(root)"}},"children":[2]}},
            {{"id":2,"callFrame":{{"functionName":"{function}"}}}}],
            "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}}"#
        ))
    };
    let (a, b) = (profile("f"), profile("g"));
    let trace = merged(&[
        MergeInput::new(&a, "a"),
        MergeInput::new(&b, "b").with_alignment(Alignment::Offset(100_000)),
    ])
    .trace;
    let trace = spall_trace::merge_samples(trace);
    assert_eq!(slices(&trace), [("f".into(), 10_000), ("g".into(), 110_000)]);
}

#[test]
fn a_merged_trace_is_exported_like_any_other() {
    let (a, b) = (json(&format!("[{}]", slice("a", 1, 0))), json(&format!("[{}]", slice("b", 1, 5))));
    let trace = merged(&[MergeInput::new(&a, "a"), MergeInput::new(&b, "b")]).trace;
    let mut out = Vec::new();
    assert!(spall_trace::export::json(&trace, &mut out).unwrap().is_lossless());
    assert!(JsonParser::new().parse_all(&out, |_, _| ()).is_ok());
    assert_eq!(slices(&load(&out).unwrap()), slices(&trace));
    assert_eq!(slices(&trace), [("a".into(), 0), ("b".into(), 5_000)]);
}

#[test]
fn no_traces_make_an_empty_trace() {
    let merged = merged(&[]);
    assert!(merged.trace.tracks().is_empty() && merged.placements.is_empty());
}

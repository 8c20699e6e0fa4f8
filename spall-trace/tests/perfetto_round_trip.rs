//! Traces that are written for Perfetto and read again.
#![cfg(feature = "perfetto")]

use spall_trace::export::{self, ExportReport};
use spall_trace::model::{
    ArgsBuilder, ChildOrder, Clock, CounterEvent, Event, Id, Limits, Text, Thread, ThreadEvent,
    ThreadMeasure, Tick, Ticks, Trace, TraceBuilder, TraceView, Track, TrackEvent, Unit,
};

fn again(trace: &Trace) -> (Trace, ExportReport) {
    let mut file = Vec::new();
    let report = export::perfetto(trace, &mut file).unwrap();
    (spall_trace::load(&file).unwrap(), report)
}

/// Returns the name, the categories and the start of each slice, sorted, and the ends if they are wanted; and what instants
/// and counters are.
fn facts(trace: &Trace, with_ends: bool) -> Vec<String> {
    let line = |id| {
        let slice = trace.slice(id).unwrap();
        let (name, category) = (trace.name(slice.name), trace.name(slice.category));
        let end = if slice.flags.is_unfinished() { "?".into() } else { slice.end.to_string() };
        let end = if with_ends { end } else { String::new() };
        format!("{name} {category} {} {end}", slice.start)
    };
    let mut lines: Vec<String> = trace.slices().ids().into_iter().map(line).collect();
    lines.extend(trace.instants().iter().map(|instant| {
        let args = trace.args_of(instant);
        let args: Vec<String> = args.iter().map(|(key, _)| key.to_string()).collect();
        format!("{} {} {} {args:?}", trace.name(instant.name), trace.name(instant.category), instant.at)
    }));
    // Thread times of slices are counters in the file, whether the trace has such counters or not.
    let is_of_thread = |track: &&Track| trace.name(track.name).starts_with("thread_");
    let counters = trace.tracks().iter().filter(|track| !is_of_thread(track));
    let values = counters.flat_map(|track| trace.counters_of(track.id));
    lines.extend(values.map(|counter| format!("{} {}", counter.at, counter.value)));
    lines.sort();
    lines
}

/// Returns what each track is, where it lies, and how much is on it.
fn lines(trace: &Trace) -> Vec<String> {
    let line = |track: &Track| {
        let process = track.process.map(|process| trace.process_title(process));
        let (kind, id) = (track.kind.name(), track.kind.tid().map(|id| trace.key_text(id)));
        let (name, place) = (trace.name(track.name), (track.parent, track.sort_index, track.children));
        let n_items = [track.slices().len(), track.instants().len(), track.counters().len()];
        format!("{process:?} {kind} {id:?} {name:?} {place:?} {n_items:?}")
    };
    trace.tracks().iter().map(line).collect()
}

#[test]
fn tracks_of_their_own_are_the_same_again() {
    let id = |id: &'static str| Id::Text(id.as_bytes());
    let (process, none) = (Id::Number(1), Id::NONE);
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::ProcessName(process, Text::from("game")));
    builder.push(&Event::ProcessSortIndex(process, -3));
    builder.push(&Event::ProcessLabels(process, Text::from("level 1")));
    let tracks = [
        (process, "900", "", 0, ChildOrder::ByRank),
        (process, "1", "900", 7, ChildOrder::ByName),
        (process, "4", "900", -7, ChildOrder::Unspecified),
        (process, "3", "1", 0, ChildOrder::Unspecified),
        (process, "5", "900", 6, ChildOrder::ByTime),
        (process, "6", "5", 0, ChildOrder::Unspecified),
        (none, "18446744073709551615", "", 0, ChildOrder::Unspecified),
        (none, "77", "18446744073709551615", 0, ChildOrder::Unspecified),
    ];
    for (pid, tid, parent, rank, children) in tracks {
        let thread = Thread { pid, tid: id(tid) };
        let event = TrackEvent::new(thread, Text::from(if tid == "3" { "" } else { tid }));
        let parent = Thread { pid, tid: id(parent) };
        builder.push(&Event::Track(TrackEvent { parent, rank, children, ..event }));
        let work = ThreadEvent::new(thread, Tick(i64::from(rank) + 10), Text::from("work"));
        match tid {
            "5" => {
                let mut values = ArgsBuilder::new();
                values.add("value", 3.5);
                let mut counter = CounterEvent::new(pid, work.at, Text::from("count"), values.args());
                counter.id = Some(thread.tid);
                builder.push(&Event::Counter(counter));
            }
            // Nothing but other tracks.
            "900" => {}
            _ => {
                builder.push(&Event::Begin(work));
                builder.push(&Event::End(ThreadEvent { at: work.at + Ticks(5), ..work }));
            }
        }
    }
    let thread = ThreadEvent::new(Thread::new(1, 7), Tick(3), Text::from("on thread"));
    builder.push(&Event::Begin(thread));
    builder.push(&Event::End(ThreadEvent { at: Tick(9), ..thread }));
    let below = TrackEvent::new(Thread { pid: process, tid: id("8") }, Text::from("below a thread"));
    builder.push(&Event::Track(TrackEvent { parent: Thread::new(1, 7), ..below }));
    builder.push(&Event::Begin(ThreadEvent { thread: below.thread, ..thread }));
    let trace = builder.finish();
    assert_eq!(trace.tracks().len(), 10);
    let (again, report) = again(&trace);
    assert!(report.is_lossless(), "{report}");
    assert_eq!(lines(&again), lines(&trace));
    assert_eq!(again.processes(), trace.processes());
    assert!(again == trace);
}

#[test]
fn what_clocks_showed_at_tick_0_is_the_same_again() {
    let losses = |epoch_ns: Option<i64>, monotonic_ns: Option<i64>| {
        let clock = Clock::NANOSECONDS.with_epoch_ns(epoch_ns).with_monotonic_ns(monotonic_ns);
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Clock(clock));
        builder
            .push(&Event::Complete(ThreadEvent::new(Thread::new(1, 1), Tick(-9), Text::from("a")), Ticks(5)));
        let (again, report) = again(&builder.finish());
        // Times were moved by 9 ticks, so tick 0 of the file was that much earlier.
        let moved = |ns: Option<i64>| ns.map(|ns| ns - 9);
        match report.count(export::Loss::Metadata) {
            0 => assert_eq!(
                again.clock(),
                clock.with_epoch_ns(moved(epoch_ns)).with_monotonic_ns(moved(monotonic_ns))
            ),
            _ => assert_eq!(again.clock(), Clock::NANOSECONDS),
        }
        report.count(export::Loss::Metadata)
    };
    assert_eq!(losses(None, None), 0);
    assert_eq!(losses(Some(1_700_000_000_000_000_000), Some(5_000)), 0);
    assert_eq!(losses(Some(1_700_000_000_000_000_000), Some(-5_000)), 0);
    assert_eq!(losses(Some(-1), None), 0);
    assert_eq!(losses(Some(i64::MAX - 9), Some(i64::MIN)), 1, "no snapshot can have both");
}

/// Times of the format are numbers with a sign, although the field has none.
#[test]
fn times_beyond_the_format_are_the_last_that_it_has() {
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::Clock(Clock::new(Unit::Nanoseconds(1e18))));
    let event = ThreadEvent::new(Thread::new(1, 1), Tick(1), Text::from("a"));
    builder.push(&Event::Complete(event, Ticks(9)));
    let (again, report) = again(&builder.finish());
    assert_eq!(report.count(export::Loss::Time), 1);
    assert_eq!(again.slices().starts(), [Tick(1_000_000_000_000_000_000)]);
    assert_eq!(again.slices().ends(), [Tick(i64::MAX)]);
    assert!(again.diagnostics().is_empty());
}

/// [perfetto 4.8]
#[test]
fn thread_times_are_the_same_again_and_are_counters() {
    let json = br#"[{"ph":"X","name":"a","pid":1,"tid":2,"ts":10,"dur":20,"tts":100,"tdur":7.5,"ticount":5,"tidelta":6},
        {"ph":"B","name":"b","pid":1,"tid":2,"ts":40,"tts":120},{"ph":"E","pid":1,"tid":2,"ts":50,"tts":125}]"#;
    let trace = spall_trace::load(json).unwrap();
    let (first, _) = again(&trace);
    let (second, report) = again(&first);
    assert!(report.is_lossless(), "{report}");
    assert!(second == first);
    let measures = |trace: &Trace| -> Vec<_> {
        let args = trace.slices().ids().into_iter().map(|id| trace.slice_args(id));
        let measures = [ThreadMeasure::Time, ThreadMeasure::Instructions];
        args.map(|args| measures.map(|measure| args.thread_measure(measure))).collect()
    };
    assert_eq!(measures(&trace), [[Some(7500), Some(6)], [Some(5000), None]]);
    assert_eq!(measures(&first), measures(&trace));
    let counters: Vec<_> = first.counters().iter().map(|counter| (counter.at.0, counter.value)).collect();
    let instructions = [(10_000, 5.0), (30_000, 11.0)];
    let times = [(10_000, 100_000.0), (30_000, 107_500.0), (40_000, 120_000.0), (50_000, 125_000.0)];
    assert_eq!(counters, [&instructions[..], &times].concat());
}

/// Formats differ in what they have besides slices on threads and tracks of their own, which becomes such tracks in the first
/// file already. So a second file is the same in everything.
#[test]
fn files_of_every_format_stay_as_they_are_once_they_are_written() {
    let mut n_files = 0;
    for path in spall_testdata::inputs("", "") {
        let data = std::fs::read(&path).unwrap();
        let Ok(trace) = spall_trace::load(&data) else { continue };
        if data.len() > 1 << 16 || trace.bounds().is_none() {
            continue;
        }
        let (first, report) = again(&trace);
        let has_ns = report.moved == Ticks(0) && trace.clock().ns_per_tick() == Some(1.0);
        // States become slices.
        if has_ns && trace.states().is_empty() {
            // A slice without an end gets one inside a slice with an end. Lists and maps are text in the file.
            let all_end = !trace.slices().flags().iter().any(|flags| flags.is_unfinished());
            let [written, before] = [&first, &trace].map(|trace| facts(trace, all_end));
            assert_eq!(written, before, "{}", path.display());
            let n_flows = first.flows().len() as u64 + report.count(export::Loss::Flow);
            assert_eq!(n_flows, trace.flows().len() as u64, "{}", path.display());
        }
        if first.bounds().is_none() {
            // Nothing of the trace has a place in the file, such as samples.
            continue;
        }
        let (second, _) = again(&first);
        assert!(second == first, "{}", path.display());
        n_files += 1;
    }
    assert!(n_files > 100, "{n_files}");
}

//! The samples of a native program among its own spans, and what samples stand for.

use std::collections::{BTreeMap, VecDeque};

use spall_samples::TrackTree;
use spall_trace::{
    MergeInput, PlacedBy,
    json::V8,
    load, merge_traces,
    model::{
        Event, FrameEvent, FrameParent, FrameTable, Id, Limits, Measure, MetaEvent, ProfileEvent, ProfileId,
        SampleEvent, SampleStack, SourceLocation, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
        TraceBuilder, TraceView, TrackId, TrackKind, TrackSet, TreeNode, Value, Weights,
    },
};

/// The weights of the stacks of all threads, with slices in angle brackets, and the thread first.
fn stacks(trace: &Trace) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for TrackTree { track, tree, .. } in
        spall_samples::call_trees(trace, &V8, TrackSet::Threads, Measure::WallTime)
    {
        let TrackKind::Thread { tid } = trace.tracks()[track.index()].kind else {
            continue;
        };
        for node in tree.nodes().iter().filter(|node| node.weight > 0.0) {
            let path = core::iter::successors(Some(node), |node| tree.node(node.parent?));
            let mut names: Vec<_> = path
                .map(|node| match node.function.source {
                    Some(_) => trace.name(node.function.name).into_owned(),
                    None => format!("<{}>", trace.name(node.function.name)),
                })
                .collect();
            names.push(trace.key_text(tid).into_owned());
            names.reverse();
            *found.entry(names.join(";")).or_default() += node.weight;
        }
    }
    found
}

/// [cpu 5.1] [cpu 5.3] A recording of one program by its own spans and by samples of the system, against the sums of an
/// independent program.
#[test]
fn functions_enclose_the_spans_of_a_recorded_program() {
    let Some(folder) = spall_testdata::collection("profiles/native") else { return };
    let data = std::fs::read(folder.join("frames.json")).unwrap();
    let expected = std::fs::read_to_string(folder.join("frames.folded")).unwrap();
    let expected: BTreeMap<String, f64> = expected
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(stack, weight)| (stack.to_owned(), weight.parse().unwrap()))
        .collect();
    assert_eq!(stacks(&load(&data).unwrap()), expected);
}

const MAIN: Thread<'static> = Thread { pid: Id::Number(1), tid: Id::Number(1) };

/// Makes a trace of slices and of samples, whose stacks are functions with a letter each. Samples have the period if there
/// is one.
fn trace_of(
    slices: &[(&'static str, i64, i64)],
    samples: &[(i64, &'static str, f64)],
    period: Option<f64>,
) -> Trace {
    recorded_trace(slices, samples, period, &[])
}

/// Makes the same trace of a program that says which function records which name.
fn recorded_trace(
    slices: &[(&'static str, i64, i64)],
    samples: &[(i64, &'static str, f64)],
    period: Option<f64>,
    places: &[(&str, &str)],
) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (name, function) in places {
        let text = SourceLocation::new(name, function, "src/main.rs", 1).to_string();
        let value = Value::Text(Text::from(text.as_str()));
        builder.push(&Event::Meta(MetaEvent::new(Text::from(SourceLocation::KEY), value)));
    }
    for &(name, start, end) in slices {
        let event = ThreadEvent::new(MAIN, Tick(start), Text::from(name));
        builder.push(&Event::Complete(event, Ticks(end - start)));
    }
    let profile = ProfileId::OfThread(MAIN, Text::EMPTY);
    for &(at, stack, weight) in samples {
        // The id of a frame is its stack.
        for depth in 1..=stack.len() {
            let [callers, function] = [&stack[..depth - 1], &stack[depth - 1..depth]];
            let parent = match callers {
                "" => FrameParent::Unknown,
                _ => FrameParent::Id(Id::Text(callers.as_bytes())),
            };
            let id = Id::Text(&stack.as_bytes()[..depth]);
            let frame = FrameEvent::new(FrameTable::Shared, id, parent, Text::from(function));
            builder.push(&Event::Frame(frame));
        }
        let frame = match stack {
            "" => SampleStack::Unknown,
            _ => SampleStack::Frame(Id::Text(stack.as_bytes())),
        };
        let mut sample = SampleEvent::new(profile, Tick(at), frame);
        sample.weight = weight;
        builder.push(&Event::Sample(sample));
    }
    if let Some(period) = period {
        builder.push(&Event::Profile(ProfileEvent::new(profile).with_weights(Weights::TimeBefore(period))));
    }
    builder.finish()
}

/// The functions and slices of the merged timeline: name, start and end.
fn merged(trace: Trace) -> Vec<(String, i64, i64)> {
    let merged = spall_trace::merge_samples(trace);
    let slices = merged.slices_of(merged.tracks()[0].id);
    slices.map(|(_, slice)| (merged.name(slice.name).into_owned(), slice.start.0, slice.end.0)).collect()
}

fn boxes(expected: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
    expected.iter().map(|&(name, start, end)| (name.to_owned(), start, end)).collect()
}

/// The self time of each call path, and the time without a function.
fn self_times(trace: &Trace) -> (Vec<(String, i64)>, i64) {
    let TrackTree { tree, .. } = spall_samples::call_tree(trace, TrackId(0), &V8);
    let time = |node: &TreeNode| (trace.name(node.function.name).into_owned(), node.self_time.0);
    (tree.nodes().iter().map(time).collect(), tree.unattributed().time.0)
}

/// [samples 1] [samples 2]
#[test]
fn a_sample_stands_for_the_time_before_it() {
    let samples = [(0, "m", 1.0), (10, "ma", 2.5), (4_000, "m", 1.0), (4_010, "", 3.0), (4_020, "mb", -1.0)];
    let trace = trace_of(&[], &samples, Some(10.0));
    let spans: Vec<_> =
        trace.sample_spans(&trace.profiles()[0]).map(|span| (span.start.0, span.end.0)).collect();
    assert_eq!(spans, [(-10, 0), (0, 10), (3_990, 4_000), (4_000, 4_010), (4_020, 4_020)]);
    let expected = [("m", 20), ("a", 10), ("b", 0)].map(|(name, time)| (name.to_owned(), time));
    assert_eq!(self_times(&trace), (expected.to_vec(), 10));
}

/// [samples 2] Beside slices, time is that of the timeline.
#[test]
fn beside_slices_times_add_up_to_the_range() {
    let trace =
        trace_of(&[("s", 15, 35)], &[(10, "mab", 1.0), (20, "mac", 1.0), (30, "ma", 1.0)], Some(10.0));
    let expected =
        [("m", 0), ("a", 5), ("b", 5), ("s", 10), ("c", 10)].map(|(name, time)| (name.to_owned(), time));
    assert_eq!(self_times(&trace), (expected.to_vec(), 0));
}

/// [samples 2]
#[test]
fn a_sample_holds_for_twice_its_time_at_most() {
    let samples = [(100, "m", 1.0), (110, "m", 1.0), (130, "m", 1.0), (151, "m", 1.0), (160, "m", 2.0)];
    let period = trace_of(&[], &samples, Some(10.0));
    assert_eq!(merged(period), boxes(&[("m", 90, 130), ("m", 141, 160)]));
    // Without a thread's work, an hour later: nothing runs meanwhile.
    let gap = trace_of(&[], &[(0, "m", 1.0), (3_600_000, "m", 1.0)], Some(10.0));
    assert_eq!(merged(gap), boxes(&[("m", -10, 0), ("m", 3_599_990, 3_600_000)]));
    let one = trace_of(&[], &[(5, "m", 1.0)], Some(10.0));
    assert_eq!(merged(one), boxes(&[("m", -5, 5)]));
}

/// [samples 2]
#[test]
fn without_a_period_a_sample_holds_until_the_next_one() {
    let trace = trace_of(&[], &[(0, "m", 1.0), (10, "m", 1.0), (4_000, "", 1.0)], None);
    assert_eq!(merged(trace), boxes(&[("m", 0, 4_000)]));
}

/// [cpu 5.1] A slice lies below what the samples before and in it have in common, or those in it and behind it.
#[test]
fn the_functions_around_a_slice_are_those_of_the_samples_around_it() {
    let before =
        trace_of(&[("s", 15, 35)], &[(10, "mab", 1.0), (20, "mac", 1.0), (30, "ma", 1.0)], Some(10.0));
    assert_eq!(
        merged(before),
        boxes(&[("m", 10, 40), ("a", 10, 40), ("b", 10, 15), ("s", 15, 35), ("c", 20, 30)])
    );
    // Only the sample behind the slice tells that `a` ran before it.
    let after = trace_of(&[("s", 15, 35)], &[(10, "m", 1.0), (20, "mac", 1.0), (40, "mab", 1.0)], Some(10.0));
    assert_eq!(
        merged(after),
        boxes(&[("m", 10, 50), ("a", 15, 50), ("s", 15, 35), ("c", 20, 35), ("b", 40, 50)])
    );
    let none_inside = trace_of(&[("s", 12, 18)], &[(10, "mab", 1.0), (20, "mac", 1.0)], Some(10.0));
    assert_eq!(
        merged(none_inside),
        boxes(&[("m", 10, 30), ("a", 10, 30), ("b", 10, 12), ("s", 12, 18), ("c", 20, 30)])
    );
    let alone = trace_of(&[("s", 5, 25)], &[(10, "mab", 1.0)], Some(10.0));
    assert_eq!(merged(alone), boxes(&[("s", 5, 25), ("m", 10, 20), ("a", 10, 20), ("b", 10, 20)]));
}

/// [cpu 5.2]
#[test]
fn what_encloses_a_slice_encloses_the_slices_in_it() {
    let slices = [("s", 15, 65), ("t", 20, 30), ("u", 45, 55)];
    let samples = [(10, "ma", 1.0), (40, "mab", 1.0), (50, "mabc", 1.0), (60, "mad", 1.0), (70, "m", 1.0)];
    let expected = [
        ("m", 10, 90),
        ("a", 10, 70),
        ("s", 15, 65),
        // Only the functions below `s` are known at that time.
        ("t", 20, 30),
        ("b", 40, 60),
        ("u", 45, 55),
        ("c", 50, 55),
        ("d", 60, 65),
    ];
    assert_eq!(merged(trace_of(&slices, &samples, Some(20.0))), boxes(&expected));
}

/// [cpu 5.3] The stack `x` does not begin where most begin: it does not tell that nothing encloses the slice.
#[test]
fn a_stack_that_is_cut_off_lies_where_its_time_puts_it() {
    let samples =
        [(10, "ma", 1.0), (20, "x", 1.0), (30, "mab", 1.0), (40, "", 1.0), (50, "ma", 1.0), (60, "x", 1.0)];
    let expected = [("m", 10, 60), ("a", 10, 60), ("s", 15, 45), ("x", 20, 30), ("b", 30, 40), ("x", 60, 70)];
    assert_eq!(merged(trace_of(&[("s", 15, 45)], &samples, Some(10.0))), boxes(&expected));
}

fn sums(expected: &[(&str, f64)]) -> BTreeMap<String, f64> {
    expected.iter().map(|&(stack, weight)| (stack.to_owned(), weight)).collect()
}

/// [cpu 5.4] Samples alone cannot tell in which of its own calls a function began each slice.
#[test]
fn slices_of_a_function_that_calls_itself_lie_in_its_calls() {
    let slices = [("walk", 0, 100), ("walk", 10, 90), ("walk", 20, 80)];
    let samples = [(-5, "m", 1.0), (50, "mwww", 1.0), (60, "mwwwl", 1.0), (105, "m", 1.0)];
    let known = recorded_trace(&slices, &samples, None, &[("walk", "w")]);
    let expected =
        [("1;m", 2.0), ("1;m;w;<walk>;w;<walk>;w;<walk>", 1.0), ("1;m;w;<walk>;w;<walk>;w;<walk>;l", 1.0)];
    assert_eq!(stacks(&known), sums(&expected));
    let unknown = recorded_trace(&slices, &samples, None, &[("walk", "other"), ("other", "w")]);
    let expected =
        [("1;m", 2.0), ("1;m;<walk>;<walk>;<walk>;w;w;w", 1.0), ("1;m;<walk>;<walk>;<walk>;w;w;w;l", 1.0)];
    assert_eq!(stacks(&unknown), sums(&expected));
}

/// [cpu 5.4] The callee ran before the slice and in it, but not all the time.
#[test]
fn a_slice_lies_in_its_function_and_not_in_what_that_calls() {
    let slices = [("outer", 0, 200), ("step", 100, 140), ("step", 150, 190), ("unsampled", 195, 199)];
    let samples = [(50, "mgh", 1.0), (120, "mgh", 1.0), (170, "mgh", 1.0), (300, "mgh", 1.0)];
    let places = [("step", "g"), ("step", "x"), ("outer", "m"), ("unsampled", "g")];
    let trace = recorded_trace(&slices, &samples, None, &places);
    let expected = [("1;m;<outer>;g;h", 1.0), ("1;m;<outer>;g;<step>;h", 2.0), ("1;m;g;h", 1.0)];
    assert_eq!(stacks(&trace), sums(&expected));
    let merged = merged(trace);
    let depth = |name| merged.iter().position(|(found, ..)| found == name).unwrap();
    assert!(depth("g") < depth("step") && depth("outer") < depth("g"));
    // Without a sample in it, a slice lies in its function, too.
    let (_, start, end) = merged.iter().rfind(|(name, start, _)| name == "g" && *start < 195).unwrap();
    assert!(*start <= 195 && *end >= 199, "{merged:?}");
}

/// [cpu 5.1] [cpu 5.4] A program of this project that `perf` sampled. Where a span lies is told a second time here, from the
/// text of `perf` alone: each function of the program begins with its span, and `check` is in `work`.
#[test]
fn spans_of_a_sampled_program_lie_in_their_functions() {
    let folder = spall_testdata::folders("native").remove(0);
    let own = std::fs::read(folder.join("sampled.spall")).unwrap();
    let text = std::fs::read_to_string(folder.join("sampled.perf.txt")).unwrap();
    let (own, perf) = (load(&own).unwrap(), load(text.as_bytes()).unwrap());
    let merged =
        merge_traces(&[MergeInput::new(&own, "own"), MergeInput::new(&perf, "perf")], &Limits::default());
    assert_eq!(merged.placements[1].by, PlacedBy::Monotonic);
    assert_eq!(merged.trace.processes().len(), 1);
    let origin = own.clock().monotonic_ns.unwrap();

    let mut expected = BTreeMap::<String, f64>::new();
    let mut n_skipped = 0;
    for sample in text.split("\n\n").filter(|sample| sample.contains("cpu-clock")) {
        let (head, frames) = sample.trim_start().split_once(" cpu-clock:").unwrap();
        let head = head.lines().last().unwrap();
        let [weight, time, ids] = *head.split_whitespace().rev().take(3).collect::<Vec<_>>() else {
            panic!("{head}")
        };
        let (seconds, micros) = time.trim_end_matches(':').split_once('.').unwrap();
        let at =
            seconds.parse::<i64>().unwrap() * 1_000_000_000 + micros.parse::<i64>().unwrap() * 1_000 - origin;
        let tid = ids.split_once('/').unwrap().1;
        let spans = own.tracks().iter().filter(|track| match track.kind {
            TrackKind::Thread { tid: own_tid } => own.key_text(own_tid) == tid,
            _ => false,
        });
        let spans = spans.flat_map(|track| own.slices_of(track.id));
        let open = spans.filter(|(_, span)| span.start.0 <= at && at < span.end.0);
        let mut open: VecDeque<_> = open.map(|(_, span)| own.name(span.name).into_owned()).collect();
        let mut path = vec![tid.to_owned()];
        let functions = frames.lines().filter_map(|line| line.trim().split_once(' ')).rev();
        for (_, function) in functions {
            let (function, _) = function.rsplit_once(" (").unwrap();
            let function = function.rsplit_once("+0x").map_or(function, |(function, _)| function);
            path.push(function.to_owned());
            let is_here = |span: &String| {
                let of = if span == "check" { "work" } else { span };
                function == format!("sampled::{of}")
            };
            // Another span of the same name is of another call.
            let mut before = String::new();
            while let Some(span) = open.pop_front_if(|span| is_here(span) && **span != *before) {
                path.push(format!("<{span}>"));
                before = span;
            }
        }
        // Without frame pointers of its own, a function hides its caller, and the profiler loses some stacks.
        if open.is_empty() && path.iter().any(|function| function == "start_thread") {
            *expected.entry(path.join(";")).or_default() += weight.parse::<f64>().unwrap();
        } else {
            n_skipped += 1;
        }
    }
    let found = stacks(&merged.trace);
    let different: Vec<_> =
        expected.iter().filter(|&(path, weight)| found.get(path) != Some(weight)).collect();
    let n_walks = expected.keys().map(|path| path.matches("<walk>").count()).max().unwrap();
    assert!(expected.len() > 20 && n_walks == 4, "{} paths, {n_walks} calls", expected.len());
    assert!(n_skipped <= 5, "{n_skipped}");
    assert!(different.is_empty(), "{different:#?}\n{found:#?}");
}

//! Exports of traces for other programs.

use alloc::{borrow::Cow, collections::BTreeMap};

use serde_json::Value;
use spall_trace::{
    Format,
    export::{self, ExportOptions, ExportReport, Loss, StackRoot, Target},
    model::{
        Clock, Conventions, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Key, Limits, Measure,
        MetaEvent, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackKind,
        TrackSet, Unit, Weights,
    },
};

use spall_fuzz::{facts::facts, overlapping::overlapping};

fn load(data: &[u8]) -> Trace {
    spall_trace::load(data).unwrap()
}

fn exported(
    trace: &Trace,
    write: impl Fn(&Trace, &mut Vec<u8>) -> std::io::Result<ExportReport>,
) -> (Vec<u8>, ExportReport) {
    let mut file = Vec::new();
    let exported = write(trace, &mut file).unwrap();
    (file, exported)
}

/// What JSON has no form for is counted.
#[test]
fn json_counts_rounded_times_replaced_bytes_and_ids_that_become_text() {
    let losses = |clock: Clock, conventions: Conventions, event: &Event<'_>| {
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Clock(clock));
        builder.push(&Event::Conventions(conventions));
        builder.push(event);
        let (_, report) = exported(&builder.finish(), |trace, out| export::json(trace, out));
        report.losses().collect::<Vec<_>>()
    };
    let slice = |pid: i64, name| {
        Event::Complete(ThreadEvent::new(Thread::new(pid, 1), Tick(5), Text::plain(name)), Ticks(2))
    };
    let (signed, unsigned) = (Conventions::default(), Conventions::default().with_unsigned_ids());
    let quarters = Clock::new(Unit::Nanoseconds(0.25));
    assert_eq!(losses(Clock::NANOSECONDS, signed, &slice(-1, b"a")), []);
    assert_eq!(losses(quarters, signed, &slice(1, b"a")), [(Loss::ExactTime, 1)]);
    assert_eq!(losses(Clock::NANOSECONDS, signed, &slice(1, b"\xff")), [(Loss::Text, 1)]);
    assert_eq!(losses(Clock::NANOSECONDS, unsigned, &slice(1, b"a")), []);
    assert_eq!(losses(Clock::NANOSECONDS, unsigned, &slice(-1, b"a")), [(Loss::IdType, 1)]);
    let meta = Event::Meta(MetaEvent::new(Text::from("nan"), spall_trace::model::Value::F64(f64::NAN)));
    assert_eq!(losses(Clock::NANOSECONDS, signed, &meta), [(Loss::ArgumentType, 1)]);
}

/// Floats hold each nanosecond up to 2⁵³, and no other writer rounds what it does not count.
#[test]
fn every_export_counts_the_times_that_it_rounds() {
    let far = 1_700_000_000_123_456_789_i64;
    let trace = |unit, starts: [i64; 2], duration| {
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Clock(Clock::new(unit)));
        for at in starts {
            let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("a"));
            builder.push(&Event::Complete(event, Ticks(duration)));
        }
        builder.finish()
    };
    let (near, thirds) = (Unit::Nanoseconds(1.0), Unit::Nanoseconds(1.0 / 3.0));
    let unix = trace(near, [0, far], 4000);
    let (short, long) = (trace(thirds, [0, 3], 2), trace(thirds, [0, far], 5));
    let n_rounded = |trace: &Trace, write: fn(&Trace, &mut Vec<u8>) -> std::io::Result<ExportReport>| {
        exported(trace, write).1.count(Loss::ExactTime)
    };
    let rounded = |write| [&unix, &short, &long].map(|trace| n_rounded(trace, write));
    assert_eq!(rounded(|trace, out| export::json(trace, out)), [0, 2, 2]);
    // The file has fractions of nanoseconds.
    assert_eq!(rounded(|trace, out| export::speedscope(trace, "", out)), [0, 0, 1]);
    // Markers have two times. Edges of slices have one, of which the first is 0.
    assert_eq!(rounded(|trace, out| export::firefox(trace, "", out)), [1, 2, 2]);
    assert_eq!(rounded(|trace, out| export::perfetto(trace, out)), [0, 3, 3]);

    let (file, _) = exported(&unix, |trace, out| export::speedscope(trace, "", out));
    let again = load(&file);
    assert_eq!(again.slices().starts(), unix.slices().starts());
    assert_eq!(again.slices().ends(), unix.slices().ends());
}

/// A time beyond all floats is the largest one: JSON has no infinity.
#[test]
fn speedscope_has_finite_numbers() {
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::Clock(Clock::new(Unit::Nanoseconds(1e300))));
    for (at, ticks) in [(0, 1), (i64::MAX / 2, i64::MAX / 4)] {
        let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("a"));
        builder.push(&Event::Complete(event, Ticks(ticks)));
    }
    let (file, report) = exported(&builder.finish(), |trace, out| export::speedscope(trace, "", out));
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["profiles"][0]["endValue"], f64::MAX);
    assert_eq!(report.count(Loss::Time), 1);
}

/// Calls `see` for all traces that are not large, with their names and formats.
fn over_files(mut see: impl FnMut(&str, Format, Trace)) {
    for path in spall_testdata::inputs("", "") {
        let data = std::fs::read(&path).unwrap();
        if data.len() > 1 << 19 {
            continue;
        }
        let Ok(trace) = spall_trace::load(&data) else { continue };
        see(&path.to_string_lossy(), spall_trace::detect(&data).unwrap(), trace);
    }
}

/// Returns whether samples stand for anything but the time up to the next one.
fn has_period(trace: &Trace) -> bool {
    trace.profiles().iter().any(|profile| profile.weights != Weights::Samples)
}

#[test]
fn json_is_the_same_trace_again() {
    let mut n_traces = 0;
    over_files(|name, format, trace| {
        // Ticks that are not nanoseconds are rounded, tracks that are not threads become threads, and unsigned ids of more
        // than 63 bits become text. JSON has no place for what samples stand for.
        let is_ns = trace.clock().ns_per_tick() == Some(1.0);
        if has_period(&trace) || !is_ns || trace.conventions().unsigned_ids && has_large_ids(&trace) {
            return;
        }
        let (json, exported) = exported(&trace, |trace, out| export::json(trace, out));
        // Other formats have what JSON has no place for, such as tracks of their own, which is counted.
        let is_like_json = matches!(
            format,
            Format::TraceEventJson
                | Format::CpuProfile
                | Format::Spall { .. }
                | Format::SpallAuto
                | Format::Heph
        );
        if !is_like_json && !exported.is_lossless() {
            return;
        }
        assert_eq!(exported.left_out(), 0, "{name}");
        serde_json::from_slice::<Value>(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        // An end that was left out shows how long a thread goes on, and so how far its unfinished slices are drawn.
        let unmatched = [DiagnosticKind::UnmatchedEnd, DiagnosticKind::UnmatchedAsync];
        let has_unmatched = unmatched.iter().any(|&kind| trace.diagnostics().count(kind) > 0);
        let said = |trace: &Trace| {
            let mut facts = facts(trace);
            let added = ["meta None \"displayTimeUnit\"", "meta None \"base"];
            facts.retain(|fact| {
                !added.iter().any(|key| fact.starts_with(key))
                    && !(has_unmatched && (fact.starts_with("bounds") || fact.starts_with("place")))
            });
            facts
        };
        let (before, after) = (said(&trace), said(&load(&json)));
        let differs = before.iter().zip(&after).find(|(before, after)| before != after);
        assert_eq!(differs, None, "{name}");
        assert_eq!(before.len(), after.len(), "{name}");
        n_traces += 1;
    });
    assert!(n_traces > 100, "{n_traces}");
}

/// A slice of JSON names one flow in its own fields. What leaves it besides is another flow than one that arrives by fields.
#[test]
fn flows_that_json_tells_apart_are_counted() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let slice = |tid, at| ThreadEvent::new(Thread::new(1, tid), Tick(at), Text::from("s"));
    let flow = |phase, slice: ThreadEvent<'static>, ids: &[i64], builder: &mut TraceBuilder| {
        builder.push(&Event::Complete(slice, Ticks(5)));
        for &id in ids {
            let event = FlowEvent::new(phase, FlowBind::Slice, slice.thread, slice.at, id, Text::EMPTY);
            builder.push(&Event::Flow(event));
        }
    };
    flow(FlowPhase::Start, slice(1, 0), &[7, 8, 9], &mut builder);
    flow(FlowPhase::End, slice(2, 10), &[7], &mut builder);
    flow(FlowPhase::End, slice(3, 20), &[8], &mut builder);
    flow(FlowPhase::End, slice(4, 30), &[9], &mut builder);
    let trace = builder.finish();
    assert_eq!(trace.flows().len(), 3);
    let (json, report) = exported(&trace, |trace, out| export::json(trace, out));
    assert_eq!(load(&json).flows().len(), 1);
    assert_eq!(report.count(Loss::Flow), 2);
}

fn has_large_ids(trace: &Trace) -> bool {
    let is_large = |key: Key| matches!(key, Key::Number(number) if number < 0);
    let threads =
        trace.tracks().iter().any(|track| matches!(track.kind, TrackKind::Thread { tid } if is_large(tid)));
    threads || trace.processes().iter().any(|process| is_large(process.pid))
}

/// Returns the facts that spall 3 can hold: threads with their names, and slices. Times begin at 0.
fn slices(trace: &Trace) -> Vec<String> {
    let first = trace.bounds().map_or(0, |bounds| bounds.start.0.min(0));
    let mut slices = Vec::new();
    for process in trace.processes() {
        for track in trace.tracks_of(process.id) {
            let TrackKind::Thread { tid } = track.kind else { continue };
            let (pid, tid) = (trace.key_text(process.pid), trace.key_text(tid));
            slices.push(format!("{pid} {tid} {:?} {:?}", trace.name(process.name), trace.name(track.name)));
            for (id, slice) in trace.slices_of(track.id) {
                let (start, open) = (slice.start.0 - first, slice.flags.is_unfinished());
                let end = if open { "?".into() } else { (slice.end.0 - first).to_string() };
                let args = trace.slice_args(id).begin.get(b"text");
                slices.push(format!("{:?} {start}..{end} {args:?}", trace.name(slice.name)));
            }
        }
    }
    slices
}

#[test]
fn spall_is_the_same_trace_again_where_it_can_hold_it() {
    let mut n_traces = 0;
    over_files(|name, format, trace| {
        let (file, exported) = exported(&trace, |trace, out| export::spall(trace, out));
        let again = load(&file);
        assert!(again.diagnostics().count(DiagnosticKind::UnmatchedEnd) == 0, "{name}");
        assert_eq!(again.slices().len(), trace.slices().len(), "{name}");
        // An empty file of version 3 has no thread to name.
        if matches!(format, Format::Spall { version: 3 }) && exported.is_lossless() {
            assert_eq!(slices(&again), slices(&trace), "{name}");
            n_traces += 1;
        }
    });
    assert!(n_traces > 5, "{n_traces}");
}

#[test]
fn facts_that_spall_cannot_hold_are_counted() {
    let json = br#"[{"ph":"X","name":"a","pid":-1,"tid":"main","ts":-2,"dur":5},
        {"ph":"X","name":"overlaps","pid":-1,"tid":"main","ts":1,"dur":5,"args":{"n":1}},
        {"ph":"X","name":"b","cat":"c","pid":3,"tid":4,"ts":1,"dur":1},
        {"ph":"B","name":"open","pid":3,"tid":4,"ts":2},{"ph":"B","name":"inner","pid":3,"tid":4,"ts":3},
        {"ph":"i","name":"now","pid":3,"tid":4,"ts":1},
        {"ph":"b","name":"span","cat":"c","id":1,"pid":3,"ts":1},{"ph":"e","name":"span","cat":"c","id":1,"pid":3,"ts":2},
        {"ph":"C","name":"counter","pid":3,"ts":1,"args":{"x":1,"y":2}}]"#;
    let (file, exported) = exported(&load(json), |trace, out| export::spall(trace, out));
    let expected = [
        (Loss::Instant, 1),
        (Loss::CounterValue, 2),
        // The id of the span.
        (Loss::Metadata, 1),
        (Loss::Category, 2),
        (Loss::ArgumentType, 1),
    ];
    assert_eq!(exported.losses().collect::<Vec<_>>(), expected);
    assert_eq!((exported.left_out(), exported.in_part(), exported.moved.0), (4, 3, 2000));
    let expected = [
        r#"3 4 "" """#,
        r#""b" 3000..4000 None"#,
        r#""open" 4000..? None"#,
        r#""inner" 5000..? None"#,
        r#"3 4294967294 "" "span""#,
        r#""span" 3000..4000 None"#,
        r#"4294967295 4294967295 "-1" "main""#,
        r#""a" 0..5000 None"#,
        r#"4294967295 4294967294 "-1" "main (2)""#,
        r#""overlaps" 3000..8000 Some(Text(Text { raw: [110, 61, 49], form: Plain }))"#,
    ];
    assert_eq!(slices(&load(&file)), expected);
}

#[test]
fn each_target_is_found_by_its_name_and_end_and_has_the_functions_of_samples() {
    let trace = load(b"main;work 30 5\n");
    for target in Target::ALL {
        let path = format!("run.json{}", target.file_end);
        let found =
            [Target::of_name(target.name), Target::of_path(path.to_uppercase()), Target::of_path(&path)];
        assert_eq!(found.map(|found| found.unwrap().name), [target.name; 3]);
        let (file, _) =
            exported(&trace, |trace, out| target.write(Cow::Borrowed(trace), &ExportOptions::default(), out));
        assert!(file.windows(4).any(|bytes| bytes == b"work"), "{target:?}");
    }
    let faults = [1, 5].map(|at| format!("run 7 {at}.0: 3 page-faults: \n\t1000 work ([unknown])\n\n"));
    let (file, _) = exported(&load(faults.concat().as_bytes()), |trace, out| {
        let folded = Target::of_name("folded").unwrap();
        folded.write(Cow::Borrowed(trace), &ExportOptions::default(), out)
    });
    assert_eq!(str::from_utf8(&file), Ok("run;work 6\n"), "of the value that is shown");
}

#[test]
fn self_times_of_folded_stacks_add_up_to_the_time_of_their_thread() {
    over_files(|name, _, trace| {
        // Durations that a tick cannot express saturate.
        let saturates =
            trace.bounds().is_some_and(|bounds| bounds.end.0.checked_sub(bounds.start.0).is_none());
        if saturates || has_period(&trace) {
            return;
        }
        let (file, _) = exported(&trace, |trace, out| {
            export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Ids, out)
        });
        let mut sums = BTreeMap::<String, i64>::new();
        for line in String::from_utf8(file).unwrap().lines() {
            let (stack, own) = line.rsplit_once(' ').unwrap();
            let thread = stack.split_once(';').map_or(stack, |(thread, _)| thread);
            *sums.entry(thread.into()).or_default() += own.parse::<i64>().unwrap();
        }
        for tree in spall_trace::samples::call_trees(
            &trace,
            &spall_trace::json::V8,
            TrackSet::Threads,
            Measure::WallTime,
        ) {
            let track = &trace.tracks()[tree.track.index()];
            let TrackKind::Thread { tid } = track.kind else { continue };
            let pid = trace.processes()[track.process.unwrap().0 as usize].pid;
            let thread = format!("{}:{}", trace.key_text(pid), trace.key_text(tid));
            let duration = tree.range.map_or(0, |range| (range.end - range.start).0);
            let expected = duration + overlapping(&trace, tree.track).0;
            assert_eq!(sums.remove(&thread).unwrap_or(0), expected, "{name} {thread}");
        }
        assert_eq!(sums, BTreeMap::new(), "{name}");
    });
}

#[test]
fn what_is_in_no_tree_is_counted_and_slices_that_overlap_are_in_theirs() {
    let json = br#"[{"ph":"X","name":"a","pid":1,"tid":2,"ts":0,"dur":5},
        {"ph":"X","name":"overlaps","pid":1,"tid":2,"ts":1,"dur":5},
        {"ph":"b","name":"request","cat":"c","id":1,"pid":1,"ts":2},{"ph":"e","name":"request","cat":"c","id":1,"pid":1,"ts":9},
        {"ph":"i","name":"now","pid":1,"tid":2,"ts":1}]"#;
    let written = |tracks| {
        let (file, report) = exported(&load(json), |trace, out| {
            export::folded(trace, tracks, Measure::WallTime, StackRoot::Name, out)
        });
        let losses = report.losses().filter(|(loss, _)| *loss != Loss::Metadata).collect::<Vec<_>>();
        (String::from_utf8(file).unwrap(), losses)
    };
    let (threads, span) = ("1:2;a 5000\n1:2;overlaps 5000\n", "request;request 7000\n");
    let instant = (Loss::Instant, 1);
    assert_eq!(written(TrackSet::Threads), (threads.to_owned(), vec![instant]));
    assert_eq!(written(TrackSet::Async), (span.to_owned(), vec![instant]));
    assert_eq!(written(TrackSet::All), (format!("{threads}{span}"), vec![instant]));
}

/// Checks the rules of speedscope's schema, and those of its importer. Returns the number of slices.
fn check_speedscope(name: &str, file: &[u8]) -> usize {
    let file: Value = serde_json::from_slice(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let frames = file["shared"]["frames"].as_array().unwrap();
    assert!(frames.iter().all(|frame| frame["name"].is_string()), "{name}");
    let mut n_slices = 0;
    for profile in file["profiles"].as_array().unwrap() {
        assert!(profile["name"].is_string(), "{name}");
        assert!(["nanoseconds", "bytes", "none"].map(Value::from).contains(&profile["unit"]), "{name}");
        if profile["type"] == "sampled" {
            let (stacks, weights) =
                (profile["samples"].as_array().unwrap(), profile["weights"].as_array().unwrap());
            assert_eq!(stacks.len(), weights.len(), "{name}");
            let numbers = stacks.iter().flat_map(|stack| stack.as_array().unwrap());
            assert!(
                numbers.map(|number| number.as_u64().unwrap()).all(|number| number < frames.len() as u64)
            );
            assert!(weights.iter().all(|weight| weight.as_f64().unwrap() >= 0.0), "{name}");
            continue;
        }
        assert_eq!(profile["type"], "evented", "{name}");
        let mut now = profile["startValue"].as_f64().unwrap();
        let mut open = Vec::new();
        for event in profile["events"].as_array().unwrap() {
            let (at, frame) = (event["at"].as_f64().unwrap(), event["frame"].as_u64().unwrap());
            assert!(at >= now, "{name}: {at} after {now}");
            now = at;
            assert!(usize::try_from(frame).unwrap() < frames.len(), "{name}");
            match event["type"].as_str().unwrap() {
                "O" => open.push(frame),
                "C" => assert_eq!(open.pop(), Some(frame), "{name}"),
                other => panic!("{name}: {other}"),
            }
            n_slices += usize::from(event["type"] == "O");
        }
        assert!(open.is_empty(), "{name}");
        assert!(profile["endValue"].as_f64().unwrap() >= now, "{name}");
    }
    n_slices
}

#[test]
fn speedscope_files_are_as_their_schema_says_and_have_every_slice() {
    over_files(|name, _, trace| {
        let trace = spall_trace::merge_samples(trace);
        let (file, _) = exported(&trace, |trace, out| export::speedscope(trace, "title", out));
        assert_eq!(check_speedscope(name, &file), trace.slices().len(), "{name}");
    });
}

#[test]
fn samples_are_a_profile_unless_they_are_merged() {
    let profile = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
        {"id":2,"callFrame":{"functionName":"work","url":"a \"b\"","lineNumber":6}}],
        "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
    let trace = load(profile);
    let (file, left_out) = exported(&trace, |trace, out| export::speedscope(trace, "", out));
    assert!(left_out.is_lossless());
    let file: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["profiles"][0]["samples"], serde_json::json!([[0, 1], [0, 1]]));
    assert_eq!(file["profiles"][0]["weights"], serde_json::json!([10_000.0, 10_000.0]));
    let merged = spall_trace::merge_samples(trace);
    let (file, left_out) = exported(&merged, |trace, out| export::speedscope(trace, "", out));
    assert!(left_out.is_lossless());
    let file: Value = serde_json::from_slice(&file).unwrap();
    let frame = serde_json::json!({"name": "work", "file": "a \"b\"", "line": 7});
    assert_eq!(file["shared"]["frames"], serde_json::json!([frame]));
}

#[test]
fn folded_stacks_begin_with_the_name_of_their_thread() {
    let json = br##"[
        {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main;loop 3"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"pool"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"pool"}},
        {"ph":"M","name":"thread_name","pid":2,"tid":5,"args":{"name":"#5"}},
        {"ph":"M","name":"thread_name","pid":2,"tid":7,"args":{"name":"main;loop 3"}},
        {"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1},
        {"ph":"X","name":"f","pid":1,"tid":1,"ts":5,"dur":1},
        {"ph":"X","name":"f","pid":1,"tid":2,"ts":0,"dur":1},
        {"ph":"X","name":"f","pid":1,"tid":3,"ts":0,"dur":1},
        {"ph":"X","name":"f","pid":1,"tid":4,"ts":0,"dur":1},
        {"ph":"X","name":"f","pid":2,"tid":5,"ts":0,"dur":1},
        {"ph":"X","name":"f","pid":2,"tid":6,"ts":0,"dur":1}]"##;
    let trace = load(json);
    let (file, _) = exported(&trace, |trace, out| {
        export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out)
    });
    let file = String::from_utf8(file).unwrap();
    let mut lines: Vec<_> = file.lines().collect();
    lines.sort_unstable();
    // The thread without slices or samples has no stacks, so its name counts for none.
    let expected = [
        "2:6;f 1000",
        "_#5;f 1000",
        "app;f 1000",
        "main:loop_3 4000",
        "main:loop_3;f 2000",
        "pool-1/2;f 1000",
        "pool-1/3;f 1000",
    ];
    assert_eq!(lines, expected);
    let (ids, _) = exported(&trace, |trace, out| {
        export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Ids, out)
    });
    let ids = String::from_utf8(ids).unwrap();
    assert!(ids.contains("1:1 4000\n1:1;f 2000\n1:4;f 1000\n1:2;f 1000\n"), "{ids}");
    let (nested, _) =
        exported(&trace, |trace, out| export::nested(trace, TrackSet::Threads, Measure::WallTime, out));
    let nested = String::from_utf8(nested).unwrap();
    for name in ["main;loop 3", "pool 1/2", "pool 1/3", "app", "#5", "2:6"] {
        assert!(nested.contains(&format!("{{\"name\":\"{name}\"")), "{name}: {nested}");
    }
}

#[test]
fn folded_stacks_of_very_deep_calls_are_bounded_and_keep_their_time() {
    let n_calls = 300_000_i64;
    let mut json = String::from("[");
    for at in 0..n_calls {
        json += &format!(r#"{{"ph":"B","name":"f","pid":1,"tid":1,"ts":{at}}},"#);
    }
    for at in n_calls..2 * n_calls {
        json += &format!(r#"{{"ph":"E","pid":1,"tid":1,"ts":{at}}},"#);
    }
    json += "]";
    let trace = load(json.as_bytes());
    let (file, report) = exported(&trace, |trace, out| {
        export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out)
    });
    assert!(file.len() < 2 << 20, "{} bytes", file.len());
    assert_eq!(report.losses().collect::<Vec<_>>(), [(Loss::DeepStack, 300_000 - 1024)]);
    let text = String::from_utf8(file).unwrap();
    let times = text.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<i64>().unwrap());
    assert_eq!(times.sum::<i64>(), (2 * n_calls - 1) * 1000);
}

#[test]
fn an_unnamed_slice_is_a_frame_of_folded_stacks() {
    let folded = |json: &'static [u8]| {
        let (file, _) = exported(&load(json), |trace, out| {
            export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out)
        });
        String::from_utf8(file).unwrap()
    };
    let outermost = br#"[{"ph":"X","ts":0,"dur":10,"pid":1,"tid":1},
        {"ph":"X","name":"q","ts":2,"dur":3,"pid":1,"tid":1},
        {"ph":"X","name":"r","ts":20,"dur":1,"pid":1,"tid":1}]"#;
    assert_eq!(folded(outermost), "1:1 10000\n1:1;(anonymous) 7000\n1:1;(anonymous);q 3000\n1:1;r 1000\n");
    let inside =
        br#"[{"ph":"X","name":"a","ts":0,"dur":10,"pid":1,"tid":1},{"ph":"X","ts":1,"dur":8,"pid":1,"tid":1},
        {"ph":"X","name":"c;d e","ts":2,"dur":5,"pid":1,"tid":1}]"#;
    assert_eq!(folded(inside), "1:1;a 2000\n1:1;a;(anonymous) 3000\n1:1;a;(anonymous);c:d e 5000\n");
}

#[test]
fn times_of_speedscope_are_exact_far_from_the_epoch() {
    let json = br#"[{"ph":"X","name":"a","ts":1700000000123456.789,"dur":0.111,"pid":1,"tid":1},
        {"ph":"X","name":"b","ts":1700000000123456.800,"dur":0.010,"pid":1,"tid":1}]"#;
    let (file, _) = exported(&load(json), |trace, out| export::speedscope(trace, "epoch", out));
    let file: Value = serde_json::from_slice(&file).unwrap();
    let profile = &file["profiles"][0];
    let times: Vec<f64> =
        profile["events"].as_array().unwrap().iter().map(|event| event["at"].as_f64().unwrap()).collect();
    assert_eq!(times, [0.0, 11.0, 21.0, 111.0]);
    assert_eq!((profile["startValue"].as_f64(), profile["endValue"].as_f64()), (Some(0.0), Some(111.0)));
}

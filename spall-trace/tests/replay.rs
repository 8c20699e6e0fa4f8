//! The events of a replay rebuild the same trace.

use core::convert::Infallible;

use spall_synth::{
    apitrace, auto,
    cpu_profile::{self, Form},
    heph, spall as synth,
};
use spall_trace::model::{DiagnosticKind, Event, Limits, SliceFlags, Trace, TraceBuilder, TraceView, Value};

use spall_fuzz::facts::facts;

fn again(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), Infallible>(())
    });
    builder.finish()
}

fn load(data: &[u8]) -> Trace {
    spall_trace::load(data).unwrap()
}

/// Returns whether an unmatched end may lie at the very end of a track, to which unfinished slices are drawn.
fn has_unmatched(trace: &Trace) -> bool {
    let kinds = [DiagnosticKind::UnmatchedEnd, DiagnosticKind::UnmatchedAsync];
    kinds.iter().any(|&kind| trace.diagnostics().count(kind) > 0)
}

#[test]
fn files_of_every_format_become_the_same_trace_again() {
    let (mut n_whole, mut n_faulty) = (0, 0);
    for path in spall_testdata::inputs("", "") {
        let data = std::fs::read(&path).unwrap();
        let Ok(trace) = spall_trace::load(&data) else { continue };
        if data.len() > 1 << 20 {
            continue;
        }
        let rebuilt = again(&trace);
        if !has_unmatched(&trace) && rebuilt == trace {
            n_whole += 1;
            continue;
        }
        let (mut before, mut after) = (facts(&trace), facts(&rebuilt));
        if has_unmatched(&trace) {
            n_faulty += 1;
            for facts in [&mut before, &mut after] {
                facts.retain(|fact| !fact.starts_with("bounds") && !fact.starts_with("place"));
            }
        }
        let differs = before.iter().zip(&after).find(|(before, after)| before != after);
        assert_eq!(differs, None, "{}", path.display());
        assert_eq!(before.len(), after.len(), "{}", path.display());
        assert!(
            has_unmatched(&trace),
            "{}: the traces differ in something that is no fact of the list",
            path.display()
        );
    }
    assert!(n_whole > 100 && n_faulty > 5, "{n_whole} {n_faulty}");
}

#[test]
fn generated_files_of_every_format_become_the_same_trace_again() {
    let shape = synth::Shape { slices: 500, ..synth::Shape::default() };
    let profile = cpu_profile::Profile::random(300, 30, 1000, 1);
    let mut files =
        vec![synth::trace(&shape), heph::trace(50, 3, 4, false), auto::sample(), apitrace::game(12)];
    files.extend([Form::Document, Form::Event].map(|form| profile.to_json(form).into_bytes()));
    for (index, data) in files.iter().enumerate() {
        let trace = load(data);
        let rebuilt = again(&trace);
        if rebuilt != trace {
            assert_eq!(facts(&rebuilt), facts(&trace), "{index}");
            panic!("{index}: the traces differ in something that is no fact of the list");
        }
    }
}

/// Returns a document of async events, of which each is written as a phase, a name and a time.
fn spans(events: &str) -> String {
    let events: Vec<String> = events
        .split(',')
        .map(|event| {
            let words: Vec<&str> = event.split_whitespace().collect();
            let &[phase, name, at] = &words[..] else { panic!("{event}") };
            let args = format!(r#"{{"step":"{name}","{phase}":{at}}}"#);
            let name = if "STpF".contains(phase) { "old" } else { name };
            format!(r#"{{"ph":"{phase}","cat":"c","id":1,"pid":1,"name":"{name}","ts":{at},"args":{args}}}"#)
        })
        .collect();
    format!("[{}]", events.join(","))
}

#[test]
fn async_spans_keep_their_depths_whatever_happens_at_one_time() {
    for events in [
        "b a 0, b b 1, e a 5, b c 5, e b 5, e c 9",
        "b a 0, b b 1, b c 5, e a 5, e b 5, e c 9",
        "b a 0, e a 5, b a 5, e a 9",
        "b a 0, b x 1, e a 5, b a 5, e x 9, e a 9",
        "b a 0, b b 5, b a 5, e a 5, e a 5, n i 5, e b 7",
        "b a 0, b b 5, n i 5, e b 5, n j 5, e a 5, n k 5, b d 5, e d 5",
        "n i 0, b a 0, n j 0, e a 0, b b 0, b c 1",
        "b a 0, b b 0, b c 0, e b 3, n i 3, e c 3, b d 3, e a 3, e d 4",
        "S a 0, T b 0, T c 4, F d 9, S a 9, p b 12, p c 15, F d 20",
        "S a 0, p b 4, F d 4, S a 5, T b 5, T c 6",
    ] {
        let json = spans(events);
        let trace = load(json.as_bytes());
        assert!(!has_unmatched(&trace), "{events}");
        assert_eq!(facts(&again(&trace)), facts(&trace), "{events}");
    }
}

#[test]
fn heph_b_2_slices_of_equal_bounds_keep_their_order_though_the_file_has_children_first() {
    let packets = ["child", "parent"]
        .iter()
        .zip(0..)
        .map(|(name, counter)| heph::Event::new((1, counter, 0), 5..9, name).bytes());
    let data = [heph::epoch(0), packets.collect::<Vec<_>>().concat()].concat();
    let (trace, names) = (load(&data), |trace: &Trace| {
        let ids = trace.slices().ids().iter();
        ids.map(|id| trace.slice_name(id).into_owned()).collect::<Vec<_>>()
    });
    assert_eq!(names(&trace), ["parent", "child"]);
    assert_eq!(names(&again(&trace)), ["parent", "child"]);
}

#[test]
fn flows_leave_and_arrive_at_the_same_times() {
    let json = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10,"bind_id":7,"flow_out":true},
        {"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":3},{"ph":"X","name":"c","pid":1,"tid":2,"ts":4,"dur":9},
        {"ph":"X","name":"d","pid":1,"tid":2,"ts":20,"dur":5,"bind_id":7,"flow_in":true,"flow_out":true},
        {"ph":"X","name":"e","pid":1,"tid":1,"ts":30,"dur":5,"bind_id":7,"flow_in":true},
        {"ph":"s","name":"f","cat":"x","id":1,"pid":1,"tid":1,"ts":3,"args":{"n":1}},
        {"ph":"s","name":"f","cat":"y","id":1,"pid":1,"tid":1,"ts":6},
        {"ph":"t","name":"f","cat":"x","id":1,"pid":1,"tid":2,"ts":6},
        {"ph":"f","name":"f","cat":"x","id":1,"pid":1,"tid":2,"ts":14,"args":{"n":2}},
        {"ph":"f","name":"f","cat":"y","id":1,"pid":1,"tid":2,"ts":21,"bp":"e"}]"#;
    let trace = load(json);
    assert_eq!(trace.flows().len(), 5);
    assert_eq!(facts(&again(&trace)), facts(&trace));
}

#[test]
fn objects_of_one_id_are_told_apart_by_their_scopes() {
    let json = br#"[{"ph":"N","name":"T","id":1,"scope":"p","pid":1,"ts":0},{"ph":"N","name":"U","id":1,"scope":"q","pid":1,"ts":1},
        {"ph":"O","name":"T","id":1,"scope":"p","pid":1,"ts":2,"args":{"snapshot":{"n":1}}},
        {"ph":"D","name":"U","id":1,"scope":"q","pid":1,"ts":3},{"ph":"D","name":"T","id":1,"scope":"p","pid":1,"ts":4}]"#;
    let trace = load(json);
    assert_eq!(trace.objects().len(), 2);
    assert_eq!(facts(&again(&trace)), facts(&trace));
}

#[test]
fn samples_are_replayed_and_slices_inferred_from_them_are_not() {
    let profile = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
        {"id":2,"callFrame":{"functionName":"work"}}],
        "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
    let merged = spall_trace::merge_samples(load(profile));
    assert!(merged.slices().flags().iter().all(|flags| flags.contains(SliceFlags::SAMPLED)));
    let again = again(&merged);
    assert!(again.slices().is_empty());
    assert_eq!(facts(&spall_trace::merge_samples(again)), facts(&merged));
}

#[test]
fn faults_of_events_are_reported_again_and_others_are_not() {
    let json = br#"[{"ph":"B","name":"open","pid":1,"tid":1,"ts":0},
        {"ph":"X","name":"negative","pid":1,"tid":1,"ts":5,"dur":-1},
        {"ph":"e","cat":"c","id":7,"name":"no begin","pid":1,"tid":1,"ts":6},
        {"ph":"E","name":"other","pid":1,"tid":2,"ts":9}]"#;
    let trace = load(json);
    let again = again(&trace);
    let counts = |trace: &Trace| {
        let kinds = [
            DiagnosticKind::UnfinishedSlice,
            DiagnosticKind::UnmatchedAsync,
            DiagnosticKind::NegativeDuration,
            DiagnosticKind::UnmatchedEnd,
        ];
        kinds.map(|kind| trace.diagnostics().count(kind))
    };
    assert_eq!((counts(&trace), counts(&again)), ([1, 1, 1, 1], [1, 1, 0, 0]));
    let negative = |trace: &Trace| trace.slices().flags()[1].contains(SliceFlags::CLAMPED);
    assert!(negative(&trace) && !negative(&again));
    assert_eq!(again.tracks().len(), trace.tracks().len(), "tracks without anything are kept");
}

#[test]
fn begins_and_ends_whose_times_go_back_become_complete_unless_both_have_arguments() {
    let json = br#"[{"ph":"B","name":"a","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":9},
        {"ph":"B","name":"b","pid":1,"tid":1,"ts":1,"args":{"n":1}},{"ph":"E","pid":1,"tid":1,"ts":3,"args":{"n":2}}]"#;
    let trace = load(json);
    let mut slices = Vec::new();
    let Ok(()) = trace.replay(|event| {
        if let Event::Complete(event, _) | Event::Begin(event) | Event::End(event) = event {
            let argument = match event.args.get(b"n") {
                Some(Value::I64(argument)) => Some(argument),
                _ => None,
            };
            slices.push((event.name.decode().into_owned(), event.at.0, argument));
        }
        Ok::<(), Infallible>(())
    });
    assert_eq!(slices, [("b".into(), 1000, Some(1)), ("b".into(), 3000, Some(2)), ("a".into(), 5000, None)]);
}

#[test]
fn metadata_of_the_whole_file_stands_first_and_last() {
    let json = br#"{"first":1,"traceEvents":[{"ph":"M","name":"of a thread","pid":1,"tid":1},
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}],"last":2}"#;
    let trace = load(json);
    let mut order = Vec::new();
    let Ok(()) = trace.replay(|event| {
        match event {
            Event::Meta(meta) => order.push(meta.key.decode().into_owned()),
            Event::Complete(..) => order.push("slice".into()),
            _ => {}
        }
        Ok::<(), Infallible>(())
    });
    assert_eq!(order, ["first", "of a thread", "slice", "last"]);
}

#[test]
fn the_first_error_ends_a_replay() {
    let trace = load(br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]"#);
    let mut seen = 0;
    let result = trace.replay(|_| {
        seen += 1;
        if seen == 2 { Err("enough") } else { Ok(()) }
    });
    assert_eq!((result, seen), (Err("enough"), 2));
}

/// Threads are replayed one after the other, and the thread of the consumer may come first.
#[test]
fn pairing_6_a_flow_between_slices_of_one_time_survives_whichever_thread_comes_first() {
    for (producer, consumer) in [(1, 2), (2, 1)] {
        let json = format!(
            r#"[{{"ph":"X","name":"a","pid":1,"tid":{producer},"ts":10,"dur":5,"bind_id":"0x1","flow_out":true}},
                {{"ph":"X","name":"b","pid":1,"tid":{consumer},"ts":10,"dur":5,"bind_id":"0x1","flow_in":true}}]"#
        );
        let trace = spall_trace::load(json.as_bytes()).unwrap();
        assert_eq!(trace.flows().len(), 1);
        let mut written = Vec::new();
        assert!(spall_trace::export::json(&trace, &mut written).unwrap().is_lossless());
        let again = spall_trace::load(&written).unwrap();
        let names = |trace: &Trace| {
            let flow = &trace.flows()[0];
            [flow.from, flow.to].map(|slice| trace.slice_name(slice).into_owned())
        };
        assert_eq!(names(&again), ["a", "b"]);
        assert_eq!(again.diagnostics().counts(), []);
    }
}

#[test]
fn traces_are_equal_only_if_samples_found_the_same() {
    let load = |samples: &str, line_hits: u32| {
        let text = format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"(root)"}},"children":[2]}},
                {{"id":2,"callFrame":{{"functionName":"f","url":"a.js","lineNumber":4,"columnNumber":2}},
                  "positionTicks":[{{"line":7,"ticks":{line_hits}}}]}}],
                "startTime":0,"endTime":40,"samples":{samples}}}"#
        );
        spall_trace::merge_samples(spall_trace::load(text.as_bytes()).unwrap())
    };
    // Two or three samples find the same slice.
    let [two, three] = [r#"[2,2],"timeDeltas":[10,20]"#, r#"[2,2,2],"timeDeltas":[10,10,10]"#];
    assert!(load(two, 1) == load(two, 1));
    assert!(load(two, 1) != load(three, 1));
    assert!(load(two, 1) != load(two, 2));
}

#[test]
fn traces_that_lack_anything_are_not_equal() {
    let events = [
        r#"{"ph":"M","name":"process_name","pid":1,"args":{"name":"game"}}"#,
        r#"{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":4}}"#,
        r#"{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"a,b"}}"#,
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}}"#,
        r#"{"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":4}}"#,
        r#"{"ph":"M","name":"other","pid":1,"tid":2,"args":{"a":1}}"#,
        r#"{"ph":"X","name":"a","cat":"c","pid":1,"tid":2,"ts":0,"dur":9,"args":{"n":3}}"#,
        r#"{"ph":"X","name":"b","pid":1,"tid":2,"ts":1,"dur":2}"#,
        r#"{"ph":"X","name":"c","pid":1,"tid":3,"ts":0,"dur":9}"#,
        r#"{"ph":"i","s":"t","name":"i","cat":"c","pid":1,"tid":2,"ts":3,"args":{"n":3}}"#,
        r#"{"ph":"C","name":"memory","pid":1,"ts":4,"args":{"used":1}}"#,
        r#"{"ph":"s","name":"f","cat":"c","id":1,"pid":1,"tid":2,"ts":1}"#,
        r#"{"ph":"f","bp":"e","name":"f","cat":"c","id":1,"pid":1,"tid":3,"ts":8}"#,
        r#"{"ph":"N","name":"o","cat":"c","id":7,"pid":1,"tid":2,"ts":1}"#,
        r#"{"ph":"O","name":"o","cat":"c","id":7,"pid":1,"tid":2,"ts":2,"args":{"snapshot":{"a":1}}}"#,
        r#"{"ph":"D","name":"o","cat":"c","id":7,"pid":1,"tid":2,"ts":3}"#,
        r#"{"ph":"b","name":"s","cat":"c","id":9,"pid":1,"tid":2,"ts":1}"#,
        r#"{"ph":"e","name":"s","cat":"c","id":9,"pid":1,"tid":2,"ts":5}"#,
        r#"{"ph":"v","name":"dump","cat":"c","id":"1","pid":1,"tid":2,"ts":3}"#,
        r#"{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":4,"ts":0,"args":{"data":{"startTime":0}}}"#,
        r#"{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":4,"ts":2,"args":{"data":{"timeDeltas":[1,2],
            "cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},
            {"id":2,"parent":1,"callFrame":{"functionName":"g"}}],"trace_ids":{"77":2},"samples":[1,2]}}}}"#,
    ];
    let load = |events: &[&str]| spall_trace::load(format!("[{}]", events.join(",")).as_bytes()).unwrap();
    let whole = load(&events);
    assert!(whole == load(&events));
    for missing in 0..events.len() {
        let mut others = events.to_vec();
        let event = others.remove(missing);
        assert!(whole != load(&others) && load(&others) != whole, "without {event}");
    }
    // The same number of each, of which one is another.
    for (from, to) in [
        ("game", "same"),
        (r#""sort_index":4"#, r#""sort_index":5"#),
        (r#""n":3"#, r#""n":4"#),
        ("a,b", "a,c"),
        (r#""name":"b""#, r#""name":"d""#),
        (r#""a","cat":"c""#, r#""a","cat":"d""#),
        (r#""i","cat":"c""#, r#""i","cat":"d""#),
        (r#""ts":3"#, r#""ts":3.5"#),
        (r#""used":1"#, r#""used":2"#),
        (r#""a":1"#, r#""a":2"#),
        (r#""id":7"#, r#""id":8"#),
        ("dump", "dumb"),
        (r#""startTime":0"#, r#""startTime":1"#),
        (r#""timeDeltas":[1,2]"#, r#""timeDeltas":[1,3]"#),
        (r#""samples":[1,2]"#, r#""samples":[1,1]"#),
        (r#""functionName":"g""#, r#""functionName":"h""#),
        (r#""parent":1,"#, ""),
        (r#""77":2"#, r#""78":2"#),
        (r#""77":2"#, r#""77":1"#),
    ] {
        for changed in (0..events.len()).filter(|&event| events[event].contains(from)) {
            let event = events[changed].replace(from, to);
            let mut others = events.to_vec();
            others[changed] = &event;
            assert!(whole != load(&others), "{event}");
        }
    }
}

//! V8 CPU profiles: their forms, their clocks, and faulty ones. [cpu 1, 2]

use crate::common;
use spall_model::{
    DiagnosticKind, Event, FrameParent, Id, ProfileEvent, ProfileStart, SampleEvent, SampleStack, SampleTime,
    Tick, Ticks,
};
use spall_synth::cpu_profile::{Form, Profile};

/// Returns the events of `json`, after checking that they are the same in pieces of any size and without prediction.
fn events(json: &[u8]) -> Vec<Event<'_>> {
    common::assert_prediction_changes_nothing(json, "prediction");
    let whole = common::collect(json);
    for size in [1, 7, 61] {
        common::assert_same(&whole, &common::collect_chunked(json, size), &format!("chunks of {size}"));
    }
    whole.unwrap().into_iter().map(|(_, event)| event).collect()
}

/// The id and caller of each frame, and the time and frame of each sample.
type Content = (Vec<(i64, Option<i64>, String, Option<u32>)>, Vec<(i64, i64)>);

fn number(id: Id<'_>) -> i64 {
    let Id::Number(number) = id else { panic!("{id:?}") };
    number
}

/// Returns the frame of a sample.
fn frame_of<'a>(sample: &SampleEvent<'a>) -> Id<'a> {
    let SampleStack::Frame(frame) = sample.stack else { panic!("{sample:?}") };
    frame
}

fn content(json: &str) -> Content {
    let (mut frames, mut samples, mut callers) = (Vec::new(), Vec::new(), Vec::new());
    let mut now = 0;
    for event in events(json.as_bytes()) {
        match event {
            Event::Profile(ProfileEvent { begins: Some(begins), .. }) => now = begins.start.0,
            Event::Frame(frame) => {
                let parent = match frame.parent {
                    FrameParent::Unknown => None,
                    FrameParent::Id(id) => Some(number(id)),
                    FrameParent::Depth(depth) => {
                        callers.truncate(depth as usize);
                        let caller = callers.last().copied();
                        callers.push(number(frame.id));
                        caller
                    }
                };
                frames.push((number(frame.id), parent, frame.name.decode().into_owned(), frame.line));
            }
            Event::FrameChild(_, parent, child) => {
                frames
                    .iter_mut()
                    .filter(|frame| frame.0 == number(child))
                    .for_each(|frame| frame.1 = Some(number(parent)));
                // Children come later.
                callers.push(0);
                samples.push((number(parent), -number(child)));
            }
            Event::Sample(sample) => {
                now = match sample.at {
                    SampleTime::After(delta) => now + delta.0,
                    SampleTime::At(at) => at.0,
                };
                samples.push((now, number(frame_of(&sample))));
            }
            Event::Diagnostic(kind) => panic!("{kind}"),
            _ => {}
        }
    }
    // What nodes said of children, now that all are there.
    for &(parent, child) in samples.iter().filter(|(_, child)| *child < 0) {
        frames.iter_mut().filter(|frame| frame.0 == -child).for_each(|frame| frame.1 = Some(parent));
    }
    samples.retain(|&(_, frame)| frame > 0);
    frames.sort();
    (frames, samples)
}

#[test]
fn cpu_1_all_forms_hold_the_same_profile() {
    let mut profile = Profile::random(60, 12, 200, 5);
    // Chunks hold only nodes that are needed.
    *profile.samples.last_mut().unwrap() = profile.nodes.len() - 1;
    let expected = content(&profile.to_json(Form::Document));
    assert_eq!((expected.0.len(), expected.1.len()), (60, 200));
    for form in [Form::Tree, Form::Event, Form::Chunks(1), Form::Chunks(17)] {
        assert_eq!(content(&profile.to_json(form)), expected, "{form:?}");
    }
}

fn kinds(json: &str) -> Vec<String> {
    let name = |event: &Event<'_>| match event {
        Event::Profile(profile) if profile.begins.is_some() => "head".into(),
        Event::Profile(_) => "part".into(),
        Event::Frame(frame) => format!("frame {}", number(frame.id)),
        Event::FrameChild(_, parent, child) => format!("{} calls {}", number(*parent), number(*child)),
        Event::LineHits(hits) => format!("{} at {}: {}", number(hits.frame), hits.line, hits.hits),
        Event::CallSite(_, site, frame) => format!("site {site} {}", number(*frame)),
        Event::Sample(sample) => format!("sample {}", number(frame_of(sample))),
        Event::Diagnostic(kind) => format!("! {kind}"),
        Event::Other(..) => "other".into(),
        Event::Instant(..) => "instant".into(),
        Event::Complete(..) => "slice".into(),
        event => format!("{event:?}"),
    };
    events(json.as_bytes()).iter().map(name).collect()
}

fn chunk(data: &str) -> String {
    format!(
        r#"[{{"ph":"P","name":"ProfileChunk","pid":1,"tid":9,"id":"0x1","ts":1,"args":{{"data":{{{data}}}}}}}]"#
    )
}

/// [cpu 1b.4]
#[test]
fn cpu_1b_parts_of_a_chunk_in_any_order() {
    let json = chunk(
        r#""timeDeltas":[1,2],"cpuProfile":{"trace_ids":{"9007199254740991":2},"samples":[1,2],
        "nodes":[{"callFrame":{},"id":1},{"parent":1,"children":[],"id":2,"callFrame":{"functionName":"f"}}]}"#,
    );
    assert_eq!(
        kinds(&json),
        ["part", "frame 1", "frame 2", "site 9007199254740991 2", "sample 1", "sample 2"]
    );
}

#[test]
fn cpu_1b_times_inside_the_profile_are_accepted() {
    assert_eq!(kinds(&chunk(r#""cpuProfile":{"samples":[1],"timeDeltas":[1]}"#)), ["part", "sample 1"]);
}

/// [cpu 1b.5]
#[test]
fn cpu_1b_of_samples_and_times_the_shorter_counts() {
    assert_eq!(
        kinds(&chunk(r#""cpuProfile":{"samples":[1,1,1]},"timeDeltas":[1]"#)),
        ["part", "sample 1", "! sample-count"]
    );
    assert_eq!(
        kinds(&chunk(r#""cpuProfile":{"samples":[1]},"timeDeltas":[1,1]"#)),
        ["part", "sample 1", "! sample-count"]
    );
    assert_eq!(kinds(&chunk(r#""cpuProfile":{"samples":[1]}"#)), ["part", "! sample-count"]);
}

/// [cpu 1b.8]
#[test]
fn cpu_1b_an_event_without_data_is_kept_as_it_is() {
    assert_eq!(kinds(r#"[{"ph":"P","name":"ProfileChunk","pid":1,"tid":9,"ts":1,"args":{}}]"#), ["other"]);
    assert_eq!(kinds(r#"[{"ph":"P","name":"Profile","pid":1,"tid":9,"ts":1}]"#), ["other"]);
}

#[test]
fn cpu_1a_the_instant_that_holds_a_profile_is_kept_beside_it() {
    let json = r#"[{"ph":"I","name":"CpuProfile","pid":1,"tid":1,"ts":9,"args":{"data":{"cpuProfile":{"nodes":[],
        "startTime":1,"endTime":2,"samples":[],"timeDeltas":[]}}}},{"ph":"I","name":"CpuProfile","pid":1,"tid":1,"ts":9}]"#;
    assert_eq!(kinds(json), ["instant", "head", "instant"]);
}

#[test]
fn cpu_1a_other_events_of_that_name_are_kept_as_they_are() {
    let event = |ph: &str, data: &str| {
        format!(
            r#"[{{"ph":"{ph}","name":"CpuProfile","pid":1,"tid":1,"ts":9,"dur":1,"args":{{"data":{data}}}}}]"#
        )
    };
    assert_eq!(kinds(&event("I", r#"{"endTime":2}"#)), ["instant"]);
    assert_eq!(kinds(&event("X", r#"{"endTime":2}"#)), ["slice"]);
    assert_eq!(kinds(&event("X", r#"{"cpuProfile":null}"#)), ["slice"]);
    assert_eq!(kinds(&event("X", r#"{"cpuProfile":{"samples":[],"timeDeltas":[]}}"#)), ["head"]);
}

#[test]
fn cpu_1_a_whole_profile_without_samples_is_reported() {
    let nodes = r#""nodes":[{"id":1,"hitCount":0,"callFrame":{}}],"startTime":1,"endTime":9"#;
    let expected = ["head", "frame 1", "! missing-samples"];
    assert_eq!(kinds(&format!("{{{nodes}}}")), expected);
    assert_eq!(kinds(r#"{"head":{"id":1},"startTime":1,"endTime":2}"#), expected);
    assert_eq!(kinds(&format!("{{{nodes},\"samples\":[],\"timeDeltas\":[]}}")), expected[..2]);
    assert_eq!(kinds(&chunk(r#""endTime":9"#)), ["part"]);
}

/// Returns the time in microseconds, the frame and the weight of each sample.
fn weights(json: &str) -> Vec<(i64, i64, f64)> {
    let weight = |event: &Event<'_>| match event {
        Event::Sample(sample) => {
            let SampleTime::At(at) = sample.at else { panic!("{sample:?}") };
            Some((at.0 / 1000, number(frame_of(sample)), sample.weight))
        }
        _ => None,
    };
    events(json.as_bytes()).iter().filter_map(weight).collect()
}

#[test]
fn cpu_1_hit_counts_become_samples_of_a_profile_that_has_none() {
    let nodes = r#"{"nodes":[{"id":1,"callFrame":{},"hitCount":1,"children":[2,3]},{"id":2,"callFrame":{},"hitCount":0},
        {"id":3,"callFrame":{},"hitCount":2,"children":[4]},{"id":4,"callFrame":{},"hitCount":4}]"#;
    let expected = [(1000, 1, 1.0), (1100, 3, 2.0), (1300, 4, 4.0)];
    let times = r#","startTime":1000,"endTime":1700"#;
    assert_eq!(weights(&format!("{nodes}{times}}}")), expected);
    assert_eq!(weights(&format!(r#"{nodes}{times},"samples":[],"timeDeltas":[]}}"#)), expected);
    let event = format!(
        r#"[{{"ph":"I","name":"CpuProfile","pid":1,"tid":1,"ts":9,"args":{{"data":{{"cpuProfile":{nodes}{times}}}}}}}}}]"#
    );
    assert_eq!(weights(&event), expected);
    let tree = r#"{"head":{"id":1,"hitCount":1,"children":[{"id":3,"hitCount":3,"children":[]}]},"startTime":1,"endTime":5}"#;
    assert_eq!(weights(tree), [(1_000_000, 1, 1.0), (2_000_000, 3, 3.0)]);
    // Without a length nothing lasts; what cannot be a number of hits is none.
    assert_eq!(weights(&format!("{nodes}}}")).iter().map(|found| found.0).max(), Some(0));
    assert_eq!(weights(r#"{"nodes":[{"id":1,"hitCount":-7},{"id":2,"hitCount":"9"}],"endTime":5}"#), []);
}

#[test]
fn cpu_1_hit_counts_of_a_profile_with_samples_are_ignored() {
    let json = r#"{"nodes":[{"id":1,"callFrame":{},"hitCount":9}],"samples":[1],"timeDeltas":[1]}"#;
    assert_eq!(kinds(json), ["head", "frame 1", "sample 1"]);
    let chunk = chunk(r#""cpuProfile":{"nodes":[{"id":1,"hitCount":9,"callFrame":{}}]}"#);
    assert_eq!(kinds(&chunk), ["part", "frame 1"], "the samples may be in another chunk");
    let cut = r#"{"nodes":[{"id":1,"callFrame":{},"hitCount":9}],"startTime":1,"#;
    assert_eq!(
        common::events(cut.as_bytes()).len(),
        3,
        "the samples may be cut off: head, frame, and that it is cut"
    );
}

#[test]
fn cpu_1c_lines_of_position_ticks_count_from_one() {
    let json = r#"{"nodes":[{"id":1,"callFrame":{},"positionTicks":[{"line":3,"ticks":2},{"ticks":5,"line":1}],"children":[2]},
        {"positionTicks":[],"id":2,"callFrame":{}},{"id":3,"callFrame":{},"positionTicks":[{"line":0,"ticks":1},{"line":1},7]}],
        "samples":[1],"timeDeltas":[1]}"#;
    let bad = "! bad-field";
    let expected = [
        "head",
        "frame 1",
        "1 calls 2",
        "1 at 2: 2",
        "1 at 0: 5",
        "frame 2",
        "frame 3",
        bad,
        bad,
        bad,
        "sample 1",
    ];
    assert_eq!(kinds(json), expected);
}

#[test]
fn cpu_1_samples_without_times_are_spread_evenly() {
    let json = r#"{"nodes":[{"id":1,"callFrame":{}}],"startTime":10,"endTime":30,"samples":[1,1]}"#;
    assert_eq!(content(json).1, [(10_000, 1), (20_000, 1)]);
}

/// [cpu 1b.5]
#[test]
fn cpu_1b_a_faulty_sample_does_not_hide_those_behind_it() {
    let read = |samples: &str, deltas: &str| {
        let json = chunk(&format!(r#""cpuProfile":{{"samples":[{samples}]}},"timeDeltas":[{deltas}]"#));
        let what = |event: &Event<'_>| match event {
            Event::Sample(sample) => format!("{:?} {:?}", frame_of(sample), sample.at),
            event => format!("{event:?}"),
        };
        events(json.as_bytes())[1..].iter().map(what).collect::<Vec<_>>()
    };
    let found = read("1,null,2", "1,2,3");
    assert_eq!(found.len(), 3);
    assert!(found[1].contains("After(Ticks(2000))"), "it is of no frame, and its time counts: {found:?}");
    let found = read("1,2,3", "1,null,3");
    assert_eq!(found[1], "Diagnostic(BadField)");
    assert_eq!(found[2], "Number(3) After(Ticks(3000))");
}

/// [cpu 1b.9]
#[test]
fn cpu_1b_lines_and_columns_count_from_one() {
    let places = |more: &str| {
        let json = chunk(&format!(r#""cpuProfile":{{"samples":[1,1,1]}},"timeDeltas":[1,1,1]{more}"#));
        let place = |event: &Event<'_>| match event {
            Event::Sample(sample) => Some((sample.line, sample.column)),
            _ => None,
        };
        events(json.as_bytes()).iter().filter_map(place).collect::<Vec<_>>()
    };
    assert_eq!(places(""), [(None, None); 3]);
    let expected = [(Some(6), Some(0)), (None, None), (Some(8), None)];
    assert_eq!(places(r#","lines":[7,0,9],"columns":[1,0,"x"]"#), expected);
    assert_eq!(places(r#","lines":[7]"#), [(Some(6), None), (None, None), (None, None)]);
}

fn head(ts: &str, start: &str) -> (ProfileStart, Option<u8>) {
    let json = format!(
        r#"[{{"ph":"P","name":"Profile","pid":1,"tid":1,"id":"0x1","ts":{ts},"args":{{"data":{{"startTime":{start},"source":"Inspector"}}}}}}]"#
    );
    let events = events(json.as_bytes());
    let [Event::Profile(ProfileEvent { begins: Some(begins), rank, .. })] = events[..] else {
        panic!("{events:?}")
    };
    (begins, rank)
}

/// [cpu 2.2]
#[test]
fn cpu_2_the_start_time_counts_unless_its_clock_is_another() {
    let start = |start, offset| {
        let mut head = ProfileStart::new(Tick(start), Ticks(1000));
        head.offset = Ticks(offset);
        (head, Some(1))
    };
    assert_eq!(head("5070", "5000"), start(5_000_000, 0));
    assert_eq!(head("6000", "5000"), start(5_000_000, 0));
    assert_eq!(head("6001", "5000"), start(5_000_000, 1_001_000));
    assert_eq!(head("5", "6000"), start(6_000_000, -5_995_000));
}

/// [cpu 2.1]
#[test]
fn cpu_2_a_delta_that_wrapped_around_is_a_long_pause() {
    let deltas = |text: &str| {
        let json = chunk(&format!(r#""cpuProfile":{{"samples":[1]}},"timeDeltas":[{text}]"#));
        let events = events(json.as_bytes());
        let Some(Event::Sample(sample)) = events.last() else { panic!("{events:?}") };
        sample.at
    };
    assert_eq!(deltas("-36000"), SampleTime::After(Ticks(-36_000_000)));
    assert_eq!(deltas("-1000000000"), SampleTime::After(Ticks(-1_000_000_000_000)));
    assert_eq!(deltas("-1000000001"), SampleTime::After(Ticks(3_294_967_295_000)));
    assert_eq!(deltas("1.5"), SampleTime::After(Ticks(1500)));
}

#[test]
fn cpu_1d_old_profiles_without_timestamps_are_spread_evenly() {
    let json = r#"{"head":{"functionName":"(root)","id":1,"children":[{"functionName":"a","lineNumber":3,"id":2,"children":[]}]},
        "startTime":10,"endTime":14,"samples":[2,2]}"#;
    let (frames, samples) = content(json);
    assert_eq!(frames, [(1, None, "(root)".into(), None), (2, Some(1), "a".into(), Some(2))]);
    assert_eq!(samples, [(10_000_000_000, 2), (12_000_000_000, 2)]);
}

#[test]
fn cpu_1d_the_line_of_the_root_tells_whether_lines_count_from_0_or_1() {
    let place = |root: &str| {
        let json = format!(
            r#"{{"head":{{"lineNumber":{root},"id":1,"children":[{{"lineNumber":3,"columnNumber":7,"id":2,"children":[]}}]}},"samples":[],"timestamps":[]}}"#
        );
        let events = common::events(json.as_bytes());
        let Event::Frame(frame) = events[2] else { panic!("{events:?}") };
        (frame.line, frame.column)
    };
    assert_eq!((place("0"), place("-1")), ((Some(2), Some(6)), (Some(3), Some(7))));
}

#[test]
fn cpu_1d_fields_behind_the_children_are_found() {
    let json = r#"{"head":{"children":[{"children":[],"functionName":"a","id":2}],"functionName":"(root)","id":1},
        "samples":[],"timestamps":[]}"#;
    assert_eq!(content(json).0, [(1, None, "(root)".into(), None), (2, Some(1), "a".into(), None)]);
}

#[test]
fn a_profile_that_is_cut_off_is_read_as_far_as_it_goes() {
    let json = Profile::random(20, 5, 30, 1).to_json(Form::Document);
    for end in 60..json.len() {
        let events = common::events(&json.as_bytes()[..end]);
        assert!(matches!(events.first(), Some(Event::Profile(_))), "{end}: {events:?}");
        assert_eq!(events.last(), Some(&Event::Diagnostic(DiagnosticKind::Truncated)), "{end}");
    }
}

#[test]
fn a_deep_tree_takes_no_stack_and_linear_time() {
    let depth = 200_000;
    let open = r#"{"id":1,"children":["#.repeat(depth);
    let json = format!(r#"{{"head":{open}{},"samples":[],"timestamps":[]}}"#, "]}".repeat(depth));
    assert_eq!(common::events(json.as_bytes()).len(), depth + 1);
}

#[test]
fn cpu_2_a_time_that_64_bits_do_not_hold_is_clamped_and_counted() {
    let count = |members: &str| {
        let json = format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"f"}}}}],"samples":[1,1],{members}}}"#
        );
        let is_clamped =
            |event: &&Event<'_>| matches!(event, Event::Diagnostic(DiagnosticKind::TimeOutOfRange));
        events(json.as_bytes()).iter().filter(is_clamped).count()
    };
    assert_eq!(count(r#""startTime":9223372036854775,"endTime":1,"timeDeltas":[0,0]"#), 0);
    assert_eq!(count(r#""startTime":9223372036854776,"endTime":1,"timeDeltas":[0,0]"#), 1);
    assert_eq!(count(r#""startTime":0,"endTime":9223372036854776,"timeDeltas":[0,0]"#), 1);
    assert_eq!(count(r#""startTime":0,"endTime":1,"timeDeltas":[0,1e30]"#), 1);
    // In the old form, the start is in seconds.
    let old = |start: &str| {
        let json = format!(
            r#"{{"head":{{"functionName":"f","id":1,"callUID":1,"hitCount":1,"children":[]}},
            "startTime":{start},"endTime":2,"samples":[1]}}"#
        );
        let found = events(json.as_bytes());
        let start = found.iter().find_map(|event| match event {
            Event::Profile(ProfileEvent { begins: Some(begins), .. }) => Some(begins.start.0),
            _ => None,
        });
        (start, found.iter().any(|event| matches!(event, Event::Diagnostic(DiagnosticKind::TimeOutOfRange))))
    };
    assert_eq!(old("1.5"), (Some(1_500_000_000), false));
    assert_eq!(old("9223372037"), (Some(i64::MAX), true));
}

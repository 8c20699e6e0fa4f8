//! Traces as profiles for pprof and the Firefox Profiler, and as track events for Perfetto.

#![cfg(any(feature = "firefox", feature = "pprof"))]

use spall_trace::export::{self, Loss};
use spall_trace::model::{
    Clock, Event, Limits, Receiver, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView,
    TrackSet, Unit,
};

const TRACE: &str = r#"[
    {"ph":"X","name":"outer","cat":"c","pid":1,"tid":2,"ts":10,"dur":10,"args":{"n":3}},
    {"ph":"X","name":"inner","pid":1,"tid":2,"ts":12,"dur":3},
    {"ph":"X","name":"inner","pid":1,"tid":2,"ts":16,"dur":2},
    {"ph":"i","s":"t","name":"now","pid":1,"tid":2,"ts":13},
    {"ph":"C","name":"memory","pid":1,"tid":2,"ts":12,"args":{"used":10}},
    {"ph":"C","name":"memory","pid":1,"tid":2,"ts":14,"args":{"used":4}}
]"#;

const PROFILE: &str = r#"{"nodes":[
    {"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
    {"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":4,"columnNumber":2},"children":[3]},
    {"id":3,"callFrame":{"functionName":"g","url":"a.js","lineNumber":9,"columnNumber":2}}],
    "startTime":100,"endTime":130,"samples":[3,2],"timeDeltas":[10,10]}"#;

fn trace(text: &str) -> Trace {
    spall_trace::load(text.as_bytes()).unwrap()
}

/// Ticks may be as long or as short as a float is, and times as far apart as ticks can be.
#[test]
fn no_unit_of_time_overflows() {
    for unit in [f64::MAX, 1e20, 1e10, f64::MIN_POSITIVE] {
        for epoch in [i64::MIN, i64::MAX] {
            let mut builder = TraceBuilder::new(&Limits::default());
            builder.push(&Event::Clock(Clock::new(Unit::Nanoseconds(unit)).with_epoch_ns(Some(epoch))));
            for (at, ticks) in [(i64::MIN, 1), (-1, i64::MAX), (i64::MAX, 0)] {
                let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("a"));
                builder.push(&Event::Complete(event, Ticks(ticks)));
            }
            let trace = builder.finish();
            #[cfg(feature = "firefox")]
            let _ = export::firefox(&trace, "", &mut Vec::new()).unwrap();
            #[cfg(feature = "pprof")]
            let _ = export::pprof(&trace, TrackSet::Threads, &mut Vec::new()).unwrap();
            #[cfg(feature = "perfetto")]
            let _ = export::perfetto(&trace, &mut Vec::new()).unwrap();
        }
    }
}

/// The fields of a message: number, and a number or bytes. This reads the wire format by its specification.
#[cfg(any(feature = "perfetto", feature = "pprof"))]
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => fields.push((key >> 3, varint(&mut bytes), Vec::new())),
            1 => {
                let (content, rest) = bytes.split_at(8);
                bytes = rest;
                fields.push((key >> 3, u64::from_le_bytes(content.try_into().unwrap()), Vec::new()));
            }
            2 => {
                let length = varint(&mut bytes);
                let (content, rest) = bytes.split_at(usize::try_from(length).unwrap());
                bytes = rest;
                fields.push((key >> 3, 0, content.to_vec()));
            }
            other => panic!("no field has the wire type {other}"),
        }
    }
    fields
}

/// The numbers of a packed field.
#[cfg(feature = "pprof")]
fn packed(bytes: &[u8]) -> Vec<u64> {
    // A number is a field with a key in front of it.
    let keyed: Vec<u8> =
        bytes.split_inclusive(|byte| byte & 0x80 == 0).flat_map(|number| [&[8], number].concat()).collect();
    fields(&keyed).into_iter().map(|(_, number, _)| number).collect()
}

#[cfg(feature = "pprof")]
mod pprof {
    use std::collections::HashMap;

    use super::*;

    /// Returns the samples as text: the path from the innermost function outwards, and the values.
    fn samples(profile: &[u8]) -> Vec<String> {
        let all = fields(profile);
        let of = |number| all.iter().filter(move |field| field.0 == number);
        let strings: Vec<_> = of(6).map(|field| String::from_utf8(field.2.clone()).unwrap()).collect();
        assert_eq!(strings[0], "");
        let get = |message: &[u8], number| {
            fields(message).into_iter().find(|field| field.0 == number).map_or(0, |field| field.1)
        };
        let text = |number: u64| strings[usize::try_from(number).unwrap()].as_str();
        let functions: HashMap<u64, String> = of(5)
            .map(|field| {
                let (name, line) = (text(get(&field.2, 2)), get(&field.2, 5));
                let source =
                    if line == 0 { String::new() } else { format!(" {}:{line}", text(get(&field.2, 4))) };
                (get(&field.2, 1), format!("{name}{source}"))
            })
            .collect();
        let locations: HashMap<u64, &str> = of(4)
            .map(|field| {
                let line = fields(&field.2).into_iter().find(|field| field.0 == 4).unwrap();
                (get(&field.2, 1), functions[&get(&line.2, 1)].as_str())
            })
            .collect();
        of(2)
            .map(|sample| {
                let inner = fields(&sample.2);
                let list = |number| packed(&inner.iter().find(|field| field.0 == number).unwrap().2);
                let path: Vec<_> = list(1).into_iter().map(|id| locations[&id]).collect();
                format!("{} {:?}", path.join(" < "), list(2))
            })
            .collect()
    }

    fn written(text: &str) -> (Vec<String>, export::ExportReport) {
        let mut out = Vec::new();
        let report = export::pprof(&trace(text), TrackSet::Threads, &mut out).unwrap();
        (samples(&out), report)
    }

    #[test]
    fn call_paths_have_calls_samples_and_self_time() {
        let (samples, report) = written(TRACE);
        assert_eq!(samples, ["outer [1, 0, 5000]", "inner < outer [2, 0, 5000]"]);
        assert_eq!((report.count(Loss::Instant), report.count(Loss::CounterValue)), (1, 2));
        assert_eq!(report.count(Loss::Slice), 0);
    }

    #[test]
    fn samples_have_their_sources() {
        let (samples, report) = written(PROFILE);
        // Nothing runs before the first sample.
        let nothing = " [0, 0, 10000]";
        assert_eq!(samples, [nothing, "f a.js:5 [1, 1, 10000]", "g a.js:10 < f a.js:5 [1, 1, 10000]"]);
        assert_eq!(report.count(Loss::Sample), 0);
    }

    #[test]
    fn paths_are_cut_where_they_are_too_deep_and_keep_their_time() {
        let depth = 3000;
        let events: Vec<_> = (0..depth)
            .map(|n| {
                format!(r#"{{"ph":"X","name":"f{n}","pid":1,"tid":1,"ts":{n},"dur":{}}}"#, 2 * (depth - n))
            })
            .collect();
        let (samples, report) = written(&format!("[{}]", events.join(",")));
        assert_eq!(samples.len(), 1024);
        assert_eq!(report.count(Loss::DeepStack), u64::try_from(depth).unwrap() - 1024);
        let time = |sample: &String| -> u64 {
            sample.rsplit(", ").next().unwrap().trim_end_matches(']').parse().unwrap()
        };
        assert_eq!(samples.iter().map(time).sum::<u64>(), 2 * 3000 * 1000, "as long as the outermost slice");
    }

    #[test]
    fn samples_and_time_with_nothing_open_are_a_path_without_functions() {
        let sample = |ts, tid| format!(r#"{{"ph":"P","name":"s","ts":{ts},"pid":1,"tid":{tid}}}"#);
        let slice = |name, ts| format!(r#"{{"ph":"X","name":"{name}","ts":{ts},"dur":2,"pid":1,"tid":1}}"#);
        let events = [slice("a", 4), sample(5, 1), sample(6, 1), sample(9, 1), slice("b", 12), sample(9, 2)];
        let (samples, report) = written(&format!("[{}]", events.join(",")));
        // From 6 to 12 µs; the second thread has one sample of no duration.
        assert_eq!(samples, [" [0, 2, 6000]", "a [1, 1, 2000]", "b [1, 0, 2000]", " [0, 1, 0]"]);
        assert!(report.is_lossless(), "{report}");
    }

    #[test]
    fn a_profile_has_a_duration_and_the_unix_time_if_that_is_known() {
        let facts = |epoch_ns| {
            let mut builder = TraceBuilder::new(&Limits::default());
            builder.push(&Event::Clock(Clock::NANOSECONDS.with_epoch_ns(epoch_ns)));
            let event = ThreadEvent::new(Thread::new(1, 1), Tick(100), Text::from("a"));
            builder.push(&Event::Complete(event, Ticks(30)));
            let mut out = Vec::new();
            let _ = export::pprof(&builder.finish(), TrackSet::Threads, &mut out).unwrap();
            [9, 10]
                .map(|number| fields(&out).iter().find(|field| field.0 == number).map_or(0, |field| field.1))
        };
        assert_eq!((facts(Some(5_000)), facts(None)), ([5_100, 30], [0, 30]));
    }

    #[test]
    fn an_empty_trace_is_a_profile() {
        let (samples, report) = written("[]");
        assert!(samples.is_empty() && report.is_lossless());
    }
}

#[cfg(feature = "firefox")]
mod firefox {
    use super::*;
    use serde_json::Value;

    fn written(text: &str) -> (Value, export::ExportReport) {
        let mut out = Vec::new();
        let report = export::firefox(&trace(text), "title", &mut out).unwrap();
        (serde_json::from_slice(&out).unwrap(), report)
    }

    #[test]
    fn slices_and_instants_are_markers() {
        let (profile, report) = written(TRACE);
        assert_eq!(profile["meta"]["product"], "title");
        let thread = &profile["threads"][0];
        let markers = &thread["markers"];
        assert_eq!(markers["startTime"], serde_json::json!([0.0, 0.002, 0.006, 0.003]));
        assert_eq!(markers["endTime"], serde_json::json!([0.01, 0.005, 0.008, 0.0]));
        assert_eq!(markers["data"][0]["type"], "Slice");
        assert_eq!(report.moved.0, -10_000, "times begin with the trace");
        assert_eq!((report.left_out(), report.in_part()), (0, 0));
        // A counter has the differences of its values.
        assert_eq!(profile["counters"][0]["name"], "memory used");
        assert_eq!(profile["counters"][0]["samples"]["count"], serde_json::json!([10.0, -6.0]));
    }

    #[test]
    fn samples_are_samples_of_their_thread() {
        let (profile, _) = written(PROFILE);
        let thread = &profile["threads"][0];
        assert_eq!(thread["samples"]["length"], 2);
        let strings: Vec<_> = thread["stringArray"]
            .as_array()
            .or_else(|| profile["shared"]["stringArray"].as_array())
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect();
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let name = |stack: usize| {
            let frame = number(&thread["stackTable"]["frame"][stack]);
            let function = number(&thread["frameTable"]["func"][frame]);
            strings[number(&thread["funcTable"]["name"][function])].clone()
        };
        let stack = number(&thread["samples"]["stack"][0]);
        assert_eq!(name(stack), "g (a.js:10:3)");
        assert_eq!(name(number(&thread["stackTable"]["prefix"][stack])), "f (a.js:5:3)");
    }

    #[test]
    fn a_profile_reads_back() {
        let text = r#"[
            {"ph":"M","name":"process_name","pid":7,"tid":7,"args":{"name":"game"}},
            {"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"worker"}},
            {"ph":"X","name":"a","cat":"c","pid":7,"tid":7,"ts":10,"dur":10,"args":{"n":3}},
            {"ph":"B","name":"open","pid":7,"tid":8,"ts":12},
            {"ph":"i","s":"t","name":"now","cat":"d","pid":7,"tid":8,"ts":13,"args":{"m":4}},
            {"ph":"X","name":"b","pid":7,"tid":8,"ts":15,"dur":1},
            {"ph":"i","s":"t","name":"alone","pid":7,"tid":9,"ts":16}]"#;
        let mut out = Vec::new();
        let _ = export::firefox(&trace(text), "title", &mut out).unwrap();
        let back = spall_trace::load(&out).unwrap();
        let mut found = Vec::new();
        for track in back.tracks() {
            // Markers are on a track of their own below that of their thread.
            let thread = track.parent.map_or("".into(), |thread| back.track_title(thread));
            for (id, slice) in back.slices_of(track.id) {
                let end = (!slice.flags.is_unfinished()).then_some(slice.end.0);
                let (name, args) = (back.slice_name(id), back.slice_args(id));
                found.push(format!("{thread}: {name} from {} to {end:?}, {args}", slice.start.0));
            }
            for instant in back.instants_of(track.id) {
                let (name, args) = (back.name(instant.name), back.args_of(instant));
                found.push(format!("{thread}: {name} at {}, {args}", instant.at.0));
            }
        }
        assert_eq!(
            found,
            [
                "game: a from 0 to Some(10000), type=Slice, category=c, args=n=3",
                "Thread 9: alone at 6000, type=Slice, category=, args=",
                "worker: open from 2000 to None, type=Slice, category=, args=",
                "worker: b from 5000 to Some(6000), type=Slice, category=, args=",
                "worker: now at 3000, type=Slice, category=d, args=m=4",
            ]
        );
        let main = serde_json::from_slice::<Value>(&out).unwrap();
        let main: Vec<_> =
            main["threads"].as_array().unwrap().iter().map(|thread| thread["isMainThread"] == true).collect();
        assert_eq!(main, [true, false, false]);
    }

    #[test]
    fn a_thread_has_its_whole_name() {
        let name = "n".repeat(10_000);
        let (profile, _) = written(&format!(
            r#"[{{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{{"name":"{name}"}}}},
                {{"ph":"X","name":"a","pid":1,"tid":2,"ts":0,"dur":1}}]"#
        ));
        assert_eq!(profile["threads"][0]["name"], *name);
    }

    #[test]
    fn samples_of_machine_code_have_their_library_and_what_they_stand_for() {
        let recorded = |periods: [u32; 2]| {
            let text = periods.map(|period| format!(
                "game 7/7 1.000{period:06}: {period} cpu-clock: \n\t55d0 draw+0x10 (/bin/game)\n\t55c0 main+0x20 (/bin/game)\n\n"
            ));
            written(&text.concat()).0
        };
        let profile = recorded([250_000, 500_000]);
        assert_eq!(profile["libs"][0]["path"], "/bin/game");
        assert_eq!(profile["meta"]["interval"], 0.25);
        let weights = |profile: &Value| profile["threads"][0]["samples"]["weight"].clone();
        assert_eq!(weights(&profile), serde_json::json!([1, 2]));
        let text = profile.to_string();
        let back = trace(&text);
        let innermost = back.samples()[0].frame().and_then(|frame| back.frame(frame)).unwrap();
        let caller = innermost.parent.and_then(|frame| back.frame(frame)).unwrap();
        let functions = [innermost, caller].map(|frame| (back.name(frame.name), back.name(frame.url)));
        assert_eq!(functions, [("draw".into(), "/bin/game".into()), ("main".into(), "/bin/game".into())]);
        // Samples that stand for no time count once.
        assert_eq!(weights(&recorded([0, 0])), serde_json::json!([1, 1]));
    }

    #[test]
    fn ids_that_are_no_numbers_are_counted() {
        let (_, report) = written(r#"[{"ph":"X","name":"f","pid":"p","tid":-1,"ts":0,"dur":1}]"#);
        assert_eq!(report.count(Loss::Id), 2);
    }
}

#[cfg(feature = "perfetto")]
mod perfetto {
    use std::collections::HashMap;

    use spall_trace::model::{
        ArgsBuilder, ChildOrder, CounterEvent, Event, Id, Text, Thread, ThreadCount, ThreadEvent,
        ThreadMeasure, Tick, Ticks, TrackEvent,
    };

    use super::*;

    type Fields = Vec<(u64, u64, Vec<u8>)>;

    fn message(fields: &Fields, number: u64) -> Option<Fields> {
        fields.iter().find(|field| field.0 == number).map(|field| super::fields(&field.2))
    }

    fn messages(fields: &Fields, number: u64) -> Vec<Fields> {
        fields.iter().filter(|field| field.0 == number).map(|field| super::fields(&field.2)).collect()
    }

    fn number(fields: &Fields, number: u64) -> u64 {
        fields.iter().find(|field| field.0 == number).map_or(0, |field| field.1)
    }

    fn text(fields: &Fields, number: u64) -> String {
        let found = fields.iter().find(|field| field.0 == number);
        found.map_or(String::new(), |field| String::from_utf8(field.2.clone()).unwrap())
    }

    /// Returns a line for each track and each event of a file.
    fn lines(file: &[u8]) -> Vec<String> {
        let mut tracks: HashMap<u64, String> = HashMap::new();
        let mut texts: HashMap<(u64, u64), String> = HashMap::new();
        let mut lines = Vec::new();
        for (index, packet) in messages(&super::fields(file), 1).iter().enumerate() {
            assert_eq!(number(packet, 10), 1, "one sequence");
            assert_eq!(
                number(packet, 13),
                if index == 0 { 1 } else { 2 },
                "texts are known from the first packet on"
            );
            for kind in [1, 2, 3] {
                for new in message(packet, 12).iter().flat_map(|interned| messages(interned, kind)) {
                    assert!(
                        texts.insert((kind, number(&new, 1)), text(&new, 2)).is_none(),
                        "a text comes once"
                    );
                }
            }
            if let Some(snapshot) = message(packet, 6) {
                let clocks: Vec<_> =
                    messages(&snapshot, 1).iter().map(|clock| (number(clock, 1), number(clock, 2))).collect();
                lines.push(format!("clocks {clocks:?}"));
            }
            if let Some(track) = message(packet, 60) {
                let uuid = number(&track, 1);
                let name = match (message(&track, 3), message(&track, 4)) {
                    (Some(process), _) => format!("process {} {}", number(&process, 1), text(&process, 6)),
                    (_, Some(thread)) => {
                        format!("{}/{} {}", number(&thread, 1), number(&thread, 2), text(&thread, 5))
                    }
                    _ => format!(
                        "{}{}",
                        text(&track, 2),
                        if message(&track, 8).is_some() { " (counter)" } else { "" }
                    ),
                };
                let parent = number(&track, 5);
                let below = if parent == 0 { String::new() } else { format!(" below {}", tracks[&parent]) };
                let name = name.trim_end().to_owned();
                lines.push(format!("track {name}{below}"));
                assert!(uuid != 0 && tracks.insert(uuid, name).is_none());
            }
            if let Some(event) = message(packet, 11) {
                let mut line = format!("{} [{}]", number(packet, 8), tracks[&number(&event, 11)]);
                line += ["", " begin", " end", " instant", " counter"]
                    [usize::try_from(number(&event, 9)).unwrap()];
                let name = number(&event, 10);
                if name != 0 {
                    line += &format!(" {}", texts[&(2, name)]);
                }
                for (field, value, bytes) in &event {
                    match field {
                        3 => line += &format!(" cat={}", texts[&(1, *value)]),
                        4 => {
                            let argument = super::fields(bytes);
                            let shown: Vec<_> = argument[1..]
                                .iter()
                                .map(|field| {
                                    format!("{}:{}{}", field.0, field.1, String::from_utf8_lossy(&field.2))
                                })
                                .collect();
                            line += &format!(" {}={}", texts[&(3, number(&argument, 1))], shown.join(" "));
                        }
                        44 => line += &format!(" {}", f64::from_bits(*value)),
                        47 => line += &format!(" leaves={value}"),
                        48 => line += &format!(" arrives={value}"),
                        _ => {}
                    }
                }
                lines.push(line);
            }
        }
        lines
    }

    fn written(text: &str) -> (Vec<String>, export::ExportReport) {
        let mut out = Vec::new();
        let report = export::perfetto(&trace(text), &mut out).unwrap();
        (lines(&out), report)
    }

    #[test]
    fn slices_instants_and_counters_are_events_of_their_tracks() {
        let (lines, report) = written(TRACE);
        assert_eq!(
            lines,
            [
                "track process 1",
                "track 1/2",
                "10000 [1/2] begin outer cat=c n=4:3",
                "12000 [1/2] begin inner",
                "15000 [1/2] end",
                "16000 [1/2] begin inner",
                "18000 [1/2] end",
                "20000 [1/2] end",
                "13000 [1/2] instant now",
                "track memory used (counter) below process 1",
                "12000 [memory used (counter)] counter 10",
                "14000 [memory used (counter)] counter 4",
            ]
        );
        assert!(report.is_lossless());
    }

    #[test]
    fn slices_that_overlap_go_below_their_thread_and_unfinished_ones_have_no_end() {
        let (lines, report) = written(
            r#"[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
                {"ph":"X","name":"a","pid":1,"tid":2,"ts":0,"dur":10},
                {"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":10},
                {"ph":"B","name":"c","pid":1,"tid":2,"ts":20}]"#,
        );
        assert_eq!(
            lines[1..],
            [
                "track 1/2 main",
                "0 [1/2 main] begin a",
                "10000 [1/2 main] end",
                "20000 [1/2 main] begin c",
                "track main (2) below 1/2 main",
                "5000 [main (2)] begin b",
                "15000 [main (2)] end",
            ]
        );
        assert!(report.is_lossless());
    }

    #[test]
    fn flows_lead_to_later_slices_and_others_are_counted() {
        let (lines, report) = written(
            r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5},
                {"ph":"s","name":"go","id":"0x1","pid":1,"tid":1,"ts":1},
                {"ph":"X","name":"b","pid":1,"tid":2,"ts":3,"dur":9},
                {"ph":"f","bp":"e","name":"go","id":"0x1","pid":1,"tid":2,"ts":4},
                {"ph":"s","name":"back","id":"0x2","pid":1,"tid":2,"ts":4},
                {"ph":"f","bp":"e","name":"back","id":"0x2","pid":1,"tid":1,"ts":5}]"#,
        );
        let with_flows: Vec<_> = lines.iter().filter(|line| line.contains("s=")).collect();
        assert_eq!(with_flows, ["0 [1/1] begin a leaves=1", "3000 [1/2] begin b arrives=1"]);
        assert_eq!((report.count(Loss::Flow), report.left_out()), (1, 1));
    }

    #[test]
    fn arguments_keep_their_types() {
        let (lines, report) = written(
            r#"[{"ph":"B","name":"f","pid":1,"tid":1,"ts":0,"args":{"on":true,"big":18446744073709551615,"text":"a\nb",
                "list":[1,{"x":null}]}},{"ph":"E","pid":1,"tid":1,"ts":1,"tts":5,"args":{"half":0.5}}]"#,
        );
        let half = 0.5_f64.to_bits();
        assert_eq!(
            lines[2..],
            [
                "track  (counter) below 1/1".to_owned(),
                format!("0 [1/1] begin f on=2:1 big=3:{} text=6:0a\nb list=9:0[1,{{\"x\":null}}]", u64::MAX),
                format!("1000 [1/1] end half=5:{half}"),
            ]
        );
        assert!(report.is_lossless(), "tts is a value of a counter");
    }

    #[test]
    fn thread_times_become_values_of_counters_and_are_no_lost_arguments() {
        for fields in [r#""tts":2"#, r#""tts":2,"tdur":3"#] {
            let (_, report) =
                written(&format!(r#"[{{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,{fields}}}]"#));
            assert!(report.is_lossless(), "{fields}: {report}");
        }
    }

    #[test]
    fn a_span_loses_nothing() {
        let event =
            |ph, ts| format!(r#"{{"ph":"{ph}","name":"load","cat":"net","id":5,"pid":1,"tid":2,"ts":{ts}}}"#);
        let (_, report) = written(&format!("[{},{}]", event("b", 1), event("e", 3)));
        assert_eq!(report.left_out(), 0, "{report}");
    }

    #[test]
    fn facts_of_a_process_without_a_number_are_counted() {
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::ProcessName(Id::NONE, Text::from("name")));
        builder.push(&Event::ProcessSortIndex(Id::NONE, 3));
        builder.push(&Event::ProcessLabels(Id::NONE, Text::from("one,two")));
        let report = export::perfetto(&builder.finish(), &mut Vec::new()).unwrap();
        assert_eq!((report.count(Loss::Metadata), report.left_out()), (4, 4));
    }

    #[test]
    fn ids_and_times_that_do_not_fit_are_replaced_and_moved() {
        let (lines, report) = written(r#"[{"ph":"X","name":"f","pid":-7,"tid":"ui","ts":-5,"dur":1}]"#);
        assert_eq!(
            lines,
            [
                "track process 2147483647 -7",
                "track 2147483647/2147483647 ui",
                "0 [2147483647/2147483647 ui] begin f",
                "1000 [2147483647/2147483647 ui] end",
            ]
        );
        assert_eq!(report.moved.0, 5000);
    }

    #[test]
    fn the_unix_time_of_tick_0_is_a_pair_of_clocks() {
        let mut builder = spall_trace::model::TraceBuilder::new(&Limits::default());
        let clock = spall_trace::model::Clock::NANOSECONDS.with_epoch_ns(Some(1_700_000_000_000_000_000));
        builder.receive(&spall_trace::model::Event::Clock(clock), Default::default());
        let mut out = Vec::new();
        assert!(export::perfetto(&builder.finish(), &mut out).unwrap().is_lossless());
        assert_eq!(lines(&out), ["clocks [(6, 0), (1, 1700000000000000000)]"]);
    }

    /// Returns the fields of each track that is no process and no thread: its number, name, parent, order of children, rank,
    /// way of merging, and whether it is a counter.
    fn own_tracks(file: &[u8]) -> Vec<(u64, String, [u64; 4], bool)> {
        let packets = messages(&super::fields(file), 1);
        let tracks = packets.iter().filter_map(|packet| message(packet, 60));
        let own = tracks.filter(|track| message(track, 3).is_none() && message(track, 4).is_none());
        let fields = own.map(|track| {
            let place = [5, 11, 12, 15].map(|field| number(&track, field));
            (number(&track, 1), text(&track, 2), place, message(&track, 8).is_some())
        });
        fields.collect()
    }

    #[test]
    fn tracks_of_their_own_keep_their_places_and_numbers() {
        let mut builder = spall_trace::model::TraceBuilder::new(&Limits::default());
        let id = |id: &'static str| Id::Text(id.as_bytes());
        let large = "18446744073709551615";
        let tracks = [
            (Id::Number(1), "900", "", 0, ChildOrder::ByRank),
            (Id::Number(1), "1", "900", 7, ChildOrder::ByName),
            (Id::Number(1), "x", "1", -3, ChildOrder::Unspecified),
            (Id::Number(1), "5", "900", 9, ChildOrder::ByTime),
            (Id::NONE, large, "", 0, ChildOrder::Unspecified),
        ];
        for (pid, tid, parent, rank, children) in tracks {
            let thread = Thread { pid, tid: id(tid) };
            let event = TrackEvent::new(thread, Text::from(if tid == "x" { "" } else { tid }));
            let parent = Thread { pid, tid: id(parent) };
            let event = TrackEvent { parent, rank, children, ..event };
            builder.push(&Event::Track(event));
            if tid == "5" {
                let mut values = ArgsBuilder::new();
                values.add("value", 3).add("more", 4);
                let mut counter = CounterEvent::new(pid, Tick(0), Text::EMPTY, values.args());
                counter.id = Some(thread.tid);
                builder.push(&Event::Counter(counter));
            } else {
                let work = ThreadEvent::new(thread, Tick(0), Text::from("work"));
                builder.push(&Event::Complete(work, Ticks(5)));
            }
        }
        let mut out = Vec::new();
        assert!(export::perfetto(&builder.finish(), &mut out).unwrap().is_lossless());
        let minus_3 = (-3_i64).cast_unsigned();
        // The process has 2, because a track has 1. The track without a number has 3, and the second series 4.
        assert_eq!(
            own_tracks(&out),
            [
                (900, "900".into(), [2, 3, 0, 2], false),
                (1, "1".into(), [900, 1, 7, 2], false),
                (3, "".into(), [1, 0, minus_3, 2], false),
                (5, "5".into(), [900, 2, 9, 2], true),
                (4, "5 more".into(), [900, 2, 9, 2], true),
                (u64::MAX, large.into(), [0, 0, 0, 2], false),
            ]
        );
        assert_eq!(lines(&out).iter().filter(|line| line.ends_with("begin work")).count(), 4);
    }

    /// Only a counter can be that of the times of its thread.
    #[test]
    fn a_track_with_the_name_of_a_counter_stays_a_track() {
        let mut builder = TraceBuilder::new(&Limits::default());
        let (thread, own) = (Thread::new(1, 1), Thread { pid: Id::Number(1), tid: Id::Text(b"900") });
        let track = TrackEvent::new(own, Text::from("thread_time"));
        builder.push(&Event::Track(TrackEvent { parent: thread, ..track }));
        builder.push(&Event::Complete(ThreadEvent::new(own, Tick(0), Text::from("work")), Ticks(5)));
        let mut args = ArgsBuilder::new();
        args.add_thread_count(ThreadMeasure::Time, ThreadCount { at: Some(7), during: None });
        let timed = ThreadEvent::new(thread, Tick(0), Text::from("timed"));
        builder.push(&Event::Complete(ThreadEvent { args: args.args(), ..timed }, Ticks(5)));
        let mut out = Vec::new();
        let _ = export::perfetto(&builder.finish(), &mut out).unwrap();
        let found: Vec<_> =
            own_tracks(&out).into_iter().map(|(_, name, _, is_counter)| (name, is_counter)).collect();
        assert_eq!(found, [("".into(), true), ("thread_time".into(), false)]);
    }

    #[test]
    fn functions_that_samples_found_have_their_source() {
        let trace = spall_trace::merge_samples(trace(PROFILE));
        let mut out = Vec::new();
        assert!(export::perfetto(&trace, &mut out).unwrap().is_lossless());
        let lines = lines(&out);
        assert!(
            lines.iter().any(|line| line.ends_with("begin f url=6:0a.js line=4:4 column=4:2")),
            "{lines:?}"
        );
    }
}

//! Traces as profiles for pprof and the Firefox Profiler.

#![cfg(any(feature = "firefox", feature = "pprof"))]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use spall_trace::export::{self, Loss};
use spall_trace::model::{Limits, Trace};

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

fn trace(text: &str) -> Trace<'_> {
    spall_trace::load(text.as_bytes(), &Limits::default()).unwrap()
}

#[cfg(feature = "pprof")]
mod pprof {
    use std::collections::HashMap;

    use super::*;

    /// The fields of a message: number, and a number or bytes. This reads the wire format by its specification.
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
            let value = varint(&mut bytes);
            match key & 7 {
                0 => fields.push((key >> 3, value, Vec::new())),
                2 => {
                    let (content, rest) = bytes.split_at(usize::try_from(value).unwrap());
                    bytes = rest;
                    fields.push((key >> 3, 0, content.to_vec()));
                }
                other => panic!("no field of a profile has the wire type {other}"),
            }
        }
        fields
    }

    /// The numbers of a packed field.
    fn packed(bytes: &[u8]) -> Vec<u64> {
        // A number is a field with a key in front of it.
        let keyed: Vec<u8> = bytes
            .split_inclusive(|byte| byte & 0x80 == 0)
            .flat_map(|number| [&[8], number].concat())
            .collect();
        fields(&keyed).into_iter().map(|(_, number, _)| number).collect()
    }

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
        let report = export::pprof(&trace(text), &mut out).unwrap();
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
        assert_eq!(samples, ["f a.js:5 [1, 1, 10000]", "g a.js:10 < f a.js:5 [1, 1, 10000]"]);
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
        assert_eq!(name(stack), "g a.js:10");
        assert_eq!(name(number(&thread["stackTable"]["prefix"][stack])), "f a.js:5");
    }

    #[test]
    fn ids_that_are_no_numbers_are_counted() {
        let (_, report) = written(r#"[{"ph":"X","name":"f","pid":"p","tid":-1,"ts":0,"dur":1}]"#);
        assert_eq!(report.count(Loss::Id), 2);
    }
}

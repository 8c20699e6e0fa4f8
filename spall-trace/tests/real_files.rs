//! Compares real files with the known counts, sums and histograms of each.

use alloc::collections::BTreeMap;

use serde_json::Value as Json;
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{DiagnosticCount, DiagnosticKind, Trace, TraceView, TrackKind};

/// Returns the numbers that the digests hold, under the same names.
fn digest(trace: &Trace) -> BTreeMap<&'static str, Json> {
    let layout = Layout::new(trace);
    let (mut slices, mut unfinished, mut sum, mut spilled, mut spans, mut instants) = (0, 0, 0_i64, 0, 0, 0);
    let mut depths = BTreeMap::<String, u64>::new();
    for track in trace.tracks() {
        if matches!(track.kind, TrackKind::Async { .. }) {
            spans += track.slices().len() + track.instants().len();
            continue;
        }
        instants += track.instants().len();
        for id in track.slices() {
            let (slice, place) = (trace.slice(id).unwrap(), layout.place(id).unwrap());
            slices += 1;
            spilled += u64::from(place.lane > 0);
            *depths.entry(place.depth.to_string()).or_default() += 1;
            if slice.flags.is_unfinished() {
                unfinished += 1;
            } else {
                sum += slice.duration().0;
            }
        }
    }
    BTreeMap::from([
        ("slices", Json::from(slices)),
        ("unfinished", Json::from(unfinished)),
        ("sum_dur_ns", Json::from(sum)),
        ("depth_hist", depths.into_iter().map(|(depth, count)| (depth, Json::from(count))).collect()),
        ("lanes_over", Json::from(spilled)),
        ("instants", Json::from(instants)),
        ("counters", Json::from(trace.counters().len())),
        ("async_", Json::from(spans)),
        ("flows", Json::from(trace.flows().len())),
        ("objects", Json::from(trace.objects().len())),
    ])
}

#[test]
fn digests_of_real_json_files_hold() {
    let Some(folder) = spall_testdata::collection("json") else { return };
    let digests = std::fs::read(folder.join("real_digest.json")).unwrap();
    let digests: Vec<Json> = serde_json::from_slice(&digests).unwrap();
    let (mut differences, mut compared) = (Vec::new(), 0);
    for expected in &digests {
        let name = expected["file"].as_str().unwrap();
        let Ok(data) = std::fs::read(folder.join("real").join(name)) else { continue };
        let trace = spall_trace::load(&data).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (what, found) in digest(&trace) {
            // A few digests only count the events of the file.
            match expected.get(what) {
                Some(expected) if *expected != found => {
                    differences.push(format!("{name}: {what} {found}, not {expected}"))
                }
                Some(_) => compared += 1,
                None => {}
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(compared > 0);
}

/// The diagnostics that real files may have, with the reason for each.
const EXPLAINED: &[(DiagnosticKind, &str)] = &[
    (DiagnosticKind::UnmatchedEnd, "the recording began inside the slice"),
    (DiagnosticKind::UnfinishedSlice, "the recording ended inside the slice"),
    (DiagnosticKind::MissingDuration, "Chrome writes slices that are open at the end without a duration"),
    (DiagnosticKind::DurationFromThreadClock, "Hermes gives only the thread's clock"),
    (DiagnosticKind::UnmatchedAsync, "the recording began inside the span"),
    (DiagnosticKind::UnfinishedAsync, "the recording ended inside the span"),
    (DiagnosticKind::UnmatchedFlow, "the arrow began before the recording, or its id was used up"),
    (DiagnosticKind::UnfinishedFlow, "the arrow ends after the recording"),
    (DiagnosticKind::UnboundFlow, "the slice that the arrow belongs to was not recorded"),
    (DiagnosticKind::DuplicateFlow, "ids of arrows whose end was lost are used again"),
    (DiagnosticKind::UnmatchedDelete, "the object was made before the recording"),
    (DiagnosticKind::NameMismatch, "made to test readers"),
    (DiagnosticKind::Unordered, "made to test readers, or buffers written out of order"),
    (DiagnosticKind::Resorted, "made to test readers"),
    (DiagnosticKind::ProfileWithoutHead, "the recording began inside the CPU profile"),
    (DiagnosticKind::SecondProfile, "Node and the console profile a thread twice"),
    (DiagnosticKind::LostFrame, "the recording began after the caller was written"),
    (DiagnosticKind::UnknownFrame, "the recording began after the frame was written"),
    (DiagnosticKind::UnclosedList, "the recording was cut off"),
    (DiagnosticKind::MissingSeparator, "the writer forgot commas before its last events"),
];

#[test]
fn every_real_json_file_loads_and_its_diagnostics_are_explained() {
    for folder in ["json/real", "chrome/traces", "chrome/trace-event", "chrome/speedscope"] {
        let Some(folder) = spall_testdata::collection(folder) else { return };
        for path in spall_testdata::files(&folder, ".json") {
            let data = std::fs::read(&path).unwrap();
            let trace = match spall_trace::load(&data) {
                Ok(trace) => trace,
                // What programs computed of traces, and spans of another format.
                Err(spall_trace::Error::UnknownFormat { .. })
                    if path.ends_with("google_cloud_trace.json")
                        || path.parent().is_some_and(|folder| folder.ends_with("cpu-trace_parser")) =>
                {
                    continue;
                }
                Err(error) => panic!("{}: {error}", path.display()),
            };
            let surprise = |count: &&DiagnosticCount| EXPLAINED.iter().all(|&(kind, _)| kind != count.kind);
            let found = trace.diagnostics().counts().iter().find(surprise);
            assert_eq!(found, None, "{}", path.display());
        }
    }
}

#[test]
fn spall_mid_200k_has_its_counts_totals_and_self_ticks() {
    let Some(folder) = spall_testdata::collection("spall/big") else { return };
    let expected: Json =
        serde_json::from_slice(&std::fs::read(folder.join("mid-200k.summary.json")).unwrap()).unwrap();
    let data = std::fs::read(folder.join("mid-200k.spall")).unwrap();
    let trace = spall_trace::load(&data).unwrap();
    let layout = Layout::new(&trace);
    let mut names = BTreeMap::<String, (u64, i64, i64)>::new();
    for track in trace.tracks() {
        for id in track.slices() {
            let slice = trace.slice(id).unwrap();
            let entry = names.entry(trace.name(slice.name).into_owned()).or_default();
            entry.0 += 1;
            entry.1 += slice.duration().0;
            entry.2 += layout.self_time(id).unwrap().0;
        }
    }
    let by_name = expected["by_name"].as_object().or_else(|| expected["names"].as_object()).unwrap();
    assert_eq!(names.len(), by_name.len());
    for (name, expected) in by_name {
        let (count, total, own) = names[name];
        assert_eq!(
            Json::from(vec![Json::from(count), Json::from(total), Json::from(own)]),
            *expected,
            "{name}"
        );
    }
    assert!(trace.diagnostics().is_empty());
    for (track, expected) in trace.tracks().iter().zip(expected["threads"].as_array().unwrap()) {
        assert_eq!(Some(2 * track.slices().len() as u64), expected["events"].as_u64());
        let last = track.slices().iter().map(|id| trace.slice(id).unwrap().end.0).max();
        assert_eq!(last, expected["last_tick"].as_i64());
    }
}

#[test]
fn recordings_are_the_same_trace_in_every_container() {
    let calls = |path: &std::path::Path| {
        let data = std::fs::read(path).unwrap();
        let trace = spall_trace::load(&data).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(trace.clock().ns_per_tick(), None, "calls are counted, not timed");
        let names = trace.slices().names().iter().map(|&name| trace.name(name).into_owned());
        let args = trace.slices().ids().iter().map(|id| trace.slice_args(id).to_string());
        names.zip(args).collect::<Vec<_>>()
    };
    let folder = spall_testdata::folders("apitrace/crafted").swap_remove(0);
    let whole = calls(&folder.join("kitchen-v6.raw"));
    assert!(!whole.is_empty());
    for container in ["", ".br", ".gz", ".onechunk", ".zstdseek"] {
        assert_eq!(calls(&folder.join(format!("kitchen-v6{container}.trace"))), whole, "{container}");
    }
    let Some(folder) = spall_testdata::collection("apitrace") else { return };
    let whole = calls(&folder.join("gltest.trace"));
    assert!(whole.iter().any(|(name, args)| name == "glDrawArrays" && args.starts_with("mode=GL_")));
    for path in spall_testdata::files(&folder.join("variants"), "") {
        assert_eq!(calls(&path), whole, "{}", path.display());
    }
}

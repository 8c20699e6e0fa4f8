//! Compares the slices of a log with those that Heph's own converter writes as Trace Event JSON. [heph B.3]

use alloc::collections::BTreeMap;

use spall_trace::model::{Trace, TraceView, TrackKind};

/// The slices of one name on one thread.
#[derive(Default)]
struct Slices {
    /// The starts in nanoseconds since 1970, ascending.
    starts: Vec<i64>,
    /// The durations in nanoseconds, ascending.
    durations: Vec<i64>,
}

/// Returns the slices of a trace by stream, substream and name.
fn slices(trace: &Trace) -> BTreeMap<(String, String, String), Slices> {
    let epoch = trace.clock().epoch_ns.unwrap_or(0);
    let mut slices: BTreeMap<_, Slices> = BTreeMap::new();
    for track in trace.tracks() {
        let (Some(process), TrackKind::Thread { tid }) = (track.process, track.kind) else { continue };
        let process = &trace.processes()[process.index()];
        for (_, slice) in trace.slices_of(track.id) {
            let (pid, tid) = (trace.key_text(process.pid).into_owned(), trace.key_text(tid).into_owned());
            let entry = slices.entry((pid, tid, trace.name(slice.name).into_owned())).or_default();
            entry.starts.push(slice.start.0 + epoch);
            entry.durations.push(slice.duration().0);
        }
    }
    for slices in slices.values_mut() {
        slices.starts.sort_unstable();
        slices.durations.sort_unstable();
    }
    slices
}

#[test]
fn heph_b_3_the_converter_makes_the_same_slices() {
    let Some(folder) = spall_testdata::collection("heph") else { return };
    let mut compared = 0;
    for converted in spall_testdata::files(&folder, ".chrome.json") {
        let log = converted.to_string_lossy().replace(".chrome.json", ".bin.log");
        let (log, converted) = (std::fs::read(log).unwrap(), std::fs::read(converted).unwrap());
        let ours = slices(&spall_trace::load(&log).unwrap());
        let theirs = slices(&spall_trace::load(&converted).unwrap());
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (key, found) in &ours {
            let theirs = &theirs[key];
            assert_eq!(found.starts.len(), theirs.starts.len(), "{key:?}");
            // The converter moves slices of a thread that begin in the same microsecond, one microsecond at a time, until
            // all begin in different ones. So it moves each by at most as many microseconds as there are slices.
            let on_thread = ours.iter().filter(|((pid, tid, _), _)| (pid, tid) == (&key.0, &key.1));
            let most: usize = on_thread.map(|(_, slices)| slices.starts.len()).sum();
            let most = i64::try_from(most).unwrap();
            for (ours, theirs) in found.starts.iter().zip(&theirs.starts) {
                let moved = (theirs / 1000 - ours / 1000).abs();
                assert!(moved <= most, "{key:?} starts at {ours} and {theirs}");
            }
            // The converter does not move the end.
            for (ours, theirs) in found.durations.iter().zip(&theirs.durations) {
                let longer = (theirs / 1000 - ours / 1000).abs();
                assert!(longer <= most, "{key:?} lasts {ours} and {theirs}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

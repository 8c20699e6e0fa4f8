//! Heph's own converter writes Trace Event JSON. What it makes of a log is what we read, within its errors. [heph B.3]

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "test code outside of test functions")]

extern crate alloc;

use alloc::collections::BTreeMap;

use spall::model::{Limits, SliceId, Trace, TrackKind};
use spall_synth::corpus;

/// Start and length of each slice in nanoseconds since 1970, by stream, substream and name, in order.
fn slices(trace: &Trace<'_>) -> BTreeMap<(String, String, String), Vec<(i64, i64)>> {
    let epoch = trace.clock().epoch_ns.unwrap_or(0);
    let mut slices: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for track in trace.tracks() {
        let (Some(process), TrackKind::Thread { tid }) = (track.process, track.kind) else { continue };
        let process = &trace.processes()[process.0 as usize];
        for index in track.slices() {
            let slice = trace.slice(SliceId(u32::try_from(index).unwrap())).unwrap();
            let (pid, tid) = (trace.key_text(process.pid).into_owned(), trace.key_text(tid).into_owned());
            let key = (pid, tid, trace.name(slice.name).into_owned());
            slices.entry(key).or_default().push((slice.start.0 + epoch, slice.duration().0));
        }
    }
    slices.values_mut().for_each(|slices| slices.sort_unstable());
    slices
}

#[test]
fn heph_b_3_the_converter_makes_the_same_slices() {
    let Some(folder) = corpus::folder("heph") else { return };
    let mut compared = 0;
    for converted in corpus::files(&folder, ".chrome.json") {
        let log = converted.to_string_lossy().replace(".chrome.json", ".bin.log");
        let (log, converted) = (std::fs::read(log).unwrap(), std::fs::read(converted).unwrap());
        let all = slices(&spall::load(&log, &Limits::default()).unwrap());
        let theirs = slices(&spall::load(&converted, &Limits::default()).unwrap());
        assert_eq!(all.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (key, ours) in &all {
            let theirs = &theirs[key];
            assert_eq!(ours.len(), theirs.len(), "{key:?}");
            for (ours, theirs) in ours.iter().zip(theirs) {
                // Truncated to microseconds; slices of a thread that then begin together are moved, by one microsecond
                // each, until all differ: at most by as many as there are.
                let thread: usize = all
                    .iter()
                    .filter(|((pid, tid, _), _)| (pid, tid) == (&key.0, &key.1))
                    .map(|(_, slices)| slices.len())
                    .sum();
                let moved = theirs.0 - ours.0 / 1000 * 1000;
                assert!(
                    moved.abs() <= 1000 * i64::try_from(thread).unwrap(),
                    "{key:?} starts at {} and {}",
                    ours.0,
                    theirs.0
                );
                // Their length is that between truncated ends.
                assert!((theirs.1 - ours.1).abs() < 1000, "{key:?} lasts {} and {}", ours.1, theirs.1);
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

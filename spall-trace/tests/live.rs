//! Reads traces as if they grew, and compares the last commit with the finished trace.

use std::path::Path;

use spall_trace::layout::{Layout, LayoutView, LiveLayout};
use spall_trace::model::{
    Limits, LiveSnapshot, LiveTrace, Receiver, SliceFlags, Tick, Trace, TraceBuilder, TraceView, Track,
    TrackId, TrackKind,
};

/// The numbers of things of a file that were the same in both traces.
#[derive(Debug, Default)]
struct Same {
    files: usize,
    /// The number of slices of threads whose begins and ends have no fault.
    slices: usize,
    points: usize,
    rows: usize,
}

/// Reads a file into a live trace, and commits and updates the layout at intervals.
fn check(path: &Path, same: &mut Same) {
    let data = std::fs::read(path).unwrap();
    let limits = Limits::default();
    let (mut builder, mut grown) = (TraceBuilder::new(&limits), LiveTrace::new(&limits));
    let mut live = LiveLayout::new();
    let mut n_events = 0_u64;
    let result = spall_trace::Loader::new().read_events(&data, |event, bytes| {
        builder.receive(event, bytes);
        grown.receive(event, bytes);
        n_events += 1;
        if n_events.is_multiple_of(997) {
            live.update(&grown.commit(), Tick::MIN);
        }
    });
    if result.is_err() {
        return;
    }
    let trace = builder.finish();
    let committed = grown.commit();
    let view = live.update(&committed, Tick::MIN);
    if !trace.samples().is_empty() {
        // The threads of samples are known only at the end.
        return;
    }
    same.files += 1;
    let order: Vec<_> = committed.track_ids().collect();
    assert_eq!(order.len(), trace.tracks().len(), "{path:?}");
    let pairs_plainly = committed.pairing_faults().is_empty();
    let layout = Layout::new(&trace);
    for ((&live_id, id), track) in order.iter().zip((0..).map(TrackId)).zip(trace.tracks()) {
        if matches!(track.kind, TrackKind::Async { .. }) {
            continue;
        }
        let live_track = committed.track(live_id).unwrap();
        assert_eq!(
            committed.name(committed.track_info(live_id).unwrap().name),
            trace.name(track.name),
            "{path:?}"
        );
        same_points(&committed, live_id, &trace, track, same);
        assert_eq!(live_track.slices().len(), track.slices().len(), "{path:?}");
        if !pairs_plainly {
            continue;
        }
        same_slices(&committed, live_id, &trace, track, same);
        // A slice that came while a begin was open lies inside it, even if both end at the same time. [layout 18.4]
        let is_pair = |flags: &SliceFlags| flags.is_paired();
        let flags = &trace.slices().flags()[track.slices().indices()];
        if layout.n_overlapping() == 0 && (flags.iter().all(is_pair) || !flags.iter().any(is_pair)) {
            let bounds = |row: spall_trace::layout::RowView<'_>| (row.starts().to_vec(), row.ends().to_vec());
            let rows = view.track_rows(live_id).map(|row| bounds(view.row(row).unwrap()));
            let expected = layout.track_rows(id).iter().map(|row| bounds(layout.row(row).unwrap()));
            assert!(rows.eq(expected), "{path:?}");
            same.rows += layout.track_rows(id).len();
        }
    }
    let finished = grown.finish();
    assert_eq!(finished.diagnostics(), trace.diagnostics(), "{path:?}");
    assert_eq!(finished.slices().starts(), trace.slices().starts());
    assert_eq!(finished.slices().ends(), trace.slices().ends());
}

fn same_slices(live: &LiveSnapshot<'_>, id: TrackId, trace: &Trace, track: &Track, same: &mut Same) {
    let slices = live.track(id).unwrap().slices();
    for (&live_id, id) in slices.iter().zip(track.slices()) {
        let (shown, expected) = (live.slice(live_id).unwrap(), trace.slice(id).unwrap());
        assert_eq!((shown.start, shown.end), (expected.start, expected.end));
        assert_eq!(shown.flags.open_depth(), expected.flags.open_depth());
        let flags = [SliceFlags::UNFINISHED, SliceFlags::CLAMPED, SliceFlags::NAME_MISMATCH];
        assert_eq!(shown.flags.is_paired(), expected.flags.is_paired());
        assert!(flags.iter().all(|&flag| shown.flags.contains(flag) == expected.flags.contains(flag)));
        assert_eq!(live.name(shown.name), trace.name(expected.name));
        assert_eq!(live.name(shown.category), trace.name(expected.category));
        let (shown, expected) = (live.slice_args(live_id), trace.slice_args(id));
        assert_eq!((shown.begin.bytes(), shown.end.bytes()), (expected.begin.bytes(), expected.end.bytes()));
    }
    same.slices += slices.len();
}

fn same_points(live: &LiveSnapshot<'_>, id: TrackId, trace: &Trace, track: &Track, same: &mut Same) {
    let line = live.track(id).unwrap();
    let instants = trace.instants_of(track.id);
    let of_trace = instants.iter().map(|i| (i.at, trace.name(i.name), trace.args_of(i).bytes()));
    assert!(
        live.instants_of(line.id())
            .iter()
            .map(|i| (i.at, live.name(i.name), live.args_of(i).bytes()))
            .eq(of_trace)
    );
    let counters = trace.counters_of(track.id);
    let of_trace = counters.iter().map(|value| (value.at, trace.name(value.series), value.value.to_bits()));
    let shown = live
        .counters_of(line.id())
        .iter()
        .map(|value| (value.at, live.name(value.series), value.value.to_bits()));
    assert!(shown.eq(of_trace));
    let states = trace.states_of(track.id);
    let of_trace = states.iter().map(|state| (state.start, state.end, trace.name(state.name)));
    assert!(
        live.states_of(line.id())
            .iter()
            .map(|state| (state.start, state.end, live.name(state.name)))
            .eq(of_trace)
    );
    same.points += instants.len() + counters.len() + states.len();
}

#[test]
fn traces_that_grow_end_as_their_finished_traces() {
    let mut same = Same::default();
    for (folder, suffix) in [
        ("spall/v0", ".spall"),
        ("spall/v1", ".spall"),
        ("spall/v3", ".spall"),
        ("spall/big", ".spall"),
        ("heph", ".log"),
        ("json/cases", ".json"),
        ("json/real", ".json"),
        ("chrome/traces", ".json"),
        ("recordings", ""),
        ("small", ".json"),
    ] {
        for path in spall_testdata::inputs(folder, suffix) {
            check(&path, &mut same);
        }
    }
    println!("{same:?}");
    assert!(same.files > 100 && same.slices > 1000 && same.points > 20 && same.rows > 100, "{same:?}");
}

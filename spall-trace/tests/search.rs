//! One search for all viewers, and what they hide. [layout 13.3]

use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{Job, SliceId, Trace};
use spall_trace::{Hidden, find, ignoring_case};

/// Slices, instants, a counter and arguments that contain "draw", and others that do not.
const TRACE: &[u8] = include_bytes!("../../testdata/small/search.json");

fn trace() -> Trace {
    spall_trace::load(TRACE).unwrap()
}

fn counts(trace: &Trace, hidden: &Hidden, text: &str) -> String {
    let layout = hidden.layout(trace);
    find(trace, &layout, hidden, ignoring_case(text)).run().to_string()
}

#[test]
fn a_search_counts_slices_by_name_or_argument_instants_by_name_and_shown_tracks_by_title() {
    let (trace, all) = (trace(), Hidden::default());
    assert_eq!(trace.tracks().len(), 4, "the threads, the counter, and the instants of the process");
    assert_eq!(counts(&trace, &all, "draw"), "3 slices, 2 instants, 1 track");
    assert_eq!(counts(&trace, &all, "DRAW"), "3 slices, 2 instants, 1 track");
    assert_eq!(counts(&trace, &all, "key"), "0 slices, 1 instant");
    assert_eq!(counts(&trace, &all, "boxes"), "0 slices, 1 track");
    assert_eq!(counts(&trace, &all, "text"), "1 slice");
}

#[test]
fn what_is_hidden_is_neither_laid_out_nor_found() {
    let trace = trace();
    let by_category = Hidden::new(&trace, &["io"], &[], &[]);
    assert_eq!(counts(&trace, &by_category, "draw"), "2 slices, 1 instant, 1 track");
    let by_name = Hidden::new(&trace, &[], &["Draw", "redraw"], &[]);
    assert_eq!(counts(&trace, &by_name, "draw"), "2 slices, 1 track");
    let on_track =
        |kind: &str| trace.tracks().iter().find(|track| track.kind.name() == kind).map(|track| track.id);
    let by_track = |kind| Hidden::new::<&str>(&trace, &[], &[], &[on_track(kind).unwrap()]);
    assert_eq!(counts(&trace, &by_track("thread"), "draw"), "0 slices, 1 instant, 1 track");
    assert_eq!(counts(&trace, &by_track("counter"), "draw"), "3 slices, 2 instants");
    // An event without a category has the empty one.
    let instants = |hidden: &Hidden| hidden.instants(trace.instants()).len();
    assert_eq!(
        [Hidden::default(), Hidden::new(&trace, &[""], &[], &[])].map(|hidden| instants(&hidden)),
        [3, 2]
    );

    let layout = by_name.layout(&trace);
    let depths = (0..4).map(|slice| Some(layout.row_info(layout.row_of(SliceId(slice))?)?.depth));
    assert_eq!(depths.collect::<Vec<_>>(), [None, Some(0), Some(0), Some(0)]);
}

#[test]
fn a_search_step_by_step_finds_the_same() {
    let (trace, hidden) = (trace(), Hidden::default());
    let layout = Layout::new(&trace);
    let mut job = find(&trace, &layout, &hidden, ignoring_case("draw"));
    let found = core::iter::repeat_with(|| job.step(1)).find_map(|found| found).unwrap();
    assert_eq!(found.to_string(), counts(&trace, &hidden, "draw"));
    assert!((0..3).all(|slice| found.slices.has(&layout, SliceId(slice))));
    assert!(!found.slices.has(&layout, SliceId(3)));
}

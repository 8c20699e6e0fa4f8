//! One search for all viewers, and what they hide. [layout 13.3]

use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{Job, SliceId, Trace};
use spall_trace::{Hidden, Sought, find, ignoring_case};

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
fn a_search_counts_slices_and_instants_by_name_or_argument_and_what_is_shown_by_title() {
    let (trace, all) = (trace(), Hidden::default());
    assert_eq!(trace.tracks().len(), 4, "the threads, the counter, and the instants of the process");
    assert_eq!(counts(&trace, &all, "draw"), "3 slices, 3 instants, 1 counter");
    assert_eq!(counts(&trace, &all, "DRAW"), "3 slices, 3 instants, 1 counter");
    assert_eq!(counts(&trace, &all, "key"), "0 slices, 1 instant");
    assert_eq!(counts(&trace, &all, "boxes"), "0 slices, 1 counter");
    assert_eq!(counts(&trace, &all, "text"), "1 slice");
}

#[test]
fn what_is_hidden_is_neither_laid_out_nor_found() {
    let trace = trace();
    let by_category = Hidden::new(&trace, &["io"], &[], &[]);
    assert_eq!(counts(&trace, &by_category, "draw"), "2 slices, 2 instants, 1 counter");
    let by_name = Hidden::new(&trace, &[], &["Draw", "redraw"], &[]);
    assert_eq!(counts(&trace, &by_name, "draw"), "2 slices, 1 instant, 1 counter");
    let on_track =
        |kind: &str| trace.tracks().iter().find(|track| track.kind.name() == kind).map(|track| track.id);
    let by_track = |kind| Hidden::new::<&str>(&trace, &[], &[], &[on_track(kind).unwrap()]);
    assert_eq!(counts(&trace, &by_track("thread"), "draw"), "0 slices, 1 instant, 1 counter");
    assert_eq!(counts(&trace, &by_track("counter"), "draw"), "3 slices, 3 instants");
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

/// A part of a name, of a category and of a path.
struct Terms([&'static str; 3]);

impl Sought for Terms {
    fn matches(&self, text: &str) -> bool {
        text.contains(self.0[0])
    }

    fn category(&self) -> Option<&dyn Fn(&str) -> bool> {
        let is_wanted: &dyn Fn(&str) -> bool = match self.0[1] {
            "" => return None,
            "ui" => &|text| text == "ui",
            _ => &|text| text == "io",
        };
        Some(is_wanted)
    }

    fn path(&self) -> Option<&dyn Fn(&str) -> bool> {
        let is_wanted: &dyn Fn(&str) -> bool = match self.0[2] {
            "" => return None,
            "Process 1" => &|text| text.contains("Process 1"),
            _ => &|text| text == "Process 2/Thread 2",
        };
        Some(is_wanted)
    }
}

/// A flow with a name of its own, and one that has that of the slice that it leaves.
const FLOWS: &[u8] = br#"[
    {"ph":"X","name":"send","cat":"io","pid":1,"tid":1,"ts":0,"dur":9},
    {"ph":"X","name":"receive","cat":"ui","pid":2,"tid":2,"ts":20,"dur":9},
    {"ph":"s","name":"mail","cat":"io","id":1,"pid":1,"tid":1,"ts":5},
    {"ph":"f","bp":"e","name":"mail","cat":"io","id":1,"pid":2,"tid":2,"ts":25},
    {"ph":"s","name":"send","cat":"io","id":2,"pid":1,"tid":1,"ts":6,"args":{"to":"bob"}},
    {"ph":"f","bp":"e","name":"send","cat":"io","id":2,"pid":2,"tid":2,"ts":26}]"#;

#[test]
fn flows_are_found_by_their_own_name_and_their_arguments_and_processes_by_their_title() {
    let (trace, all) = (spall_trace::load(FLOWS).unwrap(), Hidden::default());
    assert_eq!(counts(&trace, &all, "mail"), "0 slices, 1 flow");
    assert_eq!(counts(&trace, &all, "send"), "1 slice");
    assert_eq!(counts(&trace, &all, "bob"), "0 slices, 1 flow");
    assert_eq!(counts(&trace, &all, "process"), "0 slices, 2 processes");
    assert_eq!(counts(&trace, &all, ""), "2 slices, 2 flows, 2 tracks, 2 processes");
    let without_io = Hidden::new(&trace, &["io"], &[], &[]);
    assert_eq!(counts(&trace, &without_io, "mail"), "0 slices", "an end of it is hidden");
}

#[test]
fn a_category_and_a_path_leave_what_has_them() {
    let (trace, hidden) = (spall_trace::load(FLOWS).unwrap(), Hidden::default());
    let layout = Layout::new(&trace);
    for (terms, expected) in [
        (["", "io", ""], "1 slice, 2 flows"),
        (["e", "ui", ""], "1 slice"),
        (["", "", "Process 1"], "1 slice, 2 flows, 1 track, 1 process"),
        (["", "", "Thread 2"], "1 slice, 2 flows, 1 track"),
        (["send", "", "Thread 2"], "0 slices"),
        (["", "ui", "Process 1"], "0 slices"),
    ] {
        assert_eq!(find(&trace, &layout, &hidden, Terms(terms)).run().to_string(), expected, "{terms:?}");
    }
}

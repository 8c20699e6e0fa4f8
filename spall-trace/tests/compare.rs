//! Comparisons of two traces.

use spall_trace::{
    CompareError, compare,
    model::{Measure, Ticks, Trace, TrackSet, Unit, UnitName},
};

fn load(data: &str) -> Trace {
    spall_trace::load(data.as_bytes()).unwrap()
}

fn with_thread() -> Trace {
    load(r#"[{"ph":"X","name":"call","pid":1,"tid":1,"ts":0,"dur":10}]"#)
}

fn with_span() -> Trace {
    load(
        r#"[{"ph":"b","name":"request","cat":"c","id":7,"pid":1,"ts":0},{"ph":"e","name":"request","cat":"c","id":7,"pid":1,"ts":5}]"#,
    )
}

#[test]
fn tree_7_two_traces_are_compared_for_each_kind_of_tracks_that_one_of_them_has() {
    let traces = [&with_thread(), &with_span()];
    let compared = |tracks| {
        let kinds = compare(traces, tracks, Measure::WallTime).unwrap().into_iter();
        let sums = kinds.map(|of| {
            let functions = of.functions(traces).into_iter();
            let changes = functions.map(|diff| (diff.describe(traces), diff.change().0)).collect::<Vec<_>>();
            (of.tracks, of.trees.map(|tree| tree.total()), changes)
        });
        sums.collect::<Vec<_>>()
    };
    let (none, call, request) = (Ticks::ZERO, ("call".into(), -10_000), ("request".into(), 5_000));
    let threads = (TrackSet::Threads, [Ticks(10_000), none], vec![call]);
    let spans = (TrackSet::Async, [none, Ticks(5_000)], vec![request]);
    assert_eq!(compared(None), [threads.clone(), spans.clone()]);
    let changes = [spans.2, threads.2].concat();
    assert_eq!(compared(Some(TrackSet::All)), [(TrackSet::All, [Ticks(10_000), Ticks(5_000)], changes)]);
}

#[test]
fn tree_5_traces_without_anything_or_with_other_units_are_not_compared() {
    let (thread, span, counted) = (with_thread(), with_span(), load("main;f 3\n"));
    let refused = |traces, tracks, measure| compare(traces, tracks, measure).unwrap_err();
    let nothing = |is_after| CompareError::Nothing { is_after };
    assert_eq!(refused([&thread, &span], Some(TrackSet::Threads), Measure::WallTime), nothing(true));
    assert_eq!(refused([&thread, &counted], Some(TrackSet::Async), Measure::WallTime), nothing(false));
    assert_eq!(refused([&thread, &thread], None, Measure::ThreadTime), nothing(false));
    let samples = Unit::Count(UnitName::new("samples"));
    let units = CompareError::Units { before: Unit::Nanoseconds(1.0), after: samples };
    assert_eq!(refused([&thread, &counted], None, Measure::WallTime), units);
    let calls = compare([&thread, &span], None, Measure::Count).unwrap();
    assert_eq!(calls[0].clock.unit, Unit::Count(UnitName::new("calls")));
}

//! Lays out some of the slices of a trace, and compares that with the layout of a trace that has no others. \[layout 4.9\]

use spall_layout::{Layout, LayoutView, Stats};
use spall_model::{AsyncPhase, Event, Job, SliceId, Tick, Ticks, Trace, TraceView};
use spall_synth::Random;

use crate::common::{random_trace_of_parents, time_tree};
use crate::layout::{complete, event, random_events, span, trace_of};

#[test]
fn layout_4_9_a_layout_of_some_slices_is_that_of_a_trace_without_the_others() {
    let mut random = Random(9);
    let mut n_left_out = 0;
    for round in 0..4_000 {
        let trace = match round % 4 {
            0 => random_trace_of_parents(&mut random),
            _ => trace_of(&random_events(&mut random)),
        };
        let is_shown: Vec<bool> = (0..trace.slices().len()).map(|_| random.below(3) > 0).collect();
        let layout = Layout::of_slices(&trace, |id| is_shown[id.index()]);
        let others = trace.clone().with_slices(|old, track, slices| {
            old.slices_of(track)
                .filter(|(id, _)| is_shown[id.index()])
                .for_each(|(id, _)| _ = slices.keep(id));
        });
        let without = Layout::new(&others);
        let shown: Vec<SliceId> =
            (0..).map(SliceId).take(is_shown.len()).filter(|id| is_shown[id.index()]).collect();
        n_left_out += is_shown.len() - shown.len();
        let mut left_out = (0..).map(SliceId).take(is_shown.len()).filter(|id| !is_shown[id.index()]);
        assert!(left_out.all(|id| layout.place(id).is_none() && layout.parent(id).is_none()));
        for (&id, kept) in shown.iter().zip((0..).map(SliceId)) {
            let [place, expected] = [layout.place(id), without.place(kept)].map(Option::unwrap);
            assert_eq!(
                (place.lane, place.depth, place.start, place.end),
                (expected.lane, expected.depth, expected.start, expected.end)
            );
            let parent = without.parent(kept).map(|parent| shown[parent.index()]);
            assert_eq!((layout.parent(id), layout.self_time(id)), (parent, without.self_time(kept)));
        }
        assert_eq!(layout.n_overlapping(), without.n_overlapping());
        let range = Tick(random.below(100))..Tick(100 + random.below(100));
        let sums = |trace: &Trace, layout: &Layout| {
            Stats::new(trace, layout, trace.track_ids(), range.clone()).run()
        };
        assert_eq!(sums(&trace, &layout), sums(&others, &without));
        let tree =
            |trace: &Trace, layout: &Layout| time_tree(trace, layout, trace.track_ids(), range.clone());
        assert_eq!(tree(&trace, &layout).nodes(), tree(&others, &without).nodes());
    }
    assert!(n_left_out > 10_000, "{n_left_out}");
}

/// Returns lane, depth, times, name and parent of each slice that a layout of those without the name `h` has.
fn shown_places(trace: &Trace) -> Vec<String> {
    let hidden = trace.names().find(b"h");
    let is_shown = |id: SliceId| hidden.is_none() || trace.slice_name_id(id) != hidden;
    let layout = Layout::of_slices(trace, is_shown);
    let shown = trace.slices().ids().iter().filter(|&id| is_shown(id));
    shown
        .map(|id| {
            let place = layout.place(id).unwrap();
            let name = |id| trace.slice_name(id).into_owned();
            let parent = layout.parent(id).map_or_else(String::new, name);
            let (start, end) = (place.start.0, place.end.0);
            format!("{} {}.{} {start}-{end} <{parent}", name(id), place.lane, place.depth)
        })
        .collect()
}

/// Checks that the slices of `all` without the name `h` lie as in a trace of the events `shown`, which has no others. Returns how
/// many are hidden.
fn check_without_hidden([all, shown]: [Vec<Event<'static>>; 2]) -> usize {
    let (trace, without) = (trace_of(&all), trace_of(&shown));
    let n_hidden = trace.slices().len() - without.slices().len();
    let expected = shown_places(&without);
    assert_eq!(shown_places(&trace), expected, "{all:?}");
    // A trace of which slices were taken away is laid out alike.
    let hidden = trace.names().find(b"h");
    let filtered = trace.with_slices(|old, track, slices| {
        let kept = old.slices_of(track).filter(|(_, slice)| Some(slice.name) != hidden);
        kept.for_each(|(id, _)| _ = slices.keep(id));
    });
    assert_eq!(shown_places(&filtered), expected, "{all:?}");
    n_hidden
}

#[test]
fn layout_4_9_pairs_that_are_left_out_hold_no_lane_and_no_depth() {
    let (begin, end) = (|at, name| Event::Begin(event(1, at, name)), |at| Event::End(event(1, at, "")));
    // `inner` was begun in a pair of another lane's depth, and has room in lane 0 without it.
    let lane =
        [complete("x", 0, 2), begin(1, "beside"), end(3), begin(4, "h"), begin(7, "inner"), end(9), end(11)];
    let expected = ["x 0.0 0-2 <", "beside 1.0 1-3 <", "inner 0.0 7-9 <"];
    assert_eq!(shown_places(&trace_of(&lane)), expected);
    // `point` was begun in a pair that begins where `outer` ends.
    let depth = [begin(0, "outer"), end(5), begin(5, "h"), begin(5, "point"), end(5), end(9)];
    assert_eq!(shown_places(&trace_of(&depth)), ["outer 0.0 0-5 <", "point 0.0 5-5 <"]);
}

/// The events of nested pairs, and of slices that overlap them. Those of the name `h` are not in the second list.
fn random_pairs(random: &mut Random) -> [Vec<Event<'static>>; 2] {
    let (mut all, mut shown, mut open, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..1 + random.below(60) {
        // Pairs begin and end at times of their own: of those without duration, a trace does not say in which of two pairs
        // they were begun that meet there.
        at += 1 + random.below(4);
        let name = ["a", "b", "h"][usize::try_from(random.below(3)).unwrap()];
        let (event, name) = match random.below(5) {
            0 | 1 => {
                open.push(name);
                (Event::Begin(event(1, at, name)), name)
            }
            2 | 3 => match open.pop() {
                Some(name) => (Event::End(event(1, at, name)), name),
                None => continue,
            },
            _ => (Event::Complete(event(1, at, name), Ticks(random.below(12))), name),
        };
        all.push(event);
        if name != "h" {
            shown.push(event);
        }
    }
    while let Some(name) = open.pop() {
        at += 1;
        let event = Event::End(event(1, at, name));
        all.push(event);
        if name != "h" {
            shown.push(event);
        }
    }
    [all, shown]
}

#[test]
fn layout_4_9_pairs_lie_as_in_a_file_without_those_that_are_left_out() {
    let mut random = Random(49);
    let mut n_hidden = 0;
    for _ in 0..5_000 {
        n_hidden += check_without_hidden(random_pairs(&mut random));
    }
    assert!(n_hidden > 20_000, "{n_hidden}");
}

#[test]
fn layout_4_9_async_spans_move_up() {
    use AsyncPhase::{Begin, End};
    let [a, b, c] = ["a", "b", "c"];
    let events = [
        span(Begin, a, 0),
        span(Begin, b, 2),
        span(Begin, c, 4),
        span(End, b, 6),
        span(End, c, 9),
        span(End, a, 10),
    ];
    let trace = trace_of(&events);
    let hidden = trace.names().find(b"b");
    let layout = Layout::of_slices(&trace, |id| trace.slice_name_id(id) != hidden);
    let found = (0..3)
        .map(SliceId)
        .filter_map(|id| Some((trace.slice_name(id), layout.place(id)?.depth, layout.self_time(id)?.0)));
    assert!(found.eq([("a".into(), 0, 5), ("c".into(), 1, 5)]));
}

/// The events of spans, which overlap in any way. Those of the name `h` are not in the second list.
fn random_spans(random: &mut Random, least_between: i64) -> [Vec<Event<'static>>; 2] {
    let (mut all, mut shown, mut at) = (Vec::new(), Vec::new(), 0);
    for _ in 0..1 + random.below(60) {
        at += least_between + random.below(3);
        let name = ["a", "b", "h"][random.below(3_usize)];
        let event = span([AsyncPhase::Begin, AsyncPhase::End][random.below(2_usize)], name, at);
        all.push(event);
        if name != "h" {
            shown.push(event);
        }
    }
    // Spans without an end last as long as their track, so that both have to end at one time.
    for phase in [AsyncPhase::Begin, AsyncPhase::End] {
        all.push(span(phase, "z", at + 1));
        shown.push(span(phase, "z", at + 1));
    }
    [all, shown]
}

#[test]
fn layout_4_9_spans_lie_as_in_a_file_without_those_that_are_left_out() {
    let mut random = Random(50);
    let mut n_hidden = 0;
    for _ in 0..5_000 {
        // Begins and ends have times of their own: a trace does not say which came first of a begin and an end of one time.
        n_hidden += check_without_hidden(random_spans(&mut random, 1));
    }
    assert!(n_hidden > 20_000, "{n_hidden}");
}

#[test]
fn layout_4_5_spans_have_the_depth_that_the_trace_says() {
    let mut random = Random(51);
    let mut n_deep = 0;
    for _ in 0..5_000 {
        let [all, _] = random_spans(&mut random, 0);
        let trace = trace_of(&all);
        let layout = Layout::new(&trace);
        for (id, flags) in trace.slices().ids().iter().zip(trace.slices().flags()) {
            assert_eq!(layout.place(id).unwrap().depth, flags.open_depth(), "{all:?}");
            n_deep += u32::from(flags.open_depth() > 2);
        }
    }
    assert!(n_deep > 10_000, "{n_deep}");
}

//! Spans that say their parents, compared with a quadratic reading of the rule. [pairing 5]

use alloc::{format, string::String, vec::Vec};
use core::convert::Infallible;

use crate::{
    AsyncPhase, Clock, DiagnosticKind, Event, Id, KeyedEvent, Limits, MergedPart, SliceId, Text, Tick, Trace,
    TraceBuilder, TraceMerger, TraceView, index32, nest::ParentNesting,
};

/// A span: its id, that of its parent, its start and its end. 0 is no id.
type Span = (i64, i64, i64, i64);

fn id(id: i64) -> Id<'static> {
    if id == 0 { Id::NONE } else { Id::Number(id) }
}

fn event(at: i64, name: &str) -> KeyedEvent<'_> {
    KeyedEvent::new(1, Tick(at), "trace", Text::from(name))
}

fn trace_of(spans: &[Span]) -> Trace {
    let names: Vec<String> = (0..spans.len()).map(|span| format!("span {span}")).collect();
    let mut builder = TraceBuilder::new(&Limits::default());
    for (&(span, parent, start, end), name) in spans.iter().zip(&names) {
        for (phase, at) in [(AsyncPhase::Begin, start), (AsyncPhase::End, end)] {
            let event = KeyedEvent { span: id(span), parent: id(parent), ..event(at, name) };
            builder.push(&Event::Async(phase, event));
        }
    }
    builder.finish()
}

fn merged(traces: &[&Trace]) -> Trace {
    let mut merger = TraceMerger::new(Clock::NANOSECONDS, &Limits::default());
    for trace in traces {
        let part = MergedPart { time: &|at| at.0.into(), pid: &|_| None, label: "", keeps_apart: false };
        merger.add(trace, &part);
    }
    merger.finish()
}

fn replayed(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), Infallible>(())
    });
    builder.finish()
}

/// Spans of which some have parents, no parents, lost ones, or go round in circles. Children may stand before their parents, and
/// begin before them.
fn random_spans(random: &mut spall_synth::Random) -> Vec<Span> {
    let n_spans = 1 + random.below(14);
    let mut spans: Vec<Span> = (1..=n_spans)
        .map(|span| {
            let start = random.below(20);
            let parent = if random.one_in(4) { 0 } else { 1 + random.below(n_spans + 1) };
            let span = if random.one_in(8) { 1 + random.below(n_spans) } else { span };
            (span, parent, start, start + random.below(20))
        })
        .collect();
    if random.one_in(2) {
        spans.reverse();
    }
    spans
}

/// The parents that spans have once circles are cut, by position.
fn parents(spans: &[Span]) -> Vec<Option<usize>> {
    let find = |id: i64| spans.iter().position(|span| span.0 == id);
    let mut parents: Vec<_> = spans.iter().map(|span| find(span.1)).collect();
    loop {
        let circle = (0..spans.len()).find_map(|from| {
            let way = core::iter::successors(parents[from], |&at| parents[at]).take(spans.len());
            let way: Vec<usize> = way.collect();
            let length = way.iter().position(|&at| at == from)?;
            Some(way[..=length].to_vec())
        });
        let Some(circle) = circle else { return parents };
        let first = circle.into_iter().min_by_key(|&at| (spans[at].2, -spans[at].3, at)).unwrap();
        parents[first] = None;
    }
}

/// The position of the span that each slice is.
fn spans_of(trace: &Trace) -> Vec<usize> {
    let number = |slice| trace.slice_name(slice)["span ".len()..].parse().unwrap();
    trace.slices().ids().iter().map(number).collect()
}

/// [pairing 5.2] [pairing 5.5] Each child covers the time in which no earlier one is open.
#[test]
fn pairing_5_2_parents_are_those_that_spans_say() {
    let mut random = spall_synth::Random(5);
    let (mut n_links, mut n_cut) = (0, 0);
    for _ in 0..2_000 {
        let spans = random_spans(&mut random);
        let trace = trace_of(&spans);
        let order = spans_of(&trace);
        let parents = parents(&spans);
        let slice_of = |span: usize| SliceId::new(order.iter().position(|&of| of == span).unwrap());
        for (slice, &span) in trace.slices().ids().iter().zip(&order) {
            let said = trace.said_parent(slice);
            assert_eq!(said.as_ref().map(|said| said.parent), parents[span].map(slice_of), "{spans:?}");
            n_links += u32::from(said.is_some());
            // Tick by tick, each child counts if no earlier one is there.
            let siblings: Vec<SliceId> = trace.slices().ids().iter().collect();
            let siblings = siblings.into_iter().filter(|&other| {
                said.as_ref().is_some_and(|said| trace.span_parents().children(said.parent).contains(&other))
            });
            let siblings: Vec<SliceId> = siblings.collect();
            let Some(said) = said else { continue };
            let is_in = |slice: SliceId, at: i64| {
                let slice = trace.slice(slice).unwrap();
                slice.start.0 <= at && at < slice.end.0
            };
            let first = |at: i64| {
                siblings.iter().copied().find(|&child| is_in(child, at)) == Some(slice)
                    && is_in(said.parent, at)
            };
            let expected: Vec<i64> = (0..40).filter(|&at| first(at)).collect();
            assert_eq!((said.covers.start.0..said.covers.end.0).collect::<Vec<_>>(), expected, "{spans:?}");
        }
        let n_lost =
            spans.iter().filter(|span| span.1 != 0 && spans.iter().all(|other| other.0 != span.1)).count();
        let count = |kind| trace.diagnostics().count(kind);
        assert_eq!(count(DiagnosticKind::LostSpanParent), n_lost as u64);
        let n_roots = parents.iter().filter(|parent| parent.is_none()).count();
        let n_circles = n_roots - n_lost - spans.iter().filter(|span| span.1 == 0).count();
        assert_eq!(count(DiagnosticKind::CircularSpan), n_circles as u64);
        n_cut += n_circles;
        assert!(replayed(&trace) == trace, "{spans:?}");
    }
    assert!(n_links > 5_000 && n_cut > 500, "{n_links} {n_cut}");
}

/// The first span of an id is the longest one, the last one, or the shortest one of a time; none of that counts.
#[test]
fn pairing_5_2_of_several_spans_of_one_id_the_first_in_the_file_is_the_parent() {
    for (first, second) in [((5, 9), (0, 20)), ((5, 9), (5, 20)), ((0, 20), (5, 9)), ((5, 9), (6, 9))] {
        let trace = trace_of(&[(1, 0, first.0, first.1), (1, 0, second.0, second.1), (2, 1, 7, 8)]);
        let parent = trace.slices().ids().iter().find(|&slice| trace.slice_name(slice) == "span 0");
        let child = trace.slices().ids().iter().find(|&slice| trace.slice_name(slice) == "span 2").unwrap();
        assert_eq!(trace.said_parent(child).map(|said| said.parent), parent, "{first:?} {second:?}");
        assert!(replayed(&trace) == trace);
        assert!(merged(&[&trace]) == trace);
    }
}

/// The traces of a merge come one after the other, as if they were one file.
#[test]
fn pairing_5_2_the_first_trace_of_a_merge_is_the_first_in_the_file() {
    let [one, two] = [trace_of(&[(1, 0, 5, 9)]), trace_of(&[(1, 0, 0, 20), (2, 1, 7, 8)])];
    for (traces, parent) in [([&one, &two], Tick(5)), ([&two, &one], Tick(0))] {
        let merged = merged(&traces);
        let parent_of =
            merged.said_parent(SliceId(2)).map(|said| merged.slices().starts()[said.parent.index()]);
        assert_eq!(parent_of, Some(parent));
        assert!(replayed(&merged) == merged);
    }
}

/// [pairing 5.3] [pairing 5.4] Slices are in order, so that those above a slice come before it.
#[test]
fn pairing_5_4_a_span_lies_below_the_nearest_span_above_it_that_encloses_it_and_is_on_top() {
    let mut random = spall_synth::Random(6);
    let (mut n_below, mut n_lanes) = (0, 0);
    for _ in 0..3_000 {
        let spans = random_spans(&mut random);
        let trace = trace_of(&spans);
        let order = spans_of(&trace);
        let parents = parents(&spans);
        let is_above = |above: usize, below: usize| {
            core::iter::successors(parents[below], |&at| parents[at]).position(|at| at == above)
        };
        let mut nesting = ParentNesting::default();
        nesting.begin(trace.span_parents(), 0..index32(order.len()));
        let mut lanes: Vec<Vec<usize>> = Vec::new();
        for (slice, &span) in trace.slices().ids().iter().zip(&order) {
            if let Some(&before) = slice.0.checked_sub(1).map(|before| &order[before as usize]) {
                let place = |span: usize| (spans[span].2, -spans[span].3);
                assert!(place(before) <= place(span));
                assert!(place(before) < place(span) || is_above(span, before).is_none(), "{spans:?}");
            }
            let (start, end) = (spans[span].2, spans[span].3);
            for lane in &mut lanes {
                while lane.pop_if(|top| spans[*top].3 <= start).is_some() {}
            }
            let nearest = (0..lanes.len())
                .filter_map(|lane| {
                    let &top = lanes[lane].last()?;
                    Some((is_above(top, span).filter(|_| spans[top].3 >= end)?, lane))
                })
                .min();
            let free = || lanes.iter().position(Vec::is_empty);
            let lane = nearest.map(|(_, lane)| lane).or_else(free).unwrap_or(lanes.len());
            lanes.resize(lanes.len().max(lane + 1), Vec::new());
            let found = nesting.place(slice, Tick(start), Tick(end));
            assert_eq!((found.lane as usize, found.depth as usize), (lane, lanes[lane].len()), "{spans:?}");
            n_below += u32::from(found.depth > 0);
            lanes[lane].push(span);
        }
        n_lanes += lanes.len();
    }
    assert!(n_below > 2_000 && n_lanes > 3_000, "{n_below} {n_lanes}");
}

#[test]
fn pairing_5_1_begin_and_end_of_one_id_are_a_pair_whatever_their_names() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut push = |phase, at, name, span| {
        builder.push(&Event::Async(phase, KeyedEvent { span: id(span), ..event(at, name) }));
    };
    let (begin, end) = (AsyncPhase::Begin, AsyncPhase::End);
    push(begin, 0, "a", 1);
    push(begin, 1, "a", 2);
    push(end, 5, "other", 1);
    push(end, 9, "", 2);
    push(begin, 10, "a", 0);
    push(begin, 11, "a", 3);
    push(end, 12, "a", 0);
    push(end, 13, "a", 4);
    let trace = builder.finish();
    assert_eq!(trace.slices().starts(), [0, 1, 10, 11].map(Tick));
    assert_eq!(trace.slices().ends(), [5, 9, 12, 13].map(Tick));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedAsync), 1);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnfinishedAsync), 1);
}

#[test]
fn pairing_5_1_an_id_that_is_used_twice_leaves_both_spans_as_they_were_written() {
    let trace = trace_of(&[(1, 0, 0, 5), (1, 0, 2, 9), (2, 1, 3, 4)]);
    assert_eq!(trace.slices().ends(), [5, 9, 4].map(Tick));
    assert_eq!(trace.said_parent(SliceId(2)).map(|said| said.parent), Some(SliceId(0)));
    assert!(replayed(&trace) == trace);
}

#[test]
fn pairing_5_1_an_end_before_its_begin_is_at_the_begin() {
    let trace = trace_of(&[(1, 0, 5, 3)]);
    assert_eq!((trace.slices().starts(), trace.slices().ends()), (&[Tick(5)][..], &[Tick(5)][..]));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::NegativeDuration), 1);
}

#[test]
fn spans_without_the_one_above_them_lie_below_the_next_one() {
    let trace = trace_of(&[(1, 0, 0, 10), (2, 1, 1, 9), (3, 2, 2, 8), (4, 2, 3, 9)]);
    let trace = trace.with_slices(|old, track, slices| {
        for (slice, _) in old.slices_of(track) {
            if old.slice_name(slice) != "span 1" {
                slices.keep(slice);
            }
        }
    });
    let said = trace.said_parent(SliceId(1)).unwrap();
    assert_eq!((said.parent, said.covers), (SliceId(0), Tick(2)..Tick(8)));
    assert_eq!(trace.said_parent(SliceId(2)).unwrap().covers, Tick(8)..Tick(9));
    assert!(replayed(&trace) == trace);
}

/// One trace may be in several files, each of one service.
#[test]
fn the_parent_of_a_span_may_be_in_another_trace_of_a_merge() {
    let [one, two] = [trace_of(&[(2, 1, 3, 4)]), trace_of(&[(1, 0, 0, 10)])];
    assert_eq!(one.said_parent(SliceId(0)), None);
    let merged = merged(&[&one, &two]);
    assert_eq!(merged.said_parent(SliceId(1)).map(|said| said.parent), Some(SliceId(0)));
    assert_eq!(merged.diagnostics().count(DiagnosticKind::LostSpanParent), 0);
}

/// Quadratic work would not end.
#[test]
fn a_chain_of_a_hundred_thousand_spans_costs_no_more_than_logarithms_each() {
    let n = 100_000;
    // Each in the one before, and below the innermost as many that fit into none of the upper ones, side by side.
    let chain = (1..=n).map(|span| (span, span - 1, span, 4 * n - span));
    let beside = (1..=n).map(|span| (n + span, n, 2 * n + span / 2, 5 * n));
    let covered = (1..=n).map(|span| (2 * n + span, n, 2 * n + span / 2, 3 * n - 1 - span / 2));
    let trace = trace_of(&chain.chain(beside).chain(covered).collect::<Vec<_>>());
    let mut nesting = ParentNesting::default();
    nesting.begin(trace.span_parents(), 0..index32(trace.slices().len()));
    let mut deepest = 0;
    for (slice, of) in trace.slices_of(crate::TrackId(0)) {
        deepest = deepest.max(nesting.place(slice, of.start, of.end).depth);
    }
    assert_eq!(i64::from(deepest), n);
    assert!(replayed(&trace) == trace);
}

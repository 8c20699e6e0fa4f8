//! Spans that say their parents: every door gives the sums of a quadratic reading of the rule.

use std::collections::BTreeMap;

use spall_synth::Random;
use spall_trace::{
    export::{self, StackRoot},
    json::V8,
    layout::{Layout, LayoutView, Stats, slice_tree},
    model::{
        AsyncPhase, CallTree, Event, Function, Job, KeyedEvent, Limits, Measure, SliceId, Text, Tick, Trace,
        TraceBuilder, TraceView, TrackSet,
    },
    samples::call_trees,
};

/// A span: its name, its id, that of its parent and its times.
#[derive(Debug)]
struct Span {
    name: &'static str,
    id: i64,
    parent: i64,
    start: i64,
    end: i64,
}

fn random_forest(random: &mut Random) -> Vec<Span> {
    let n_spans = 1 + random.below(20);
    let span = |id| {
        let (start, name) = (random.below(60), ["a", "b", "c", "d"][random.below(4_usize)]);
        // Parents are other spans, before or behind in the file, or are not there.
        let parent = if random.one_in(4) { random.below(n_spans + 2) } else { random.below(id) };
        Span { name, id, parent, start, end: start + random.below(30) }
    };
    (1..=n_spans).map(span).collect()
}

fn trace_of(spans: &[Span]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for span in spans {
        for (phase, at) in [(AsyncPhase::Begin, span.start), (AsyncPhase::End, span.end)] {
            let event = KeyedEvent::new(1, Tick(at), "trace", Text::from(span.name)).with_span(span.id);
            builder.push(&Event::Async(phase, event.with_parent(span.parent)));
        }
    }
    builder.finish()
}

/// The position of the parent of each span, once the circles are cut at the span of each that starts first.
fn parents(spans: &[Span]) -> Vec<Option<usize>> {
    let find = |id| spans.iter().position(|span| span.id == id);
    let mut parents: Vec<_> = spans.iter().map(|span| find(span.parent)).collect();
    for _ in 0..spans.len() {
        for at in 0..spans.len() {
            let way = std::iter::successors(parents[at], |&at| parents[at]).take(spans.len());
            let way: Vec<usize> = way.collect();
            let Some(end) = way.iter().position(|&above| above == at) else { continue };
            let first = way[..=end].iter().min_by_key(|&&at| (spans[at].start, -spans[at].end, at)).unwrap();
            parents[*first] = None;
        }
    }
    parents
}

/// The self time of each span in a range: its ticks in which none of its children is open.
fn self_times(spans: &[Span], parents: &[Option<usize>], range: &std::ops::Range<i64>) -> Vec<i64> {
    let is_in = |span: &Span, at: i64| span.start <= at && at < span.end;
    let own = |at: usize| {
        let children = || (0..spans.len()).filter(move |&child| parents[child] == Some(at));
        let is_free = |tick: &i64| !children().any(|child| is_in(&spans[child], *tick));
        range.clone().filter(|&tick| is_in(&spans[at], tick)).filter(is_free).count() as i64
    };
    (0..spans.len()).map(own).collect()
}

type Sums = BTreeMap<String, i64>;

fn sums(times: impl IntoIterator<Item = (String, i64)>) -> Sums {
    let mut sums = Sums::new();
    times.into_iter().for_each(|(name, time)| *sums.entry(name).or_default() += time);
    sums.retain(|_, time| *time != 0);
    sums
}

/// The self times of call paths.
fn paths(trace: &Trace, tree: &CallTree) -> Sums {
    let mut names: Vec<String> = Vec::new();
    for node in tree.nodes() {
        let above = node.parent.map_or_else(String::new, |above| format!("{};", names[above.index()]));
        names.push(format!("{above}{}", trace.name(node.function.name)));
    }
    sums(names.into_iter().zip(tree.nodes().iter().map(|node| node.self_time.0)))
}

/// [pairing 5.5] [tree 1]
#[test]
fn every_door_gives_the_sums_of_said_parents() {
    let mut random = Random(8);
    let mut n_paths = 0;
    for _ in 0..1_500 {
        let spans = random_forest(&mut random);
        let trace = trace_of(&spans);
        let layout = Layout::new(&trace);
        let parents = parents(&spans);
        let name = |at: usize| spans[at].name.to_owned();
        let path = |at: usize| {
            let mut path: Vec<_> =
                std::iter::successors(Some(at), |&at| parents[at]).map(|at| spans[at].name).collect();
            path.reverse();
            path.join(";")
        };

        let whole = self_times(&spans, &parents, &(0..100));
        let by_path = sums((0..spans.len()).map(|at| (path(at), whole[at])));
        let by_name = sums((0..spans.len()).map(|at| (name(at), whole[at])));
        n_paths += by_path.len();
        let trees: Vec<_> = call_trees(&trace, &V8, TrackSet::All, Measure::WallTime).collect();
        assert_eq!(trees.len(), 1);
        assert_eq!(paths(&trace, &trees[0].tree), by_path, "{spans:?}");
        let slices = || trace.slices().ids().iter();
        let own = |slice| (trace.slice_name(slice).into_owned(), layout.self_time(slice).unwrap().0);
        assert_eq!(sums(slices().map(own)), by_name, "{spans:?}");
        let visits = layout.visit(trace.slices().ids()).flatten();
        let own = visits.map(|visit| (trace.slice_name(visit.slice).into_owned(), visit.self_time().0));
        assert_eq!(sums(own), by_name, "{spans:?}");
        let mut folded = Vec::new();
        _ = export::folded(&trace, TrackSet::All, Measure::WallTime, StackRoot::Name, &mut folded).unwrap();
        let folded = String::from_utf8(folded).unwrap();
        let line = |line: &str| {
            let (stack, time) = line.rsplit_once(' ').unwrap();
            (stack.split_once(';').unwrap().1.to_owned(), time.parse().unwrap())
        };
        // Time in which nothing ran has no stack.
        let stacks = folded.lines().filter(|line| line.contains(';')).map(line);
        assert_eq!(sums(stacks), by_path, "{spans:?}");

        let start = random.below(60);
        let range = start..start + random.below(60);
        let ticks = Tick(range.start)..Tick(range.end);
        let part = self_times(&spans, &parents, &range);
        let tracks = || trace.track_ids();
        let stats = Stats::new(&trace, &layout, tracks(), ticks.clone()).run();
        let stats =
            stats.iter().map(|stats| (trace.name(stats.function.name).into_owned(), stats.self_time.0));
        assert_eq!(sums(stats), sums((0..spans.len()).map(|at| (name(at), part[at]))), "{spans:?} {range:?}");
        let function = |slice: SliceId| trace.slice_name_id(slice).map(Function::named);
        let tree = slice_tree(&trace, &layout, tracks(), ticks, Measure::WallTime, function).run();
        let touches = |at: usize| {
            let Span { start, end, .. } = spans[at];
            start < range.end && (end > range.start || start >= range.start)
        };
        let path = |at: usize| {
            let way = std::iter::successors(Some(at), |&at| parents[at]).filter(|&at| touches(at));
            let mut path: Vec<_> = way.map(|at| spans[at].name).collect();
            path.reverse();
            path.join(";")
        };
        let expected = sums((0..spans.len()).filter(|&at| touches(at)).map(|at| (path(at), part[at])));
        assert_eq!(paths(&trace, &tree), expected, "{spans:?} {range:?}");
        let tree =
            slice_tree(&trace, &layout, tracks(), Tick::MIN..Tick::MAX, Measure::Count, function).run();
        let counts = call_trees(&trace, &V8, TrackSet::All, Measure::Count).next().unwrap();
        assert_eq!(paths(&trace, &tree), paths(&trace, &counts.tree));
    }
    assert!(n_paths > 5_000, "{n_paths}");
}

/// The slices of a row follow one another, and what lies below a slice is below it by what spans say, and inside it.
#[test]
fn pairing_5_4_nothing_lies_below_what_is_not_above_it() {
    let mut random = Random(9);
    let mut n_below = 0;
    for _ in 0..1_500 {
        let trace = trace_of(&random_forest(&mut random));
        let layout = Layout::new(&trace);
        for row in layout.rows() {
            let row = layout.row(row).unwrap();
            assert!(row.ends().iter().zip(row.starts().iter().skip(1)).all(|(end, start)| end <= start));
        }
        for slice in trace.slices().ids() {
            let place = layout.place(slice).unwrap();
            assert_eq!(
                (place.start, place.end),
                (trace.slices().starts()[slice.index()], trace.slices().ends()[slice.index()])
            );
            let above = trace.slices().ids().iter().rfind(|&other| {
                let other_place = layout.place(other).unwrap();
                other < slice && (other_place.lane, other_place.depth + 1) == (place.lane, place.depth)
            });
            let Some(above) = above else {
                assert_eq!(place.depth, 0);
                continue;
            };
            n_below += 1;
            let parent = |slice| trace.said_parent(slice).map(|said| said.parent);
            assert!(std::iter::successors(parent(slice), |&slice| parent(slice)).any(|other| other == above));
            let around = layout.place(above).unwrap();
            assert!(around.start <= place.start && place.end <= around.end);
        }
    }
    assert!(n_below > 1_000, "{n_below}");
}

//! Compares the statistics of random traces with a brute force over all slices. \[layout 14\]

use alloc::collections::BTreeMap;
use core::ops::Range;

use spall_layout::{By, Layout, LayoutView, SliceStats, Stats, slice_tree};
use spall_model::{
    Event, Function, Job, Limits, Measure, NameId, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
    TraceBuilder, TraceView, TrackKind,
};

use crate::common::{Random, random_range, random_trace_of_any_kind, tracks};

/// Returns the part of a slice that counts.
fn part(layout: &Layout, slice: SliceId, range: &Range<Tick>) -> Option<(i64, i64)> {
    let place = layout.place(slice).unwrap();
    let (start, end) = (place.start.0, place.end.0);
    let touches = start < range.end.0 && (end > range.start.0 || start == end && start >= range.start.0);
    (touches && !range.is_empty()).then(|| (start.max(range.start.0), end.min(range.end.0)))
}

/// What [`SliceStats`] says of one name.
#[derive(Debug, PartialEq)]
struct Sums {
    count: u64,
    total: Ticks,
    self_time: Ticks,
    min: Ticks,
    max: Ticks,
    mean: Ticks,
}

impl From<SliceStats> for Sums {
    fn from(stats: SliceStats) -> Self {
        let SliceStats { count, total, self_time, min, max, mean, .. } = stats;
        Self { count, total, self_time, min, max, mean }
    }
}

/// Whether there are spans, which outlive what they began in. Their total times are those of a tree.
fn has_spans(trace: &Trace) -> bool {
    trace.tracks().iter().any(|track| matches!(track.kind, TrackKind::Async { .. }))
}

fn brute(trace: &Trace, layout: &Layout, range: &Range<Tick>) -> BTreeMap<NameId, Sums> {
    let mut sums: BTreeMap<NameId, Sums> = BTreeMap::new();
    for index in 0..trace.slices().len() {
        let slice = SliceId(index as u32);
        let Some((start, end)) = part(layout, slice, range) else { continue };
        let name = trace.slice(slice).unwrap().name;
        let duration = Ticks(end - start);
        let stats = sums.entry(name).or_insert(Sums {
            count: 0,
            total: Ticks(0),
            self_time: Ticks(0),
            min: duration,
            max: duration,
            mean: Ticks(0),
        });
        stats.count += 1;
        stats.min = stats.min.min(duration);
        stats.max = stats.max.max(duration);
        // This is the sum, from which the mean is computed at the end.
        stats.mean.0 += duration.0;
        let mut above = core::iter::successors(layout.parent(slice), |&slice| layout.parent(slice));
        let counted = |slice: SliceId| part(layout, slice, range).is_some();
        let nests_by_parent = trace.nests_by_parent(trace.track_of(slice).unwrap());
        if !above.any(|slice| trace.slice(slice).unwrap().name == name && counted(slice)) {
            stats.total.0 += duration.0;
        }
        let children = layout.children(slice).iter();
        let whole = |child: &SliceId| {
            let place = layout.place(*child).unwrap();
            let (first, last) = (place.start.0, place.end.0.min(layout.place(slice).unwrap().end.0));
            (last.min(range.end.0) - first.max(range.start.0)).max(0)
        };
        if nests_by_parent {
            // What the children cover together, tick by tick.
            let children: Vec<_> = children.map(|&child| trace.slice(child).unwrap()).collect();
            let is_free = |at: &i64| !children.iter().any(|child| (child.start.0..child.end.0).contains(at));
            stats.self_time.0 += (start..end).filter(is_free).count() as i64;
            continue;
        }
        stats.self_time.0 += duration.0 - children.map(whole).sum::<i64>();
    }
    for stats in sums.values_mut() {
        stats.mean.0 /= stats.count.cast_signed();
    }
    sums
}

#[test]
fn layout_14_1_statistics_agree_with_brute_force() {
    let mut random = Random(1);
    for _ in 0..800 {
        let trace = random_trace_of_any_kind(&mut random);
        let layout = Layout::new(&trace);
        let range = random_range(&mut random);
        let got = Stats::new(&trace, &layout, tracks(&trace), range.clone()).run();
        assert!(got.is_sorted_by_key(|stats| -stats.total.0));
        let mut got: BTreeMap<_, _> =
            got.into_iter().map(|stats| (stats.function.name, Sums::from(stats))).collect();
        let mut expected = brute(&trace, &layout, &range);
        if has_spans(&trace) {
            got.values_mut().chain(expected.values_mut()).for_each(|sums| sums.total = Ticks(0));
        }
        assert_eq!(got, expected, "{range:?}");
    }
}

/// By name or function, of time or another measure. \[tree 6]
#[test]
fn layout_14_1_statistics_are_the_sums_of_the_functions_of_a_tree() {
    let mut random = Random(9);
    let (mut n_functions, all) = (0, Tick::MIN..Tick::MAX);
    for round in 0..400 {
        let trace = random_trace_of_any_kind(&mut random);
        let layout = Layout::new(&trace);
        let by = if round % 2 == 0 { By::Name } else { By::Function };
        for measure in Measure::ALL {
            let stats =
                Stats::new(&trace, &layout, tracks(&trace), all.clone()).by(by).measuring(measure).run();
            let function = |slice| match by {
                By::Name => trace.slice_name_id(slice).map(Function::named),
                By::Function => trace.function_of(slice),
            };
            let tree = slice_tree(&trace, &layout, tracks(&trace), all.clone(), measure, function).run();
            let expected: BTreeMap<_, _> = tree
                .functions()
                .iter()
                .map(|f| (f.function, (f.count, f.unmeasured, f.total, f.self_time)))
                .collect();
            let got: BTreeMap<_, _> =
                stats.iter().map(|s| (s.function, (s.count, s.unmeasured, s.total, s.self_time))).collect();
            assert_eq!(got, expected, "{by:?} {measure:?}");
            n_functions += got.len();
        }
    }
    assert!(n_functions > 3000, "{n_functions}");
}

#[test]
fn layout_14_2_clamped_statistics_of_adjacent_ranges_add_up() {
    let mut random = Random(2);
    for _ in 0..400 {
        let trace = random_trace_of_any_kind(&mut random);
        let layout = Layout::new(&trace);
        let range = random_range(&mut random);
        let middle = Tick((range.start.0 + range.end.0) / 2);
        let times = |range: Range<Tick>| {
            let stats = Stats::new(&trace, &layout, tracks(&trace), range).run();
            let total = |total: Ticks| if has_spans(&trace) { 0 } else { total.0 };
            stats
                .into_iter()
                .map(|s| (s.function.name, (total(s.total), s.self_time.0)))
                .collect::<BTreeMap<_, _>>()
        };
        let mut sum = times(range.start..middle);
        for (name, (total, own)) in times(middle..range.end) {
            let sum = sum.entry(name).or_default();
            *sum = (sum.0 + total, sum.1 + own);
        }
        assert_eq!(times(range), sum);
    }
}

#[test]
fn layout_14_4_moved_edges_give_the_same_as_counting_again() {
    let mut random = Random(3);
    let mut n_names = 0;
    for _ in 0..1200 {
        let trace = random_trace_of_any_kind(&mut random);
        let layout = Layout::new(&trace);
        let mut range = random_range(&mut random);
        let mut moved = Stats::new(&trace, &layout, tracks(&trace), range.clone());
        for _ in 0..12 {
            // The range also moves before the previous move is done.
            for _ in 0..random.below(6) {
                moved.step(usize::try_from(random.below(8)).unwrap());
            }
            let Range { start, end } = range;
            range = match random.below(4) {
                0 => random_range(&mut random),
                1 => Tick(start.0 + random.below(9) - 4)..end,
                2 => start..Tick(end.0 + random.below(9) - 4),
                _ => Tick(start.0 + random.below(5) - 2)..Tick(end.0 + random.below(5) - 2),
            };
            moved.move_to(range.clone());
            if random.below(2) > 0 {
                continue;
            }
            assert!(moved.step(usize::MAX).is_some() && moved.is_done());
            let mut fresh = Stats::new(&trace, &layout, tracks(&trace), range.clone());
            while fresh.step(3).is_none() {}
            let (got, expected) = (moved.all(), fresh.all());
            assert_eq!(got.len(), expected.len());
            for (got, expected) in got.iter().zip(&expected) {
                let [buckets, fresh_buckets] = [&moved, &fresh].map(|s| s.histogram(got.function).unwrap());
                assert!(buckets.buckets().eq(fresh_buckets.buckets()));
                let (shortest, _) = buckets.buckets().next().unwrap();
                let (longest, _) = buckets.buckets().next_back().unwrap();
                assert!(shortest.contains(&got.min) && got.min <= expected.min);
                assert!(longest.contains(&got.max) && got.max >= expected.max);
                let mut got = *got;
                (got.min, got.max) = (expected.min, expected.max);
                assert_eq!(got, *expected);
                n_names += 1;
            }
        }
    }
    assert!(n_names > 5000);
}

#[test]
fn layout_14_4_moving_an_edge_visits_only_the_slices_in_between() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut push = |start, duration| {
        let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(b"f"));
        builder.push(&Event::Complete(event, Ticks(duration)));
    };
    push(0, 10_000);
    (0..1000).for_each(|n| push(10 * n, 5));
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let mut stats = Stats::new(&trace, &layout, tracks(&trace), Tick(0)..Tick(9000));
    assert!(stats.step(800).is_none() && stats.step(200).is_some());
    stats.move_to(Tick(100)..Tick(9020));
    assert!(stats.step(20).is_some(), "12 slices, the one around them and the track for each edge");
}

//! Statistics and merged trees of random traces against a brute force over all slices.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "random numbers are cut on purpose, and a test may panic"
)]

extern crate alloc;

use alloc::collections::BTreeMap;
use core::ops::Range;

use spall_layout::{EdgeRule, Layout, NameStats, Options, Tree, TreeOrder, stats};
use spall_model::{
    ByteRange, Event, Limits, NameId, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
    TrackId,
};

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end).cast_signed()
    }
}

/// Two threads; slices nest, follow one another, overlap, and have no length.
fn random_trace(random: &mut Random) -> Trace<'static> {
    let names = [b"a".as_slice(), b"b", b"c", b"d"];
    let mut builder = TraceBuilder::new(&Limits::default());
    for _ in 0..random.below(60) {
        let name = Text::plain(names[usize::try_from(random.below(4)).unwrap()]);
        let event = ThreadEvent::new(Thread::new(1_i64, random.below(2)), Tick(random.below(100)), name);
        let length = if random.below(4) == 0 { random.below(80) } else { random.below(12) };
        builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
    }
    builder.finish()
}

fn tracks(trace: &Trace<'_>) -> impl Iterator<Item = TrackId> {
    (0..trace.tracks().len() as u32).map(TrackId)
}

/// The part of a slice that counts.
fn part(layout: &Layout, slice: SliceId, range: &Range<Tick>, edges: EdgeRule) -> Option<(i64, i64)> {
    let place = layout.place(slice).unwrap();
    let (start, end) = (place.start.0, place.end.0);
    let touches = start < range.end.0 && (end > range.start.0 || start == end && start >= range.start.0);
    let is_inside = start >= range.start.0 && end <= range.end.0;
    match edges {
        _ if !touches => None,
        EdgeRule::Clamp => Some((start.max(range.start.0), end.min(range.end.0))),
        EdgeRule::InsideOnly => is_inside.then_some((start, end)),
        EdgeRule::Whole => Some((start, end)),
    }
}

fn brute(
    trace: &Trace<'_>,
    layout: &Layout,
    range: &Range<Tick>,
    edges: EdgeRule,
) -> BTreeMap<NameId, NameStats> {
    let mut sums: BTreeMap<NameId, NameStats> = BTreeMap::new();
    for index in 0..trace.slices().len() {
        let slice = SliceId(index as u32);
        let Some((start, end)) = part(layout, slice, range, edges) else { continue };
        let name = trace.slice(slice).unwrap().name;
        let length = Ticks(end - start);
        let stats = sums.entry(name).or_insert(NameStats {
            name,
            count: 0,
            total: Ticks(0),
            self_time: Ticks(0),
            min: length,
            max: length,
        });
        stats.count += 1;
        stats.min = stats.min.min(length);
        stats.max = stats.max.max(length);
        let mut above = core::iter::successors(layout.parent(slice), |&slice| layout.parent(slice));
        let counted = |slice: SliceId| part(layout, slice, range, edges).is_some();
        if !above.any(|slice| trace.slice(slice).unwrap().name == name && counted(slice)) {
            stats.total.0 += length.0;
        }
        let children = layout.children(slice).iter();
        let whole = |child: &SliceId| {
            let place = layout.place(*child).unwrap();
            if edges == EdgeRule::Clamp {
                (place.end.0.min(range.end.0) - place.start.0.max(range.start.0)).max(0)
            } else {
                place.end.0 - place.start.0
            }
        };
        stats.self_time.0 += length.0 - children.map(whole).sum::<i64>();
    }
    sums
}

fn random_range(random: &mut Random) -> Range<Tick> {
    let start = random.below(120) - 10;
    Tick(start)..Tick(start + random.below(80))
}

#[test]
fn layout_14_1_statistics_agree_with_brute_force() {
    let mut random = Random(1);
    for _ in 0..600 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        let range = random_range(&mut random);
        for edges in [EdgeRule::Clamp, EdgeRule::Whole, EdgeRule::InsideOnly] {
            let got = stats(&trace, &layout, tracks(&trace), range.clone(), edges);
            assert!(got.is_sorted_by_key(|stats| -stats.total.0));
            let got: BTreeMap<_, _> = got.into_iter().map(|stats| (stats.name, stats)).collect();
            assert_eq!(got, brute(&trace, &layout, &range, edges), "{edges:?} {range:?}");
        }
    }
}

#[test]
fn layout_14_2_clamped_statistics_of_adjacent_ranges_add_up() {
    let mut random = Random(2);
    for _ in 0..300 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        let range = random_range(&mut random);
        let middle = Tick((range.start.0 + range.end.0) / 2);
        let times = |range: Range<Tick>| {
            let stats = stats(&trace, &layout, tracks(&trace), range, EdgeRule::Clamp);
            stats.into_iter().map(|s| (s.name, (s.total.0, s.self_time.0))).collect::<BTreeMap<_, _>>()
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
fn layout_15_1_a_merged_tree_keeps_all_time() {
    let mut random = Random(3);
    for _ in 0..300 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        let range = random_range(&mut random);
        let tree = Tree::new(&trace, &layout, tracks(&trace), range.clone());

        // Every node is its own time and its children's.
        let mut rest: Vec<i64> = tree.nodes().iter().map(|node| node.total.0 - node.self_time.0).collect();
        let mut roots = 0;
        for (at, node) in tree.nodes().iter().enumerate() {
            match node.parent {
                Some(parent) => {
                    assert!((parent as usize) < at && tree.nodes()[parent as usize].depth + 1 == node.depth);
                    rest[parent as usize] -= node.total.0;
                }
                None => roots += node.total.0,
            }
        }
        assert!(rest.iter().all(|&rest| rest == 0));
        assert_eq!(tree.total().0, roots);

        // By name it is what the statistics say.
        let mut by_name: BTreeMap<NameId, (u64, i64)> = BTreeMap::new();
        for node in tree.nodes() {
            let sum = by_name.entry(node.name).or_default();
            *sum = (sum.0 + node.count, sum.1 + node.self_time.0);
        }
        let expected = stats(&trace, &layout, tracks(&trace), range, EdgeRule::Clamp);
        let expected =
            expected.into_iter().map(|s| (s.name, (s.count, s.self_time.0))).collect::<BTreeMap<_, _>>();
        assert_eq!(by_name, expected);
    }
}

#[test]
fn layout_15_2_boxes_lie_inside_their_parents_in_order() {
    let mut random = Random(4);
    for _ in 0..300 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        let tree = Tree::new(&trace, &layout, tracks(&trace), Tick::MIN..Tick::MAX);
        for order in [TreeOrder::Weight, TreeOrder::Name, TreeOrder::First] {
            let rows = tree.rows(order);
            let mut places = vec![None; tree.nodes().len()];
            for (depth, row) in rows.iter().enumerate() {
                let row = row.view(spall_layout::RowId(0));
                let mut before: Option<u32> = None;
                for ((&id, &start), &end) in row.slices().iter().zip(row.starts()).zip(row.ends()) {
                    let node = &tree.nodes()[id.index()];
                    assert_eq!((node.depth as usize, node.total), (depth, end.since(start)));
                    places[id.index()] = Some((start, end));
                    if let Some(parent) = node.parent {
                        let (left, right): (Tick, Tick) = places[parent as usize].unwrap();
                        assert!(left <= start && end <= right);
                    }
                    let sibling = before.map(|before| tree.nodes()[before as usize]);
                    if let Some(sibling) = sibling.filter(|sibling| sibling.parent == node.parent) {
                        match order {
                            TreeOrder::Weight => assert!(sibling.total >= node.total),
                            TreeOrder::Name => assert!(sibling.name < node.name),
                            _ => assert!(before < Some(id.0)),
                        }
                    }
                    before = Some(id.0);
                }
            }
            assert!(places.iter().all(Option::is_some));
        }
    }
}

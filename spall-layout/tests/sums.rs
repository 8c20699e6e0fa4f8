//! Statistics of random traces against a brute force over all slices.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "random numbers are cut on purpose, and a test may panic"
)]

extern crate alloc;

mod common;

use alloc::collections::BTreeMap;
use core::ops::Range;

use spall_layout::{EdgeRule, Layout, NameStats, Options, stats};
use spall_model::{NameId, SliceId, Tick, Ticks, Trace};

use common::{Random, random_range, random_trace, tracks};

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

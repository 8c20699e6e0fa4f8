use super::*;
use crate::{Event, Limits, Slice, Text, Thread, ThreadEvent, Ticks, TraceBuilder, TraceView, TrackId};

const X: SliceFlags = SliceFlags::NONE;

fn pair(open_depth: u32) -> SliceFlags {
    SliceFlags::PAIRED.with_open_depth(open_depth)
}

/// Places slices `(start, end, flags)` and compares `(lane, depth)`.
fn check(slices: &[(i64, i64, SliceFlags)], expected: &[(u32, u32)]) {
    let mut nesting = Nesting::default();
    let places: Vec<_> = (0..)
        .zip(slices)
        .map(|(slice, &(start, end, flags))| {
            let place = nesting.place(slice, Tick(start), Tick(end), flags);
            (place.lane, place.depth)
        })
        .collect();
    assert_eq!(places, expected, "{slices:?}");
}

#[test]
fn pairing_3_intervals_are_half_open() {
    check(&[(0, 10, X), (10, 20, X), (10, 15, X)], &[(0, 0), (0, 0), (0, 1)]);
    check(&[(0, 10, X), (10, 10, X)], &[(0, 0), (0, 0)]);
}

#[test]
fn pairing_3_identical_slices_nest_in_file_order() {
    check(&[(0, 10, X), (0, 10, X)], &[(0, 0), (0, 1)]);
}

#[test]
fn pairing_3_two_slices_without_length_nest() {
    check(&[(5, 5, X), (5, 5, X)], &[(0, 0), (0, 1)]);
    check(&[(5, 5, X), (5, 9, X)], &[(0, 0), (0, 0)]);
}

#[test]
fn pairing_3_pairs_say_themselves_how_they_nest() {
    // Begun inside the outer pair, though at its very end.
    check(&[(0, 10, pair(0)), (10, 10, pair(1))], &[(0, 0), (0, 1)]);
    // Begun after the outer pair was closed.
    check(&[(0, 10, pair(0)), (10, 10, pair(0))], &[(0, 0), (0, 0)]);
    check(&[(5, 5, pair(0)), (5, 5, pair(0))], &[(0, 0), (0, 0)]);
    // The middle pair was closed, the outer one was not.
    check(&[(0, 10, pair(0)), (5, 10, pair(1)), (10, 10, pair(1))], &[(0, 0), (0, 1), (0, 1)]);
}

#[test]
fn pairing_3_partial_overlap_takes_the_first_lane_with_room() {
    check(&[(0, 10, X), (1, 11, X), (2, 12, X), (11, 13, X)], &[(0, 0), (1, 0), (2, 0), (0, 0)]);
    check(&[(0, 10, X), (5, 15, X), (6, 8, X), (11, 13, X)], &[(0, 0), (1, 0), (0, 1), (0, 0)]);
    check(&[(0, 10, X), (5, 20, X), (6, 15, X), (16, 30, X)], &[(0, 0), (1, 0), (1, 1), (0, 0)]);
}

#[test]
fn pairing_3_a_pair_prefers_the_lane_of_its_parent() {
    check(&[(0, 10, X), (5, 15, pair(0)), (6, 8, pair(1))], &[(0, 0), (1, 0), (1, 1)]);
    check(&[(0, 10, X), (5, 15, pair(0)), (15, 15, pair(1))], &[(0, 0), (1, 0), (1, 1)]);
}

#[test]
fn pairing_3_each_lane_has_a_stack_of_its_own() {
    // The second pair is placed in lane 1, so that the two slices without duration in lane 0 stay neighbours.
    check(
        &[(1, 13, X), (5, 23, pair(0)), (15, 15, X), (15, 22, pair(1)), (15, 15, X)],
        &[(0, 0), (1, 0), (0, 0), (1, 1), (0, 1)],
    );
    // A slice that is placed in lane 1 does not end the pair in lane 2.
    check(
        &[(0, 5, X), (1, 6, X), (2, 10, pair(0)), (5, 20, X), (10, 25, X), (10, 10, pair(1))],
        &[(0, 0), (1, 0), (2, 0), (0, 0), (1, 0), (2, 1)],
    );
    // In the same lane it does: it lies there in place of the pair.
    check(
        &[(0, 5, X), (2, 10, pair(0)), (5, 20, X), (10, 25, X), (10, 10, pair(1))],
        &[(0, 0), (1, 0), (0, 0), (1, 0), (1, 1)],
    );
}

#[test]
fn pairing_3_a_lane_is_free_where_its_slices_end() {
    check(&[(0, 9, X), (1, 10, X), (9, 20, X), (10, 25, X)], &[(0, 0), (1, 0), (0, 0), (1, 0)]);
    check(
        &[(0, 9, X), (1, 30, X), (2, 10, X), (3, 10, X), (9, 20, X), (10, 25, X)],
        &[(0, 0), (1, 0), (1, 1), (1, 2), (0, 0), (1, 1)],
    );
}

/// Places slices as the rule says it, with a look at every lane.
fn place_plainly(
    lanes: &mut Vec<Vec<OpenSlice>>,
    pair_lanes: &mut Vec<usize>,
    next: OpenSlice,
) -> (usize, usize) {
    let kept =
        |lane: &[OpenSlice]| lane.iter().rposition(|open| !open.is_over(&next)).map_or(0, |top| top + 1);
    let fits = |lane: &[OpenSlice]| {
        let around = kept(lane).checked_sub(1).map(|top| lane[top]);
        next.flags.is_unfinished() || around.is_none_or(|around| next.end <= around.end)
    };
    let depth = next.flags.open_depth() as usize;
    let parent = depth.checked_sub(1).filter(|_| next.flags.is_paired());
    let preferred = parent.and_then(|above| pair_lanes.get(above)).copied().unwrap_or(0);
    for tried in [preferred, 0] {
        if fits(&lanes[tried]) {
            break;
        }
        let kept = kept(&lanes[tried]);
        lanes[tried].truncate(kept);
    }
    let lane = [preferred].into_iter().chain(0..lanes.len()).find(|&lane| fits(&lanes[lane]));
    let lane = lane.unwrap_or_else(|| {
        lanes.push(Vec::new());
        lanes.len() - 1
    });
    let kept = kept(&lanes[lane]);
    lanes[lane].truncate(kept);
    let end = lanes[lane].last().map_or(next.end, |around| next.end.min(around.end));
    let placed = next.inside(lanes[lane].last(), end);
    lanes[lane].push(placed);
    if next.flags.is_paired() {
        pair_lanes.resize(pair_lanes.len().max(depth + 1), 0);
        pair_lanes[depth] = lane;
    }
    (lane, lanes[lane].len() - 1)
}

#[test]
fn lanes_are_found_as_if_each_was_looked_at() {
    let mut random = spall_synth::Random(1);
    let mut n_in_lanes = [0; 4];
    for _ in 0..2000 {
        let mut builder = TraceBuilder::new(&Limits::default());
        let mut at = 0;
        for _ in 0..40 {
            at += random.below(3_i64);
            let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(b"a"));
            let length = [0, 0, random.below(4), random.below(30)][random.below(4_usize)];
            builder.push(&match random.below(8_u8) {
                0..=2 => Event::Begin(event),
                3..=4 => Event::End(event),
                5 if random.one_in(4) => Event::Unfinished(event),
                _ => Event::Complete(event, Ticks(length)),
            });
        }
        let trace = builder.finish();
        let (mut nesting, mut lanes, mut pair_lanes) =
            (Nesting::default(), Vec::from([Vec::new()]), Vec::new());
        for (id, Slice { start, end, flags, .. }) in trace.slices_of(TrackId(0)) {
            let place = nesting.place(id.0, start, end, flags);
            let next = OpenSlice { start, end, slice: id.0, flags, open_ended: flags.is_open_ended() };
            let expected = place_plainly(&mut lanes, &mut pair_lanes, next);
            assert_eq!((place.lane as usize, place.depth as usize), expected, "{id:?}");
            n_in_lanes[expected.0.min(3)] += 1;
        }
    }
    assert!(n_in_lanes[3] > 100, "{n_in_lanes:?}");
}

#[test]
fn an_unfinished_slice_ends_with_its_parent() {
    let mut nesting = Nesting::default();
    let open = SliceFlags::UNFINISHED;
    nesting.place(0, Tick(0), Tick(10), X);
    let place = nesting.place(1, Tick(5), Tick(99), open);
    assert_eq!((place.lane, place.depth, place.end), (0, 1, Tick(10)));
}

#[test]
fn what_begins_where_an_unfinished_slice_is_drawn_to_lies_inside_it() {
    let open = SliceFlags::UNFINISHED;
    check(&[(0, 10, open), (10, 10, open), (10, 10, X)], &[(0, 0), (0, 1), (0, 2)]);
    // It is over where a slice around it ends, even if its thread has no later time.
    check(&[(0, 10, X), (0, 10, open), (10, 10, X)], &[(0, 0), (0, 1), (0, 0)]);
    // So it is where slices are in several lanes.
    check(
        &[(0, 9, X), (5, 15, X), (9, 30, X), (12, 30, open), (30, 30, X)],
        &[(0, 0), (1, 0), (0, 0), (0, 1), (0, 0)],
    );
    // Drawn to the end of a slice around it, it is over there; cut by the end of another, it is over too.
    check(&[(0, 5, X), (2, 10, open), (5, 7, X)], &[(0, 0), (0, 1), (0, 0)]);
    check(&[(0, 5, open.with(SliceFlags::REPAIRED)), (5, 7, X)], &[(0, 0), (0, 0)]);
}

#[test]
fn pairing_4_a_small_overhang_overlaps() {
    check(&[(0, 10, X), (5, 11, X)], &[(0, 0), (1, 0)]);
}

/// Slices of one lane and depth never overlap, and a parent contains its children.
#[test]
fn random_slices_are_disjoint_in_each_lane_and_depth() {
    let mut random = spall_synth::Random(1);
    for round in 0..500 {
        let mut slices: Vec<(i64, i64)> = (0..40)
            .map(|_| {
                let start = random.below(60);
                (start, start + random.below(if round % 2 == 0 { 5 } else { 40 }))
            })
            .collect();
        slices.sort_by_key(|&(start, end)| (start, Reverse(end)));
        let mut nesting = Nesting::default();
        let mut last_end = hashbrown::HashMap::<_, _, foldhash::fast::RandomState>::default();
        for (slice, &(start, end)) in (0_u32..).zip(&slices) {
            let place = nesting.place(slice, Tick(start), Tick(end), X);
            assert_eq!(place.end, Tick(end));
            if let Some(parent) = place.parent {
                let (parent_start, parent_end) = slices[parent as usize];
                assert!(parent_start <= start && end <= parent_end);
            }
            let before = last_end.insert((place.lane, place.depth), end);
            assert!(before.is_none_or(|before| before <= start), "{slices:?}");
        }
    }
}

#[test]
fn a_staircase_of_overlaps_costs_no_more_than_a_logarithm_each() {
    // 200 000 slices of which every two neighbours overlap: quadratic work would not end.
    let mut nesting = Nesting::default();
    for slice in 0..200_000_u32 {
        let start = i64::from(slice);
        nesting.place(slice, Tick(start), Tick(start + 300_000), X);
    }
    assert_eq!(nesting.lanes(), 200_000);
}

#[test]
fn a_slice_without_length_lies_on_the_function_that_ends_with_it() {
    let carries = SliceFlags::SAMPLED.with(SliceFlags::CARRIES_AT_END);
    check(&[(0, 9, X), (2, 5, carries), (5, 5, X), (5, 7, X)], &[(0, 0), (0, 1), (0, 2), (0, 1)]);
    check(&[(0, 9, X), (2, 5, SliceFlags::SAMPLED), (5, 5, X)], &[(0, 0), (0, 1), (0, 1)]);
    check(&[(2, 5, carries), (5, 7, X)], &[(0, 0), (0, 0)]);
}

/// Returns the last slice of each depth of each lane with the end to draw, from the outermost in.
type Lanes = Vec<Vec<(u32, Tick, Tick, SliceFlags)>>;

#[test]
fn a_walk_that_is_taken_up_in_the_middle_goes_on_as_it_was() {
    let mut random = spall_synth::Random(1);
    let mut n_lanes = 0;
    for round in 0..500 {
        let mut slices: Vec<_> = (0..40).map(|_| (random.below(60), random.below(30))).collect();
        slices.sort_by_key(|&(start, length)| (start, -length));
        let (mut plain, mut taken_up) = (Nesting::default(), Nesting::default());
        let mut lanes = Lanes::new();
        for (slice, &(start, length)) in (0..).zip(&slices) {
            let (start, end) = (Tick(start), Tick(start + length));
            if round % 2 == 0 || random.one_in(4) {
                taken_up.clear();
                for (lane, depths) in (0..).zip(&lanes) {
                    let n_running =
                        depths.iter().rposition(|&(_, _, end, _)| end >= start).map_or(0, |at| at + 1);
                    for &(slice, start, end, flags) in &depths[..n_running] {
                        taken_up.put_back(slice, lane, start, end, flags);
                    }
                }
            }
            let place = plain.place(slice, start, end, X);
            assert_eq!(taken_up.place(slice, start, end, X), place);
            let (lane, depth) = (place.lane as usize, place.depth as usize);
            lanes.resize(lanes.len().max(lane + 1), Vec::new());
            match lanes[lane].get_mut(depth) {
                Some(last) => *last = (slice, start, place.end, X),
                None => lanes[lane].push((slice, start, place.end, X)),
            }
        }
        n_lanes += lanes.len();
    }
    assert!(n_lanes > 1000, "{n_lanes}");
}

#[test]
fn a_slice_whose_end_becomes_known_is_over_there() {
    let open = |depth| pair(depth).with(SliceFlags::UNFINISHED);
    let mut nesting = Nesting::default();
    let place = |nesting: &mut Nesting, slice, start, end, flags| {
        let place = nesting.place(slice, Tick(start), Tick(end), flags);
        (place.lane, place.depth, place.end.0)
    };
    assert_eq!(place(&mut nesting, 0, 0, i64::MAX, open(0)), (0, 0, i64::MAX));
    nesting.close(0, 0, 0, Tick(10));
    assert_eq!(place(&mut nesting, 1, 10, 20, X), (0, 0, 20));
    assert_eq!(place(&mut nesting, 2, 12, i64::MAX, open(0)), (0, 1, 20), "cut where it lies");
    nesting.close(2, 0, 1, Tick(30));
    assert_eq!(place(&mut nesting, 3, 15, 25, X), (1, 0, 25), "overlaps both");
    assert_eq!(place(&mut nesting, 4, 16, i64::MAX, open(0)), (0, 2, 20));
}

/// A pair whose lane has no room for it falls back to the track's own, where nothing is in its way.
#[test]
fn a_pair_that_overlaps_in_the_lane_it_prefers_overlaps_wherever_it_goes() {
    let mut nesting = Nesting::default();
    let slices = [(0, 5, X), (3, 14, pair(0)), (3, 7, X), (6, 14, pair(1))];
    let places = (0..).zip(slices).map(|(slice, (start, end, flags))| {
        let place = nesting.place(slice, Tick(start), Tick(end), flags);
        (place.lane, place.depth, place.overlaps)
    });
    let expected = [(0, 0, false), (1, 0, true), (1, 1, true), (0, 0, true)];
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

#[test]
fn a_slice_of_another_lane_is_over_where_it_ends() {
    let place = |nesting: &mut Nesting, slice, start, end, flags| {
        let place = nesting.place(slice, Tick(start), Tick(end), flags);
        (place.lane, place.depth, place.end.0)
    };
    let mut nesting = Nesting::default();
    assert_eq!(place(&mut nesting, 0, 0, 10, X), (0, 0, 10));
    assert_eq!(place(&mut nesting, 1, 5, 40, pair(0)), (1, 0, 40));
    let open = |depth| pair(depth).with(SliceFlags::UNFINISHED);
    assert_eq!(place(&mut nesting, 2, 6, i64::MAX, open(1)), (1, 1, 40), "in the lane of its pair");
    assert_eq!(place(&mut nesting, 3, 7, i64::MAX, open(2)), (1, 2, 40));
    nesting.close(3, 1, 2, Tick(8));
    nesting.close(2, 1, 1, Tick(20));
    assert_eq!(place(&mut nesting, 4, 9, 15, pair(2)), (1, 2, 15));
    assert_eq!(place(&mut nesting, 5, 20, 30, pair(1)), (1, 1, 30));
}

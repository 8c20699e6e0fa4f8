//! Search hits and their order in time. \[layout 13\]

use spall_layout::{Hits, Layout, LayoutView};
use spall_model::{Job, SliceId, TraceView};

use crate::common::{Random, random_trace};

#[test]
fn layout_13_2_a_hit_knows_its_position_in_time() {
    let mut random = Random(21);
    for _ in 0..50 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace);
        let wanted: Vec<bool> = trace.slices().ids().into_iter().map(|_| random.below(3) == 0).collect();
        let hits = Hits::of_slices(&layout, |slice| wanted[slice.index()]).run();
        let start = |slice: SliceId| trace.slice(slice).unwrap().start;
        let mut expected: Vec<SliceId> =
            trace.slices().ids().iter().filter(|slice| wanted[slice.index()]).collect();
        expected.sort_by_key(|&slice| (start(slice), layout.row_of(slice), slice));

        for (rank, &slice) in expected.iter().enumerate() {
            assert_eq!(hits.rank(&layout, slice) as usize, rank);
            let n_before = expected.iter().filter(|&&other| start(other) < start(slice)).count();
            assert_eq!(hits.n_before(&layout, start(slice)) as usize, n_before);
        }
        for slice in trace.slices().ids() {
            assert_eq!(hits.has(&layout, slice), wanted[slice.index()]);
        }
    }
}

#[test]
fn layout_13_hits_are_the_same_in_steps() {
    let mut random = Random(22);
    for _ in 0..100 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace);
        let wanted: Vec<bool> = trace.slices().ids().into_iter().map(|_| random.below(3) == 0).collect();
        let work = 1 + usize::try_from(random.below(5)).unwrap();
        let mut search = Hits::of_slices(&layout, |slice| wanted[slice.index()]);
        let mut steps = 1;
        let in_steps = loop {
            match search.step(work) {
                Some(hits) => break hits,
                None => steps += 1,
            }
        };
        let all_at_once = Hits::of_slices(&layout, |slice| wanted[slice.index()]).run();
        assert!(steps >= wanted.len() / work, "no step looks at more than it may");
        assert_eq!(in_steps, all_at_once);
    }
}

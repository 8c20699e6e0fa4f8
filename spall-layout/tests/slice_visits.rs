//! Compares the visit of a range of slices with the queries about one slice. \[layout 4.6\] \[layout 4.7\]

use spall_layout::{Layout, LayoutView};
use spall_model::{IdRange, SliceId};

use crate::common::{Random, random_trace_of_any_kind};

#[test]
fn a_visit_says_of_each_slice_what_the_queries_say() {
    let mut random = Random(4);
    let (mut n_visited, mut n_rowless, mut n_overflow) = (0, 0, 0);
    for round in 0..500 {
        let trace = random_trace_of_any_kind(&mut random);
        let layout = Layout::of_slices(&trace, |slice| round % 2 == 0 || slice.0 % 5 > 0);
        let n_slices = trace.slices().len() as u64;
        // A visit may begin anywhere, and may go beyond the last slice.
        let start = random.below(n_slices + 1) as u32 * u32::from(round % 2 == 0);
        let end = start + random.below(n_slices + 3) as u32;
        let visits = layout.visit(IdRange::new(SliceId(start), SliceId(end)));
        assert_eq!(visits.len(), (end - start) as usize);
        for (visit, slice) in visits.zip((start..).map(SliceId)) {
            assert_eq!(visit.map(|visit| visit.place), layout.place(slice));
            let Some(visit) = visit else {
                n_rowless += 1;
                continue;
            };
            n_visited += 1;
            n_overflow += u32::from(visit.place.lane > 0);
            assert_eq!(visit.slice, slice);
            assert_eq!(visit.parent, layout.parent(slice));
            assert_eq!(visit.children(), layout.children(slice));
            assert_eq!(Some(visit.self_time()), layout.self_time(slice));
        }
    }
    assert!(n_visited > 1000 && n_rowless > 100 && n_overflow > 100, "{n_visited} {n_rowless} {n_overflow}");
}

//! The times between slices. \\[layout 22\\]

use spall_layout::{Layout, longest_gaps, ran_meanwhile};
use spall_model::{
    Event, Job, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackId,
};

fn trace(slices: &[(i64, &str, i64, i64)]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for &(thread, name, start, end) in slices {
        let event = ThreadEvent::new(Thread::new(1_i64, thread), Tick(start), Text::from(name));
        builder.push(&Event::Complete(event, Ticks(end - start)));
    }
    builder.finish()
}

fn gaps(trace: &Trace, range: core::ops::Range<i64>, most: usize) -> Vec<(u32, i64, i64)> {
    let tracks = trace.track_ids();
    let found = longest_gaps(trace, tracks, Tick(range.start)..Tick(range.end), most, |_| true).run();
    found.iter().map(|gap| (gap.track.0, gap.start.0, gap.end.0)).collect()
}

#[test]
fn layout_22_1_a_gap_is_between_slices_and_counts_with_the_part_inside() {
    // The second slice reaches over the third one, and nothing is known before the first and behind the last.
    let trace =
        trace(&[(1, "a", 10, 20), (1, "b", 30, 60), (1, "c", 35, 40), (1, "d", 70, 70), (1, "e", 100, 110)]);
    assert_eq!(gaps(&trace, -100..1000, 9), [(0, 70, 100), (0, 20, 30), (0, 60, 70)]);
    assert_eq!(gaps(&trace, 25..80, 9), [(0, 60, 70), (0, 70, 80), (0, 25, 30)]);
    assert_eq!(gaps(&trace, 30..60, 9), []);
    assert_eq!(gaps(&trace, 50..50, 9), []);
}

#[test]
fn layout_22_2_the_longest_come_first_and_what_others_ran_meanwhile_is_their_call_tree() {
    let trace = trace(&[
        (1, "a", 0, 10),
        (1, "a", 20, 30),
        (1, "a", 90, 100),
        (2, "a", 0, 10),
        (2, "a", 20, 30),
        (2, "work", 40, 80),
        (2, "part", 45, 70),
        (3, "idle", 85, 95),
    ]);
    assert_eq!(gaps(&trace, 0..100, 3), [(0, 30, 90), (0, 10, 20), (1, 10, 20)]);
    let layout = Layout::new(&trace);
    let ran = ran_meanwhile(&trace, &layout, trace.track_ids().skip(1), &(Tick(30)..Tick(90)));
    let ran: Vec<_> = ran
        .iter()
        .map(|ran| (ran.track, ran.time.0, trace.name(ran.function.name).into_owned(), ran.self_time.0))
        .collect();
    assert_eq!(ran, [(TrackId(1), 40, "part".to_owned(), 25), (TrackId(2), 5, "idle".to_owned(), 5)]);
}

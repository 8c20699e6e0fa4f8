//! The range of time on which a viewer opens. \[layout 21\]

use core::ops::Range;

use spall_layout::{Layout, active_range};
use spall_model::{Event, Limits, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder};

const DAY: i64 = 86_400_000_000_000;

/// Pushes a hundred slices of 9 ticks, ten ticks apart, from `at` on.
fn push_work(builder: &mut TraceBuilder, at: i64) {
    for step in 0..100 {
        push_slice(builder, at + step * 10, 9);
    }
}

fn event(at: i64) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(b"f"))
}

fn push_slice(builder: &mut TraceBuilder, at: i64, duration: i64) {
    builder.push(&Event::Complete(event(at), Ticks(duration)));
}

fn push_instant(builder: &mut TraceBuilder, at: i64) {
    builder.push(&Event::Instant(event(at), Scope::Thread));
}

fn active(builder: TraceBuilder) -> Range<i64> {
    let trace: Trace = builder.finish();
    let range = active_range(&trace, &Layout::new(&trace)).unwrap();
    range.start.0..range.end.0
}

#[test]
fn layout_21_1_outliers_on_both_sides_are_left_out() {
    for (first, last) in [(0, 13 * DAY), (5 * DAY, 6 * DAY), (-DAY, 40 * DAY)] {
        let mut builder = TraceBuilder::new(&Limits::default());
        push_slice(&mut builder, first, 1);
        push_work(&mut builder, first + 3 * DAY / 4);
        // What another thread did in the meantime makes the range no shorter.
        let other = ThreadEvent { thread: Thread::new(1_i64, 2_i64), ..event(first + 3 * DAY / 4 + 500) };
        builder.push(&Event::Instant(other, Scope::Thread));
        push_instant(&mut builder, last);
        assert_eq!(active(builder), first + 3 * DAY / 4..first + 3 * DAY / 4 + 999);
    }
}

#[test]
fn layout_21_1_what_is_not_far_away_or_not_few_stays() {
    // Three of 103 slices lie far away, which is more than a fiftieth.
    let mut builder = TraceBuilder::new(&Limits::default());
    push_work(&mut builder, 0);
    (0..3).for_each(|step| push_slice(&mut builder, DAY + step, 1));
    assert_eq!(active(builder), 0..DAY + 3);

    // One slice is few, but all others take a ninth of the range.
    let mut builder = TraceBuilder::new(&Limits::default());
    push_work(&mut builder, 0);
    push_slice(&mut builder, 9000, 1);
    assert_eq!(active(builder), 0..9001);

    // A slice that runs all the time leaves no gap.
    let mut builder = TraceBuilder::new(&Limits::default());
    push_slice(&mut builder, 0, DAY);
    push_work(&mut builder, 0);
    assert_eq!(active(builder), 0..DAY);
}

#[test]
fn layout_21_2_an_unfinished_slice_takes_no_time() {
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::Begin(event(0)));
    push_work(&mut builder, DAY);
    assert_eq!(active(builder), DAY..DAY + 999);
}

#[test]
fn layout_21_1_times_at_the_ends_of_the_range_are_no_trouble() {
    let mut builder = TraceBuilder::new(&Limits::default());
    push_slice(&mut builder, i64::MIN, 0);
    push_work(&mut builder, 0);
    push_slice(&mut builder, i64::MAX, 0);
    assert_eq!(active(builder), 0..999);

    assert_eq!(active_range(&TraceBuilder::new(&Limits::default()).finish(), &Layout::default()), None);
}

//! Several threads make the layout that one thread makes, and draw the picture that one thread draws.
#![cfg(feature = "parallel")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use core::num::NonZeroUsize;

use allocation_counter::measure;
use common::Random;
use spall_layout::{
    Fidelity, Heights, Layout, LayoutOptions, LayoutView, Overlap, PackId, Packed, Packing, Scratch,
    Vertical, VerticalStyle, Viewport,
};
use spall_model::{
    Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackId,
};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Returns a trace of so many threads, each with nested calls.
fn trace(random: &mut Random, n_threads: u64, n_calls: i64) -> Trace<'static> {
    let mut builder = TraceBuilder::new(&Limits::default());
    for thread in 0..n_threads {
        let mut at = 0;
        for _ in 0..n_calls {
            at += random.below(12);
            for depth in 0..random.below(4) {
                let event =
                    ThreadEvent::new(Thread::new(1_u64, thread), Tick(at + depth), Text::plain(b"call"));
                builder.push(&Event::Complete(event, Ticks(20 - 2 * depth)));
            }
        }
    }
    builder.finish()
}

/// Tracks 0 to 2 share lines.
struct Style {
    heights: Heights,
    packed: Packed,
}

impl VerticalStyle for Style {
    fn track_height(&self, track: TrackId) -> u32 {
        self.heights.track_height(track)
    }

    fn pack_of(&self, track: TrackId) -> Option<PackId> {
        (track.0 < 3).then_some(PackId(0))
    }

    fn packed(&self, _: PackId) -> Option<&Packed> {
        Some(&self.packed)
    }
}

#[test]
fn pictures_are_the_same_on_any_number_of_threads() {
    let mut random = Random(31);
    let mut scratch = Scratch::new();
    // The last one is large enough that threads are started.
    for (n_threads, n_calls, is_large) in [(0, 0, false), (1, 1, false), (5, 50, false), (9, 2500, true)] {
        let trace = trace(&mut random, n_threads, n_calls);
        let layout = Layout::new(&trace, &LayoutOptions::default());
        let tracks = (0..3).map(TrackId);
        let packed = Packed::new(&layout, tracks, Packing::Online);
        let style = Style { heights: Heights { process: 0, track: 7, row: 1 }, packed };
        let vertical = Vertical::new(&trace, &layout, &style);
        let end = trace.bounds().unwrap_or_default().end;
        for (range, columns) in
            [(Tick(0)..end, 1900), (Tick(0)..end, 3), (Tick(end.0 / 3)..Tick(end.0 / 2), 900)]
        {
            for (fidelity, box_width) in [(Fidelity::Fast, 1), (Fidelity::Exact, 1), (Fidelity::Fast, 3)] {
                let viewport = Viewport::new(range.clone(), columns, fidelity).with_box_width(box_width);
                let (mut alone, mut shared) = (Vec::new(), Vec::new());
                let (mut rows_alone, mut rows_shared) = (Vec::new(), vec![]);
                vertical.rects(0..vertical.height(), &layout, &style, &viewport, &mut scratch, &mut alone);
                layout.rects(&viewport, vertical.lines(), &mut scratch, &mut rows_alone);
                for n_threads in THREADS.map(|n_threads| NonZeroUsize::new(n_threads).unwrap()) {
                    let y = 0..vertical.height();
                    vertical.rects_on(n_threads, y, &layout, &style, &viewport, &mut scratch, &mut shared);
                    assert_eq!(shared, alone, "{n_threads}");
                    rows_shared.clear();
                    layout.rects_on(n_threads, &viewport, vertical.lines(), &mut scratch, &mut rows_shared);
                    assert_eq!(rows_shared, rows_alone, "{n_threads}");
                }
                assert!(!is_large || columns < 1900 || alone.len() > 10_000, "{}", alone.len());
            }
        }
    }
}

#[test]
fn layouts_are_the_same_on_any_number_of_threads() {
    let mut random = Random(32);
    // The last two are large enough that threads are started. The very last one has one track.
    for (n_threads, n_calls) in [(0, 0), (1, 1), (5, 50), (9, 11_000), (1, 80_000)] {
        let trace = trace(&mut random, n_threads, n_calls);
        assert!(n_calls <= 50 || trace.slices().len() > 100_000, "{}", trace.slices().len());
        for overlap in [Overlap::Spill, Overlap::Reject] {
            let options = LayoutOptions::default().with_overlap(overlap);
            let alone = Layout::new(&trace, &options);
            for n_threads in THREADS.into_iter().chain([usize::MAX]) {
                let n_threads = NonZeroUsize::new(n_threads).unwrap();
                assert!(Layout::new_on(n_threads, &trace, &options) == alone, "{n_threads}");
            }
        }
    }
}

/// The thread that starts another one allocates what both share.
#[test]
fn small_traces_start_no_thread() {
    let (one, eight) = (NonZeroUsize::MIN, NonZeroUsize::new(8).unwrap());
    let options = LayoutOptions::default();
    let trace = trace(&mut Random(33), 5, 2500);
    let alone = measure(|| drop(Layout::new(&trace, &options)));
    let shared = measure(|| drop(Layout::new_on(eight, &trace, &options)));
    assert_eq!(shared.count_total, alone.count_total);

    let layout = Layout::new(&trace, &options);
    let vertical = Vertical::new(&trace, &layout, &());
    let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
    let mut draw = |n_threads, columns| {
        let viewport = Viewport::new(trace.bounds().unwrap(), columns, Fidelity::Fast);
        let y = 0..vertical.height();
        vertical.rects_on(n_threads, y, &layout, &(), &viewport, &mut scratch, &mut rects);
    };
    for (columns, is_small) in [(30, true), (10_000, false)] {
        draw(one, columns);
        let alone = measure(|| draw(one, columns));
        let shared = measure(|| draw(eight, columns));
        assert_eq!(shared.count_total == alone.count_total, is_small, "{columns}");
    }
}

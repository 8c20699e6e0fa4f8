//! Threads make the layout that one thread makes, of traces that are too small to start any otherwise.

use spall_model::{
    AsyncPhase, Event, KeyedEvent, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
};

use spall_synth::Random;

use super::share;
use crate::{Layout, LayoutOptions, Overlap};

/// Returns a trace of threads with deep and shallow calls that overlap at times. Every other one also has spans, some on a
/// taken depth.
fn trace(seed: u64, n_threads: u64) -> Trace<'static> {
    let has_spans = seed % 2 == 1;
    let mut random = Random(seed);
    let mut below = |end: i64| random.below(end);
    let mut builder = TraceBuilder::new(&Limits::default());
    for thread in 0..n_threads {
        let (n_calls, deepest) = (below(120), 1 + below(24));
        for _ in 0..n_calls {
            let at = below(1000);
            for depth in 0..below(deepest) {
                let event =
                    ThreadEvent::new(Thread::new(1_u64, thread), Tick(at + depth), Text::plain(b"call"));
                let duration = Ticks(60 - 2 * depth + below(40) / 39);
                builder.push(&Event::Complete(event, duration));
            }
            if !has_spans {
                continue;
            }
            let phase = if below(3) > 0 { AsyncPhase::Begin } else { AsyncPhase::End };
            let event = KeyedEvent::new(1_u64, Tick(at), thread % 3, Text::plain(b"span"));
            builder.push(&Event::Async(phase, event.with_category(Text::plain(b"c"))));
        }
    }
    builder.finish()
}

#[test]
fn layouts_are_the_same_on_any_number_of_threads() {
    let mut n_rejected = 0;
    for seed in 0..60 {
        let trace = trace(seed, seed % 13);
        for overlap in [Overlap::Spill, Overlap::Clip, Overlap::Reject] {
            let options = LayoutOptions::default().with_overlap(overlap);
            let alone = Layout::new(&trace, &options);
            n_rejected += alone.n_rejected();
            for n_threads in [1, 2, 3, 8] {
                assert!(share(n_threads, &trace, &options) == alone, "{seed} {n_threads}");
            }
        }
    }
    assert!(n_rejected > 1000, "{n_rejected}");
}

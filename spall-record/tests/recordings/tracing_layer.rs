//! The spans and events of `tracing`.

use std::io;

use core::panic::Location;
use std::thread;

use spall_record::{Encoding, Recorder, TracingLayer};
use spall_trace::model::{Trace, TraceView, TrackKind};
use tracing::Subscriber;
use tracing::field::Empty;
use tracing_subscriber::layer::SubscriberExt;

use crate::common::{alone, args, faults, load, names, recorder, slices};

fn subscriber(layer: TracingLayer) -> impl Subscriber + Send + Sync {
    tracing_subscriber::registry().with(layer)
}

/// Returns what is recorded while `run` runs on this thread.
fn record(layer: TracingLayer, encoding: Encoding, run: impl FnOnce()) -> Trace {
    let (out, session) = recorder(Recorder::new().encoding(encoding));
    tracing::subscriber::with_default(subscriber(layer), run);
    session.finish().unwrap();
    let trace = load(&out);
    assert_eq!(faults(&trace), []);
    trace
}

fn instants(trace: &Trace) -> Vec<(String, String, String)> {
    let text = |name| trace.name(name).to_string();
    let instants = trace.instants().iter();
    instants
        .map(|instant| (text(instant.name), text(instant.category), trace.args_of(instant).to_string()))
        .collect()
}

/// The names and arguments of the slices on async tracks.
fn async_slices(trace: &Trace) -> Vec<(String, String)> {
    let tracks = trace.tracks().iter().filter(|track| matches!(track.kind, TrackKind::Async { .. }));
    let slices = tracks.flat_map(|track| trace.slices_of(track.id));
    slices
        .map(|(id, slice)| (trace.name(slice.name).to_string(), trace.slice_args(id).begin.to_string()))
        .collect()
}

#[test]
fn spans_are_slices_and_events_are_instants() {
    let _alone = alone();
    let run = || {
        let request = tracing::info_span!("request", id = 7, path = "/a", is_new = true, debug = ?Some(1.5));
        let _entered = request.enter();
        tracing::info_span!("inner")
            .in_scope(|| tracing::warn!(target: "net", bytes = 512_u64, "sent {}", "it"));
        tracing::debug!(only = -1);
    };
    let trace = record(TracingLayer::new(), Encoding::Json, run);
    assert_eq!(names(&trace), ["request", "inner"]);
    assert_eq!(args(&trace), ["id=7, path=/a, is_new=true, debug=Some(1.5)", ""]);
    let category = trace.name(slices(&trace)[0].1.category).to_string();
    assert_eq!(category, module_path!());
    let [sent, only] = &instants(&trace)[..] else { panic!() };
    assert_eq!(*sent, ("sent it".into(), "net".into(), "level=WARN, bytes=512".into()));
    assert!(only.0.starts_with("event ") && only.2 == "level=DEBUG, only=-1", "{only:?}");

    let trace = record(TracingLayer::new(), Encoding::Spall, run);
    let mut args = args(&trace);
    args.sort();
    assert_eq!(
        args,
        ["", "2 events that the format cannot hold", "id=7, path=/a, is_new=true, debug=Some(1.5)"]
    );
}

#[test]
fn fields_and_locations_are_chosen() {
    let _alone = alone();
    let layer = TracingLayer::new().with_values(false).with_locations(true);
    let line = Location::caller().line() + 2;
    let trace = record(layer, Encoding::Json, || {
        tracing::info_span!("span", id = 7).in_scope(|| tracing::info!(id = 8, "event"));
    });
    assert_eq!(args(&trace), [format!("file={}, line={line}", file!())]);
    assert_eq!(instants(&trace)[0].2, format!("level=INFO, file={}, line={line}", file!()));
    assert_eq!(instants(&trace)[0].0, "event");
}

#[test]
fn values_recorded_later_are_at_the_end_and_in_the_next_slice() {
    let _alone = alone();
    let trace = record(TracingLayer::new(), Encoding::Json, || {
        let span = tracing::info_span!("span", early = 1, late = Empty);
        span.in_scope(|| span.record("late", 2));
        span.in_scope(|| ());
    });
    let [(first, _), (second, _)] = slices(&trace)[..] else { panic!() };
    let (first, second) = (trace.slice_args(first), trace.slice_args(second));
    assert_eq!((first.begin.to_string(), first.end.to_string()), ("early=1".into(), "late=2".into()));
    assert_eq!((second.begin.to_string(), second.end.to_string()), ("early=1, late=2".into(), String::new()));
}

/// A value that is recorded again and again is kept up to the size of a text.
#[test]
fn values_recorded_later_take_bounded_memory() {
    let _alone = alone();
    let trace = record(TracingLayer::new(), Encoding::Json, || {
        let span = tracing::info_span!("span", late = Empty);
        (0..1_000).for_each(|number| _ = span.record("late", number));
        span.in_scope(|| ());
    });
    let args = args(&trace);
    assert!(args[0].starts_with("late=0, late=1, ") && args[0].len() < 1024, "{}", args[0]);
}

#[test]
fn a_span_entered_on_several_threads_has_slices_there_and_one_async_slice() {
    let _alone = alone();
    let trace = record(TracingLayer::new().with_async_tracks(true), Encoding::Json, || {
        let root = tracing::info_span!("root");
        // Siblings that go on at the same time, as futures do.
        let (a, b) = (
            tracing::info_span!(parent: &root, "task", id = 1),
            tracing::info_span!(parent: &root, "task", id = 2),
        );
        a.in_scope(|| ());
        b.in_scope(|| ());
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        thread::scope(|scope| {
            scope.spawn(|| {
                tracing::dispatcher::with_default(&dispatch, || {
                    a.in_scope(|| ());
                    b.in_scope(|| ());
                });
            });
        });
        drop((a, b));
        tracing::info_span!("once").in_scope(|| ());
    });
    let n_threads =
        trace.tracks().iter().filter(|track| matches!(track.kind, TrackKind::Thread { .. })).count();
    assert_eq!(n_threads, 2);
    assert_eq!(names(&trace).iter().filter(|name| *name == "task").count(), 4 + 2);
    let mut spans = async_slices(&trace);
    spans.sort();
    assert_eq!(spans, [("task".into(), "id=1".into()), ("task".into(), "id=2".into())]);
}

#[test]
fn follows_from_is_a_flow() {
    let _alone = alone();
    let trace = record(TracingLayer::new().with_async_tracks(true), Encoding::Json, || {
        let cause = tracing::info_span!("cause");
        cause.in_scope(|| ());
        let effect = tracing::info_span!("effect");
        effect.follows_from(&cause);
        let never_entered = tracing::info_span!("never entered");
        effect.follows_from(&never_entered);
        effect.in_scope(|| ());
    });
    let flows: Vec<_> = trace
        .flows()
        .iter()
        .map(|flow| (trace.slice_name(flow.from).to_string(), trace.slice_name(flow.to).to_string()))
        .collect();
    assert_eq!(flows, [("cause".into(), "effect".into())]);
}

#[test]
fn a_span_without_fields_allocates_no_more_than_without_the_layer() {
    let _alone = alone();
    let session = Recorder::new().writer(io::sink()).start().unwrap();
    let allocations = |layer: Option<TracingLayer>| {
        let work = || {
            for _ in 0..10_000 {
                tracing::info_span!("plain").in_scope(|| ());
            }
        };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            // The first spans give the thread its ring, and memory to write it, up to the size of the ring.
            work();
            work();
            allocation_counter::measure(work).count_total
        })
    };
    assert_eq!(allocations(Some(TracingLayer::new())), allocations(None));
    session.finish().unwrap();
}

#[test]
fn macros_of_profiling_come_in_through_tracing() {
    let _alone = alone();
    let trace = record(TracingLayer::new(), Encoding::Spall, || {
        profiling::scope!("scope");
        profiling::scope!("with data", "level 7");
        profiling::function_scope!();
    });
    let names = names(&trace);
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(names[..2], ["scope", "with data"]);
}

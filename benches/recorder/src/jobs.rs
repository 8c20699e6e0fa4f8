//! The jobs: each records empty spans, one after the other.

use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

use fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use spall_record::{ClockSource, Encoding, Recorder, TracingLayer, span};
use tracing_subscriber::layer::SubscriberExt;

use crate::Round;

/// A name, and what sets a round up.
pub type Job = (&'static str, Box<dyn Fn() -> Round>);

/// Returns all jobs, in the order of a round.
pub fn all() -> Vec<Job> {
    // The calibration of the counter takes a while.
    let counter = ClockSource::counter();
    let quanta = quanta::Clock::new();
    let job = |name, start: fn() -> Round| -> Job { (name, Box::new(start)) };
    vec![
        job("two readings of Instant", || {
            bare(|| {
                black_box((Instant::now(), Instant::now()));
            })
        }),
        (
            "two readings of the counter",
            Box::new(move || {
                let quanta = quanta.clone();
                bare(move || {
                    black_box((quanta.raw(), quanta.raw()));
                })
            }),
        ),
        job("spall-record, disabled", || bare(plain)),
        job("spall-record, Instant", || recorded(Recorder::new(), plain)),
        ("spall-record, counter", Box::new(move || recorded(Recorder::new().clock(counter.clone()), plain))),
        job("spall-record, no clock", || recorded(Recorder::new().clock(ClockSource::new(|| 0, 1.0)), plain)),
        job("spall-record, no clock, formatted argument", || {
            recorded(Recorder::new().clock(ClockSource::new(|| 0, 1.0)), formatted)
        }),
        job("spall-record, no clock, typed argument", || {
            recorded(Recorder::new().clock(ClockSource::new(|| 0, 1.0)), typed)
        }),
        job("spall-record, Instant, JSON", || recorded(Recorder::new().encoding(Encoding::Json), plain)),
        job("puffin", puffin),
        job("fastrace", fastrace),
        job("tracing, no subscriber", || bare(of_tracing)),
        job("tracing, registry alone", || subscribed(|| Nothing, || ())),
        job("tracing, spall-record", || {
            let session = Recorder::new().file(path()).start().expect("a file");
            subscribed(TracingLayer::new, move || drop(session))
        }),
        job("tracing, tracing-chrome", tracing_chrome),
    ]
}

fn plain() {
    let _span = span!("nine char");
}

fn formatted() {
    let _span = span!("nine char", "argument {}", black_box(1_234_567));
}

fn typed() {
    let _span = span!("nine char", argument = black_box(1_234_567));
}

fn of_tracing() {
    let _span = tracing::info_span!("nine char").entered();
}

/// Returns where a recording goes: a file, as it does for users.
fn path() -> PathBuf {
    std::env::temp_dir().join(format!("recorder-{}", std::process::id()))
}

fn bare(once: impl Fn() + Send + Sync + 'static) -> Round {
    Round { run: Box::new(move |n| (0..n).for_each(|_| once())), finish: Box::new(|| ()) }
}

fn recorded(recorder: Recorder, once: impl Fn() + Send + Sync + 'static) -> Round {
    let session = recorder.file(path()).start().expect("a file");
    let finish = move || {
        let missing = session.finish().expect("a disk");
        assert!(missing.is_empty());
        std::fs::remove_file(path()).expect("the file");
    };
    Round { finish: Box::new(finish), ..bare(once) }
}

fn puffin() -> Round {
    puffin::set_scopes_on(true);
    let run = |n: u64| {
        // A scope around others, and a frame now and then, as a game has them: without these, puffin keeps everything.
        for _ in 0..n / 1000 {
            {
                puffin::profile_scope!("frame");
                for _ in 0..1000 {
                    puffin::profile_scope!("nine char");
                }
            }
            puffin::GlobalProfiler::lock().new_frame();
        }
    };
    Round { run: Box::new(run), finish: Box::new(|| puffin::set_scopes_on(false)) }
}

/// Drops what it gets.
struct Nowhere;

impl Reporter for Nowhere {
    fn report(&mut self, spans: Vec<SpanRecord>) {
        drop(spans);
    }
}

fn fastrace() -> Round {
    fastrace::set_reporter(Nowhere, Config::default());
    let run = |n: u64| {
        // A root for each thousand: beyond 10 240 spans, it drops.
        for _ in 0..n / 1000 {
            let root = fastrace::Span::root("root", SpanContext::random());
            let _parent = root.set_local_parent();
            for _ in 0..1000 {
                let _span = fastrace::local::LocalSpan::enter_with_local_parent("nine char");
            }
        }
    };
    Round { run: Box::new(run), finish: Box::new(fastrace::flush) }
}

fn subscribed<L>(layer: impl FnOnce() -> L, finish: impl FnOnce() + 'static) -> Round
where
    L: tracing_subscriber::Layer<tracing_subscriber::Registry> + Send + Sync,
{
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(layer()));
    let run = move |n| tracing::dispatcher::with_default(&dispatch, || (0..n).for_each(|_| of_tracing()));
    Round { run: Box::new(run), finish: Box::new(finish) }
}

/// A layer that does nothing. Without one, the registry would disable all spans.
struct Nothing;

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Nothing {}

fn tracing_chrome() -> Round {
    let file = BufWriter::new(File::create(path()).expect("a file"));
    let (layer, guard) = tracing_chrome::ChromeLayerBuilder::new().writer(file).build();
    subscribed(|| layer, move || drop(guard))
}

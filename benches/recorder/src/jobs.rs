//! The jobs: each records empty spans, one after the other.

use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
    let with_counter = |name, start: fn(Recorder) -> Round| -> Job {
        let counter = counter.clone();
        (name, Box::new(move || start(Recorder::new().clock(counter.clone()))))
    };
    vec![
        job(LOOP, || bare(|| black_box(()))),
        job("two readings of Instant", || {
            bare(|| {
                black_box((Instant::now(), Instant::now()));
            })
        }),
        job(INSTANT, || {
            let start = Instant::now();
            bare(move || {
                black_box((start.elapsed().as_nanos(), start.elapsed().as_nanos()));
            })
        }),
        (
            COUNTER,
            Box::new(move || {
                let quanta = quanta.clone();
                bare(move || {
                    black_box((quanta.raw(), quanta.raw()));
                })
            }),
        ),
        job(DISABLED, || bare(plain)),
        job(WITH_INSTANT, || recorded(Recorder::new(), plain)),
        with_counter(WITH_COUNTER, |recorder| recorded(recorder, plain)),
        with_counter(TO_NOWHERE, |recorder| {
            let session = recorder.writer(std::io::sink()).start().expect("nothing can fail");
            Round { finish: Box::new(move || drop(session)), ..bare(plain) }
        }),
        with_counter(BY_A_THREAD, |recorder| {
            recorded(recorder.ring_bytes(2 << 20).flush_every(Duration::from_millis(2)), plain)
        }),
        with_counter(FORMATTED, |recorder| recorded(recorder, formatted)),
        with_counter("spall-record, counter, integer", |recorder| recorded(recorder, integer)),
        with_counter("spall-record, counter, float", |recorder| recorded(recorder, float)),
        with_counter("spall-record, counter, bool", |recorder| recorded(recorder, truth)),
        with_counter("spall-record, counter, short text", |recorder| recorded(recorder, text)),
        job("spall-record, Instant, JSON", || recorded(Recorder::new().encoding(Encoding::Json), plain)),
        job(PUFFIN, puffin),
        job(FASTRACE, fastrace),
        job("minitrace", minitrace),
        job("tracing, no subscriber", || bare(of_tracing)),
        job(REGISTRY, || subscribed(|| Nothing, || ())),
        job(LAYER, || {
            let session = Recorder::new().file(path()).start().expect("a file");
            subscribed(TracingLayer::new, move || drop(session))
        }),
        job(CHROME, tracing_chrome),
        job("tracing, tracing-flame", tracing_flame),
    ]
}

// The jobs that bars are about.
pub const LOOP: &str = "nothing, the loop alone";
pub const INSTANT: &str = "two readings of Instant, as numbers";
pub const COUNTER: &str = "two readings of the counter";
pub const DISABLED: &str = "spall-record, disabled";
pub const WITH_INSTANT: &str = "spall-record, Instant";
pub const WITH_COUNTER: &str = "spall-record, counter";
pub const TO_NOWHERE: &str = "spall-record, counter, to nowhere";
pub const BY_A_THREAD: &str = "spall-record, counter, a thread flushes";
pub const FORMATTED: &str = "spall-record, counter, formatted argument";
pub const PUFFIN: &str = "puffin";
pub const FASTRACE: &str = "fastrace";
pub const REGISTRY: &str = "tracing, registry alone";
pub const LAYER: &str = "tracing, spall-record";
pub const CHROME: &str = "tracing, tracing-chrome";

fn plain() {
    let _span = span!("nine char");
}

fn formatted() {
    let _span = span!("nine char", "argument {}", black_box(1_234_567));
}

fn integer() {
    let _span = span!("nine char", argument = black_box(1_234_567));
}

fn float() {
    let _span = span!("nine char", argument = black_box(1234.567));
}

fn truth() {
    let _span = span!("nine char", argument = black_box(true));
}

fn text() {
    let _span = span!("nine char", argument = black_box("/index.html"));
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

/// Drops what it gets.
struct NowhereElse;

impl minitrace::collector::Reporter for NowhereElse {
    fn report(&mut self, _: &[minitrace::collector::SpanRecord]) {}
}

fn minitrace() -> Round {
    minitrace::set_reporter(NowhereElse, minitrace::collector::Config::default());
    let run = |n: u64| {
        for _ in 0..n / 1000 {
            let root = minitrace::Span::root("root", minitrace::collector::SpanContext::random());
            let _parent = root.set_local_parent();
            for _ in 0..1000 {
                let _span = minitrace::local::LocalSpan::enter_with_local_parent("nine char");
            }
        }
    };
    Round { run: Box::new(run), finish: Box::new(minitrace::flush) }
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

fn tracing_flame() -> Round {
    let file = BufWriter::new(File::create(path()).expect("a file"));
    let layer = tracing_flame::FlameLayer::new(file);
    let guard = layer.flush_on_drop();
    subscribed(|| layer, move || drop(guard))
}

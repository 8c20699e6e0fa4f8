//! What a program pays for a span: with `spall-record`, with other recorders, and with nothing.
//!
//! All jobs take turns in one process. A round of a job lets 1, 2 or 4 threads record the same number of spans each, and
//! adds up the time that these threads were running, so that other work of the machine hardly counts. What they do to
//! empty their rings is included; the end of a recording, and threads that a recorder starts itself, are in the time of
//! the process.
//! `recorder [ROUNDS] [SPANS] [WORD]`, where only jobs whose names have the word take part. With all jobs, the bars follow.

mod jobs;

use std::collections::HashMap;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A way to record, set up for one round.
pub struct Round {
    /// Records so many spans on the thread that calls it.
    pub run: Box<dyn Fn(u64) + Send + Sync>,
    /// Ends the recording.
    pub finish: Box<dyn FnOnce()>,
}

fn main() {
    let number =
        |nth, default| std::env::args().nth(nth).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (rounds, n_spans): (u64, u64) = (number(1, 40), number(2, 50_000));
    let word = std::env::args().nth(3).unwrap_or_default();
    println!("{rounds} rounds of {n_spans} spans on each thread; nanoseconds of running per span");
    for n_threads in [1, 2, 4] {
        let mut jobs = jobs::all();
        jobs.retain(|(name, _)| name.contains(&word));
        let mut times: Vec<Vec<(f64, f64)>> = vec![Vec::new(); jobs.len()];
        for _ in 0..rounds {
            for ((_, start), times) in jobs.iter().zip(&mut times) {
                let round = start();
                let before = running(ClockId::ProcessCPUTime);
                let of_threads = time(&*round.run, n_threads, n_spans);
                (round.finish)();
                let of_process = running(ClockId::ProcessCPUTime) - before;
                times.push((
                    of_threads,
                    of_process.as_nanos() as f64 / (n_threads * (n_spans + WARM_UP)) as f64,
                ));
            }
        }
        println!("\n{n_threads} thread{}", if n_threads == 1 { "" } else { "s" });
        println!("{:44} {:>9} {:>9} {:>9} {:>9}", "", "threads", "", "process", "");
        println!("{:44} {:>9} {:>9} {:>9} {:>9}", "job", "fastest", "median", "fastest", "median");
        let mut fastest = HashMap::new();
        for ((name, _), times) in jobs.iter().zip(&times) {
            let (of_threads, of_process): (Vec<_>, Vec<_>) = times.iter().copied().unzip();
            let [(a, b), (c, d)] = [of_threads, of_process].map(fastest_and_median);
            println!("{name:44} {a:9.1} {b:9.1} {c:9.1} {d:9.1}");
            fastest.insert(*name, (a, c));
        }
        if word.is_empty() {
            print_bars(&fastest);
        }
    }
}

/// Prints what is asked for and what was measured: the fastest rounds, in nanoseconds or as ratios.
fn print_bars(fastest: &HashMap<&str, (f64, f64)>) {
    use jobs::*;
    let [threads, process] =
        [0, 1].map(|of| move |job: &str| if of == 0 { fastest[job].0 } else { fastest[job].1 });
    let bar = |what: &str, bar: f64, measured: f64| {
        let is_met = if measured <= bar { "met" } else { "NOT met" };
        println!("{what:64} {bar:6.2} {measured:8.2}  {is_met}");
    };
    println!("\n{:64} {:>6} {:>8}", "bar", "at most", "measured");
    bar("span to a file, counter, beyond two readings, ns", 15.0, threads(WITH_COUNTER) - threads(COUNTER));
    bar("span to a file, Instant, beyond two readings, ns", 15.0, threads(WITH_INSTANT) - threads(INSTANT));
    bar("span to nowhere, counter, beyond two readings, ns", 15.0, threads(TO_NOWHERE) - threads(COUNTER));
    bar(
        "formatted argument of 16 bytes, beyond a span, ns",
        40.0,
        threads(FORMATTED) - threads(WITH_COUNTER),
    );
    bar("disabled span, beyond the loop, ns", 1.0, threads(DISABLED) - threads(LOOP));
    for (peer, ratio) in [(PUFFIN, 1.0 / 3.0), (FASTRACE, 1.0 / 3.0), (CHROME, 1.0 / 20.0)] {
        bar(
            &format!("span to a file, counter, of {peer}, process"),
            ratio,
            process(WITH_COUNTER) / process(peer),
        );
        bar(
            &format!("span to nowhere, counter, of {peer}, process"),
            ratio,
            process(TO_NOWHERE) / process(peer),
        );
        bar(
            &format!("two readings of the counter alone, of {peer}, process"),
            ratio,
            process(COUNTER) / process(peer),
        );
    }
    bar(
        "span that a thread flushes, of fastrace, threads",
        1.0 / 3.0,
        threads(BY_A_THREAD) / threads(FASTRACE),
    );
    bar(
        "span of tracing through the layer, beyond the registry, ns",
        100.0,
        threads(LAYER) - threads(REGISTRY),
    );
    bar(
        "span of tracing through the layer, of tracing-chrome, process",
        0.25,
        process(LAYER) / process(CHROME),
    );
}

fn fastest_and_median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// The spans that a thread records before its time is taken: what happens once for a thread or a place is not counted.
const WARM_UP: u64 = 1000;

/// Returns the time that a thread runs for a span, in nanoseconds.
fn time(run: &(dyn Fn(u64) + Send + Sync), n_threads: u64, n_spans: u64) -> f64 {
    let barrier = Barrier::new(n_threads as usize);
    let one = || {
        run(WARM_UP);
        barrier.wait();
        let start = running(ClockId::ThreadCPUTime);
        run(n_spans);
        running(ClockId::ThreadCPUTime) - start
    };
    let elapsed: Duration = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no job panics")).sum()
    });
    elapsed.as_nanos() as f64 / (n_threads * n_spans) as f64
}

/// Returns how long the calling thread, or the process, has been running.
fn running(clock: ClockId) -> Duration {
    clock_gettime(clock).try_into().expect("a positive time")
}

//! What a program pays for a span: with `spall-record`, with other recorders, and with nothing.
//!
//! All jobs take turns in one process. A round of a job lets 1, 2 or 4 threads record the same number of spans each, and
//! adds up the time that these threads were running, so that other work of the machine hardly counts. What they do to
//! empty their rings is included; the end of a recording, and threads that a recorder starts itself, are in the time of
//! the process.
//! `recorder [ROUNDS] [SPANS] [WORD]`, where only jobs whose names have the word take part.

mod jobs;

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
    let (rounds, n_spans): (u64, u64) = (number(1, 30), number(2, 20_000));
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
        for ((name, _), times) in jobs.iter().zip(&times) {
            let (of_threads, of_process): (Vec<_>, Vec<_>) = times.iter().copied().unzip();
            let [(a, b), (c, d)] = [of_threads, of_process].map(fastest_and_median);
            println!("{name:44} {a:9.1} {b:9.1} {c:9.1} {d:9.1}");
        }
    }
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

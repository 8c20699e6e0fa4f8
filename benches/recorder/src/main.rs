//! What a program pays for a span: with `spall-record`, with other recorders, and with nothing.
//!
//! All jobs take turns in one process. A round of a job lets 1, 2 or 4 threads record the same number of spans each, and
//! counts the time until all of them are done: rings that are emptied meanwhile are included, the end of a recording is
//! not. The time is per span and processor. `recorder [ROUNDS] [SPANS]`.

mod jobs;

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

/// A way to record, set up for one round.
pub struct Round {
    /// Records so many spans on the thread that calls it.
    pub run: Box<dyn Fn(u64) + Send + Sync>,
    /// Ends the recording.
    pub finish: Box<dyn FnOnce()>,
}

fn main() {
    let number = |nth, default| std::env::args().nth(nth).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (rounds, n_spans): (u64, u64) = (number(1, 30), number(2, 20_000));
    println!("{rounds} rounds of {n_spans} spans on each thread; nanoseconds per span and processor");
    for n_threads in [1, 2, 4] {
        let jobs = jobs::all();
        let mut times = vec![Vec::new(); jobs.len()];
        for _ in 0..rounds {
            for ((_, start), times) in jobs.iter().zip(&mut times) {
                let round = start();
                times.push(time(&*round.run, n_threads, n_spans));
                (round.finish)();
            }
        }
        println!("\n{n_threads} thread{}", if n_threads == 1 { "" } else { "s" });
        println!("{:44} {:>9} {:>9}", "job", "fastest", "median");
        for ((name, _), times) in jobs.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            println!("{name:44} {:9.1} {:9.1}", times[0], times[times.len() / 2]);
        }
    }
}

/// Returns the time of a span, in nanoseconds of one processor.
fn time(run: &(dyn Fn(u64) + Send + Sync), n_threads: u64, n_spans: u64) -> f64 {
    let barrier = Barrier::new(n_threads as usize + 1);
    let elapsed = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|_| {
                scope.spawn(|| {
                    // What happens once for a thread or a place is not counted.
                    run(100);
                    barrier.wait();
                    run(n_spans);
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        threads.into_iter().for_each(|thread| thread.join().expect("no job panics"));
        start.elapsed()
    });
    let n_processors = thread::available_parallelism().map_or(1, |n| n.get() as u64).min(n_threads);
    elapsed.as_nanos() as f64 * n_processors as f64 / (n_threads * n_spans) as f64
}

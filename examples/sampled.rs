//! Records itself while a profiler samples it: `sampled [FILE]` writes its spans into a file, by default `sampled.spall`.
//!
//! A profiler that uses the machine's monotonic clock says what ran meanwhile, and both files are one timeline and one flame
//! graph:
//!
//! ```sh
//! export RUSTFLAGS="-C force-frame-pointers=yes"
//! cargo build --release -p spall-examples --example sampled
//! perf record -k mono -e cpu-clock -F 999 --call-graph fp -o perf.data target/release/examples/sampled
//! perf script --header -F +pid -i perf.data > perf.txt
//! cargo spall flame sampled.spall perf.txt
//! ```

use std::{error::Error, hint::black_box, thread};

use spall_record::span;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| String::from("sampled.spall"));
    let session = spall_record::to_file(&path)?;
    thread::scope(|scope| {
        for name in ["north", "south"] {
            scope.spawn(move || {
                spall_record::set_thread_name(name);
                for round in 0..4 {
                    work(round);
                }
            });
        }
    });
    session.finish()?;
    Ok(())
}

#[inline(never)]
fn work(round: u32) {
    let _span = span!("work", round = round);
    let tree = walk(3);
    let sorted = sort(tree);
    {
        let _span = span!("check");
        black_box(sorted.is_sorted());
        black_box(spin(2_000_000));
    }
    // No span says that this runs.
    black_box(digest(&sorted));
}

/// Makes numbers, and half of them by calling itself.
#[inline(never)]
fn walk(depth: u32) -> Vec<u64> {
    let _span = span!("walk", depth = depth);
    let mut numbers = vec![spin(1_500_000)];
    if depth > 0 {
        numbers.extend(walk(depth - 1));
    }
    numbers.push(spin(500_000));
    numbers
}

#[inline(never)]
fn sort(numbers: Vec<u64>) -> Vec<u64> {
    let _span = span!("sort");
    let mut all: Vec<u64> =
        (0..40_000).map(|at| numbers[at % numbers.len()].wrapping_mul(at as u64 | 1)).collect();
    all.sort_by_key(|number| compare_by(*number));
    all
}

#[inline(never)]
fn compare_by(number: u64) -> u64 {
    number.rotate_left(17) ^ 0x5bd1_e995
}

#[inline(never)]
fn digest(numbers: &[u64]) -> u64 {
    numbers.iter().fold(spin(1_000_000), |sum, number| sum ^ compare_by(*number))
}

/// Keeps the processor busy for some milliseconds.
#[inline(never)]
fn spin(n_steps: u32) -> u64 {
    (0..n_steps).fold(1, |state: u64, step| {
        black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(step)))
    })
}

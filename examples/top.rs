//! Prints what took the most time: slices, and the functions that CPU samples found, over all threads.
//!
//! `top FILE [COUNT]` prints the first 20, or so many, by their self time.

use std::{cmp::Reverse, error::Error, io::Write};

use spall_trace::model::{CallTree, Limits};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: top FILE [COUNT]")?;
    let count = arguments.next().map_or(Ok(20), |count| count.to_string_lossy().parse::<usize>())?;
    let data = std::fs::read(path)?;
    let trace = spall_trace::load(&data, &Limits::default())?;
    let tree = CallTree::merged(spall_trace::call_trees(&trace).map(|thread| thread.tree));
    let mut functions = tree.functions();
    functions.sort_by_cached_key(|stats| (Reverse(stats.self_time), stats.function.describe(&trace)));

    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>7} {:>14} {:>14} {:>9} {:>9}", "own %", "own", "total", "count", "samples")?;
    for stats in functions.iter().take(count) {
        let (own, total) = (stats.self_time.0, stats.total.0);
        #[allow(clippy::cast_precision_loss, reason = "for a human")]
        let share = 100.0 * own as f64 / (tree.total().0 as f64).max(1.0);
        let (count, hits, function) = (stats.count, stats.hits, stats.function.describe(&trace));
        writeln!(out, "{share:>6.2}% {own:>14} {total:>14} {count:>9} {hits:>9}  {function}")?;
    }
    Ok(())
}

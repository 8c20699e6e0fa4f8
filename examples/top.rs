//! Prints what took the most time: functions by their self time over all threads, or over async spans if no thread has
//! slices, and the longest calls with their arguments.
//!
//! `top FILE [COUNT]` prints COUNT of each; without it 20. Functions are slices, and what CPU samples found.

use std::{cmp::Reverse, error::Error, io::Write};

use spall_trace::model::{Measure, Tick, TraceView};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: top FILE [COUNT]")?;
    let count = arguments.next().map_or(Ok(20), |count| count.to_string_lossy().parse::<usize>())?;
    let trace = spall_trace::load_file(path)?.with_value(None);
    let duration = |ticks| trace.clock().duration(ticks);
    let tracks = trace.shown_tracks();
    let mut functions = spall_trace::merged_call_tree(&trace, tracks, Measure::WallTime).functions();
    functions.sort_by_cached_key(|stats| (Reverse(stats.self_time), stats.function.describe(&trace)));

    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>12} {:>12} {:>9} {:>9}  function", "self", "total", "calls", "samples")?;
    for stats in functions.iter().take(count) {
        let (self_time, total) = (duration(stats.self_time), duration(stats.total));
        let (calls, hits, function) = (stats.count, stats.hits, stats.function.describe(&trace));
        writeln!(out, "{self_time:>12} {total:>12} {calls:>9} {hits:>9}  {function}")?;
    }
    writeln!(out, "\n{:>12}  longest calls", "duration")?;
    for id in trace.longest_slices(tracks, Tick::MIN..Tick::MAX, count) {
        let Some(slice) = trace.slice(id) else { continue };
        let (name, args) = (trace.name(slice.name), trace.slice_args(id));
        writeln!(out, "{:>12}  {name} {args}", duration(slice.duration()))?;
    }
    Ok(())
}

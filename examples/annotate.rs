//! Adds the lines of a log to a trace, on a timeline of their own.
//!
//! `annotate TRACE LOG OUT.json`: each line of LOG is a time in seconds on the clock of the trace and a text, such as
//! `1.25 cache flushed`. A time with a duration, such as `1.25+0.5 load level`, makes a slice. Other lines are skipped.

use std::{error::Error, fs::File, path::PathBuf};

use spall_trace::export;
use spall_trace::model::{ArgsBuilder, Event, Scope, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [trace, log, out] = arguments.as_slice() else {
        return Err("usage: annotate TRACE LOG OUT.json".into());
    };
    let (data, log) = (std::fs::read(trace)?, std::fs::read_to_string(log)?);
    let mut builder = spall_trace::Loader::new().read(&data)?;
    let added = add_log(&mut builder, &log).ok_or("the trace counts events instead of time")?;
    let report = export::json(&builder.finish(), File::create(out)?)?;
    println!(
        "added {added} of {} lines{}{report}",
        log.lines().count(),
        if report.is_lossless() { "" } else { "; " }
    );
    Ok(())
}

/// Adds the lines of a log and returns their number, or `None` if ticks of the trace have no duration.
fn add_log(builder: &mut TraceBuilder, log: &str) -> Option<usize> {
    let ticks_per_second = 1e9 / builder.clock().ns_per_tick()?;
    let ticks = |seconds: &str| seconds.parse().ok().map(|seconds: f64| (seconds * ticks_per_second) as i64);
    let thread = Thread::new("log", 1);
    builder.push(&Event::ThreadName(thread, "lines".into()));
    let (mut args, mut added) = (ArgsBuilder::new(), 0);
    for (number, line) in log.lines().enumerate() {
        let Some((time, text)) = line.split_once(' ') else { continue };
        let (at, duration) = time.split_once('+').map_or((time, None), |(at, duration)| (at, Some(duration)));
        let (Some(at), duration) = (ticks(at), duration.and_then(ticks)) else { continue };
        args.clear();
        args.add("line", number + 1);
        let mut event = ThreadEvent::new(thread, Tick(at), text.into());
        event.args = args.args();
        let event = match duration {
            Some(duration) => Event::Complete(event, Ticks(duration)),
            None => Event::Instant(event, Scope::Thread),
        };
        // Copied, because the arguments are overwritten by those of the next line.
        builder.push(&event);
        added += 1;
    }
    Some(added)
}

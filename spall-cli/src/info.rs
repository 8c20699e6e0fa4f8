//! `spall info`: what is in a file.

use std::{fmt::Write, path::PathBuf};

use serde_json::{Value, json};
use spall_trace::model::{Clock, Ticks, Trace, TraceView, Unit};

use crate::{
    error::{Error, Result},
    input::{Loaded, inputs, nothing},
    section::SectionChoice,
    session::Session,
    shown::to_stdout,
    table::{Cell, Table, TableFormat},
};

const COLUMNS: [&str; 18] = [
    "file",
    "format",
    "bytes",
    "tick",
    "tick 0",
    "start",
    "length",
    "processes",
    "tracks",
    "slices",
    "instants",
    "counter values",
    "states",
    "flows",
    "objects",
    "samples",
    "values",
    "diagnostics",
];

/// Prints what is in each of the files. A file that cannot be read does not keep the others from being shown.
pub(crate) fn run(
    files: &[PathBuf],
    section: &SectionChoice,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let (mut table, mut failed) = (Table::new(COLUMNS), None);
    for input in &inputs(files)? {
        match input.load(session).and_then(|loaded| of_section(loaded, section)) {
            Ok(loaded) => loaded.iter().for_each(|loaded| table.push(row(loaded, session.verbose))),
            Err(error) => {
                if let Some(Error::Told(before)) = failed.replace(error) {
                    session.say(format_args!("error: {before}"));
                }
            }
        }
    }
    session.done();
    if !table.is_empty() {
        to_stdout(format.printed(), |out| table.write_blocks(format, out))?;
    }
    match failed {
        Some(error) => Err(error),
        None if table.is_empty() => Err(nothing(files)),
        None => Ok(()),
    }
}

/// Returns a section of a trace that was loaded.
fn of_section(loaded: Option<Loaded>, section: &SectionChoice) -> Result<Option<Loaded>> {
    let Some(loaded) = loaded else { return Ok(None) };
    let title = loaded.name();
    Ok(Some(Loaded { trace: section.of(loaded.trace, &title)?, ..loaded }))
}

fn row(loaded: &Loaded, verbose: bool) -> [Cell; 18] {
    let (trace, clock) = (&loaded.trace, loaded.trace.clock());
    let count = |number: usize| match number {
        0 => Cell::new(0, String::new()),
        _ => Cell::number(number),
    };
    let bounds = trace.bounds();
    let span = bounds.clone().map_or(Ticks::ZERO, |bounds| bounds.end - bounds.start);
    [
        Cell::text(&loaded.path.to_string_lossy()),
        Cell::text(loaded.format_name()),
        Cell::number(loaded.n_bytes),
        tick(&clock),
        clock.epoch_ns.map_or(Cell::none(), |ns| Cell::new(ns, date(ns))),
        bounds.map_or(Cell::none(), |bounds| Cell::time(&clock, bounds.start)),
        Cell::duration(&clock, span),
        count(trace.processes().len()),
        count(trace.tracks().len()),
        count(trace.slices().len()),
        count(trace.instants().len()),
        count(trace.counters().len()),
        count(trace.states().len()),
        count(trace.flows().len()),
        count(trace.objects().len()),
        count(trace.samples().len()),
        values(trace),
        diagnostics(loaded, verbose),
    ]
}

/// What a tick is: a number of nanoseconds, or what the clock counts.
fn tick(clock: &Clock) -> Cell {
    match clock.unit {
        Unit::Nanoseconds(ns) => Cell::new(ns, format!("{ns} ns")),
        unit => Cell::text(unit.counted().unwrap_or_default()),
    }
}

/// The values of samples that have a name, each with the number of samples and the sum of their weights.
fn values(trace: &Trace) -> Cell {
    let values = trace.sample_values();
    let named = || values.iter().filter(|value| values.len() > 1 || !value.name.is_empty());
    let text = named().map(|value| {
        let (name, n_samples) = (trace.name(value.name), value.n_samples);
        let shown = if value.counts { ", shown" } else { "" };
        format!("{name}: {n_samples} samples{shown}")
    });
    let mut text: Vec<_> = text.collect();
    if trace.is_empty_profile() {
        text.push("nothing was sampled".into());
    }
    let list = named().map(|value| {
        json!({
            "name": trace.name(value.name), "samples": value.n_samples, "weight": value.weight, "shown": value.counts,
        })
    });
    match text.is_empty() {
        true => Cell::none(),
        false => Cell::new(Value::Array(list.collect()), text.join("\n")),
    }
}

fn diagnostics(loaded: &Loaded, verbose: bool) -> Cell {
    let diagnostics = loaded.trace.diagnostics();
    let mut text = diagnostics.to_string();
    for report in diagnostics.kept().iter().filter(|_| verbose) {
        _ = write!(text, "\n{} at bytes {} to {}", report.kind, report.bytes.start, report.bytes.end);
    }
    let counts = diagnostics.counts().iter().map(
        |count| json!({ "kind": count.kind.name(), "count": count.count, "first_byte": count.first_byte }),
    );
    Cell::new(Value::Array(counts.collect()), if text.is_empty() { "none".into() } else { text })
}

/// Returns a Unix time as a date of the proleptic Gregorian calendar and a time of day, in UTC.
fn date(ns: i64) -> String {
    let (seconds, ns) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 1 March of year 0, in eras of 400 years, so that the leap day is the last one of a year.
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        (year + era * 400 + i64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ns:09} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unix_time_is_a_date() {
        assert_eq!(date(0), "1970-01-01 00:00:00.000000000 UTC");
        assert_eq!(date(951_827_696_123_456_789), "2000-02-29 12:34:56.123456789 UTC");
        assert_eq!(date(-1), "1969-12-31 23:59:59.999999999 UTC");
        assert_eq!(date(1_000_000_000 * 1_000_000_000), "2001-09-09 01:46:40.000000000 UTC");
    }
}

//! `spall gaps`: the longest times in which a thread ran nothing, and what ran elsewhere meanwhile.

use serde_json::{Value, json};
use spall_trace::{
    layout::{longest_gaps, ran_meanwhile},
    model::{Job, TraceView, TrackId, TrackKind},
};

use crate::{
    error::{Error, Result},
    input::Opened,
    selection::Selection,
    session::Session,
    shown::{short, to_stdout},
    table::{Cell, Table, TableFormat},
};

/// The number of other tracks that people are shown beside a gap.
const MAX_SHOWN: usize = 2;

/// Prints the longest gaps of the tracks that were chosen, or of all threads. What ran meanwhile is that of all others.
pub(crate) fn run(
    opened: Opened,
    count: usize,
    selection: &Selection,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let title = opened.title;
    let failed = |error| Error::new(format_args!("{title}: {error}"));
    let section = selection.section.section();
    let trace = selection.of_value(opened.trace, &title, session)?;
    let trace = spall_trace::merge_samples(trace).without_samples();
    let range = section.range(&trace).map_err(failed)?;
    let chosen = section.fitting_tracks(&trace).map_err(failed)?;
    session.doing("finding gaps");
    let hidden = selection.hidden(&trace, &title, session);
    let layout = hidden.layout(&trace);
    let is_thread = |track: &TrackId| {
        matches!(trace.track_info(*track).map(|info| info.kind), Some(TrackKind::Thread { .. }))
    };
    let is_chosen = |track: &TrackId| match section.tracks.is_empty() && section.threads.is_empty() {
        true => is_thread(track) && chosen.get(track.index()) == Some(&true),
        false => chosen.get(track.index()) == Some(&true),
    };
    let tracks: Vec<_> = trace.track_ids().filter(is_chosen).collect();
    let gaps = longest_gaps(&trace, tracks, range, count, |slice| hidden.shows_slice(&trace, slice)).run();
    if gaps.is_empty() && count > 0 {
        return Err(Error::new(format_args!(
            "{title}: there is no gap between slices. `spall top --by track` says how much each track ran."
        )));
    }
    let clock = trace.clock();
    let mut table = Table::new(["duration", "start", "end", "track", "after", "before", "meanwhile"]);
    for gap in gaps {
        let others = trace.track_ids().filter(|track| *track != gap.track && is_thread(track));
        let ran = ran_meanwhile(&trace, &layout, others, &(gap.start..gap.end));
        let facts = ran.iter().map(|ran| {
            let time = |ticks| Cell::duration(&clock, ticks);
            (trace.track_title(ran.track), ran.function.describe(&trace), time(ran.time), time(ran.self_time))
        });
        let facts: Vec<_> = facts.collect();
        let shown = facts.iter().take(MAX_SHOWN);
        let shown = shown.map(|(track, function, time, _)| {
            format!("{}: {} ({})", short(track), short(function), time.shown())
        });
        let mut shown: Vec<_> = shown.collect();
        match facts.len() {
            0 => shown.push("nothing".into()),
            n if n > MAX_SHOWN => shown.push(format!("and {} more", n - MAX_SHOWN)),
            _ => {}
        }
        let list = facts.into_iter().map(|(track, function, time, self_time)| {
            json!({ "track": track, "time": time.value(), "function": function, "self": self_time.value() })
        });
        table.push([
            Cell::duration(&clock, gap.duration()),
            Cell::time(&clock, gap.start),
            Cell::time(&clock, gap.end),
            Cell::text(&trace.track_title(gap.track)),
            Cell::text(&trace.slice_name(gap.before)),
            Cell::text(&trace.slice_name(gap.after)),
            Cell::new(Value::Array(list.collect()), shown.join("; ")),
        ]);
    }
    session.done();
    Ok(to_stdout(format.printed(), |out| table.write(format, out))?)
}

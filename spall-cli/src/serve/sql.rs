//! Questions in SQL about the trace of a page.

use serde::Serialize;
use spall_trace::model::{SliceId, Tick, Ticks, Trace, TraceView};
use spall_view::{Engine, Since, wire};

use super::answer::Messages;
use crate::query::{self, Rows};

/// More rows than this are no answer for a page.
const MOST: usize = 10_000;

/// The rows of an answer as a page gets them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    columns: Vec<String>,
    rows: Vec<Row>,
    /// Whether there are more rows.
    has_more: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    cells: Vec<Option<String>>,
    /// The range of time that the columns `ts` and `dur` say.
    range: Option<(Since, Since)>,
    /// The slice whose number is in the column `slice_id`, or in the column `id` if it starts at `ts`.
    slice: Option<SliceId>,
}

/// Answers a question on a thread of its own.
pub(super) fn ask(engine: &Engine, sql: String, messages: Messages) {
    let (loaded, origin, told) = (engine.whole(), engine.tick(Since(Ticks::ZERO)), messages.clone());
    let answer = move || {
        let trace = loaded.0.clone();
        let rows = query::ask(loaded, "shown".into(), &sql, MOST, || !messages.is_closed());
        messages.send(match rows {
            Ok(Some(rows)) => wire::message(wire::Kind::Answer, &answered(rows, &trace, origin)),
            Ok(None) => return,
            Err(error) => wire::error(error.to_string()),
        });
    };
    if let Err(error) = std::thread::Builder::new().spawn(answer) {
        told.send(wire::error(error.to_string()));
    }
}

fn answered(Rows { columns, rows, has_more }: Rows, trace: &Trace, origin: Tick) -> Answered {
    let at = |name: &str| columns.iter().position(|column| column == name);
    let [ts, dur, slice_id, id] = ["ts", "dur", "slice_id", "id"].map(at);
    let rows = rows.into_iter().map(|cells| {
        let text = |column: Option<usize>| cells.get(column?)?.as_deref();
        let start = text(ts).and_then(|text| text.parse().ok()).map(Tick);
        let end = start.map(|start| {
            let duration = text(dur).and_then(|text| text.parse().ok()).map_or(Ticks::ZERO, Ticks);
            start + duration.max(Ticks::ZERO)
        });
        let in_column = |column| text(column)?.parse().ok().map(SliceId);
        let starts_here = |slice: &SliceId| trace.slice(*slice).map(|slice| slice.start) == start;
        let slice = in_column(slice_id).filter(|&slice| trace.slice(slice).is_some());
        let slice = slice.or_else(|| in_column(id).filter(starts_here));
        let range = start.zip(end).map(|(start, end)| (Since(start - origin), Since(end - origin)));
        Row { range, slice, cells }
    });
    let rows = rows.collect();
    Answered { columns, rows, has_more }
}

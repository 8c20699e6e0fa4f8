//! The functions that took the most time of what the timeline shows, or have the most of another measure.

use std::{cmp::Reverse, ops::Range};

use ratatui::layout::{Alignment, Constraint};
use ratatui::text::Text;
use ratatui::widgets::{Row, Table};
use spall_trace::layout::{LayoutView, Stats};
use spall_trace::model::{Job, Measure, Tick, TraceView};

use crate::flame;

/// Returns a table of functions by self time, without the first `skipped` ones.
pub fn table(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    range: Range<Tick>,
    measure: Measure,
    skipped: usize,
) -> Table<'static> {
    if measure != Measure::WallTime {
        return measured(trace, layout, range, measure, skipped);
    }
    let mut names = Stats::new(trace, layout, trace.track_ids(), range).run();
    names.sort_by_key(|name| Reverse(name.self_time));
    let clock = trace.clock();
    let rows = names.iter().skip(skipped).map(|name| {
        let [self_time, total, mean, max] = [name.self_time, name.total, name.mean, name.max]
            .map(|time| number(clock.duration(time).to_string()));
        let label = Text::from(trace.name(name.name).into_owned());
        Row::new([self_time, total, mean, max, number(name.count.to_string()), label])
    });
    finished(rows.collect(), &["self", "total", "mean", "longest", "count"])
}

/// The same for a measure that not all slices have.
fn measured(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    range: Range<Tick>,
    measure: Measure,
    skipped: usize,
) -> Table<'static> {
    let (tree, clock) = (flame::tree(trace, layout, range, measure), measure.clock(trace.clock()));
    let rows = tree.functions().into_iter().skip(skipped).map(|function| {
        let [self_value, total] =
            [function.self_time, function.total].map(|value| number(clock.duration(value).to_string()));
        let [count, without] = [function.count, function.unmeasured].map(|count| number(count.to_string()));
        let label = Text::from(trace.name(function.function.name).into_owned());
        Row::new([self_value, total, count, without, label])
    });
    finished(rows.collect(), &["self", "total", "count", "without it"])
}

fn number(text: String) -> Text<'static> {
    Text::from(text).alignment(Alignment::Right)
}

/// Makes a table of rows with some numbers and the name of a function.
fn finished(rows: Vec<Row<'static>>, titles: &[&str]) -> Table<'static> {
    let title = titles.iter().map(|&title| number(title.into())).chain([Text::from("function")]);
    let widths = titles.iter().map(|_| Constraint::Length(10)).chain([Constraint::Fill(1)]);
    Table::new(rows, widths).header(Row::new(title)).column_spacing(2)
}

//! The functions that took the most time of what the timeline shows.

use std::{cmp::Reverse, ops::Range};

use ratatui::layout::{Alignment, Constraint};
use ratatui::text::Text;
use ratatui::widgets::{Row, Table};
use spall_trace::layout::{EdgeRule, LayoutView, Stats};
use spall_trace::model::{Job, Tick, TraceView};

/// Returns a table of functions by self time, without the first `skipped` ones.
pub fn table(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    range: Range<Tick>,
    skipped: usize,
) -> Table<'static> {
    let mut names = Stats::new(trace, layout, trace.track_ids(), range, EdgeRule::Clamp).run();
    names.sort_by_key(|name| Reverse(name.self_time));
    let clock = trace.clock();
    let number = |text: String| Text::from(text).alignment(Alignment::Right);
    let rows = names.iter().skip(skipped).map(|name| {
        let [self_time, total, mean, max] = [name.self_time, name.total, name.mean, name.max]
            .map(|time| number(clock.duration(time).to_string()));
        let label = Text::from(trace.name(name.name).into_owned());
        Row::new([self_time, total, mean, max, number(name.count.to_string()), label])
    });
    let title = ["self", "total", "mean", "longest", "count"].map(|title| number(title.into()));
    let title = title.into_iter().chain([Text::from("function")]);
    let widths = [Constraint::Length(10); 5].into_iter().chain([Constraint::Fill(1)]);
    Table::new(rows, widths).header(Row::new(title)).column_spacing(2)
}

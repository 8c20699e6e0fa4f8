//! The list of what was found, around the hit that was gone to.

use ratatui::layout::{Alignment, Constraint};
use ratatui::style::{Modifier, Style};
use ratatui::text::Text;
use ratatui::widgets::{Row, Table};
use spall_trace::model::{Tick, TraceView};
use spall_view::{Hit, Shown};

use crate::shown::Showing;

const TITLES: [&str; 6] = ["", "kind", "at", "for", "name", "track"];

/// Returns a table of as many hits as there is room for.
pub(crate) fn table(shown: &Showing<impl Shown>, height: u16) -> Table<'static> {
    let (clock, room) = (shown.trace().clock(), usize::from(height.saturating_sub(1)));
    let current = shown.current_hit().map(|hit| hit.rank);
    let first = current.unwrap_or(0).saturating_sub(room / 2);
    let rows = shown.hits(first, room).into_iter().map(|hit| {
        let Hit { rank, what, name, track, start, duration, matched, .. } = hit;
        let start = start.map(|start| clock.time(Tick(0) + start.0).to_string());
        let duration = duration.map(|duration| clock.duration(duration.0).to_string());
        let name = matched.map(|matched| format!("{name} ({matched})")).unwrap_or(name);
        let [rank_text, start, duration] =
            [Some((rank + 1).to_string()), start, duration].map(|text| number(text.unwrap_or_default()));
        let cells = [rank_text, what.into(), start, duration, name.into(), track.into()];
        let style = if current == Some(rank) { Modifier::REVERSED } else { Modifier::empty() };
        Row::new(cells).style(Style::new().add_modifier(style))
    });
    let widths = [8, 8, 12, 10].map(Constraint::Length).into_iter().chain([2, 1].map(Constraint::Fill));
    Table::new(rows, widths).header(Row::new(TITLES)).column_spacing(2)
}

fn number(text: String) -> Text<'static> {
    Text::from(text).alignment(Alignment::Right)
}

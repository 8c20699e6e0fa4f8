//! The functions that have the most of what is added up, in what is chosen.

use ratatui::layout::{Alignment, Constraint};
use ratatui::text::Text;
use ratatui::widgets::{Row, Table};
use spall_trace::model::{Measure, TraceView};
use spall_view::{Ranking, Since, Sums};

use spall_view::Shown;

use crate::shown::Showing;

/// Returns a table of functions, without the first `skipped` ones, sorted as the place says.
pub(crate) fn table(shown: &mut Showing<impl Shown>, skipped: usize, height: u16) -> Table<'static> {
    let sorted = shown.view().place().sums.clone();
    let ranking = Ranking { table: sorted, most: skipped + usize::from(height) };
    let (sums, measure) = (shown.sums(&ranking), shown.view().measure());
    let clock = measure.clock(shown.trace().clock());
    let value = |Since(ticks)| clock.duration(ticks).to_string();
    let titles: &[&str] = match measure {
        Measure::WallTime => &["self", "total", "mean", "longest", "count"],
        _ => &["self", "total", "count", "without it"],
    };
    let rows = sums.rows.into_iter().skip(skipped).map(|sums| {
        let Sums { name, count, unmeasured, total, own, mean, max, .. } = sums;
        let numbers = match measure {
            Measure::WallTime => vec![value(own), value(total), value(mean), value(max), count.to_string()],
            _ => vec![value(own), value(total), count.to_string(), unmeasured.to_string()],
        };
        Row::new(numbers.into_iter().map(number).chain([Text::from(name)]))
    });
    let title = titles.iter().map(|&title| number(title.into())).chain([Text::from("function")]);
    let widths = titles.iter().map(|_| Constraint::Length(10)).chain([Constraint::Fill(1)]);
    Table::new(rows, widths).header(Row::new(title)).column_spacing(2)
}

fn number(text: String) -> Text<'static> {
    Text::from(text).alignment(Alignment::Right)
}

//! Tables, as text for people or as JSON for programs.

use std::io::{self, Write};

use serde_json::{Map, Value};
use spall_trace::model::{Clock, Key, Tick, Ticks, Trace, TraceView};
use spall_view::{Amount, csv_field};

use crate::{
    shown::{Printed, cut, line},
    terminal,
};

/// The characters that a cell has at most, but for those of the last column.
const MAX_CELL: usize = 60;

/// The characters that the last column has at least, even in a terminal that is too narrow for the others.
const MIN_LAST: usize = 20;

/// How a table is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum TableFormat {
    /// For people
    #[default]
    Text,
    /// For programs: an array of objects, with times in nanoseconds where the trace has times
    Json,
    /// For spreadsheets: lines of values with commas between them, as in JSON
    Csv,
}

impl TableFormat {
    /// Returns what is printed in this format.
    pub(crate) fn printed(self) -> Printed {
        match self {
            Self::Text => Printed::Text,
            Self::Json => Printed::Json,
            // It has no escapes for characters that a terminal obeys.
            Self::Csv => Printed::Text,
        }
    }
}

/// A value, and how people are shown it.
pub(crate) struct Cell {
    value: Value,
    text: String,
}

impl Cell {
    pub(crate) fn text(text: &str) -> Self {
        Self { value: text.into(), text: line(text) }
    }

    pub(crate) fn number(number: impl Into<Value>) -> Self {
        let value = number.into();
        Self { text: value.to_string(), value }
    }

    /// A duration, in nanoseconds if it is one.
    pub(crate) fn duration(clock: &Clock, duration: Ticks) -> Self {
        Self { value: nanoseconds(clock, duration), text: clock.duration(duration).to_string() }
    }

    /// A point in time, in nanoseconds since tick 0 if it is one.
    pub(crate) fn time(clock: &Clock, at: Tick) -> Self {
        Self { value: nanoseconds(clock, at - Tick(0)), text: clock.time(at).to_string() }
    }

    /// The id of a process or a thread, or nothing.
    pub(crate) fn key(trace: &Trace, key: Option<Key>) -> Self {
        let Some(key) = key else { return Self::none() };
        let text = trace.key_text(key);
        match key {
            Key::Number(_) => {
                Self::new(serde_json::from_str::<Value>(&text).unwrap_or_default(), text.into_owned())
            }
            Key::Text(_) => Self::text(&text),
        }
    }

    /// A fraction, which people are shown as a percentage.
    pub(crate) fn share(share: f64) -> Self {
        Self { value: share.into(), text: format!("{:.1} %", 100.0 * share) }
    }

    /// The same value with its sign, for a difference.
    pub(crate) fn with_sign(self) -> Self {
        let sign = if self.text.starts_with('-') { "" } else { "+" };
        Self { text: format!("{sign}{}", self.text), ..self }
    }

    /// A value whose text says more than it does.
    pub(crate) fn new(value: impl Into<Value>, text: String) -> Self {
        Self { value: value.into(), text }
    }

    /// What programs are given.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// What people are shown.
    pub(crate) fn shown(&self) -> &str {
        &self.text
    }

    /// A value that is not there.
    pub(crate) fn none() -> Self {
        Self::new(Value::Null, String::new())
    }
}

/// Returns a number of nanoseconds, or of ticks where they are no time.
fn nanoseconds(clock: &Clock, duration: Ticks) -> Value {
    match Amount::new(clock, duration) {
        Amount::Whole(number) => number.into(),
        Amount::Fraction(number) => number.into(),
    }
}

/// Returns a value as a field of CSV.
pub(crate) fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => csv_field(text).into(),
        value => csv_field(&value.to_string()).into(),
    }
}

/// Rows with a cell for each column.
pub(crate) struct Table<const N: usize> {
    columns: [&'static str; N],
    rows: Vec<[Cell; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(columns: [&'static str; N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: [Cell; N]) {
        self.rows.push(row);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the table, as text with its columns to the right and the last one to the left. Long texts are cut, those of
    /// the last column so that a line fits into the terminal.
    pub(crate) fn write(&self, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TableFormat::Text => {}
            TableFormat::Json => return self.write_json(out),
            TableFormat::Csv => return self.write_csv(out),
        }
        let max = |at: usize| if at + 1 < N { MAX_CELL } else { usize::MAX };
        let cells = |row: &[Cell; N]| std::array::from_fn(|at| cut(&row[at].text, max(at)));
        let rows: Vec<[String; N]> = self.rows.iter().map(cells).collect();
        let width = |at: usize| {
            let texts = rows.iter().map(|row| row[at].chars().count());
            texts.chain([self.columns[at].len()]).max().unwrap_or_default()
        };
        let widths: [usize; N] = std::array::from_fn(width);
        let n_before: usize = widths.iter().take(N - 1).map(|width| width + 2).sum();
        let room =
            terminal::columns().map_or(usize::MAX, |columns| usize::from(columns).saturating_sub(n_before));
        let heading = self.columns.map(str::to_owned);
        for row in std::iter::once(&heading).chain(&rows) {
            let mut line = String::new();
            for (text, width) in row.iter().zip(widths).take(N - 1) {
                line.extend(std::iter::repeat_n(' ', width.saturating_sub(text.chars().count())));
                line.push_str(text);
                line.push_str("  ");
            }
            line.push_str(&cut(&row[N - 1], room.max(MIN_LAST)));
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes each row as lines of a column's name and its value. Columns without a value are left out.
    pub(crate) fn write_blocks(&self, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TableFormat::Text => {}
            TableFormat::Json => return self.write_json(out),
            TableFormat::Csv => return self.write_csv(out),
        }
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            for (column, cell) in self.columns.iter().zip(row).filter(|(_, cell)| !cell.text.is_empty()) {
                // A value of several lines stays behind its name.
                let text = cell.text.replace('\n', &format!("\n{:16}", ""));
                writeln!(out, "{column:<16}{text}")?;
            }
        }
        Ok(())
    }

    /// Writes a line of the names that JSON has, and a line of each row. A list is its JSON.
    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let heading = self.columns.map(|column| column.replace(' ', "_"));
        writeln!(out, "{}", heading.join(","))?;
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| field(&cell.value)).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let object = |row: &[Cell; N]| {
            let cells = self.columns.iter().zip(row);
            let members = cells.map(|(column, cell)| (column.replace(' ', "_"), cell.value.clone()));
            Value::Object(members.collect::<Map<_, _>>())
        };
        let rows: Vec<String> = self.rows.iter().map(|row| object(row).to_string()).collect();
        writeln!(out, "[{}]", rows.join(",\n "))
    }
}

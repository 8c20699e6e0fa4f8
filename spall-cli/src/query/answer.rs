//! The rows of an answer.

use std::io::Write;

use datafusion::{
    arrow::{
        array::RecordBatch,
        util::display::{ArrayFormatter, FormatOptions},
    },
    dataframe::DataFrame,
    error::DataFusionError,
};
use futures::StreamExt;
use serde_json::{Map, Value};

use super::failed;
use crate::{
    error,
    session::Session,
    shown::Shown,
    table::{TableFormat, field},
};

/// Prints an answer while it is computed: the names of the columns and then the rows, with tabs between the values, or an
/// array of objects.
pub(super) async fn print(answer: DataFrame, format: TableFormat, session: &Session) -> error::Result<()> {
    let names: Vec<_> = answer.schema().fields().iter().map(|field| field.name().clone()).collect();
    let numeric: Vec<_> =
        answer.schema().fields().iter().map(|field| field.data_type().is_numeric()).collect();
    let mut batches = answer.execute_stream().await.map_err(failed)?;
    let mut out = Shown::stdout(format.printed());
    let mut is_first = true;
    if format == TableFormat::Text {
        session.done();
        writeln!(out, "{}", names.join("\t"))?;
    }
    if format == TableFormat::Csv {
        session.done();
        writeln!(out, "{}", line_of(names.iter().cloned().map(Value::String)))?;
    }
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(failed)?;
        session.done();
        let options = options();
        let columns = formatters(&batch, &options).map_err(failed)?;
        for row in 0..batch.num_rows() {
            let texts = columns.iter().map(|column| column.value(row).to_string());
            if format == TableFormat::Text {
                let values: Vec<_> = texts.map(|text| escaped(&text)).collect();
                writeln!(out, "{}", values.join("\t"))?;
                continue;
            }
            let values = texts.zip(batch.columns()).zip(&numeric).map(|((text, column), is_numeric)| {
                match column.is_null(row) {
                    true => Value::Null,
                    false if *is_numeric => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                    false => Value::String(text),
                }
            });
            if format == TableFormat::Csv {
                writeln!(out, "{}", line_of(values))?;
                continue;
            }
            let object: Map<_, _> = names.iter().cloned().zip(values).collect();
            write!(out, "{}{}", if is_first { "[" } else { ",\n " }, Value::Object(object))?;
            is_first = false;
        }
    }
    if format == TableFormat::Json {
        writeln!(out, "{}", if is_first { "[]" } else { "]" })?;
    }
    Ok(out.flush()?)
}

/// The first rows of an answer.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// The values of each row as texts; `None` where there is none.
    pub(crate) rows: Vec<Vec<Option<String>>>,
    /// Whether there are more rows.
    pub(crate) has_more: bool,
}

/// Returns the rows of an answer, but at most so many.
pub(super) async fn rows(answer: DataFrame, most: usize) -> Result<Rows, DataFusionError> {
    let columns = answer.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut found = Rows { columns, rows: Vec::new(), has_more: false };
    let mut batches = answer.execute_stream().await?;
    while let Some(batch) = batches.next().await {
        let (batch, options) = (batch?, options());
        let columns = formatters(&batch, &options)?;
        for row in 0..batch.num_rows() {
            if found.rows.len() == most {
                found.has_more = true;
                return Ok(found);
            }
            let values = columns.iter().zip(batch.columns());
            let texts =
                values.map(|(text, column)| (!column.is_null(row)).then(|| text.value(row).to_string()));
            found.rows.push(texts.collect());
        }
    }
    Ok(found)
}

fn options() -> FormatOptions<'static> {
    FormatOptions::default().with_null("NULL")
}

/// Returns what makes texts of the values of each column.
fn formatters<'a>(
    batch: &'a RecordBatch,
    options: &FormatOptions<'a>,
) -> Result<Vec<ArrayFormatter<'a>>, DataFusionError> {
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), options));
    Ok(columns.collect::<Result<_, _>>()?)
}

/// Returns a line of CSV.
fn line_of(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| field(&value)).collect::<Vec<_>>().join(",")
}

/// Returns a value with tabs and line ends as escapes, so that a row stays one line.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

//! Prints the rows of an answer.

use std::{
    error::Error,
    io::{self, BufWriter, Write},
};

use datafusion::{
    arrow::util::display::{ArrayFormatter, FormatOptions},
    dataframe::DataFrame,
};
use futures::StreamExt;

/// Prints an answer while it is computed: the names of the columns and then the rows, with tabs between the values.
pub(crate) async fn print(answer: DataFrame) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    let names: Vec<_> = answer.schema().fields().iter().map(|field| field.name().clone()).collect();
    writeln!(out, "{}", names.join("\t"))?;
    let mut batches = answer.execute_stream().await?;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        let options = FormatOptions::default().with_null("NULL");
        let columns: Result<Vec<_>, _> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options)).collect();
        let columns = columns?;
        for row in 0..batch.num_rows() {
            let values: Vec<_> =
                columns.iter().map(|column| escaped(&column.value(row).to_string())).collect();
            writeln!(out, "{}", values.join("\t"))?;
        }
    }
    Ok(out.flush()?)
}

/// Returns a value with tabs and line ends as escapes, so that a row stays one line.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

//! The record batches of a table, one after another.

use std::ops::Range;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;

use crate::{
    Table, Tables, TablesError, arg_rows,
    column::{Column, Rows},
};

/// The largest number of rows of a batch.
const MAX_ROWS: usize = 65_536;

/// The bytes of arguments at which a batch ends. The texts that are made of arguments can be a few times as long.
const MAX_ARG_BYTES: usize = 16 << 20;

/// The same for the table of arguments, whose rows repeat the keys.
const MAX_ARG_ROW_BYTES: usize = 1 << 20;

impl Tables<'_> {
    /// Iterates over the record batches of a table. There are none if the table is empty.
    pub fn batches(&self, table: Table) -> Batches<'_> {
        let end =
            if table == Table::Args { self.arg_sets.len() } else { self.n_rows(table).unwrap_or_default() };
        let schema = table.schema();
        let columns = (0..schema.fields().len()).collect();
        Batches { tables: self, table, columns, schema, next: 0, end }
    }
}

/// An iterator over the record batches of a table. After an error it goes on with the next batch.
///
/// A batch has up to 65 536 rows, and fewer where arguments that it has are long.
#[derive(Debug, Clone)]
pub struct Batches<'t> {
    tables: &'t Tables<'t>,
    table: Table,
    schema: SchemaRef,
    /// The columns to make, by their position in the table.
    columns: Vec<usize>,
    next: usize,
    end: usize,
}

impl Batches<'_> {
    /// Returns the same batches with some of the columns only, by their positions in [`Table::schema`]. Other columns
    /// are not made.
    ///
    /// # Errors
    /// Returns an error if the table has no column at one of the positions.
    pub fn with_columns(self, columns: &[usize]) -> Result<Self, TablesError> {
        let schema = self.table.schema().project(columns)?.into();
        Ok(Self { schema, columns: columns.to_vec(), ..self })
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// Takes the rows of the next batch.
    fn take_rows(&mut self) -> Range<usize> {
        let start = self.next;
        let limit = self.end.min(start + MAX_ROWS);
        let most_bytes = if self.table == Table::Args { MAX_ARG_ROW_BYTES } else { MAX_ARG_BYTES };
        let all = self.table.columns();
        let has_texts = |&column: &usize| all.get(column).is_some_and(Column::has_texts);
        if self.table != Table::Args && !self.columns.iter().any(has_texts) {
            self.next = limit;
        }
        let mut n_bytes = 0;
        while self.next < limit && n_bytes < most_bytes {
            n_bytes += self.tables.arg_sets.n_bytes(self.table, self.next);
            self.next += 1;
        }
        start..self.next
    }

    fn batch(&self, rows: Range<usize>) -> Result<RecordBatch, TablesError> {
        if self.table == Table::Args {
            return Ok(arg_rows::batch(self.tables, rows)?.project(&self.columns)?);
        }
        let all = self.table.columns();
        let wanted = self.columns.iter().filter_map(|&column| all.get(column));
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let rows = Rows::new(self.tables, rows);
        let columns: Result<Vec<_>, _> = wanted.map(|column| column.make(&rows)).collect();
        Ok(RecordBatch::try_new_with_options(self.schema(), columns?, &options)?)
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch, TablesError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rows = self.take_rows();
            if rows.is_empty() {
                return None;
            }
            let batch = self.batch(rows);
            // Argument sets can all be empty.
            if batch.as_ref().is_ok_and(|batch| batch.num_rows() == 0) {
                continue;
            }
            return Some(batch);
        }
    }

    /// Skips `n` batches, which are not made, and makes the next one. So threads can share a table: each makes
    /// `batches.skip(thread).step_by(n_threads)`.
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        for _ in 0..n {
            // Which batches of the table of arguments are empty is known only when they are made.
            if self.table == Table::Args {
                _ = self.next()?;
            } else if self.take_rows().is_empty() {
                return None;
            }
        }
        self.next()
    }
}

//! The rows of tables as JSON.

use std::rc::Rc;

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Float64Type, Int32Type, Int64Type},
};
use arrow_schema::DataType;
use serde_json::{Value as Json, json};
use spall_arrow::{Batches, Table, Tables};

/// An iterator over the rows of a table, which makes one batch at a time.
pub(crate) struct Rows<'t> {
    batches: Batches<'t>,
    batch: Option<Rc<RecordBatch>>,
    next: usize,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(tables: &'t Tables<'_>, table: Table) -> Self {
        Self { batches: tables.batches(table), batch: None, next: 0 }
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        if self.batch.as_ref().is_none_or(|batch| self.next == batch.num_rows()) {
            self.batch = Some(Rc::new(self.batches.next()?.unwrap()));
            self.next = 0;
        }
        self.next += 1;
        Some(Row { batch: self.batch.clone()?, row: self.next - 1 })
    }
}

/// A row of a table.
#[derive(Clone)]
pub(crate) struct Row {
    batch: Rc<RecordBatch>,
    row: usize,
}

impl Row {
    /// Returns the value of a column. Maps are lists of keys and values.
    pub(crate) fn get(&self, column: &str) -> Json {
        let column = self.batch.column_by_name(column).unwrap_or_else(|| panic!("no column {column}"));
        value(column.as_ref(), self.row)
    }

    /// Returns a number of a row of another table, if there is one.
    pub(crate) fn id(&self, column: &str) -> Option<usize> {
        self.get(column).as_u64().map(|id| usize::try_from(id).unwrap())
    }

    /// Returns a text, or the empty one if there is none.
    pub(crate) fn text(&self, column: &str) -> Json {
        match self.get(column) {
            Json::Null => json!(""),
            text => text,
        }
    }
}

fn value(array: &dyn Array, row: usize) -> Json {
    if array.is_null(row) {
        return Json::Null;
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Dictionary(..) => {
            let keys = array.as_dictionary::<Int32Type>();
            value(keys.values().as_ref(), usize::try_from(keys.keys().value(row)).unwrap())
        }
        DataType::List(_) => values(array.as_list::<i32>().value(row).as_ref()),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            json!([values(entries.column(0).as_ref()), values(entries.column(1).as_ref())])
        }
        other => panic!("no column has the type {other}"),
    }
}

fn values(array: &dyn Array) -> Json {
    (0..array.len()).map(|row| value(array, row)).collect()
}

/// Returns a value with null in the place of what JSON has no number for. Tables have `NaN` and infinities as texts.
pub(crate) fn without_special_numbers(value: Json) -> Json {
    match value {
        Json::String(text) if ["NaN", "Infinity", "-Infinity"].contains(&text.as_str()) => Json::Null,
        Json::Array(list) => list.into_iter().map(without_special_numbers).collect(),
        Json::Object(map) => {
            map.into_iter().map(|(key, value)| (key, without_special_numbers(value))).collect()
        }
        value => value,
    }
}

/// Returns what is written of a value as JSON: of lists and maps that nest deeper than 32, the innermost are null.
pub(crate) fn as_deep_as_written(value: Json, levels: usize) -> Json {
    match value {
        Json::Array(_) | Json::Object(_) if levels == 0 => Json::Null,
        Json::Array(list) => list.into_iter().map(|value| as_deep_as_written(value, levels - 1)).collect(),
        Json::Object(map) => {
            map.into_iter().map(|(key, value)| (key, as_deep_as_written(value, levels - 1))).collect()
        }
        value => value,
    }
}

//! Tables as text, one line for each row.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::std_instead_of_core,
    clippy::unwrap_used,
    reason = "a test may panic and has the library"
)]

use std::fmt::Write;

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Float64Type, Int32Type, Int64Type},
};
use arrow_schema::DataType;
use spall_arrow::{Table, Tables};
use spall_layout::Layout;

/// Calls `test` with the tables of a file.
pub(crate) fn with_tables(file: &[u8], test: impl FnOnce(&Tables<'_>)) {
    let trace = spall_trace::load(file).unwrap();
    let layout = Layout::new(&trace);
    test(&Tables::new(&trace, &layout).unwrap());
}

/// Returns the rows of a table: the values of some columns with spaces between them, `-` for null.
pub(crate) fn rows(tables: &Tables<'_>, table: Table, columns: &[&str]) -> Vec<String> {
    tables.batches(table).flat_map(|batch| batch_rows(&batch.unwrap(), columns)).collect()
}

/// Returns the rows of one batch in the same way.
pub(crate) fn batch_rows(batch: &RecordBatch, columns: &[&str]) -> Vec<String> {
    let columns: Vec<_> = columns.iter().map(|name| column(batch, name)).collect();
    (0..batch.num_rows())
        .map(|row| columns.iter().map(|column| value(*column, row)).collect::<Vec<_>>().join(" "))
        .collect()
}

pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> &'a dyn Array {
    batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}")).as_ref()
}

fn value(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "-".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            value(array.values().as_ref(), array.normalized_keys()[row])
        }
        DataType::List(_) => {
            format!("[{}]", joined(array.as_list::<i32>().value(row).as_ref(), value))
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let (keys, values) = (entries.column(0), entries.column(1));
            let entry = |_: &dyn Array, at| format!("{}: {}", value(keys, at), value(values, at));
            format!("{{{}}}", joined(keys, entry))
        }
        other => panic!("no column has the type {other}"),
    }
}

fn joined(array: &dyn Array, item: impl Fn(&dyn Array, usize) -> String) -> String {
    let mut text = String::new();
    for at in 0..array.len() {
        let comma = if at > 0 { ", " } else { "" };
        write!(text, "{comma}{}", item(array, at)).unwrap();
    }
    text
}

/// Returns the name that the page of the schema has for a type.
pub(crate) fn type_name(kind: &DataType) -> &'static str {
    match kind {
        DataType::Boolean => "bool",
        DataType::Int32 => "int32",
        DataType::Int64 => "int",
        DataType::Float64 => "float",
        DataType::Utf8 => "text",
        DataType::Dictionary(..) => "name",
        DataType::List(_) => "texts",
        DataType::Map(..) => "map",
        other => panic!("no column has the type {other}"),
    }
}

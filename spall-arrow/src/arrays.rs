//! The arrays of columns, by the type of the column.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, MapArray, StringArray, StructArray,
    builder::{ListBuilder, StringBuilder, StringDictionaryBuilder},
    types::Int32Type,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use crate::TablesError;

/// The types that columns have. All of them survive Parquet in every engine, which unsigned numbers, durations and
/// timestamps of nanoseconds do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Bool,
    Int,
    Int32,
    Float,
    /// A text of the names of the trace, or one of a few words: a dictionary with 32-bit keys.
    Name,
    Text,
    /// A list of texts.
    Texts,
    /// A map of text to text, for arguments.
    Map,
}

impl ColumnType {
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int => DataType::Int64,
            Self::Int32 => DataType::Int32,
            Self::Float => DataType::Float64,
            Self::Name => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Self::Text => DataType::Utf8,
            Self::Texts => DataType::List(list_item()),
            Self::Map => DataType::Map(map_entries(), false),
        }
    }
}

fn list_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Utf8, true))
}

fn map_fields() -> Fields {
    vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Utf8, true)].into()
}

fn map_entries() -> Arc<Field> {
    Arc::new(Field::new("entries", DataType::Struct(map_fields()), false))
}

pub(crate) fn bools(values: impl Iterator<Item = bool>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(BooleanArray::from_iter(values.map(Some))))
}

pub(crate) fn some_bools(values: impl Iterator<Item = Option<bool>>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(BooleanArray::from_iter(values)))
}

pub(crate) fn ints(values: impl Iterator<Item = i64>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(Int64Array::from_iter_values(values)))
}

pub(crate) fn some_ints(values: impl Iterator<Item = Option<i64>>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(Int64Array::from_iter(values)))
}

/// Makes a column of small numbers. Depths and lanes beyond 2³¹ become the largest number; no trace has room for them.
pub(crate) fn some_ints32(values: impl Iterator<Item = Option<u32>>) -> Result<ArrayRef, TablesError> {
    let signed = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    Ok(Arc::new(Int32Array::from_iter(values.map(|value| value.map(signed)))))
}

pub(crate) fn floats(values: impl Iterator<Item = f64>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(Float64Array::from_iter_values(values)))
}

pub(crate) fn some_floats(values: impl Iterator<Item = Option<f64>>) -> Result<ArrayRef, TablesError> {
    Ok(Arc::new(Float64Array::from_iter(values)))
}

/// A column of texts in the making. Arrow's own builders panic where 32 bits cannot count the bytes.
#[derive(Debug)]
pub(crate) struct Texts {
    column: &'static str,
    builder: StringBuilder,
    n_bytes: usize,
}

impl Texts {
    pub(crate) fn new(column: &'static str) -> Self {
        Self { column, builder: StringBuilder::new(), n_bytes: 0 }
    }

    pub(crate) fn push(&mut self, text: Option<&str>) -> Result<(), TablesError> {
        self.n_bytes += text.map_or(0, str::len);
        if i32::try_from(self.n_bytes).is_err() {
            return Err(TablesError::TextTooLong { column: self.column });
        }
        self.builder.append_option(text);
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> StringArray {
        self.n_bytes = 0;
        self.builder.finish()
    }
}

pub(crate) fn texts<'a>(
    column: &'static str,
    values: impl Iterator<Item = Option<Cow<'a, str>>>,
) -> Result<ArrayRef, TablesError> {
    let mut texts = Texts::new(column);
    for text in values {
        texts.push(text.as_deref())?;
    }
    Ok(Arc::new(texts.finish()))
}

/// Makes a column of few different words.
pub(crate) fn words<'a>(words: impl Iterator<Item = &'a str>) -> Result<ArrayRef, TablesError> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    for word in words {
        builder.append(word)?;
    }
    Ok(Arc::new(builder.finish()))
}

/// Makes a column of lists of texts.
pub(crate) fn text_lists<'a>(
    values: impl Iterator<Item = Vec<Cow<'a, str>>>,
) -> Result<ArrayRef, TablesError> {
    let mut builder = ListBuilder::new(StringBuilder::new()).with_field(list_item());
    for list in values {
        builder.append_value(list.iter().map(|text| Some(text.as_ref())));
    }
    Ok(Arc::new(builder.finish()))
}

/// A column of maps in the making.
#[derive(Debug)]
pub(crate) struct Maps {
    keys: Texts,
    values: Texts,
    ends: Vec<usize>,
    present: Vec<bool>,
    n_entries: usize,
}

impl Maps {
    pub(crate) fn new(column: &'static str) -> Self {
        Self {
            keys: Texts::new(column),
            values: Texts::new(column),
            ends: Vec::new(),
            present: Vec::new(),
            n_entries: 0,
        }
    }

    /// Adds an entry to the map that [`Maps::end`] will end.
    pub(crate) fn entry(&mut self, key: &str, value: Option<&str>) -> Result<(), TablesError> {
        self.n_entries += 1;
        self.keys.push(Some(key))?;
        self.values.push(value)
    }

    /// Ends the map of a row, or makes it null.
    pub(crate) fn end(&mut self, present: bool) {
        self.ends.push(self.n_entries);
        self.present.push(present);
    }

    pub(crate) fn finish(mut self) -> Result<ArrayRef, TablesError> {
        let mut previous = 0;
        let lengths = self.ends.iter().map(|&end| end - std::mem::replace(&mut previous, end));
        let offsets = OffsetBuffer::from_lengths(lengths);
        let entries = StructArray::try_new(
            map_fields(),
            vec![Arc::new(self.keys.finish()), Arc::new(self.values.finish())],
            None,
        )?;
        let nulls = NullBuffer::from(self.present);
        Ok(Arc::new(MapArray::try_new(map_entries(), offsets, entries, Some(nulls), false)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_holds_as_many_bytes_of_text_as_32_bits_count() {
        let mut texts = Texts::new("name");
        texts.n_bytes = i32::MAX as usize - 3;
        assert!(texts.push(Some("abc")).is_ok());
        assert!(matches!(texts.push(Some("d")), Err(TablesError::TextTooLong { column: "name" })));
    }
}

//! The arrays of columns, by the type of the column.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, StringArray,
    builder::{ListBuilder, MapBuilder, PrimitiveBuilder, StringBuilder, StringDictionaryBuilder},
    types::{Float64Type, Int32Type, Int64Type},
};
use arrow_schema::{DataType, Field};

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

fn map_entries() -> Arc<Field> {
    let fields = vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Utf8, true)];
    Arc::new(Field::new("entries", DataType::Struct(fields.into()), false))
}

/// A value of a column, whose type decides that of the column.
pub(crate) trait Cell: Sized {
    const TYPE: ColumnType;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError>;
}

impl Cell for bool {
    const TYPE: ColumnType = ColumnType::Bool;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError> {
        Ok(Arc::new(BooleanArray::from_iter(cells)))
    }
}

impl Cell for i64 {
    const TYPE: ColumnType = ColumnType::Int;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError> {
        Ok(numbers::<Int64Type>(cells))
    }
}

/// Depths and lanes beyond 2³¹ become the largest number; no trace has room for them.
impl Cell for u32 {
    const TYPE: ColumnType = ColumnType::Int32;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError> {
        Ok(numbers::<Int32Type>(cells.map(|cell| Some(i32::try_from(cell?).unwrap_or(i32::MAX)))))
    }
}

impl Cell for f64 {
    const TYPE: ColumnType = ColumnType::Float;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError> {
        Ok(numbers::<Float64Type>(cells))
    }
}

/// One of few different words.
impl Cell for &'static str {
    const TYPE: ColumnType = ColumnType::Name;

    fn array(cells: impl Iterator<Item = Option<Self>>) -> Result<ArrayRef, TablesError> {
        words(cells)
    }
}

/// Makes a column of few different words.
pub(crate) fn words<'a>(words: impl Iterator<Item = Option<&'a str>>) -> Result<ArrayRef, TablesError> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    builder.extend(words);
    Ok(Arc::new(builder.finish()))
}

fn numbers<T: ArrowPrimitiveType>(cells: impl Iterator<Item = Option<T::Native>>) -> ArrayRef {
    let mut builder = PrimitiveBuilder::<T>::with_capacity(cells.size_hint().0);
    builder.extend(cells);
    Arc::new(builder.finish())
}

/// A column of texts in the making.
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
        count_text(self.column, &mut self.n_bytes, text.map_or(0, str::len))?;
        self.builder.append_option(text);
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> StringArray {
        self.n_bytes = 0;
        self.builder.finish()
    }
}

/// Adds to the bytes of a column. Arrow's own builders panic where 32 bits cannot count them.
fn count_text(column: &'static str, n_bytes: &mut usize, more: usize) -> Result<(), TablesError> {
    *n_bytes += more;
    i32::try_from(*n_bytes).map_err(|_| TablesError::TextTooLong { column }).map(|_| ())
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
    column: &'static str,
    builder: MapBuilder<StringBuilder, StringBuilder>,
    n_bytes: usize,
}

impl Maps {
    pub(crate) fn new(column: &'static str) -> Self {
        let builder = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        Self { column, builder, n_bytes: 0 }
    }

    /// Adds an entry to the map that [`Maps::end`] will end.
    pub(crate) fn entry(&mut self, key: &str, value: Option<&str>) -> Result<(), TablesError> {
        count_text(self.column, &mut self.n_bytes, key.len() + value.map_or(0, str::len))?;
        self.builder.keys().append_value(key);
        self.builder.values().append_option(value);
        Ok(())
    }

    /// Ends the map of a row, or makes it null.
    pub(crate) fn end(&mut self, present: bool) -> Result<(), TablesError> {
        Ok(self.builder.append(present)?)
    }

    pub(crate) fn finish(mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
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

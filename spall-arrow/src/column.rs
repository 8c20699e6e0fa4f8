//! A column of a table: its name, its type, and the function that makes it.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::{Tables, TablesError, arrays::ColumnType};

/// A column: all that a table knows about it.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnType,
    pub(crate) nullable: bool,
    /// Makes the column for a range of rows.
    pub(crate) make: fn(&Tables<'_>, Range<usize>) -> Result<ArrayRef, TablesError>,
}

impl Column {
    /// Returns a column that has a value in every row.
    pub(crate) const fn new(
        name: &'static str,
        kind: ColumnType,
        make: fn(&Tables<'_>, Range<usize>) -> Result<ArrayRef, TablesError>,
    ) -> Self {
        Self { name, kind, nullable: false, make }
    }

    /// Returns a column whose value may be absent.
    pub(crate) const fn nullable(
        name: &'static str,
        kind: ColumnType,
        make: fn(&Tables<'_>, Range<usize>) -> Result<ArrayRef, TablesError>,
    ) -> Self {
        Self { name, kind, nullable: true, make }
    }

    pub(crate) fn field(&self) -> Field {
        Field::new(self.name, self.kind.data_type(), self.nullable)
    }
}

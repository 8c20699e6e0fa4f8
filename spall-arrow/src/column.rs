//! A column of a table: its name, its type, and the function that makes it.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::{Tables, TablesError, arg_rows, arg_sets::ArgOwner, arrays::ColumnType};

/// A column: all that a table knows about it.
pub(crate) struct Column {
    name: &'static str,
    kind: ColumnType,
    nullable: bool,
    maker: Maker,
}

/// Makes a column for a range of rows.
type Make = fn(&Tables<'_>, Range<usize>) -> Result<ArrayRef, TablesError>;

/// Makes a column about the arguments of an owner for a range of rows.
type MakeOfArgs = fn(&Tables<'_>, ArgOwner, Range<usize>) -> Result<ArrayRef, TablesError>;

enum Maker {
    OfRows(Make),
    OfArgs(ArgOwner, MakeOfArgs),
}

impl Column {
    /// Returns a column that has a value in every row.
    pub(crate) const fn new(name: &'static str, kind: ColumnType, make: Make) -> Self {
        Self { name, kind, nullable: false, maker: Maker::OfRows(make) }
    }

    /// Returns a column whose value may be absent.
    pub(crate) const fn nullable(name: &'static str, kind: ColumnType, make: Make) -> Self {
        Self { name, kind, nullable: true, maker: Maker::OfRows(make) }
    }

    /// Returns the column with the numbers of the argument sets of `owner`.
    pub(crate) const fn arg_set_id(name: &'static str, owner: ArgOwner) -> Self {
        Self::of_args(name, ColumnType::Int, owner, arg_rows::set_ids)
    }

    /// Returns the column with the arguments of `owner` as maps.
    pub(crate) const fn args(name: &'static str, owner: ArgOwner) -> Self {
        Self::of_args(name, ColumnType::Map, owner, arg_rows::maps)
    }

    /// Returns the column with the arguments of `owner` as JSON objects.
    pub(crate) const fn args_json(name: &'static str, owner: ArgOwner) -> Self {
        Self::of_args(name, ColumnType::Text, owner, arg_rows::json)
    }

    const fn of_args(name: &'static str, kind: ColumnType, owner: ArgOwner, make: MakeOfArgs) -> Self {
        Self { name, kind, nullable: true, maker: Maker::OfArgs(owner, make) }
    }

    /// Makes the column for a range of rows.
    pub(crate) fn make(&self, tables: &Tables<'_>, rows: Range<usize>) -> Result<ArrayRef, TablesError> {
        match self.maker {
            Maker::OfRows(make) => make(tables, rows),
            Maker::OfArgs(owner, make) => make(tables, owner, rows),
        }
    }

    pub(crate) fn field(&self) -> Field {
        Field::new(self.name, self.kind.data_type(), self.nullable)
    }
}

//! A column of a table: its name, its type, and the function that makes it.

use std::{cell::OnceCell, ops::Range};

use arrow_array::ArrayRef;
use arrow_schema::Field;
use spall_layout::SliceVisit;
use spall_model::{IdRange, SliceId, ThreadMeasure, TraceView};

use crate::{
    Tables, TablesError, arg_rows,
    arg_sets::ArgOwner,
    arrays::{self, ColumnType},
};

/// A column: all that a table knows about it.
pub(crate) struct Column {
    name: &'static str,
    kind: ColumnType,
    nullable: bool,
    maker: Maker,
}

/// Makes a column for a range of rows.
type Make = fn(&Tables<'_>, Range<usize>) -> Result<ArrayRef, TablesError>;

/// Makes a column about the places of the slices in a range of rows. A slice on no row has no visit.
type MakeOfVisits = fn(&Tables<'_>, Range<usize>, &[Option<SliceVisit<'_>>]) -> Result<ArrayRef, TablesError>;

/// What several columns of a batch of slices are made of, which is found once.
#[derive(Default)]
pub(crate) struct SliceFacts<'t> {
    visits: OnceCell<Vec<Option<SliceVisit<'t>>>>,
    /// The thread time and the instructions of each slice. Its arguments are far away in memory.
    measures: OnceCell<Vec<[Option<i64>; 2]>>,
}

/// Makes a column about the arguments of an owner for a range of rows.
type MakeOfArgs = fn(&Tables<'_>, ArgOwner, Range<usize>) -> Result<ArrayRef, TablesError>;

enum Maker {
    Rows(Make),
    Visits(MakeOfVisits),
    Measure(ThreadMeasure),
    Args(ArgOwner, MakeOfArgs),
}

impl Column {
    /// Returns a column that has a value in every row.
    pub(crate) const fn new(name: &'static str, kind: ColumnType, make: Make) -> Self {
        Self { name, kind, nullable: false, maker: Maker::Rows(make) }
    }

    /// Returns a column whose value may be absent.
    pub(crate) const fn nullable(name: &'static str, kind: ColumnType, make: Make) -> Self {
        Self { name, kind, nullable: true, maker: Maker::Rows(make) }
    }

    /// Returns a column about the places of slices.
    pub(crate) const fn of_visits(
        name: &'static str,
        kind: ColumnType,
        nullable: bool,
        make: MakeOfVisits,
    ) -> Self {
        Self { name, kind, nullable, maker: Maker::Visits(make) }
    }

    /// Returns a column with what a counter of the thread measured in slices.
    pub(crate) const fn measure(name: &'static str, measure: ThreadMeasure) -> Self {
        Self { name, kind: ColumnType::Int, nullable: true, maker: Maker::Measure(measure) }
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
        Self { name, kind, nullable: true, maker: Maker::Args(owner, make) }
    }

    /// Makes the column for the rows of a batch.
    pub(crate) fn make<'t>(
        &self,
        tables: &Tables<'t>,
        rows: Range<usize>,
        facts: &SliceFacts<'t>,
    ) -> Result<ArrayRef, TablesError> {
        match self.maker {
            Maker::Rows(make) => make(tables, rows),
            Maker::Visits(make) => {
                let slices = IdRange::new(SliceId::new(rows.start), SliceId::new(rows.end));
                make(tables, rows, facts.visits.get_or_init(|| tables.layout.visit(slices).collect()))
            }
            Maker::Measure(measure) => {
                let both = |row| {
                    let args = tables.trace.slice_args(SliceId::new(row));
                    ThreadMeasure::ALL.map(|measure| args.thread_measure(measure))
                };
                let measures = facts.measures.get_or_init(|| rows.map(both).collect());
                arrays::some_ints(measures.iter().map(|&[time, instructions]| match measure {
                    ThreadMeasure::Time => time,
                    ThreadMeasure::Instructions => instructions,
                }))
            }
            Maker::Args(owner, make) => make(tables, owner, rows),
        }
    }

    /// Returns whether the column has texts of its own, which may be long.
    pub(crate) fn has_texts(&self) -> bool {
        matches!(self.kind, ColumnType::Map | ColumnType::Text)
    }

    pub(crate) fn field(&self) -> Field {
        Field::new(self.name, self.kind.data_type(), self.nullable)
    }
}

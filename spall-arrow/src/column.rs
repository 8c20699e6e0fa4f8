//! A column of a table: its name, its type, and how it is made for the rows of a batch.

use std::{borrow::Cow, cell::OnceCell, ops::Range};

use arrow_array::ArrayRef;
use arrow_schema::Field;
use spall_layout::SliceVisit;
use spall_model::{DenseId, IdRange, NameId, SliceId, ThreadMeasure, TraceView, Track};

use crate::{
    Tables, TablesError, arg_rows,
    arg_sets::ArgOwner,
    arrays::{Cell, ColumnType, texts},
};

/// A column: all that a table knows about it.
pub(crate) struct Column {
    name: &'static str,
    kind: ColumnType,
    nullable: bool,
    make: Box<Make>,
}

/// Makes a column for the rows of a batch.
type Make = dyn Fn(&Rows<'_>) -> Result<ArrayRef, TablesError>;

/// The rows of a batch, with what several columns of slices are made of, which is found once.
pub(crate) struct Rows<'t> {
    pub(crate) tables: &'t Tables<'t>,
    pub(crate) numbers: Range<usize>,
    /// The places of the slices. A slice on no row has no visit.
    visits: OnceCell<Vec<Option<SliceVisit<'t>>>>,
    /// The thread time and the instructions of each slice. Its arguments are far away in memory.
    measures: OnceCell<Vec<[Option<i64>; 2]>>,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(tables: &'t Tables<'t>, numbers: Range<usize>) -> Self {
        Self { tables, numbers, visits: OnceCell::new(), measures: OnceCell::new() }
    }

    /// Returns the items of a table that are the rows.
    fn part<T>(&self, all: AllItems<T>) -> &[T] {
        all(self.tables).get(self.numbers.clone()).unwrap_or_default()
    }

    fn visits(&self) -> &[Option<SliceVisit<'t>>] {
        let slices = IdRange::new(SliceId::new(self.numbers.start), SliceId::new(self.numbers.end));
        self.visits.get_or_init(|| self.tables.layout.visit(slices).collect())
    }

    fn measures(&self) -> &[[Option<i64>; 2]] {
        let both = |row| {
            let args = self.tables.trace.slice_args(SliceId::new(row));
            ThreadMeasure::ALL.map(|measure| args.thread_measure(measure))
        };
        self.measures.get_or_init(|| self.numbers.clone().map(both).collect())
    }
}

impl Column {
    pub(crate) fn new(
        name: &'static str,
        kind: ColumnType,
        nullable: bool,
        make: impl Fn(&Rows<'_>) -> Result<ArrayRef, TablesError> + 'static,
    ) -> Self {
        Self { name, kind, nullable, make: Box::new(make) }
    }

    /// Returns the column of the numbers of the rows.
    pub(crate) fn id() -> Self {
        Self::new("id", ColumnType::Int, false, |rows| {
            i64::array(rows.numbers.clone().map(|row| i64::try_from(row).ok()))
        })
    }

    /// Returns the column with the track of each row of a table that is sorted by track. `end` returns the row behind
    /// those of a track.
    pub(crate) fn track(end: fn(&Track) -> usize) -> Self {
        Self::new("track_id", ColumnType::Int, false, move |rows| {
            let mut tracks = rows.tables.trace.tracks().iter().peekable();
            i64::array(rows.numbers.clone().map(|row| {
                while tracks.next_if(|track| end(track) <= row).is_some() {}
                // Every row belongs to a track.
                Some(tracks.peek().map_or(-1, |track| number(track.id)))
            }))
        })
    }

    /// Returns a column about the places of slices, each with the number of its row.
    pub(crate) fn of_visits<C: Cell>(
        name: &'static str,
        nullable: bool,
        value: impl Fn(&Tables<'_>, usize, Option<&SliceVisit<'_>>) -> Option<C> + 'static,
    ) -> Self {
        Self::new(name, C::TYPE, nullable, move |rows| {
            let visits = rows.numbers.clone().zip(rows.visits());
            C::array(visits.map(|(row, visit)| value(rows.tables, row, visit.as_ref())))
        })
    }

    /// Returns a column with what a counter of the thread measured in slices.
    pub(crate) fn measure(name: &'static str, measure: ThreadMeasure) -> Self {
        Self::new(name, ColumnType::Int, true, move |rows| {
            i64::array(rows.measures().iter().map(|&[time, instructions]| match measure {
                ThreadMeasure::Time => time,
                ThreadMeasure::Instructions => instructions,
            }))
        })
    }

    /// Returns the column with the numbers of the argument sets of `owner`. Rows without arguments are null.
    pub(crate) fn arg_set_id(name: &'static str, owner: ArgOwner) -> Self {
        Self::new(name, ColumnType::Int, true, move |rows| {
            i64::array(rows.numbers.clone().map(|row| rows.tables.arg_sets.id(owner, row)))
        })
    }

    /// Returns the column with the arguments of `owner` as maps.
    pub(crate) fn args(name: &'static str, owner: ArgOwner) -> Self {
        Self::new(name, ColumnType::Map, true, move |rows| {
            arg_rows::maps(rows.tables, rows.numbers.clone(), owner)
        })
    }

    /// Returns the column with the arguments of `owner` as JSON objects.
    pub(crate) fn args_json(name: &'static str, owner: ArgOwner) -> Self {
        Self::new(name, ColumnType::Text, true, move |rows| {
            arg_rows::json(rows.tables, rows.numbers.clone(), owner)
        })
    }

    /// Makes the column for the rows of a batch.
    pub(crate) fn make(&self, rows: &Rows<'_>) -> Result<ArrayRef, TablesError> {
        (self.make)(rows)
    }

    /// Returns whether the column has texts of its own, which may be long.
    pub(crate) fn has_texts(&self) -> bool {
        matches!(self.kind, ColumnType::Map | ColumnType::Text)
    }

    pub(crate) fn field(&self) -> Field {
        Field::new(self.name, self.kind.data_type(), self.nullable)
    }
}

/// Returns the items of a trace that are the rows of a table.
type AllItems<T> = for<'t> fn(&'t Tables<'_>) -> &'t [T];

/// The columns that are made of the items of a table, one row of each.
pub(crate) struct Items<T: 'static>(pub(crate) AllItems<T>);

impl<T> Items<T> {
    /// Returns a column that has a value in every row.
    pub(crate) fn column<C: Cell>(
        &self,
        name: &'static str,
        value: impl Fn(&Tables<'_>, &T) -> C + 'static,
    ) -> Column {
        Column { nullable: false, ..self.nullable(name, move |tables, item| Some(value(tables, item))) }
    }

    /// Returns a column whose value may be absent.
    pub(crate) fn nullable<C: Cell>(
        &self,
        name: &'static str,
        value: impl Fn(&Tables<'_>, &T) -> Option<C> + 'static,
    ) -> Column {
        let Self(all) = *self;
        Column::new(name, C::TYPE, true, move |rows| {
            C::array(rows.part(all).iter().map(|item| value(rows.tables, item)))
        })
    }

    /// Returns a column of names of the trace. The empty name means that there is none, and becomes null.
    pub(crate) fn name(&self, name: &'static str, value: impl Fn(&T) -> NameId + 'static) -> Column {
        let Self(all) = *self;
        Column::new(name, ColumnType::Name, true, move |rows| {
            rows.tables.name_array(rows.part(all).iter().map(&value))
        })
    }

    /// Returns a column of texts, which are present in every row.
    pub(crate) fn text(
        &self,
        name: &'static str,
        value: impl for<'a> Fn(&'a Tables<'a>, &'a T) -> Cow<'a, str> + 'static,
    ) -> Column {
        Column { nullable: false, ..self.some_text(name, move |tables, item| Some(value(tables, item))) }
    }

    /// Returns a column of texts that may be absent.
    pub(crate) fn some_text(
        &self,
        name: &'static str,
        value: impl for<'a> Fn(&'a Tables<'a>, &'a T) -> Option<Cow<'a, str>> + 'static,
    ) -> Column {
        let Self(all) = *self;
        Column::new(name, ColumnType::Text, true, move |rows| {
            texts(name, rows.part(all).iter().map(|item| value(rows.tables, item)))
        })
    }
}

/// Returns an id as a number of a row.
pub(crate) fn number(id: impl DenseId) -> i64 {
    id.number().into()
}

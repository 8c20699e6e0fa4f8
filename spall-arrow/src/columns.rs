//! The columns of every table: a name, a type, and how a range of rows is made.

pub(crate) mod about;
pub(crate) mod fact;
pub(crate) mod object;
pub(crate) mod sample;
pub(crate) mod slice;
pub(crate) mod track;

use std::{collections::HashMap, ops::Range, sync::Arc};

use arrow_schema::{Schema, SchemaRef};
use spall_model::DenseId;

use crate::{Table, arg_rows, column::Column};

/// The version of the schema, which each schema's metadata has under the key `spall.schema_version`. It grows when a
/// column changes its name, type or meaning.
pub const SCHEMA_VERSION: &str = "1";

impl Table {
    /// Returns the columns of the table and their types. All traces have the same.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        let fields: Vec<_> = match self {
            Self::Args => arg_rows::fields(),
            _ => self.columns().iter().map(Column::field).collect(),
        };
        let metadata = HashMap::from([
            ("spall.schema_version".to_owned(), SCHEMA_VERSION.to_owned()),
            ("spall.table".to_owned(), self.name().to_owned()),
        ]);
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }

    /// Returns the columns; none for [`Table::Args`], whose rows are not counted before they are made.
    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Self::Trace => about::TRACE,
            Self::Process => track::PROCESS,
            Self::Track => track::TRACK,
            Self::Slice => slice::SLICE,
            Self::Instant => fact::INSTANT,
            Self::Counter => fact::COUNTER,
            Self::State => fact::STATE,
            Self::Flow => fact::FLOW,
            Self::Profile => sample::PROFILE,
            Self::Frame => sample::FRAME,
            Self::Sample => sample::SAMPLE,
            Self::Object => object::OBJECT,
            Self::Snapshot => object::SNAPSHOT,
            Self::Metadata => about::METADATA,
            Self::OtherEvent => about::OTHER_EVENT,
            Self::Args => &[],
            Self::Diagnostic => about::DIAGNOSTIC,
        }
    }
}

/// Returns the elements at a range of positions; fewer if the range reaches past the end.
fn part<T>(all: &[T], rows: Range<usize>) -> std::slice::Iter<'_, T> {
    all.get(rows).unwrap_or_default().iter()
}

/// Returns positions as numbers of rows.
fn positions(rows: Range<usize>) -> impl Iterator<Item = i64> {
    rows.map(|row| i64::try_from(row).unwrap_or(i64::MAX))
}

/// Returns an id as a number of a row.
fn number(id: impl DenseId) -> i64 {
    id.number().into()
}

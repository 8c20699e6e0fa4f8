//! The columns of every table: a name, a type, and how a range of rows is made.

pub(crate) mod about;
pub(crate) mod fact;
pub(crate) mod object;
pub(crate) mod sample;
pub(crate) mod slice;
pub(crate) mod track;

use std::{collections::HashMap, sync::Arc};

use arrow_schema::{Schema, SchemaRef};

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
    pub(crate) fn columns(self) -> Vec<Column> {
        match self {
            Self::Trace => about::trace(),
            Self::Process => track::process(),
            Self::Track => track::track(),
            Self::Slice => slice::slice(),
            Self::Instant => fact::instant(),
            Self::Counter => fact::counter(),
            Self::State => fact::state(),
            Self::Flow => fact::flow(),
            Self::Profile => sample::profile(),
            Self::Frame => sample::frame(),
            Self::Sample => sample::sample(),
            Self::Object => object::object(),
            Self::Snapshot => object::snapshot(),
            Self::Metadata => about::metadata(),
            Self::OtherEvent => about::other_event(),
            Self::Args => Vec::new(),
            Self::Diagnostic => about::diagnostic(),
        }
    }
}

//! A trace with its layout, seen as tables.

use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray, types::Int32Type};
use arrow_buffer::{Buffer, OffsetBuffer};
use spall_layout::Layout;
use spall_model::{Key, NameId, Trace, TraceView};

use crate::{Table, TablesError, arg_sets::ArgSets, diagnostic_rows::DiagnosticRow};

/// A trace and its layout as tables.
///
/// The layout gives depth, lane, parent and self time. The names of the trace become one dictionary, which all batches
/// share: no row copies a name.
#[derive(Debug, Clone)]
pub struct Tables<'t> {
    pub(crate) trace: &'t Trace,
    pub(crate) layout: &'t Layout,
    pub(crate) arg_sets: ArgSets<'t>,
    pub(crate) labels: Vec<(String, String)>,
    /// The rows of the table of diagnostics.
    pub(crate) diagnostics: Vec<DiagnosticRow>,
    names: ArrayRef,
}

impl<'t> Tables<'t> {
    /// Returns the tables of a trace, whose layout is `layout`.
    ///
    /// # Errors
    /// Returns [`TablesError::NamesTooLong`] if the names of the trace take more than 2 GiB.
    pub fn new(trace: &'t Trace, layout: &'t Layout) -> Result<Self, TablesError> {
        let diagnostics = DiagnosticRow::all(trace, layout);
        let names = names(trace)?;
        Ok(Self { trace, layout, arg_sets: ArgSets::new(trace), labels: Vec::new(), diagnostics, names })
    }

    /// Returns these tables with a label of the trace, such as `host` or `program`. Labels are in the table
    /// [`Table::Trace`], as the column `labels`. A label that comes twice has the later value.
    #[must_use]
    pub fn with_label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        self.labels.retain(|(other, _)| *other != key);
        self.labels.push((key, value.into()));
        self
    }

    /// Returns the number of rows of a table, or `None` for [`Table::Args`], whose rows are not counted before they
    /// are made.
    #[must_use]
    pub fn n_rows(&self, table: Table) -> Option<usize> {
        match table {
            Table::Args => None,
            Table::Diagnostic => Some(self.diagnostics.len()),
            _ => Some(table.n_items(self.trace)),
        }
    }

    /// Makes an array of names of the trace. The empty name means that there is none, and becomes null.
    pub(crate) fn name_array(&self, names: impl Iterator<Item = NameId>) -> Result<ArrayRef, TablesError> {
        let key = |name: NameId| (!name.is_empty()).then_some(name.0.cast_signed());
        let keys: Int32Array = names.map(key).collect();
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(&self.names))?))
    }

    /// Returns a key as a number, or `None` if it is a text or beyond 64 bits with a sign.
    pub(crate) fn key_number(&self, key: Key) -> Option<i64> {
        match key {
            Key::Number(_) => self.trace.key_text(key).parse().ok(),
            Key::Text(_) => None,
        }
    }
}

/// Makes the dictionary of all names.
fn names(trace: &Trace) -> Result<ArrayRef, TablesError> {
    let names = trace.names();
    let mut offsets = Vec::with_capacity(names.len() + 1);
    let mut text = String::new();
    offsets.push(0_i32);
    for name in names.iter() {
        text.push_str(&String::from_utf8_lossy(name));
        offsets.push(i32::try_from(text.len()).map_err(|_| TablesError::NamesTooLong)?);
    }
    let array =
        StringArray::try_new(OffsetBuffer::new(offsets.into()), Buffer::from_vec(text.into_bytes()), None)?;
    Ok(Arc::new(array))
}

//! Tables that other libraries take through Arrow's C stream interface.

use std::{num::NonZeroUsize, sync::Arc, thread};

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, ffi_stream::FFI_ArrowArrayStream};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::{
    exceptions::{PyKeyError, PyValueError},
    prelude::*,
    types::PyCapsule,
};
use spall_arrow::{Table as Kind, Tables};

use crate::loaded::Loaded;

/// A table, which pandas, polars, DuckDB and pyarrow take through `__arrow_c_stream__`.
#[pyclass(frozen, module = "spall_trace")]
pub struct Table {
    schema: SchemaRef,
    rows: Rows,
}

/// Where the rows of a table are.
enum Rows {
    /// Some columns of a table of a trace. They are made each time that somebody asks.
    OfTrace { trace: Arc<Loaded>, kind: Kind, columns: Vec<usize> },
    /// In a batch that was made of something else.
    Batch(RecordBatch),
}

impl Table {
    /// Returns a table of a trace, with the columns that `is_wanted` chooses.
    pub(crate) fn of_trace(
        trace: Arc<Loaded>,
        kind: Kind,
        is_wanted: impl Fn(&str) -> bool,
    ) -> PyResult<Self> {
        let all = kind.schema();
        let fields = all.fields().iter().enumerate();
        let columns: Vec<usize> =
            fields.filter(|(_, field)| is_wanted(field.name())).map(|(at, _)| at).collect();
        let schema = all.project(&columns).map_err(value_error)?.into();
        Ok(Self { schema, rows: Rows::OfTrace { trace, kind, columns } })
    }

    pub(crate) fn of_batch(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), rows: Rows::Batch(batch) }
    }

    fn batches(&self) -> Result<Vec<RecordBatch>, ArrowError> {
        match &self.rows {
            Rows::Batch(batch) => Ok(vec![batch.clone()]),
            Rows::OfTrace { trace, kind, columns } => {
                let to_arrow = |error| ArrowError::ExternalError(Box::new(error));
                let tables = Tables::new(trace.trace(), trace.layout()).map_err(to_arrow)?;
                let batches = tables.batches(*kind).with_columns(columns).map_err(to_arrow)?;
                on_all_cores(|at, n_threads| {
                    batches.clone().skip(at).step_by(n_threads).map(|batch| batch.map_err(to_arrow)).collect()
                })
            }
        }
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns the table with some of its columns.
    fn select(&self, columns: Vec<String>) -> PyResult<Self> {
        for column in &columns {
            if self.schema.column_with_name(column).is_none() {
                return Err(PyKeyError::new_err(column.clone()));
            }
        }
        let is_wanted = |name: &str| columns.iter().any(|column| column == name);
        match &self.rows {
            Rows::OfTrace { trace, kind, .. } => Self::of_trace(Arc::clone(trace), *kind, is_wanted),
            Rows::Batch(batch) => {
                let at = columns.iter().filter_map(|column| self.schema.index_of(column).ok());
                Ok(Self::of_batch(batch.project(&at.collect::<Vec<_>>()).map_err(value_error)?))
            }
        }
    }

    /// Returns the rows as a stream of Arrow's C interface. The types are those of the table, whatever is asked for.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        let batches = py.detach(|| self.batches()).map_err(value_error)?;
        let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), Arc::clone(&self.schema));
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(reader);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }
}

/// Makes items on a thread for each core. A thread is told its number and how many there are, and makes every so many items
/// from its number on.
fn on_all_cores<T: Send>(
    make: impl Fn(usize, usize) -> Result<Vec<T>, ArrowError> + Sync,
) -> Result<Vec<T>, ArrowError> {
    let n_threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let make = &make;
    let parts = thread::scope(|scope| {
        let threads = (0..n_threads).map(|at| scope.spawn(move || make(at, n_threads))).collect::<Vec<_>>();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let mut parts = parts.into_iter().map(Vec::into_iter).collect::<Vec<_>>();
    let n_items = parts.iter().map(ExactSizeIterator::len).sum();
    Ok((0..n_items).filter_map(|at| parts[at % n_threads].next()).collect())
}

pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

//! The values of samples, such as `cpu/nanoseconds`.

use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array};
use arrow_schema::ArrowError;
use pyo3::{PyErr, exceptions::PyKeyError};
use spall_trace::model::{NameId, Trace, TraceView};

use crate::{
    table::Table,
    tree::{self, ints, texts},
};

/// Returns the values of the samples of a trace, one row for each.
pub(crate) fn table(trace: &Trace) -> Result<Table, ArrowError> {
    let values = trace.sample_values();
    let weights = values.iter().map(|value| value.weight);
    let shown: BooleanArray = values.iter().map(|value| Some(value.counts)).collect();
    tree::table(vec![
        ("name", texts(values.iter().map(|value| trace.name(value.name).into_owned()))),
        ("samples", ints(values.iter().map(|value| value.n_samples as i64))),
        ("weight", Arc::new(Float64Array::from_iter_values(weights))),
        ("shown", Arc::new(shown)),
    ])
}

/// Returns the value that Python names.
pub(crate) fn named(trace: &Trace, name: &str) -> Result<NameId, PyErr> {
    let found = trace.sample_value(name).map(|value| value.name);
    found.map_err(|error| PyKeyError::new_err(error.to_string()))
}

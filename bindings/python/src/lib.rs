//! Profiler traces in Python: the module `spall_trace._native`, to which the package `spall_trace` adds what needs Python
//! alone.

mod load;
mod table;
mod trace;
mod tree;

use pyo3::{exceptions::PyValueError, prelude::*};
use spall_trace::model::Measure;

pyo3::create_exception!(
    spall_trace,
    TraceError,
    PyValueError,
    "A trace cannot be read. `offset` is the byte."
);

/// Returns the measure that Python names.
fn measure(name: &str) -> PyResult<Measure> {
    Measure::of_name(name).ok_or_else(|| {
        let names = Measure::ALL.map(Measure::name).join(", ");
        PyValueError::new_err(format!("{name}: this is no measure. Use one of {names}."))
    })
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::TraceError;
    #[pymodule_export]
    use super::load::{load, load_many};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::trace::Trace;
}

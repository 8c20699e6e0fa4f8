//! Profiler traces in Python: the module `spall_trace._native`, to which the package `spall_trace` adds what needs Python
//! alone.

mod load;
mod loaded;
mod table;
mod trace;
mod tree;
mod values;
mod viewer;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::load::{TraceError, load, load_many};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::trace::Trace;
    #[pymodule_export]
    use super::viewer::{Viewer, widget_script};
}

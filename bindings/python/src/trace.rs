//! A loaded trace.

use std::{borrow::Cow, fs::File, path::PathBuf, sync::Arc};

use pyo3::{
    exceptions::{PyKeyError, PyValueError},
    prelude::*,
};
use spall_arrow::{DataSet, Table as Kind, Tables};
use spall_trace::{
    export::{ExportOptions, StackRoot, Target},
    merge_samples,
    model::{Measure, Trace as Model, TraceView},
};

use crate::{
    loaded::Loaded,
    table::{Table, value_error},
    tree, values,
    viewer::Viewer,
};

/// A trace that was loaded.
#[pyclass(frozen, module = "spall_trace")]
pub struct Trace {
    loaded: Arc<Loaded>,
    /// What the trace was loaded from.
    #[pyo3(get)]
    name: String,
}

impl Trace {
    pub(crate) fn new(trace: Model, name: String) -> Self {
        Self { loaded: Arc::new(Loaded::new(trace)), name }
    }

    fn trace(&self) -> &Model {
        self.loaded.trace()
    }

    /// Returns the sums that Python names.
    fn of(&self, tracks: Option<&str>, measure: &str) -> PyResult<tree::Of> {
        let tracks = tree::tracks(tracks)?.unwrap_or_else(|| self.trace().shown_tracks());
        Ok((tracks, tree::measure(measure)?))
    }
}

#[pymethods]
impl Trace {
    fn __repr__(&self) -> String {
        let trace = self.trace();
        format!("<Trace {}: {} slices on {} tracks>", self.name, trace.slices().len(), trace.tracks().len())
    }

    /// Nanoseconds per tick, or None if ticks are no times.
    #[getter]
    fn ns_per_tick(&self) -> Option<f64> {
        self.trace().clock().ns_per_tick()
    }

    /// The names of all tables.
    #[staticmethod]
    fn table_names() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// The names of all measures.
    #[staticmethod]
    fn measure_names() -> [&'static str; Measure::ALL.len()] {
        Measure::ALL.map(Measure::name)
    }

    /// Returns a table by its name; without the columns of arguments unless `args` is true.
    #[pyo3(signature = (name, *, args=false))]
    fn table(&self, name: &str, args: bool) -> PyResult<Table> {
        let kind = Kind::ALL.iter().find(|kind| kind.name() == name);
        let &kind = kind.ok_or_else(|| PyKeyError::new_err(format!("{name}: there is no such table")))?;
        Table::of_trace(Arc::clone(&self.loaded), kind, |column| {
            args || kind == Kind::Args || !matches!(column, "arg_set_id" | "args" | "args_json")
        })
    }

    /// Returns the values of the samples of the file.
    fn sample_values(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| values::table(&self.loaded.file)).map_err(value_error)
    }

    /// Returns the trace with the samples of one value, or of the one that the file says.
    #[pyo3(signature = (name=None))]
    fn with_value(&self, py: Python<'_>, name: Option<&str>) -> PyResult<Self> {
        let file = &self.loaded.file;
        let value = name.map(|name| values::named(file, name)).transpose()?;
        Ok(Self::new(py.detach(|| file.clone().with_value(value)), self.name.clone()))
    }

    /// Returns the trace with slices for the functions that samples found.
    fn merge_samples(&self, py: Python<'_>) -> Self {
        let merged = py.detach(|| merge_samples(self.trace().clone()));
        Self::new(merged, self.name.clone())
    }

    /// Returns how many slices are left out of sums if nobody chooses tracks.
    fn n_left_out(&self) -> usize {
        self.trace().n_left_out(self.trace().shown_tracks())
    }

    /// Returns the slices and samples of tracks added up by call path.
    #[pyo3(signature = (measure="wall-time", tracks=None))]
    fn call_tree(&self, py: Python<'_>, measure: &str, tracks: Option<&str>) -> PyResult<Table> {
        let of = self.of(tracks, measure)?;
        py.detach(|| tree::nodes(self.trace(), of)).map_err(value_error)
    }

    /// Returns the sums of each function, the largest self time first.
    #[pyo3(signature = (n=20, measure="wall-time", tracks=None))]
    fn top(&self, py: Python<'_>, n: usize, measure: &str, tracks: Option<&str>) -> PyResult<Table> {
        let of = self.of(tracks, measure)?;
        py.detach(|| tree::functions(self.trace(), n, of)).map_err(value_error)
    }

    /// Returns how the functions of this trace differ from those of another one that was recorded before.
    #[pyo3(signature = (before, measure="wall-time", tracks=None))]
    fn diff(&self, py: Python<'_>, before: &Self, measure: &str, tracks: Option<&str>) -> PyResult<Table> {
        let (tracks, measure) = (tree::tracks(tracks)?, tree::measure(measure)?);
        py.detach(|| tree::changes([before.trace(), self.trace()], tracks, measure))
    }

    /// Writes the trace in another format, and returns what the format does not hold.
    #[pyo3(signature = (path, format=None, measure="wall-time", ids=false, tracks=None))]
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        measure: &str,
        ids: bool,
        tracks: Option<&str>,
    ) -> PyResult<String> {
        let by_name = |name| Target::of_name(name).ok_or(name.to_owned());
        let by_end = || Target::of_path(&path).ok_or(path.display().to_string());
        let target = format.map_or_else(by_end, by_name).map_err(|said| {
            let named = |target: &Target| format!("{} ({})", target.name, target.file_end);
            let all = Target::ALL.iter().map(named).collect::<Vec<_>>().join(", ");
            PyValueError::new_err(format!("{said}: this says no format. Use one of {all}."))
        })?;
        let mut options = ExportOptions::default();
        options.title = &self.name;
        options.tracks = tree::tracks(tracks)?;
        options.measure = tree::measure(measure)?;
        options.root = if ids { StackRoot::Ids } else { StackRoot::Name };
        // Some formats have all values of samples.
        let trace = if target.has_values { &self.loaded.file } else { self.trace() };
        let report = py.detach(|| target.write(Cow::Borrowed(trace), &options, &mut File::create(&path)?))?;
        let mut said = report.to_string();
        let n_left_out = if options.tracks.is_none() && target.has_tracks { self.n_left_out() } else { 0 };
        if n_left_out > 0 {
            let separator = if said.is_empty() { "" } else { "; " };
            said += &format!(
                "{separator}{n_left_out} slices on other tracks than threads are left out, unless tracks='all'"
            );
        }
        Ok(said)
    }

    /// Adds the trace to a data set of Parquet files.
    #[pyo3(signature = (folder, name=None))]
    fn to_parquet(&self, py: Python<'_>, folder: PathBuf, name: Option<String>) -> PyResult<()> {
        let name = name.unwrap_or_else(|| DataSet::trace_id(&self.name));
        py.detach(|| {
            let tables = Tables::new(self.trace(), self.loaded.layout())?;
            DataSet::new(folder)?.append(&name, &tables)
        })
        .map_err(value_error)
    }

    /// Returns what answers the pages that show the trace.
    fn viewer(&self, py: Python<'_>) -> Viewer {
        py.detach(|| Viewer::new(self.trace().clone(), &self.name))
    }
}

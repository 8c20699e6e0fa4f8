//! Adds files to a data set, on all cores.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use spall_arrow::{DataSet, Tables};
use spall_trace::{
    Loader,
    layout::{Layout, LayoutOptions},
    model::Trace,
};

/// Adds the files to the data set in the folder `to`. A file that cannot be added is reported, and the others are added.
pub(crate) fn write(files: &[PathBuf], to: &Path) -> Result<(), Box<dyn Error>> {
    let data_set = DataSet::new(to)?;
    let (n_done, n_failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Loader::new().on_all_cores().load_files(files, |file, trace| {
        let path = &files[file];
        let added = trace.map_err(Box::from).and_then(|trace| add(&data_set, path, trace));
        let n_done = n_done.fetch_add(1, Ordering::Relaxed) + 1;
        let said = match added {
            Ok(trace_id) => trace_id,
            Err(error) => {
                n_failed.fetch_add(1, Ordering::Relaxed);
                error.to_string()
            }
        };
        eprintln!("{n_done}/{}: {}: {said}", files.len(), path.display());
    });
    match n_failed.into_inner() {
        0 => Ok(()),
        n => Err(format!("{n} of {} files were not added", files.len()).into()),
    }
}

fn add(data_set: &DataSet, path: &Path, trace: Trace<'_>) -> Result<String, Box<dyn Error>> {
    let trace = spall_trace::merge_samples(trace);
    let layout = Layout::new(&trace, &LayoutOptions::default());
    let trace_id = DataSet::trace_id(path);
    let tables = Tables::new(&trace, &layout)?.with_label("file", path.to_string_lossy());
    data_set.append(&trace_id, &tables)?;
    Ok(trace_id)
}

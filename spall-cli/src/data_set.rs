//! Adds files to a data set, on all cores.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use spall_arrow::{DataSet, Tables};
use spall_trace::{
    Loader,
    layout::{Layout, LayoutOptions},
    model::{Trace, TraceView},
};

use crate::{
    error::{Error, Result},
    input::{inputs, on_disk},
    session::Session,
};

/// Adds the files to the data set in the folder `to`. A file that cannot be added is reported, and the others are added.
pub(crate) fn write(files: &[PathBuf], to: &Path, session: &Session) -> Result<()> {
    let data_set =
        DataSet::new(to).map_err(|error| Error::new(format_args!("{}: {error}.", to.display())))?;
    let files = on_disk(inputs(files)?)?;
    let n_failed = AtomicUsize::new(0);
    let bar = session.counting("adding", files.len() as u64, "{msg} {pos} of {len} {bar:30} {eta}");
    Loader::new().on_all_cores().load_files(&files, |file, trace| {
        let path = &files[file];
        let added = match trace {
            Ok(trace) => add(&data_set, path, trace, session),
            Err(error) => Err(Error::loading(path, &error)),
        };
        bar.inc(1);
        if let Err(Error::Told(sentence)) = added {
            n_failed.fetch_add(1, Ordering::Relaxed);
            session.tell(format_args!("error: {sentence}"));
        }
    });
    session.done();
    let (to, n_files, n_failed) = (to.display(), files.len(), n_failed.into_inner());
    session.tell(format_args!("{to}: added {} of {n_files} traces", n_files - n_failed));
    match n_failed {
        0 => Ok(()),
        n => Err(Error::new(format_args!(
            "{to}: {n} of {n_files} files were not added, for the reasons above."
        ))),
    }
}

fn add(data_set: &DataSet, path: &Path, trace: Trace<'_>, session: &Session) -> Result<()> {
    let (file, trace_id) = (path.display(), DataSet::trace_id(path));
    for count in trace.diagnostics().counts() {
        session.tell(format_args!("{file}: {count}"));
    }
    if data_set.contains(&trace_id) {
        return Err(Error::new(format_args!(
            "{file}: left out, as the data set has a trace {trace_id} already. Rename the file to add it as another one."
        )));
    }
    let trace = spall_trace::merge_samples(trace);
    let layout = Layout::new(&trace, &LayoutOptions::default());
    let tables = Tables::new(&trace, &layout).map(|tables| tables.with_label("file", path.to_string_lossy()));
    let added = tables.and_then(|tables| data_set.append(&trace_id, &tables));
    added.map_err(|error| Error::new(format_args!("{file}: it cannot be added: {error}.")))
}

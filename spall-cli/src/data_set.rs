//! Adds files to a data set, on all cores.

use std::{
    collections::HashMap,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use spall_arrow::{DataSet, Tables, TablesError};
use spall_trace::{
    Loader,
    model::{Trace, TraceView},
};

use crate::{
    error::{Error, Result},
    input::{inputs, on_disk},
    session::{Session, finished, temporary},
};

/// Adds the files to the data set in the folder `to`. A file that cannot be added is reported, and the others are added.
pub(crate) fn write(files: &[PathBuf], to: &Path, session: &Session) -> Result<()> {
    let data_set =
        DataSet::new(to).map_err(|error| Error::new(format_args!("{}: {error}.", to.display())))?;
    let files = on_disk(inputs(files)?)?;
    let n_added = AtomicUsize::new(0);
    let bar = session.counting("adding", files.len() as u64, "{msg} {pos} of {len} {bar:30} {eta}");
    let done = |added: Result<()>| {
        bar.inc(1);
        match added {
            Err(error) => session.say(format_args!("error: {error}")),
            Ok(()) => _ = n_added.fetch_add(1, Ordering::Relaxed),
        }
    };
    let mut new = Vec::new();
    let mut first_of: HashMap<_, &PathBuf> = HashMap::new();
    for path in &files {
        let trace_id = DataSet::trace_id(path);
        if data_set.contains(&trace_id) {
            done(Err(is_there(path, &trace_id)));
        } else if let Some(first) = first_of.get(&trace_id) {
            done(Err(is_second(path, first, &trace_id)));
        } else {
            first_of.insert(trace_id, path);
            new.push(path);
        }
    }
    Loader::new().on_all_cores().load_files(&new, |file, trace| {
        let path = new[file];
        done(match trace {
            Ok(trace) => add(&data_set, path, trace, session),
            Err(error) => Err(Error::loading(path, &error)),
        });
    });
    session.done();
    let (to, n_files, n_added) = (to.display(), files.len(), n_added.into_inner());
    session.tell(format_args!("{to}: added {n_added} of {n_files} traces"));
    match n_files - n_added {
        0 => Ok(()),
        n => Err(Error::new(format_args!(
            "{to}: {n} of {n_files} files were not added, for the reasons above."
        ))),
    }
}

/// Returns the error for a file whose trace the data set has.
fn is_there(path: &Path, trace_id: &str) -> Error {
    let file = path.display();
    Error::new(format_args!(
        "{file}: left out, as the data set has a trace {trace_id} already. Rename the file to add it as another one."
    ))
}

/// Returns the error for a file whose trace has the name of that of a file before it.
fn is_second(path: &Path, first: &Path, trace_id: &str) -> Error {
    let (file, first) = (path.display(), first.display());
    Error::new(format_args!(
        "{file}: left out, as {first} is trace {trace_id} already. Rename the file to add it as another one."
    ))
}

/// Adds a trace. The data set has all of it afterwards, or nothing, whatever happens meanwhile.
fn add(data_set: &DataSet, path: &Path, trace: Trace, session: &Session) -> Result<()> {
    let (file, trace_id) = (path.display(), DataSet::trace_id(path));
    for count in trace.diagnostics().counts() {
        session.tell(format_args!("{file}: {count}"));
    }
    let (trace, layout) = spall_trace::lay_out(trace);
    let add = || {
        let tables = Tables::new(&trace, &layout)?.with_label("file", path.to_string_lossy());
        let new = temporary(|| data_set.begin(&trace_id))?;
        let folder = new.as_ref().to_owned();
        let written = new.write(&tables);
        finished(&folder, || written.and_then(|()| new.publish()))
    };
    add().map_err(|error| match error {
        // Somebody else added a trace of this name meanwhile.
        TablesError::Io(error) if error.kind() == ErrorKind::AlreadyExists => is_there(path, &trace_id),
        error => Error::new(format_args!("{file}: it cannot be added: {error}.")),
    })
}

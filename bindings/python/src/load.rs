//! Loads traces on threads, without the interpreter's lock, so that Python goes on and `Ctrl-C` ends it.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
    pybacked::PyBackedBytes,
};
use spall_trace::{Error, Loader};

use crate::trace::Trace;

pyo3::create_exception!(
    spall_trace,
    TraceError,
    PyValueError,
    "A trace cannot be read. `offset` is the byte."
);

/// Loads a trace from a file, or from its bytes.
#[pyfunction]
pub fn load(py: Python<'_>, source: Source) -> PyResult<Trace> {
    let name = source.name();
    let trace = interruptible(py, move |stop| Loader::new().load_from(source.open(stop)?))?;
    Ok(Trace::new(trace.map_err(|error| exception(py, &name, &error))?, name))
}

/// Loads files on all cores.
#[pyfunction]
pub fn load_many(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<Trace>> {
    let files = paths.clone();
    let loaded = interruptible(py, move |_| {
        let loaded = Mutex::new(Vec::new());
        Loader::new().on_all_cores().load_files(&files, |at, trace| {
            loaded.lock().unwrap_or_else(PoisonError::into_inner).push((at, trace));
        });
        loaded.into_inner().unwrap_or_else(PoisonError::into_inner)
    });
    let mut loaded = loaded?;
    loaded.sort_by_key(|(at, _)| *at);
    let with_name = |(at, trace): (usize, Result<_, Error>)| {
        let name = paths[at].display().to_string();
        Ok(Trace::new(trace.map_err(|error| exception(py, &name, &error))?, name))
    };
    loaded.into_iter().map(with_name).collect()
}

/// What a trace is loaded from.
#[derive(FromPyObject)]
pub enum Source {
    /// The content of a file.
    Bytes(PyBackedBytes),
    /// The path of a file.
    Path(PathBuf),
}

impl Source {
    fn name(&self) -> String {
        match self {
            Self::Bytes(_) => "bytes".into(),
            Self::Path(path) => path.display().to_string(),
        }
    }

    fn open(self, stop: Arc<AtomicBool>) -> io::Result<Stoppable> {
        let source: Box<dyn Read> = match self {
            Self::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Self::Path(path) => Box::new(File::open(path)?),
        };
        Ok(Stoppable { source, stop })
    }
}

/// A source that fails once it is to stop.
struct Stoppable {
    source: Box<dyn Read>,
    stop: Arc<AtomicBool>,
}

impl Read for Stoppable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        self.source.read(buffer)
    }
}

/// Does work on another thread. An exception of a signal handler, such as `KeyboardInterrupt`, is raised at once, and the
/// work is asked to stop.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let (done, result) = mpsc::sync_channel(1);
    let stop = Arc::new(AtomicBool::new(false));
    let stop_work = Arc::clone(&stop);
    thread::spawn(move || _ = done.send(work(stop_work)));
    let result = Mutex::new(result);
    loop {
        let received = py.detach(|| {
            result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(Duration::from_millis(50))
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(TraceError::new_err("the thread that loads ended"));
            }
        }
    }
}

/// Returns the exception of an error: `OSError` if the file cannot be read, and otherwise `TraceError` with the offset.
fn exception(py: Python<'_>, name: &str, error: &Error) -> PyErr {
    let text = format!("{name}: {error}");
    if let Error::Io(error) = error {
        return match error.raw_os_error() {
            Some(code) => PyOSError::new_err((code, error.to_string(), name.to_owned())),
            None => PyOSError::new_err(text),
        };
    }
    let exception = TraceError::new_err(text);
    match exception.value(py).setattr("offset", error.offset()) {
        Ok(()) => exception,
        Err(other) => other,
    }
}

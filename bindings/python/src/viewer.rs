//! The engine of the pages that show a trace in a notebook.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use pyo3::{prelude::*, types::PyBytes};
use spall_trace::model::Trace;
use spall_view::{Engine, Heights, Opened, wire};

/// How often a page is told how far a long question is.
const PERIOD: Duration = Duration::from_millis(100);

/// A trace and the pages that show it, each with an engine of its own.
#[pyclass(frozen)]
pub struct Viewer {
    first: Mutex<Engine>,
    pages: Mutex<HashMap<String, Engine>>,
}

impl Viewer {
    pub(crate) fn new(trace: Trace, name: &str) -> Self {
        let opened = Opened::of(trace, name, "");
        Self { first: Mutex::new(Engine::new(opened, None, Heights::PAGE)), pages: Mutex::default() }
    }
}

#[pymethods]
impl Viewer {
    /// Answers a question of a page, which is bytes: `tell` is called with each message of the answer.
    fn ask(&self, py: Python<'_>, page: String, question: &[u8], tell: &Bound<'_, PyAny>) -> PyResult<()> {
        let send = |message: &[u8]| tell.call1((PyBytes::new(py, message),)).map(drop);
        let on_page = |act: &mut (dyn FnMut(&mut Engine) -> Vec<u8> + Send)| {
            py.detach(|| {
                let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
                let again = || self.first.lock().unwrap_or_else(PoisonError::into_inner).again();
                act(pages.entry(page.clone()).or_insert_with(again))
            })
        };
        let first = on_page(&mut |engine| wire::ask(engine, question));
        if wire::Kind::of(&first) != wire::Kind::Later {
            return send(&first);
        }
        loop {
            let began = Instant::now();
            let message = on_page(&mut |engine| wire::go_on(engine, &first, || began.elapsed() < PERIOD));
            send(&message)?;
            if wire::Kind::of(&message) != wire::Kind::Progress {
                return Ok(());
            }
        }
    }

    /// Forgets a page that is shown no longer.
    fn close(&self, page: &str) {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).remove(page);
    }
}

/// Returns the script of widgets that show traces.
#[pyfunction]
pub fn widget_script() -> String {
    spall_page::widget()
}

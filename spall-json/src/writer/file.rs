//! The writer for files and other `io::Write`.

use std::io;

use spall_model::Event;

use super::{JsonWriter, Written};

/// Writes events as one JSON document to a file. See [`JsonWriter`], which needs no `std`.
///
/// Hand it a [`io::BufWriter`]: it writes many small pieces.
///
/// ```
/// use spall_json::{JsonFileWriter, parse_all};
///
/// let mut file = JsonFileWriter::new(Vec::new());
/// for parsed in parse_all(br#"[{"ph":"B","pid":1,"tid":1,"ts":5}]"#) {
///     file.write_event(&parsed?.event)?;
/// }
/// assert!(file.finish()?.starts_with(b"{\"traceEvents\":["));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonFileWriter<W> {
    writer: JsonWriter<Adapter<W>>,
}

impl<W: io::Write> JsonFileWriter<W> {
    /// Writes to `out`. Nothing is complete before [`finish`](Self::finish).
    pub fn new(out: W) -> Self {
        Self { writer: JsonWriter::new(Adapter { out, error: None }) }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// What `out` returns.
    pub fn write_event(&mut self, event: &Event<'_>) -> io::Result<Written> {
        let written = self.writer.write_event(event);
        written.map_err(|_| self.writer.out.take_error())
    }

    /// Completes the document.
    ///
    /// # Errors
    /// What `out` returns.
    pub fn finish(mut self) -> io::Result<W> {
        if self.writer.complete().is_err() {
            return Err(self.writer.out.take_error());
        }
        let mut out = self.writer.out.out;
        out.flush()?;
        Ok(out)
    }
}

/// Keeps the error that text formatting has no room for.
#[derive(Debug)]
struct Adapter<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W> Adapter<W> {
    fn take_error(&mut self) -> io::Error {
        self.error.take().unwrap_or_else(|| io::Error::other("formatting failed"))
    }
}

impl<W: io::Write> core::fmt::Write for Adapter<W> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            core::fmt::Error
        })
    }
}

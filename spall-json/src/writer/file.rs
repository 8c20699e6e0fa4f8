//! The writer to files and other outputs that implement `io::Write`.

use std::io;

use spall_model::{Event, Written};

use super::JsonWriter;

/// A writer of events as one document of Trace Event JSON, to anything that implements [`io::Write`].
///
/// [`JsonWriter`] describes the document. The output gets many small pieces, so wrap a file in an [`io::BufWriter`].
///
/// ```
/// use spall_json::JsonFileWriter;
/// use spall_model::{Event, Text, Thread, ThreadEvent, Tick};
///
/// let mut file = JsonFileWriter::new(Vec::new());
/// let slice = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::plain(b"f"));
/// let _ = file.write_event(&Event::Begin(slice))?;
/// assert!(file.finish()?.starts_with(b"{\"traceEvents\":["));
/// # Ok::<(), std::io::Error>(())
/// ```
#[doc(alias("chrome trace", "perfetto", "export"))]
#[derive(Debug)]
pub struct JsonFileWriter<W> {
    writer: JsonWriter<IoAdapter<W>>,
}

impl<W: io::Write> JsonFileWriter<W> {
    /// Creates a writer of a new document to `out`. The document is complete after [`finish`](Self::finish).
    pub fn new(out: W) -> Self {
        Self { writer: JsonWriter::new(IoAdapter { out, error: None }) }
    }

    /// Writes an event, as far as the format can hold it, and returns what is missing.
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn write_event(&mut self, event: &Event<'_>) -> io::Result<Written> {
        let written = self.writer.write_event(event);
        written.map_err(|_| self.writer.out.take_error())
    }

    /// Completes the event written last and flushes the output.
    ///
    /// The document still lacks its end: see [`JsonWriter::close_event`].
    ///
    /// ```
    /// use spall_json::JsonFileWriter;
    /// use spall_model::{Event, Text, Thread, ThreadEvent, Tick};
    ///
    /// let mut writer = JsonFileWriter::new(Vec::new());
    /// let slice = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::plain(b"f"));
    /// let _ = writer.write_event(&Event::Begin(slice))?;
    /// writer.flush()?;
    /// let text = std::str::from_utf8(writer.get_mut()).unwrap();
    /// assert!(text.ends_with(r#"{"ph":"B","ts":0,"pid":1,"tid":1,"name":"f"}"#), "{text}");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn flush(&mut self) -> io::Result<()> {
        let closed = self.writer.close_event();
        closed.map_err(|_| self.writer.out.take_error())?;
        self.writer.out.out.flush()
    }

    /// Returns the output. After a [`flush`](Self::flush), what was written to it can be taken away.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.writer.out.out
    }

    /// Completes the document, flushes the output and returns it.
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        if self.writer.complete().is_err() {
            return Err(self.writer.out.take_error());
        }
        let mut out = self.writer.out.out;
        out.flush()?;
        Ok(out)
    }
}

/// Passes text on to an [`io::Write`], and keeps its error, which [`core::fmt::Error`] cannot hold.
#[derive(Debug)]
struct IoAdapter<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W> IoAdapter<W> {
    /// Returns the error that made writing fail.
    fn take_error(&mut self) -> io::Error {
        self.error.take().unwrap_or_else(|| io::Error::other("formatting failed"))
    }
}

impl<W: io::Write> core::fmt::Write for IoAdapter<W> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            core::fmt::Error
        })
    }
}

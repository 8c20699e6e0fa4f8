//! Loads traces from memory: opens the container, chooses the parser and reads all events.

#[cfg(feature = "std")]
use core::num::NonZeroUsize;

use spall_format::container::Decompressed;
use spall_model::{
    ByteRange, Diagnostic, DiagnosticKind, Event, LendingParser, Limits, Parser, Progress, Receiver, Trace,
    TraceBuilder,
};

use crate::{
    Error, Format,
    detect::{Recognised, recognise},
    input::{marked_container, open},
    parser::{Visit, visit},
    system_trace::SystemTrace,
};

/// Loads a trace of any supported format from memory, in any supported container.
///
/// [`TraceView::diagnostics`](spall_model::TraceView::diagnostics) counts the damage that the parser could step over, and
/// everything else that is odd about the file. [`Loader`] has choices.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read. A file that becomes
/// unreadable later gives a trace of the events before that place, with the diagnostic
/// [`DiagnosticKind::ReadingStopped`].
///
/// # Examples
/// ```
/// use spall_trace::model::{SliceId, TraceView};
///
/// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let trace = spall_trace::load(json)?;
/// let work = trace.slice(SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!(work.duration().0, 2500);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[doc(alias("open", "parse", "import"))]
pub fn load(data: &[u8]) -> Result<Trace, Error> {
    Loader::new().load(data)
}

/// Loads traces, with choices.
///
/// | from | with the parser of its format | with a parser of your own |
/// |---|---|---|
/// | memory | [`Loader::load`] | [`Loader::load_with`] |
/// | a file, a pipe | [`Loader::load_from`], [`Loader::load_file`] | [`Loader::load_from_with`] |
/// | many files | [`Loader::load_files`] | |
///
/// [`Loader::read`] adds the events of a file to a builder, and [`Loader::read_events`] only shows them.
///
/// ```
/// use spall_trace::{Format, Loader, model::Limits};
///
/// let mut limits = Limits::default();
/// limits.max_slices = 1;
/// let json = br#"[{"ph":"X","ts":1,"dur":1},{"ph":"X","ts":2,"dur":1}]"#;
/// let trace = Loader::new().with_limits(limits).with_format(Format::TraceEventJson).load(json)?;
/// assert_eq!(trace.slices().len(), 1);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loader {
    pub(crate) limits: Limits,
    pub(crate) format: Option<Format>,
    #[cfg(feature = "std")]
    pub(crate) n_threads: NonZeroUsize,
    /// The bytes of a file that a thread reads at a time. The default is 1 MiB. Beside the trace, there are two more batches
    /// of events than threads, each of which takes up to 8 MiB and the memory of its names; a megabyte of a file usually
    /// makes a batch of 1 to 3 MiB.
    #[cfg(feature = "parallel")]
    pub part_bytes: usize,
    /// The bytes of all files that [`Loader::load_files`] loads at a time. A file that is larger is loaded alone. The default
    /// is 1 GiB.
    ///
    /// A trace takes more memory than its file; see [`Limits`] for how much at most.
    #[cfg(feature = "std")]
    pub max_file_bytes: u64,
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}

impl Loader {
    /// Returns a loader of files of any format on one thread, with default limits.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limits: Limits::default(),
            format: None,
            #[cfg(feature = "std")]
            n_threads: NonZeroUsize::MIN,
            #[cfg(feature = "parallel")]
            part_bytes: 1 << 20,
            #[cfg(feature = "std")]
            max_file_bytes: 1 << 30,
        }
    }

    /// Returns this loader with other limits of each file.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns this loader with a format that the caller knows. Without this, it is that of [`detect`](crate::detect).
    /// Containers are recognised in any case.
    #[must_use]
    pub fn with_format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Returns this loader with a number of threads, that of the caller included. The default is 1.
    ///
    /// [`Loader::load_files`] loads so many files at once. With the feature `parallel`, [`Loader::load`] reads one file of
    /// spall 3 or Trace Event JSON on so many threads, if it is not compressed and has at least eight parts, and puts the
    /// slices of any large trace in order on so many. The trace is the same, with the same numbers of everything, the same
    /// diagnostics and the same errors.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn with_threads(self, n_threads: NonZeroUsize) -> Self {
        Self { n_threads, ..self }
    }

    /// Returns this loader with a thread for each core that the program may use.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn on_all_cores(self) -> Self {
        let n_threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { n_threads, ..self }
    }

    /// Loads a trace from memory, like [`load`].
    ///
    /// # Errors
    /// This returns an error when the format is not known or when nothing of the file can be read, like [`load`].
    pub fn load(&self, data: &[u8]) -> Result<Trace, Error> {
        self.read(data).map(|builder| self.finish(builder))
    }

    /// Loads a trace from memory with a parser of your own, on threads and within limits like any other format.
    ///
    /// A file that is compressed with gzip or zstd is decompressed.
    ///
    /// # Errors
    /// This returns an error when nothing of the file can be read, like [`load`].
    pub fn load_with<P>(&self, parser: P, data: &[u8]) -> Result<Trace, Error>
    where
        P: Parser<Error: Into<Error>> + Send + Sync + 'static,
    {
        let input = open(marked_container(data), data, &self.limits)?;
        Build { loader: self, input }.visit(parser).map(|builder| self.finish(builder))
    }

    /// Reads the events of a trace into a builder, so that the caller can add further events.
    ///
    /// This is the first half of [`Loader::load`]. Call [`TraceBuilder::finish`] for the second half.
    ///
    /// # Errors
    /// This returns an error when the format is not known or when nothing of the file can be read, like [`load`].
    ///
    /// # Examples
    /// ```
    /// use spall_trace::{Loader, model::{Event, Scope, Thread, ThreadEvent, Tick}};
    ///
    /// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
    /// let mut builder = Loader::new().read(json)?;
    /// let mark = ThreadEvent::new(Thread::new(1, 1), Tick(2000), "half done".into());
    /// builder.push(&Event::Instant(mark, Scope::Thread));
    /// let trace = builder.finish();
    /// assert_eq!((trace.slices().len(), trace.instants().len()), (1, 1));
    /// # Ok::<(), spall_trace::Error>(())
    /// ```
    pub fn read(&self, data: &[u8]) -> Result<TraceBuilder, Error> {
        let found = self.recognise(data)?;
        let input = open(found.container, data, &self.limits)?;
        visit(found.format, &self.limits, Build { loader: self, input })
            .map_err(|error| error.or_unknown(data))
    }

    /// Reads the events of a trace, in the order of the file, without building a trace.
    ///
    /// This calls `see` for each event, with the range of bytes that it came from. The texts of an event live until `see`
    /// returns. Damage that the parser stepped over arrives as [`Event::Diagnostic`], and so does an error after the first
    /// event. Functions of native auto traces are named by their addresses.
    ///
    /// # Errors
    /// This returns an error when the format is not known or when nothing of the file can be read, like [`load`].
    ///
    /// # Examples
    /// This converts a file of any format to Trace Event JSON.
    ///
    /// ```
    /// use spall_trace::{Loader, format::spall::{BufferWriter, Header, Version}, json::JsonWriter};
    ///
    /// // A spall file with one slice.
    /// let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
    /// let mut buffer = BufferWriter::new([0; 4096], 1, 1)?;
    /// buffer.begin(1000, "work")?;
    /// buffer.end(3500)?;
    /// file.extend(buffer.take());
    ///
    /// let mut json = JsonWriter::new(String::new());
    /// let mut result = Ok(());
    /// Loader::new().read_events(&file, |event, _| {
    ///     result = result.and_then(|()| json.write_event(event).map(|_| ()));
    /// })?;
    /// result?;
    /// assert!(json.finish()?.contains(r#""name":"work""#));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn read_events(&self, data: &[u8], mut see: impl FnMut(&Event<'_>, ByteRange)) -> Result<(), Error> {
        let found = self.recognise(data)?;
        let input = open(found.container, data, &self.limits)?;
        visit(
            found.format,
            &self.limits,
            Lend { data: &input.stream, to: Seeing { see: &mut see, has_times: false } },
        )
        .map_err(|error| error.or_unknown(data))?;
        if let Some(damage) = input.damage {
            see(&Event::Diagnostic(damage.kind), damage.bytes);
        }
        Ok(())
    }

    /// Recognises the container of a file, and its format if the caller does not know it.
    pub(crate) fn recognise(&self, data: &[u8]) -> Result<Recognised, Error> {
        match self.format {
            Some(format) => Ok(Recognised::known(format, data)),
            None => recognise(data).ok_or_else(|| Error::unknown(data)),
        }
    }

    /// Makes the trace.
    pub(crate) fn finish(&self, builder: TraceBuilder) -> Trace {
        #[cfg(feature = "parallel")]
        return builder.finish_on(self.n_threads);
        #[cfg(not(feature = "parallel"))]
        builder.finish()
    }
}

/// Adds the damage of a file's container, which comes last.
pub(crate) fn ended(mut builder: TraceBuilder, damage: Option<Diagnostic>) -> TraceBuilder {
    if let Some(damage) = damage {
        builder.receive(&Event::Diagnostic(damage.kind), damage.bytes);
    }
    builder
}

/// Reads all events of an opened file into a builder.
struct Build<'l, 'a> {
    loader: &'l Loader,
    input: Decompressed<'a>,
}

impl Visit for Build<'_, '_> {
    type Output = Result<TraceBuilder, Error>;

    fn visit_lending<P>(self, parser: P) -> Self::Output
    where
        P: LendingParser<Error: Into<Error>> + Send + Sync + 'static,
    {
        let mut reading = Reading::new(TraceBuilder::new(&self.loader.limits));
        reading.read_all(parser, &self.input.stream)?;
        Ok(ended(reading.to, self.input.damage))
    }

    fn visit<P>(self, parser: P) -> Self::Output
    where
        P: Parser<Error: Into<Error>> + Send + Sync + 'static,
    {
        let mut order = InOrder::new(parser, &self.input.stream, TraceBuilder::new(&self.loader.limits));
        #[cfg(feature = "parallel")]
        (order = self.loader.read_on_threads(order));
        order.read_to(usize::MAX);
        order.result?;
        Ok(ended(order.reading.to, self.input.damage))
    }
}

/// Reads all events of a file that is in memory. Their texts live until the receiver returns.
struct Lend<'d, R> {
    data: &'d [u8],
    to: R,
}

impl<R: for<'e> Receiver<'e> + Timed> Visit for Lend<'_, R> {
    type Output = Result<(), Error>;

    fn visit_lending<P>(self, parser: P) -> Self::Output
    where
        P: LendingParser<Error: Into<Error>> + Send + Sync + 'static,
    {
        Reading::new(self.to).read_all(parser, self.data)
    }
}

/// The receiver of the events of a file, which takes note of whether there are any that are worth keeping if an error
/// follows.
pub(crate) struct Reading<R> {
    pub(crate) to: R,
    /// Whether there is any that is no begin, end or complete slice.
    pub(crate) has_other: bool,
    pub(crate) system_trace: SystemTrace,
}

impl<'e, R: Receiver<'e>> Receiver<'e> for Reading<R> {
    #[inline(always)]
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.has_other |= match event {
            // The receiver knows whether any of these has come, which most events are.
            Event::Begin(_) | Event::End(_) | Event::Complete(..) => false,
            // Clocks, conventions and facts may stand before any content, and damage is none.
            Event::Clock(_) | Event::Conventions(_) | Event::Diagnostic(_) => false,
            Event::Meta(fact) if self.system_trace.take(fact, bytes) => return,
            Event::Meta(_) => false,
            _ => true,
        };
        self.to.receive(event, bytes);
    }
}

/// A receiver that knows whether it has got an event that has a time.
pub(crate) trait Timed {
    fn has_times(&self) -> bool;
}

impl Timed for TraceBuilder {
    fn has_times(&self) -> bool {
        self.has_times()
    }
}

/// Somebody who sees all events.
struct Seeing<F> {
    see: F,
    has_times: bool,
}

impl<'e, F: FnMut(&Event<'_>, ByteRange)> Receiver<'e> for Seeing<F> {
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.has_times |= event.at().is_some();
        (self.see)(event, bytes);
    }
}

impl<F> Timed for Seeing<F> {
    fn has_times(&self) -> bool {
        self.has_times
    }
}

impl<R> Reading<R> {
    /// Starts to read a file.
    pub(crate) fn new(to: R) -> Self {
        Self { to, has_other: false, system_trace: SystemTrace::default() }
    }

    /// Reads all events of a file that is in memory.
    fn read_all<P>(&mut self, mut parser: P, mut data: &[u8]) -> Result<(), Error>
    where
        P: LendingParser<Error: Into<Error>>,
        R: for<'e> Receiver<'e> + Timed,
    {
        loop {
            match parser.lend(data, true, self) {
                Ok(Progress::Read(consumed)) => data = data.get(consumed..).unwrap_or_default(),
                Ok(Progress::NeedMore(_) | Progress::End) => {
                    self.system_trace.hand_over(&mut self.to);
                    return Ok(());
                }
                Err(error) => return self.stop(error.into()),
            }
        }
    }

    /// Handles the error that ends reading. It is returned if there was no content before it, and becomes a diagnostic
    /// otherwise.
    pub(crate) fn stop(&mut self, error: Error) -> Result<(), Error>
    where
        R: for<'e> Receiver<'e> + Timed,
    {
        self.system_trace.hand_over(&mut self.to);
        if !self.has_other && !self.to.has_times() {
            return Err(error);
        }
        let offset = error.offset();
        self.to.receive(&Event::Diagnostic(DiagnosticKind::ReadingStopped), ByteRange::new(offset, offset));
        Ok(())
    }
}

/// A file in memory that is read in the order of its bytes, with its parser and its builder.
pub(crate) struct InOrder<'d, P> {
    pub(crate) data: &'d [u8],
    /// The number of bytes consumed.
    pub(crate) at: usize,
    pub(crate) parser: P,
    pub(crate) reading: Reading<TraceBuilder>,
    /// The error if nothing of the file can be read.
    result: Result<(), Error>,
    /// Whether reading has ended.
    pub(crate) is_over: bool,
}

impl<'d, P: Parser<Error: Into<Error>>> InOrder<'d, P> {
    fn new(parser: P, data: &'d [u8], builder: TraceBuilder) -> Self {
        Self { data, at: 0, parser, reading: Reading::new(builder), result: Ok(()), is_over: false }
    }

    /// Reads events up to the first that does not end before `end`.
    // Inlined into its callers, the loop has fewer registers: JSON takes 2 % more instructions.
    #[inline(never)]
    pub(crate) fn read_to(&mut self, end: usize) {
        while self.at < end && !self.is_over {
            let rest = self.data.get(self.at..).unwrap_or_default();
            match self.parser.read(rest, true, &mut self.reading) {
                Ok(Progress::Read(consumed)) => self.at += consumed,
                Ok(Progress::NeedMore(_) | Progress::End) => {
                    self.reading.system_trace.hand_over(&mut self.reading.to);
                    self.is_over = true;
                }
                Err(error) => {
                    self.result = self.reading.stop(error.into());
                    self.is_over = true;
                }
            }
        }
    }
}

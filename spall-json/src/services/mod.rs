//! Spans of services: OTLP in JSON, and the files of Jaeger and Zipkin. [otel](crate::rules::otel)

mod any_value;
mod detect;
mod field;
mod jaeger;
mod otlp;
mod walk;
mod zipkin;

use spall_model::{
    ByteRange, DiagnosticKind, LendingParser, Progress, ReadOnce, Receiver,
    services::{Services, report},
};

use crate::error::{JsonError, JsonErrorKind};

pub use self::detect::{ServiceJson, service_json};

/// A parser of spans of services: OTLP in JSON, and the files of Jaeger and Zipkin.
///
/// The parser reads the file when all of it is there, because parents may come behind their children, and the ids of processes
/// depend on all of them. It hands over the spans of all processes, in the order of the file. [`service_json`] recognises the
/// format. A file that is cut has the spans in front of the cut.
///
/// ```
/// use spall_json::{ServiceJson, ServiceJsonParser};
/// use spall_model::{Limits, Receiver, TraceBuilder, LendingParser as _, TraceView};
///
/// let json = br#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
///     "scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c10001",
///     "name":"GET /","startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000000000000050"}]}]}]}"#;
/// let mut builder = TraceBuilder::new(&Limits::default());
/// ServiceJsonParser::new(ServiceJson::Otlp).lend_all(json, |event, bytes| builder.receive(event, bytes))?;
/// let trace = builder.finish();
/// assert_eq!(trace.name(trace.processes()[0].name), "shop");
/// assert_eq!(trace.slices().len(), 1);
/// # Ok::<(), spall_json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ServiceJsonParser {
    format: ServiceJson,
    state: ReadOnce<JsonError>,
}

impl ServiceJsonParser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub const fn new(format: ServiceJson) -> Self {
        Self { format, state: ReadOnce::new() }
    }
}

impl LendingParser for ServiceJsonParser {
    type Error = JsonError;

    /// # Errors
    /// This returns [`JsonErrorKind::NotATrace`] for a file without a span that has a time.
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, JsonError> {
        let Self { format, state } = self;
        state.read(data, eof, || read(*format, data, to))
    }
}

/// Reads a file.
fn read(format: ServiceJson, data: &[u8], to: &mut dyn for<'e> Receiver<'e>) -> Result<(), JsonError> {
    let mut file = File { data, services: Services::new(data.len() as u64), to };
    match format {
        ServiceJson::Otlp => otlp::read(&mut file),
        ServiceJson::Jaeger => jaeger::read(&mut file),
        ServiceJson::Zipkin => zipkin::read(&mut file),
    }
    if file.services.is_empty() {
        return Err(JsonError::new(JsonErrorKind::NotATrace, 0));
    }
    file.services.finish(file.to);
    Ok(())
}

/// A file that is read, what is known of it, and who gets the events.
struct File<'a, 't> {
    data: &'a [u8],
    services: Services,
    to: &'t mut dyn for<'e> Receiver<'e>,
}

impl File<'_, '_> {
    fn report(&mut self, kind: DiagnosticKind, (start, end): (usize, usize)) {
        report(kind, range((start, end)), self.to);
    }
}

/// Returns a range of the file.
fn range((start, end): (usize, usize)) -> ByteRange {
    ByteRange::new(start as u64, end as u64)
}

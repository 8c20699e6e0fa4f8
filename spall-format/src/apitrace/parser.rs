//! The parser that turns calls into events on a clock without time. [apitrace C.5](crate::rules::apitrace#C.5)

use alloc::vec::Vec;

use spall_model::{
    ByteRange, Clock, Conventions, Event, LendingParser, MetaEvent, Progress, Receiver, Text, ThreadRole,
    Unit, Value,
};

use super::reader::{CallReader, Step};
use super::timeline::{FRAMES, PROCESS, Timeline};
use crate::{FormatError, FormatErrorKind};

/// A parser of a decompressed stream, which may arrive in pieces.
///
/// [`decompress`](crate::container::decompress) returns the stream of a file. A slice comes when it ends, so inner
/// slices come before outer ones.
///
/// | in the stream | event |
/// |---|---|
/// | a property | [`Event::Meta`]; `process.name` is also the name of the process, whose id is 0 |
/// | a call | a slice on its thread, with the category `call`, or `fake` if the tracer inserted it; a name over 256 bytes is cut |
/// | a call that never returned | [`Event::Unfinished`] |
/// | a marker group | a slice on its thread from the call that opens it to the one that closes it, with the category `group` |
/// | calls from `glBegin` to `glEnd`, `glNewList` to `glEndList` | the same, with the category `primitives` or `list` |
/// | a mark | an instant on its thread, with the category `mark` |
/// | the end of a frame | an instant on its thread with the category `frame`, and a slice on the track `frames` |
/// | a leave of a call that is not open | the diagnostic [`UnmatchedEnd`](spall_model::DiagnosticKind::UnmatchedEnd) |
/// | an enter where 2¹⁶ calls are open | the diagnostic [`DepthLimit`](spall_model::DiagnosticKind::DepthLimit) |
/// | a call that closes no group | the diagnostic [`UnmatchedEnd`](spall_model::DiagnosticKind::UnmatchedEnd) |
/// | an event that the end of the stream cuts off | the diagnostic [`Truncated`](spall_model::DiagnosticKind::Truncated) |
///
/// A tick is the enter or the leave of a call. The byte range of an event is that of its call in the stream.
///
/// The arguments of a slice are those of its call, from [`Calls::arguments`](super::Calls::arguments).
///
/// # Memory
/// The stream gives a signature once and refers back to it ever after. The parser therefore consumes nothing before the
/// end, and the caller keeps the whole stream. The parser itself keeps positions.
///
/// ```
/// use spall_format::apitrace::Parser;
/// use spall_model::{ByteRange, Event, LendingParser, Progress};
///
/// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\0";
/// let mut calls = Vec::new();
/// let mut each = |event: &Event<'_>, _: ByteRange| {
///     let Event::Complete(call, _) = event else { return };
///     calls.push(format!("{}({})", call.name.decode(), call.args));
/// };
/// let mut parser = Parser::new();
/// // The leave of the call has not been written yet.
/// while let Progress::Read(0) = parser.lend(&stream[..20], false, &mut each)? {}
/// while let Progress::Read(0) = parser.lend(stream, true, &mut each)? {}
/// assert_eq!(calls, ["flush(mode=42)"]);
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Parser {
    state: State,
    timeline: Timeline,
    /// The arguments of the call that was handed over last.
    arguments: Vec<u8>,
}

/// The progress of reading. It holds no reference into the stream, which is passed to each call.
#[derive(Debug, Clone, Default)]
#[allow(clippy::large_enum_variant, reason = "one parser lives as long as a stream is read")]
enum State {
    /// The head of the stream was not read yet.
    #[default]
    Head,
    Calls(CallReader),
    /// The head cannot be read.
    Failed(FormatError),
}

impl Parser {
    /// Creates a parser at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the head of the stream, or the next enter or leave event of any kind.
    fn read_any(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        let reader = match &mut self.state {
            State::Head => return self.read_head(data, eof, to),
            State::Failed(error) => return Err(*error),
            State::Calls(reader) => reader,
        };
        let end = match reader.next(data, eof) {
            Ok(Step::Call(call)) => {
                let signatures = reader.signatures(data);
                let name = call.function(signatures).name;
                let args = call.arguments(signatures, &mut self.arguments);
                let (slice, bytes) = self.timeline.slice(&call, name, args);
                to.receive(&slice, bytes);
                self.timeline.follow(&call, signatures, to);
                return Ok(Progress::Read(0));
            }
            Ok(Step::Enter) => return Ok(Progress::Read(0)),
            Ok(Step::LeftOut(event)) => {
                to.receive(&Event::Diagnostic(event.kind), event.bytes);
                return Ok(Progress::Read(0));
            }
            Ok(Step::NeedMore(more)) => return Ok(Progress::NeedMore(more)),
            Ok(Step::End) => Ok(Progress::End),
            Err(error) => Err(error),
        };
        self.timeline.finish(reader.signatures(data), to);
        if let Some(cut) = reader.truncated.take() {
            to.receive(&Event::Diagnostic(cut.kind), cut.bytes);
        }
        end
    }

    /// Reads the head of the stream, and hands over the events that precede all calls.
    fn read_head(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        let reader = match CallReader::new(data) {
            Ok(reader) => reader,
            Err(error) if !eof && matches!(error.kind(), FormatErrorKind::UnexpectedEof { .. }) => {
                return Ok(Progress::NeedMore(data.len().max(1)));
            }
            Err(error) => {
                self.state = State::Failed(error);
                return Err(error);
            }
        };
        let mut say = |event| to.receive(&event, ByteRange::default());
        say(Event::Clock(Clock::new(Unit::EVENTS)));
        say(Event::Conventions(Conventions::default().with_children_first()));
        say(Event::ThreadRole(FRAMES, ThreadRole::Frames));
        for (name, value) in reader.properties(data) {
            say(Event::Meta(MetaEvent::new(Text::plain(name), Value::Text(Text::plain(value)))));
            if name == b"process.name" {
                say(Event::ProcessName(PROCESS, Text::plain(value)));
            }
        }
        self.state = State::Calls(reader);
        Ok(Progress::Read(0))
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    #[inline]
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        if let State::Calls(reader) = &mut self.state
            && let Some(call) = reader.next_plain(data)
        {
            let signatures = reader.signatures(data);
            let name = call.function(signatures).name;
            let args = call.arguments(signatures, &mut self.arguments);
            let (slice, bytes) = self.timeline.slice(&call, name, args);
            to.receive(&slice, bytes);
            if signatures.role(call.function_id).is_some() {
                self.timeline.follow(&call, signatures, to);
            }
            return Ok(Progress::Read(0));
        }
        self.read_any(data, eof, to)
    }
}

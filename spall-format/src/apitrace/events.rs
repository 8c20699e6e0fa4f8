//! The parser that turns calls into events on an ordinal clock. [apitrace C.5](crate::rules::apitrace#C.5)

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use spall_model::{
    Args, ByteRange, Chunk, Clock, Conventions, Diagnostic, DiagnosticKind, Event, Id, LendingParser, Limits,
    MetaEvent, Parsed, Scope, Text, Thread, ThreadEvent, ThreadRole, Tick, Unit, Value,
};

use super::call::{Call, PlainCall};
use super::calls::{CallReader, read_property};
use super::marker::{Group, Marker, MarkerText, Markers};
use super::record;
use super::role::GroupKind;
use super::signature::Signatures;
use crate::cursor::Cursor;
use crate::{FormatError, FormatErrorKind};

/// The id of the only process of a recording.
const PROCESS: Id<'static> = Id::Number(0);
/// The track of the frames. It is a thread of its own because frames and marker groups need not nest.
const FRAMES: Thread<'static> = Thread { pid: PROCESS, tid: Id::Text(b"frames") };

/// The length at which the name of a function is cut, in bytes. The file gives a name once and each call repeats it, so
/// long names would cost a trace builder far more than they cost the file.
const MAX_NAME: usize = 256;

/// The unit of time of a recording, which has no times of its own. [apitrace C.5](crate::rules::apitrace#C.5)
///
/// The unit decides what the widths in a flame graph mean. They are numbers of calls, or sizes of arguments, which show
/// uploads.
///
/// ```
/// use spall_format::apitrace::{TickUnit, parse_all};
/// use spall_model::Event;
///
/// // The call takes 9 bytes for its enter, from byte 1 on, and 3 bytes for its leave.
/// let stream = b"\x05\0\0\x07\x05flush\0\0\x01\0\0";
/// let last = parse_all(stream).with_tick_unit(TickUnit::Bytes).last().unwrap()?;
/// let Event::Complete(flush, duration) = last.event else { panic!() };
/// assert_eq!((flush.at.0, duration.0), (1, 14));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TickUnit {
    /// A tick is the enter or the leave of a call.
    #[default]
    Calls,
    /// A tick is a byte of the decompressed stream.
    Bytes,
}

impl TickUnit {
    /// Returns the tick at which the call was entered.
    fn entered(self, call: &Call) -> u64 {
        match self {
            Self::Calls => call.entered,
            Self::Bytes => call.enter.start,
        }
    }

    /// Returns the tick at which the call returned, or `None` if it never did.
    fn left(self, call: &Call) -> Option<u64> {
        match self {
            Self::Calls => call.left,
            Self::Bytes => call.leave.map(|leave| leave.end),
        }
    }

    /// Returns the tick at which the group began.
    fn begin(self, group: &Group) -> u64 {
        match self {
            Self::Calls => group.begin,
            Self::Bytes => group.begin_byte,
        }
    }
}

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
/// | a leave of a call that is not open | the diagnostic [`UnmatchedEnd`](DiagnosticKind::UnmatchedEnd) |
/// | an enter where too many calls are open | the diagnostic [`OpenCallLimit`](DiagnosticKind::OpenCallLimit) |
/// | a call that closes no group | the diagnostic [`UnmatchedGroup`](DiagnosticKind::UnmatchedGroup) |
/// | an event that the end of the stream cuts off | the diagnostic [`Truncated`](DiagnosticKind::Truncated) |
///
/// A tick is the enter or the leave of a call, unless [`Parser::with_tick_unit`] chooses another unit. The byte range
/// of an event is that of its call in the stream.
///
/// The arguments of a call and the value that it returned are the arguments of its slice, as one text, which is that of
/// [`Call::display_arguments`]. The text is printed when somebody asks for it: until then the arguments are a record,
/// which has the names that the call refers to. A call may use long names that the file gives only once, so records
/// could be far larger than the file. If a record is longer than 32 bytes plus 4 times the bytes of the call, the text
/// takes its place, cut at that length.
///
/// # Memory
/// The stream gives a signature once and refers back to it ever after. The parser therefore consumes nothing before the
/// end, and the caller keeps the whole stream. The parser itself keeps positions.
///
/// ```
/// use spall_format::apitrace::Parser;
/// use spall_model::{Chunk, Event, LendingParser};
///
/// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\0";
/// let mut parser = Parser::new();
/// // The second half of the call has not been written yet.
/// while let Chunk::Parsed(_) = parser.next_chunk(&stream[..20], false)? {}
/// let Chunk::Parsed(parsed) = parser.next_chunk(stream, true)? else { panic!() };
/// let Event::Complete(flush, _) = parsed.event else { panic!() };
/// assert!(flush.name.is(b"flush"));
/// assert_eq!(flush.args.to_string(), "(mode = 42)");
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Parser {
    reader: EventReader,
    /// The arguments of the call returned last.
    arguments: Vec<u8>,
}

impl Parser {
    /// Creates a parser at the start of a stream, whose ticks are [`TickUnit::Calls`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a parser at the start of a stream, with the given unit of time.
    #[must_use]
    pub fn with_tick_unit(tick_unit: TickUnit) -> Self {
        Self { reader: EventReader { tick_unit, ..EventReader::default() }, arguments: Vec::new() }
    }

    /// Sets the limits, of which only [`Limits::max_open_calls`] counts here. Call this before the first event.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.reader.max_open_calls = Some(limits.max_open_calls);
        self
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    // Inlined into the loop over events: otherwise each event, which is large, would be copied.
    #[inline]
    fn next_chunk<'a>(&'a mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        let Some(PlainCall { call, details, n_arguments }) = self.reader.plain_call(data) else {
            return self.next_other(data, eof);
        };
        let Self { reader, arguments } = self;
        let Some(signatures) = reader.signatures(data) else { return Ok(Chunk::End) };
        let function = signatures.function(call.function_id).unwrap_or_default();
        let limit = record::limit(&call);
        let details = details.map(|part| data.get(part).unwrap_or_default());
        let is_plain = u64::from(n_arguments) <= function.args.len();
        let args = if is_plain && record::copy(function.args, details, limit, arguments) {
            record::args(arguments)
        } else {
            record::arguments(call.details, function.args, signatures, limit, arguments)
        };
        Ok(Chunk::Parsed(reader.call_slice(&call, function.name, args)))
    }
}

impl Parser {
    /// Returns the next event that is not a plain call.
    #[inline(never)]
    fn next_other<'a>(&'a mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        let Self { reader, arguments } = self;
        let call = match reader.next(data, eof)? {
            Next::Call(call) => call,
            Next::Other(parsed) => return Ok(Chunk::Parsed(parsed)),
            Next::NeedMore(more) => return Ok(Chunk::NeedMore(more)),
            Next::End => return Ok(Chunk::End),
        };
        let Some(signatures) = reader.signatures(data) else { return Ok(Chunk::End) };
        let function = call.function(signatures);
        let args =
            record::arguments(call.details, function.args, signatures, record::limit(&call), arguments);
        Ok(Chunk::Parsed(reader.call_slice(&call, function.name, args)))
    }
}

/// An iterator over the events of a decompressed stream in memory, without the arguments of calls. [`parse_all`]
/// returns it.
///
/// The events are those of [`Parser`]. They borrow from the stream, which has no text for the arguments of a call.
#[derive(Debug, Clone)]
pub struct Events<'a> {
    stream: &'a [u8],
    reader: EventReader,
    is_done: bool,
}

/// Returns an iterator over the events of a decompressed stream in memory, without the arguments of calls.
///
/// Use [`Parser`] for events with arguments.
///
/// ```
/// use spall_format::apitrace;
/// use spall_model::{Event, Tick, Ticks};
///
/// let stream = b"\x05\0\0\x07\x05flush\0\0\x01\0\0";
/// let last = apitrace::parse_all(stream).last().unwrap()?;
/// let Event::Complete(slice, duration) = last.event else { panic!() };
/// assert!(slice.name.is(b"flush"));
/// assert_eq!((slice.at, duration), (Tick(0), Ticks(1)));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[must_use]
pub fn parse_all(stream: &[u8]) -> Events<'_> {
    Events { stream, reader: EventReader::default(), is_done: false }
}

impl Events<'_> {
    /// Sets the unit of time. Call this before the first event.
    #[must_use]
    pub fn with_tick_unit(mut self, tick_unit: TickUnit) -> Self {
        self.reader.tick_unit = tick_unit;
        self
    }
}

impl<'a> Events<'a> {
    fn call_slice(&self, call: &Call) -> Parsed<'a> {
        let name = self.reader.function_name(call, self.stream);
        self.reader.call_slice(call, name, Args::NONE)
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Parsed<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        if let Some(plain) = self.reader.plain_call(self.stream) {
            return Some(Ok(self.call_slice(&plain.call)));
        }
        match self.reader.next(self.stream, true) {
            Ok(Next::Call(call)) => return Some(Ok(self.call_slice(&call))),
            Ok(Next::Other(parsed)) => return Some(Ok(parsed)),
            Ok(Next::NeedMore(_) | Next::End) => self.is_done = true,
            Err(error) => {
                self.is_done = true;
                return Some(Err(error));
            }
        }
        None
    }
}

impl core::iter::FusedIterator for Events<'_> {}

/// The state of reading events. It holds no reference into the stream, which is passed to each call.
#[derive(Debug, Clone, Default)]
struct EventReader {
    tick_unit: TickUnit,
    /// The reader of calls, or `None` before the head of the stream was read.
    calls: Option<CallReader>,
    markers: Markers,
    /// The events to return before the next call is read. A call has at most two behind its slice.
    pending: VecDeque<Pending>,
    /// The position of the next property in the stream.
    next_property: usize,
    /// The greatest number of open calls, or `None` for the default.
    max_open_calls: Option<u32>,
    /// The number of events left out by `calls` that were reported.
    n_reported: usize,
    /// The call, error or end that follows those events. `None` if the next call was not read yet.
    after_left_out: Option<Option<Result<Call, FormatError>>>,
    /// The tick at which the current frame began.
    frame_start: u64,
    /// The result at the end of the stream, or `None` before the end.
    end: Option<Result<(), FormatError>>,
}

/// An event to return next, without references into the stream.
#[derive(Debug, Clone, Copy)]
struct Pending {
    bytes: ByteRange,
    content: Content,
}

#[derive(Debug, Clone, Copy)]
enum Content {
    Clock,
    Conventions,
    FrameTrack,
    /// The name of the process, with its position in the stream.
    ProcessName(usize),
    /// A group, with the tick at which it ended, or `None` if it never did.
    Group(Group, Option<u64>),
    /// A mark. The call has its text.
    Mark(Call),
    /// The instant of a call that ends a frame, with its tick.
    FrameEnd(Call, u64),
    /// The slice of a frame, with the ticks of its start and end.
    Frame(u64, u64),
    Diagnostic(DiagnosticKind),
}

/// The result of a step of the reader.
#[allow(clippy::large_enum_variant, reason = "nearly all are events, and none is stored")]
enum Next<'a> {
    /// A call, whose event is its slice.
    Call(Call),
    /// Another event.
    Other(Parsed<'a>),
    NeedMore(usize),
    End,
}

impl EventReader {
    /// Returns the next call if nothing comes before it and if it is a plain one, as nearly all calls.
    // Inlined, because a call is large: each time it is moved costs as much as reading it.
    #[inline(always)]
    fn plain_call(&mut self, stream: &[u8]) -> Option<PlainCall> {
        let calls = self.calls.as_mut()?;
        let is_next = self.pending.is_empty()
            && self.next_property >= calls.properties.end
            && self.n_reported >= calls.left_out.len()
            && self.after_left_out.is_none()
            && self.end.is_none();
        let plain = if is_next { calls.next_plain(stream)? } else { return None };
        if calls.signatures(stream).role(plain.call.function_id).is_some() {
            // A copy: if a reference to the call itself left this function, it would have to be put together in memory.
            let call = plain.call;
            self.push_markers(&call, stream);
        }
        Some(plain)
    }

    /// Returns the next event: a queued one, or else the next property, or else the slice of the next call behind the
    /// diagnostics about events that were left out before it.
    fn next<'a>(&mut self, stream: &'a [u8], eof: bool) -> Result<Next<'a>, FormatError> {
        loop {
            if let Some(pending) = self.pending.pop_front() {
                return Ok(other(self.event(&pending.content, stream), pending.bytes));
            }
            if let Some(end) = self.end {
                return end.map(|()| Next::End);
            }
            let Some(calls) = &mut self.calls else {
                if let Some(needed) = self.read_head(stream, eof) {
                    return Ok(Next::NeedMore(needed));
                }
                continue;
            };
            if self.next_property < calls.properties.end {
                let properties = stream.get(..calls.properties.end).unwrap_or_default();
                return Ok(other(self.property(properties), ByteRange::default()));
            }
            if let Some(&Diagnostic { kind, bytes, .. }) = calls.left_out.get(self.n_reported) {
                self.n_reported += 1;
                return Ok(other(Event::Diagnostic(kind), bytes));
            }
            let next = match self.after_left_out.take() {
                Some(next) => next,
                None => {
                    let next = calls.next(stream, eof);
                    self.n_reported = 0;
                    if !calls.left_out.is_empty() {
                        self.after_left_out = (!calls.is_paused).then_some(next);
                        continue;
                    }
                    next
                }
            };
            match next {
                Some(Ok(call)) => {
                    if calls.signatures(stream).role(call.function_id).is_some() {
                        self.push_markers(&call, stream);
                    }
                    return Ok(Next::Call(call));
                }
                Some(Err(error)) => self.finish(Err(error)),
                None if eof => self.finish(Ok(())),
                // The incomplete event is read from its start again. Asking for as many bytes as there are of it keeps
                // the total work linear in its size.
                None => return Ok(Next::NeedMore(calls.n_unread(stream).max(1))),
            }
        }
    }

    /// Reads the head of the stream. Returns how many bytes it needs if it is incomplete.
    fn read_head(&mut self, stream: &[u8], eof: bool) -> Option<usize> {
        match CallReader::new(stream) {
            Ok(mut calls) => {
                if let Some(max_open) = self.max_open_calls {
                    calls.set_max_open(max_open);
                }
                self.next_property = calls.properties.start;
                self.calls = Some(calls);
                self.push(Content::Clock, ByteRange::default());
                self.push(Content::Conventions, ByteRange::default());
                self.push(Content::FrameTrack, ByteRange::default());
            }
            Err(error) if !eof && matches!(error.kind(), FormatErrorKind::UnexpectedEof { .. }) => {
                return Some(stream.len().max(1));
            }
            Err(error) => self.end = Some(Err(error)),
        }
        None
    }

    fn push(&mut self, content: Content, bytes: ByteRange) {
        self.pending.push_back(Pending { bytes, content });
    }

    /// Reads the next property of the head.
    fn property<'a>(&mut self, properties: &'a [u8]) -> Event<'a> {
        let mut input = Cursor::new(properties, self.next_property);
        // The head was read before, so there is a property.
        let (name, value) = read_property(&mut input).unwrap_or_default();
        self.next_property = input.pos();
        if name == b"process.name" {
            self.push(Content::ProcessName(input.pos() - value.len()), ByteRange::default());
        }
        Event::Meta(MetaEvent::new(Text::plain(name), Value::Text(Text::plain(value))))
    }

    /// Queues the events of a call that follow its slice.
    #[cold]
    fn push_markers(&mut self, call: &Call, stream: &[u8]) {
        let (Some(left), Some(calls)) = (self.tick_unit.left(call), &self.calls) else { return };
        let bytes = bytes_of(call);
        match self.markers.observe(call, calls.signatures(stream)) {
            Some(Marker::Group { group, .. }) => self.push(Content::Group(group, Some(left)), bytes),
            Some(Marker::UnmatchedPop(_)) => {
                self.push(Content::Diagnostic(DiagnosticKind::UnmatchedGroup), bytes);
            }
            Some(Marker::Mark(_)) => self.push(Content::Mark(*call), bytes),
            Some(Marker::FrameEnd) => {
                self.push(Content::FrameEnd(*call, left), bytes);
                self.push(Content::Frame(self.frame_start, left), bytes);
                self.frame_start = left;
            }
            None => {}
        }
    }

    /// Queues the events that are only known at the end. The error, if there is one, comes after them.
    fn finish(&mut self, end: Result<(), FormatError>) {
        self.end = Some(end);
        let unclosed = self.markers.unclosed();
        let bytes = ByteRange::default();
        self.pending.extend(unclosed.map(|&group| Pending { bytes, content: Content::Group(group, None) }));
        if let Some(cut) = self.calls.as_ref().and_then(|calls| calls.truncated) {
            self.push(Content::Diagnostic(cut.kind), cut.bytes);
        }
    }

    /// Returns the signatures met so far, or `None` before the head of the stream was read.
    #[inline]
    fn signatures<'s, 'a>(&'s self, stream: &'a [u8]) -> Option<Signatures<'s, 'a>> {
        self.calls.as_ref().map(|calls| calls.signatures(stream))
    }

    fn function_name<'a>(&self, call: &Call, stream: &'a [u8]) -> &'a [u8] {
        self.signatures(stream).and_then(|known| known.function_name(call.function_id)).unwrap_or_default()
    }

    /// Makes the slice of a call.
    #[inline(always)]
    fn call_slice<'a>(&self, call: &Call, name: &'a [u8], args: Args<'a>) -> Parsed<'a> {
        let category = if call.is_fake { &b"fake"[..] } else { b"call" };
        let name = name.get(..MAX_NAME).unwrap_or(name);
        let slice = on_thread(call.thread, self.tick_unit.entered(call), name, category);
        let slice = ThreadEvent { args, ..slice };
        let event = match self.tick_unit.left(call) {
            Some(left) => complete(slice, left),
            None => Event::Unfinished(slice),
        };
        Parsed { consumed: 0, event, bytes: bytes_of(call) }
    }

    /// Makes an event, with its texts from the stream.
    fn event<'a>(&self, content: &Content, stream: &'a [u8]) -> Event<'a> {
        match content {
            Content::Clock => Event::Clock(Clock::new(Unit::Ordinal)),
            Content::Conventions => Event::Conventions(Conventions::default().with_children_first()),
            Content::FrameTrack => Event::ThreadRole(FRAMES, ThreadRole::Frames),
            Content::ProcessName(at) => {
                let end = self.next_property;
                Event::ProcessName(PROCESS, Text::plain(stream.get(*at..end).unwrap_or_default()))
            }
            Content::Group(group, end) => {
                let category = match group.kind {
                    GroupKind::Marker => &b"group"[..],
                    GroupKind::Primitives => b"primitives",
                    GroupKind::List => b"list",
                };
                let text = self.calls.as_ref().map(|calls| group.text(calls.signatures(stream)));
                let text = plain_text(text.unwrap_or_default());
                let slice = on_thread(group.thread, self.tick_unit.begin(group), text, category);
                match end {
                    Some(end) => complete(slice, *end),
                    None => Event::Unfinished(slice),
                }
            }
            Content::Mark(call) => {
                let text = self.calls.as_ref().and_then(|calls| call.mark_text(calls.signatures(stream)));
                let text = plain_text(text.unwrap_or_default());
                let mark = on_thread(call.thread, self.tick_unit.entered(call), text, b"mark");
                Event::Instant(mark, Scope::Thread)
            }
            Content::FrameEnd(call, left) => Event::Instant(
                on_thread(call.thread, *left, self.function_name(call, stream), b"frame"),
                Scope::Thread,
            ),
            Content::Frame(start, end) => {
                let frame = ThreadEvent::new(FRAMES, tick(*start), Text::plain(b"frame"));
                complete(ThreadEvent { category: Text::plain(b"frame"), ..frame }, *end)
            }
            Content::Diagnostic(kind) => Event::Diagnostic(*kind),
        }
    }
}

/// Returns the bytes of the stream from the enter of a call to its leave.
#[inline(always)]
fn bytes_of(call: &Call) -> ByteRange {
    ByteRange::new(call.enter.start, call.leave.unwrap_or(call.enter).end)
}

/// Returns an event that is not the slice of a call.
fn other(event: Event<'_>, bytes: ByteRange) -> Next<'_> {
    Next::Other(Parsed { consumed: 0, event, bytes })
}

fn tick(ordinal: u64) -> Tick {
    Tick(i64::try_from(ordinal).unwrap_or(i64::MAX))
}

#[inline(always)]
fn on_thread<'a>(thread: u64, at: u64, name: &'a [u8], category: &'a [u8]) -> ThreadEvent<'a> {
    // The number is a small one, or in the first versions an address: the top bit does not matter.
    let thread = Thread::new(PROCESS, thread.cast_signed());
    ThreadEvent { category: Text::plain(category), ..ThreadEvent::new(thread, tick(at), Text::plain(name)) }
}

#[inline(always)]
fn complete(slice: ThreadEvent<'_>, end: u64) -> Event<'_> {
    Event::Complete(slice, tick(end) - slice.at)
}

fn plain_text<'a>(text: MarkerText<'a>) -> &'a [u8] {
    match text {
        MarkerText::Plain(text) => text,
        MarkerText::Wide(text) => text.ascii_prefix(),
    }
}

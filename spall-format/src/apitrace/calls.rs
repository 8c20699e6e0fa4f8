//! The reader of calls from the stream. [apitrace C.2](crate::rules::apitrace#C.2), [C.4](crate::rules::apitrace#C.4)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{ByteRange, Diagnostic, DiagnosticKind, Limits};

use super::call::{Call, DetailPlaces, PlainCall};
use super::detail::{Detail, read_detail};
use super::fast_scan::{FastScan, short_uint};
use super::input::ReadFailure;
use super::open_calls::{OpenCall, OpenCalls};
use super::signature::{
    Collecting, SignatureAccess, SignatureKind, SignatureTable, Signatures, skip_signature,
};
use crate::cursor::Cursor;
use crate::{FormatError, FormatErrorKind};

/// The tag of an event that enters a call.
const ENTER: u8 = 0;
/// The tag of an event that leaves a call.
const LEAVE: u8 = 1;

/// The newest version of the encoding that is known.
const NEWEST: u64 = 6;

/// An iterator over the calls of a decompressed stream, in the order in which they returned.
///
/// Calls that never returned come last, in the order in which they were entered.
///
/// The stream defines each signature once, where it is first used. The iterator keeps the positions of signatures and
/// the calls that are open, and nothing else.
///
/// ```
/// use spall_format::apitrace::Calls;
///
/// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\x02\x04\x01\0";
/// let mut calls = Calls::new(stream)?;
/// let call = calls.next().unwrap()?;
/// assert_eq!(call.function(calls.signatures()).name, b"flush");
/// assert_eq!(call.display(calls.signatures()).to_string(), "0 @0 flush(mode = 42) = 1");
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Calls<'a> {
    stream: &'a [u8],
    reader: CallReader,
}

impl<'a> Calls<'a> {
    /// Creates an iterator over the calls of `stream`, and reads the head of the stream.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::UnsupportedVersion`] for versions above 6. It returns
    /// [`FormatErrorKind::UnexpectedEof`] if the stream ends inside its head, and [`FormatErrorKind::NumberTooLong`]
    /// if the head is damaged.
    pub fn new(stream: &'a [u8]) -> Result<Self, FormatError> {
        Ok(Self { stream, reader: CallReader::new(stream)? })
    }

    /// Sets the limits, of which only [`Limits::max_open_calls`] counts here. Call this before the first call is read.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.reader.set_max_open(limits.max_open_calls);
        self
    }

    /// Returns the version of the encoding, which is at most 6.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.reader.signatures.version
    }

    /// Returns the version that says what the calls mean to a replay. Before version 6 it is the same as
    /// [`Calls::version`].
    #[must_use]
    pub fn semantic_version(&self) -> u64 {
        self.reader.semantic_version
    }

    /// Returns an iterator over the properties of the traced program, as pairs of a name, such as `process.name`, and a
    /// value.
    ///
    /// They come in the order of the file. If a name occurs twice, the last value counts. Before version 6 there are
    /// none.
    pub fn properties(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut input = Cursor::new(self.stream.get(self.reader.properties.clone()).unwrap_or_default(), 0);
        core::iter::from_fn(move || read_property(&mut input))
    }

    /// Returns the signatures that were met so far. They include those that the calls returned so far refer to.
    #[must_use]
    pub fn signatures(&self) -> Signatures<'_, 'a> {
        self.reader.signatures(self.stream)
    }

    /// Returns the number of enter and leave events that were read so far.
    #[must_use]
    pub fn n_events(&self) -> u64 {
        self.reader.n_events
    }

    /// Returns a diagnostic about the event that the end of the stream cuts off. Returns `None` before the end was
    /// reached, and if the stream ends between two events.
    #[must_use]
    pub fn truncated(&self) -> Option<Diagnostic> {
        self.reader.truncated
    }

    /// Returns diagnostics about the enter and leave events that the last call of `next` left out, at most the first
    /// 1024 of them.
    ///
    /// A leave event is left out if no call with its number is open ([`DiagnosticKind::UnmatchedEnd`]), and an enter
    /// event if too many calls are open ([`DiagnosticKind::OpenCallLimit`]).
    #[must_use]
    pub fn left_out(&self) -> &[Diagnostic] {
        &self.reader.left_out
    }
}

impl Iterator for Calls<'_> {
    type Item = Result<Call, FormatError>;

    /// Returns the next call.
    ///
    /// Invalid bytes end the stream, because nothing behind them can be found. The open calls then come as calls that
    /// never returned, and the error comes last.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = self.reader.next(self.stream, true);
            if next.is_some() || !self.reader.is_paused {
                return next;
            }
        }
    }
}

impl core::iter::FusedIterator for Calls<'_> {}

/// Reads the name and the value of a property, or returns `None` at the end.
pub(super) fn read_property<'a>(input: &mut Cursor<'a>) -> Option<(&'a [u8], &'a [u8])> {
    Some((input.text().ok()?, input.text().ok()?))
}

/// The state of reading a stream, which is passed to each call.
///
/// It holds positions and no references, so that the stream may be longer, or at another address, the next time. Each
/// call must get the stream from its first byte on.
#[derive(Debug, Clone)]
pub(super) struct CallReader {
    /// The position at which the next event begins. `usize::MAX` keeps the fast path from reading at the end of the
    /// stream and at an incomplete event.
    pos: usize,
    /// The position of an event of which only a part has arrived.
    incomplete: Option<usize>,
    semantic_version: u64,
    /// The position of the properties, up to the empty name that ends them.
    pub(super) properties: Range<usize>,
    signatures: SignatureTable,
    n_enters: u64,
    n_events: u64,
    open: OpenCalls,
    /// The greatest number of open calls.
    max_open: u32,
    /// The events that the last call of `next` left out.
    pub(super) left_out: Vec<Diagnostic>,
    /// Whether the last step stopped without a call because `left_out` was full.
    pub(super) is_paused: bool,
    end: StreamEnd,
    pub(super) truncated: Option<Diagnostic>,
}

/// The progress of reading with respect to the end of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamEnd {
    /// More events may follow.
    NotReached,
    /// The open calls are being returned, then the error if there is one.
    Reached(Option<FormatError>),
}

impl CallReader {
    /// Reads the head of the stream. [`FormatErrorKind::UnexpectedEof`] means that the head needs more bytes.
    pub(super) fn new(stream: &[u8]) -> Result<Self, FormatError> {
        let mut input = Cursor::new(stream, 0);
        let head = |input: &mut Cursor<'_>| {
            let version = known_version(input.uint()?, NEWEST)?;
            if version < 6 {
                return Ok((version, version, 0..0));
            }
            let semantic_version = known_version(input.uint()?, version)?;
            let start = input.pos();
            loop {
                let end = input.pos();
                if input.text()?.is_empty() {
                    return Ok((version, semantic_version, start..end));
                }
                input.text()?;
            }
        };
        let (version, semantic_version, properties) = head(&mut input).map_err(|failure| match failure {
            ReadFailure::Eof => error(FormatErrorKind::UnexpectedEof { needed: 1 }, stream.len()),
            ReadFailure::Invalid(kind) => error(kind, input.pos()),
        })?;
        Ok(Self {
            pos: input.pos(),
            incomplete: None,
            semantic_version,
            properties,
            signatures: SignatureTable::new(version),
            n_enters: 0,
            n_events: 0,
            open: OpenCalls::default(),
            max_open: Limits::default().max_open_calls,
            left_out: Vec::new(),
            is_paused: false,
            end: StreamEnd::NotReached,
            truncated: None,
        })
    }

    pub(super) fn signatures<'s, 'a>(&'s self, stream: &'a [u8]) -> Signatures<'s, 'a> {
        Signatures { table: &self.signatures, stream }
    }

    /// Returns how many bytes at the end of `stream` belong to an incomplete event, or 0 if the stream ends between
    /// two.
    pub(super) fn n_unread(&self, stream: &[u8]) -> usize {
        self.incomplete.map_or(0, |start| stream.len().saturating_sub(start))
    }

    /// Sets the greatest number of open calls.
    pub(super) fn set_max_open(&mut self, max_open: u32) {
        self.max_open = max_open;
    }

    /// Reads the next call.
    ///
    /// Returns `None` at the end, or if more bytes are needed without `eof`. If the reader `is_paused`, `None` only
    /// means that the caller should look at `left_out` and ask again.
    #[inline(always)]
    pub(super) fn next(&mut self, stream: &[u8], eof: bool) -> Option<Result<Call, FormatError>> {
        self.left_out.clear();
        self.is_paused = false;
        match self.next_plain(stream) {
            Some(plain) => Some(Ok(plain.call)),
            None => {
                let mut next = None;
                self.next_general(stream, eof, &mut next);
                next
            }
        }
    }

    /// Reads the next call if nothing comes between its enter and its leave, and neither defines a signature. Nearly
    /// all calls are like that.
    // Inlined as a whole: the caller then only pays for the fields that it looks at.
    #[inline(always)]
    pub(super) fn next_plain(&mut self, stream: &[u8]) -> Option<PlainCall> {
        let number = self.n_enters;
        let scan = FastScan { stream, signatures: &self.signatures };
        let &[ENTER, thread, a, b, c, d, ..] = scan.ahead(self.pos)? else { return None };
        let (thread, function_id, enter_details) = if self.signatures.version >= 4 && thread < 0x80 {
            let (function_id, length) = short_uint([a, b, c, d])?;
            (u64::from(thread), function_id, self.pos + 2 + length)
        } else {
            let has_thread = self.signatures.version >= 4;
            let (thread, pos) = if has_thread { scan.uint(self.pos + 1)? } else { (0, self.pos + 1) };
            let (function_id, details) = scan.uint(pos)?;
            (thread, function_id, details)
        };
        if !self.signatures.knows_function(function_id) {
            return None;
        }
        let enter = scan.skip_details(enter_details)?;
        let middle = enter.end;
        let &[LEAVE, a, b, c, d, ..] = scan.ahead(middle)? else { return None };
        let (leaving, length) = short_uint([a, b, c, d])?;
        let leave_details = middle + 1 + length;
        if leaving != number {
            return None;
        }
        let leave = scan.skip_details(leave_details)?;
        let end = leave.end;
        let (start, entered) = (self.pos, self.n_events);
        self.pos = end;
        self.n_enters += 1;
        self.n_events += 2;
        let call = Call {
            number,
            thread,
            function_id,
            is_fake: (enter.flags | leave.flags) & 1 != 0,
            entered,
            left: Some(entered + 1),
            enter: byte_range(start, middle),
            leave: Some(byte_range(middle, end)),
            details: DetailPlaces { enter: enter_details, leave: leave_details },
        };
        let details = [enter_details..middle - 1, leave_details..end - 1];
        Some(PlainCall { call, n_arguments: enter.n_arguments.max(leave.n_arguments), details })
    }

    /// Reads the next call of any kind.
    // The result goes through a reference: returned by value it would be copied once more on the way to the caller.
    #[inline(never)]
    fn next_general(&mut self, stream: &[u8], eof: bool, next: &mut Option<Result<Call, FormatError>>) {
        if let Some(start) = self.incomplete.take() {
            self.pos = start;
        }
        while self.end == StreamEnd::NotReached {
            // A stream may have nothing but events to leave out. The list of them must not grow with it.
            if self.left_out.len() >= MAX_LEFT_OUT {
                self.is_paused = true;
                return;
            }
            if self.pos >= stream.len() {
                if !eof {
                    return;
                }
                self.end = StreamEnd::Reached(None);
                break;
            }
            let mut input = Cursor::new(stream, self.pos);
            match self.read_event(&mut input, stream) {
                Ok(call) => {
                    self.pos = input.pos();
                    if let Some(call) = call {
                        *next = Some(Ok(call));
                        return;
                    }
                }
                // The event is read again from its start when there is more of it. Signatures that it defines were
                // taken in already. This path steps over them, while the fast path would take a known function to
                // have its signature elsewhere.
                Err(ReadFailure::Eof) if !eof => {
                    self.incomplete = Some(self.pos);
                    self.pos = usize::MAX;
                    return;
                }
                Err(failure) => self.stop(failure, input.pos(), stream),
            }
        }
        let unfinished =
            self.open.pop_first().and_then(|(number, open)| self.open_call(number, &open, stream));
        *next = match unfinished {
            Some(call) => Some(Ok(call)),
            None => match core::mem::replace(&mut self.end, StreamEnd::Reached(None)) {
                StreamEnd::Reached(Some(error)) => Some(Err(error)),
                _ => None,
            },
        };
    }

    /// Reads one event. Returns a call if the event is the leave of an open call.
    fn read_event(&mut self, input: &mut Cursor<'_>, stream: &[u8]) -> Result<Option<Call>, ReadFailure> {
        let start = input.pos();
        match input.u8()? {
            ENTER => self.read_enter(input, start),
            LEAVE => self.read_leave(input, start, stream),
            tag => Err(ReadFailure::Invalid(FormatErrorKind::UnknownEvent { tag })),
        }
    }

    /// Reads an enter event. It opens a call, which is returned when it is left.
    fn read_enter(&mut self, input: &mut Cursor<'_>, start: usize) -> Result<Option<Call>, ReadFailure> {
        let (_, function_id) = self.read_thread_and_function(input)?;
        let mut access = Collecting(&mut self.signatures);
        skip_signature(SignatureKind::Function, function_id, input, &mut access)?;
        let details = input.pos();
        let is_fake = skip_details(input, &mut access)? & 1 != 0;
        let open = OpenCall { start, details, end: input.pos(), entered: self.n_events, is_fake };
        if self.open.len() < self.max_open as usize {
            self.open.push(self.n_enters, open);
        } else {
            self.left_out
                .push(Diagnostic::new(DiagnosticKind::OpenCallLimit, byte_range(start, input.pos())));
        }
        self.n_enters += 1;
        self.n_events += 1;
        Ok(None)
    }

    /// Reads the thread and the function's id of an enter event.
    fn read_thread_and_function(&self, input: &mut Cursor<'_>) -> Result<(u64, u64), ReadFailure> {
        let thread = if self.signatures.version >= 4 { input.uint()? } else { 0 };
        Ok((thread, input.uint()?))
    }

    /// Reads a leave event. One whose call is unknown, or has returned already, is dropped. [apitrace
    /// C.4](crate::rules::apitrace#C.4)
    fn read_leave(
        &mut self,
        input: &mut Cursor<'_>,
        start: usize,
        stream: &[u8],
    ) -> Result<Option<Call>, ReadFailure> {
        let number = input.uint()?;
        let details = input.pos();
        let flags = skip_details(input, &mut Collecting(&mut self.signatures))?;
        let ordinal = self.n_events;
        self.n_events += 1;
        let open = self.open.remove(number);
        let Some((open, mut call)) =
            open.and_then(|open| Some((open, self.open_call(number, &open, stream)?)))
        else {
            self.left_out.push(Diagnostic::new(DiagnosticKind::UnmatchedEnd, byte_range(start, input.pos())));
            return Ok(None);
        };
        call.is_fake |= flags & 1 != 0;
        call.left = Some(ordinal);
        call.leave = Some(byte_range(start, input.pos()));
        call.details = DetailPlaces { enter: open.details, leave: details };
        Ok(Some(call))
    }

    /// Makes an open call from its enter event. The event was read before, so this does not fail.
    fn open_call(&self, number: u64, open: &OpenCall, stream: &[u8]) -> Option<Call> {
        let mut input = Cursor::new(stream, open.start + 1);
        let (thread, function_id) = self.read_thread_and_function(&mut input).ok()?;
        Some(Call {
            number,
            thread,
            function_id,
            is_fake: open.is_fake,
            entered: open.entered,
            left: None,
            enter: byte_range(open.start, open.end),
            leave: None,
            details: DetailPlaces { enter: open.details, leave: open.details },
        })
    }

    /// Ends reading at a byte.
    #[cold]
    fn stop(&mut self, failure: ReadFailure, at: usize, stream: &[u8]) {
        let error = match failure {
            ReadFailure::Eof => {
                let bytes = byte_range(self.pos, stream.len());
                self.truncated = Some(Diagnostic::new(DiagnosticKind::Truncated, bytes));
                None
            }
            ReadFailure::Invalid(kind) => Some(error(kind, at)),
        };
        self.end = StreamEnd::Reached(error);
        // The fast path must not find a call behind the failure either.
        self.pos = usize::MAX;
    }
}

/// The number of events that are left out before the reader pauses.
const MAX_LEFT_OUT: usize = 1024;

/// Steps over the details of an event and returns its flags. Of several details with flags, each bit counts.
fn skip_details(input: &mut Cursor<'_>, access: &mut impl SignatureAccess) -> Result<u64, ReadFailure> {
    let mut flags = 0;
    while let Some(detail) = read_detail(input, access)? {
        if let Detail::Flags(value) = detail {
            flags |= value;
        }
    }
    Ok(flags)
}

fn known_version(version: u64, newest: u64) -> Result<u64, ReadFailure> {
    if version <= newest {
        return Ok(version);
    }
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    Err(ReadFailure::Invalid(FormatErrorKind::UnsupportedVersion { version }))
}

fn byte_range(start: usize, end: usize) -> ByteRange {
    ByteRange::new(offset(start), offset(end))
}

fn offset(pos: usize) -> u64 {
    u64::try_from(pos).unwrap_or(u64::MAX)
}

fn error(kind: FormatErrorKind, at: usize) -> FormatError {
    FormatError::new(kind, offset(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;
    use spall_synth::apitrace::{Detail as EventDetail, Stream, Value, game};

    /// Returns a stream of plain calls and others, with values of every kind and size.
    fn calls_of_all_kinds(version: u64) -> Vec<u8> {
        let one = || vec![(String::from("ONE"), 1)];
        let values = || {
            let integers = (0..64).map(|bits| Value::Integer(1 << bits));
            let others = [
                Value::Null,
                Value::Bool(true),
                Value::Integer(-1),
                Value::Float(0.0),
                Value::Double(0.0),
                Value::Text(vec![b't'; 200]),
                Value::Blob(Vec::new()),
                Value::Enum(1, one(), 1),
                Value::Bitmask(2, vec![(String::from("BIT"), 1)], 300),
                Value::Array((0..9).map(Value::Integer).collect()),
                Value::Struct(3, String::from("S"), vec![(String::from("x"), Value::Null)]),
                Value::Pointer(u64::MAX),
                Value::Repr(alloc::boxed::Box::new([Value::Null, Value::Float(1.5)])),
                Value::Wide(vec![200, 1 << 20]),
            ];
            integers.chain(others)
        };
        let mut stream = Stream::new(version, &[]);
        let mut number = 0;
        for index in [0, 1, 127, 128, 1 << 20] {
            for value in values() {
                let details = [
                    EventDetail::Argument(0, Value::Float(-1.0)),
                    EventDetail::Argument(index, value.clone()),
                ];
                stream.enter(index, (index, "f", &["a"]), &details);
                stream.leave(number, &[EventDetail::Return(value), EventDetail::Flags(index)]);
                number += 1;
            }
        }
        stream.bytes().to_vec()
    }

    /// Calls, and leave events without a call.
    type ReadCalls = (Vec<Result<Call, FormatError>>, Vec<Diagnostic>);

    /// Reads everything, by the general path alone or with the fast path for plain calls.
    fn read(stream: &[u8], plain: bool) -> ReadCalls {
        let (mut found, mut unmatched) = (Vec::new(), Vec::new());
        let Ok(mut calls) = Calls::new(stream) else { return (found, unmatched) };
        loop {
            let next = if plain {
                calls.next()
            } else {
                let mut next = None;
                calls.reader.left_out.clear();
                calls.reader.next_general(stream, true, &mut next);
                next
            };
            unmatched.extend_from_slice(calls.left_out());
            match next {
                Some(next) => found.push(next),
                None => return (found, unmatched),
            }
        }
    }

    #[test]
    fn c4_plain_calls_are_read_as_any_others() {
        for version in [0, 3, 4, 6] {
            let stream = calls_of_all_kinds(version);
            let (calls, _) = read(&stream, true);
            assert_eq!(calls.len(), 5 * 78);
            assert!(calls.iter().all(Result::is_ok));
            assert!(read(&stream, true) == read(&stream, false), "version {version}");
        }
    }

    #[test]
    fn c4_plain_calls_are_read_as_any_others_in_cut_and_faulty_streams() {
        let stream = game(30);
        for length in 0..stream.len() {
            let cut = &stream[..length];
            assert!(read(cut, true) == read(cut, false), "{length} bytes");
            let mut faulty = stream.clone();
            for flip in [0x01, 0x04, 0x80] {
                faulty[length] ^= flip;
                assert!(read(&faulty, true) == read(&faulty, false), "byte {length} ^ {flip}");
            }
        }
    }
}

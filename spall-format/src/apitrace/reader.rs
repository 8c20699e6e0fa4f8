//! The reader of a stream, which finds calls. [apitrace C.2](crate::rules::apitrace#C.2),
//! [C.4](crate::rules::apitrace#C.4)

use core::ops::Range;

use spall_model::{ByteRange, Diagnostic, DiagnosticKind};

use super::call::{Call, DetailPlaces};
use super::detail::{Detail, read_detail};
use super::fast_scan::{FastScan, NOT_PLAIN, short_uint};
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

/// The greatest number of calls that may be open at once, over all threads. Further calls are left out.
const MAX_OPEN_CALLS: usize = 1 << 16;

/// What the next bytes of a stream are.
#[derive(Debug)]
pub(super) enum Step {
    /// A call that returned or, at the end of the stream, one that never did.
    Call(Call),
    /// An enter event. Its call is open now.
    Enter,
    /// An enter event where too many calls are open, or a leave event of a call that is not open.
    LeftOut(Diagnostic),
    /// An event of which this many bytes are missing.
    NeedMore(usize),
    /// The end of the stream. All open calls were returned before.
    End,
}

/// The state of reading a stream, which is passed to each call.
///
/// It holds positions and no references, so that the stream may be longer, or at another address, the next time. Each
/// call must get the stream from its first byte on.
#[derive(Debug, Clone)]
pub(super) struct CallReader {
    /// The position at which the next event begins, or `usize::MAX` if none follows.
    pos: usize,
    /// The position of the properties, up to the empty name that ends them.
    properties: Range<usize>,
    pub(super) table: SignatureTable,
    n_enters: u64,
    pub(super) n_events: u64,
    open: OpenCalls,
    /// The way in which reading the events ended, or `None` if more may follow.
    end: Option<Result<(), FormatError>>,
    /// The event that the end of the stream cuts off.
    pub(super) truncated: Option<Diagnostic>,
}

impl CallReader {
    /// Reads the head of the stream. [`FormatErrorKind::UnexpectedEof`] means that the head needs more bytes.
    pub(super) fn new(stream: &[u8]) -> Result<Self, FormatError> {
        let mut input = Cursor::new(stream, 0);
        let head = |input: &mut Cursor<'_>| {
            let version = known_version(input.uint()?, NEWEST)?;
            if version < 6 {
                return Ok((version, 0..0));
            }
            // The version of what the calls mean to a replay, which is not looked at any further.
            known_version(input.uint()?, version)?;
            let start = input.pos();
            loop {
                let end = input.pos();
                if input.text()?.is_empty() {
                    return Ok((version, start..end));
                }
                input.text()?;
            }
        };
        let (version, properties) = head(&mut input).map_err(|failure| match failure {
            ReadFailure::Eof => error(FormatErrorKind::UnexpectedEof { needed: 1 }, stream.len()),
            ReadFailure::Invalid(kind) => error(kind, input.pos()),
        })?;
        Ok(Self {
            pos: input.pos(),
            properties,
            table: SignatureTable::new(version),
            n_enters: 0,
            n_events: 0,
            open: OpenCalls::default(),
            end: None,
            truncated: None,
        })
    }

    pub(super) fn signatures<'s, 'a>(&'s self, stream: &'a [u8]) -> Signatures<'s, 'a> {
        Signatures { table: &self.table, stream }
    }

    /// Returns an iterator over the properties in the head of the stream, as pairs of a name and a value.
    pub(super) fn properties<'a>(
        &self,
        stream: &'a [u8],
    ) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut input = Cursor::new(stream.get(self.properties.clone()).unwrap_or_default(), 0);
        core::iter::from_fn(move || Some((input.text().ok()?, input.text().ok()?)))
    }

    /// Reads the next call if nothing comes between its enter and its leave, and neither defines a signature. Nearly
    /// all calls are like that.
    // Inlined as a whole: the caller then only pays for the fields that it looks at. As a call it takes 31 % more
    // instructions of "apitrace to calls".
    #[inline(always)]
    pub(super) fn next_plain(&mut self, stream: &[u8]) -> Option<Call> {
        let number = self.n_enters;
        let scan = FastScan { stream, signatures: &self.table };
        let &[ENTER, thread, a, b, c, d, ..] = scan.ahead(self.pos)? else { return None };
        let (thread, function_id, enter_details) = if self.table.version >= 4 && thread < 0x80 {
            let (function_id, length) = short_uint([a, b, c, d])?;
            (u64::from(thread), function_id, self.pos + 2 + length)
        } else {
            let has_thread = self.table.version >= 4;
            let (thread, pos) = if has_thread { scan.uint(self.pos + 1)? } else { (0, self.pos + 1) };
            let (function_id, details) = scan.uint(pos)?;
            (thread, function_id, details)
        };
        // If the signature stands here, the details are behind it.
        if self.table.function_place(function_id)? == enter_details {
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
        Some(Call {
            number,
            thread,
            function_id,
            is_fake: (enter.flags | leave.flags) & 1 != 0,
            entered,
            left: Some(entered + 1),
            enter: byte_range(start, middle),
            leave: Some(byte_range(middle, end)),
            details: DetailPlaces { enter: enter_details, leave: leave_details },
            n_plain: enter.n_plain.max(leave.n_plain),
        })
    }

    /// Reads the next event of any kind. At the end of the stream, returns the calls that are open.
    ///
    /// # Errors
    /// This returns an error if the bytes are no event, because nothing behind them can be found. The open calls come
    /// first.
    pub(super) fn next(&mut self, stream: &[u8], eof: bool) -> Result<Step, FormatError> {
        let end = match self.end {
            Some(end) => end,
            None => {
                let mut input = Cursor::new(stream, self.pos);
                match self.read_event(&mut input, stream) {
                    Ok(step) => {
                        self.pos = input.pos();
                        return Ok(step);
                    }
                    // The event is read again from its start when there is more of it. Asking for as many bytes as
                    // there are of it keeps the total work linear in its size.
                    Err(ReadFailure::Eof) if !eof => {
                        return Ok(Step::NeedMore(stream.len().saturating_sub(self.pos).max(1)));
                    }
                    Err(failure) => self.stop(failure, input.pos(), stream),
                }
            }
        };
        let unfinished =
            self.open.pop_first().and_then(|(number, open)| self.open_call(number, &open, stream));
        match unfinished {
            Some(call) => Ok(Step::Call(call)),
            None => end.map(|()| Step::End),
        }
    }

    /// Reads one event. Signatures that it defines are kept even if its end is missing. They are stepped over when it
    /// is read again.
    fn read_event(&mut self, input: &mut Cursor<'_>, stream: &[u8]) -> Result<Step, ReadFailure> {
        let start = input.pos();
        match input.u8()? {
            ENTER => self.read_enter(input, start),
            LEAVE => self.read_leave(input, start, stream),
            tag => Err(ReadFailure::Invalid(FormatErrorKind::UnknownEvent { tag })),
        }
    }

    /// Reads an enter event. It opens a call, which is returned when it is left.
    fn read_enter(&mut self, input: &mut Cursor<'_>, start: usize) -> Result<Step, ReadFailure> {
        let (_, function_id) = self.read_thread_and_function(input)?;
        let mut access = Collecting(&mut self.table);
        skip_signature(SignatureKind::Function, function_id, input, &mut access)?;
        let details = input.pos();
        let is_fake = skip_details(input, &mut access)? & 1 != 0;
        let open = OpenCall { start, details, end: input.pos(), entered: self.n_events, is_fake };
        let has_room = self.open.len() < MAX_OPEN_CALLS;
        if has_room {
            self.open.push(self.n_enters, open);
        }
        self.n_enters += 1;
        self.n_events += 1;
        let bytes = byte_range(start, input.pos());
        Ok(match has_room {
            true => Step::Enter,
            false => Step::LeftOut(Diagnostic::new(DiagnosticKind::DepthLimit, bytes)),
        })
    }

    /// Reads the thread and the function's id of an enter event.
    fn read_thread_and_function(&self, input: &mut Cursor<'_>) -> Result<(u64, u64), ReadFailure> {
        let thread = if self.table.version >= 4 { input.uint()? } else { 0 };
        Ok((thread, input.uint()?))
    }

    /// Reads a leave event. One whose call is unknown, or has returned already, is left out. [apitrace
    /// C.4](crate::rules::apitrace#C.4)
    fn read_leave(
        &mut self,
        input: &mut Cursor<'_>,
        start: usize,
        stream: &[u8],
    ) -> Result<Step, ReadFailure> {
        let number = input.uint()?;
        let details = input.pos();
        let flags = skip_details(input, &mut Collecting(&mut self.table))?;
        let ordinal = self.n_events;
        self.n_events += 1;
        let bytes = byte_range(start, input.pos());
        let open = self.open.remove(number);
        let Some((open, mut call)) =
            open.and_then(|open| Some((open, self.open_call(number, &open, stream)?)))
        else {
            return Ok(Step::LeftOut(Diagnostic::new(DiagnosticKind::UnmatchedEnd, bytes)));
        };
        call.is_fake |= flags & 1 != 0;
        call.left = Some(ordinal);
        call.leave = Some(bytes);
        call.details = DetailPlaces { enter: open.details, leave: details };
        Ok(Step::Call(call))
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
            n_plain: NOT_PLAIN,
        })
    }

    /// Ends reading at a byte, and returns the way in which it ended.
    fn stop(&mut self, failure: ReadFailure, at: usize, stream: &[u8]) -> Result<(), FormatError> {
        let end = match failure {
            ReadFailure::Eof => Ok(()),
            ReadFailure::Invalid(kind) => Err(error(kind, at)),
        };
        if end.is_ok() && self.pos < stream.len() {
            let bytes = byte_range(self.pos, stream.len());
            self.truncated = Some(Diagnostic::new(DiagnosticKind::Truncated, bytes));
        }
        self.end = Some(end);
        self.pos = usize::MAX;
        end
    }
}

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
    ByteRange::new(start as u64, end as u64)
}

fn error(kind: FormatErrorKind, at: usize) -> FormatError {
    FormatError::new(kind, at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use alloc::{format, vec};
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

    /// Everything that is read, by the general path alone or with the fast path for plain calls.
    fn read(stream: &[u8], plain: bool) -> Vec<String> {
        let mut found = Vec::new();
        let Ok(mut reader) = CallReader::new(stream) else { return found };
        loop {
            let step = match plain.then(|| reader.next_plain(stream)).flatten() {
                // Only the fast path knows what is plain.
                Some(call) => Ok(Step::Call(Call { n_plain: NOT_PLAIN, ..call })),
                None => reader.next(stream, true),
            };
            if !matches!(step, Ok(Step::Enter)) {
                found.push(format!("{step:?}"));
            }
            if matches!(step, Ok(Step::End) | Err(_)) {
                return found;
            }
        }
    }

    #[test]
    fn c4_plain_calls_are_read_as_any_others() {
        for version in [0, 3, 4, 6] {
            let stream = calls_of_all_kinds(version);
            let steps = read(&stream, true);
            assert_eq!(steps.iter().filter(|step| step.starts_with("Ok(Call")).count(), 5 * 78);
            assert_eq!((steps.len(), &steps[5 * 78][..]), (5 * 78 + 1, "Ok(End)"));
            assert!(steps == read(&stream, false), "version {version}");
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

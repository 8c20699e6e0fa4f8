//! Reads the stream call by call. \[apitrace C.2, C.4\]

use alloc::vec::Vec;

use spall_model::{ByteRange, Diagnostic, DiagnosticKind};

use super::call::{Call, Detail, detail};
use super::input::Stop;
use super::open::{Open, OpenCalls};
use super::plain::Plain;
use super::signature::{Access, Collect, Signatures, meet_function};
use crate::cursor::Cursor;
use crate::{FormatError, FormatErrorKind};

/// The event that enters a call.
const ENTER: u8 = 0;
/// The event that leaves one.
const LEAVE: u8 = 1;

/// The newest version of the stream that is known.
const NEWEST: u64 = 6;

/// Reads the calls of a decompressed stream, in the order in which they returned; those that never did come last, in
/// the order in which they were entered.
///
/// Signatures are said once in the stream, where they are first used; they are collected on the way. Beside them only
/// the calls that are open are kept.
///
/// ```
/// use spall_format::apitrace::Calls;
/// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\x02\x04\x01\0";
/// let mut calls = Calls::new(stream)?;
/// let call = calls.next().unwrap()?;
/// assert_eq!(call.function.name, b"flush");
/// assert_eq!(call.display(calls.signatures()).to_string(), "0 @0 flush(mode = 42) = 1");
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Calls<'a> {
    stream: &'a [u8],
    pos: usize,
    version: u64,
    semantic_version: u64,
    properties: Vec<(&'a [u8], &'a [u8])>,
    signatures: Signatures<'a>,
    n_enters: u64,
    n_events: u64,
    open: OpenCalls,
    /// Leaves without a call, met while the call handed out last was looked for.
    unmatched: Vec<ByteRange>,
    end: End,
    diagnostic: Option<Diagnostic>,
}

/// How reading ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    NotYet,
    /// Calls that never returned are handed out, then the error if there is one.
    Reached(Option<FormatError>),
}

impl<'a> Calls<'a> {
    /// Reads the head of the stream.
    ///
    /// # Errors
    /// [`FormatErrorKind::UnsupportedVersion`] for versions above 6, [`FormatErrorKind::UnexpectedEof`] and
    /// [`FormatErrorKind::NumberTooLong`] inside the head.
    pub fn new(stream: &'a [u8]) -> Result<Self, FormatError> {
        let mut input = Cursor::new(stream, 0);
        let head = |input: &mut Cursor<'a>| {
            let version = known_version(input.uint()?, NEWEST)?;
            if version < 6 {
                return Ok((version, version, Vec::new()));
            }
            let semantic_version = known_version(input.uint()?, version)?;
            let mut properties = Vec::new();
            loop {
                let name = input.text()?;
                if name.is_empty() {
                    return Ok((version, semantic_version, properties));
                }
                properties.push((name, input.text()?));
            }
        };
        let (version, semantic_version, properties) = head(&mut input).map_err(|stop| match stop {
            Stop::Eof => error(FormatErrorKind::UnexpectedEof { needed: 1 }, stream.len()),
            Stop::Bad(kind) => error(kind, input.pos()),
        })?;
        Ok(Self {
            stream,
            pos: input.pos(),
            version,
            semantic_version,
            properties,
            signatures: Signatures::default(),
            n_enters: 0,
            n_events: 0,
            open: OpenCalls::default(),
            unmatched: Vec::new(),
            end: End::NotYet,
            diagnostic: None,
        })
    }

    /// The version of the encoding.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The version of what the calls mean; the same as [`Calls::version`] before version 6.
    #[must_use]
    pub fn semantic_version(&self) -> u64 {
        self.semantic_version
    }

    /// What the file says of the traced program, such as `process.name`, in the order of the file. Of properties
    /// that are said twice the last one counts.
    #[must_use]
    pub fn properties(&self) -> &[(&'a [u8], &'a [u8])] {
        &self.properties
    }

    /// The signatures met so far; all that the calls handed out so far refer to are there.
    #[must_use]
    pub fn signatures(&self) -> &Signatures<'a> {
        &self.signatures
    }

    /// How many enters and leaves were read.
    #[must_use]
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// The event that the end of the stream cut off, once the end was reached.
    #[must_use]
    pub fn truncated(&self) -> Option<Diagnostic> {
        self.diagnostic
    }

    /// Leaves that were dropped while the call handed out last was looked for, or the end: no call of their number
    /// was open. Their bytes in the stream.
    #[must_use]
    pub fn unmatched_leaves(&self) -> &[ByteRange] {
        &self.unmatched
    }

    /// The call that comes next, if nothing comes between its enter and its leave and neither says a signature: nearly
    /// always.
    // Inlined whole, as its caller then only pays for what it looks at.
    #[inline(always)]
    fn plain(&mut self) -> Option<Call<'a>> {
        let (number, version) = (self.n_enters, self.version);
        let plain = Plain { stream: self.stream, signatures: &self.signatures, version };
        let &[ENTER, ..] = plain.ahead(self.pos)? else { return None };
        let (thread, pos) = if version >= 4 { plain.uint(self.pos + 1)? } else { (0, self.pos + 1) };
        let (id, enter_details) = plain.uint(pos)?;
        let function = *self.signatures.function(id)?;
        let (enter_flags, middle) = plain.details(enter_details)?;
        let &[LEAVE, ..] = plain.ahead(middle)? else { return None };
        let (leaving, leave_details) = plain.uint(middle + 1)?;
        if leaving != number {
            return None;
        }
        let (leave_flags, end) = plain.details(leave_details)?;
        let (start, entered) = (self.pos, self.n_events);
        self.pos = end;
        self.n_enters += 1;
        self.n_events += 2;
        Some(Call {
            number,
            thread,
            function,
            is_fake: (enter_flags | leave_flags) & 1 != 0,
            entered,
            left: Some(entered + 1),
            enter: (offset(start), offset(middle)),
            leave: Some((offset(middle), offset(end))),
            stream: self.stream,
            version,
            details: [enter_details, leave_details],
        })
    }

    /// The next call, whatever it is like.
    #[inline(never)]
    fn step(&mut self, next: &mut Option<Result<Call<'a>, FormatError>>) {
        while self.end == End::NotYet {
            if self.pos >= self.stream.len() {
                self.end = End::Reached(None);
                break;
            }
            let mut input = Cursor::new(self.stream, self.pos);
            match self.event(&mut input) {
                Ok(call) => {
                    self.pos = input.pos();
                    if let Some(call) = call {
                        *next = Some(Ok(call));
                        return;
                    }
                }
                Err(stop) => self.stop(stop, input.pos()),
            }
        }
        let unfinished = self.open.pop_first().and_then(|(number, open)| self.call(number, &open));
        *next = match unfinished {
            Some(call) => Some(Ok(call)),
            None => match core::mem::replace(&mut self.end, End::Reached(None)) {
                End::Reached(Some(error)) => Some(Err(error)),
                _ => None,
            },
        };
    }

    /// Reads one event. A call if it is a leave of a call that is open.
    fn event(&mut self, input: &mut Cursor<'a>) -> Result<Option<Call<'a>>, Stop> {
        let start = input.pos();
        match input.u8()? {
            ENTER => self.enter(input, start),
            LEAVE => self.leave(input, start),
            tag => Err(Stop::Bad(FormatErrorKind::UnknownEvent { tag })),
        }
    }

    fn enter(&mut self, input: &mut Cursor<'a>, start: usize) -> Result<Option<Call<'a>>, Stop> {
        let (_, id) = self.head(input)?;
        let mut access = Collect(&mut self.signatures);
        meet_function(id, input, &mut access, self.version)?;
        let details = input.pos();
        let is_fake = skip_details(input, &mut access, self.version)? & 1 != 0;
        let open = Open { start, details, end: input.pos(), entered: self.n_events, is_fake };
        self.open.push(self.n_enters, open);
        self.n_enters += 1;
        self.n_events += 1;
        Ok(None)
    }

    /// Thread and function of an event that enters a call.
    fn head(&self, input: &mut Cursor<'a>) -> Result<(u64, u64), Stop> {
        let thread = if self.version >= 4 { input.uint()? } else { 0 };
        Ok((thread, input.uint()?))
    }

    /// A leave of a number that is unknown, or was left already, is dropped. \[apitrace C.4\]
    fn leave(&mut self, input: &mut Cursor<'a>, start: usize) -> Result<Option<Call<'a>>, Stop> {
        let number = input.uint()?;
        let details = input.pos();
        let flags = skip_details(input, &mut Collect(&mut self.signatures), self.version)?;
        let ordinal = self.n_events;
        self.n_events += 1;
        let open = self.open.remove(number);
        let Some((open, mut call)) = open.and_then(|open| Some((open, self.call(number, &open)?))) else {
            self.unmatched.push(ByteRange::new(offset(start), offset(input.pos())));
            return Ok(None);
        };
        call.is_fake |= flags & 1 != 0;
        call.left = Some(ordinal);
        call.leave = Some((offset(start), offset(input.pos())));
        call.details = [open.details, details];
        Ok(Some(call))
    }

    /// The call as it is while it is open. What its enter event says was read before, so there is one.
    fn call(&self, number: u64, open: &Open) -> Option<Call<'a>> {
        let (thread, id) = self.head(&mut Cursor::new(self.stream, open.start + 1)).ok()?;
        Some(Call {
            number,
            thread,
            function: *self.signatures.function(id)?,
            is_fake: open.is_fake,
            entered: open.entered,
            left: None,
            enter: (offset(open.start), offset(open.end)),
            leave: None,
            stream: self.stream,
            version: self.version,
            details: [open.details; 2],
        })
    }

    /// Where the reading stopped, and why.
    #[cold]
    fn stop(&mut self, stop: Stop, at: usize) {
        let error = match stop {
            Stop::Eof => {
                let bytes = ByteRange::new(offset(self.pos), offset(self.stream.len()));
                self.diagnostic = Some(Diagnostic { kind: DiagnosticKind::Truncated, bytes });
                None
            }
            Stop::Bad(kind) => Some(error(kind, at)),
        };
        self.end = End::Reached(error);
        // Nothing behind it is read, not even what looks like a call.
        self.pos = self.stream.len();
    }
}

impl<'a> Iterator for Calls<'a> {
    type Item = Result<Call<'a>, FormatError>;

    /// The next call.
    ///
    /// A byte that makes no sense ends the stream, for nothing behind it can be found: the calls that are open are
    /// handed out as ones that never returned, then the error.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.unmatched.clear();
        match self.plain() {
            Some(call) => Some(Ok(call)),
            None => {
                let mut next = None;
                self.step(&mut next);
                next
            }
        }
    }
}

impl core::iter::FusedIterator for Calls<'_> {}

/// Steps over the details of an event; returns its flags.
fn skip_details<'a>(input: &mut Cursor<'a>, access: &mut impl Access<'a>, version: u64) -> Result<u64, Stop> {
    let mut flags = 0;
    while let Some(detail) = detail(input, access, version)? {
        if let Detail::Flags(value) = detail {
            flags = value;
        }
    }
    Ok(flags)
}

fn known_version(version: u64, newest: u64) -> Result<u64, Stop> {
    if version <= newest {
        return Ok(version);
    }
    Err(Stop::Bad(FormatErrorKind::UnsupportedVersion {
        version: u32::try_from(version).unwrap_or(u32::MAX),
    }))
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
    use spall_synth::apitrace::{Detail as Said, Stream, Value, game};

    /// Calls of which some are plain and some are not, with values of every kind and size.
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
                let details = [Said::Argument(0, Value::Float(-1.0)), Said::Argument(index, value.clone())];
                stream.enter(index, (index, "f", &["a"]), &details);
                stream.leave(number, &[Said::Return(value), Said::Flags(index)]);
                number += 1;
            }
        }
        stream.bytes().to_vec()
    }

    /// Calls and leaves without one. Compared with `assert!`, as each call would print the whole stream.
    type Read<'a> = (Vec<Result<Call<'a>, FormatError>>, Vec<ByteRange>);

    /// Everything that is read, by the general way alone or together with that for plain calls.
    fn read(stream: &[u8], plain: bool) -> Read<'_> {
        let (mut found, mut unmatched) = (Vec::new(), Vec::new());
        let Ok(mut calls) = Calls::new(stream) else { return (found, unmatched) };
        loop {
            let next = if plain {
                calls.next()
            } else {
                let mut next = None;
                calls.unmatched.clear();
                calls.step(&mut next);
                next
            };
            unmatched.extend_from_slice(calls.unmatched_leaves());
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

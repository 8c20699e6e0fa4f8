//! The contract of all parsers: a call reads one record and hands over its events.

use crate::{ByteRange, Event};

/// An incremental parser. It owns no input and does no I/O: the caller owns the buffer.
///
/// A call of [`Parser::read`] reads one record of the file, such as a JSON object or a packet, and hands all its events to
/// a [`Receiver`]. Events borrow from the input, so a receiver can keep their texts without a copy. A parser whose events
/// borrow from its own memory implements [`LendingParser`] instead.
///
/// # Contract
/// Each call gets the bytes that follow those consumed so far. Where the input is split does not matter: the same
/// events come out, with the same byte ranges. Cutting the input leaves the first of them. The work and the memory of a
/// call are bounded by the bytes that it consumes. `eof` means that nothing follows `data`, and remains so for later
/// calls. After [`Progress::End`] or an error, every further call returns the same again.
///
/// ```
/// use core::convert::Infallible;
/// use spall_model::{ByteRange, Event, Parser, Progress, Receiver, Scope, Text, Thread, ThreadEvent, Tick};
///
/// /// Reads a file in which every line is the name of an instant. The time is the position of the line.
/// struct Lines(u64);
///
/// impl Parser for Lines {
///     type Error = Infallible;
///
///     fn read<'a>(
///         &mut self,
///         data: &'a [u8],
///         eof: bool,
///         to: &mut impl Receiver<'a>,
///     ) -> Result<Progress, Infallible> {
///         let (name, consumed) = match data.iter().position(|&byte| byte == b'\n') {
///             Some(len) => (&data[..len], len + 1),
///             None if !eof => return Ok(Progress::NeedMore(1)),
///             None if data.is_empty() => return Ok(Progress::End),
///             None => (data, data.len()),
///         };
///         let start = self.0;
///         self.0 += consumed as u64;
///         let event = ThreadEvent::new(Thread::new(1, 1), Tick(start as i64), Text::from(name));
///         to.receive(&Event::Instant(event, Scope::Thread), ByteRange::new(start, self.0));
///         Ok(Progress::Read(consumed))
///     }
/// }
///
/// let mut times = Vec::new();
/// Lines(0).parse_all(b"one\ntwo", |event, _| times.push(event.at()))?;
/// assert_eq!(times, [Some(Tick(0)), Some(Tick(4))]);
/// # Ok::<(), Infallible>(())
/// ```
pub trait Parser {
    /// The error that ends reading.
    type Error;

    /// Whether a file may have parts: see [`Parser::at_part`].
    const HAS_PARTS: bool = false;

    /// Reads the next record, or several at once, and hands their events to `to` in the order of the file.
    ///
    /// # Errors
    /// This returns an error only when nothing after this point can be trusted. Damage that can be stepped over is an
    /// [`Event::Diagnostic`] instead.
    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, Self::Error>;

    /// Reads a whole file that is in memory, and calls `each` for each event, with the bytes that it comes from.
    ///
    /// # Errors
    /// As for [`Parser::read`]. `each` was called for the events before the error.
    fn parse_all<'a>(
        mut self,
        data: &'a [u8],
        mut each: impl FnMut(&Event<'a>, ByteRange),
    ) -> Result<(), Self::Error>
    where
        Self: Sized,
    {
        let mut rest = data;
        while let Progress::Read(consumed) = self.read(rest, true, &mut each)? {
            rest = rest.get(consumed..).unwrap_or_default();
        }
        Ok(())
    }

    /// Returns the parser that this one would be at `offset` of the file, if it is between two parts now.
    ///
    /// A part is a run of records behind which the parser is in the same state as in front of it, apart from its
    /// position, so that several threads can read a file. A parser with [`Parser::HAS_PARTS`] implements this and
    /// [`Parser::find_part`].
    fn at_part(&self, offset: u64) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = offset;
        None
    }

    /// Returns a place at or behind `from` where a part is likely to begin, or `None` if there is none close by.
    ///
    /// `data` is the whole file, and `known` the begin of a part at or before `from`. The place may be a guess: it is
    /// checked by a parser that reads the part before, and is between two parts exactly there.
    fn find_part(&self, data: &[u8], known: usize, from: usize) -> Option<usize> {
        let _ = (data, known, from);
        None
    }
}

/// The result of a call of [`Parser::read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// This many bytes were consumed. They may hold no event, such as padding or a part of what is skipped. The number
    /// may be 0: a parser that refers back to earlier bytes consumes them at the end.
    Read(usize),
    /// The data is too short, and nothing was consumed or handed over: call again with the same bytes, followed by at
    /// least this many more. The number is a hint, and at least 1. A parser does not return this after `eof`.
    NeedMore(usize),
    /// The input has ended. No further call hands over an event.
    End,
}

/// A receiver of the events of a [`Parser`]: a builder, a writer, or a closure.
///
/// A receiver for every lifetime (`for<'e> Receiver<'e>`) keeps nothing that an event borrows. It is what a
/// [`LendingParser`] needs.
///
/// ```
/// use spall_model::{ByteRange, Event, LendingParser, Progress, Receiver};
///
/// /// Counts the slices that begin.
/// struct Begins(usize);
///
/// impl Receiver<'_> for Begins {
///     fn receive(&mut self, event: &Event<'_>, _: ByteRange) {
///         self.0 += usize::from(matches!(event, Event::Begin(_)));
///     }
/// }
///
/// /// Counts the slices that begin in `data`, whatever its format is.
/// fn count_begins<P: LendingParser>(mut parser: P, mut data: &[u8]) -> Result<usize, P::Error> {
///     let mut begins = Begins(0);
///     while let Progress::Read(consumed) = parser.lend(data, true, &mut begins)? {
///         data = data.get(consumed..).unwrap_or_default();
///     }
///     Ok(begins.0)
/// }
/// ```
pub trait Receiver<'a> {
    /// Receives an event and the range of bytes of the file that it comes from.
    fn receive(&mut self, event: &Event<'a>, bytes: ByteRange);
}

impl<'a, F: FnMut(&Event<'a>, ByteRange)> Receiver<'a> for F {
    #[inline(always)]
    fn receive(&mut self, event: &Event<'a>, bytes: ByteRange) {
        self(event, bytes);
    }
}

/// An incremental parser whose events live only until the receiver returns, because they may borrow from the parser.
///
/// Some formats do not keep names in the input where an event could borrow them: a native auto trace has addresses,
/// which a symbolizer names, and an apitrace recording gives each signature once.
///
/// The contract is that of [`Parser`], and every [`Parser`] is a `LendingParser`. Code that copies what it keeps asks
/// for this trait and so accepts every format.
pub trait LendingParser {
    /// The error that ends reading.
    type Error;

    /// Reads the next record, or several at once, and hands their events to `to` in the order of the file.
    ///
    /// # Errors
    /// As for [`Parser::read`].
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, Self::Error>;

    /// Reads a whole file that is in memory, and calls `each` for each event, with the bytes that it comes from.
    ///
    /// # Errors
    /// As for [`Parser::read`]. `each` was called for the events before the error.
    fn lend_all(mut self, data: &[u8], mut each: impl FnMut(&Event<'_>, ByteRange)) -> Result<(), Self::Error>
    where
        Self: Sized,
    {
        let mut rest = data;
        while let Progress::Read(consumed) = self.lend(rest, true, &mut each)? {
            rest = rest.get(consumed..).unwrap_or_default();
        }
        Ok(())
    }
}

impl<P: Parser> LendingParser for P {
    type Error = P::Error;

    #[inline(always)]
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, P::Error> {
        self.read(data, eof, to)
    }
}

/// The state of a parser that reads its file in one piece, when all of it is there. Such a file has tables or texts at its end
/// without which nothing in front of them can be read.
///
/// ```
/// use core::convert::Infallible;
/// use spall_model::{Progress, ReadOnce};
///
/// let (mut state, mut calls) = (ReadOnce::<Infallible>::new(), 0);
/// let mut lend = |data: &[u8], eof| state.read(data, eof, || { calls += 1; Ok(()) });
/// assert_eq!(lend(b"ab", false), Ok(Progress::NeedMore(2)));
/// assert_eq!(lend(b"abcd", true), Ok(Progress::Read(4)));
/// assert_eq!(lend(b"", true), Ok(Progress::End));
/// assert_eq!(calls, 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOnce<E> {
    result: Option<Result<(), E>>,
}

impl<E> Default for ReadOnce<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> ReadOnce<E> {
    /// Returns the state at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self { result: None }
    }
}

impl<E: Copy> ReadOnce<E> {
    /// Calls `read` at the end of the input, when `data` is the whole file, and keeps its result: the result of
    /// [`Parser::read`] or [`LendingParser::lend`].
    ///
    /// # Errors
    /// This returns the error of `read`, in later calls too.
    pub fn read(
        &mut self,
        data: &[u8],
        eof: bool,
        read: impl FnOnce() -> Result<(), E>,
    ) -> Result<Progress, E> {
        if let Some(result) = self.result {
            return result.map(|()| Progress::End);
        }
        if !eof {
            // A buffer that is doubled each time is copied no more often than it is long.
            return Ok(Progress::NeedMore(data.len().max(1)));
        }
        let result = read();
        self.result = Some(result);
        result.map(|()| Progress::Read(data.len()))
    }
}

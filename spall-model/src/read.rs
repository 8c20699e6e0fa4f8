//! The contract of all parsers, and an iterator over the events of input that is in memory.

use crate::{ByteRange, Event};

/// The result of one step of a [`Parser`], which has an example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chunk<'a> {
    /// The data is too short, and nothing was consumed: call again with the same bytes, followed by at least this
    /// many more. The number is a hint, and at least 1. The parser never returns this once the caller has passed
    /// `eof`.
    NeedMore(usize),
    /// This many bytes, at least 1, were consumed without an event: padding, or the rest of a damaged part. They need
    /// not be in memory at once.
    Skipped(usize),
    /// One event was read, from the given bytes.
    Parsed(Parsed<'a>),
    /// The input has ended. No further call yields an event.
    End,
}

impl<'a> Chunk<'a> {
    /// Hands the event, if there is one, to `receiver` by [`Receiver::receive_rare`], and returns what remains of the chunk.
    #[inline]
    pub fn hand_over(&self, receiver: &mut impl Receiver<'a>) -> Progress {
        match self {
            Self::Parsed(parsed) => {
                receiver.receive_rare(&parsed.event, parsed.bytes);
                Progress::Consumed(parsed.consumed)
            }
            Self::Skipped(length) => Progress::Consumed(*length),
            Self::NeedMore(more) => Progress::NeedMore(*more),
            Self::End => Progress::End,
        }
    }
}

/// An event and the bytes it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parsed<'a> {
    /// The number of bytes of the data that were consumed. It is 0 when one record of the file makes several events.
    pub consumed: usize,
    /// The event, which borrows from the data.
    pub event: Event<'a>,
    /// The bytes of the file that express the event.
    pub bytes: ByteRange,
}

/// An incremental parser. It owns no input and does no I/O: the caller owns the buffer.
///
/// # Contract
/// Each call gets the bytes that follow those consumed so far. Where the input is split does not matter: the same
/// events come out, with the same byte ranges. `eof` means that nothing follows `data`, and remains so for later calls.
/// After [`Chunk::End`] or an error, every further call returns the same again.
///
/// ```
/// use core::convert::Infallible;
/// use spall_model::{ByteRange, Chunk, Event, Events, Parsed, Parser, Scope, Text, Thread, ThreadEvent, Tick};
///
/// /// Reads a file in which every line is the name of an instant. The time is the position of the line.
/// struct Lines(u64);
///
/// impl Parser for Lines {
///     type Error = Infallible;
///
///     fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Infallible> {
///         let (name, consumed) = match data.iter().position(|&byte| byte == b'\n') {
///             Some(len) => (&data[..len], len + 1),
///             None if !eof => return Ok(Chunk::NeedMore(1)),
///             None if data.is_empty() => return Ok(Chunk::End),
///             None => (data, data.len()),
///         };
///         let start = self.0;
///         self.0 += consumed as u64;
///         let event = ThreadEvent::new(Thread::new(1, 1), Tick(start as i64), Text::from(name));
///         let bytes = ByteRange::new(start, self.0);
///         Ok(Chunk::Parsed(Parsed { consumed, event: Event::Instant(event, Scope::Thread), bytes }))
///     }
/// }
///
/// let times: Vec<_> = Events::new(Lines(0), b"one\ntwo").map(|parsed| parsed.unwrap().event.at()).collect();
/// assert_eq!(times, [Some(Tick(0)), Some(Tick(4))]);
/// ```
pub trait Parser {
    /// The error that ends reading.
    type Error;

    /// Reads one event.
    ///
    /// # Errors
    /// This returns an error only when nothing after this point can be trusted. Damage that can be stepped over is an
    /// [`Event::Diagnostic`] instead.
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Self::Error>;

    /// Reads what comes next: one event or more, or bytes that hold none. Events are handed to `receiver` in the order of
    /// the file.
    ///
    /// They are those that [`Parser::parse`] returns, and both may be called in turn. This is the faster way to read
    /// many events: a parser that hands each frequent kind over in a place of its own lets the compiler make a path for
    /// each, on which no event is put together in memory. The default hands over what [`Parser::parse`] returns.
    ///
    /// # Errors
    /// As for [`Parser::parse`]. An error comes in a call of its own, in which nothing is handed over.
    ///
    /// ```
    /// use spall_model::{ByteRange, Event, Parser, Progress, Receiver};
    ///
    /// /// Counts the slices that begin.
    /// struct Begins(usize);
    ///
    /// impl<'a> Receiver<'a> for Begins {
    ///     fn receive(&mut self, event: &Event<'a>, _: ByteRange) {
    ///         self.0 += usize::from(matches!(event, Event::Begin(_)));
    ///     }
    /// }
    ///
    /// fn count_begins<P: Parser>(parser: &mut P, mut data: &[u8]) -> Result<usize, P::Error> {
    ///     let mut begins = Begins(0);
    ///     while let Progress::Consumed(consumed) = parser.parse_into(data, true, &mut begins)? {
    ///         data = data.get(consumed..).unwrap_or_default();
    ///     }
    ///     Ok(begins.0)
    /// }
    /// ```
    #[inline(always)]
    fn parse_into<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        receiver: &mut impl Receiver<'a>,
    ) -> Result<Progress, Self::Error> {
        match self.parse(data, eof) {
            // By reference: an event that is moved out of its result is copied.
            Ok(ref chunk) => Ok(chunk.hand_over(receiver)),
            Err(error) => Err(error),
        }
    }
}

/// The result of one call of [`Parser::parse_into`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// This many bytes were consumed. It may be 0 where one record of the file makes several events.
    Consumed(usize),
    /// The data is too short by at least this many bytes, and nothing was consumed. See [`Chunk::NeedMore`].
    NeedMore(usize),
    /// The input has ended. See [`Chunk::End`].
    End,
}

/// A receiver of events that borrow from the input, for [`Parser::parse_into`], which has an example.
// A trait and not a closure, because its method can be marked for inlining.
pub trait Receiver<'a> {
    /// Receives an event and the range of bytes of the file that it came from.
    fn receive(&mut self, event: &Event<'a>, bytes: ByteRange);

    /// Receives an event of a kind that is rare in the format. This is [`Receiver::receive`] in a place of its own.
    ///
    /// Where that is inlined into a loop over events, this keeps the code for rare kinds out of it.
    #[inline(never)]
    fn receive_rare(&mut self, event: &Event<'a>, bytes: ByteRange) {
        self.receive(event, bytes);
    }
}

/// A parser of files that have parts which can be read without those before, so that threads can share a file.
///
/// A part is a run of records behind which the parser is in the same state as in front of it, apart from its position.
/// Where parts begin may be a guess. It is proved by a parser that reads the part before, and is between two parts
/// exactly there.
pub trait SplitParser: Parser + Clone {
    /// Returns whether the parser is between two parts: then it and [`SplitParser::at_part`] for the bytes consumed so far
    /// read the same.
    fn is_between_parts(&self) -> bool;

    /// Returns the parser that this one, which is between two parts, would be between two others: those that meet at
    /// `offset`.
    #[must_use]
    fn at_part(&self, offset: u64) -> Self;

    /// Returns a place at or behind `from` where a part is likely to begin, or `None` if there is none close by. `data`
    /// is the whole file, and `known` the begin of a part at or before `from`.
    fn find_part(&self, data: &[u8], known: usize, from: usize) -> Option<usize>;
}

/// An incremental reader whose events may also borrow from the reader itself.
///
/// Some formats do not keep names in the input where an event could borrow them: a native auto trace has addresses,
/// which a symbolizer names, and an apitrace recording gives each signature once. Their readers hold these names in
/// tables or scratch memory, so an event lives only until the next call.
///
/// The contract is that of [`Parser`], and every [`Parser`] is a `LendingParser`. Code that copies what it keeps asks
/// for this trait and so accepts every format; code that stores borrowed events asks for [`Parser`].
///
/// ```
/// use spall_model::{Chunk, Event, LendingParser};
///
/// /// Counts the slices that begin in `data`, whatever its format is.
/// fn count_begins<P: LendingParser>(parser: &mut P, mut data: &[u8]) -> Result<usize, P::Error> {
///     let mut begins = 0;
///     loop {
///         let consumed = match parser.next_chunk(data, true)? {
///             Chunk::Parsed(parsed) => {
///                 begins += usize::from(matches!(parsed.event, Event::Begin(_)));
///                 parsed.consumed
///             }
///             Chunk::Skipped(length) => length,
///             Chunk::NeedMore(_) | Chunk::End => return Ok(begins),
///         };
///         data = data.get(consumed..).unwrap_or_default();
///     }
/// }
/// ```
pub trait LendingParser {
    /// The error that ends reading.
    type Error;

    /// Reads one event, which may borrow from `data` and from the reader.
    ///
    /// # Errors
    /// This returns an error only when nothing after this point can be trusted, as [`Parser::parse`] does.
    fn next_chunk<'a>(&'a mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Self::Error>;
}

impl<P: Parser> LendingParser for P {
    type Error = P::Error;

    // Inlined like `parse` itself, so that generic code costs what a direct call does.
    #[inline(always)]
    fn next_chunk<'a>(&'a mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Self::Error> {
        self.parse(data, eof)
    }
}

/// An iterator over the events of input that is wholly in memory. It ends after the first error.
///
/// [`Parser`] has an example.
#[derive(Debug, Clone)]
pub struct Events<'a, P> {
    parser: P,
    /// The input after the events returned so far.
    rest: &'a [u8],
    // Beside the rest and not as an `Option` of it, which would be checked once more for each event.
    has_ended: bool,
}

impl<'a, P: Parser> Events<'a, P> {
    /// Returns an iterator that reads `data` with a fresh `parser`.
    #[inline]
    pub fn new(parser: P, data: &'a [u8]) -> Self {
        Self { parser, rest: data, has_ended: false }
    }

    /// Returns the parser, which may know facts about the file.
    pub fn parser(&self) -> &P {
        &self.parser
    }
}

impl<'a, P: Parser> Iterator for Events<'a, P> {
    type Item = Result<Parsed<'a>, P::Error>;

    // A call that is not inlined hands every event over in memory, which doubled the time where the parser is inlined.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_ended {
            match self.parser.parse(self.rest, true) {
                Ok(Chunk::Parsed(parsed)) => {
                    self.rest = self.rest.get(parsed.consumed..).unwrap_or_default();
                    return Some(Ok(parsed));
                }
                Ok(Chunk::Skipped(length)) => self.rest = self.rest.get(length..).unwrap_or_default(),
                Ok(Chunk::NeedMore(_) | Chunk::End) => self.has_ended = true,
                Err(error) => {
                    self.has_ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl<P: Parser> core::iter::FusedIterator for Events<'_, P> {}

//! An iterator over the events of a file that is wholly in memory.

use spall_model::{Chunk, Parsed, Parser as _};

use super::{Parser, floats::FloatRun, run::Run};
use crate::FormatError;

/// An iterator over the events of a spall file that is wholly in memory. It ends after the first error.
///
/// [`parse_all`] returns it, and has an example.
#[derive(Debug, Clone)]
pub struct Events<'a> {
    /// The records that come next, if they are of version 3.
    run: Run<'a>,
    /// The records that come next, if they are of version 0 or 1.
    floats: FloatRun<'a>,
    source: Source<'a>,
}

/// What is left of a file in front of the runs.
// It is copied as a whole and never field by field in `Events::next`. So it stays in memory, and leaves the registers to the
// loop around that.
#[derive(Debug, Clone, Copy)]
struct Source<'a> {
    parser: Parser,
    data: &'a [u8],
    /// The length of the runs before any of them was read.
    runs: usize,
    has_ended: bool,
}

/// Returns an iterator over the events of a spall file that is wholly in memory.
///
/// ```
/// use spall_format::spall::{self, BufferWriter, Header, Version};
/// use spall_model::Event;
///
/// let mut memory = [0; 1024];
/// let mut buffer = BufferWriter::new(&mut memory, 1, 7)?;
/// buffer.begin(100, "frame")?;
/// buffer.end(250)?;
/// let file = [&Header::new(Version::V3, 1.0).to_bytes()[..], buffer.take()].concat();
///
/// let mut events = spall::parse_all(&file);
/// assert!(matches!(events.next().unwrap()?.event, Event::Clock(_)));
/// let Event::Begin(begin) = events.next().unwrap()?.event else { panic!() };
/// assert!(begin.name.is(b"frame"));
/// assert_eq!(begin.at.0, 100);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
#[inline]
pub fn parse_all(data: &[u8]) -> Events<'_> {
    let parser = Parser::new();
    let source = Source { parser, data, runs: 0, has_ended: false };
    Events { run: Run::new(&parser, b""), floats: FloatRun::new(&parser, b""), source }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Parsed<'a>, FormatError>;

    // Records of a run and those of versions 0 and 1 become events here, in the caller's loop: see `Parser::parse`. There is no
    // loop inside, because the compiler would take the way from event to event for the rare one then.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(parsed) = self.run.next_plain() {
            return Some(Ok(parsed));
        }
        if let Some(parsed) = self.floats.next_plain() {
            return Some(Ok(parsed));
        }
        // The call works on a copy, so that no pointer to the iterator exists.
        let (mut source, mut item) = (self.source, None);
        (self.run, self.floats) = source.next_rare(self.run, self.floats, &mut item);
        self.source = source;
        item
    }
}

impl<'a> Source<'a> {
    /// Reads the next event where no plain record is left, and returns the next runs.
    #[cold]
    #[inline(never)]
    fn next_rare(
        &mut self,
        run: Run<'a>,
        floats: FloatRun<'a>,
        item: &mut Option<Result<Parsed<'a>, FormatError>>,
    ) -> (Run<'a>, FloatRun<'a>) {
        let consumed = self.runs - run.len() - floats.len();
        self.parser.offset += consumed as u64;
        self.parser.latest = floats.latest();
        self.data = self.data.get(consumed..).unwrap_or_default();
        while !self.has_ended {
            match self.parser.parse(self.data, true) {
                Ok(Chunk::Parsed(parsed)) => {
                    self.data = self.data.get(parsed.consumed..).unwrap_or_default();
                    *item = Some(Ok(parsed));
                    break;
                }
                Ok(Chunk::Skipped(length)) => self.data = self.data.get(length..).unwrap_or_default(),
                Ok(Chunk::NeedMore(_) | Chunk::End) => self.has_ended = true,
                Err(error) => {
                    self.has_ended = true;
                    *item = Some(Err(error));
                }
            }
        }
        let (run, floats) = (Run::new(&self.parser, self.data), FloatRun::new(&self.parser, self.data));
        self.runs = run.len() + floats.len();
        (run, floats)
    }
}

impl core::iter::FusedIterator for Events<'_> {}

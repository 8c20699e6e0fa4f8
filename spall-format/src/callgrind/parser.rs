//! The parser, which reads line by line.

use memchr::memchr;
use spall_model::{ByteRange, DiagnosticKind, LendingParser, Progress, Receiver};

use super::output;
use super::state::{Out, State};
use crate::{FormatError, FormatErrorKind};

/// A parser of the text of Callgrind, Cachegrind and Xdebug. It takes input in pieces of any size.
/// [callgrind](spall_model::rules::callgrind)
///
/// Samples are handed over at the end of the file, because every line adds to the costs of a function.
///
/// # Damage
/// The parser steps over every fault. It returns an error at the end of a file without a list of events.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Junk` | a line of another form, costs in front of the first function, calls without a function or without costs | left out |
/// | `DamagedEvent` | a line of which a part is no number | left out |
/// | `BadField` | a name of an event that is there twice, or one of more than 64 | its costs are left out |
/// | `UnknownEntry` | calls of a function that has no costs of its own in the file | left out |
/// | `NegativeWeight` | a function whose sum is below 0 | that sum is left out |
/// | `TimeOutOfRange` | a number or a sum beyond 63 bits | clamped |
/// | `CallGraphLimit` | a call graph with too many different stacks | what they cost lies below `(rest)` |
/// | `SampleCount` | more costs of functions than a file of this size may have | left out |
///
/// # Memory
/// The parser keeps names, functions and the calls between them, and for Xdebug the tree of calls, but no lines.
#[derive(Debug, Default)]
pub struct Parser {
    offset: u64,
    /// How much of the data was searched for the end of its first line.
    searched: usize,
    state: State,
    is_over: Option<Result<(), FormatError>>,
}

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn read(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        if let Some(result) = self.is_over {
            return result.map(|()| Progress::End);
        }
        let mut consumed = 0;
        while let Some(rest) = data.get(consumed..).filter(|rest| !rest.is_empty()) {
            let searched = core::mem::take(&mut self.searched);
            let end = memchr(b'\n', rest.get(searched..).unwrap_or_default());
            let line = match end {
                Some(end) => rest.get(..=searched + end).unwrap_or(rest),
                None if eof => rest,
                None => {
                    self.searched = rest.len();
                    break;
                }
            };
            let bytes = ByteRange::new(self.offset, self.offset + line.len() as u64);
            let text =
                if self.offset == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
            self.state.line(text, &mut Out { to, bytes });
            consumed += line.len();
            self.offset = bytes.end;
        }
        match consumed {
            0 if !eof => Ok(Progress::NeedMore(data.len().max(1))),
            0 => {
                let result = self.end(to);
                self.is_over = Some(result);
                result.map(|()| Progress::End)
            }
            consumed => Ok(Progress::Read(consumed)),
        }
    }

    fn end(&mut self, to: &mut dyn for<'e> Receiver<'e>) -> Result<(), FormatError> {
        let bytes = ByteRange::new(0, self.offset);
        if !self.state.has_events {
            return Err(FormatError::new(FormatErrorKind::NothingRead, self.offset));
        }
        if self.state.awaited.take().is_some() {
            let rest = ByteRange::new(self.offset, self.offset);
            Out { to, bytes: rest }.report(DiagnosticKind::Junk);
        }
        let is_one_thread = self.state.threads.keys().len() < 2;
        let exact = self.state.exact.take().filter(|_| is_one_thread);
        self.state.exact = exact.and_then(|mut exact| exact.finish().then_some(exact));
        output::hand_over(&self.state, bytes, to);
        self.state = State::default();
        Ok(())
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    /// # Errors
    /// This returns [`FormatErrorKind::NothingRead`] for a file that does not name its events.
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        self.read(data, eof, to)
    }
}

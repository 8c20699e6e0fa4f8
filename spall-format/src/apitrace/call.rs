//! One call: who made it, its arguments, what it returned. \[apitrace C.4\]

use super::input::Stop;
use super::signature::{Access, Frame, FunctionSignature, Signatures, View, meet_frame};
use super::value::{Tokens, skip};
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// A call, with what was said of it when it was entered and when it was left.
///
/// It borrows only from the stream; to look into its values pass the signatures of the [`Calls`](super::Calls) it came
/// from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call<'a> {
    /// Its number: how many calls were entered before it.
    pub number: u64,
    /// The number of the thread that made it, in order of first use.
    pub thread: u64,
    /// What was called.
    pub function: FunctionSignature<'a>,
    /// Whether the tracer inserted the call, so that a replay is complete.
    pub is_fake: bool,
    /// When it was entered, counting enters and leaves alike from 0.
    pub entered: u64,
    /// When it was left, counted the same way; `None` if it never returned.
    pub left: Option<u64>,
    /// Where it is in the stream: the bytes of its enter event, and of its leave event.
    pub enter: (u64, u64),
    /// The bytes of its leave event.
    pub leave: Option<(u64, u64)>,
    pub(super) stream: &'a [u8],
    pub(super) version: u64,
    /// Where the details of enter and leave begin.
    pub(super) details: [usize; 2],
}

/// A detail of an event, and where its value begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Argument(u64, usize),
    Return(usize),
    /// How many frames.
    Backtrace(u64, usize),
    Flags(u64),
    /// The thread, as versions before 4 might say it.
    Thread,
}

/// Reads a detail and steps over its value; `None` behind the last one.
pub(super) fn detail<'a>(
    input: &mut Cursor<'a>,
    access: &mut impl Access<'a>,
    version: u64,
) -> Result<Option<Detail>, Stop> {
    Ok(Some(match input.u8()? {
        0 => return Ok(None),
        1 => {
            let index = input.uint()?;
            let at = input.pos();
            skip(input, access, version)?;
            Detail::Argument(index, at)
        }
        2 => {
            let at = input.pos();
            skip(input, access, version)?;
            Detail::Return(at)
        }
        3 if version < 4 => {
            input.uint()?;
            Detail::Thread
        }
        4 => {
            let count = input.uint()?;
            let at = input.pos();
            for _ in 0..count {
                let id = input.uint()?;
                meet_frame(id, input, access, version)?;
            }
            Detail::Backtrace(count, at)
        }
        5 => Detail::Flags(input.uint()?),
        tag => return Err(Stop::Bad(FormatErrorKind::UnknownDetail { tag })),
    }))
}

impl<'a> Call<'a> {
    /// The value of argument `index`, as it was when the call returned if it said so then. \[apitrace C.4\]
    #[must_use]
    pub fn argument<'s>(&self, index: u64, signatures: &'s Signatures<'a>) -> Option<Tokens<'s, 'a>> {
        let mut found = None;
        self.for_each_detail(signatures, |detail| match detail {
            Detail::Argument(this, at) if this == index => found = Some(at),
            _ => {}
        });
        found.map(|at| self.tokens(at, signatures))
    }

    /// The value that was returned.
    #[must_use]
    pub fn returned<'s>(&self, signatures: &'s Signatures<'a>) -> Option<Tokens<'s, 'a>> {
        let mut found = None;
        self.for_each_detail(signatures, |detail| {
            if let Detail::Return(at) = detail {
                found = Some(at);
            }
        });
        found.map(|at| self.tokens(at, signatures))
    }

    /// Where the call was made from, innermost first; `None` if that was not recorded.
    pub fn backtrace<'s>(&self, signatures: &'s Signatures<'a>) -> Option<Backtrace<'s, 'a>> {
        let mut found = None;
        self.for_each_detail(signatures, |detail| {
            if let Detail::Backtrace(count, at) = detail {
                found = Some((count, at));
            }
        });
        let (left, at) = found?;
        Some(Backtrace { left, input: Cursor::new(self.stream, at), signatures, version: self.version })
    }

    /// The arguments that are said, with their index, those of the leave event behind those of the enter event.
    pub(super) fn for_each_argument(&self, signatures: &Signatures<'a>, mut see: impl FnMut(u64, usize)) {
        self.for_each_detail(signatures, |detail| {
            if let Detail::Argument(index, at) = detail {
                see(index, at);
            }
        });
    }

    pub(super) fn tokens<'s>(&self, at: usize, signatures: &'s Signatures<'a>) -> Tokens<'s, 'a> {
        Tokens::new(Cursor::new(self.stream, at), signatures, self.version)
    }

    fn for_each_detail(&self, signatures: &Signatures<'a>, mut see: impl FnMut(Detail)) {
        let n_events = if self.left.is_some() { 2 } else { 1 };
        for &at in self.details.iter().take(n_events) {
            let mut input = Cursor::new(self.stream, at);
            let mut access = View(signatures);
            while let Ok(Some(detail)) = detail(&mut input, &mut access, self.version) {
                see(detail);
            }
        }
    }
}

/// The frames of a backtrace, innermost first.
#[derive(Debug, Clone)]
pub struct Backtrace<'s, 'a> {
    left: u64,
    input: Cursor<'a>,
    signatures: &'s Signatures<'a>,
    version: u64,
}

impl<'a> Iterator for Backtrace<'_, 'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        self.left = self.left.checked_sub(1)?;
        let id = self.input.uint().ok()?;
        meet_frame(id, &mut self.input, &mut View(self.signatures), self.version).ok()?;
        self.signatures.frame(id).copied()
    }
}

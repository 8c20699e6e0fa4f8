//! A call: its thread, its arguments and the value that it returned. [apitrace C.4](crate::rules::apitrace#C.4)

use spall_model::ByteRange;

use super::detail::{Detail, read_detail};
use super::fast_scan::FastScan;
use super::signature::{
    BacktraceFrame, FunctionSignature, KnownOnly, SignatureKind, Signatures, skip_signature,
};
use super::value::Tokens;
use crate::cursor::Cursor;

/// A call that the traced program made. [`Calls`](super::Calls) yields it.
///
/// A call holds numbers and positions in the stream, but no texts: [`Calls::name`](super::Calls::name) and
/// [`Calls::arguments`](super::Calls::arguments) read those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The number of the call, which is how many calls were entered before it.
    pub number: u64,
    /// The number of the thread that made the call. Threads are numbered from 0 in the order of their first call.
    /// Before version 4 of the encoding, all calls have the thread 0.
    pub thread: u64,
    /// The id of the function in the signatures.
    pub(super) function_id: u64,
    /// Whether the tracer inserted the call to make a replay complete.
    pub is_fake: bool,
    /// The number of enter and leave events of all threads before the call was entered. It stands for a time, which the
    /// stream does not have.
    pub entered: u64,
    /// The number of enter and leave events before the call returned, or `None` if it never returned.
    pub left: Option<u64>,
    /// The byte range of the enter event in the decompressed stream.
    pub enter: ByteRange,
    /// The byte range of the leave event in the decompressed stream, or `None` if the call never returned.
    pub leave: Option<ByteRange>,
    pub(super) details: DetailPlaces,
    /// The number of arguments up to the last one that has a value. [`NOT_PLAIN`](super::fast_scan::NOT_PLAIN) unless all
    /// details are arguments and returned values that a reader without the stream understands.
    pub(super) n_plain: u64,
}

/// The positions in the stream at which the details of an enter event and of a leave event begin. Both are the same for
/// a call that never returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DetailPlaces {
    pub(super) enter: usize,
    pub(super) leave: usize,
}

impl Call {
    /// Returns the name of the function and the names of its arguments.
    pub(super) fn function<'a>(&self, signatures: Signatures<'_, 'a>) -> FunctionSignature<'a> {
        // A call is only returned after its function is known; the default is for signatures of another stream.
        signatures.function(self.function_id).unwrap_or_default()
    }

    /// Returns the call stack from which the call was made, innermost frame first, or `None` if it was not recorded.
    pub(super) fn backtrace<'s, 'a>(&self, signatures: Signatures<'s, 'a>) -> Option<Backtrace<'s, 'a>> {
        let stacks = self.details.iter(signatures).filter_map(|detail| match detail {
            Detail::Backtrace(count, at) => Some((count, at)),
            _ => None,
        });
        let (left, at) = stacks.last()?;
        Some(Backtrace { left, input: Cursor::new(signatures.stream, at), signatures })
    }
}

impl DetailPlaces {
    /// Returns the value of argument `index`, or `None` if it was not recorded.
    ///
    /// If there are several values, it is the last one: an argument through which a function returns something has its
    /// value from the leave event. [apitrace C.4](crate::rules::apitrace#C.4)
    pub(super) fn argument<'s, 'a>(
        self,
        index: u64,
        signatures: Signatures<'s, 'a>,
    ) -> Option<Tokens<'s, 'a>> {
        let values = self.iter(signatures).filter_map(|detail| match detail {
            Detail::Argument(this, at) if this == index => Some(at),
            _ => None,
        });
        values.last().map(|at| Tokens::new(at, signatures))
    }

    /// Returns an iterator over the details of the enter event, and then those of the leave event.
    pub(super) fn iter(self, signatures: Signatures<'_, '_>) -> impl Iterator<Item = Detail> {
        self.events().flat_map(move |pos| Details { pos, signatures }.map(|(detail, _)| detail))
    }

    /// Returns the positions of the details of each event. A call that never returned has one event.
    pub(super) fn events(self) -> impl Iterator<Item = usize> {
        let leave = (self.leave != self.enter).then_some(self.leave);
        core::iter::once(self.enter).chain(leave)
    }
}

/// An iterator over the details of an event, each with the position behind it.
#[derive(Debug, Clone)]
pub(super) struct Details<'s, 'a> {
    pub(super) pos: usize,
    pub(super) signatures: Signatures<'s, 'a>,
}

impl Iterator for Details<'_, '_> {
    type Item = (Detail, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Signatures { table, stream } = self.signatures;
        let (detail, end) = match (FastScan { stream, signatures: table }).detail(self.pos) {
            Some(next) => next,
            None => {
                let mut input = Cursor::new(stream, self.pos);
                (read_detail(&mut input, &mut KnownOnly(table)).ok()?, input.pos())
            }
        };
        self.pos = end;
        Some((detail?, end))
    }
}

/// An iterator over the frames of a call stack, innermost first. [`Call::backtrace`] returns it.
#[derive(Debug, Clone)]
pub(super) struct Backtrace<'s, 'a> {
    left: u64,
    input: Cursor<'a>,
    signatures: Signatures<'s, 'a>,
}

impl<'a> Iterator for Backtrace<'_, 'a> {
    type Item = BacktraceFrame<'a>;

    fn next(&mut self) -> Option<BacktraceFrame<'a>> {
        self.left = self.left.checked_sub(1)?;
        let id = self.input.uint().ok()?;
        let mut access = KnownOnly(self.signatures.table);
        skip_signature(SignatureKind::Frame, id, &mut self.input, &mut access).ok()?;
        self.signatures.frame(id)
    }
}

//! The two ways in which the parser yields an event: it returns it, or it hands it to a receiver.
//!
//! Both ways share one fast path. Each is compiled on its own, so that the events of the fast path stay in registers.

use spall_model::{ByteRange, Chunk, Event, Parsed, Progress, Receiver};

/// A way to yield what was read.
pub(super) trait Outlet<'a> {
    /// The result of the parser.
    type Output;

    /// Yields an event whose variant the compiler knows at the call. A receiver is inlined there.
    fn slice(self, parsed: Parsed<'a>) -> Self::Output;

    /// Yields an event that is in memory. It is not copied where that can be avoided.
    fn event(self, consumed: usize, event: &Event<'a>, bytes: ByteRange) -> Self::Output;

    /// Yields what was read outside of the fast path.
    fn chunk(self, chunk: &Chunk<'a>) -> Self::Output;
}

/// The event is returned.
pub(super) struct Returned;

impl<'a> Outlet<'a> for Returned {
    type Output = Chunk<'a>;

    #[inline(always)]
    fn slice(self, parsed: Parsed<'a>) -> Chunk<'a> {
        Chunk::Parsed(parsed)
    }

    #[inline(always)]
    fn event(self, consumed: usize, &event: &Event<'a>, bytes: ByteRange) -> Chunk<'a> {
        Chunk::Parsed(Parsed { consumed, event, bytes })
    }

    #[inline(always)]
    fn chunk(self, chunk: &Chunk<'a>) -> Chunk<'a> {
        match chunk {
            // Building the chunk anew keeps the compiler from passing those of the fast path through the memory of this one.
            Chunk::Parsed(parsed) => self.event(parsed.consumed, &parsed.event, parsed.bytes),
            &other => other,
        }
    }
}

/// The event is handed to a receiver.
pub(super) struct HandedOver<'r, R>(pub(super) &'r mut R);

impl<'a, R: Receiver<'a>> Outlet<'a> for HandedOver<'_, R> {
    type Output = Progress;

    #[inline(always)]
    fn slice(self, parsed: Parsed<'a>) -> Progress {
        self.0.receive(&parsed.event, parsed.bytes);
        Progress::Consumed(parsed.consumed)
    }

    #[inline(always)]
    fn event(self, consumed: usize, event: &Event<'a>, bytes: ByteRange) -> Progress {
        self.0.receive_rare(event, bytes);
        Progress::Consumed(consumed)
    }

    #[inline(always)]
    fn chunk(self, chunk: &Chunk<'a>) -> Progress {
        chunk.hand_over(self.0)
    }
}

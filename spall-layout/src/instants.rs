//! Points in time, column by column. \[layout 9\]

use alloc::vec::Vec;

use spall_model::Instant;

use crate::Frame;

/// The instants in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstantMark {
    /// The column.
    pub column: u32,
    /// Position of the first, in what was asked about.
    pub first: u32,
    /// How many, from `first` on; at least 1.
    pub count: u32,
}

/// Appends a mark for each column of `frame` in which there are instants to `out`, from left to right.
///
/// `instants` are those of one track, by time: `&trace.instants()[track.instants()]`. Takes O(log n) per mark.
///
/// ```
/// use spall_layout::{Fidelity, Frame, instant_marks};
/// # use spall_model::{ByteRange, Event, Limits, Scope, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for at in [3, 11, 12, 40] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(b"gc"));
/// #     builder.push(&Event::Instant(event, Scope::Thread), ByteRange::default());
/// # }
/// # let trace = builder.finish();
/// let instants = &trace.instants()[trace.tracks()[0].instants()]; // at 3, 11, 12 and 40
/// let frame = Frame::new(Tick(0)..Tick(30), 3, Fidelity::Fast);
/// let mut marks = Vec::new();
/// instant_marks(instants, &frame, &mut marks);
/// let marks: Vec<_> = marks.iter().map(|mark| (mark.column, mark.first, mark.count)).collect();
/// assert_eq!(marks, [(0, 0, 1), (1, 1, 2)]);
/// ```
pub fn instant_marks(instants: &[Instant], frame: &Frame, out: &mut Vec<InstantMark>) {
    let ticks = frame.ticks(0);
    let mut first = instants.partition_point(|instant| instant.at < ticks.start);
    while let Some(instant) = instants.get(first) {
        let Some(column) = frame.column(instant.at) else { break };
        let rest = instants.get(first..).unwrap_or_default();
        let count = gallop(rest, |instant| frame.column(instant.at) == Some(column));
        out.push(InstantMark { column, first: to_u32(first), count: to_u32(count) });
        first += count.max(1);
    }
}

/// How many items at the start of `items` are `inside`; all behind them are not. O(log of the answer).
pub(crate) fn gallop<T>(items: &[T], inside: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while items.get(step).is_some_and(&inside) {
        step *= 2;
    }
    let low = step / 2;
    let high = step.min(items.len());
    low + items.get(low..high).unwrap_or_default().partition_point(inside)
}

#[expect(clippy::cast_possible_truncation, reason = "a trace has fewer than 2^32 of anything")]
pub(crate) fn to_u32(position: usize) -> u32 {
    position as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gallop_counts_what_is_inside() {
        let items: Vec<u32> = (0..100).collect();
        for end in 0..=100 {
            for length in 0..=100 {
                assert_eq!(gallop(&items[..length], |&item| item < end), length.min(end as usize));
            }
        }
    }
}

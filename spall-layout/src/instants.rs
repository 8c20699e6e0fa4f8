//! Marks for instants, column by column. [layout 9](crate::rules::layout#9)

use alloc::vec::Vec;

use spall_model::{Instant, index32};

use crate::Viewport;

/// The instants in one column, drawn as one mark.
///
/// Positions are those in the list of instants that was passed to the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InstantMark {
    /// The column of the mark.
    pub column: u32,
    /// The position of the first instant in the column, which stands for the others.
    pub first: u32,
    /// The number of instants in the column. They follow one another from `first` on. It is at least 1.
    pub count: u32,
}

/// Appends a mark for each column of `viewport` with instants to `out`, from left to right.
///
/// `instants` must be those of one track, ordered by time, as `trace.instants_of(track)` returns them. This takes O(log
/// n) per mark.
///
/// ```
/// use spall_layout::{Viewport, instant_marks};
/// # use spall_model::{Event, Limits, Scope, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for at in [3, 11, 12, 40] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(b"gc"));
/// #     builder.push(&Event::Instant(event, Scope::Thread));
/// # }
/// # let trace = builder.finish();
/// let instants = trace.instants_of(trace.tracks()[0].id); // at 3, 11, 12 and 40
/// let viewport = Viewport::new(Tick(0)..Tick(30), 3);
/// let mut marks = Vec::new();
/// instant_marks(instants, &viewport, &mut marks);
/// let marks: Vec<_> = marks.iter().map(|mark| (mark.column, mark.first, mark.count)).collect();
/// assert_eq!(marks, [(0, 0, 1), (1, 1, 2)]);
/// ```
pub fn instant_marks(instants: &[Instant], viewport: &Viewport, out: &mut Vec<InstantMark>) {
    let ticks = viewport.ticks(0);
    let mut first = instants.partition_point(|instant| instant.at < ticks.start);
    while let Some(instant) = instants.get(first) {
        let Some(column) = viewport.column(instant.at) else { break };
        let rest = instants.get(first..).unwrap_or_default();
        let count = gallop(rest, |instant| viewport.column(instant.at) == Some(column));
        out.push(InstantMark { column, first: index32(first), count: index32(count) });
        first += count.max(1);
    }
}

/// Returns how many items at the start of `items` are `inside`. All items after them must not be. This takes O(log
/// result).
pub(crate) fn gallop<T>(items: &[T], inside: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while items.get(step).is_some_and(&inside) {
        step *= 2;
    }
    let low = step / 2;
    let high = step.min(items.len());
    low + items.get(low..high).unwrap_or_default().partition_point(inside)
}

#[cfg(test)]
mod tests {
    use spall_model::{Event, Limits, Scope, Thread, ThreadEvent, Tick, TraceBuilder};

    use super::*;

    #[test]
    fn layout_9_1_each_column_with_instants_has_one_mark() {
        let mut builder = TraceBuilder::new(&Limits::default());
        for at in [-7, 0, 3, 3, 9, 10, 35, 39, 41] {
            let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), "gc".into());
            builder.push(&Event::Instant(event, Scope::Thread));
        }
        let trace = builder.finish();
        let mut marks = Vec::new();
        instant_marks(trace.instants(), &Viewport::new(Tick(0)..Tick(40), 4), &mut marks);
        let found: Vec<_> = marks.iter().map(|mark| (mark.column, mark.first, mark.count)).collect();
        assert_eq!(found, [(0, 1, 4), (1, 5, 1), (3, 6, 2)]);
    }

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

//! Marks for instants, column by column. [layout 9](crate::rules::layout#9)

use alloc::vec::Vec;
use core::{cmp::Reverse, ops::Range};

use spall_model::{Instant, index32};

use crate::Viewport;
use crate::blocks::{Blocks, Summary};

/// The instants in one column, drawn as one mark.
///
/// Positions are those in the list of instants that was passed to the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InstantMark {
    /// The column of the mark.
    pub column: u32,
    /// The position of the first instant in the column.
    pub first: u32,
    /// The number of instants in the column. They follow one another from `first` on. It is at least 1.
    pub count: u32,
    /// The position of the instant to show: the first one, or the first of those with the highest priority.
    pub shown: u32,
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
        out.push(InstantMark { column, first: index32(first), count: index32(count), shown: index32(first) });
        first += count.max(1);
    }
}

/// The priorities of the instants of a track, which decide the instant to show where a column has several.
///
/// Make the table once for each track. It takes 4.6 bytes per instant.
///
/// ```
/// use spall_layout::{Viewport, InstantPriorities};
/// # use spall_model::{Event, Limits, Scope, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (at, name) in [(3, "gc"), (11, "gc"), (12, "crash"), (13, "gc")] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Instant(event, Scope::Thread));
/// # }
/// # let trace = builder.finish();
/// let instants = trace.instants_of(trace.tracks()[0].id); // gc at 3, 11 and 13, crash at 12
/// let crash = trace.names().find(b"crash");
/// let priorities = InstantPriorities::new(instants, |instant| u32::from(Some(instant.name) == crash));
/// let mut marks = Vec::new();
/// priorities.marks(instants, &Viewport::new(Tick(0)..Tick(30), 3), &mut marks);
/// assert_eq!(marks.iter().map(|mark| mark.shown).collect::<Vec<_>>(), [0, 2]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct InstantPriorities {
    priorities: Vec<u32>,
    blocks: Blocks<Best>,
}

/// The highest priority of several instants, and the position of the first one that has it.
type Best = (u32, Reverse<u32>);

impl Summary for Best {
    const NONE: Self = (0, Reverse(u32::MAX));

    fn add(&mut self, other: Self) {
        *self = (*self).max(other);
    }
}

impl InstantPriorities {
    /// Creates the table. This calls `priority` once for each instant; the highest number wins. It takes O(n).
    #[must_use]
    pub fn new(instants: &[Instant], priority: impl FnMut(&Instant) -> u32) -> Self {
        Self::of(instants.iter().map(priority).collect())
    }

    /// Creates the table of the priorities of all instants.
    fn of(priorities: Vec<u32>) -> Self {
        let mut blocks = Blocks::default();
        priorities.iter().zip(0..).for_each(|(&priority, at)| blocks.push((priority, Reverse(at))));
        Self { priorities, blocks }
    }

    /// Appends a mark for each column of `viewport` with instants to `out`, as [`instant_marks`] does.
    ///
    /// `instants` must be those that the priorities were made of. Each mark shows the one with the highest priority.
    /// This takes O(log n) per mark.
    pub fn marks(&self, instants: &[Instant], viewport: &Viewport, out: &mut Vec<InstantMark>) {
        let new = out.len();
        instant_marks(instants, viewport, out);
        for mark in out.iter_mut().skip(new) {
            mark.shown = self.best_of(mark.first..mark.first + mark.count);
        }
    }

    /// Returns the position of the first instant with the highest priority in a range.
    fn best_of(&self, range: Range<u32>) -> u32 {
        let priority = |at: usize| self.priorities.get(at).copied().unwrap_or_default();
        let (_, Reverse(at)) = self
            .blocks
            .of_range(range.start as usize..range.end as usize, |at| (priority(at), Reverse(index32(at))));
        at
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
        assert!(marks.iter().all(|mark| (mark.first..mark.first + mark.count).contains(&mark.shown)));
    }

    #[test]
    fn layout_9_2_the_first_of_the_highest_priority_is_shown() {
        let mut random = spall_synth::Random(1);
        let mut below = |end: u32| random.below(end);
        for _ in 0..300 {
            let priorities: Vec<u32> = (0..1 + below(900)).map(|_| below(40) * below(40) / 300).collect();
            let n = index32(priorities.len());
            let table = InstantPriorities::of(priorities.clone());
            for _ in 0..30 {
                let first = below(n);
                let end = first + 1 + below(n - first);
                let inside = &priorities[first as usize..end as usize];
                let highest = inside.iter().max().unwrap();
                let expected = first + index32(inside.iter().position(|at| at == highest).unwrap());
                assert_eq!(table.best_of(first..end), expected);
            }
        }
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

//! The replacement of the slices of a trace, for merges, filters and converters.
#![allow(clippy::indexing_slicing, reason = "slices are numbered by the trace")]

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    AlongParents, ByteRange, DiagnosticKind, Sampled, Slice, SliceFlags, SliceId, Slices, SpanParents, Tick,
    Trace, TraceView, TrackId,
    args_table::ArgsId,
    index32,
    nest::OpenPairs,
    sort::{order_of, permute, sort_by_number},
    span_parents::SaidSpan,
};

impl Trace {
    /// Returns the same trace with other slices.
    ///
    /// `derive` is called once for each track, in the order of the tracks. It sees the old trace and writes the new
    /// slices of the track: those of the old trace that it [keeps](TrackSlices::keep), and others that it
    /// [adds](TrackSlices::add). A track for which it writes nothing has no slices. Slices are written by start; those
    /// that come in another order are sorted, and those of one start stay as they were written.
    ///
    /// Everything else of the trace stays as it is. Flows follow the slices that they are bound to, and one whose slice
    /// is not kept is removed. The bounds grow with the slices that are added. A pair whose outer pair is not kept has the
    /// [depth](SliceFlags::open_depth) that it has without it.
    ///
    /// ```
    /// use spall_model::SliceFlags;
    /// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for (name, start, duration) in [("frame", 0, 100), ("draw", 40, 50), ("tiny", 41, 1)] {
    /// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
    /// #     builder.push(&Event::Complete(event, Ticks(duration)));
    /// # }
    /// # let trace = builder.finish(); // frame 0..100, draw 40..90, tiny 41..42
    /// let trace = trace.with_slices(|old, track, slices| {
    ///     for (id, slice) in old.slices_of(track) {
    ///         if slice.duration() >= Ticks(10) {
    ///             slices.keep(id);
    ///         }
    ///     }
    /// });
    /// let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name)).collect();
    /// assert_eq!(names, ["frame", "draw"]);
    /// ```
    #[must_use]
    pub fn with_slices(mut self, mut derive: impl FnMut(&Self, TrackId, &mut TrackSlices<'_>)) -> Self {
        let mut new = NewSlices::new(&self);
        let mut ranges = Vec::with_capacity(self.tracks.len());
        for track in (0..).map(TrackId).take(self.tracks.len()) {
            let from = new.slices.len();
            let (sampled_from, room_before) = (new.sampled.len(), new.room_to_add);
            let mut slices = TrackSlices { old: &self, new: &mut new, from, sampled_from };
            derive(&self, track, &mut slices);
            slices.sort();
            if new.room_to_add < room_before {
                new.extend_bounds(from);
            }
            new.settle_depths(&self, track);
            ranges.push(index32(from)..index32(new.slices.len()));
        }
        new.replace(&mut self);
        for (track, range) in self.tracks.iter_mut().zip(ranges) {
            track.slices = range;
        }
        self
    }
}

/// A list that takes the new slices of one track, for [`Trace::with_slices`].
///
/// [`Trace::with_slices`] has an example.
#[derive(Debug)]
pub struct TrackSlices<'n> {
    old: &'n Trace,
    new: &'n mut NewSlices,
    /// The position of the track's first new slice in `new.slices`, and of its first entry in `new.sampled`.
    from: usize,
    sampled_from: usize,
}

impl TrackSlices<'_> {
    /// Adds a slice of the old trace, with its arguments, and with the samples it was inferred from, if any. Returns
    /// `false` if there is no such slice, or if the trace already has as many slices as it can number.
    ///
    /// Flows stay bound to the slice. If a slice is kept more than once, they are bound to its last copy.
    #[inline]
    pub fn keep(&mut self, id: SliceId) -> bool {
        let Some(slice) = self.old.slice(id) else { return false };
        let sampled = if slice.flags.contains(SliceFlags::SAMPLED) { self.old.sampled(id) } else { None };
        let Some(new_id) = self.push(slice, self.old.slices.args[id.index()], sampled) else { return false };
        self.new.new_ids[id.index()] = new_id;
        true
    }

    /// Adds the part of a slice of the old trace that is inside a range, like [`TrackSlices::keep`]. A part does not say how many
    /// samples the slice was inferred from, and its end is known.
    pub(crate) fn keep_within(&mut self, id: SliceId, range: &Range<Tick>) -> bool {
        let Some(slice) = self.old.slice(id) else { return false };
        let flags = if slice.end > range.end {
            slice.flags.without(SliceFlags::UNFINISHED.with(SliceFlags::CARRIES_AT_END))
        } else {
            slice.flags
        };
        let (start, end) = (slice.start.max(range.start), slice.end.min(range.end));
        let sampled = self.old.sampled(id).map(|sampled| Sampled { hits: 0, ..sampled });
        let part = Slice { start, end, flags, ..slice };
        let Some(new_id) = self.push(part, self.old.slices.args[id.index()], sampled) else { return false };
        self.new.new_ids[id.index()] = new_id;
        true
    }

    /// Adds a slice that the old trace does not have. It has no arguments. `sampled` holds the call frame and the
    /// samples from which a slice with [`SliceFlags::SAMPLED`] was inferred, and is `None` for any other slice.
    ///
    /// An end before the start is moved to the start. Returns `false` if there is no room for more slices, because a
    /// trace can number 2³² − 2 and as many are reserved as the old trace has.
    #[inline]
    pub fn add(&mut self, slice: Slice, sampled: Option<Sampled>) -> bool {
        if self.new.room_to_add == 0 {
            return false;
        }
        self.new.room_to_add -= 1;
        let slice = Slice { end: slice.end.max(slice.start), ..slice };
        self.push(slice, ArgsId::NONE, sampled).is_some()
    }

    /// Makes room for more slices: `n_slices` in all, of which `n_sampled` were inferred from samples. A caller that knows
    /// the numbers saves the list from growing step by step.
    pub fn reserve(&mut self, n_slices: usize, n_sampled: usize) {
        self.new.slices.reserve(n_slices);
        self.new.sampled.reserve(n_sampled);
    }

    /// Records that slices are missing because there would be too many. The new trace reports this once, as
    /// [`DiagnosticKind::SliceLimit`].
    pub fn mark_incomplete(&mut self) {
        self.new.is_incomplete = true;
    }

    /// Appends a slice and returns its number, or `None` if the trace can number no more slices.
    #[inline]
    fn push(&mut self, slice: Slice, args: ArgsId, sampled: Option<Sampled>) -> Option<SliceId> {
        let id = SliceId(u32::try_from(self.new.slices.len()).ok().filter(|&id| id < MAX_SLICES)?);
        push_column_by_column(&mut self.new.slices, slice, args);
        if let Some(sampled) = sampled {
            self.new.sampled.push((id, sampled));
        }
        Some(id)
    }

    /// Brings the slices of the track into the order of their starts.
    fn sort(&mut self) {
        let (from, to) = (self.from, self.new.slices.len());
        if self.new.slices.start[from..].is_sorted() {
            return;
        }
        let order = order_of(self.new.slices.start[from..].iter().map(|start| start.0).collect());
        let slices = &mut self.new.slices;
        permute(&mut slices.start[from..], &order);
        permute(&mut slices.end[from..], &order);
        permute(&mut slices.name[from..], &order);
        permute(&mut slices.category[from..], &order);
        permute(&mut slices.args[from..], &order);
        permute(&mut slices.flags[from..], &order);
        // Tracks before this one that needed no sorting keep their numbers, so that the gap is filled with the
        // identity.
        let moved = &mut self.new.moved;
        moved.extend((index32(moved.len())..index32(to)).map(SliceId));
        for (at, &was) in order.iter().enumerate() {
            moved[from + was] = SliceId(index32(from + at));
        }
        let sampled = &mut self.new.sampled[self.sampled_from..];
        sampled.iter_mut().for_each(|(id, _)| *id = moved[id.index()]);
        sort_by_number(sampled, |&(id, _)| id.0.into());
    }
}

/// Adds a slice to all columns.
// Not inlined: the columns do not fit in the registers of the loop that keeps and adds slices, which then takes 6 % more
// instructions in a merge of samples.
#[inline(never)]
fn push_column_by_column(slices: &mut Slices, slice: Slice, args: ArgsId) {
    slices.push(slice, args);
}

/// The new slices of all tracks so far.
#[derive(Debug)]
struct NewSlices {
    slices: Slices,
    sampled: Vec<(SliceId, Sampled)>,
    /// The new number of each slice of the old trace; [`NOT_KEPT`] for a slice that was not kept.
    new_ids: Vec<SliceId>,
    /// The number that sorting gave each new slice, by the number it had before, up to the end of the last track that
    /// was sorted. It is applied to `new_ids` once at the end, because a pass over all of them for each track would
    /// cost tracks times slices.
    moved: Vec<SliceId>,
    /// The number of slices that may still be added beside those of the old trace.
    room_to_add: u32,
    bounds: Option<(Tick, Tick)>,
    is_incomplete: bool,
}

/// The number of slices that a trace can have.
const MAX_SLICES: u32 = u32::MAX - 1;

/// The new number of a slice that was not kept.
const NOT_KEPT: SliceId = SliceId(u32::MAX);

impl NewSlices {
    /// Returns an empty list of new slices for a trace.
    fn new(trace: &Trace) -> Self {
        Self {
            slices: Slices::default(),
            sampled: Vec::new(),
            new_ids: alloc::vec![NOT_KEPT; trace.slices.len()],
            moved: Vec::new(),
            room_to_add: MAX_SLICES.saturating_sub(index32(trace.slices.len())),
            bounds: trace.bounds,
            is_incomplete: false,
        }
    }

    /// Makes the bounds include the slices of the last track, which are sorted and begin at `from`.
    // The order and the bounds of a track are looked at once it is complete. To keep both up to date with each slice takes
    // 12 % more instructions in a merge of samples.
    fn extend_bounds(&mut self, from: usize) {
        let (starts, ends) = (&self.slices.start[from..], &self.slices.end[from..]);
        if let (Some(&start), Some(&end)) = (starts.first(), ends.iter().max()) {
            let (min, max) = self.bounds.unwrap_or((start, end));
            self.bounds = Some((min.min(start), max.max(end)));
        }
    }

    /// Gives the pairs of a track the depth that they have without those that are not kept.
    fn settle_depths(&mut self, trace: &Trace, track: TrackId) {
        let range = trace.tracks[track.index()].slices().indices();
        let new_ids = &self.new_ids[range.clone()];
        let pairs = range.zip(new_ids).filter(|&(old, _)| trace.slices.flags[old].is_paired());
        if !pairs.clone().any(|(_, &id)| id == NOT_KEPT) {
            return;
        }
        let mut open = OpenPairs::default();
        for (old, &id) in pairs {
            let Slices { start, end, flags, .. } = &trace.slices;
            if id == NOT_KEPT {
                open.leave_out(start[old], end[old], flags[old]);
                continue;
            }
            let id = self.moved.get(id.index()).copied().unwrap_or(id);
            self.slices.flags[id.index()] = open.keep(start[old], end[old], flags[old]);
        }
    }

    /// Puts the new slices into the trace, and binds its flows to them.
    fn replace(self, trace: &mut Trace) {
        let Self { mut new_ids, moved, .. } = self;
        for id in &mut new_ids {
            *id = moved.get(id.index()).copied().unwrap_or(*id);
        }
        trace.flows.retain_mut(|flow| {
            flow.from = new_ids[flow.from.index()];
            flow.to = new_ids[flow.to.index()];
            flow.from != NOT_KEPT && flow.to != NOT_KEPT
        });
        trace.slices = self.slices;
        if !trace.said_spans.is_empty() {
            keep_parents(trace, &new_ids);
        }
        trace.sampled = self.sampled;
        trace.bounds = self.bounds;
        if self.is_incomplete {
            trace.diagnostics.add(DiagnosticKind::SliceLimit, ByteRange::default(), None);
        }
    }
}

/// Gives the spans of a trace that has other slices now the parents that they have among those. The parent of a span is the
/// nearest one above it that was kept, and the span says the id of that one. `new_ids` has the new id of each old slice.
fn keep_parents(trace: &mut Trace, new_ids: &[SliceId]) {
    let said = core::mem::take(&mut trace.said_spans);
    let of = |old: SliceId| said.binary_search_by_key(&old, |span| span.slice).ok().map(|at| said[at]);
    let old_parents = core::mem::take(&mut trace.span_parents);
    let mut nearest = AlongParents::default();
    let (mut spans, mut pairs) = (Vec::new(), Vec::new());
    for &span in said.iter().filter(|span| new_ids[span.slice.index()] != NOT_KEPT) {
        let slice = new_ids[span.slice.index()];
        let kept = old_parents.parent(span.slice).and_then(|said| {
            nearest.get(&old_parents, said.parent, |old, above: Option<Option<SliceId>>| {
                if new_ids[old.index()] == NOT_KEPT { above.flatten() } else { Some(old) }
            })
        });
        let parent = kept.and_then(of).map_or(span.parent, |kept| kept.span);
        spans.push(SaidSpan { slice, parent, ..span });
        pairs.extend(kept.map(|kept| (slice, new_ids[kept.index()])));
    }
    spans.sort_unstable_by_key(|span| span.slice);
    pairs.sort_unstable();
    trace.span_parents = SpanParents::new(&pairs, &trace.slices);
    trace.said_spans = spans;
}

#[cfg(test)]
mod tests;

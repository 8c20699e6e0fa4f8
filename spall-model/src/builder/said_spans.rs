//! Async spans that say an id or a parent. [pairing 5](crate::rules::pairing#5)
#![allow(clippy::indexing_slicing, reason = "rows and spans are numbered by the builder")]

use alloc::vec::Vec;
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

mod families;

use crate::{
    ByteRange, DiagnosticKind, Key, SliceFlags, SliceId, Slices, SpanParents, Tick,
    span_parents::{NO_ID, SaidSpan},
};

use self::families::Families;
use super::{TraceBuilder, cycles::cut_cycles, reports::Spot, rows::Rows};

/// The row of a span that says an id or a parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct SaidRow {
    pub(super) row: u32,
    /// The place of the span in the file among those of its track that say an id or a parent.
    pub(super) order: u32,
    /// The id of the span and that of its parent; the empty text stands for none.
    pub(super) span: Key,
    pub(super) parent: Key,
    pub(super) bytes: ByteRange,
}

/// The position of the span of a row that says neither an id nor a parent.
const SAYS_NONE: u32 = u32::MAX;

/// The spans of a builder that say an id or a parent, and the spans above them.
#[derive(Debug, Default)]
pub(super) struct SaidSpans {
    /// The spans, by their rows.
    spans: Vec<SaidRow>,
    /// The position of the span of each row, or [`SAYS_NONE`].
    of_row: Vec<u32>,
    /// The position of the nearest span of the same track above each span.
    parents: Vec<Option<usize>>,
    /// The number of spans above each span, those of other processes included.
    depths: Vec<u32>,
    /// Whether each track has such spans, by builder number.
    tracks: Vec<bool>,
}

impl SaidSpans {
    /// Finds the parents of the spans that say them. Where none says one, there is nothing to do.
    ///
    /// What other slices of the same tracks say of depth has no meaning any more, and is removed.
    pub(super) fn new(builder: &mut TraceBuilder, rows: &mut Rows) -> Self {
        let mut spans = core::mem::take(&mut builder.spans.said_rows);
        if spans.is_empty() {
            return Self::default();
        }
        spans.sort_unstable_by_key(|span| span.row);
        let mut of_row = alloc::vec![SAYS_NONE; rows.len()];
        for (position, span) in (0..).zip(&spans) {
            of_row[span.row as usize] = position;
        }
        let mut tracks = alloc::vec![false; builder.registry.tracks.len()];
        let track_of: Vec<u32> = spans.iter().map(|span| rows.track(span.row)).collect();
        for &track in &track_of {
            tracks[track as usize] = true;
            builder.registry.track_mut(track).in_order = false;
        }
        rows.change_flags(|track, flags| match tracks[track as usize] {
            true => flags.without(SliceFlags::PAIRED).with_open_depth(0),
            false => flags,
        });
        let place = |span: &SaidRow| (rows.start(span.row), Reverse(rows.end(span.row)), span.row);
        let spot = |span: &SaidRow| Spot::new(span.bytes, rows.start(span.row));
        let mut parents = find_parents(&spans, &track_of);
        let mut families = Families::new(rows, &spans, &track_of);
        families.find_parents(&mut parents, builder);
        for (span, parent) in spans.iter().zip(&parents) {
            if span.parent != NO_ID && parent.is_none() {
                builder.diagnostics.add_at(DiagnosticKind::LostSpanParent, spot(span));
            }
        }
        for cut in cut_circles(&mut parents, |span| place(&spans[span])) {
            builder.diagnostics.add_at(DiagnosticKind::CircularSpan, spot(&spans[cut]));
        }
        let depths = depths(&parents);
        families.add_flows(&parents, builder);
        let parents = families::nearest_of_track(parents, &track_of);
        let said = Self { spans, of_row, parents, depths, tracks };
        said.name_tracks(builder, rows);
        said
    }

    /// Gives each track the name of its first root that has one, or else of its first span that has one.
    fn name_tracks(&self, builder: &mut TraceBuilder, rows: &Rows) {
        let mut first = alloc::vec![None; self.tracks.len()];
        for (track, run) in rows.runs().filter(|&(track, _)| self.has_track(track)) {
            let first = &mut first[track as usize];
            for row in run.filter(|&row| !rows.name(row).is_empty()) {
                let place = (self.is_below(row), self.place(row, rows));
                if first.is_none_or(|first| place < first) {
                    *first = Some(place);
                }
            }
        }
        for (track, first) in (0..).zip(first) {
            if let Some((_, (.., row))) = first {
                builder.registry.track_mut(track).name = rows.name(row);
            }
        }
    }

    /// Returns whether a row is below another one of its track.
    fn is_below(&self, row: u32) -> bool {
        let said = self.of_row.get(row as usize).filter(|&&said| said != SAYS_NONE);
        said.is_some_and(|&said| self.parents[said as usize].is_some())
    }

    /// Returns by what the rows of a track are sorted: by start, the longer ones first, then those with fewer spans above them,
    /// so that a span comes before those below it, and then in the order in which they were added.
    fn place(&self, row: u32, rows: &Rows) -> (Tick, Reverse<Tick>, u32, u32) {
        let said = self.of_row.get(row as usize).filter(|&&said| said != SAYS_NONE);
        let depth = said.map_or(0, |&said| self.depths[said as usize]);
        (rows.start(row), Reverse(rows.end(row)), depth, row)
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns whether a track has spans that say an id or a parent.
    pub(super) fn has_track(&self, track: u32) -> bool {
        self.tracks.get(track as usize).is_some_and(|&says| says)
    }

    /// Sorts the rows of a track that has such spans.
    pub(super) fn sort_track(&self, order: &mut [u32], rows: &Rows) {
        order.sort_by_cached_key(|&row| self.place(row, rows));
    }

    /// Returns the spans as the trace has them, and their families.
    pub(super) fn finish(self, slice_of_row: &[u32], slices: &Slices) -> (Vec<SaidSpan>, SpanParents) {
        let slice = |span: usize| SliceId(slice_of_row[self.spans[span].row as usize]);
        let mut order: Vec<(SliceId, usize)> =
            (0..self.spans.len()).map(|span| (slice(span), span)).collect();
        order.sort_unstable();
        let said = order.iter().map(|&(slice, position)| {
            let SaidRow { order, span, parent, .. } = self.spans[position];
            SaidSpan { slice, order, span, parent }
        });
        let spans = said.collect();
        let pairs = order.iter().filter_map(|&(of, span)| Some((of, slice(self.parents[span]?))));
        let pairs: Vec<_> = pairs.collect();
        (spans, SpanParents::new(&pairs, slices))
    }
}

/// The start of a span, its end, the later one first, and its row.
type Place = (Tick, Reverse<Tick>, u32);

/// Returns the position of the parent of each span on its track. Of several spans of one id on a track the first one in the
/// file counts.
fn find_parents(spans: &[SaidRow], track_of: &[u32]) -> Vec<Option<usize>> {
    let mut parents = alloc::vec![None; spans.len()];
    let mut by_track: Vec<usize> = (0..spans.len()).collect();
    by_track.sort_by_key(|&at| track_of[at]);
    for track in by_track.chunk_by(|&a, &b| track_of[a] == track_of[b]) {
        let mut by_id = HashMap::with_capacity_and_hasher(track.len(), RandomState::default());
        for &at in track.iter().filter(|&&at| spans[at].span != NO_ID) {
            let first = by_id.entry(spans[at].span).or_insert(at);
            if spans[at].order < spans[*first].order {
                *first = at;
            }
        }
        for &at in track {
            parents[at] = by_id.get(&spans[at].parent).copied();
        }
    }
    parents
}

/// Makes a root of the first span of each circle of parents, by `place`. Returns these spans.
fn cut_circles(parents: &mut [Option<usize>], place: impl Fn(usize) -> Place) -> Vec<usize> {
    // All spans of circles, each before its parent, one circle after the other.
    let mut circles: Vec<(usize, usize)> = Vec::new();
    cut_cycles(
        parents,
        |parent| *parent,
        |parent, span| circles.extend(parent.take().map(|parent| (span, parent))),
    );
    let mut cut = Vec::new();
    let mut rest = circles.as_slice();
    while let Some(&(first, _)) = rest.first() {
        let end = rest.iter().position(|&(_, parent)| parent == first).map_or(rest.len(), |last| last + 1);
        let (circle, others) = rest.split_at(end);
        rest = others;
        let root = circle.iter().map(|&(span, _)| span).min_by_key(|&span| place(span)).unwrap_or(first);
        cut.push(root);
        for &(span, parent) in circle.iter().filter(|&&(span, _)| span != root) {
            parents[span] = Some(parent);
        }
    }
    cut
}

/// Returns the number of spans above each span. No span is above itself.
fn depths(parents: &[Option<usize>]) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths = alloc::vec![UNKNOWN; parents.len()];
    let mut path = Vec::new();
    for span in 0..parents.len() {
        let mut next = Some(span);
        let mut depth = 0;
        while let Some(span) = next {
            if depths[span] != UNKNOWN {
                depth = depths[span] + 1;
                break;
            }
            path.push(span);
            next = parents[span];
        }
        for span in path.drain(..).rev() {
            depths[span] = depth;
            depth += 1;
        }
    }
    depths
}

#[cfg(test)]
mod tests;

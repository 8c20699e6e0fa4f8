//! Packs many short tracks into few lines. [layout 17](crate::rules::layout#17)

use alloc::collections::BinaryHeap;
use alloc::{sync::Arc, vec::Vec};
use core::cmp::Reverse;
use core::ops::Range;

use spall_model::{SliceId, Tick, TrackId, index32};

use crate::free_lines::FreeLines;
use crate::{LayoutView, Row};

/// The slices of many tracks, packed into few lines.
///
/// This suits the async spans of a process, where each id has a track of its own.
///
/// [`VerticalStyle::packs`](crate::VerticalStyle::packs) shows these lines instead of the rows of the tracks. Slices
/// of a track that overlap in time, directly or through others, are a group and stay together: a group takes as many
/// neighbouring lines as the track has rows there.
///
/// Clones share the slices, and cost nothing.
///
/// ```
/// use spall_layout::{Layout, Packed, RowId};
/// # use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, Text, Tick, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for id in 0..100 {
/// #     for (phase, at) in [(AsyncPhase::Begin, id * 10), (AsyncPhase::End, id * 10 + 25)] {
/// #         let event = KeyedEvent::new(1_i64, Tick(at), id, Text::plain(b"load"));
/// #         builder.push(&Event::Async(phase, event));
/// #     }
/// # }
/// # let trace = builder.finish();
/// let layout = Layout::new(&trace);
/// assert_eq!(layout.rows().len(), 100); // a hundred ids, of which three overlap at any time
/// let packed = Packed::new(&layout, (0..100).map(TrackId));
/// assert_eq!(packed.lines().len(), 3);
/// assert_eq!(packed.lines()[0].view(RowId(0)).len(), 34);
/// ```
#[doc(alias("compact"))]
#[derive(Debug, Clone, Default)]
pub struct Packed {
    tracks: Arc<[TrackId]>,
    lines: Arc<[Row]>,
    /// The groups, ordered by track and start.
    groups: Arc<[Group]>,
}

/// Slices of a track that overlap in time, directly or through others.
#[derive(Debug, Clone)]
struct Group {
    track: TrackId,
    start: Tick,
    /// The time from which on others may use its lines. It is at least a tick after the start, so that points do not
    /// coincide.
    end: Tick,
    /// The number of lines that the group takes.
    height: u32,
    /// The first of its lines.
    line: u32,
    /// The positions of its slices in the list of all members.
    members: Range<usize>,
}

/// A slice of a group.
struct Member {
    slice: SliceId,
    start: Tick,
    end: Tick,
    /// The row, counted from the first of the track.
    level: u32,
}

impl Packed {
    /// Packs the slices of `tracks`, which should not name a track twice. This takes O(n log n) for n slices.
    ///
    /// Groups get their lines in the order in which they begin. So a group that begins later never moves the ones before
    /// it, unless one of these becomes higher while it runs.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "runs of members, and lines that were made")]
    pub fn new(layout: &impl LayoutView, tracks: impl IntoIterator<Item = TrackId>) -> Self {
        let tracks: Arc<[_]> = tracks.into_iter().collect();
        let (mut groups, mut members) = (Vec::new(), Vec::new());
        for &track in &*tracks {
            add_groups(layout, track, &mut groups, &mut members);
        }
        groups.sort_by_key(|group: &Group| (group.start, group.track));
        assign_lines(&mut groups);
        let mut lines = Vec::new();
        for group in &groups {
            for member in &members[group.members.clone()] {
                let line = (group.line + member.level) as usize;
                if lines.len() <= line {
                    lines.resize_with(line + 1, Row::new);
                }
                lines[line].push(member.start, member.end, member.slice);
            }
        }
        groups.sort_by_key(|group| (group.track, group.start));
        Self { tracks, lines: lines.into(), groups: groups.into() }
    }

    /// Returns the lines from top to bottom. Each line is a row that can be queried for rectangles.
    #[must_use]
    pub fn lines(&self) -> &[Row] {
        &self.lines
    }

    /// Returns the tracks that were packed, as [`Packed::new`] got them.
    #[must_use]
    pub fn tracks(&self) -> &[TrackId] {
        &self.tracks
    }

    /// Returns the number of slices on all lines.
    #[must_use]
    pub fn n_slices(&self) -> usize {
        self.groups.iter().map(|group| group.members.len()).sum()
    }

    /// Returns the position in [`Packed::lines`] of the line of a slice, or `None` if it was not packed.
    ///
    /// `layout` must be the layout that the slices were packed from. This takes O(log n + rows of the track).
    #[must_use]
    pub fn line_of(&self, layout: &impl LayoutView, slice: SliceId) -> Option<u32> {
        let placed = layout.place(slice)?;
        let behind =
            self.groups.partition_point(|group| (group.track, group.start) <= (placed.track, placed.start));
        let group = self.groups.get(behind.checked_sub(1)?)?;
        let level = layout.track_rows(placed.track).position(|row| row == placed.row)?;
        (group.track == placed.track).then_some(group.line + index32(level))
    }
}

/// Splits a track into groups at the times at which nothing runs.
fn add_groups(layout: &impl LayoutView, track: TrackId, groups: &mut Vec<Group>, members: &mut Vec<Member>) {
    let first = members.len();
    for (row, level) in layout.track_rows(track).zip(0..) {
        let Some(row) = layout.row(row) else { continue };
        let slices = row.slices().iter().zip(row.starts()).zip(row.ends());
        members.extend(slices.map(|((&slice, &start), &end)| Member { slice, start, end, level }));
    }
    let added = members.get_mut(first..).unwrap_or_default();
    added.sort_unstable_by_key(|member| (member.start, member.level, member.slice));
    let mut open: Option<Group> = None;
    for (at, member) in members.iter().enumerate().skip(first) {
        let end = member.end.max(Tick(member.start.0.saturating_add(1)));
        match &mut open {
            Some(group) if member.start < group.end => {
                group.end = group.end.max(end);
                group.height = group.height.max(member.level + 1);
                group.members.end = at + 1;
            }
            _ => {
                let (start, height, members) = (member.start, member.level + 1, at..at + 1);
                groups.extend(open.replace(Group { track, start, end, height, line: 0, members }));
            }
        }
    }
    groups.extend(open);
}

/// Gives each group in turn the lowest lines that are free at that time. `groups` are ordered by start.
fn assign_lines(groups: &mut [Group]) {
    let mut free_lines = FreeLines::new();
    let mut ends: BinaryHeap<Reverse<(Tick, u32, u32)>> = BinaryHeap::new();
    for group in groups {
        // Lines of groups that are over become free before the search for this one.
        while let Some(&Reverse((end, line, height))) = ends.peek()
            && end <= group.start
        {
            ends.pop();
            free_lines.free(line..line + height);
        }
        group.line = free_lines.take(group.height);
        ends.push(Reverse((group.end, group.line, group.height)));
    }
}

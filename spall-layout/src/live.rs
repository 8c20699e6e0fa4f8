//! A layout that grows with its trace. [layout 18](crate::rules::layout#18)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

mod view;

use alloc::{collections::BTreeMap, vec::Vec};

use spall_model::nest::Nesting;
use spall_model::{LiveSnapshot, SliceFlags, SliceId, Tick, TraceView, TrackId};

pub use self::view::LiveView;
use crate::{Row, RowId, RowInfo};

/// The layout of a live trace, which grows with it.
///
/// [`LiveLayout::update`] adds one commit of the trace and returns a [`LiveView`], which answers queries. A slice that begins
/// after everything else on its track is placed as it comes, and nothing else moves. Where a slice comes late, the
/// slices that begin with it or after it are placed again. The result looks like the layout of the finished trace, with
/// open slices drawn up to the present. [layout 18](crate::rules::layout#18)
///
/// An update costs amortised O(1) for each new slice, O(1) for each slice that moved and for each open one, and
/// O(log n) for each row of a track where a slice moved.
///
/// ```
/// use spall_layout::{LineRect, LiveLayout, Vertical, VerticalStyle, Viewport};
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, TraceView};
/// let event = |name, at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(name));
/// let mut trace = LiveTrace::new(&Limits::default());
/// let mut live = LiveLayout::new();
/// for event in [
///     Event::Begin(event(b"frame", 0)),
///     Event::Begin(event(b"draw", 20)),
///     Event::End(event(b"draw", 50)),
/// ] {
///     trace.push(&event);
/// }
///
/// // For each picture that is drawn.
/// let committed = trace.commit();
/// let view = live.update(&committed, Tick(80));
///
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let vertical = Vertical::new(&committed, &view, &VerticalStyle::FLAT);
/// let mut rects = Vec::new();
/// vertical.rects(0..vertical.height(), &view, &viewport, &mut rects);
/// let name = |found: &LineRect| committed.slice_name(found.rect.slice);
/// let drawn: Vec<_> = rects.iter().map(|found| (name(found), found.rect.x0..found.rect.x1)).collect();
/// assert_eq!(drawn, [("frame".into(), 0..8), ("draw".into(), 2..5)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct LiveLayout {
    /// The number of the last commit that was added.
    commit: u64,
    tracks: Vec<LiveTrack>,
    rows: Vec<LiveRow>,
    /// The rows that the last update of a commit has changed.
    changed: Vec<RowId>,
    /// Open slices that are drawn to the present. Each is the last one of its row.
    open: BTreeMap<SliceId, RowId>,
    /// Open slices inside a slice that has ended; they are drawn to its end.
    clipped: BTreeMap<SliceId, RowId>,
}

/// A track of a live trace, with the state that it takes to place its next slice.
#[derive(Debug, Clone)]
struct LiveTrack {
    nesting: Nesting,
    /// The number of slices that were placed, in the order of the track.
    n_placed: usize,
    /// The rows of the track, by lane and depth.
    lanes: Vec<Vec<RowId>>,
}

/// A row of a live layout.
#[derive(Debug, Clone)]
struct LiveRow {
    row: Row,
    info: RowInfo,
    /// The number of slices that are as they were before the last update; all if the row is not among the changed ones.
    n_kept: usize,
    is_changed: bool,
}

impl LiveRow {
    /// Says that the slices from a position on are about to change.
    fn change(&mut self, from: usize) -> bool {
        self.n_kept = if self.is_changed { self.n_kept.min(from) } else { from };
        !core::mem::replace(&mut self.is_changed, true)
    }
}

impl LiveLayout {
    /// Creates the layout of a trace without commits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a commit of the trace and returns the layout for queries.
    ///
    /// Open slices are drawn to `now`, or to the latest time of their track if that is later. Pass every commit of one
    /// trace, in order. After a commit that was left out, all slices are placed again and rows get new numbers. The
    /// same commit may be passed again with a later `now`.
    pub fn update<'l>(&'l mut self, trace: &LiveSnapshot<'l>, now: Tick) -> LiveView<'l> {
        self.update_slices(trace, now, |_| true)
    }

    /// Does the same with the slices for which `is_shown` returns true, as [`Layout::of_slices`](crate::Layout::of_slices) does for a
    /// finished trace. Slices that were placed before stay, so begin with a new layout if others are to be shown.
    pub fn update_slices<'l>(
        &'l mut self,
        trace: &LiveSnapshot<'l>,
        now: Tick,
        is_shown: impl Fn(SliceId) -> bool,
    ) -> LiveView<'l> {
        let has_missed_some = trace.number() > self.commit + 1 || trace.number() < self.commit;
        if has_missed_some {
            *self = Self::new();
        }
        for row in self.changed.drain(..) {
            self.rows[row.index()].is_changed = false;
        }
        let new_track = || LiveTrack { nesting: Nesting::default(), n_placed: 0, lanes: Vec::new() };
        self.tracks.resize_with(trace.tracks().len(), new_track);
        if has_missed_some {
            for track in trace.tracks() {
                self.place_from(trace, track.id(), 0, &is_shown);
            }
        } else if trace.number() != self.commit {
            // Ends first: new slices nest by the ends that are known now.
            for &slice in trace.ended() {
                self.end(trace, slice);
            }
            for track in trace.changed().iter().filter_map(|&track| trace.track(track)) {
                self.place_from(trace, track.id(), track.new_slices().start, &is_shown);
            }
        }
        self.commit = trace.number();
        self.draw_open(trace, now);
        self.view(trace)
    }

    /// Returns the layout for queries, as the last update left it. `trace` is the snapshot of the commit that was added last.
    #[must_use]
    pub fn view<'l>(&'l self, trace: &LiveSnapshot<'l>) -> LiveView<'l> {
        LiveView { live: self, trace: *trace }
    }

    /// Places the slices of a track from a position on. Slices that have a place there already are removed first.
    fn place_from(
        &mut self,
        trace: &LiveSnapshot<'_>,
        track: TrackId,
        from: usize,
        is_shown: &impl Fn(SliceId) -> bool,
    ) {
        let slices = trace.track(track).map_or(&[][..], |track| track.slices());
        let n_placed = core::mem::replace(&mut self.tracks[track.index()].n_placed, slices.len());
        if from < n_placed
            && let Some(first) = trace.slice(slices[from])
        {
            self.cut(trace, track, first.start);
        }
        for &slice in slices[from..].iter().filter(|&&slice| is_shown(slice)) {
            self.place(trace, track, slice);
        }
    }

    /// Adds a slice to the row that its track's nesting chooses.
    fn place(&mut self, trace: &LiveSnapshot<'_>, track: TrackId, id: SliceId) {
        let Some(slice) = trace.slice(id) else { return };
        let is_open = slice.flags.is_unfinished();
        // As if an open slice lasted for ever: whatever begins before it ends is inside it.
        let end = if is_open { Tick::MAX } else { slice.end };
        let placement = self.tracks[track.index()].nesting.place(id.0, slice.start, end, slice.flags);
        let row = self.row_at(track, placement.lane, placement.depth);
        if is_open {
            // A slice that is placed again may have been in the other list.
            self.open.remove(&id);
            self.clipped.remove(&id);
            let open = if placement.end == Tick::MAX { &mut self.open } else { &mut self.clipped };
            open.insert(id, row);
        }
        self.change(row, self.rows[row.index()].row.n_slices());
        self.rows[row.index()].row.push(slice.start, placement.end, id);
    }

    /// Returns the row of a track at a lane and depth. This adds the row if there is none yet.
    fn row_at(&mut self, track: TrackId, lane: u32, depth: u32) -> RowId {
        let lanes = &mut self.tracks[track.index()].lanes;
        lanes.resize_with(lanes.len().max(lane as usize + 1), Vec::new);
        let lane_rows = &mut lanes[lane as usize];
        while lane_rows.len() <= depth as usize {
            // There are fewer rows than slices.
            let depth = u32::try_from(lane_rows.len()).unwrap_or(u32::MAX);
            lane_rows.push(RowId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX)));
            self.rows.push(LiveRow {
                row: Row::new(),
                info: RowInfo { track, lane, depth },
                n_kept: 0,
                is_changed: false,
            });
        }
        lane_rows[depth as usize]
    }

    /// Says that the slices of a row from a position on are about to change.
    fn change(&mut self, row: RowId, from: usize) {
        if self.rows[row.index()].change(from) {
            self.changed.push(row);
        }
    }

    /// Gives an open slice its end.
    fn end(&mut self, trace: &LiveSnapshot<'_>, id: SliceId) {
        let Some(slice) = trace.slice(id) else { return };
        let (open, clipped) = (self.open.remove(&id), self.clipped.remove(&id));
        // A slice without a row is placed for the first time in this commit.
        let Some(row) = open.or(clipped) else { return };
        self.change(row, self.rows[row.index()].row.n_before(slice.start));
        let LiveRow { row, info, .. } = &mut self.rows[row.index()];
        match open {
            Some(_) => row.set_last_end(slice.end),
            None => row.shorten(slice.start, id, slice.end),
        }
        self.tracks[info.track.index()].nesting.close(id.0, info.lane, info.depth, slice.end);
    }

    /// Moves the ends of open slices to `now`, or to the latest time of their track.
    fn draw_open(&mut self, trace: &LiveSnapshot<'_>, now: Tick) {
        for row in self.open.values() {
            let LiveRow { row, info, .. } = &mut self.rows[row.index()];
            let latest = trace.track(info.track).and_then(|track| track.bounds());
            row.set_last_end(latest.map_or(now, |bounds| bounds.end.max(now)));
        }
    }

    /// Removes the slices of a track that start at `from` or later, and takes the nesting back to that time.
    fn cut(&mut self, trace: &LiveSnapshot<'_>, track: TrackId, from: Tick) {
        let Self { tracks, rows, changed, .. } = self;
        let LiveTrack { nesting, lanes, .. } = &mut tracks[track.index()];
        // The nesting cannot go back in time, so it is emptied and told again which slices run at `from`.
        nesting.clear();
        for (lane, lane_rows) in (0..).zip(lanes) {
            for row in &*lane_rows {
                let LiveRow { row: slices, .. } = &mut rows[row.index()];
                let n_before = slices.n_slices();
                slices.cut(from);
                let n_slices = slices.n_slices();
                if n_slices < n_before && rows[row.index()].change(n_slices) {
                    changed.push(*row);
                }
            }
            let last_of = |row: &RowId| {
                let (slice, start, end) = rows[row.index()].row.last()?;
                Some((slice, start, if self.open.contains_key(&slice) { Tick::MAX } else { end }))
            };
            let running = |row: &RowId| last_of(row).is_some_and(|(_, _, end)| end >= from);
            let n_running = lane_rows.iter().rposition(running).map_or(0, |deepest| deepest + 1);
            for (slice, start, end) in lane_rows[..n_running].iter().filter_map(last_of) {
                let mut flags = trace.slice(slice).map(|slice| slice.flags).unwrap_or_default();
                // A slice that was clipped keeps that end: it is no longer drawn to the present.
                if end < Tick::MAX {
                    flags = flags.without(SliceFlags::UNFINISHED);
                }
                nesting.put_back(slice.0, lane, start, end, flags);
            }
        }
    }
}

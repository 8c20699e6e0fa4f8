//! A layout that grows with its trace. \[layout 18\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::{collections::BTreeMap, vec::Vec};

use spall_model::nest::Nesting;
use spall_model::{LiveSnapshot, SliceFlags, SliceId, Tick, TrackId};

use crate::{Options, Row, RowId, RowInfo, RowView};

/// Where the slices of a [`LiveTrace`] are drawn.
///
/// Each [`Live::update`] takes up what a commit shows as new. What begins behind everything else on its track is placed
/// as it comes, and nothing else moves; where a slice comes late, what begins with it or behind it is placed again. The
/// result looks like the layout of the finished trace, with open slices drawn up to the present. \[layout 18\]
///
/// An update costs amortised O(1) for each slice that is new, O(1) for each that moved and for each open one, and
/// O(log n) for each row of a track where one moved.
///
/// ```
/// use spall_layout::{Fidelity, Viewport, Live, Options, Scratch};
/// use spall_model::{ByteRange, Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick};
/// let event = |name, at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(name));
/// let mut trace = LiveTrace::new(&Limits::default());
/// let mut live = Live::new(&Options::default());
/// for event in [
///     Event::Begin(event(b"frame", 0)),
///     Event::Begin(event(b"draw", 20)),
///     Event::End(event(b"draw", 50)),
/// ] {
///     trace.push(&event, ByteRange::default());
/// }
///
/// // As often as there is a picture to draw.
/// let committed = trace.commit();
/// let view = live.update(&committed, Tick(80));
///
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10, Fidelity::Fast);
/// let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
/// for track in committed.display_order() {
///     for row in view.track_rows(track) {
///         view.row(row).unwrap().rects(&viewport, &mut scratch, &mut rects);
///     }
/// }
/// let name = |rect: &spall_layout::Rect| committed.name(committed.slice(rect.slice).unwrap().name);
/// let drawn: Vec<_> = rects.iter().map(|rect| (name(rect), rect.x0..rect.x1)).collect();
/// assert_eq!(drawn, [("frame".into(), 0..8), ("draw".into(), 2..5)]);
/// ```
///
/// [`LiveTrace`]: spall_model::LiveTrace
#[derive(Debug, Clone)]
pub struct Live {
    options: Options,
    /// That of the last commit that was taken up.
    commit: u64,
    tracks: Vec<LiveTrack>,
    rows: Vec<LiveRow>,
    /// Open slices that are drawn to the present. Each is the last one of its row.
    open: BTreeMap<SliceId, RowId>,
    /// Open slices that lie in one that is over, and are drawn to its end.
    clipped: BTreeMap<SliceId, RowId>,
}

#[derive(Debug, Clone)]
struct LiveTrack {
    nesting: Nesting,
    n_placed: usize,
    /// By lane and depth.
    lanes: Vec<Vec<RowId>>,
}

#[derive(Debug, Clone)]
struct LiveRow {
    row: Row,
    info: RowInfo,
}

/// A [`Live`] layout between updates.
#[derive(Debug, Clone, Copy)]
pub struct LiveView<'l> {
    live: &'l Live,
}

impl Live {
    /// Nothing yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            options: *options,
            commit: 0,
            tracks: Vec::new(),
            rows: Vec::new(),
            open: BTreeMap::new(),
            clipped: BTreeMap::new(),
        }
    }

    /// Takes up what a commit shows. Open slices are drawn to `now`, or to the latest time of their track if that is
    /// later.
    ///
    /// The commits are those of one trace, each in its turn. After one that was left out all is placed anew, and rows
    /// get new numbers.
    pub fn update(&mut self, trace: &LiveSnapshot<'_>, now: Tick) -> LiveView<'_> {
        let has_missed_some = trace.number() > self.commit + 1 || trace.number() < self.commit;
        if has_missed_some {
            *self = Self::new(&self.options);
        }
        let nesting = Nesting::new(self.options.overlap, self.options.overhang_tolerance);
        let new_track = || LiveTrack { nesting: nesting.clone(), n_placed: 0, lanes: Vec::new() };
        self.tracks.resize_with(trace.tracks().len(), new_track);
        if has_missed_some {
            for track in trace.tracks() {
                self.place_from(trace, track.id(), 0);
            }
        } else if trace.number() != self.commit {
            for &slice in trace.ended() {
                self.end(trace, slice);
            }
            for track in trace.changed().iter().filter_map(|&track| trace.track(track)) {
                self.place_from(trace, track.id(), track.new_slices().start);
            }
        }
        self.commit = trace.number();
        self.draw_open(trace, now);
        LiveView { live: self }
    }

    /// Places the slices of a track from a position on.
    fn place_from(&mut self, trace: &LiveSnapshot<'_>, track: TrackId, from: usize) {
        let slices = trace.track(track).map_or(&[][..], |track| track.slices());
        let n_placed = core::mem::replace(&mut self.tracks[track.index()].n_placed, slices.len());
        if from < n_placed
            && let Some(first) = trace.slice(slices[from])
        {
            self.cut(trace, track, first.start);
        }
        for &slice in &slices[from..] {
            self.place(trace, track, slice);
        }
    }

    fn place(&mut self, trace: &LiveSnapshot<'_>, track: TrackId, id: SliceId) {
        let Some(slice) = trace.slice(id) else { return };
        let is_open = slice.flags.is_unfinished();
        let end = if is_open { Tick::MAX } else { slice.end };
        let place = self.tracks[track.index()].nesting.place(id.0, slice.start, end, slice.flags);
        let Some(place) = place else { return };
        let row = self.row_at(track, place.lane, place.depth);
        if is_open {
            // It may have been placed elsewhere before.
            self.open.remove(&id);
            self.clipped.remove(&id);
            let open = if place.end == Tick::MAX { &mut self.open } else { &mut self.clipped };
            open.insert(id, row);
        }
        self.rows[row.0 as usize].row.push(slice.start, place.end, id);
    }

    /// The row of a track at a lane and depth, which is made if need be.
    fn row_at(&mut self, track: TrackId, lane: u32, depth: u32) -> RowId {
        let lanes = &mut self.tracks[track.index()].lanes;
        lanes.resize_with(lanes.len().max(lane as usize + 1), Vec::new);
        let lane_rows = &mut lanes[lane as usize];
        while lane_rows.len() <= depth as usize {
            // There are fewer rows than slices.
            let depth = u32::try_from(lane_rows.len()).unwrap_or(u32::MAX);
            lane_rows.push(RowId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX)));
            self.rows.push(LiveRow { row: Row::new(), info: RowInfo { track, lane, depth } });
        }
        lane_rows[depth as usize]
    }

    /// A slice ends that was open.
    fn end(&mut self, trace: &LiveSnapshot<'_>, id: SliceId) {
        let Some(slice) = trace.slice(id) else { return };
        let (open, clipped) = (self.open.remove(&id), self.clipped.remove(&id));
        // Else it has no place, or none yet.
        let Some(row) = open.or(clipped) else { return };
        let LiveRow { row, info } = &mut self.rows[row.0 as usize];
        match open {
            Some(_) => row.set_last_end(slice.end),
            None => row.shorten(slice.start, id, slice.end),
        }
        self.tracks[info.track.index()].nesting.close(id.0, info.lane, info.depth, slice.end);
    }

    /// Draws open slices to the present.
    fn draw_open(&mut self, trace: &LiveSnapshot<'_>, now: Tick) {
        for row in self.open.values() {
            let LiveRow { row, info } = &mut self.rows[row.0 as usize];
            let latest = trace.track(info.track).and_then(|track| track.bounds());
            row.set_last_end(latest.map_or(now, |bounds| bounds.end.max(now)));
        }
    }

    /// Takes away the slices of a track that start at `from` or later, and goes back there.
    fn cut(&mut self, trace: &LiveSnapshot<'_>, track: TrackId, from: Tick) {
        let LiveTrack { nesting, lanes, .. } = &mut self.tracks[track.index()];
        nesting.clear();
        for (lane, lane_rows) in (0..).zip(lanes) {
            for row in &*lane_rows {
                self.rows[row.0 as usize].row.cut(from);
            }
            let last_of = |row: &RowId| {
                let (slice, start, end) = self.rows[row.0 as usize].row.last()?;
                Some((slice, start, if self.open.contains_key(&slice) { Tick::MAX } else { end }))
            };
            let running = |row: &RowId| last_of(row).is_some_and(|(_, _, end)| end >= from);
            let n_running = lane_rows.iter().rposition(running).map_or(0, |deepest| deepest + 1);
            for (slice, start, end) in lane_rows[..n_running].iter().filter_map(last_of) {
                let mut flags = trace.slice(slice).map(|slice| slice.flags).unwrap_or_default();
                if end < Tick::MAX {
                    flags = flags.without(SliceFlags::UNFINISHED);
                }
                nesting.put_back(slice.0, lane, start, end, flags);
            }
        }
    }
}

impl<'l> LiveView<'l> {
    /// The rows of a track that have slices, by lane and depth. They are numbered as they are needed and keep their
    /// numbers.
    pub fn track_rows(&self, track: TrackId) -> impl Iterator<Item = RowId> + use<'l> {
        let Live { tracks, rows, .. } = self.live;
        let lanes = tracks.get(track.index()).map_or(&[][..], |track| &track.lanes);
        lanes.iter().flatten().copied().filter(|row| rows[row.0 as usize].row.last().is_some())
    }

    /// What a row is.
    #[must_use]
    pub fn row_info(&self, row: RowId) -> Option<RowInfo> {
        self.live.rows.get(row.0 as usize).map(|row| row.info)
    }

    /// A row to ask for its rectangles and slices.
    #[must_use]
    pub fn row(&self, row: RowId) -> Option<RowView<'l>> {
        self.live.rows.get(row.0 as usize).map(|found| found.row.view(row))
    }
}

//! A layout that grows while it is looked at. \[layout 18\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{SliceId, Tick, TrackId};

use crate::{Row, RowId, RowView};

/// The rows of tracks to which begins and ends are added as they happen.
///
/// An end closes the innermost open slice of its track, so slices nest and there is one lane. What is added is seen
/// from the next [`Live::commit`] on, which draws open slices up to the present. Everything that was drawn stays on
/// its row.
///
/// A begin or end costs amortised O(1), a commit O(1) for each open slice.
///
/// ```
/// use spall_layout::{Fidelity, Frame, Live, RowId, Scratch};
/// use spall_model::{SliceId, Tick};
/// let mut live = Live::new();
/// let main = live.add_track();
/// live.begin(main, Tick(0), SliceId(0));
/// live.begin(main, Tick(20), SliceId(1));
/// live.end(main, Tick(50));
/// let view = live.commit(Tick(80));
///
/// let frame = Frame::new(Tick(0)..Tick(100), 10, Fidelity::Fast);
/// let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
/// for &row in view.track_rows(main) {
///     view.row(row).unwrap().rects(&frame, &mut scratch, &mut rects);
/// }
/// let drawn: Vec<_> = rects.iter().map(|rect| (rect.slice.0, rect.x0..rect.x1)).collect();
/// assert_eq!(drawn, [(0, 0..8), (1, 2..5)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Live {
    tracks: Vec<LiveTrack>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
struct LiveTrack {
    /// By depth.
    rows: Vec<RowId>,
    /// How many slices are open: the last ones of as many rows.
    n_open: usize,
    /// The latest time of an event.
    latest: Tick,
}

/// A [`Live`] layout between additions.
#[derive(Debug, Clone, Copy)]
pub struct LiveView<'l> {
    live: &'l Live,
}

impl Live {
    /// No tracks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A track without slices.
    pub fn add_track(&mut self) -> TrackId {
        let track = TrackId(u32::try_from(self.tracks.len()).unwrap_or(u32::MAX));
        self.tracks.push(LiveTrack { rows: Vec::new(), n_open: 0, latest: Tick::MIN });
        track
    }

    /// A slice begins, in the innermost open one. A time before the latest of the track is moved there.
    ///
    /// Returns its row; `None` if there is no such track.
    pub fn begin(&mut self, track: TrackId, at: Tick, id: SliceId) -> Option<RowId> {
        let track = self.tracks.get_mut(track.index())?;
        track.latest = track.latest.max(at);
        if track.rows.len() == track.n_open {
            track.rows.push(RowId(u32::try_from(self.rows.len()).ok()?));
            self.rows.push(Row::new());
        }
        let row = track.rows[track.n_open];
        track.n_open += 1;
        self.rows[row.0 as usize].push(track.latest, track.latest, id);
        Some(row)
    }

    /// The innermost open slice of a track ends. A time before the latest of the track is moved there.
    ///
    /// Returns whether there was one.
    pub fn end(&mut self, track: TrackId, at: Tick) -> bool {
        let Some(track) = self.tracks.get_mut(track.index()) else { return false };
        track.latest = track.latest.max(at);
        let Some(depth) = track.n_open.checked_sub(1) else { return false };
        track.n_open = depth;
        self.rows[track.rows[depth].0 as usize].set_last_end(track.latest);
        true
    }

    /// Shows what was added. Open slices are drawn to `now`, or to the latest event of their track if that is later.
    pub fn commit(&mut self, now: Tick) -> LiveView<'_> {
        for track in &self.tracks {
            for row in &track.rows[..track.n_open] {
                self.rows[row.0 as usize].set_last_end(track.latest.max(now));
            }
        }
        LiveView { live: self }
    }
}

impl<'l> LiveView<'l> {
    /// How many tracks there are.
    #[must_use]
    pub fn n_tracks(&self) -> usize {
        self.live.tracks.len()
    }

    /// The rows of a track, by depth. They are numbered as they are needed and keep their numbers.
    #[must_use]
    pub fn track_rows(&self, track: TrackId) -> &'l [RowId] {
        self.live.tracks.get(track.index()).map_or(&[], |track| &track.rows)
    }

    /// A row to ask for its rectangles and slices.
    #[must_use]
    pub fn row(&self, row: RowId) -> Option<RowView<'l>> {
        self.live.rows.get(row.0 as usize).map(|found| found.view(row))
    }
}

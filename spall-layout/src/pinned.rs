//! Tracks that stay in sight. [layout 5.7](crate::rules::layout#5.7)

use spall_model::{ProcessId, TrackId};

use crate::{PackId, Packed, RowId, RowInfo, VerticalStyle};

/// The style of tracks that stay in sight while the others scroll: a few tracks in an order of their own, without
/// headers of processes, and otherwise as in another style.
///
/// Make a second [`Vertical`](crate::Vertical) of it, and draw that above the first one.
///
/// ```
/// use spall_layout::{Heights, Layout, LayoutOptions, Pinned, Vertical};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for thread in [1_i64, 2] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, thread), Tick(0), Text::plain(b"draw"));
/// #     builder.push(&Event::Begin(event));
/// # }
/// # let trace = builder.finish(); // two threads with a slice each
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let style = Heights { process: 24, track: 20, row: 16 };
/// let pinned = Vertical::new(&trace, &layout, &Pinned { style: &style, tracks: &[TrackId(1)] });
/// assert_eq!(pinned.height(), 20 + 16);
/// assert_eq!(pinned.lines()[0].label(&trace).unwrap(), "Thread 2");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pinned<'s, S> {
    /// The style of all tracks.
    pub style: &'s S,
    /// The tracks that stay in sight, from top to bottom.
    pub tracks: &'s [TrackId],
}

impl<S: VerticalStyle> VerticalStyle for Pinned<'_, S> {
    fn track_height(&self, track: TrackId) -> u32 {
        self.style.track_height(track)
    }

    fn row_height(&self, row: RowId, info: RowInfo) -> u32 {
        self.style.row_height(row, info)
    }

    fn pack_of(&self, track: TrackId) -> Option<PackId> {
        self.style.pack_of(track)
    }

    fn packed(&self, pack: PackId) -> Option<&Packed> {
        self.style.packed(pack)
    }

    fn pack_height(&self, pack: PackId) -> u32 {
        self.style.pack_height(pack)
    }

    fn packed_height(&self, pack: PackId, line: u32) -> u32 {
        self.style.packed_height(pack, line)
    }

    fn track_order(&self) -> Option<&[TrackId]> {
        Some(self.tracks)
    }

    fn is_track_hidden(&self, track: TrackId) -> bool {
        self.style.is_track_hidden(track)
    }

    fn is_process_folded(&self, _: ProcessId) -> bool {
        false
    }

    fn is_track_folded(&self, track: TrackId) -> bool {
        self.style.is_track_folded(track)
    }

    fn is_pack_folded(&self, pack: PackId) -> bool {
        self.style.is_pack_folded(pack)
    }
}

//! The lines of the vertical order. [layout 5](crate::rules::layout#5)

use alloc::borrow::Cow;

use spall_model::{ProcessId, TraceView, TrackId};

use crate::RowId;

/// The number of a line of a [`Vertical`](crate::Vertical), counted from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct LineId(pub u32);

spall_model::dense_id! {
    LineId: "[`Vertical::lines`](crate::Vertical::lines)";
    PackId: "[`VerticalStyle::packs`](crate::VerticalStyle::packs)";
}

/// The number of a pack, which is tracks that share lines: its position in
/// [`VerticalStyle::packs`](crate::VerticalStyle::packs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct PackId(pub u32);

/// The content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum LineKind {
    /// The header of a process.
    Process(ProcessId),
    /// The header of a track.
    Track(TrackId),
    /// A row of slices.
    Row(RowId),
    /// The header of tracks that share lines.
    Pack(PackId),
    /// A line that the tracks of a pack share, and its position in [`Packed::lines`](crate::Packed::lines).
    Packed(PackId, u32),
    /// The header of a track that the caller derives: its position in
    /// [`VerticalStyle::derived`](crate::VerticalStyle::derived).
    Derived(u32),
    /// A line of such a track, and the number of the line, counted from 0.
    DerivedLine(u32, u32),
}

/// One horizontal strip of the picture: a header, a row, or a line of packed tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Line {
    /// The number of the line.
    pub id: LineId,
    /// The content of the line.
    pub kind: LineKind,
    /// The upper edge of the line, in the unit of heights, counted from the top of the first line.
    pub top: u64,
    /// The height of the line. It is never 0.
    pub height: u32,
    /// The number of tracks below which the track of the line lies, by which a viewer indents its label; 0 for the lines of
    /// processes and packs.
    pub level: u32,
}

impl Line {
    /// Returns the lower edge of the line.
    #[must_use]
    pub fn bottom(&self) -> u64 {
        self.top + u64::from(self.height)
    }

    /// Returns the text to draw on a header: the label of its process or track. Returns `None` for other lines. The
    /// header of a pack has none either, because the caller knows why it packed the tracks, such as for an
    /// [`AsyncGroup`](crate::AsyncGroup::title), and neither has that of a track that the caller derives.
    #[must_use]
    pub fn label<'t>(&self, trace: &'t impl TraceView) -> Option<Cow<'t, str>> {
        match self.kind {
            LineKind::Process(process) => Some(trace.process_title(process)),
            LineKind::Track(track) => Some(trace.track_title(track)),
            LineKind::Row(_)
            | LineKind::Pack(_)
            | LineKind::Packed(..)
            | LineKind::Derived(_)
            | LineKind::DerivedLine(..) => None,
        }
    }
}

//! The vertical order: processes, tracks and rows from top to bottom, and which of them are folded. [layout
//! 5](crate::rules::layout#5)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{ProcessId, TraceView, TrackId};

use crate::{
    LayoutView, Line, LineId, LineKind, LineRect, PackId, Packed, RowId, RowInfo, RowView, Viewport,
};

/// The heights and folds that a frontend chooses for a [`Vertical`].
///
/// Heights are in a unit of the caller's choice, such as pixels or lines of a terminal. A line with a height of 0 is
/// left out. `()` is the style of a flat timeline: each row is one unit high, nothing is folded, and there are no
/// headers. [`Heights`] is a style with headers.
///
/// ```
/// use spall_layout::{RowId, RowInfo, VerticalStyle};
/// struct Style;
/// impl VerticalStyle for Style {
///     fn row_height(&self, _: RowId, row: RowInfo) -> u32 {
///         if row.lane == 0 { 18 } else { 12 }
///     }
/// }
/// ```
pub trait VerticalStyle {
    /// Returns the height of the header of a process. The default is 0.
    fn process_height(&self, process: ProcessId) -> u32 {
        let _ = process;
        0
    }

    /// Returns the height of the header of a track. The default is 0.
    ///
    /// A track without slices, such as a counter, has no other line and is drawn on its header.
    fn track_height(&self, track: TrackId) -> u32 {
        let _ = track;
        0
    }

    /// Returns the height of a row. The default is 1.
    fn row_height(&self, row: RowId, info: RowInfo) -> u32 {
        let _ = (row, info);
        1
    }

    /// Returns the pack of a track: the number of the lines that it shares with other tracks of its process, instead of
    /// having lines of its own. The default is `None`.
    ///
    /// The caller chooses the numbers. The shared lines stand where the first track of the pack would stand.
    fn pack_of(&self, track: TrackId) -> Option<PackId> {
        let _ = track;
        None
    }

    /// Returns the lines that the tracks of a pack share. The default is `None`: the tracks have no lines but the header
    /// of the pack.
    fn packed(&self, pack: PackId) -> Option<&Packed> {
        let _ = pack;
        None
    }

    /// Returns the height of the header of a pack. The default is 0.
    fn pack_height(&self, pack: PackId) -> u32 {
        let _ = pack;
        0
    }

    /// Returns the height of a line of [`VerticalStyle::packed`], given its position in [`Packed::lines`]. The default
    /// is 1.
    fn packed_height(&self, pack: PackId, line: u32) -> u32 {
        let _ = (pack, line);
        1
    }

    /// Returns the tracks from top to bottom, or `None` for the order of the trace. The default is `None`.
    ///
    /// A track that is missing has no lines. A process has a header above each run of its tracks.
    fn track_order(&self) -> Option<&[TrackId]> {
        None
    }

    /// Returns whether a track is hidden, so that it has no lines at all. The default is `false`.
    ///
    /// A process whose tracks are all hidden has no header.
    fn is_track_hidden(&self, track: TrackId) -> bool {
        let _ = track;
        false
    }

    /// Returns whether a process is folded, so that only its header is shown. The default is `false`.
    fn is_process_folded(&self, process: ProcessId) -> bool {
        let _ = process;
        false
    }

    /// Returns whether a track is folded, so that only its header is shown. The default is `false`.
    fn is_track_folded(&self, track: TrackId) -> bool {
        let _ = track;
        false
    }

    /// Returns whether a pack is folded, so that only its header is shown. The default is `false`.
    fn is_pack_folded(&self, pack: PackId) -> bool {
        let _ = pack;
        false
    }
}

impl VerticalStyle for () {}

/// The style of a timeline whose lines of one kind are equally high, without folds and shared lines.
///
/// ```
/// use spall_layout::{Heights, Layout, LayoutOptions, Vertical};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(0), Text::plain(b"draw"));
/// # builder.push(&Event::Begin(event));
/// # let trace = builder.finish(); // one slice
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let vertical = Vertical::new(&trace, &layout, &Heights { process: 0, track: 20, row: 16 });
/// let lines: Vec<_> = vertical.lines().iter().map(|line| (line.top, line.height)).collect();
/// assert_eq!(lines, [(0, 20), (20, 16)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Heights {
    /// The height of the header of a process; 0 if there are no such headers.
    pub process: u32,
    /// The height of the header of a track; 0 if there are no such headers.
    pub track: u32,
    /// The height of a row.
    pub row: u32,
}

impl VerticalStyle for Heights {
    fn process_height(&self, _: ProcessId) -> u32 {
        self.process
    }

    fn track_height(&self, _: TrackId) -> u32 {
        self.track
    }

    fn row_height(&self, _: RowId, _: RowInfo) -> u32 {
        self.row
    }
}

/// All lines of a timeline, from top to bottom.
///
/// Make it again when a height or a fold changes, or after a commit of a live trace. That takes O(tracks + rows).
///
/// ```
/// use spall_layout::{Layout, LineRect, LayoutOptions, RowId, RowInfo, Vertical, VerticalStyle, Viewport};
/// # use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, duration) in [(0, 100), (10, 30)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // on thread 7, a slice in another
/// struct Style;
/// impl VerticalStyle for Style {
///     fn track_height(&self, _: TrackId) -> u32 {
///         20
///     }
///     fn row_height(&self, _: RowId, _: RowInfo) -> u32 {
///         16
///     }
/// }
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let vertical = Vertical::new(&trace, &layout, &Style);
/// assert_eq!(vertical.height(), 20 + 16 + 16);
/// assert_eq!(vertical.at(5).unwrap().label(&trace).unwrap(), "Thread 7");
///
/// // The window is scrolled so that it shows the heights 30 to 50.
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let mut rects = Vec::new();
/// vertical.rects(30..50, &layout, &Style, &viewport, &mut rects);
/// let boxes: Vec<_> = rects.iter().map(|r| (r.rect.x0..r.rect.x1, r.top, r.height)).collect();
/// assert_eq!(boxes, [(0..10, 20, 16), (1..4, 36, 16)]);
/// assert_eq!(LineRect::hit(&rects, 2, 40).unwrap().rect.slice, SliceId(1));
/// ```
#[doc(alias("scroll", "culling"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vertical {
    lines: Vec<Line>,
    /// The line that shows each row, or [`NO_LINE`] if there is none.
    of_rows: Vec<LineId>,
}

/// The id of no line.
const NO_LINE: LineId = LineId(u32::MAX);

impl Vertical {
    /// Stacks the tracks of a trace, in its order or in that of the style. Processes without tracks do not appear.
    #[must_use]
    pub fn new(trace: &impl TraceView, layout: &impl LayoutView, style: &impl VerticalStyle) -> Self {
        let mut vertical =
            Self { lines: Vec::new(), of_rows: alloc::vec![NO_LINE; layout.n_rows() as usize] };
        let mut process = None;
        let mut is_folded = false;
        // The line that shows the rows of each pack.
        let mut packs: BTreeMap<PackId, LineId> = BTreeMap::new();
        let in_order: Vec<TrackId> =
            style.track_order().map_or_else(|| trace.track_ids().collect(), <[TrackId]>::to_vec);
        for track in in_order {
            let Some(info) = trace.track_info(track) else { continue };
            if style.is_track_hidden(track) {
                continue;
            }
            if info.process != process {
                process = info.process;
                is_folded = process.is_some_and(|process| style.is_process_folded(process));
                if let Some(process) = process {
                    vertical.add(LineKind::Process(process), style.process_height(process));
                }
            }
            if !is_folded && let Some(pack) = style.pack_of(track) {
                let line = *packs.entry(pack).or_insert_with(|| vertical.add_pack(pack, style));
                // All rows of all these tracks get one line, because only the pack knows which line shows a slice.
                layout.track_rows(track).for_each(|row| vertical.show(row, line));
                continue;
            }
            if !is_folded {
                vertical.add(LineKind::Track(track), style.track_height(track));
            }
            let is_folded = is_folded || style.is_track_folded(track);
            for row in layout.track_rows(track) {
                if !is_folded && let Some(info) = layout.row_info(row) {
                    vertical.add(LineKind::Row(row), style.row_height(row, info));
                }
                vertical.show(row, vertical.last());
            }
        }
        vertical
    }

    /// Adds the header and the lines of a pack. Returns the first of its lines, or the line above where no line of the
    /// pack has a height or all are folded away.
    fn add_pack(&mut self, pack: PackId, style: &impl VerticalStyle) -> LineId {
        self.add(LineKind::Pack(pack), style.pack_height(pack));
        let first = LineId::new(self.lines.len());
        if !style.is_pack_folded(pack) {
            let n_lines = style.packed(pack).map_or(0, |shared| shared.lines().len());
            for line in (0..).take(n_lines) {
                self.add(LineKind::Packed(pack, line), style.packed_height(pack, line));
            }
        }
        if first.index() < self.lines.len() { first } else { self.last() }
    }

    /// Adds a line below the others, unless it has no height.
    fn add(&mut self, kind: LineKind, height: u32) {
        if height > 0 {
            self.lines.push(Line { id: LineId::new(self.lines.len()), kind, top: self.height(), height });
        }
    }

    /// Returns the lowest line so far, or [`NO_LINE`] if there is none.
    fn last(&self) -> LineId {
        self.lines.last().map_or(NO_LINE, |line| line.id)
    }

    /// Remembers which line shows a row.
    fn show(&mut self, row: RowId, line: LineId) {
        if let Some(of_row) = self.of_rows.get_mut(row.index()) {
            *of_row = line;
        }
    }

    /// Returns the height of all lines together.
    #[must_use]
    pub fn height(&self) -> u64 {
        self.lines.last().map_or(0, Line::bottom)
    }

    /// Returns all lines from top to bottom. The position of a line is its [`LineId`].
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns a line, or `None` if there is no such line.
    #[must_use]
    pub fn line(&self, line: LineId) -> Option<&Line> {
        self.lines.get(line.index())
    }

    /// Returns the lines that touch the half-open range `y` of distances from the top. This takes O(log lines).
    #[doc(alias("culling", "scroll"))]
    #[must_use]
    pub fn visible(&self, y: Range<u64>) -> &[Line] {
        let first = self.lines.partition_point(|line| line.bottom() <= y.start);
        let end = self.lines.partition_point(|line| line.top < y.end);
        self.lines.get(first..end).unwrap_or_default()
    }

    /// Returns the line at the distance `y` from the top, or `None` below the last line. This takes O(log lines).
    #[must_use]
    pub fn at(&self, y: u64) -> Option<&Line> {
        self.lines.get(self.lines.partition_point(|line| line.bottom() <= y)).filter(|line| line.top <= y)
    }

    /// Returns the line that shows a row: the row's own line, or the header that stands for it if it is folded away.
    ///
    /// For a row of a track that shares lines, this returns the first of the shared lines; [`Packed::line_of`] returns
    /// the one that shows a slice. Returns `None` for a row of a hidden track, and if no line above the row is shown
    /// either. This takes O(1).
    #[must_use]
    pub fn line_of(&self, row: RowId) -> Option<&Line> {
        self.line(*self.of_rows.get(row.index())?)
    }

    /// Writes the rectangles of the lines that touch the range `y` to `out`: line by line, each from left to right.
    ///
    /// This replaces the content of `out`. `y` is a half-open range of distances from the top. `style` must be the
    /// style that the lines were made with; it provides the lines that tracks share.
    /// [`RowView::rects`](crate::RowView::rects) documents the rectangles of one line.
    pub fn rects(
        &self,
        y: Range<u64>,
        layout: &impl LayoutView,
        style: &impl VerticalStyle,
        viewport: &Viewport,
        out: &mut Vec<LineRect>,
    ) {
        out.clear();
        for line in self.visible(y) {
            if let Some(row) = row_of(line, layout, style) {
                let Line { id: line, top, height, .. } = *line;
                row.for_each_rect(viewport, |rect| out.push(LineRect { rect, line, top, height }));
            }
        }
    }
}

/// Returns the slices that a line shows, or `None` for a header.
fn row_of<'l>(
    line: &Line,
    layout: &'l impl LayoutView,
    style: &'l impl VerticalStyle,
) -> Option<RowView<'l>> {
    match line.kind {
        LineKind::Row(row) => layout.row(row),
        LineKind::Packed(pack, shared) => {
            let row = style.packed(pack)?.lines().get(shared as usize)?;
            Some(row.view(RowId(u32::MAX)))
        }
        LineKind::Process(_) | LineKind::Track(_) | LineKind::Pack(_) => None,
    }
}

//! The vertical order: processes, tracks and rows from top to bottom, and which of them are folded. \[layout 5\]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{ProcessId, TraceView, TrackId};

use crate::{LayoutView, Line, LineId, LineKind, LineRect, Packed, RowId, RowInfo, Scratch, Viewport};

/// The heights and folds that a frontend chooses for a [`Vertical`].
///
/// Heights are in a unit of the caller's choice, such as pixels or lines of a terminal. A height of 0 leaves out the line.
/// `()` is the style of a flat timeline: each row is one unit high, and there are no headers.
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

    /// Returns the lines that tracks of a process share instead of rows of their own. The default is none.
    ///
    /// They stand where the first of these tracks would.
    fn packed(&self, process: ProcessId) -> Option<&Packed> {
        let _ = process;
        None
    }

    /// Returns the height of a line of [`VerticalStyle::packed`]. The default is 1.
    fn packed_height(&self, process: ProcessId, line: u32) -> u32 {
        let _ = (process, line);
        1
    }

    /// Returns whether only the header of a process is shown. The default is no.
    fn is_process_folded(&self, process: ProcessId) -> bool {
        let _ = process;
        false
    }

    /// Returns whether only the header of a track is shown. The default is no.
    fn is_track_folded(&self, track: TrackId) -> bool {
        let _ = track;
        false
    }
}

impl VerticalStyle for () {}

/// All lines of a picture from top to bottom.
///
/// Make it again when a height or a fold changes, or after a commit of a live trace: this takes O(tracks + rows).
///
/// ```
/// use spall_layout::{Fidelity, Layout, LineRect, Options, RowId, RowInfo, Scratch, Vertical, VerticalStyle, Viewport};
/// # use spall_model::{ByteRange, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, duration) in [(0, 100), (10, 30)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(duration)), ByteRange::default());
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
/// let layout = Layout::new(&trace, &Options::default());
/// let vertical = Vertical::new(&trace, &layout, &Style);
/// assert_eq!(vertical.height(), 20 + 16 + 16);
/// assert_eq!(vertical.at(5).unwrap().label(&trace).unwrap(), "Thread 7");
///
/// // What is visible when the window shows the heights 30 to 50.
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10, Fidelity::Fast);
/// let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
/// vertical.rects(30..50, &layout, &Style, &viewport, &mut scratch, &mut rects);
/// let boxes: Vec<_> = rects.iter().map(|r| (r.rect.x0..r.rect.x1, r.top, r.height)).collect();
/// assert_eq!(boxes, [(0..10, 20, 16), (1..4, 36, 16)]);
/// assert_eq!(LineRect::hit(&rects, 2, 40).unwrap().rect.slice, SliceId(1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vertical {
    lines: Vec<Line>,
    /// For each row the line that shows it. [`NO_LINE`] if there is none.
    of_rows: Vec<LineId>,
}

const NO_LINE: LineId = LineId(u32::MAX);

impl Vertical {
    /// Stacks the tracks of a trace. Processes without tracks do not appear.
    #[must_use]
    pub fn new(trace: &impl TraceView, layout: &impl LayoutView, style: &impl VerticalStyle) -> Self {
        let mut vertical =
            Self { lines: Vec::new(), of_rows: alloc::vec![NO_LINE; layout.n_rows() as usize] };
        let mut process = None;
        let mut is_folded = false;
        let mut packed: Option<Option<LineId>> = None;
        for track in trace.track_ids() {
            let Some(info) = trace.track_info(track) else { continue };
            if info.process != process {
                process = info.process;
                is_folded = process.is_some_and(|process| style.is_process_folded(process));
                packed = None;
                if let Some(process) = process {
                    vertical.add(LineKind::Process(process), style.process_height(process));
                }
            }
            if !is_folded
                && let Some(process) = process
                && let Some(shared) = style.packed(process).filter(|shared| shared.has(track))
            {
                let first = *packed.get_or_insert_with(|| {
                    let first = LineId::new(vertical.lines.len());
                    for line in (0..).take(shared.lines().len()) {
                        vertical.add(LineKind::Packed(process, line), style.packed_height(process, line));
                    }
                    (first.index() < vertical.lines.len()).then_some(first)
                });
                // One line for all rows of all these tracks: which one shows a slice is only known to `shared`.
                let line = first.unwrap_or(vertical.last());
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

    fn add(&mut self, kind: LineKind, height: u32) {
        if height > 0 {
            self.lines.push(Line { id: LineId::new(self.lines.len()), kind, top: self.height(), height });
        }
    }

    /// Returns the lowest line so far.
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

    /// Returns the lines that touch the half-open range of heights `y`. O(log lines).
    #[must_use]
    pub fn visible(&self, y: Range<u64>) -> &[Line] {
        let first = self.lines.partition_point(|line| line.bottom() <= y.start);
        let end = self.lines.partition_point(|line| line.top < y.end);
        self.lines.get(first..end).unwrap_or_default()
    }

    /// Returns the line at height `y`, or `None` below the last line. O(log lines).
    #[must_use]
    pub fn at(&self, y: u64) -> Option<&Line> {
        self.lines.get(self.lines.partition_point(|line| line.bottom() <= y)).filter(|line| line.top <= y)
    }

    /// Returns the line that shows a row: its own line, or the header that stands for it if it is folded away. O(1).
    ///
    /// Of tracks that share lines it is the first of these; [`Packed::line_of`] returns which of them shows a slice.
    /// Returns `None` if nothing above the row is shown either.
    #[must_use]
    pub fn line_of(&self, row: RowId) -> Option<&Line> {
        self.line(*self.of_rows.get(row.index())?)
    }

    /// Writes the rectangles of the lines that touch the heights `y`, each with its line, to `out`: line by line, from left
    /// to right. This replaces the content of `out`.
    ///
    /// `style` is the one that the lines were made with; it provides the lines that tracks share.
    /// [`RowView::rects`](crate::RowView::rects) says what is promised of each line.
    pub fn rects(
        &self,
        y: Range<u64>,
        layout: &impl LayoutView,
        style: &impl VerticalStyle,
        viewport: &Viewport,
        scratch: &mut Scratch,
        out: &mut Vec<LineRect>,
    ) {
        out.clear();
        let mut rects = core::mem::take(&mut scratch.rects);
        for &Line { id: line, kind, top, height } in self.visible(y) {
            let row = match kind {
                LineKind::Row(row) => layout.row(row),
                LineKind::Packed(process, shared) => {
                    let lines = style.packed(process).map_or(&[][..], Packed::lines);
                    lines.get(shared as usize).map(|row| row.view(RowId(shared)))
                }
                LineKind::Process(_) | LineKind::Track(_) => None,
            };
            if let Some(row) = row {
                rects.clear();
                row.rects(viewport, scratch, &mut rects);
                out.extend(rects.iter().map(|&rect| LineRect { rect, line, top, height }));
            }
        }
        scratch.rects = rects;
    }
}

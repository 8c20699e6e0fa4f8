//! The vertical side: processes, tracks and rows from top to bottom, and which of them are folded away. \[layout 5\]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{ProcessId, Trace, TrackId};

use crate::{Layout, Packed, RowId, RowInfo};

/// Heights and folds, from whoever draws. Heights are in units of the caller's choice: pixels, or lines of a
/// terminal. What has no height takes part in nothing.
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
    /// Height of the line that is the head of a process. Default 0.
    fn process_height(&self, process: ProcessId) -> u32 {
        let _ = process;
        0
    }

    /// Height of the line that is the head of a track. Default 0.
    fn track_height(&self, track: TrackId) -> u32 {
        let _ = track;
        0
    }

    /// Height of a row. Default 1.
    fn row_height(&self, row: RowId, info: RowInfo) -> u32 {
        let _ = (row, info);
        1
    }

    /// Lines that tracks of a process share, in place of rows of their own: they stand where the first of these tracks would.
    /// Default none.
    fn packed(&self, process: ProcessId) -> Option<&Packed> {
        let _ = process;
        None
    }

    /// Height of a line of [`VerticalStyle::packed`]. Default 1.
    fn packed_height(&self, process: ProcessId, line: u32) -> u32 {
        let _ = (process, line);
        1
    }

    /// Whether only the head of a process is shown. Default no.
    fn is_process_folded(&self, process: ProcessId) -> bool {
        let _ = process;
        false
    }

    /// Whether only the head of a track is shown. Default no.
    fn is_track_folded(&self, track: TrackId) -> bool {
        let _ = track;
        false
    }
}

/// One unit for each row, and no heads: a flat timeline.
impl VerticalStyle for () {}

/// What a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// The head of a process.
    Process(ProcessId),
    /// The head of a track.
    Track(TrackId),
    /// A row of slices.
    Row(RowId),
    /// A line that tracks of a process share: its position in [`Packed::lines`].
    Packed(ProcessId, u32),
}

/// A line of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// What it shows.
    pub kind: LineKind,
    /// Its upper edge.
    pub top: u64,
    /// Its height.
    pub height: u32,
    /// The first row at this line or below it, shown or not.
    first_row: u32,
}

impl Line {
    /// Its lower edge.
    #[must_use]
    pub fn bottom(&self) -> u64 {
        self.top + u64::from(self.height)
    }
}

/// All lines from top to bottom. Make it again when a height or a fold changes: O(tracks + shown rows).
///
/// ```
/// # use spall_layout::{Layout, LineKind, Options, RowId, Vertical};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, length) in [(0, 100), (10, 30)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// # }
/// # let trace = builder.finish();
/// let layout = Layout::new(&trace, &Options::default());
/// let vertical = Vertical::new(&trace, &layout, &());
/// assert_eq!(vertical.height(), 2);
/// assert_eq!(vertical.at(1).unwrap().kind, LineKind::Row(RowId(1)));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Vertical {
    lines: Vec<Line>,
    /// Rows whose tracks share lines, and the first of those lines.
    packed: Vec<(Range<u32>, usize)>,
}

impl Vertical {
    /// Stacks the tracks of a trace. Processes without tracks do not appear.
    #[must_use]
    pub fn new(trace: &Trace<'_>, layout: &Layout, style: &impl VerticalStyle) -> Self {
        let mut vertical = Self::default();
        let mut process = None;
        let mut is_folded = false;
        let mut packed: Option<Range<usize>> = None;
        for (track, id) in trace.tracks().iter().zip((0..).map(TrackId)) {
            let rows = layout.track_rows(id);
            if track.process != process {
                process = track.process;
                is_folded = process.is_some_and(|process| style.is_process_folded(process));
                packed = None;
                if let Some(process) = process {
                    let height = style.process_height(process);
                    vertical.add(LineKind::Process(process), height, rows.start);
                }
            }
            if is_folded {
                continue;
            }
            if let Some(process) = process
                && let Some(shared) = style.packed(process).filter(|packed| packed.has(id))
            {
                let lines = packed.get_or_insert_with(|| {
                    let first = vertical.lines.len();
                    for line in (0..).take(shared.lines().len()) {
                        let height = style.packed_height(process, line);
                        vertical.add(LineKind::Packed(process, line), height, rows.start);
                    }
                    first..vertical.lines.len()
                });
                if lines.start < lines.end {
                    vertical.packed.push((rows, lines.start));
                }
                continue;
            }
            vertical.add(LineKind::Track(id), style.track_height(id), rows.start);
            if !style.is_track_folded(id) {
                for row in rows.map(RowId) {
                    if let Some(info) = layout.row_info(row) {
                        vertical.add(LineKind::Row(row), style.row_height(row, info), row.0);
                    }
                }
            }
        }
        vertical
    }

    fn add(&mut self, kind: LineKind, height: u32, first_row: u32) {
        if height > 0 {
            self.lines.push(Line { kind, top: self.height(), height, first_row });
        }
    }

    /// The height of everything.
    #[must_use]
    pub fn height(&self) -> u64 {
        self.lines.last().map_or(0, Line::bottom)
    }

    /// All lines from top to bottom.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines of which a part lies in `y`, half open. O(log lines).
    #[must_use]
    pub fn visible(&self, y: Range<u64>) -> &[Line] {
        let first = self.lines.partition_point(|line| line.bottom() <= y.start);
        let end = self.lines.partition_point(|line| line.top < y.end);
        self.lines.get(first..end).unwrap_or_default()
    }

    /// The line at a height. O(log lines).
    #[must_use]
    pub fn at(&self, y: u64) -> Option<&Line> {
        self.lines.get(self.lines.partition_point(|line| line.bottom() <= y)).filter(|line| line.top <= y)
    }

    /// The line that shows a row: its own, or if it is folded away the head that stands for it. Of tracks that share lines it is
    /// the first of these; [`Packed::line_of`] says which of them shows a slice. O(log lines).
    ///
    /// `None` if nothing above the row is shown either.
    #[must_use]
    pub fn line_of(&self, row: RowId) -> Option<&Line> {
        self.lines.get(self.index_of(row)?)
    }

    /// The position of [`Vertical::line_of`] in [`Vertical::lines`].
    #[must_use]
    pub fn index_of(&self, row: RowId) -> Option<usize> {
        let shared = self.packed.partition_point(|(rows, _)| rows.end <= row.0);
        match self.packed.get(shared) {
            Some((rows, line)) if rows.start <= row.0 => Some(*line),
            _ => self.lines.partition_point(|line| line.first_row <= row.0).checked_sub(1),
        }
    }
}

//! The vertical order: processes, tracks and rows from top to bottom, and which of them are folded. [layout
//! 5](crate::rules::layout#5)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::{fmt, ops::Range};

use spall_model::{SliceId, TraceView, TrackId};

use crate::{Folds, LayoutView, Line, LineId, LineKind, LineRect, PackId, Packed, RowId, RowView, Viewport};

/// What a viewer chooses about the lines of a [`Vertical`]: their heights, their order, and what is folded.
///
/// Heights are in a unit of the caller's choice, such as pixels or lines of a terminal. A line with a height of 0 is left
/// out. In a [flat timeline](VerticalStyle::FLAT), each row is one unit high, nothing is folded, and there are no headers.
///
/// ```
/// use spall_layout::{LineKind, VerticalStyle};
/// const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 16, ..VerticalStyle::FLAT };
/// // The rows of the process of interest are higher.
/// let height = |line| match line {
///     LineKind::Row(row) if row.0 < 10 => 24,
///     line => STYLE.height_of(line),
/// };
/// let style = VerticalStyle { height: Some(&height), ..STYLE };
/// # assert_eq!(style.height_of(LineKind::Row(spall_layout::RowId(3))), 24);
/// ```
#[derive(Clone, Copy)]
pub struct VerticalStyle<'s> {
    /// The height of the header of a process; 0 if there are no such headers.
    pub process: u32,
    /// The height of the header of a track, or of one that the caller derives; 0 if there are no such headers.
    ///
    /// A track without slices, such as a counter, has no other line and is drawn on its header.
    pub track: u32,
    /// The height of the header of a pack; 0 if there are no such headers.
    pub pack: u32,
    /// The height of a row, of a line that the tracks of a pack share, and of a line of a derived track.
    pub row: u32,
    /// Returns the height of a line, in place of the four numbers, where lines of one kind differ in height.
    pub height: Option<&'s dyn Fn(LineKind) -> u32>,
    /// The headers that are folded, so that nothing below them is shown, tracks below a track included. `None` if all are
    /// open.
    pub folds: Option<&'s Folds>,
    /// The tracks to show from top to bottom, or `None` for the [`shown_tracks`].
    ///
    /// A track that is missing is hidden. A process has a header above each run of its tracks. A track is folded with the
    /// one below which it lies, and is indented, if that one comes right before the tracks below it, as in the trace.
    pub tracks: Option<&'s [TrackId]>,
    /// The tracks that share lines: the pack with the id `n` is number `n` of this list.
    ///
    /// The lines of a pack stand where the first of its tracks would stand. No track should be in two packs.
    pub packs: &'s [Packed],
    /// The tracks that the caller derives from the trace, from top to bottom: how many lines each has. They stand above all
    /// other tracks. [layout 24.1](crate::rules::layout#24.1)
    ///
    /// What is on their lines is the caller's, such as [`Row`](crate::Row)s of its own.
    pub derived: &'s [u32],
}

impl VerticalStyle<'_> {
    /// The style of a flat timeline.
    pub const FLAT: Self = Self {
        process: 0,
        track: 0,
        pack: 0,
        row: 1,
        height: None,
        folds: None,
        tracks: None,
        packs: &[],
        derived: &[],
    };

    /// Returns the height of a line.
    #[must_use]
    pub fn height_of(&self, line: LineKind) -> u32 {
        match (self.height, line) {
            (Some(height), _) => height(line),
            (None, LineKind::Process(_)) => self.process,
            (None, LineKind::Track(_) | LineKind::Derived(_)) => self.track,
            (None, LineKind::Pack(_)) => self.pack,
            (None, LineKind::Row(_) | LineKind::Packed(..) | LineKind::DerivedLine(..)) => self.row,
        }
    }
}

impl fmt::Debug for VerticalStyle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerticalStyle").finish_non_exhaustive()
    }
}

/// All lines of a timeline, from top to bottom.
///
/// Make it again when a height or a fold changes, or after a commit of a live trace. That takes O(tracks + rows).
///
/// ```
/// use spall_layout::{Layout, LineRect, RowId, RowInfo, Vertical, VerticalStyle, Viewport};
/// # use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, duration) in [(0, 100), (10, 30)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // on thread 7, a slice in another
/// let layout = Layout::new(&trace);
/// let style = VerticalStyle { track: 20, row: 16, ..VerticalStyle::FLAT };
/// let vertical = Vertical::new(&trace, &layout, &style);
/// assert_eq!(vertical.height(), 20 + 16 + 16);
/// assert_eq!(vertical.at(5).unwrap().label(&trace).unwrap(), "Thread 7");
///
/// // The window is scrolled so that it shows the heights 30 to 50.
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let mut rects = Vec::new();
/// vertical.rects(30..50, &layout, &viewport, &mut rects);
/// let boxes: Vec<_> = rects.iter().map(|r| (r.rect.x0..r.rect.x1, r.top, r.height)).collect();
/// assert_eq!(boxes, [(0..10, 20, 16), (1..4, 36, 16)]);
/// assert_eq!(LineRect::hit(&rects, 2, 40).unwrap().rect.slice, SliceId(1));
/// ```
#[doc(alias("scroll", "culling"))]
#[derive(Debug, Clone, Default)]
pub struct Vertical {
    lines: Vec<Line>,
    /// The line that shows each row, or [`NO_LINE`] if there is none.
    of_rows: Vec<LineId>,
    /// The tracks that share lines, by the id of the pack.
    packs: Vec<Packed>,
}

/// Returns the tracks on which there is something to show, in the order of the trace: rows of the layout, instants, counter
/// values, states, or such tracks below them. [layout 5.9](crate::rules::layout#5.9)
#[must_use]
pub fn shown_tracks(trace: &impl TraceView, layout: &impl LayoutView) -> Vec<TrackId> {
    let has_something = |track| {
        layout.track_rows(track).next().is_some()
            || !trace.instants_of(track).is_empty()
            || !trace.counters_of(track).is_empty()
            || !trace.states_of(track).is_empty()
    };
    // The numbers of the tracks of a live trace are not in their order.
    let mut tracks: Vec<TrackId> = trace.track_ids().collect();
    let mut is_shown = alloc::vec![false; trace.n_tracks()];
    // A track comes before the tracks below it.
    for &track in tracks.iter().rev() {
        let Some(is_track) = is_shown.get_mut(track.index()) else { continue };
        *is_track |= has_something(track);
        let parent = trace.track_info(track).filter(|_| *is_track).and_then(|track| track.parent);
        if let Some(parent) = parent.and_then(|parent| is_shown.get_mut(parent.index())) {
            *parent = true;
        }
    }
    tracks.retain(|track| is_shown.get(track.index()) == Some(&true));
    tracks
}

/// Returns the tracks that are in packs, and the pack of each, ordered by track.
fn packed_tracks(packs: &[Packed]) -> Vec<(TrackId, PackId)> {
    let of_pack = |(pack, packed): (PackId, &Packed)| -> Vec<_> {
        packed.tracks().iter().map(|&track| (track, pack)).collect()
    };
    let mut packed: Vec<_> = (0..).map(PackId).zip(packs).flat_map(of_pack).collect();
    // Those of a pack are mostly in order.
    packed.sort();
    packed
}

/// The id of no line.
const NO_LINE: LineId = LineId(u32::MAX);

impl Vertical {
    /// Stacks the tracks of a trace. A process of which no track is shown does not appear.
    #[must_use]
    pub fn new(trace: &impl TraceView, layout: &impl LayoutView, style: &VerticalStyle<'_>) -> Self {
        let mut vertical = Self {
            lines: Vec::new(),
            of_rows: alloc::vec![NO_LINE; layout.n_rows() as usize],
            packs: style.packs.to_vec(),
        };
        for (track, &n_lines) in (0..).zip(style.derived) {
            let is_folded = vertical.add_header(LineKind::Derived(track), 0, style);
            for line in 0..if is_folded { 0 } else { n_lines } {
                vertical.add(LineKind::DerivedLine(track, line), 0, style);
            }
        }
        let packed = packed_tracks(style.packs);
        let pack_of = |track| {
            let behind = packed.partition_point(|&(other, _)| other <= track);
            packed.get(behind.checked_sub(1)?).filter(|(other, _)| *other == track).map(|&(_, pack)| pack)
        };
        // The line that shows the rows of each pack.
        let mut packs: BTreeMap<PackId, LineId> = BTreeMap::new();
        let (mut process, mut is_folded) = (None, false);
        // The tracks above the current one, and whether each is folded.
        let mut above: Vec<(TrackId, bool)> = Vec::new();
        let in_order: Vec<TrackId> =
            style.tracks.map_or_else(|| shown_tracks(trace, layout), <[TrackId]>::to_vec);
        for track in in_order {
            let Some(info) = trace.track_info(track) else { continue };
            if info.process != process {
                process = info.process;
                is_folded =
                    process.is_some_and(|process| vertical.add_header(LineKind::Process(process), 0, style));
            }
            if !is_folded && let Some(pack) = pack_of(track) {
                let line = *packs.entry(pack).or_insert_with(|| vertical.add_pack(pack, style));
                // All rows of all these tracks get one line, because only the pack knows which line shows a slice.
                layout.track_rows(track).for_each(|row| vertical.show(row, line));
                continue;
            }
            while above.pop_if(|(above, _)| Some(*above) != info.parent).is_some() {}
            let level = above.len().try_into().unwrap_or(u32::MAX);
            let is_below_folded = above.last().is_some_and(|&(_, is_folded)| is_folded);
            let is_folded =
                is_folded || is_below_folded || vertical.add_header(LineKind::Track(track), level, style);
            above.push((track, is_folded));
            for row in layout.track_rows(track) {
                if !is_folded {
                    vertical.add(LineKind::Row(row), level, style);
                }
                vertical.show(row, vertical.last());
            }
        }
        vertical
    }

    /// Adds the header and the lines of a pack. Returns the first of its lines, or the line above where no line of the
    /// pack has a height or all are folded away.
    fn add_pack(&mut self, pack: PackId, style: &VerticalStyle<'_>) -> LineId {
        let is_folded = self.add_header(LineKind::Pack(pack), 0, style);
        let first = LineId::new(self.lines.len());
        let n_lines = self.packs.get(pack.index()).map_or(0, |packed| packed.lines().len());
        for line in (0..).take(if is_folded { 0 } else { n_lines }) {
            self.add(LineKind::Packed(pack, line), 0, style);
        }
        if first.index() < self.lines.len() { first } else { self.last() }
    }

    /// Adds a header. Returns whether it is folded, which one without a height never is.
    fn add_header(&mut self, header: LineKind, level: u32, style: &VerticalStyle<'_>) -> bool {
        self.add(header, level, style) && style.folds.is_some_and(|folds| folds.is_folded(header))
    }

    /// Adds a line below the others, unless it has no height. Returns whether it has one.
    fn add(&mut self, kind: LineKind, level: u32, style: &VerticalStyle<'_>) -> bool {
        let height = style.height_of(kind);
        if height > 0 {
            let (id, top) = (LineId::new(self.lines.len()), self.height());
            self.lines.push(Line { id, kind, top, height, level });
        }
        height > 0
    }

    /// Returns the lowest line so far that may stand for a row, or [`NO_LINE`] if there is none.
    fn last(&self) -> LineId {
        let is_derived = |line: &Line| matches!(line.kind, LineKind::Derived(_) | LineKind::DerivedLine(..));
        self.lines.last().filter(|line| !is_derived(line)).map_or(NO_LINE, |line| line.id)
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

    /// Returns the lines that touch the half-open range `y` of distances from the top. An empty range touches none. This takes
    /// O(log lines).
    #[doc(alias("culling", "scroll"))]
    #[must_use]
    pub fn visible(&self, y: Range<u64>) -> &[Line] {
        if y.is_empty() {
            return &[];
        }
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
    /// For a row of a track that shares lines, this returns the first of the shared lines; [`Vertical::line_of_slice`]
    /// returns the one that shows a slice. Returns `None` for a row of a hidden track, and if no line above the row is shown
    /// either. This takes O(1).
    #[must_use]
    pub fn line_of(&self, row: RowId) -> Option<&Line> {
        self.line(*self.of_rows.get(row.index())?)
    }

    /// Returns the line that shows a slice: that of its row, or its own one among the lines of a pack. Where the slice is
    /// folded away, that is the header that stands for it. Returns `None` for a slice of a hidden track.
    #[must_use]
    pub fn line_of_slice(&self, layout: &impl LayoutView, slice: SliceId) -> Option<&Line> {
        let line = self.line_of(layout.row_of(slice)?)?;
        let LineKind::Packed(pack, _) = line.kind else { return Some(line) };
        let below = self.packs.get(pack.index())?.line_of(layout, slice)?;
        // Lines of a pack without a height are left out.
        let of_pack = self.lines.get(line.id.index()..)?;
        let is_line = |line: &&Line| line.kind == LineKind::Packed(pack, below);
        of_pack.get(below as usize).filter(is_line).or_else(|| of_pack.iter().find(is_line))
    }

    /// Writes the rectangles of the lines that touch the range `y` to `out`: line by line, each from left to right.
    ///
    /// This replaces the content of `out`. `y` is a half-open range of distances from the top.
    /// [`RowView::rects`](crate::RowView::rects) documents the rectangles of one line. Lines of derived tracks have none here,
    /// as what is on them are no slices of rows of the layout.
    pub fn rects(
        &self,
        y: Range<u64>,
        layout: &impl LayoutView,
        viewport: &Viewport,
        out: &mut Vec<LineRect>,
    ) {
        out.clear();
        for line in self.visible(y) {
            if let Some(row) = self.row_of(line, layout) {
                let Line { id: line, top, height, .. } = *line;
                row.for_each_rect(viewport, |rect| out.push(LineRect { rect, line, top, height }));
            }
        }
    }

    /// Returns the slices that a line shows, or `None` for a header.
    fn row_of<'l>(&'l self, line: &Line, layout: &'l impl LayoutView) -> Option<RowView<'l>> {
        match line.kind {
            LineKind::Row(row) => layout.row(row),
            LineKind::Packed(pack, shared) => {
                let row = self.packs.get(pack.index())?.lines().get(shared as usize)?;
                Some(row.view(RowId(u32::MAX)))
            }
            LineKind::Process(_)
            | LineKind::Track(_)
            | LineKind::Pack(_)
            | LineKind::Derived(_)
            | LineKind::DerivedLine(..) => None,
        }
    }
}

//! The slices of a builder: one row each, in the order of the file, and stored column by column.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{NameId, SliceFlags, Tick, args_table::ArgsId, index32, track::widen};

use super::InternedEvent;

/// The slices that a builder holds.
// Columns and not whole rows, because the finished trace takes the columns over. Rows of 40 bytes had to be copied into
// columns, and memory that the operating system has to provide first is a third of the time that it takes to load a
// spall file: 68 bytes of it for each slice then, and 40 now.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The number of rows.
    len: usize,
    columns: RowColumns,
    /// The tracks of all rows.
    runs: Vec<Run>,
    /// The track of the last run.
    last_track: u32,
    /// The rows that had no end when they were added, or that were found to have none when all events were read.
    pub(super) unfinished: Vec<u32>,
}

/// The columns of rows. Their items are plain numbers, so that one column can move into the memory of another.
///
/// Columns are as long as there is room for rows: the cells behind the last row are 0.
#[derive(Debug, Default)]
pub(super) struct RowColumns {
    pub(super) start: Vec<i64>,
    /// The times of ends; meaningless for a pair that is open.
    pub(super) end: Vec<i64>,
    pub(super) name: Vec<u32>,
    pub(super) flags: Vec<u32>,
    /// The states of begin/end pairs, each as a [`PackedPair`]; meaningless for a slice that is not a pair.
    pub(super) pair: Vec<u32>,
    /// Shorter than the other columns, or empty, if the rows behind it have no categories.
    pub(super) category: Vec<u32>,
    /// Shorter than the other columns, or empty, if the rows behind it have no arguments.
    pub(super) args: Vec<u32>,
}

impl RowColumns {
    /// Removes the room for rows from `len` on. Of categories and arguments it may stay: the cells are 0.
    fn truncate(&mut self, len: usize) {
        let Self { start, end, name, flags, pair, .. } = self;
        [start, end].into_iter().for_each(|column| column.truncate(len));
        [name, flags, pair].into_iter().for_each(|column| column.truncate(len));
    }
}

/// The number of an open row, or none, in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenRow(u32);

impl OpenRow {
    /// No row is open.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// Returns the number of the row, or `None` if there is none.
    pub(super) fn get(self) -> Option<u32> {
        (self != Self::NONE).then_some(self.0)
    }
}

impl From<u32> for OpenRow {
    // Without the attributes in this file, the job `spall v3 to trace` takes 21 % more instructions.
    #[inline(always)]
    fn from(row: u32) -> Self {
        Self(row)
    }
}

/// The state of a begin/end pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairState {
    /// No end has closed the row.
    Open {
        /// The next open row of its thread around it.
        around: OpenRow,
    },
    /// An end has closed the row.
    Closed {
        /// The number of rows that existed when the end came.
        n_rows: u32,
    },
}

/// A [`PairState`] in four bytes: the one number that each state has.
///
/// Rows around a row came before it, and at its end at least the row itself existed. So a number above the row's own is that
/// of [`PairState::Closed`], and a number below it, or that of no row, is that of [`PairState::Open`].
struct PackedPair(u32);

impl PackedPair {
    #[inline]
    fn open(around: OpenRow) -> Self {
        Self(around.0)
    }

    #[inline]
    fn closed(n_rows: usize) -> Self {
        Self(index32(n_rows))
    }

    /// Returns the row around one that is open.
    #[inline]
    fn around(self) -> OpenRow {
        OpenRow(self.0)
    }

    /// Returns the state of the pair of a row.
    #[inline]
    fn state(self, row: u32) -> PairState {
        match self.around() {
            OpenRow(n_rows) if n_rows > row && n_rows != OpenRow::NONE.0 => PairState::Closed { n_rows },
            around => PairState::Open { around },
        }
    }
}

/// Neighbouring rows of one track, which end where the next run begins.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The first row.
    first: u32,
    /// The track, by builder number.
    track: u32,
}

/// The numbers of rows for which room is made at a time: at least, and at most.
const ROOM: (usize, usize) = (16, 128);

#[allow(clippy::indexing_slicing, reason = "rows are numbers of rows that were pushed")]
impl Rows {
    /// Returns the number of rows.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is a row of this number.
    #[inline(always)]
    pub(super) fn has(&self, row: u32) -> bool {
        (row as usize) < self.len
    }

    /// Adds a slice that is no pair of a thread.
    #[inline(always)]
    pub(super) fn push(&mut self, row: &InternedEvent, end: Tick, flags: SliceFlags) {
        self.add(row, flags);
        self.columns.end[self.len - 1] = end.0;
        if flags.is_unfinished() {
            self.unfinished.push(index32(self.len - 1));
        }
    }

    /// Adds a begin. `around` is the next open row around it.
    #[inline(always)]
    pub(super) fn push_open(&mut self, row: &InternedEvent, flags: SliceFlags, around: OpenRow) {
        self.add(row, flags);
        self.columns.pair[self.len - 1] = PackedPair::open(around).0;
    }

    /// Adds what slices of both kinds have.
    #[inline(always)]
    fn add(&mut self, row: &InternedEvent, flags: SliceFlags) {
        let at = self.len;
        if at >= self.columns.start.len() {
            self.make_room();
        }
        let columns = &mut self.columns;
        columns.start[at] = row.at.0;
        columns.name[at] = row.name.0;
        columns.flags[at] = flags.0;
        if row.category != NameId::EMPTY {
            put(&mut columns.category, at, row.category.0, columns.start.len());
        }
        if row.args != ArgsId::NONE {
            put(&mut columns.args, at, row.args.0, columns.start.len());
        }
        if row.track != self.last_track || at == 0 {
            self.begin_run(row.track);
        }
        self.len = at + 1;
    }

    /// Makes room for the next rows. Some are cleared at a time, which stay in the first-level cache until they are used.
    #[cold]
    fn make_room(&mut self) {
        let room = self.len + self.len.clamp(ROOM.0, ROOM.1);
        let RowColumns { start, end, name, flags, pair, .. } = &mut self.columns;
        [start, end].into_iter().for_each(|column| column.resize(room, 0));
        [name, flags, pair].into_iter().for_each(|column| column.resize(room, 0));
    }

    fn begin_run(&mut self, track: u32) {
        self.runs.push(Run { first: index32(self.len), track });
        self.last_track = track;
    }

    pub(super) fn start(&self, row: u32) -> Tick {
        Tick(self.columns.start[row as usize])
    }

    /// Returns the end of a slice; meaningless for a pair that is open.
    pub(super) fn end(&self, row: u32) -> Tick {
        Tick(self.columns.end[row as usize])
    }

    pub(super) fn name(&self, row: u32) -> NameId {
        NameId(self.columns.name[row as usize])
    }

    pub(super) fn flags(&self, row: u32) -> SliceFlags {
        SliceFlags(self.columns.flags[row as usize])
    }

    /// Returns the state of a begin/end pair; meaningless for a slice that is not a pair.
    #[inline]
    pub(super) fn pair(&self, row: u32) -> PairState {
        PackedPair(self.columns.pair[row as usize]).state(row)
    }

    /// Returns the outermost of the open rows around and including an open row.
    pub(super) fn outermost(&self, mut row: OpenRow) -> Option<u32> {
        let mut outermost = None;
        while let Some(open) = row.get() {
            outermost = Some(open);
            row = PackedPair(self.columns.pair[open as usize]).around();
        }
        outermost
    }

    /// Returns whether a begin/end pair has no end.
    #[inline]
    pub(super) fn is_open(&self, row: u32) -> bool {
        matches!(self.pair(row), PairState::Open { .. })
    }

    pub(super) fn category(&self, row: u32) -> NameId {
        NameId(self.columns.category.get(row as usize).copied().unwrap_or_default())
    }

    pub(super) fn args(&self, row: u32) -> ArgsId {
        ArgsId(self.columns.args.get(row as usize).copied().unwrap_or_default())
    }

    /// Returns the track of a row, by builder number. This takes a search.
    pub(super) fn track(&self, row: u32) -> u32 {
        let n_before = self.runs.partition_point(|run| run.first <= row);
        self.runs[n_before - 1].track
    }

    /// Returns the number of [`Rows::runs`].
    pub(super) fn n_runs(&self) -> usize {
        self.runs.len()
    }

    /// Returns the tracks of neighbouring rows, each with its rows.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u32, Range<u32>)> + Clone {
        self.runs_from(0)
    }

    /// Returns the tracks of neighbouring rows from `first` on, each with its rows.
    pub(super) fn runs_from(&self, first: u32) -> impl Iterator<Item = (u32, Range<u32>)> + Clone {
        let n_before = self.runs.partition_point(|run| run.first <= first);
        let runs = &self.runs[n_before.saturating_sub(1)..];
        let ends = runs.iter().skip(1).map(|run| run.first).chain([index32(self.len)]);
        runs.iter().zip(ends).map(move |(run, end)| (run.track, run.first.max(first)..end))
    }

    /// Closes the pair of an open row, and returns the row and the next open row around it. Returns `None` if there is no
    /// such row.
    #[inline(always)]
    pub(super) fn close(&mut self, row: OpenRow, at: Tick) -> Option<(u32, OpenRow)> {
        // No row has the number of a cell that is only room.
        let at_row = row.0 as usize;
        let (end, pair) = (self.columns.end.get_mut(at_row)?, self.columns.pair.get_mut(at_row)?);
        *end = at.0;
        let open = PackedPair(core::mem::replace(pair, PackedPair::closed(self.len).0));
        Some((row.0, open.around()))
    }

    pub(super) fn set_end(&mut self, row: u32, end: Tick) {
        self.columns.end[row as usize] = end.0;
    }

    #[inline(always)]
    pub(super) fn set_flags(&mut self, row: u32, flags: SliceFlags) {
        self.columns.flags[row as usize] = flags.0;
    }

    /// Sets the flags of each row to those that `change` makes of its track and its flags.
    pub(super) fn change_flags(&mut self, mut change: impl FnMut(u32, SliceFlags) -> SliceFlags) {
        let mut flags = core::mem::take(&mut self.columns.flags);
        for (track, rows) in self.runs() {
            flags[widen(&rows)].iter_mut().for_each(|cell| *cell = change(track, SliceFlags(*cell)).0);
        }
        self.columns.flags = flags;
    }

    pub(super) fn set_args(&mut self, row: u32, args: ArgsId) {
        if args != self.args(row) {
            put(&mut self.columns.args, row as usize, args.0, self.columns.start.len());
        }
    }

    /// Adds rows of another builder, which are of one track.
    #[cfg(feature = "parallel")]
    pub(super) fn append(&mut self, from: &Self, rows: Range<u32>, to: &Appended<'_>) {
        let (first, rows) = (self.len, widen(&rows));
        if to.track != self.last_track || first == 0 {
            self.begin_run(to.track);
        }
        self.len += rows.len();
        self.columns.truncate(first);
        let RowColumns { start, end, name, flags, pair, category, args } = &mut self.columns;
        let from = &from.columns;
        start.extend_from_slice(&from.start[rows.clone()]);
        end.extend_from_slice(&from.end[rows.clone()]);
        let name_of = |name: u32| to.names[name as usize].0;
        name.extend(from.name[rows.clone()].iter().map(|&name| name_of(name)));
        flags.extend(from.flags[rows.clone()].iter().map(|&flags| SliceFlags(flags).deeper_by(to.depth).0));
        pair.extend(from.pair[rows.clone()].iter().map(|&pair| match PackedPair(pair).around() {
            OpenRow::NONE => PackedPair::open(to.around).0,
            // Both a row around this one and a number of rows move up.
            _ => pair + to.first_row,
        }));
        // The cell 0 stands for none in both columns.
        append_cells(category, first, set_cells(&from.category, &rows), |name| {
            if name == 0 { 0 } else { name_of(name) }
        });
        append_cells(args, first, set_cells(&from.args, &rows), |id| ArgsId(id).shifted(to.args_shift).0);
    }

    /// Removes all rows, and keeps the memory.
    #[cfg(feature = "parallel")]
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.runs.clear();
        self.unfinished.clear();
        self.columns.truncate(0);
        self.columns.category.clear();
        self.columns.args.clear();
    }

    /// Returns the columns, which then have no room for further rows.
    pub(super) fn into_columns(self) -> RowColumns {
        let Self { len, mut columns, .. } = self;
        columns.truncate(len);
        // Up to the last slice, from the room behind it or from the end of the cells.
        for column in [&mut columns.category, &mut columns.args] {
            if !column.is_empty() {
                column.resize(len, 0);
            }
        }
        columns
    }
}

/// What rows of another builder become.
#[cfg(feature = "parallel")]
pub(super) struct Appended<'m> {
    /// The number of the track that the rows are on.
    pub(super) track: u32,
    /// The row that row 0 of that builder becomes.
    pub(super) first_row: u32,
    /// The number of open rows around those that are outermost in that builder, and the innermost of these rows.
    pub(super) depth: u32,
    pub(super) around: OpenRow,
    /// The names, by their numbers in that builder.
    pub(super) names: &'m [NameId],
    /// The number to be added to those of arguments.
    pub(super) args_shift: u32,
}

/// Returns the cells of some rows in a column that may be shorter than the others.
#[cfg(feature = "parallel")]
fn set_cells<'c>(column: &'c [u32], rows: &Range<usize>) -> &'c [u32] {
    column.get(rows.start..rows.end.min(column.len())).unwrap_or_default()
}

/// Appends cells to a column, from cell `first` on, if one of them is set.
// All at once: to decide for each row whether it has arguments takes half of the time to append rows.
#[cfg(feature = "parallel")]
fn append_cells(column: &mut Vec<u32>, first: usize, cells: &[u32], map: impl Fn(u32) -> u32) {
    if cells.iter().any(|&cell| cell != 0) {
        column.resize(first, 0);
        column.extend(cells.iter().map(|&cell| map(cell)));
    }
}

/// Sets a cell of a column that is shorter than the others, which have `room` cells, if none was set behind its end.
#[inline]
#[allow(clippy::indexing_slicing, reason = "the cell is one for which there is room")]
fn put(column: &mut Vec<u32>, at: usize, value: u32, room: usize) {
    if at >= column.len() {
        column.resize(room, 0);
    }
    column[at] = value;
}

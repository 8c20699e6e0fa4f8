//! The pairing of begins and ends of threads. [pairing 2](crate::rules::pairing#2)
//!
//! While the file is read, each end closes the most recent open begin of its thread. This plain reading is final for a
//! thread in which it finds no fault. Otherwise [`super::repair`] reads the thread again, for which it needs the ends in
//! the order of the file. They are not stored: each row remembers how many rows existed when it was closed, and ends
//! between the same two rows close from the inside out, so the order follows from the rows.
//!
//! The stack of a thread takes no memory of its own either. It is a chain through the rows: an open row has the number
//! of the open row around it, as [`PairState`](super::rows::PairState) says.

use alloc::{boxed::Box, vec::Vec};

use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Limits, NameId, SliceFlags, ThreadEvent, Tick, args_table::ArgsId, index32,
};

use super::{
    InternedEvent, TraceBuilder,
    reports::Spot,
    rows::{OpenRow, Rows},
};

/// The slices of a builder, and the state of pairing that rows do not hold.
#[derive(Debug, Default)]
pub(super) struct SliceLog {
    pub(super) rows: Rows,
    /// The names of ends that differ from the name of the row they closed, by row.
    pub(super) other_names: HashMap<u32, NameId, foldhash::fast::RandomState>,
    /// The row that an end of a thread or span closed, and the arguments of the end. Most ends have none.
    pub(super) end_args: Vec<(u32, ArgsId)>,
    /// Ends that found nothing to close.
    pub(super) orphans: Vec<Orphan>,
    /// The begins and ends of threads, by track. The list ends with the last track that has any.
    pub(super) threads: Vec<ThreadPairs>,
}

/// An end that found nothing to close.
#[derive(Debug, Clone, Copy)]
pub(super) struct Orphan {
    /// The track of the thread.
    pub(super) track: u32,
    /// The number of rows that existed when the end came.
    pub(super) closed_at: u32,
    /// The time of the end.
    pub(super) at: Tick,
    pub(super) name: NameId,
    pub(super) args: ArgsId,
    pub(super) bytes: ByteRange,
}

impl Orphan {
    /// Returns the place of the end.
    pub(super) fn spot(&self) -> Spot {
        Spot::new(self.bytes, self.at)
    }
}

/// The begins and ends of one thread.
#[derive(Debug)]
pub(super) struct ThreadPairs {
    /// The innermost open row.
    pub(super) innermost: OpenRow,
    /// The number of open rows.
    depth: u32,
    /// The number of begins left out by a limit whose ends are still to come. Those ends are left out too.
    skipped: u32,
    /// The number of rows that begins of this thread made.
    // Not beside `depth`: the compiler then counts both by one vector instruction, whose wide load cannot be forwarded from
    // the narrow store of `depth` by the end before.
    pub(super) n_rows: u32,
    /// Whether a time was earlier than one before it.
    pub(super) unordered: bool,
    /// Whether a recording cuts the thread, and it has no other fault. Only known once all events were read.
    pub(super) is_cut: bool,
    /// The earliest and the latest time so far; `first > last` while there is none.
    // The earliest is only looked at where it can change: outside of all pairs, and when a time goes back.
    first: Tick,
    last: Tick,
    /// The bytes of the last begin at depth 0.
    pub(super) outermost: ByteRange,
    /// The place of the first event whose time went back. Few threads have one.
    went_back: Option<Box<Spot>>,
    /// The place of the first fault of the plain reading.
    fault: Option<Box<Spot>>,
}

impl Default for ThreadPairs {
    fn default() -> Self {
        Self {
            innermost: OpenRow::NONE,
            depth: 0,
            skipped: 0,
            n_rows: 0,
            unordered: false,
            is_cut: false,
            first: Tick::MAX,
            last: Tick::MIN,
            outermost: ByteRange::default(),
            went_back: None,
            fault: None,
        }
    }
}

impl ThreadPairs {
    /// Extends the bounds by a time that is not the first one, and records whether it is earlier than one before it.
    // Without the attributes in this file, the job `spall v3 to trace` takes 33 % more instructions.
    #[inline(always)]
    fn add_time(&mut self, at: Tick, bytes: ByteRange) {
        if at < self.last {
            self.go_back(at, bytes);
        } else {
            self.last = at;
        }
    }

    /// Records that a time was earlier than one before it.
    #[cold]
    fn go_back(&mut self, at: Tick, bytes: ByteRange) {
        self.first = self.first.min(at);
        if !self.unordered {
            self.went_back = Some(Box::new(Spot::new(bytes, at)));
        }
        self.unordered = true;
    }

    /// Records a fault of the plain reading. The first one gives diagnostics their place in the file.
    #[cold]
    pub(super) fn add_fault(&mut self, spot: Spot) {
        self.fault.get_or_insert_with(|| Box::new(spot));
    }

    /// Returns the place of the first event whose time went back.
    pub(super) fn went_back(&self) -> Spot {
        self.went_back.as_deref().copied().unwrap_or_default()
    }

    /// Returns the place of the first fault of the plain reading.
    pub(super) fn fault(&self) -> Option<Spot> {
        self.fault.as_deref().copied()
    }

    /// Returns the earliest and the latest time so far; the first is greater than the second while there is none.
    pub(super) fn bounds(&self) -> (Tick, Tick) {
        (self.first, self.last)
    }

    /// Returns whether the plain reading has a fault. Only meaningful once all events were read.
    pub(super) fn is_faulty(&self) -> bool {
        self.fault.is_some() || self.depth > 0
    }

    /// Returns whether the thread is read again, so that its pairs are those of another reading.
    pub(super) fn is_read_again(&self) -> bool {
        self.is_faulty() && !self.is_cut
    }
}

/// Threads of which a part was read without the events before it.
#[cfg(feature = "parallel")]
impl ThreadPairs {
    /// Returns the number of open rows.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Records the time of an end that closes a row of an earlier part.
    pub(super) fn add_early_end(&mut self, at: Tick, bytes: ByteRange) {
        self.first = self.first.min(at);
        self.add_time(at, bytes);
    }

    /// Returns whether the next part of the thread can be added with [`ThreadPairs::append`]: whether no limit leaves out
    /// any of it, and it is known where times go back first.
    pub(super) fn can_be_followed(&self, next: &Self, max_depth: u32) -> bool {
        self.skipped == 0
            && (self.unordered || self.last <= next.first)
            && self.depth.saturating_add(next.n_rows) <= max_depth
    }

    /// Begins to add the next part: before its ends close rows of earlier parts.
    pub(super) fn begin_append(&mut self, next: &Self) {
        if next.unordered && !self.unordered {
            (self.unordered, self.went_back) = (true, next.went_back.clone());
        }
    }

    /// Adds the next part, whose rows begin at `first_row`.
    pub(super) fn append(&mut self, next: &Self, first_row: u32) {
        (self.first, self.last) = (self.first.min(next.first), self.last.max(next.last));
        if self.depth == 0 && next.outermost != ByteRange::default() {
            self.outermost = next.outermost;
        }
        if let Some(row) = next.innermost.get() {
            self.innermost = OpenRow::from(row + first_row);
            self.depth += next.depth;
        }
        self.n_rows += next.n_rows;
        let is_first = |other: &Spot| self.fault().is_none_or(|fault| other.bytes.start < fault.bytes.start);
        if next.fault().as_ref().is_some_and(is_first) {
            self.fault.clone_from(&next.fault);
        }
    }
}

impl SliceLog {
    /// Returns the innermost open row of a track.
    pub(super) fn innermost(&self, track: u32) -> OpenRow {
        self.threads.get(track as usize).map_or(OpenRow::NONE, |thread| thread.innermost)
    }

    /// Returns whether the times of a track go back.
    pub(super) fn is_unordered(&self, track: u32) -> bool {
        self.threads.get(track as usize).is_some_and(|thread| thread.unordered)
    }

    /// Adds a row for a begin and makes it the innermost open one of its thread. Returns whether no limit leaves it out.
    #[inline(always)]
    pub(super) fn begin(&mut self, row: InternedEvent, limits: &Limits, bytes: ByteRange) -> bool {
        let (thread, n_rows) = (thread_of(&mut self.threads, row.track), self.rows.len());
        let depth = thread.depth;
        if depth >= limits.max_depth || n_rows >= limits.max_slices as usize {
            thread.skipped += 1;
            return false;
        }
        if depth == 0 {
            thread.first = thread.first.min(row.at);
            thread.outermost = bytes;
        }
        thread.add_time(row.at, bytes);
        let flags = SliceFlags::PAIRED.with(SliceFlags::UNNAMED_END).with_open_depth(depth);
        self.rows.push_open(&row, flags, thread.innermost);
        thread.innermost = OpenRow::from(index32(n_rows));
        thread.depth += 1;
        thread.n_rows += 1;
        true
    }

    /// Closes the innermost open row of a thread.
    #[inline(always)]
    fn close(&mut self, track: u32, at: Tick, bytes: ByteRange) -> Closed {
        let thread = thread_of(&mut self.threads, track);
        if thread.skipped > 0 {
            thread.skipped -= 1;
            return Closed::LeftOut;
        }
        thread.add_time(at, bytes);
        let Some((row, around)) = self.rows.close(thread.innermost, at) else { return Closed::Nothing };
        thread.innermost = around;
        thread.depth -= 1;
        // Otherwise no time is earlier than one before it.
        if thread.unordered && at < self.rows.start(row) {
            thread.add_fault(Spot::new(bytes, at));
        }
        Closed::Row(row)
    }

    /// Keeps an end that found nothing to close.
    #[cold]
    fn orphan(&mut self, track: u32, at: Tick, name: NameId, args: ArgsId, bytes: ByteRange) {
        let thread = thread_of(&mut self.threads, track);
        thread.first = thread.first.min(at);
        thread.add_fault(Spot::new(bytes, at));
        let closed_at = index32(self.rows.len());
        self.orphans.push(Orphan { track, closed_at, at, name, args, bytes });
    }

    /// Keeps the name of the end that closed a row, which is a fault if it is not that of the row.
    #[inline]
    fn set_end_name(&mut self, track: u32, row: u32, name: NameId, spot: Spot) {
        self.rows.set_flags(row, self.rows.flags(row).without(SliceFlags::UNNAMED_END));
        if name != self.rows.name(row) {
            self.other_names.insert(row, name);
            thread_of(&mut self.threads, track).add_fault(spot);
        }
    }

    /// Keeps the arguments of the end that closed a row.
    #[inline]
    pub(super) fn add_end_args(&mut self, row: u32, args: ArgsId) {
        if args != ArgsId::NONE {
            self.end_args.push((row, args));
        }
    }
}

/// Returns the thread of a track, which is added if it is new.
#[allow(clippy::indexing_slicing, reason = "resized to hold the track")]
#[inline]
pub(super) fn thread_of(threads: &mut Vec<ThreadPairs>, track: u32) -> &mut ThreadPairs {
    let index = track as usize;
    if index < threads.len() {
        return &mut threads[index];
    }
    threads.resize_with(index + 1, ThreadPairs::default);
    &mut threads[index]
}

impl TraceBuilder {
    /// Counts a begin that a limit leaves out, or its end. No begin or end of the thread takes effect between the two, so that
    /// the limit that applies is the same.
    #[cold]
    pub(super) fn leave_out(&mut self, track: u32, bytes: ByteRange) {
        let too_deep = thread_of(&mut self.slices.threads, track).depth >= self.limits.max_depth;
        let limit = if too_deep { DiagnosticKind::DepthLimit } else { DiagnosticKind::SliceLimit };
        self.diagnostics.add(limit, bytes);
    }

    /// Adds the end of a thread's innermost open slice.
    #[inline(always)]
    pub(super) fn end(&mut self, event: &ThreadEvent<'_>, bytes: ByteRange) {
        let Some(track) = self.thread(event.thread, event.at, bytes) else { return };
        self.end_on(track, event, bytes);
    }

    /// Adds the end of a thread's innermost open slice. `track` is the track of the thread.
    #[inline(always)]
    pub(super) fn end_on(&mut self, track: u32, event: &ThreadEvent<'_>, bytes: ByteRange) {
        let at = event.at;
        match self.slices.close(track, at, bytes) {
            Closed::Row(row) => {
                if !event.name.is_empty() {
                    // Nearly every end has the name of its begin, and comparing the bytes of two names spares a lookup.
                    let name = self.slices.rows.name(row);
                    let is_same = !event.name.is_escaped() && event.name.raw() == self.names.all.bytes(name);
                    let end_name = if is_same { name } else { self.intern(event.name) };
                    self.slices.set_end_name(track, row, end_name, Spot::new(bytes, at));
                }
                let args = self.keep_args(event.args, bytes);
                self.slices.add_end_args(row, args);
            }
            Closed::Nothing => {
                let (name, args) = (self.intern(event.name), self.keep_args(event.args, bytes));
                self.slices.orphan(track, at, name, args, bytes);
            }
            Closed::LeftOut => self.leave_out(track, bytes),
        }
    }

    /// Adds the end of a thread's innermost open slice, whose strings the builder has already.
    #[cfg(feature = "parallel")]
    pub(super) fn end_interned(&mut self, end: &Orphan) {
        let &Orphan { track, at, name, args, bytes, .. } = end;
        match self.slices.close(track, at, bytes) {
            Closed::Row(row) => {
                if name != NameId::EMPTY {
                    self.slices.set_end_name(track, row, name, end.spot());
                }
                self.slices.add_end_args(row, args);
            }
            Closed::Nothing => self.slices.orphan(track, at, name, args, bytes),
            Closed::LeftOut => self.leave_out(track, bytes),
        }
    }
}

/// What an end has closed.
enum Closed {
    /// The row with this number.
    Row(u32),
    /// No row, because none was open.
    Nothing,
    /// A begin that a limit has left out, so that the end is left out too.
    LeftOut,
}

/// The facts of a pair from which its flags follow, in a finished and in a live trace.
#[derive(Debug)]
pub(super) struct PairFacts {
    pub(super) start: Tick,
    /// The time of the end; `None` if no end closes the pair.
    pub(super) end: Option<Tick>,
    /// Whether the end has another name than the begin.
    pub(super) has_other_name: bool,
    /// Whether the pair is known to lie inside the one around it.
    pub(super) nests: bool,
    /// The number of pairs that were open when it began.
    pub(super) open_depth: u32,
}

impl PairFacts {
    /// Returns the flags of the slice.
    pub(super) fn flags(&self) -> SliceFlags {
        let flag = |is_set: bool, flag: SliceFlags| if is_set { flag } else { SliceFlags::NONE };
        flag(self.nests, SliceFlags::PAIRED)
            .with(flag(self.end.is_none(), SliceFlags::UNFINISHED))
            .with(flag(self.end.is_some_and(|end| end < self.start), SliceFlags::CLAMPED))
            .with(flag(self.has_other_name, SliceFlags::NAME_MISMATCH))
            .with_open_depth(self.open_depth)
    }
}

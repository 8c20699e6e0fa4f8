//! Begins and ends: the most recent open begin of a thread is closed, and what is needed to think again is kept.
//!
//! Where that plain reading of a thread has no fault it is final. Else [`super::repair`] reads the thread again;
//! the ends can be put back in their places among the begins because each row remembers how many rows there were
//! when it was closed, and ends between the same two rows close from the inside out.
//!
//! The stack of a thread is a chain through its rows: while a row is open, its `pair` is the row open around it.

use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::{ByteRange, DiagnosticKind, NameId, SliceFlags, Text, ThreadEvent, Tick, args_table::ArgsId};

use super::{Keep, Row, TraceBuilder, repair};

/// The `pair` of a slice that is no pair: it was closed when there was no row.
pub(super) const NO_PAIR: u32 = 0;
/// The `pair` of a begin that no end has closed, once all events are there; also the row around an outermost one.
pub(super) const OPEN: u32 = u32::MAX;

/// What pairing knows of rows and threads.
#[derive(Debug, Default)]
pub(super) struct PairLog {
    /// Ends whose name is not that of the row they closed.
    pub(super) other_names: HashMap<u32, NameId, foldhash::fast::RandomState>,
    /// Arguments of ends, by row.
    pub(super) end_args: Vec<(u32, ArgsId)>,
    /// Ends that found nothing to close.
    pub(super) orphans: Vec<Orphan>,
    /// By track; threads without begins and ends have none.
    pub(super) threads: Vec<ThreadPairs>,
}

/// An end that found nothing to close.
#[derive(Debug, Clone, Copy)]
pub(super) struct Orphan {
    pub(super) track: u32,
    /// How many rows there were.
    pub(super) closed_at: u32,
    pub(super) at: Tick,
    pub(super) name: NameId,
    pub(super) args: ArgsId,
    pub(super) bytes: ByteRange,
}

/// The begins and ends of one thread.
#[derive(Debug)]
pub(super) struct ThreadPairs {
    /// The innermost open row, or [`OPEN`].
    innermost: u32,
    /// How many rows are open.
    depth: u32,
    /// How many rows it has.
    pub(super) n_rows: u32,
    /// Begins left out because too many were open, or there were too many slices; their ends are left out too.
    skipped: u32,
    /// Times went back.
    pub(super) unordered: bool,
    first: Tick,
    /// The latest time so far.
    last: Tick,
    /// The begin of the outermost open row.
    pub(super) outermost: ByteRange,
    /// Where times first went back.
    pub(super) went_back: ByteRange,
    /// Where the first fault of the plain reading is.
    pub(super) fault: Option<ByteRange>,
}

impl Default for ThreadPairs {
    fn default() -> Self {
        Self {
            innermost: OPEN,
            depth: 0,
            n_rows: 0,
            skipped: 0,
            unordered: false,
            first: Tick::MAX,
            last: Tick::MIN,
            outermost: ByteRange::default(),
            went_back: ByteRange::default(),
            fault: None,
        }
    }
}

impl ThreadPairs {
    #[inline(always)]
    fn see(&mut self, at: Tick, bytes: ByteRange) {
        self.first = self.first.min(at);
        if at < self.last {
            self.go_back(bytes);
        } else {
            self.last = at;
        }
    }

    #[cold]
    fn go_back(&mut self, bytes: ByteRange) {
        if !self.unordered {
            self.went_back = bytes;
        }
        self.unordered = true;
    }

    #[cold]
    fn add_fault(&mut self, bytes: ByteRange) {
        self.fault.get_or_insert(bytes);
    }

    /// The earliest and the latest time so far; backwards while there is none.
    pub(super) fn bounds(&self) -> (Tick, Tick) {
        (self.first, self.last)
    }

    /// Whether the plain reading has a fault, once all events are there.
    pub(super) fn is_faulty(&self) -> bool {
        self.fault.is_some() || self.depth > 0
    }
}

/// Whether a begin is still open, by its number and its `pair`: a closed one remembers more rows than came before.
pub(super) fn is_open(row: u32, pair: u32) -> bool {
    pair == OPEN || pair < row
}

impl PairLog {
    /// The innermost open row of a track, or [`OPEN`].
    pub(super) fn innermost(&self, track: u32) -> u32 {
        self.threads.get(track as usize).map_or(OPEN, |thread| thread.innermost)
    }

    #[allow(clippy::indexing_slicing, reason = "resized to hold the track")]
    #[inline]
    fn thread(&mut self, track: u32) -> &mut ThreadPairs {
        let index = track as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, ThreadPairs::default);
        }
        &mut self.threads[index]
    }
}

#[allow(clippy::indexing_slicing, reason = "open rows are numbers of rows that were pushed")]
impl<'a> TraceBuilder<'a> {
    #[inline(always)]
    pub(super) fn begin(&mut self, row: Row, bytes: ByteRange) {
        let thread = self.pairs.thread(row.track);
        let depth = thread.depth;
        if depth >= self.limits.max_depth {
            thread.skipped += 1;
            self.diagnostics.add(DiagnosticKind::DepthLimit, bytes);
            return;
        }
        let Some(index) = self.next_row(bytes) else {
            self.pairs.thread(row.track).skipped += 1;
            return;
        };
        let thread = self.pairs.thread(row.track);
        thread.see(row.at, bytes);
        if depth == 0 {
            thread.outermost = bytes;
        }
        let flags = SliceFlags::PAIRED.with_open_depth(depth);
        self.rows.push(row.slice(row.at, flags, thread.innermost));
        thread.innermost = index;
        thread.depth += 1;
        thread.n_rows += 1;
    }

    #[inline(always)]
    pub(super) fn end<'e, K: Keep<'a, 'e>>(&mut self, event: &ThreadEvent<'e>, bytes: ByteRange) {
        let Some(track) = self.thread::<K>(event.thread, bytes) else { return };
        let rows = super::registry::index32(self.rows.len());
        let thread = self.pairs.thread(track);
        if thread.skipped > 0 {
            thread.skipped -= 1;
            // Neither the depth nor a full trace has changed since its begin was left out.
            let too_deep = thread.depth >= self.limits.max_depth;
            let limit = if too_deep { DiagnosticKind::DepthLimit } else { DiagnosticKind::SliceLimit };
            self.diagnostics.add(limit, bytes);
            return;
        }
        thread.see(event.at, bytes);
        let row = thread.innermost;
        let Some(slice) = self.rows.get_mut(row as usize) else {
            return self.orphan::<K>(track, event, bytes);
        };
        thread.innermost = core::mem::replace(&mut slice.pair, rows);
        thread.depth -= 1;
        slice.end = event.at;
        if event.at < slice.start {
            thread.add_fault(bytes);
        }
        if event.name.is_empty() {
            slice.flags = slice.flags.with(SliceFlags::UNNAMED_END);
        } else {
            let name = slice.name;
            self.check_name::<K>(track, row, name, event.name, bytes);
        }
        let args = self.keep_args::<K>(event.args, bytes);
        if args != ArgsId::NONE {
            self.pairs.end_args.push((row, args));
        }
    }

    /// An end that finds nothing to close.
    #[cold]
    fn orphan<'e, K: Keep<'a, 'e>>(&mut self, track: u32, event: &ThreadEvent<'e>, bytes: ByteRange) {
        self.pairs.thread(track).add_fault(bytes);
        let orphan = Orphan {
            track,
            closed_at: super::registry::index32(self.rows.len()),
            at: event.at,
            name: self.intern::<K>(event.name),
            args: self.keep_args::<K>(event.args, bytes),
            bytes,
        };
        self.pairs.orphans.push(orphan);
    }

    /// Compares the name of an end with that of the row it closed.
    #[inline]
    fn check_name<'e, K: Keep<'a, 'e>>(
        &mut self,
        track: u32,
        row: u32,
        name: NameId,
        end_name: Text<'e>,
        bytes: ByteRange,
    ) {
        // Spares looking up the name of nearly every end.
        if !end_name.is_escaped() && end_name.raw() == self.names.bytes(name) {
            return;
        }
        let end_name = self.intern::<K>(end_name);
        if end_name != name {
            self.pairs.other_names.insert(row, end_name);
            self.pairs.thread(track).add_fault(bytes);
        }
    }

    /// Settles which end belongs to which begin.
    pub(super) fn finish_pairs(&mut self) {
        let mut pairs = core::mem::take(&mut self.pairs);
        for (track, thread) in (0_u32..).zip(&pairs.threads).filter(|(_, thread)| thread.first <= thread.last)
        {
            self.touch(track, thread.first, thread.last);
            let row = self.registry.track_mut(track);
            row.in_order &= row.n_slices == 0 && !thread.unordered && !thread.is_faulty();
            row.n_slices += thread.n_rows;
            let mut row = thread.innermost;
            while let Some(slice) = self.rows.get_mut(row as usize) {
                row = core::mem::replace(&mut slice.pair, OPEN);
            }
        }
        if pairs.threads.iter().any(ThreadPairs::is_faulty) {
            repair::read_again(self, &mut pairs);
        }
        for thread in pairs.threads.iter().filter(|thread| thread.unordered) {
            self.diagnostics.add(DiagnosticKind::Unordered, thread.went_back);
        }
        if pairs.threads.iter().any(|thread| thread.unordered && !thread.is_faulty()) {
            self.unpair_unordered(&pairs.threads);
        }
        for &(row, args) in &pairs.end_args {
            let slice = &mut self.rows[row];
            slice.args = self.args.join(slice.args, args);
        }
    }

    /// Pairs of a thread whose times go back are not known to nest. \[json 3.2\]
    fn unpair_unordered(&mut self, threads: &[ThreadPairs]) {
        for slice in self.rows.iter_mut() {
            let thread = threads.get(slice.track as usize);
            if thread.is_some_and(|thread| thread.unordered && !thread.is_faulty()) {
                slice.flags = slice.flags.without(SliceFlags::PAIRED);
            }
        }
    }
}

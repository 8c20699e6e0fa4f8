//! Begins and ends: the most recent open begin of a thread is closed, and what is needed to think again is kept.
//!
//! Where that plain reading of a thread has no fault it is final. Else [`super::repair`] reads the thread again;
//! the ends can be put back in their places among the begins because each row remembers how many rows there were
//! when it was closed, and ends between the same two rows close from the inside out.

use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::{ByteRange, DiagnosticKind, NameId, SliceFlags, ThreadEvent, Tick, args_table::ArgsId};

use super::{Keep, TraceBuilder, repair};

/// A row that no end has closed.
pub(super) const OPEN: u32 = u32::MAX;

/// What pairing knows of rows and threads.
#[derive(Debug, Default)]
pub(super) struct PairLog {
    /// For each row how many rows there were when it was closed; 0 for a slice that is no pair.
    pub(super) closed_at: Vec<u32>,
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
#[derive(Debug, Default)]
pub(super) struct ThreadPairs {
    /// Open rows, innermost last, with the byte range of their begin.
    pub(super) open: Vec<(u32, ByteRange)>,
    /// Begins left out because too many were open; their ends are left out too.
    skipped: u32,
    /// The latest time so far.
    last: Option<Tick>,
    /// Times went back.
    pub(super) unordered: bool,
    /// Where they first did.
    went_back: ByteRange,
    /// Where the first fault of the plain reading is.
    pub(super) fault: Option<ByteRange>,
}

impl ThreadPairs {
    #[inline]
    fn see(&mut self, at: Tick, bytes: ByteRange) {
        if self.last.is_some_and(|last| at < last) {
            if !self.unordered {
                self.went_back = bytes;
            }
            self.unordered = true;
        } else {
            self.last = Some(at);
        }
    }

    #[cold]
    fn add_fault(&mut self, bytes: ByteRange) {
        self.fault.get_or_insert(bytes);
    }

    /// Whether the plain reading has a fault, once all events are there.
    pub(super) fn is_faulty(&self) -> bool {
        self.fault.is_some() || !self.open.is_empty()
    }
}

impl PairLog {
    /// A row was added that is no pair.
    #[inline]
    pub(super) fn push_row(&mut self) {
        self.closed_at.push(0);
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
    #[inline]
    pub(super) fn begin(&mut self, row: super::Row, bytes: ByteRange) {
        let thread = self.pairs.thread(row.track);
        let depth = super::registry::index32(thread.open.len());
        if depth >= self.limits.max_depth {
            thread.skipped += 1;
            self.diagnostics.add(DiagnosticKind::DepthLimit, bytes);
            return;
        }
        let flags = SliceFlags::PAIRED.with_open_depth(depth);
        let Some(index) = self.push_slice(&row, row.at, flags, bytes) else {
            self.pairs.thread(row.track).skipped += 1;
            return;
        };
        self.pairs.closed_at[index as usize] = OPEN;
        let thread = self.pairs.thread(row.track);
        thread.see(row.at, bytes);
        thread.open.push((index, bytes));
    }

    #[inline]
    pub(super) fn end<'e, K: Keep<'a, 'e>>(&mut self, event: &ThreadEvent<'e>, bytes: ByteRange) {
        let Some(track) = self.thread::<K>(event.thread, bytes) else { return };
        let rows = super::registry::index32(self.rows.len());
        let thread = self.pairs.thread(track);
        if thread.skipped > 0 {
            thread.skipped -= 1;
            self.diagnostics.add(DiagnosticKind::DepthLimit, bytes);
            return;
        }
        thread.see(event.at, bytes);
        let Some((row, _)) = thread.open.pop() else {
            thread.add_fault(bytes);
            let orphan = Orphan {
                track,
                closed_at: rows,
                at: event.at,
                name: self.intern::<K>(event.name),
                args: self.keep_args::<K>(event.args, bytes),
                bytes,
            };
            self.pairs.orphans.push(orphan);
            self.touch(track, event.at, event.at);
            return;
        };
        let index = row as usize;
        if event.at < self.rows.start[index] {
            thread.add_fault(bytes);
        }
        self.rows.end[index] = event.at;
        self.pairs.closed_at[index] = rows;
        self.touch(track, event.at, event.at);
        if event.name.is_empty() {
            let flags = &mut self.rows.flags[index];
            *flags = flags.with(SliceFlags::UNNAMED_END);
        } else if !self.same_name(event.name, self.rows.name[index]) {
            let name = self.intern::<K>(event.name);
            if name != self.rows.name[index] {
                self.pairs.other_names.insert(row, name);
                self.pairs.thread(track).add_fault(bytes);
            }
        }
        let args = self.keep_args::<K>(event.args, bytes);
        if args != ArgsId::NONE {
            self.pairs.end_args.push((row, args));
        }
    }

    /// Whether a text is surely a name: spares looking up the name of nearly every end.
    #[inline]
    fn same_name(&self, text: crate::Text<'_>, name: NameId) -> bool {
        !text.is_escaped() && text.raw() == self.names.bytes(name)
    }

    /// Settles which end belongs to which begin.
    pub(super) fn finish_pairs(&mut self) {
        let mut pairs = core::mem::take(&mut self.pairs);
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
            let slot = &mut self.rows.args[row as usize];
            *slot = self.args.join(*slot, args);
        }
    }

    /// Pairs of a thread whose times go back are not known to nest. \[json 3.2\]
    fn unpair_unordered(&mut self, threads: &[ThreadPairs]) {
        for (flags, &track) in self.rows.flags.iter_mut().zip(&self.row_tracks) {
            if threads.get(track as usize).is_some_and(|thread| thread.unordered && !thread.is_faulty()) {
                *flags = flags.without(SliceFlags::PAIRED);
            }
        }
    }
}

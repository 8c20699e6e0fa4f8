//! Threads that a recording cuts: begins before it or ends behind it are missing, and there is no other fault. [pairing
//! 2](crate::rules::pairing#2)
//!
//! Most faulty threads of real files are such, and need no second reading. All their ends have a name or none has, and
//! an end that closed a begin names it. So by the names of ends the same begins are closed as without them, and times
//! that do not go back leave no further way.

use crate::{DiagnosticKind, SliceFlags};

use super::{
    pairing::{Orphan, SliceLog, ThreadPairs},
    reports::{Reports, Spot},
    rows::{PairState, Rows},
};

/// The kinds of ends that a thread has, as far as they decide whether it is only cut.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    named: bool,
    unnamed: bool,
    /// An end has another name than the begin that it closed.
    mismatched: bool,
}

impl Ends {
    fn add(&mut self, is_named: bool) {
        self.named |= is_named;
        self.unnamed |= !is_named;
    }

    fn are_alike(self) -> bool {
        !(self.mismatched || self.named && self.unnamed)
    }
}

/// Finds the threads that are only cut.
#[allow(clippy::indexing_slicing, reason = "tracks of rows and of orphans are given out by the builder")]
pub(super) fn find(slices: &mut SliceLog) {
    let SliceLog { rows, threads, orphans, other_names, .. } = slices;
    let may_be_cut = |thread: &ThreadPairs| thread.is_faulty() && !thread.unordered;
    let mut ends = alloc::vec![Ends::default(); threads.len()];
    for &row in other_names.keys() {
        ends[rows.track(row) as usize].mismatched = true;
    }
    for orphan in &*orphans {
        ends[orphan.track as usize].add(!orphan.name.is_empty());
    }
    let runs = rows.runs().filter(|&(track, _)| threads.get(track as usize).is_some_and(may_be_cut));
    for (track, run) in runs {
        let ends = &mut ends[track as usize];
        for row in run.filter(|&row| rows.flags(row).is_paired() && !rows.is_open(row)) {
            ends.add(!rows.flags(row).contains(SliceFlags::UNNAMED_END));
        }
    }
    for (thread, ends) in threads.iter_mut().zip(ends) {
        thread.is_cut = may_be_cut(thread) && ends.are_alike();
    }
}

/// Finishes a thread that is only cut: its open rows are unfinished, and its orphans have no begin. `somewhere` is a place
/// of the thread, for diagnostics whose own place is not kept.
pub(super) fn finish<'o>(
    rows: &mut Rows,
    reports: &mut Reports,
    thread: &ThreadPairs,
    orphans: impl Iterator<Item = &'o Orphan>,
    somewhere: Spot,
) {
    let mut innermost = thread.innermost;
    while let Some(row) = innermost.get() {
        rows.unfinished.push(row);
        reports.add_at(DiagnosticKind::UnfinishedSlice, somewhere);
        let flags = rows.flags(row).with(SliceFlags::UNFINISHED).without(SliceFlags::UNNAMED_END);
        rows.set_flags(row, flags);
        rows.set_end(row, rows.start(row));
        let PairState::Open { around } = rows.pair(row) else { break };
        innermost = around;
    }
    for orphan in orphans {
        reports.add_at(DiagnosticKind::UnmatchedEnd, orphan.spot());
    }
}

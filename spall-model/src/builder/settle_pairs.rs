//! The final pairing of begins and ends, once all events were read. [json 3.2](crate::rules::json#3.2)

use crate::{DiagnosticKind, SliceFlags};

use super::{TraceBuilder, pairing::ThreadPairs, repair};

impl TraceBuilder<'_> {
    /// Decides which end belongs to which begin, and joins the arguments of ends to those of begins.
    pub(super) fn finish_pairs(&mut self) {
        let mut pairs = core::mem::take(&mut self.pairs);
        for (track, thread) in (0_u32..).zip(&pairs.threads) {
            let (first, last) = thread.bounds();
            // The list has a place for every track up to the last thread, also for those without begins and ends.
            if first > last {
                continue;
            }
            self.touch(track, first, last);
            let row = self.registry.track_mut(track);
            // Pairs alone are in order as they come. Pairs and complete slices of one track are compared later.
            row.in_order &= row.n_slices == 0 && !thread.unordered && !thread.is_faulty();
            row.n_slices += thread.n_rows;
            // The chain of open rows has served its purpose. Each link becomes the mark of a begin without an end.
            let mut row = thread.innermost;
            while let Some(outer) = self.rows.leave_open(row) {
                row = outer;
            }
        }
        if pairs.threads.iter().any(ThreadPairs::is_faulty) {
            repair::repair(self, &mut pairs);
        }
        for thread in pairs.threads.iter().filter(|thread| thread.unordered) {
            self.diagnostics.add(DiagnosticKind::Unordered, thread.went_back);
        }
        if pairs.threads.iter().any(|thread| thread.unordered && !thread.is_faulty()) {
            self.unpair_unordered(&pairs.threads);
        }
        for &(row, args) in &pairs.end_args {
            let args = self.args.join(self.rows.args(row), args);
            self.rows.set_args(row, args);
        }
    }

    /// Removes the flag of pairs whose thread has times that go back, because they are not known to nest. [json
    /// 3.2](crate::rules::json#3.2)
    fn unpair_unordered(&mut self, threads: &[ThreadPairs]) {
        self.rows.change_flags(|track, flags| {
            let thread = threads.get(track as usize);
            let unpair = thread.is_some_and(|thread| thread.unordered && !thread.is_faulty());
            if unpair { flags.without(SliceFlags::PAIRED) } else { flags }
        });
    }
}

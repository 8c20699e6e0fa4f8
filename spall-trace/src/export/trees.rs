//! Counts what call trees hold of a trace, for the formats that are made of them.

use spall_model::{CallTree, SliceFlags, Trace, Track};

use super::{ExportReport, Loss, thread::threads};

/// What the call trees that were written hold.
#[derive(Debug, Default)]
pub(super) struct WrittenTrees {
    n_slices: u64,
    n_too_deep: usize,
}

impl WrittenTrees {
    /// Counts a tree, of which paths were written up to [`CallTree::MAX_FOLDED_DEPTH`].
    pub(super) fn add(&mut self, tree: &CallTree) {
        self.add_deep(tree);
        self.n_too_deep += tree.n_folded_away();
    }

    /// Counts a tree that was written whole.
    pub(super) fn add_deep(&mut self, tree: &CallTree) {
        // The other nodes stand for functions that samples found.
        let of_slices = tree.nodes().iter().filter(|node| node.function.source.is_none());
        self.n_slices += of_slices.map(|node| node.count).sum::<u64>();
    }

    /// Returns what the trees do not hold of the trace.
    pub(super) fn report(&self, trace: &Trace<'_>) -> ExportReport {
        let mut report = ExportReport::all_but_thread_slices(trace);
        // Trees hold samples whether they were merged or not.
        report.set(Loss::Sample, 0);
        report.set(Loss::DeepStack, self.n_too_deep);
        let flags = trace.slices().flags();
        let flags_of = |track: &Track| flags.get(track.slices().indices()).unwrap_or_default();
        let on_threads = threads(trace).flat_map(|thread| flags_of(thread.track));
        let of_file = on_threads.filter(|flags| !flags.contains(SliceFlags::SAMPLED)).count();
        report.set(Loss::Slice, of_file.saturating_sub(usize::try_from(self.n_slices).unwrap_or(usize::MAX)));
        report
    }
}

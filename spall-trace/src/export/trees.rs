//! Counts what call trees hold of a trace, for the formats that are made of them.

use spall_model::{CallTree, Trace, TraceView};

use super::{ExportReport, Loss};

/// How much of call stacks may still be written. A format of call stacks repeats the functions around each one, and threads
/// may share their frames, so that a small file may have stacks without end. Those of real files stay far below this.
#[derive(Debug)]
pub(super) struct StackRoom {
    bytes: u64,
}

impl StackRoom {
    /// The room for each byte of a trace, about, and for any trace.
    const PER_BYTE: u64 = 64;
    const FREE: u64 = 64 << 20;
    /// The most functions of a stack, and the most bytes of its text, for which there always is room.
    pub(super) const FEW_FUNCTIONS: usize = 16;
    pub(super) const FEW_BYTES: usize = 128;

    /// Returns the room for the stacks of a trace.
    pub(super) fn of(trace: &Trace) -> Self {
        let names: usize = trace.names().iter().map(<[u8]>::len).sum();
        let items = trace.slices().len() + trace.samples().len() + trace.frames().len();
        Self { bytes: Self::FREE + Self::PER_BYTE * (names as u64 + 32 * items as u64) }
    }

    /// Takes room for a stack of so many bytes. Returns whether there was any.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes as u64);
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }
}

/// What the call trees that were written lack.
#[derive(Debug, Default)]
pub(super) struct WrittenTrees {
    n_too_deep: usize,
}

impl WrittenTrees {
    /// Counts a stack of which only the outermost functions were written.
    pub(super) fn add_cut(&mut self) {
        self.n_too_deep += 1;
    }

    /// Counts a tree, of which paths were written up to [`CallTree::MAX_FOLDED_DEPTH`].
    pub(super) fn add(&mut self, tree: &CallTree) {
        self.n_too_deep += tree.n_folded_away();
    }

    /// Returns what trees do not hold of the tracks that they are of, and of everything that is on no track.
    pub(super) fn report(&self, trace: &Trace) -> ExportReport {
        let mut report = ExportReport::all_but_slices(trace);
        // Trees hold samples whether they were merged or not.
        report.set(Loss::Sample, 0);
        report.set(Loss::DeepStack, self.n_too_deep);
        report
    }
}

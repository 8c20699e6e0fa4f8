//! The flows of a trace by the slices at both ends.

use alloc::vec::Vec;

use spall_model::{SliceId, Trace, TraceView};

/// The flows that Perfetto can show, which are numbered from 1.
pub(super) struct Flows {
    leaving: Vec<(SliceId, u64)>,
    arriving: Vec<(SliceId, u64)>,
    n_left_out: usize,
}

impl Flows {
    pub(super) fn new(trace: &Trace) -> Self {
        let (mut leaving, mut arriving) = (Vec::new(), Vec::new());
        // Perfetto takes the earlier one of two slices as the one that the flow leaves, by time and then by place in the file.
        let place = |id: SliceId| Some((trace.slice(id)?.start, trace.track_of(id)?));
        let shown = trace.flows().iter().filter(|flow| place(flow.from) < place(flow.to));
        for (number, flow) in (1_u64..).zip(shown) {
            leaving.push((flow.from, number));
            arriving.push((flow.to, number));
        }
        let n_left_out = trace.flows().len() - leaving.len();
        leaving.sort_unstable();
        arriving.sort_unstable();
        Self { leaving, arriving, n_left_out }
    }

    /// Returns the number of flows that lead to the same time or back.
    pub(super) fn n_left_out(&self) -> usize {
        self.n_left_out
    }

    /// Returns the flows that leave a slice.
    pub(super) fn leaving(&self, slice: SliceId) -> impl Iterator<Item = u64> {
        of(&self.leaving, slice)
    }

    /// Returns the flows that arrive at a slice.
    pub(super) fn arriving(&self, slice: SliceId) -> impl Iterator<Item = u64> {
        of(&self.arriving, slice)
    }
}

fn of(sorted: &[(SliceId, u64)], slice: SliceId) -> impl Iterator<Item = u64> {
    let start = sorted.partition_point(|&(other, _)| other < slice);
    let rest = sorted.get(start..).unwrap_or_default().iter();
    rest.take_while(move |&&(other, _)| other == slice).map(|&(_, number)| number)
}

//! Statistics that are the sums of a call tree. [layout 14.1](crate::rules::layout#14.1)

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Function, FunctionStats, Job, Measure, Tick, Ticks, TraceView, TrackId};

use crate::LayoutView;
use crate::slice_tree::{FunctionOf as _, SliceTree, measured::value_of};
use crate::visits::VisitSlices;

use super::{
    counting::Sums,
    numbers::{Functions, Numbers},
};

/// The sums of a call tree, and the values that each slice has.
#[derive(Debug, Clone)]
pub(super) struct TreeSums<'l, T, L: LayoutView> {
    functions: Functions<'l, T>,
    layout: &'l L,
    measure: Measure,
    pub(super) range: Range<Tick>,
    /// The tree in the making; `None` once it is added up.
    tree: Option<SliceTree<'l, T, L, Functions<'l, T>>>,
    sums: HashMap<Function, FunctionStats, RandomState>,
    /// The tracks whose slices were not visited, the next one last.
    tracks: Vec<TrackId>,
    /// The rest of the track that is begun.
    visits: Option<L::Visits<'l>>,
}

impl<'l, T: TraceView, L: LayoutView> TreeSums<'l, T, L> {
    pub(super) fn new(
        functions: Functions<'l, T>,
        layout: &'l L,
        tracks: Vec<TrackId>,
        range: Range<Tick>,
        measure: Measure,
    ) -> Self {
        let Functions { trace, by } = functions;
        let of_tree = Functions { trace, by };
        let tree = SliceTree::new(trace, layout, tracks.clone(), range.clone(), measure, of_tree);
        let (tree, sums, visits) = (Some(tree), HashMap::default(), None);
        Self { functions, layout, measure, range, tree, sums, tracks, visits }
    }

    pub(super) fn of(&self, function: Function) -> Option<&FunctionStats> {
        self.sums.get(&function)
    }

    /// Returns whether everything in this range is counted.
    pub(super) fn is_done_with(&self, range: &Range<Tick>) -> bool {
        self.range == *range && self.tree.is_none() && self.visits.is_none() && self.tracks.is_empty()
    }

    /// Visits at most `work` slices. Returns whether all are done.
    pub(super) fn step(&mut self, work: usize, numbers: &mut Numbers, sums: &mut Vec<Sums>) -> bool {
        if let Some(tree) = &mut self.tree {
            let Some(tree) = tree.step(work) else { return false };
            self.sums = tree.functions().into_iter().map(|stats| (stats.function, stats)).collect();
            self.tree = None;
        }
        let Self { functions, layout, measure, range, tracks, visits, .. } = self;
        let mut left = work;
        while left > 0 {
            if let Some(visits) = visits {
                left -= visits.visit_some(left, |visit| {
                    let is_inside = visit.start >= range.start && visit.end <= range.end;
                    let Some(function) = functions.function_of(visit.slice) else { return };
                    let value = match measure {
                        Measure::WallTime => {
                            let start = visit.start.max(range.start);
                            Some(visit.end.min(range.end).max(start) - start)
                        }
                        _ => value_of(functions.trace, *measure, visit.slice, is_inside, true).map(Ticks),
                    };
                    if let Some(sums) = Sums::of(sums, numbers.number(function))
                        && let Some(value) = value
                    {
                        sums.add(value.0.try_into().unwrap_or(0));
                    }
                });
            }
            if left == 0 {
                break;
            }
            *visits = None;
            let Some(track) = tracks.pop() else { return true };
            left -= 1;
            *visits = Some(layout.visits(functions.trace.slice_times(), track, range));
        }
        false
    }
}

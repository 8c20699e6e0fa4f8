//! The call tree of one track, in which slices and sampled functions are added up by call path.

use alloc::{string::String, vec::Vec};
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    CallTree, CallTreeBuilder, Function, Measure, NameId, SliceId, ThreadMeasure, Tick, Ticks, Trace,
    TraceView, TrackId, TreeNode, TreeNodeId,
};

use crate::walk::{MergeStats, Opened, Sink};

/// The call tree of one track, with the time and the number of samples of each call path.
///
/// The self times of all nodes and the [unattributed](CallTree::unattributed) time, in which nothing ran, add up to the duration
/// of the range, or to the time for which the samples stand if their weights are times and the thread has no slices.
/// [samples 2](spall_model::rules::samples#2) The range and the unattributed time are those of the track's own nesting. Slices
/// that overlap others add to that, and spans of async tracks that outlive those around them.
/// [tree 1](spall_model::rules::tree#1) [`call_tree`](crate::call_tree) has an example.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TrackTree {
    /// The track whose slices and samples are added up; a thread that gets another name has a tree for each.
    pub track: TrackId,
    /// The name of the track, which of a thread with samples is that in the time of the tree. It may be empty.
    pub name: String,
    /// The slices of the track and the functions that samples found, by call path.
    pub tree: CallTree,
    /// The half-open range of time that the slices of lane 0 and the profile of the track cover; `None` if it has neither.
    pub range: Option<Range<Tick>>,
    /// The numbers of samples by the way in which they were used.
    pub stats: MergeStats,
}

/// A sink that makes a call tree of a walk.
pub(super) struct TreeSink<'t> {
    trace: &'t Trace,
    builder: CallTreeBuilder,
    /// The nodes of call frames below their callers, by both in one number. The builder finds them as well, but by the whole
    /// function, which takes longer to hash.
    nodes_of_frames: HashMap<u64, TreeNodeId, RandomState>,
    /// The nodes of the open calls, the innermost last.
    open: Vec<TreeNodeId>,
    /// The time up to which time has been given to calls.
    now: Tick,
    /// Whether time in which nothing is open is none of the tree: there are no slices, and the last sample is over.
    is_gap: bool,
    /// Whether there are slices, beside which such time counts.
    has_slices: bool,
    /// The counter of the thread that is added up instead of time; `None` for time.
    counter: Option<ThreadMeasure>,
    /// The open slices that the counter measured, the innermost last. [tree 6](spall_model::rules::tree#6)
    measured: Vec<Measured>,
}

/// An open slice that a counter of its thread measured.
struct Measured {
    /// The number of calls around it.
    depth: usize,
    /// What the counter measured in the slice, without the measured slices inside it so far.
    rest: i64,
}

impl<'t> TreeSink<'t> {
    /// Returns a sink for a walk that begins at `start`.
    pub(super) fn new(trace: &'t Trace, start: Tick, measure: Measure, has_slices: bool) -> Self {
        Self {
            trace,
            builder: CallTreeBuilder::new(),
            nodes_of_frames: HashMap::default(),
            open: Vec::new(),
            now: start,
            is_gap: false,
            has_slices,
            counter: measure.of_thread(),
            measured: Vec::new(),
        }
    }

    /// Counts the time to the end, in which nothing runs any more, and returns the tree so far.
    pub(super) fn finish(mut self, end: Option<Tick>) -> CallTreeBuilder {
        if let Some(end) = end {
            self.advance(end);
        }
        self.builder
    }

    /// Begins to measure a slice that is opened now, if it has the measure.
    fn measure(&mut self, slice: SliceId, counter: ThreadMeasure) {
        let Some(value) = self.trace.slice_args(slice).thread_measure(counter) else { return };
        if let Some(outer) = self.measured.last_mut() {
            outer.rest = outer.rest.saturating_sub(value);
        }
        self.measured.push(Measured { depth: self.open.len(), rest: value });
    }

    /// Gives the time since the last change to the innermost call.
    fn advance(&mut self, at: Tick) {
        if self.counter.is_none() && at > self.now {
            if !self.is_gap {
                self.builder.add_time(self.open.last().copied(), at - self.now);
            }
            self.now = at;
        }
    }
}

/// Returns a tree of time as one of another measure, if that is one that all trees contain.
pub(super) fn converted(tree: CallTree, measure: Measure) -> CallTree {
    let self_value: fn(&TreeNode) -> u64 = match measure {
        Measure::Count => |node| node.count,
        Measure::Samples => |node| whole(node.weight),
        Measure::WallTime | Measure::ThreadTime | Measure::Instructions => return tree,
    };
    tree.with_self_times(|node| Ticks(i64::try_from(self_value(node)).unwrap_or(i64::MAX)))
}

/// Returns the nearest whole number to a sum of weights.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer casts saturate"
)]
fn whole(weight: f64) -> u64 {
    (weight + 0.5) as u64
}

impl Sink for TreeSink<'_> {
    fn open(&mut self, opened: Opened, at: Tick) {
        self.advance(at);
        let parent = self.open.last().copied();
        let node = match opened {
            Opened::Slice(slice) => {
                if let Some(counter) = self.counter {
                    self.measure(slice, counter);
                }
                let name = self.trace.slices().names().get(slice.index()).copied().unwrap_or(NameId::EMPTY);
                self.builder.child(parent, Function::named(name))
            }
            Opened::Frame(id) => {
                let (builder, trace) = (&mut self.builder, self.trace);
                // One number is hashed in one step, and a tuple with an option in three. That was 6 % of all instructions.
                let above = parent.map_or(u32::MAX, |parent| parent.0);
                let key = u64::from(above) << 32 | u64::from(id.0);
                *self.nodes_of_frames.entry(key).or_insert_with(|| {
                    let function = trace.frame(id).map(Function::of_frame);
                    builder.child(parent, function.unwrap_or(Function::named(NameId::EMPTY)))
                })
            }
        };
        self.open.push(node);
    }

    fn close(&mut self, at: Tick, kept: bool) {
        self.advance(at);
        let Some(node) = self.open.pop().filter(|_| kept) else { return };
        self.builder.add_count(node, 1);
        if self.counter.is_some() {
            match self.measured.pop_if(|measured| measured.depth == self.open.len()) {
                Some(Measured { rest, .. }) => self.builder.add_time(Some(node), Ticks(rest.max(0))),
                None => self.builder.add_unmeasured(node, 1),
            }
        }
    }

    fn hit(&mut self, weight: f64, at: Tick) {
        self.advance(at);
        self.is_gap = false;
        self.builder.add_hits(self.open.last().copied(), 1, weight);
    }

    fn gap(&mut self, at: Tick) {
        self.advance(at);
        self.is_gap = !self.has_slices;
    }
}

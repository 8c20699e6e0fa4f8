//! The aggregated call tree of one thread: slices and sampled functions, by path.
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by this module")]

use alloc::{string::String, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::{Frame, FrameId, NameId, Tick, Ticks, Trace};

use crate::{
    MergeStats,
    walk::{Opened, Sink},
};

/// What ran on a thread, by call path: where the time went, and how many samples were found there.
///
/// Node 0 is the thread; its own time is that in which nothing was open. Parents come before their children.
///
/// The times are those of the slices and of the functions found running between them: the self times of all nodes
/// add up to the length of [`CallTree::range`], and each total to its node's self time and the totals of its children.
#[derive(Debug, Clone)]
pub struct CallTree {
    pub(super) nodes: Vec<CallNode>,
    pub(super) range: Option<(Tick, Tick)>,
    pub(super) stats: MergeStats,
}

/// A node of a [`CallTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallNode {
    /// What it is called.
    pub name: NameId,
    /// The function, if it was found by samples; `None` for slices of the trace and for the thread.
    pub frame: Option<FrameId>,
    /// The node that it lies in; `None` for the thread.
    pub parent: Option<u32>,
    /// Time in it and in what lies in it.
    pub total: Ticks,
    /// Time in itself.
    pub own: Ticks,
    /// How many slices it stands for.
    pub count: u32,
    /// How many samples found it innermost.
    pub hits: u32,
}

impl CallTree {
    /// All nodes.
    #[must_use]
    pub fn nodes(&self) -> &[CallNode] {
        &self.nodes
    }

    /// From when to when something is known of the thread; `None` if nothing is.
    #[must_use]
    pub fn range(&self) -> Option<(Tick, Tick)> {
        self.range
    }

    /// What became of the samples.
    #[must_use]
    pub fn stats(&self) -> &MergeStats {
        &self.stats
    }

    /// The folded stacks of all nodes with time of their own: names from the outside in, then the time in ticks.
    ///
    /// The path is the names joined by `;`, empty for the thread itself. What a name has of line breaks and `;` is
    /// replaced by blanks and `:`.
    pub fn folded<'t>(&'t self, trace: &'t Trace<'_>) -> impl Iterator<Item = (String, Ticks)> + 't {
        let mut path = Vec::new();
        self.nodes.iter().zip(0..).filter(|(node, _)| node.own > Ticks::ZERO).map(move |(node, index)| {
            path.clear();
            let mut at = Some(index);
            while let Some(node) =
                at.map(|at: u32| &self.nodes[at as usize]).filter(|node| node.parent.is_some())
            {
                path.push(node.name);
                at = node.parent;
            }
            let mut line = String::new();
            for &name in path.iter().rev() {
                if !line.is_empty() {
                    line.push(';');
                }
                line.extend(trace.name(name).chars().map(|c| match c {
                    ';' => ':',
                    '\n' | '\r' => ' ',
                    c => c,
                }));
            }
            (line, node.own)
        })
    }
}

/// Makes a [`CallTree`] of a walk.
pub(super) struct TreeSink<'t, 'a> {
    trace: &'t Trace<'a>,
    nodes: Vec<CallNode>,
    by_step: HashMap<(u32, Step), u32, RandomState>,
    open: Vec<u32>,
    /// Until when time is counted.
    now: Tick,
}

/// What makes a child the same child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Slice(NameId),
    Frame(NameId, NameId, Option<u32>, Option<u32>),
}

impl<'t, 'a> TreeSink<'t, 'a> {
    pub(super) fn new(trace: &'t Trace<'a>, start: Tick) -> Self {
        let thread = CallNode {
            name: NameId::EMPTY,
            frame: None,
            parent: None,
            total: Ticks::ZERO,
            own: Ticks::ZERO,
            count: 1,
            hits: 0,
        };
        Self { trace, nodes: alloc::vec![thread], by_step: HashMap::default(), open: Vec::new(), now: start }
    }

    pub(super) fn finish(mut self, range: Option<(Tick, Tick)>, stats: MergeStats) -> CallTree {
        if let Some((_, end)) = range {
            self.advance(end);
        }
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            node.total = Ticks(node.total.0.saturating_add(node.own.0));
            let (parent, total) = (node.parent, node.total);
            if let Some(parent) = parent {
                let above = &mut self.nodes[parent as usize].total;
                *above = Ticks(above.0.saturating_add(total.0));
            }
        }
        CallTree { nodes: self.nodes, range, stats }
    }

    fn top(&mut self) -> &mut CallNode {
        let top = self.open.last().copied().unwrap_or(0);
        &mut self.nodes[top as usize]
    }

    fn advance(&mut self, at: Tick) {
        if at > self.now {
            let elapsed = at - self.now;
            let own = &mut self.top().own;
            *own = Ticks(own.0.saturating_add(elapsed.0));
            self.now = at;
        }
    }
}

impl Sink for TreeSink<'_, '_> {
    fn open(&mut self, what: Opened, at: Tick) {
        self.advance(at);
        let parent = self.open.last().copied().unwrap_or(0);
        let (step, name, frame) = match what {
            Opened::Slice(slice) => {
                let name = self.trace.slices().names().get(slice.index()).copied().unwrap_or_default();
                (Step::Slice(name), name, None)
            }
            Opened::Frame(id) => {
                let Frame { name, url, line, column, .. } = self.trace.frames()[id.index()];
                (Step::Frame(name, url, line, column), name, Some(id))
            }
        };
        let nodes = &mut self.nodes;
        let node = *self.by_step.entry((parent, step)).or_insert_with(|| {
            nodes.push(CallNode {
                name,
                frame,
                parent: Some(parent),
                total: Ticks::ZERO,
                own: Ticks::ZERO,
                count: 0,
                hits: 0,
            });
            u32::try_from(nodes.len() - 1).unwrap_or(u32::MAX)
        });
        self.open.push(node);
    }

    fn close(&mut self, at: Tick, kept: bool) {
        self.advance(at);
        let top = self.top();
        top.count = top.count.saturating_add(u32::from(kept));
        self.open.pop();
    }

    fn hit(&mut self) {
        let top = self.top();
        top.hits = top.hits.saturating_add(1);
    }
}

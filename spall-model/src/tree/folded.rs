//! Folded stacks: a call tree as lines of text.

use alloc::{string::String, vec::Vec};

use crate::{NameId, Ticks, Trace, TraceView};

use super::{CallTree, TreeNodeId, folded_nodes::FoldedNodes};

/// The folded stacks of a call tree, one after the other. [`CallTree::folded`] returns them.
///
/// It is not an iterator, because all stacks share one text: a stack differs from the one before it in its last names
/// only.
#[derive(Debug, Clone)]
pub struct FoldedStacks<'t> {
    tree: &'t CallTree,
    trace: &'t Trace,
    /// The nodes whose stacks come next.
    nodes: FoldedNodes<'t>,
    /// Whether the unattributed time comes next.
    is_at_start: bool,
    /// The names of `path`, joined.
    text: String,
    /// The nodes from a root downwards, each with the length of the text up to its name.
    path: Vec<(TreeNodeId, usize)>,
    /// A buffer for the nodes that are to be added to `path`, the innermost first.
    missing: Vec<TreeNodeId>,
}

impl<'t> FoldedStacks<'t> {
    pub(super) fn new(tree: &'t CallTree, trace: &'t Trace) -> Self {
        Self {
            tree,
            trace,
            nodes: FoldedNodes::of(tree),
            is_at_start: true,
            text: String::new(),
            path: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Returns the next stack and its self time, or `None` behind the last one.
    pub fn next_stack(&mut self) -> Option<(&str, Ticks)> {
        if core::mem::take(&mut self.is_at_start) && self.tree.unattributed.time > Ticks::ZERO {
            return Some(("", self.tree.unattributed.time));
        }
        let node = self.nodes.find(|node| node.self_time > Ticks::ZERO)?;
        self.go_to(node.id);
        Some((&self.text, node.self_time))
    }

    /// Sets the path and its text to those of a node.
    ///
    /// Nodes are numbered in the order in which calls began, so the parent of a node is nearly always in the path of
    /// the node before it.
    #[allow(clippy::indexing_slicing, reason = "nodes are numbered by their tree")]
    fn go_to(&mut self, id: TreeNodeId) {
        let nodes = &self.tree.nodes;
        let is_in_path = |path: &[(TreeNodeId, usize)], id: TreeNodeId| {
            path.get(nodes[id.index()].depth as usize).is_some_and(|&(there, _)| there == id)
        };
        let mut above = Some(id);
        while let Some(id) = above.filter(|&id| !is_in_path(&self.path, id)) {
            self.missing.push(id);
            above = nodes[id.index()].parent;
        }
        self.path.truncate(above.map_or(0, |above| nodes[above.index()].depth as usize + 1));
        self.text.truncate(self.path.last().map_or(0, |&(_, len)| len));
        while let Some(id) = self.missing.pop() {
            if !self.path.is_empty() {
                self.text.push(';');
            }
            push_name(&mut self.text, self.trace, nodes[id.index()].function.name);
            self.path.push((id, self.text.len()));
        }
    }
}

/// Appends a name without the characters that have a meaning in folded stacks.
fn push_name(text: &mut String, trace: &Trace, name: NameId) {
    if name.is_empty() {
        return text.push_str("(anonymous)");
    }
    let name = trace.name(name);
    if !name.bytes().any(|byte| matches!(byte, b';' | b'\n' | b'\r')) {
        return text.push_str(&name);
    }
    text.extend(name.chars().map(|c| match c {
        ';' => ':',
        '\n' | '\r' => ' ',
        c => c,
    }));
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;
    use crate::{
        CallTreeBuilder, Event, Function, Limits, Scope, Text, Thread, ThreadEvent, Tick, TraceBuilder,
    };

    /// A tree in which a child may come long after its parent, when another path has been shown since.
    #[test]
    fn each_stack_is_the_names_of_all_parents() {
        let names = ["main", "a;b", "draw", "line\nbreak", "é", "poll"];
        let mut trace = TraceBuilder::new(&Limits::default());
        for name in names {
            let event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from(name));
            trace.push(&Event::Instant(event, Scope::Thread));
        }
        let trace = trace.finish();
        let mut builder = CallTreeBuilder::new();
        let (mut random, mut expected) = (spall_synth::Random(7), Vec::new());
        for n in 0..2000_i64 {
            let parent = TreeNodeId::new(random.below(builder.nodes().len() + 1));
            let parent = Some(parent).filter(|_| !random.one_in(5));
            let parent = parent.filter(|parent| parent.index() < builder.nodes().len());
            let name = NameId::new(random.below(names.len() + 1));
            let n_nodes = builder.nodes().len();
            let node = builder.child(parent, Function::named(name));
            builder.add_time(Some(node), Ticks(n % 3));
            if node.index() == n_nodes {
                let text = match trace.name(name) {
                    name if name.is_empty() => "(anonymous)".into(),
                    name => name.replace(';', ":").replace('\n', " "),
                };
                let path = match parent {
                    Some(parent) => {
                        let (above, _): &(String, i64) = &expected[parent.index()];
                        format!("{above};{text}")
                    }
                    None => text,
                };
                expected.push((path, 0));
            }
            expected[node.index()].1 += n % 3;
        }
        let tree = builder.finish();
        let mut stacks = tree.folded(&trace);
        for (path, time) in expected.iter().filter(|(_, time)| *time > 0) {
            assert_eq!(stacks.next_stack(), Some((path.as_str(), Ticks(*time))));
        }
        assert_eq!(stacks.next_stack(), None);
    }
}

//! Trees made of trees: what is shown, and what it is merged with. \[layout 15.3\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use spall_model::{NameId, Ticks};

use crate::Tree;
use crate::tree::{Graft, plus};

/// All of these are O(n log n) in the nodes, and keep time: what a tree loses is in [`Tree::left_out`] of the new one.
impl Tree {
    /// Hides names: the time of a hidden node is its nearest shown caller's, and its callees are that one's.
    #[must_use]
    pub fn hide(&self, mut is_hidden: impl FnMut(NameId) -> bool) -> Self {
        self.regraft(
            |graft, name, above| {
                if is_hidden(name) { above } else { Some(graft.child(above, name)) }
            },
        )
    }

    /// The callees of a name: a tree whose one root is all of its calls, whoever made them. Where one lies inside
    /// another, it is a callee.
    #[must_use]
    pub fn callees(&self, of: NameId) -> Self {
        self.regraft(|graft, name, above| {
            let is_below = above.is_some() || name == of;
            is_below.then(|| graft.child(above, name))
        })
    }

    /// Other names, for instance those of modules in place of functions: what has one name below the same callers is
    /// merged.
    #[must_use]
    pub fn rename(&self, mut new_name: impl FnMut(NameId) -> NameId) -> Self {
        self.regraft(|graft, name, above| Some(graft.child(above, new_name(name))))
    }

    /// Moves every node to where `place` says, given the place of its parent.
    fn regraft(&self, mut place: impl FnMut(&mut Graft, NameId, Option<u32>) -> Option<u32>) -> Self {
        let mut graft = Graft::default();
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.nodes().len());
        let mut left_out = self.left_out();
        for node in self.nodes() {
            let above = node.parent.and_then(|parent| places[parent as usize]);
            let here = place(&mut graft, node.name, above);
            match here {
                // A hidden node's time is shown, the node is not counted.
                Some(to) => graft.add(to, if here == above { 0 } else { node.count }, node.self_time),
                None => left_out = plus(left_out, node.self_time),
            }
            places.push(here);
        }
        graft.finish(left_out)
    }

    /// Only the stacks in which a name `matches`.
    #[must_use]
    pub fn keep_stacks(&self, matches: impl FnMut(NameId) -> bool) -> Self {
        self.stacks(matches, true)
    }

    /// Only the stacks in which no name `matches`.
    #[must_use]
    pub fn drop_stacks(&self, matches: impl FnMut(NameId) -> bool) -> Self {
        self.stacks(matches, false)
    }

    /// The stacks in which a name matches, or those in which none does, and their callers.
    fn stacks(&self, mut matches: impl FnMut(NameId) -> bool, wanted: bool) -> Self {
        let nodes = self.nodes();
        let mut has_match: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let above = node.parent.is_some_and(|parent| has_match[parent as usize]);
            has_match.push(above || matches(node.name));
        }
        let mut is_kept: Vec<bool> = has_match.iter().map(|&has_match| has_match == wanted).collect();
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                is_kept[parent as usize] |= is_kept[at];
            }
        }
        let mut graft = Graft::default();
        let mut places: Vec<Option<u32>> = Vec::with_capacity(nodes.len());
        let mut left_out = self.left_out();
        for (at, node) in nodes.iter().enumerate() {
            let above = node.parent.and_then(|parent| places[parent as usize]);
            let place = is_kept[at].then(|| graft.child(above, node.name));
            let is_own = has_match[at] == wanted;
            if let Some(place) = place {
                graft.add(place, node.count, if is_own { node.self_time } else { Ticks::ZERO });
            }
            if !is_own {
                left_out = plus(left_out, node.self_time);
            }
            places.push(place);
        }
        graft.finish(left_out)
    }

    /// Merges calls of a name that lie inside another of it, directly or not, with the outer one: its count and self
    /// time are theirs too, and what they call it calls. So `f g f h` becomes `f h`.
    #[must_use]
    pub fn flatten_recursion(&self) -> Self {
        let nodes = self.nodes();
        let (mut first_child, mut next_sibling) =
            (alloc::vec![NONE; nodes.len()], alloc::vec![NONE; nodes.len()]);
        let mut first_root = NONE;
        for (at, node) in nodes.iter().enumerate().rev() {
            let first = node.parent.map_or(&mut first_root, |parent| &mut first_child[parent as usize]);
            next_sibling[at] = core::mem::replace(first, at);
        }
        // Depth first: the new nodes on the way by depth, and the latest of each name. Entries past the end of the
        // way are out of date; what is overwritten is put back on the way back.
        let mut latest: BTreeMap<NameId, u32> = BTreeMap::new();
        let mut path: Vec<u32> = Vec::new();
        let mut graft = Graft::default();
        let mut way: Vec<Step> = Vec::new();
        let mut next = first_root;
        loop {
            if next != NONE {
                let node = &nodes[next];
                let above = way.last().map(|step| step.place);
                let depth = above.map_or(0, |above| graft.nodes[above as usize].depth as usize + 1);
                let known = latest.get(&node.name).copied().filter(|&known| {
                    let at = graft.nodes[known as usize].depth as usize;
                    at < depth && path[at] == known
                });
                let place = known.unwrap_or_else(|| graft.child(above, node.name));
                graft.add(place, node.count, node.self_time);
                let mut step = Step { node: next, place, covered: None };
                if known.is_none() {
                    path.resize(path.len().max(depth + 1), place);
                    let before = core::mem::replace(&mut path[depth], place);
                    let latest = latest.insert(node.name, place);
                    step.covered = Some((depth, before, latest));
                }
                way.push(step);
                next = first_child[next];
            } else if let Some(Step { node, covered, .. }) = way.pop() {
                if let Some((depth, before, before_latest)) = covered {
                    path[depth] = before;
                    match before_latest {
                        Some(place) => latest.insert(nodes[node].name, place),
                        None => latest.remove(&nodes[node].name),
                    };
                }
                next = next_sibling[node];
            } else {
                return graft.finish(self.left_out());
            }
        }
    }
}

/// No node.
const NONE: usize = usize::MAX;

/// A node on the way from the root.
struct Step {
    node: usize,
    /// Where it went.
    place: u32,
    /// What it covered, if it is new: its depth, the node there, and the latest node of its name.
    covered: Option<(usize, u32, Option<u32>)>,
}

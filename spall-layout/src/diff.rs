//! Two merged trees in one. \[layout 15.5\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{NameId, Ticks};

use crate::flame::{self, SelfSide, Shape};
use crate::tree::{Graft, plus};
use crate::{Row, Tree, TreeOrder};

/// A node of a [`TreeDiff`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffNode {
    /// Its name.
    pub name: NameId,
    /// The node it lies in, as position in [`TreeDiff::nodes`]; roots have none. Always before the node itself.
    pub parent: Option<u32>,
    /// How many nodes are above it.
    pub depth: u32,
    /// What it is in the first tree; all zero if it is not there.
    pub before: DiffSums,
    /// What it is in the second tree; all zero if it is not there.
    pub after: DiffSums,
}

/// One side of a [`DiffNode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffSums {
    /// How many slices it stands for.
    pub count: u64,
    /// Their time.
    pub total: Ticks,
    /// Their time outside of their children.
    pub self_time: Ticks,
}

/// What the width of a box is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiffWidth {
    /// The larger of both self times, and what its children are wide: what vanished and what is new both have room.
    #[default]
    Larger,
    /// As [`DiffWidth::Larger`], with the second tree scaled to the total of the first.
    Normalised,
    /// Its total in the first tree: what is new has no width.
    Before,
    /// Its total in the second tree: what vanished has no width.
    After,
}

/// The union of two trees: a node for every stack that is in either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    nodes: Vec<DiffNode>,
    totals: (Ticks, Ticks),
}

impl TreeDiff {
    /// Compares two trees whose names mean the same. Trees of two traces need [`Tree::rename`] first; names that the first
    /// trace does not know may have any numbers behind its own.
    ///
    /// O(n log n).
    #[must_use]
    pub fn new(before: &Tree, after: &Tree) -> Self {
        let mut union = Graft::default();
        let mut sides = [Vec::new(), Vec::new()];
        for (tree, places) in [before, after].into_iter().zip(&mut sides) {
            for node in tree.nodes() {
                let parent = node.parent.map(|parent| places[parent as usize]);
                places.push(union.child(parent, node.name));
            }
        }
        let none = DiffSums::default();
        let mut nodes: Vec<DiffNode> = union
            .nodes
            .iter()
            .map(|&node| DiffNode {
                name: node.name,
                parent: node.parent,
                depth: node.depth,
                before: none,
                after: none,
            })
            .collect();
        let [in_before, in_after] = sides;
        for (node, at) in before.nodes().iter().zip(in_before) {
            nodes[at as usize].before =
                DiffSums { count: node.count, total: node.total, self_time: node.self_time };
        }
        for (node, at) in after.nodes().iter().zip(in_after) {
            nodes[at as usize].after =
                DiffSums { count: node.count, total: node.total, self_time: node.self_time };
        }
        Self { nodes, totals: (before.total(), after.total()) }
    }

    /// All nodes, each behind its parent: those of the first tree, then those that are only in the second.
    #[must_use]
    pub fn nodes(&self) -> &[DiffNode] {
        &self.nodes
    }

    /// The totals of both trees.
    #[must_use]
    pub fn totals(&self) -> (Ticks, Ticks) {
        self.totals
    }

    /// How wide the boxes of all nodes are.
    #[must_use]
    pub fn widths(&self, width: DiffWidth) -> Vec<Ticks> {
        let own = |node: &DiffNode| match width {
            DiffWidth::Before => node.before.self_time,
            DiffWidth::After => node.after.self_time,
            DiffWidth::Larger => node.before.self_time.max(node.after.self_time),
            DiffWidth::Normalised => node.before.self_time.max(self.normalised(node.after.self_time)),
        };
        let mut widths: Vec<Ticks> = self.nodes.iter().map(own).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                widths[parent as usize] = plus(widths[parent as usize], widths[at]);
            }
        }
        widths
    }

    /// A time of the second tree, scaled so that its total would be that of the first; rounded down.
    #[must_use]
    pub fn normalised(&self, after: Ticks) -> Ticks {
        let (to, from) = self.totals;
        let scaled = i128::from(after.0) * i128::from(to.0) / i128::from(from.0).max(1);
        Ticks(i64::try_from(scaled).unwrap_or(i64::MAX))
    }

    /// A row for each depth, as of [`Tree::rows`], over an axis as long as the [`TreeDiff::widths`] of all roots. The
    /// "slices" are positions in [`TreeDiff::nodes`].
    #[must_use]
    pub fn rows(&self, width: DiffWidth, order: TreeOrder) -> Vec<Row> {
        let shape = |(node, width): (&DiffNode, Ticks)| Shape {
            name: node.name,
            parent: node.parent,
            depth: node.depth,
            width,
        };
        let shapes: Vec<Shape> = self.nodes.iter().zip(self.widths(width)).map(shape).collect();
        flame::rows(&shapes, order, SelfSide::Right)
    }
}

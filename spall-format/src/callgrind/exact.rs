//! The tree of the calls themselves, which files of Xdebug have. [callgrind 3.7](spall_model::rules::callgrind#3.7)

use alloc::{vec, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{NameId, index32};

/// The tree of the calls of a file in which each block is one call, written when it ends: the calls that it has made stand in
/// front of it. Calls of the same function by the same caller are one node.
#[derive(Debug, Default)]
pub(super) struct Exact {
    n_events: usize,
    nodes: Vec<Node>,
    /// The costs of all nodes, those of a node in a row.
    costs: Vec<i64>,
    /// The callees of nodes by the tables of these and their functions.
    callees: HashMap<(u32, u32), u32, RandomState>,
    /// Nodes that are not in use.
    free: Vec<u32>,
    /// The calls that ended and whose callers did not, with the names of their functions.
    ended: Vec<(u32, NameId)>,
    /// What these calls cost with what they called, those of a call in a row.
    totals: Vec<i64>,
    /// The call whose block is read, and the names of the functions that it has called, and what it says that they cost.
    open: Option<(u32, NameId)>,
    called: Vec<NameId>,
    claims: Vec<i64>,
    /// What all calls cost by their callers, and how much that differs from what they cost themselves, by event.
    claimed: Vec<u64>,
    differences: Vec<u64>,
    /// Pairs of nodes that become one.
    pairs: Vec<(u32, u32)>,
}

/// A node, whose callees are a list.
#[derive(Debug, Clone, Copy)]
struct Node {
    function: u32,
    /// Names the callees in the table. Two nodes may exchange theirs.
    table: u32,
    n_callees: u32,
    first: u32,
    last: u32,
    next: u32,
}

/// A node of a tree that has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExactCall<'t> {
    /// The position of the caller among all nodes.
    pub(super) caller: Option<u32>,
    pub(super) function: u32,
    pub(super) costs: &'t [i64],
}

const NONE: u32 = u32::MAX;

impl Exact {
    /// Begins the block of a call. Returns whether the one before fits.
    pub(super) fn begin(&mut self, function: u32, name: NameId) -> bool {
        let fits = self.end();
        self.open = Some((self.node(function), name));
        fits
    }

    /// Adds the costs of the call whose block is read. Returns whether there are as many events as ever.
    pub(super) fn add(&mut self, costs: &[i64]) -> bool {
        let Some((node, _)) = self.open.filter(|_| self.has_events(costs.len())) else { return false };
        let of_node = self.range(node);
        for (sum, cost) in self.costs.get_mut(of_node).unwrap_or_default().iter_mut().zip(costs) {
            *sum = sum.saturating_add(*cost);
        }
        true
    }

    /// Adds the costs of the last call that the block has. Returns whether there are as many events as ever.
    pub(super) fn add_call(&mut self, costs: &[i64]) -> bool {
        self.claims.extend_from_slice(costs);
        self.has_events(costs.len())
    }

    /// Returns whether there are this many events, which the first costs tell.
    fn has_events(&mut self, n_events: usize) -> bool {
        if self.n_events == 0 && self.nodes.len() == 1 {
            self.n_events = n_events;
            self.costs.resize(n_events, 0);
            (self.claimed, self.differences) = (vec![0; n_events], vec![0; n_events]);
        }
        self.n_events == n_events
    }

    /// Returns whether calls cost what their callers say, but for one part in a hundred: times are rounded. Memory that a call gives
    /// back is missing in what its caller says, but not in what the functions cost that it called.
    pub(super) fn adds_up(&self, event: usize) -> bool {
        let of = |sums: &[u64]| sums.get(event).copied().unwrap_or(0);
        of(&self.differences) <= of(&self.claimed) / 100
    }

    /// Says that the call whose block is read has called a function.
    pub(super) fn call(&mut self, callee: NameId) {
        self.called.push(callee);
    }

    /// Ends the block. Returns whether its callees stand in front of it.
    fn end(&mut self) -> bool {
        let Some((node, name)) = self.open.take() else { return true };
        let first = self.ended.len().checked_sub(self.called.len());
        let Some(first) = first else { return false };
        let named = self.ended.get(first..).unwrap_or_default().iter().map(|&(_, name)| name);
        let has_claims = self.claims.len() == self.called.len() * self.n_events;
        if !has_claims || !named.eq(self.called.iter().copied()) {
            return false;
        }
        let mut total = self.costs.get(self.range(node)).unwrap_or_default().to_vec();
        let totals = self.totals.get(first * self.n_events..).unwrap_or_default();
        for ((&claim, &cost), at) in self.claims.iter().zip(totals).zip(0..) {
            let event = at % self.n_events;
            let sums = (total.get_mut(event), self.claimed.get_mut(event), self.differences.get_mut(event));
            if let (Some(total), Some(claimed), Some(differences)) = sums {
                *total = total.saturating_add(claim);
                *claimed = claimed.saturating_add(claim.unsigned_abs());
                *differences = differences.saturating_add(claim.abs_diff(cost));
            }
        }
        self.called.clear();
        self.claims.clear();
        self.adopt(node, first);
        self.ended.push((node, name));
        self.totals.append(&mut total);
        true
    }

    /// Makes the calls that ended from the position `first` on those of a node.
    fn adopt(&mut self, caller: u32, first: usize) {
        for at in first..self.ended.len() {
            let Some(&(callee, _)) = self.ended.get(at) else { continue };
            self.put(caller, callee);
            self.merge();
        }
        self.ended.truncate(first);
        self.totals.truncate(first * self.n_events);
    }

    /// Returns a new node.
    fn node(&mut self, function: u32) -> u32 {
        let (n_callees, first, last, next) = (0, NONE, NONE, NONE);
        if let Some(node) = self.free.pop() {
            if let Some(row) = self.nodes.get_mut(node as usize) {
                *row = Node { function, table: row.table, n_callees, first, last, next };
            }
            let costs = self.range(node);
            self.costs.get_mut(costs).unwrap_or_default().fill(0);
            return node;
        }
        let node = index32(self.nodes.len());
        self.nodes.push(Node { function, table: node, n_callees, first, last, next });
        self.costs.resize(self.nodes.len() * self.n_events, 0);
        node
    }

    fn range(&self, node: u32) -> core::ops::Range<usize> {
        let first = node as usize * self.n_events;
        first..first + self.n_events
    }

    fn get(&self, node: u32) -> Node {
        let empty = Node { function: NONE, table: NONE, n_callees: 0, first: NONE, last: NONE, next: NONE };
        self.nodes.get(node as usize).copied().unwrap_or(empty)
    }

    /// Makes a node a callee of another one. If that has one of the function, the two are a pair.
    fn put(&mut self, caller: u32, callee: u32) {
        let (Node { table, last, .. }, function) = (self.get(caller), self.get(callee).function);
        let known = *self.callees.entry((table, function)).or_insert(callee);
        if known != callee {
            self.pairs.push((known, callee));
            return;
        }
        if let Some(last) = self.nodes.get_mut(last as usize) {
            last.next = callee;
        }
        if let Some(caller) = self.nodes.get_mut(caller as usize) {
            caller.first = if caller.first == NONE { callee } else { caller.first };
            caller.last = callee;
            caller.n_callees += 1;
        }
        if let Some(callee) = self.nodes.get_mut(callee as usize) {
            callee.next = NONE;
        }
    }

    /// Makes one node of each pair. The one with fewer callees gives them to the other, so that few callees move often.
    fn merge(&mut self) {
        while let Some((kept, dropped)) = self.pairs.pop() {
            for event in 0..self.n_events {
                let [from, to] = [dropped, kept].map(|node| node as usize * self.n_events + event);
                let cost = self.costs.get(from).copied().unwrap_or(0);
                if let Some(sum) = self.costs.get_mut(to) {
                    *sum = sum.saturating_add(cost);
                }
            }
            if self.get(dropped).n_callees > self.get(kept).n_callees {
                self.exchange_callees(kept, dropped);
            }
            let Node { table, mut first, .. } = self.get(dropped);
            while first != NONE {
                let Node { function, next, .. } = self.get(first);
                self.callees.remove(&(table, function));
                self.put(kept, first);
                first = next;
            }
            self.free.push(dropped);
        }
    }

    fn exchange_callees(&mut self, a: u32, b: u32) {
        for (node, from) in [(a, self.get(b)), (b, self.get(a))] {
            if let Some(node) = self.nodes.get_mut(node as usize) {
                let Node { table, n_callees, first, last, .. } = from;
                *node = Node { table, n_callees, first, last, ..*node };
            }
        }
    }

    /// Ends the tree, and returns whether the last block fits. Calls without a caller are roots.
    pub(super) fn finish(&mut self) -> bool {
        if !self.end() {
            return false;
        }
        let root = self.node(NONE);
        self.adopt(root, 0);
        self.open = Some((root, NameId::EMPTY));
        true
    }

    /// Returns the nodes of a tree that has ended, each behind its caller.
    pub(super) fn calls(&self) -> Vec<ExactCall<'_>> {
        let mut calls = Vec::new();
        let root = self.open.map_or(NONE, |(root, _)| root);
        let mut path = Vec::from([(self.get(root).first, None)]);
        while let Some((node, caller)) = path.pop() {
            if node == NONE {
                continue;
            }
            let Node { function, first, next, .. } = self.get(node);
            path.push((next, caller));
            path.push((first, Some(index32(calls.len()))));
            let costs = self.costs.get(self.range(node)).unwrap_or_default();
            calls.push(ExactCall { caller, function, costs });
        }
        calls
    }
}

//! The tree of calls that a call graph stands for.
//!
//! A call graph has what functions cost by themselves, and what all calls between two functions cost together. Which calls of a
//! function by one caller called which others is not in it. The tree assumes that all calls of a function are like the average.
//! [callgrind 3](crate::rules::callgrind#3)

mod apportion;
mod components;

use alloc::{
    collections::{BinaryHeap, VecDeque},
    vec,
    vec::Vec,
};
use core::cmp::{Ordering, Reverse};

use self::apportion::apportion;
use self::components::Components;
use crate::index32;

/// Who calls whom. Functions and calls are numbered from 0, and a call stands for all calls of a function by another one.
///
/// ```
/// use spall_model::CallGraph;
///
/// // 0 calls 1 and 2, which both call 3.
/// let graph = CallGraph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
/// let tree = graph.tree(&[10, 4, 6, 90], &[34, 66, 30, 60], CallGraph::MAX_NODES);
/// let of_last = tree.nodes.iter().filter(|node| node.function == 3).map(|node| (node.caller, node.whole));
/// // The calls of the function 3 cost 30 where 1 called it, and 60 where 2 did.
/// assert_eq!(of_last.collect::<Vec<_>>(), [(Some(1), 60), (Some(3), 30)]);
/// ```
#[derive(Debug)]
pub struct CallGraph {
    calls: Calls,
    components: Components,
}

/// The calls of a graph, by caller.
#[derive(Debug)]
struct Calls {
    /// The caller and the callee of each call.
    ends: Vec<(u32, u32)>,
    /// The numbers of the calls by caller, and where those of each caller begin.
    by_caller: Vec<u32>,
    first: Vec<usize>,
}

/// The tree of calls that a [`CallGraph`] stands for.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct EstimatedTree {
    /// The nodes, each behind its caller, and callees of the same caller by their costs, dearest first.
    pub nodes: Vec<EstimatedCall>,
    /// What functions cost by themselves in calls that are not in the tree, because it would be too large: a node for each such
    /// function, without a caller.
    pub rest: Vec<EstimatedCall>,
}

/// A node of an [`EstimatedTree`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EstimatedCall {
    /// The position of the node of the caller; `None` for a root.
    pub caller: Option<u32>,
    /// The function.
    pub function: u32,
    /// The cost of the function itself here.
    pub weight: f64,
    /// The same as a whole number: those of all nodes of a function, the one in the rest included, add up to its own cost.
    pub whole: u64,
}

impl CallGraph {
    /// The most nodes that a tree should have. The number of different stacks of a graph is exponential in its size.
    pub const MAX_NODES: usize = 50_000;

    /// The key and the value of the fact that a trace has if its stacks are those of a graph:
    /// [`TraceView::stacks_are_estimated`](crate::TraceView::stacks_are_estimated) looks for it.
    pub const FACT: (&'static str, &'static str) = ("stacks", "estimated from a call graph");

    /// Finds out which functions call each other in circles. Calls are the numbers of the callers and the callees. Calls of
    /// functions beyond `n_functions` are left out.
    #[must_use]
    pub fn new(n_functions: usize, calls: &[(u32, u32)]) -> Self {
        let calls = Calls::new(n_functions, calls);
        let components = Components::new(&calls);
        Self { calls, components }
    }

    /// Makes the tree for one kind of cost: that of each function itself, and that of each call in the order of
    /// [`CallGraph::new`]. What is missing costs nothing.
    ///
    /// The tree grows where it is heaviest, up to `max_nodes`. This takes O((n + m) log m) for n nodes and functions, and m
    /// calls.
    #[must_use]
    pub fn tree(&self, own: &[u64], calls: &[u64], max_nodes: usize) -> EstimatedTree {
        let mut growth = Growth::new(self, own, calls);
        growth.push_roots();
        growth.grow(max_nodes);
        growth.give_out_rest();
        growth.finish()
    }
}

impl Calls {
    fn new(n_functions: usize, calls: &[(u32, u32)]) -> Self {
        let is_inside = |end: u32| (end as usize) < n_functions;
        let mut first = vec![0; n_functions + 1];
        let mut by_caller: Vec<u32> = Vec::with_capacity(calls.len());
        for (&(caller, callee), call) in calls.iter().zip(0..) {
            if is_inside(caller) && is_inside(callee) {
                by_caller.push(call);
                if let Some(count) = first.get_mut(caller as usize + 1) {
                    *count += 1;
                }
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let ends = calls.to_vec();
        by_caller.sort_by_key(|&call| ends.get(call as usize).map(|&(caller, _)| caller));
        Self { ends, by_caller, first }
    }

    fn n_functions(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the calls by a function.
    fn of(&self, function: u32) -> &[u32] {
        self.of_function(&self.by_caller, function)
    }

    /// Returns the calls by a function, from a list of all calls by caller.
    fn of_function<'c>(&self, by_caller: &'c [u32], function: u32) -> &'c [u32] {
        let function = function as usize;
        let range = self.first.get(function).zip(self.first.get(function + 1));
        range.and_then(|(&first, &end)| by_caller.get(first..end)).unwrap_or_default()
    }

    fn callee(&self, call: u32) -> u32 {
        self.ends.get(call as usize).map_or(0, |&(_, callee)| callee)
    }
}

/// Returns an item of a list; the default for one that it does not have.
fn at<T: Copy + Default>(list: &[T], index: u32) -> T {
    list.get(index as usize).copied().unwrap_or_default()
}

/// A component that a call enters, and the part of its cost that this call has.
#[derive(Debug, Clone, Copy)]
struct Entry {
    weight: f64,
    /// The number of entries before this one.
    order: Reverse<u32>,
    function: u32,
    caller: Option<u32>,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

/// What the calls of a component cost.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// The own costs of its functions, and the costs of calls that leave it.
    total: u128,
    /// The costs of calls that enter it.
    entering: u128,
}

#[expect(clippy::cast_precision_loss, reason = "weights are floats")]
impl Sums {
    /// Returns what nobody outside has called.
    fn root(self) -> f64 {
        self.total.saturating_sub(self.entering) as f64
    }

    /// Returns the weight of all entries.
    fn whole(self) -> f64 {
        self.total.max(self.entering) as f64
    }
}

/// A tree that grows, for one kind of cost.
struct Growth<'g> {
    graph: &'g CallGraph,
    own: &'g [u64],
    costs: &'g [u64],
    /// The calls by caller, dearest first.
    dearest: Vec<u32>,
    sums: Vec<Sums>,
    entries: BinaryHeap<Entry>,
    n_entries: u32,
    nodes: Vec<EstimatedCall>,
    /// The weights of the entries of each component that are not in the tree, and of each function's part of them.
    rest: Vec<f64>,
    rest_of_functions: Vec<f64>,
    /// The functions of the component that is entered, in the order in which they are found.
    found: VecDeque<u32>,
    /// The node of each of them.
    node_of: Vec<u32>,
}

/// The node of a function that was not found.
const NONE: u32 = u32::MAX;

#[expect(clippy::cast_precision_loss, reason = "weights are floats")]
impl<'g> Growth<'g> {
    fn new(graph: &'g CallGraph, own: &'g [u64], costs: &'g [u64]) -> Self {
        let CallGraph { calls, components } = graph;
        let mut sums = vec![Sums::default(); components.len()];
        for (&component, function) in components.of.iter().zip(0..) {
            if let Some(sums) = sums.get_mut(component as usize) {
                sums.total += u128::from(at(own, function));
            }
        }
        for &call in &calls.by_caller {
            let (caller, callee) = at(&calls.ends, call);
            let [from, to] = [caller, callee].map(|function| at(&components.of, function) as usize);
            let cost = u128::from(at(costs, call));
            if from != to {
                if let Some(sums) = sums.get_mut(from) {
                    sums.total += cost;
                }
                if let Some(sums) = sums.get_mut(to) {
                    sums.entering += cost;
                }
            }
        }
        let mut dearest = calls.by_caller.clone();
        dearest.sort_by_key(|&call| (at(&calls.ends, call).0, Reverse(at(costs, call))));
        Self {
            rest: vec![0.0; components.len()],
            rest_of_functions: vec![0.0; components.of.len()],
            node_of: vec![NONE; components.of.len()],
            graph,
            own,
            costs,
            dearest,
            sums,
            entries: BinaryHeap::new(),
            n_entries: 0,
            nodes: Vec::new(),
            found: VecDeque::new(),
        }
    }

    fn component(&self, function: u32) -> u32 {
        at(&self.graph.components.of, function)
    }

    fn sums(&self, component: u32) -> Sums {
        at(&self.sums, component)
    }

    fn push(&mut self, function: u32, weight: f64, caller: Option<u32>) {
        if weight > 0.0 {
            self.entries.push(Entry { weight, order: Reverse(self.n_entries), function, caller });
            self.n_entries = self.n_entries.saturating_add(1);
        }
    }

    /// Enters all components by what nobody has called, those of the first functions first.
    fn push_roots(&mut self) {
        let mut is_pushed = vec![false; self.graph.components.len()];
        for &component in &self.graph.components.of {
            let Some(is_pushed) = is_pushed.get_mut(component as usize) else { continue };
            if !core::mem::replace(is_pushed, true) {
                self.push(self.dearest_function(component), self.sums(component).root(), None);
            }
        }
    }

    /// Returns the function of a component that costs most, itself and by its calls; the first one of equals.
    fn dearest_function(&self, component: u32) -> u32 {
        let cost = |function: u32| {
            let calls = self.graph.calls.of(function).iter();
            u128::from(at(self.own, function))
                + calls.map(|&call| u128::from(at(self.costs, call))).sum::<u128>()
        };
        match self.graph.components.functions(component) {
            [only] => *only,
            functions => {
                let dearest = functions.iter().max_by_key(|&&function| (cost(function), Reverse(function)));
                dearest.copied().unwrap_or_default()
            }
        }
    }

    /// Puts the heaviest entries into the tree, as long as there is room for them.
    fn grow(&mut self, max_nodes: usize) {
        while let Some(entry) = self.entries.pop() {
            let component = self.component(entry.function);
            let n_functions = self.graph.components.functions(component).len();
            if self.nodes.len() + n_functions <= max_nodes {
                self.enter(entry, component);
            } else if let Some(rest) = self.rest.get_mut(component as usize) {
                *rest += entry.weight;
            }
        }
    }

    /// Puts an entry into the tree: the function that is called, and below it all others of its component, in the order in which
    /// calls find them.
    fn enter(&mut self, entry: Entry, component: u32) {
        let CallGraph { calls, .. } = self.graph;
        let part = entry.weight / self.sums(component).whole();
        self.find(entry.function, entry.caller, part);
        let first = index32(self.nodes.len() - 1);
        while let Some(function) = self.found.pop_front() {
            let caller = at(&self.node_of, function);
            for position in 0..calls.of(function).len() {
                let Some(&call) = calls.of_function(&self.dearest, function).get(position) else { continue };
                let callee = calls.callee(call);
                if self.component(callee) != component {
                    self.push(callee, part * at(self.costs, call) as f64, Some(caller));
                } else if at(&self.node_of, callee) == NONE {
                    self.find(callee, Some(caller), part);
                }
            }
        }
        for node in self.nodes.get(first as usize..).unwrap_or_default() {
            if let Some(found) = self.node_of.get_mut(node.function as usize) {
                *found = NONE;
            }
        }
    }

    fn find(&mut self, function: u32, caller: Option<u32>, part: f64) {
        if let Some(node) = self.node_of.get_mut(function as usize) {
            *node = index32(self.nodes.len());
        }
        let weight = part * at(self.own, function) as f64;
        self.nodes.push(EstimatedCall { caller, function, weight, whole: 0 });
        self.found.push_back(function);
    }

    /// Divides what is not in the tree among its functions, from callers to callees.
    fn give_out_rest(&mut self) {
        let CallGraph { calls, components } = self.graph;
        for component in (0..index32(components.len())).rev() {
            let rest = at(&self.rest, component);
            if rest <= 0.0 {
                continue;
            }
            let part = rest / self.sums(component).whole();
            for &function in components.functions(component) {
                if let Some(rest) = self.rest_of_functions.get_mut(function as usize) {
                    *rest += part * at(self.own, function) as f64;
                }
                for &call in calls.of(function) {
                    let callee = at(&components.of, calls.callee(call));
                    if callee != component
                        && let Some(rest) = self.rest.get_mut(callee as usize)
                    {
                        *rest += part * at(self.costs, call) as f64;
                    }
                }
            }
        }
    }

    /// Returns the tree with whole weights.
    fn finish(self) -> EstimatedTree {
        let mut order: Vec<u32> = (0..index32(self.nodes.len())).collect();
        let function = |node: u32| self.nodes.get(node as usize).map_or(NONE, |node| node.function);
        order.sort_by_key(|&node| function(node));
        let mut tree = EstimatedTree { nodes: self.nodes.clone(), rest: Vec::new() };
        let mut nodes = &*order;
        let mut shares = Vec::new();
        for (&rest, number) in self.rest_of_functions.iter().zip(0..) {
            let n_nodes = nodes.iter().take_while(|&&node| function(node) == number).count();
            let (of_function, behind) = nodes.split_at(n_nodes);
            nodes = behind;
            shares.clear();
            shares.extend(
                of_function.iter().map(|&node| self.nodes.get(node as usize).map_or(0.0, |node| node.weight)),
            );
            shares.push(rest);
            let mut parts = apportion(at(self.own, number), &shares);
            let whole = parts.pop().unwrap_or(0);
            if rest > 0.0 {
                tree.rest.push(EstimatedCall { caller: None, function: number, weight: rest, whole });
            }
            for (&node, whole) in of_function.iter().zip(parts) {
                if let Some(node) = tree.nodes.get_mut(node as usize) {
                    node.whole = whole;
                }
            }
        }
        tree
    }
}

#[cfg(test)]
mod tests;

use alloc::{string::String, vec, vec::Vec};
use core::fmt::Write as _;

use super::*;

/// Each node as its stack of letters, with its weight.
fn stacks(tree: &EstimatedTree) -> Vec<(String, u64)> {
    let mut stacks: Vec<(String, u64)> = Vec::new();
    for node in &tree.nodes {
        let mut stack = node.caller.map_or_else(String::new, |caller| stacks[caller as usize].0.clone());
        let _ = write!(stack, "{}", char::from(b'a' + u8::try_from(node.function).unwrap()));
        stacks.push((stack, node.whole));
    }
    stacks
}

fn tree(own: &[u64], calls: &[(u32, u32, u64)], max_nodes: usize) -> EstimatedTree {
    let ends: Vec<_> = calls.iter().map(|&(caller, callee, _)| (caller, callee)).collect();
    let costs: Vec<_> = calls.iter().map(|&(_, _, cost)| cost).collect();
    CallGraph::new(own.len(), &ends).tree(own, &costs, max_nodes)
}

fn check(own: &[u64], calls: &[(u32, u32, u64)], expected: &[(&str, u64)]) {
    let tree = tree(own, calls, CallGraph::MAX_NODES);
    let found = stacks(&tree);
    assert_eq!(found.iter().map(|(stack, weight)| (&**stack, *weight)).collect::<Vec<_>>(), expected);
    assert_eq!(tree.rest, []);
}

/// [callgrind 3.2]
#[test]
fn callers_share_what_their_callee_costs() {
    check(
        &[10, 4, 6, 9, 27, 54],
        &[(0, 1, 34), (0, 2, 66), (1, 3, 30), (2, 3, 60), (3, 4, 27), (3, 5, 54)],
        &[
            ("a", 10),
            ("ac", 6),
            ("acd", 6),
            ("acdf", 36),
            ("ab", 4),
            ("abd", 3),
            ("acde", 18),
            ("abdf", 18),
            ("abde", 9),
        ],
    );
}

/// [callgrind 3.2]
#[test]
fn a_function_is_a_root_by_what_nobody_called() {
    check(&[10, 30], &[(0, 1, 20)], &[("a", 10), ("ab", 20), ("b", 10)]);
    // The callers claim more than the callee has.
    check(&[10, 30], &[(0, 1, 60)], &[("a", 10), ("ab", 30)]);
    check(&[0, 0], &[(0, 1, 0)], &[]);
}

/// [callgrind 3.3]
#[test]
fn functions_that_call_each_other_lie_below_the_one_that_is_entered() {
    check(&[10, 40, 60], &[(0, 1, 100), (1, 1, 500), (1, 2, 60)], &[("a", 10), ("ab", 40), ("abc", 60)]);
    let mutual = [(0, 1, 90), (1, 2, 200), (2, 1, 160), (2, 3, 40)];
    check(&[10, 30, 20, 40], &mutual, &[("a", 10), ("ab", 30), ("abc", 20), ("abcd", 40)]);
    // Nobody enters: the one begins that costs most.
    check(&[1, 2, 3], &[(0, 1, 5), (1, 2, 9), (2, 0, 4)], &[("b", 2), ("bc", 3), ("bca", 1)]);
    // The dearest calls find their callees first.
    let circle = [(0, 1, 1), (0, 2, 5), (1, 0, 1), (2, 1, 1), (2, 0, 1)];
    check(&[1, 1, 1], &circle, &[("a", 1), ("ac", 1), ("ab", 1)]);
}

/// [callgrind 3.5]
#[test]
fn a_tree_that_is_too_large_has_a_rest() {
    // Two calls from each level to the next one through two functions: 2^20 stacks.
    let n_levels = 20;
    let mut calls = Vec::new();
    let mut own = vec![0; 3 * n_levels + 1];
    for level in 0..n_levels {
        let [from, to] = [level, level + 1].map(|level| u32::try_from(3 * level).unwrap());
        calls.extend([
            (from, from + 1, 500),
            (from, from + 2, 500),
            (from + 1, to, 500),
            (from + 2, to, 500),
        ]);
    }
    own[3 * n_levels] = 1000;
    let tree = tree(&own, &calls, 1000);
    assert!(tree.nodes.len() <= 1000);
    let rest: Vec<_> =
        tree.rest.iter().map(|node| (node.function, node.whole)).filter(|&(_, cost)| cost > 0).collect();
    assert_eq!(rest, [(u32::try_from(3 * n_levels).unwrap(), 1000)]);
}

/// [callgrind 3.4]
#[test]
fn what_a_function_costs_is_divided_among_its_nodes() {
    let mut random = 7_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    for round in 0..200 {
        let n_functions = 1 + next(12);
        let own: Vec<u64> = (0..n_functions).map(|_| next(50)).collect();
        let id = |number: u64| u32::try_from(number).unwrap();
        let calls: Vec<_> =
            (0..next(40)).map(|_| (id(next(n_functions)), id(next(n_functions)), next(90))).collect();
        let tree = tree(&own, &calls, if round % 2 == 0 { 30 } else { 5000 });
        let mut sums = vec![0; own.len()];
        for node in tree.nodes.iter().chain(&tree.rest) {
            sums[node.function as usize] += node.whole;
        }
        assert_eq!(sums, own, "{calls:?}");
        assert!(tree.nodes.iter().zip(0..).all(|(node, at)| node.caller.is_none_or(|caller| caller < at)));
    }
}

#[test]
fn a_chain_of_a_million_functions_needs_no_stack() {
    let n = 1_000_000;
    let calls: Vec<_> = (1..n).map(|callee| (callee - 1, callee)).collect();
    let graph = CallGraph::new(n as usize, &calls);
    let own = vec![1; n as usize];
    let costs: Vec<_> = (1..u64::from(n)).rev().collect();
    let tree = graph.tree(&own, &costs, CallGraph::MAX_NODES);
    assert_eq!((tree.nodes.len(), tree.rest.len()), (50_000, 950_000));
}

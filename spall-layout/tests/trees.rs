//! Compares merged trees of random traces with stacks that are written out one by one. \[layout 15\]

use alloc::collections::BTreeMap;

use spall_layout::{Layout, Rect, RowId, Stats, Viewport, diff_rows, flame_rows, slice_tree};
use spall_model::{
    CallTree, CallTreeBuilder, DiffNode, DiffSums, DiffWidth, Function, InvertedTree, Job, Measure, NameId,
    SliceId, Tick, Ticks, TraceView, TreeDiff, TreeNode, TreeNodeId,
};

use crate::common::{Random, random_range, random_trace, random_trace_of_parents, time_tree, tracks};

#[test]
fn tree_1_a_tree_is_the_same_in_steps() {
    let mut random = Random(5);
    for _ in 0..100 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace);
        let range = random_range(&mut random);
        let function = |slice| trace.slice_name_id(slice).map(Function::named);
        let work = 1 + usize::try_from(random.below(5)).unwrap();
        let (in_steps, steps) = in_steps(
            slice_tree(&trace, &layout, tracks(&trace), range.clone(), Measure::WallTime, function),
            work,
        );
        let tree = time_tree(&trace, &layout, tracks(&trace), range);
        let visited: u64 = tree.nodes().iter().map(|node| node.count).sum();
        assert!(steps > visited as usize / work, "no step visits more than it may");
        assert_eq!(in_steps.nodes(), tree.nodes());
    }
}

#[test]
fn tree_2_boxes_are_the_same_in_steps() {
    let mut random = Random(6);
    for tree in random_trees(6, 100) {
        let work = 1 + usize::try_from(random.below(5)).unwrap();
        let (rows, steps) = in_steps(flame_rows(tree.nodes()), work);
        assert!(steps >= 2 * tree.nodes().len() / work, "no step looks at more than it may");
        let all_at_once = flame_rows(tree.nodes()).run();
        assert_eq!(in_rows(&rows), in_rows(&all_at_once));
    }
}

/// Returns the result of a job, and the number of steps that it took.
fn in_steps<J: Job>(mut job: J, work: usize) -> (J::Output, usize) {
    let mut steps = 1;
    loop {
        match job.step(work) {
            Some(output) => return (output, steps),
            None => steps += 1,
        }
    }
}

/// What is in each row: numbers of nodes, starts and ends.
fn in_rows(rows: &[spall_layout::Row]) -> Vec<(Vec<SliceId>, Vec<Tick>, Vec<Tick>)> {
    let rows = rows.iter().map(|row| row.view(RowId(0)));
    rows.map(|row| (row.slices().to_vec(), row.starts().to_vec(), row.ends().to_vec())).collect()
}

#[test]
fn tree_4_an_inverted_tree_is_the_same_in_steps() {
    let mut random = Random(7);
    for tree in random_trees(7, 100) {
        let function = tree.nodes().get(usize::try_from(random.below(20)).unwrap()).map(|node| node.function);
        let min = Ticks(random.below(20));
        let depth = u32::try_from(random.below(5)).unwrap();
        let work = 1 + usize::try_from(random.below(5)).unwrap();
        let ((roots, steps), all_at_once) = match function {
            None => (in_steps(InvertedTree::bottom_up(&tree), work), InvertedTree::bottom_up(&tree).run()),
            Some(of) => {
                (in_steps(InvertedTree::callers(&tree, of), work), InvertedTree::callers(&tree, of).run())
            }
        };
        assert!(steps >= tree.nodes().len() / work, "no step looks at more than it may");
        assert_eq!(roots.nodes(), all_at_once.nodes());
        let (expanded, steps) = in_steps(roots.expand_all(min, depth), work);
        assert!(steps >= expanded.nodes().len() / work, "no step looks at more than it may");
        assert_eq!(expanded.nodes(), all_at_once.expand_all(min, depth).run().nodes());
    }
}

#[test]
fn tree_4_an_inverted_tree_adds_up_what_samples_found() {
    let [main, draw, idle] = [1, 2, 3].map(|number| Function::named(NameId(number)));
    let mut builder = CallTreeBuilder::new();
    for (caller, hits, weight) in [(main, 2, 1.5), (idle, 3, 2.0)] {
        let caller = builder.child(None, caller);
        let node = builder.child(Some(caller), draw);
        builder.add_hits(Some(node), hits, weight);
        builder.add_unmeasured(node, hits + 1);
    }
    let tree = builder.finish();
    let mut inverted = InvertedTree::bottom_up(&tree).run();
    let (at, of_draw) = (0..).zip(inverted.nodes()).find(|(_, node)| node.function == draw).unwrap();
    assert_eq!((of_draw.hits, of_draw.weight, of_draw.unmeasured), (5, 3.5, 7));
    // Its callers are added once.
    let callers = inverted.expand(TreeNodeId(at));
    assert_eq!((callers.len(), inverted.expand(TreeNodeId(at))), (2, callers));
}

#[test]
fn tree_1_a_merged_tree_keeps_all_time() {
    let mut random = Random(3);
    for round in 0..400 {
        let trace = match round % 4 {
            0 => random_trace_of_parents(&mut random),
            _ => random_trace(&mut random),
        };
        let layout = Layout::new(&trace);
        let range = random_range(&mut random);
        let tree = time_tree(&trace, &layout, tracks(&trace), range.clone());

        // The total time of a node is its self time and the total times of its children.
        let mut rest: Vec<i64> = tree.nodes().iter().map(|node| node.total.0 - node.self_time.0).collect();
        let mut roots = 0;
        for (at, node) in tree.nodes().iter().enumerate() {
            match node.parent {
                Some(parent) => {
                    assert!(parent.index() < at && tree.nodes()[parent.index()].depth + 1 == node.depth);
                    rest[parent.index()] -= node.total.0;
                }
                None => roots += node.total.0,
            }
        }
        assert!(rest.iter().all(|&rest| rest == 0));
        assert_eq!(tree.total().0, roots);

        // By name, counts and self times add up to the statistics.
        let mut by_name: BTreeMap<NameId, (u64, i64)> = BTreeMap::new();
        for node in tree.nodes() {
            let sum = by_name.entry(node.function.name).or_default();
            *sum = (sum.0 + node.count, sum.1 + node.self_time.0);
        }
        let expected = Stats::new(&trace, &layout, tracks(&trace), range).run();
        let expected = expected
            .into_iter()
            .map(|s| (s.function.name, (s.count, s.self_time.0)))
            .collect::<BTreeMap<_, _>>();
        assert_eq!(by_name, expected);
    }
}

#[test]
fn tree_2_boxes_lie_inside_their_parents_in_order() {
    let mut random = Random(4);
    for _ in 0..300 {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace);
        let tree = time_tree(&trace, &layout, tracks(&trace), Tick::MIN..Tick::MAX);
        let rows = flame_rows(tree.nodes()).run();
        let mut places = vec![None; tree.nodes().len()];
        for (depth, row) in rows.iter().enumerate() {
            let row = row.view(spall_layout::RowId(0));
            let mut before: Option<u32> = None;
            for ((&id, &start), &end) in row.slices().iter().zip(row.starts()).zip(row.ends()) {
                let node = &tree.nodes()[id.index()];
                assert_eq!((node.depth as usize, node.total), (depth, end - start));
                places[id.index()] = Some((start, end));
                if let Some(parent) = node.parent {
                    let (left, right): (Tick, Tick) = places[parent.index()].unwrap();
                    assert!(left <= start && end <= right);
                }
                let sibling = before.map(|before| tree.nodes()[before as usize]);
                if let Some(sibling) = sibling.filter(|sibling| sibling.parent == node.parent) {
                    assert!(sibling.total > node.total || sibling.total == node.total && before < Some(id.0));
                }
                before = Some(id.0);
            }
        }
        assert!(places.iter().all(Option::is_some));
    }
}

#[test]
fn tree_2_narrow_boxes_are_merged_and_counted_and_hits_name_the_drawn_box() {
    let mut n_merged = 0;
    for tree in random_trees(11, 100) {
        let viewport = Viewport::new(Tick(0)..Tick(tree.total().0), 5);
        let mut rects = Vec::new();
        let rows = flame_rows(tree.nodes()).run();
        for (row, depth) in rows.iter().zip(0..) {
            let view = row.view(RowId(depth));
            let first = rects.len();
            view.rects(&viewport, &mut rects);
            let row_rects = &rects[first..];
            let seen = view.visible(&viewport).len();
            assert_eq!(row_rects.iter().map(|rect| rect.count as usize).sum::<usize>(), seen);
            n_merged += row_rects.iter().filter(|rect| rect.count > 1).count();
        }
        for rect in &rects {
            let hit = Rect::hit(&rects, rect.row, rect.x1 - 1).unwrap();
            let node = &tree.nodes()[hit.slice.index()];
            assert_eq!((hit, node.depth), (rect, rect.row.0));
            let merged = rows[node.depth as usize].view(rect.row);
            let range = rect.first as usize..(rect.first + rect.count) as usize;
            assert!(merged.slices()[range].contains(&hit.slice));
        }
    }
    assert!(n_merged > 100);
}

/// Stacks of names from the outermost on, with the count and the self time of the innermost name.
type Folded = BTreeMap<Vec<NameId>, (u64, i64)>;

fn path(nodes: &[TreeNode], at: usize) -> Vec<NameId> {
    let mut names: Vec<NameId> =
        core::iter::successors(Some(at), |&at| nodes[at].parent.map(TreeNodeId::index))
            .map(|at| nodes[at].function.name)
            .collect();
    names.reverse();
    names
}

fn fold(tree: &CallTree) -> Folded {
    let nodes = tree.nodes();
    let folded: Folded =
        (0..nodes.len()).map(|at| (path(nodes, at), (nodes[at].count, nodes[at].self_time.0))).collect();
    assert_eq!(folded.len(), nodes.len(), "one node for each stack");
    folded
}

/// Returns the stacks that are expected once `change` has replaced or dropped each of them, and the time of dropped ones.
fn change(folded: &Folded, change: impl Fn(&[NameId]) -> Option<Vec<NameId>>) -> (Folded, i64) {
    let (mut changed, mut left_out) = (Folded::new(), 0);
    for (stack, (count, own)) in folded {
        match change(stack) {
            Some(to) => {
                let sums = changed.entry(to).or_default();
                *sums = (sums.0 + count, sums.1 + own);
            }
            None => left_out += own,
        }
    }
    (changed, left_out)
}

fn check(name: &str, tree: &CallTree, changed: &CallTree, (expected, left_out): (Folded, i64)) {
    assert_eq!(fold(changed), expected, "{name}");
    assert_eq!(changed.unattributed().time.0, left_out, "{name}");
    assert_eq!(changed.total().0 + left_out, tree.total().0, "{name}");
    let mut rest: Vec<i64> = changed.nodes().iter().map(|node| node.total.0 - node.self_time.0).collect();
    for (at, node) in changed.nodes().iter().enumerate() {
        if let Some(parent) = node.parent {
            assert!(parent.index() < at && changed.nodes()[parent.index()].depth + 1 == node.depth);
            rest[parent.index()] -= node.total.0;
        }
    }
    assert!(rest.iter().all(|&rest| rest == 0), "{name}");
}

/// Returns `n` merged trees of random traces.
fn random_trees(seed: u64, n: u32) -> impl Iterator<Item = CallTree> {
    let mut random = Random(seed);
    (0..n).map(move |_| {
        let trace = random_trace(&mut random);
        let layout = Layout::new(&trace);
        time_tree(&trace, &layout, tracks(&trace), random_range(&mut random))
    })
}

fn names(tree: &CallTree) -> Vec<NameId> {
    let mut names: Vec<NameId> = tree.nodes().iter().map(|node| node.function.name).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn tree_3_filters_change_stacks_and_keep_time() {
    for tree in random_trees(5, 300) {
        let folded = fold(&tree);
        for name in names(&tree) {
            let is = |other: &NameId| *other == name;

            let (mut hidden, mut left_out) = (Folded::new(), 0);
            for (stack, (count, own)) in &folded {
                let kept: Vec<NameId> = stack.iter().copied().filter(|other| !is(other)).collect();
                if kept.is_empty() {
                    left_out += own;
                    continue;
                }
                let sums = hidden.entry(kept).or_default();
                let count = if stack.last() == Some(&name) { 0 } else { *count };
                *sums = (sums.0 + count, sums.1 + own);
            }
            check("hide", &tree, &tree.hide(|other| other.name == name), (hidden, left_out));

            let callees = change(&folded, |stack| Some(stack[stack.iter().position(is)?..].to_vec()));
            check("callees", &tree, &tree.callees(Function::named(name)), callees);

            let mut expected = change(&folded, |stack| stack.iter().any(is).then(|| stack.to_vec()));
            // Callers stay, without self time.
            for (stack, (count, _)) in &folded {
                if expected.0.keys().any(|kept| kept.starts_with(stack)) {
                    expected.0.entry(stack.clone()).or_insert((*count, 0));
                }
            }
            check("keep", &tree, &tree.keep_stacks(|other| other.name == name), expected);

            let dropped = change(&folded, |stack| (!stack.iter().any(is)).then(|| stack.to_vec()));
            check("drop", &tree, &tree.drop_stacks(|other| other.name == name), dropped);

            let to = tree.nodes()[0].function.name;
            let new_name = |other: NameId| if other == name { to } else { other };
            let renamed = change(&folded, |stack| Some(stack.iter().map(|&other| new_name(other)).collect()));
            check("rename", &tree, &tree.rename(|other| Function::named(new_name(other.name))), renamed);
        }
    }
}

#[test]
fn tree_3_recursion_is_flattened() {
    let mut n_flattened = 0;
    for tree in random_trees(6, 300) {
        let flat = |stack: &[NameId]| {
            let mut to: Vec<NameId> = Vec::new();
            for name in stack {
                match to.iter().position(|other| other == name) {
                    Some(at) => to.truncate(at + 1),
                    None => to.push(*name),
                }
            }
            Some(to)
        };
        let flattened = tree.flatten_recursion();
        check("flatten", &tree, &flattened, change(&fold(&tree), flat));
        n_flattened += u32::from(flattened != tree);
    }
    assert!(n_flattened > 100);
}

/// Checks all nodes of an inverted tree against the stacks that it was made of, innermost name first.
fn check_inverted(inverted: &InvertedTree<&CallTree>, stacks: &[(Vec<NameId>, u64, i64)]) {
    let mut expected: BTreeMap<Vec<NameId>, (u64, i64, i64)> = BTreeMap::new();
    for (stack, count, weight) in stacks {
        for length in 1..=stack.len() {
            let sums = expected.entry(stack[..length].to_vec()).or_default();
            let ends = if length == stack.len() { *weight } else { 0 };
            *sums = (sums.0 + count, sums.1 + weight, sums.2 + ends);
        }
    }
    let nodes = inverted.nodes();
    let got: BTreeMap<_, _> = (0..nodes.len())
        .map(|at| (path(nodes, at), (nodes[at].count, nodes[at].total.0, nodes[at].self_time.0)))
        .collect();
    assert_eq!((got.len(), got), (nodes.len(), expected));
    assert_eq!(inverted.total().0, stacks.iter().map(|(_, _, weight)| weight).sum::<i64>());
}

#[test]
fn tree_4_an_inverted_tree_has_every_stack_the_other_way_round() {
    for tree in random_trees(7, 200) {
        let nodes = tree.nodes();
        let upwards = |at: usize| path(nodes, at).into_iter().rev().collect::<Vec<_>>();
        let bottom_up = InvertedTree::bottom_up(&tree).run().expand_all(Ticks::ZERO, u32::MAX).run();
        let stacks: Vec<_> =
            nodes.iter().enumerate().map(|(at, node)| (upwards(at), node.count, node.self_time.0)).collect();
        check_inverted(&bottom_up, &stacks);
        assert_eq!(bottom_up.total(), tree.total());

        for name in names(&tree) {
            let callers = InvertedTree::callers(&tree, Function::named(name)).run();
            let callers = callers.expand_all(Ticks::ZERO, u32::MAX).run();
            let stacks: Vec<_> = (0..nodes.len())
                .filter(|&at| {
                    path(nodes, at).iter().position(|&other| other == name) == Some(nodes[at].depth as usize)
                })
                .map(|at| (upwards(at), nodes[at].count, nodes[at].total.0))
                .collect();
            check_inverted(&callers, &stacks);
            assert_eq!(
                callers.total(),
                tree.callees(Function::named(name)).total(),
                "both halves of a sandwich are as wide"
            );
        }
    }
}

#[test]
fn tree_4_only_long_and_shallow_nodes_are_expanded() {
    for tree in random_trees(8, 100) {
        let all = InvertedTree::bottom_up(&tree).run().expand_all(Ticks::ZERO, u32::MAX).run();
        let some = InvertedTree::bottom_up(&tree).run().expand_all(Ticks(10), 3).run();
        let shown = |at: &usize| {
            let mut above =
                core::iter::successors(all.nodes()[*at].parent, |&at| all.nodes()[at.index()].parent);
            above.all(|above| all.nodes()[above.index()].total.0 >= 10) && all.nodes()[*at].depth <= 3
        };
        let mut expected: Vec<_> =
            (0..all.nodes().len()).filter(shown).map(|at| path(all.nodes(), at)).collect();
        let mut got: Vec<_> = (0..some.nodes().len()).map(|at| path(some.nodes(), at)).collect();
        expected.sort();
        got.sort();
        assert_eq!(got, expected);
        let n_nodes = some.nodes().len();
        let mut some = some.expand_all(Ticks(10), 3).run();
        assert_eq!(some.nodes().len(), n_nodes, "what is there is not added again");
        assert_eq!(some.expand(TreeNodeId(u32::MAX)).len(), 0);
    }
}

#[test]
fn tree_5_a_tree_does_not_differ_from_itself() {
    for tree in random_trees(9, 100) {
        let diff = TreeDiff::new(&tree, &tree);
        assert_eq!(diff.nodes().len(), tree.nodes().len());
        for (node, original) in diff.nodes().iter().zip(tree.nodes()) {
            assert_eq!((node.before, node.before.total), (node.after, original.total));
        }
        for width in [DiffWidth::Larger, DiffWidth::Normalised, DiffWidth::Before, DiffWidth::After] {
            assert!(diff.widths(width).iter().zip(tree.nodes()).all(|(&width, node)| width == node.total));
        }
    }
}

#[test]
fn tree_5_vanished_and_new_stacks_have_room() {
    let trees: Vec<CallTree> = random_trees(10, 100).collect();
    for pair in trees.windows(2) {
        let diff = TreeDiff::new(&pair[0], &pair[1]);
        let side = |sums: fn(&DiffNode) -> DiffSums| {
            let nodes = diff.nodes();
            let path = |at: usize| {
                let up = core::iter::successors(Some(at), |&at| nodes[at].parent.map(TreeNodeId::index));
                let mut path: Vec<NameId> = up.map(|at| nodes[at].function.name).collect();
                path.reverse();
                path
            };
            let here = (0..nodes.len()).filter(|&at| sums(&nodes[at]) != DiffSums::default());
            here.map(|at| (path(at), (sums(&nodes[at]).count, sums(&nodes[at]).self_time.0)))
                .collect::<Folded>()
        };
        assert_eq!(side(|node| node.before), fold(&pair[0]));
        assert_eq!(side(|node| node.after), fold(&pair[1]));

        let [larger, before, after] =
            [DiffWidth::Larger, DiffWidth::Before, DiffWidth::After].map(|width| diff.widths(width));
        let mut roots = 0;
        let mut rest = larger.clone();
        for (at, node) in diff.nodes().iter().enumerate() {
            assert!(larger[at] >= node.before.total.max(node.after.total));
            assert_eq!((before[at], after[at]), (node.before.total, node.after.total));
            match node.parent {
                Some(parent) => rest[parent.index()].0 -= larger[at].0,
                None => roots += larger[at].0,
            }
        }
        assert!(rest.iter().all(|rest| rest.0 >= 0), "children fit their parents");
        let rows = diff_rows(&diff, DiffWidth::Larger).run();
        let end = rows.first().and_then(|row| row.view(spall_layout::RowId(0)).ends().last().copied());
        assert_eq!(end.unwrap_or_default(), Tick(roots));
        let (total, _) = diff.totals();
        assert_eq!(
            diff.normalised(diff.totals().1),
            if diff.totals().1 > Ticks(0) { total } else { Ticks(0) }
        );
    }
}

use alloc::{format, vec::Vec};

use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};

use super::*;

const RULES: SampleRules = SampleRules {
    root: "root",
    idle: &["idle"],
    unreadable: "idle",
    on_top: "gc",
    is_native: |frame| frame.source == 0,
    ..SampleRules::NONE
};

/// A trace that has these names.
fn trace_of(names: &[&str]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for name in names {
        let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(0), Text::plain(name.as_bytes()));
        builder.push(&Event::Begin(event));
    }
    builder.finish()
}

fn ids<const N: usize>(trace: &Trace, names: [&str; N]) -> [NameId; N] {
    names.map(|name| trace.names().find(name.as_bytes()).unwrap())
}

fn frame(name: NameId, source: i64, parent: Option<u32>) -> Frame {
    Frame { name, url: NameId::EMPTY, source, line: None, column: None, parent: parent.map(FrameId) }
}

/// Frames below a root, each called by one before it, a fifth of them native.
fn random_frames(trace: &Trace, count: u32) -> Vec<Frame> {
    let [root] = ids(trace, ["root"]);
    let mut random = spall_synth::Random(1);
    let mut frames = alloc::vec![frame(root, 1, None)];
    for index in 1..count {
        // Mostly the latest ones, so that it gets deep.
        let parent = index - 1 - random.below(index.min(4));
        let [name] = ids(trace, [&format!("f{}", random.below(9))]);
        frames.push(frame(name, random.below(5), Some(parent)));
    }
    frames
}

/// The functions of a stack from the outside in, one at a time.
fn functions(stacks: &Stacks, stack: Stack) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut at = stack;
    while at != Stack::EMPTY {
        functions.push(stacks.function(at));
        at = stacks.parent(at);
    }
    functions.reverse();
    functions
}

#[test]
fn jumps_find_what_steps_find() {
    let trace = trace_of(&["root", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"]);
    let frames = random_frames(&trace, 300);
    let stacks = Stacks::new(&frames, 0, trace.names(), &RULES);
    let all: Vec<(Stack, Vec<Function>)> = (0..frames.len())
        .map(|frame| match stacks.role(frame) {
            FrameRole::Stack(stack) => (stack, functions(&stacks, stack)),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(all.iter().any(|(_, path)| path.len() > 50));
    for (a, path_a) in &all {
        assert_eq!(stacks.depth(*a) as usize, path_a.len());
        for depth in 0..=path_a.len() {
            let prefix = stacks.prefix(*a, u32::try_from(depth).unwrap());
            assert_eq!(functions(&stacks, prefix), path_a[..depth]);
        }
        // Of the first functions so many are skipped; the innermost never counts.
        for skipped in 0..path_a.len() {
            let is_native = |at: &usize| stacks.is_native[path_a[*at].0 as usize];
            let mut natives = (skipped..path_a.len() - 1).filter(is_native);
            let skipped = u32::try_from(skipped).unwrap();
            let length = |found: Option<Stack>| found.map(|stack| stacks.depth(stack) as usize - 1);
            assert_eq!(length(stacks.first_native(*a, skipped)), natives.clone().next());
            assert_eq!(length(stacks.last_native(*a, skipped)), natives.next_back());
        }
        for (b, path_b) in all.iter().step_by(7) {
            let common = path_a.iter().zip(path_b).take_while(|(a, b)| a == b).count();
            assert_eq!(functions(&stacks, stacks.common(*a, *b)), path_a[..common]);
            assert_eq!(stacks.begins_with(*a, *b), common == path_b.len());
        }
    }
}

#[test]
fn equal_paths_are_one_stack() {
    let trace = trace_of(&["root", "a"]);
    let [root, a] = ids(&trace, ["root", "a"]);
    let frames = [frame(root, 1, None), frame(a, 1, Some(0)), frame(a, 1, Some(0)), frame(a, 2, Some(0))];
    let stacks = Stacks::new(&frames, 0, trace.names(), &RULES);
    assert_eq!(stacks.role(1), stacks.role(2));
    assert_ne!(stacks.role(1), stacks.role(3));
}

#[test]
fn names_of_the_rules_count_only_below_the_root() {
    let trace = trace_of(&["root", "gc", "a"]);
    let [root, gc, a] = ids(&trace, ["root", "gc", "a"]);
    let frames = [frame(gc, 1, Some(3)), frame(gc, 1, Some(2)), frame(a, 1, Some(3)), frame(root, 1, None)];
    let stacks = Stacks::new(&frames, 0, trace.names(), &RULES);
    assert!(matches!(stacks.role(0), FrameRole::OnTop(_)));
    assert!(matches!(stacks.role(1), FrameRole::Stack(stack) if stacks.depth(stack) == 2));
    assert_eq!(stacks.role(3), FrameRole::Stack(Stack::EMPTY));
}

#[test]
fn a_stack_goes_on_behind_the_function_it_was_moved_onto() {
    let names = ["a", "x", "call", "y", "g"];
    let trace = trace_of(&names);
    let [a, x, call, y, g] = ids(&trace, names);
    let chain = |path: &[NameId], first: u32| -> Vec<Frame> {
        let parents = core::iter::once(None).chain((first..).map(Some));
        path.iter().zip(parents).map(|(&name, parent)| frame(name, 1, parent)).collect()
    };
    let mut frames = chain(&[a, x, call], 0);
    frames.extend(chain(&[a, y, call, g], 3));
    frames.extend(chain(&[a, y, g], 7));
    let mut stacks = Stacks::new(&frames, 0, trace_of(&[]).names(), &RULES);
    let stack = |stacks: &Stacks, at| match stacks.role(at) {
        FrameRole::Stack(stack) => stack,
        other => panic!("{other:?}"),
    };
    let named = |stacks: &Stacks, stack| -> Vec<NameId> {
        functions(stacks, stack).iter().map(|&function| frames[stacks.frame(function).index()].name).collect()
    };
    let base = stack(&stacks, 2);
    let mut spent = 0;
    let (again, apart) = (stack(&stacks, 6), stack(&stacks, 9));
    let moved = stacks.moved_onto(base, again, false, &mut |steps| spent += steps);
    assert_eq!(named(&stacks, moved), [a, x, call, g]);
    let moved = stacks.moved_onto(base, apart, false, &mut |steps| spent += steps);
    assert_eq!(named(&stacks, moved), [a, x, call, y, g]);
    assert_eq!(spent, 3 + 2);
    stacks.moved_onto(base, apart, false, &mut |_| panic!("known already"));
}

//! Stacks as nodes of one tree, so that two stacks are compared without looking at their frames.
#![allow(clippy::indexing_slicing, reason = "nodes and functions are numbered by this module")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use spall_model::{Frame, FrameId, NameId, Names, Profile, SampleRules, Trace};

/// A stack: the path from the root to this node. Equal stacks are one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stack(u32);

impl Stack {
    pub(super) const EMPTY: Self = Self(0);
}

/// A function, whoever calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Function(u32);

/// What a frame of the profile stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A stack of functions.
    Stack(Stack),
    /// Nothing that runs a function; as a frame of its own, this stack.
    Idle { program: bool, shown: Stack },
    /// The collector, on top of whatever runs.
    Collector(Function),
}

impl Meaning {
    /// The stack of functions; empty where none is known.
    pub(super) fn stack(self) -> Stack {
        match self {
            Self::Stack(stack) => stack,
            Self::Idle { .. } | Self::Collector(_) => Stack::EMPTY,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: Stack,
    /// An ancestor further away, such that any is reached in O(log depth) steps.
    jump: Stack,
    depth: u32,
    function: Function,
    /// How many native functions the stack has.
    natives: u32,
    /// The innermost stack of these whose top is native; empty if there is none.
    native: Stack,
}

/// All stacks of a profile.
#[derive(Debug)]
pub(super) struct Stacks {
    /// The frames that they are made of, as positions in the trace.
    frames: Range<usize>,
    nodes: Vec<Node>,
    by_step: HashMap<(Stack, Function), Stack, RandomState>,
    /// For each function one of its frames.
    functions: Vec<FrameId>,
    is_native: Vec<bool>,
    /// What each frame of the profile means.
    meanings: Vec<Meaning>,
    /// Stacks moved onto others, by where they were moved and what they were.
    moved: HashMap<(Stack, Stack), Stack, RandomState>,
}

impl Default for Stacks {
    /// No stack but the empty one.
    fn default() -> Self {
        let top = Node {
            parent: Stack::EMPTY,
            jump: Stack::EMPTY,
            depth: 0,
            function: Function(u32::MAX),
            natives: 0,
            native: Stack::EMPTY,
        };
        Self {
            frames: 0..0,
            nodes: alloc::vec![top],
            by_step: HashMap::default(),
            functions: Vec::new(),
            is_native: Vec::new(),
            meanings: Vec::new(),
            moved: HashMap::default(),
        }
    }
}

impl Stacks {
    pub(super) fn of_profile(trace: &Trace<'_>, profile: &Profile, rules: &SampleRules) -> Self {
        Self::new(trace.frames_of(profile), profile.frames().start().index(), trace.names(), rules)
    }

    /// Whether these are the stacks of a profile.
    pub(super) fn are_of(&self, profile: &Profile) -> bool {
        self.frames == profile.frames().indices() && !self.frames.is_empty()
    }

    /// The stacks of the frames `first..first + frames.len()` of a trace.
    fn new(frames: &[Frame], first: usize, names: &Names<'_>, rules: &SampleRules) -> Self {
        let mut stacks = Self { frames: first..first + frames.len(), ..Self::default() };
        let known = Known::new(names, rules);
        let functions = stacks.find_functions(frames, first, rules);
        stacks.find_meanings(frames, first, &functions, &known);
        stacks
    }

    fn find_functions(&mut self, frames: &[Frame], first: usize, rules: &SampleRules) -> Vec<Function> {
        let mut by_frame = HashMap::<Frame, Function, RandomState>::default();
        let function_of = |(index, frame): (usize, &Frame)| {
            *by_frame.entry(Frame { parent: None, ..*frame }).or_insert_with(|| {
                self.functions.push(FrameId(to_u32(first + index)));
                self.is_native.push((rules.is_native)(frame));
                Function(to_u32(self.functions.len() - 1))
            })
        };
        frames.iter().enumerate().map(function_of).collect()
    }

    /// Callers may come after those they call, so each frame is found after those above it.
    fn find_meanings(&mut self, frames: &[Frame], first: usize, functions: &[Function], known: &Known) {
        let mut meanings = alloc::vec![None; frames.len()];
        let mut waiting = Vec::new();
        for start in 0..frames.len() {
            let mut at = start;
            while meanings[at].is_none() {
                waiting.push(at);
                match frames[at].parent {
                    Some(parent) => at = parent.index() - first,
                    None => break,
                }
            }
            while let Some(at) = waiting.pop() {
                let (frame, function) = (&frames[at], functions[at]);
                let caller = frame.parent.map(|parent| parent.index() - first);
                let is_root = |frame: &Frame| frame.parent.is_none() && known.root == Some(frame.name);
                let meaning = if is_root(frame) {
                    Meaning::Stack(Stack::EMPTY)
                } else if caller.is_none_or(|caller| is_root(&frames[caller])) && known.is_meta(frame.name) {
                    if known.collector == Some(frame.name) {
                        Meaning::Collector(function)
                    } else {
                        let shown = self.step(Stack::EMPTY, function);
                        Meaning::Idle { program: known.program == Some(frame.name), shown }
                    }
                } else {
                    let below = match caller.and_then(|caller| meanings[caller]) {
                        Some(Meaning::Stack(stack)) => stack,
                        _ => Stack::EMPTY,
                    };
                    Meaning::Stack(self.step(below, function))
                };
                meanings[at] = Some(meaning);
            }
        }
        self.meanings =
            meanings.into_iter().map(|found| found.unwrap_or(Meaning::Stack(Stack::EMPTY))).collect();
    }

    /// What the frame at a position of the profile means.
    pub(super) fn meaning(&self, frame: usize) -> Meaning {
        self.meanings[frame]
    }

    fn node(&self, stack: Stack) -> &Node {
        &self.nodes[stack.0 as usize]
    }

    /// `stack` with `function` on top.
    fn step(&mut self, stack: Stack, function: Function) -> Stack {
        if let Some(&found) = self.by_step.get(&(stack, function)) {
            return found;
        }
        let below = *self.node(stack);
        let jump = *self.node(below.jump);
        let new = Stack(to_u32(self.nodes.len()));
        let is_native = self.is_native[function.0 as usize];
        self.nodes.push(Node {
            parent: stack,
            // Jumps of equal length in a row are joined, as in a skew binary number.
            jump: if below.depth - jump.depth == jump.depth - self.node(jump.jump).depth {
                jump.jump
            } else {
                stack
            },
            depth: below.depth + 1,
            function,
            natives: below.natives + u32::from(is_native),
            native: if is_native { new } else { below.native },
        });
        self.by_step.insert((stack, function), new);
        new
    }

    pub(super) fn depth(&self, stack: Stack) -> u32 {
        self.node(stack).depth
    }

    pub(super) fn parent(&self, stack: Stack) -> Stack {
        self.node(stack).parent
    }

    /// The function on top of a stack that is not empty.
    pub(super) fn function(&self, stack: Stack) -> Function {
        self.node(stack).function
    }

    /// A frame of the trace that is this function.
    pub(super) fn frame(&self, function: Function) -> FrameId {
        self.functions[function.0 as usize]
    }

    /// The outermost of the stacks below and including `stack` for which `holds`; it holds for all above it, too.
    fn outermost(&self, stack: Stack, holds: impl Fn(&Node) -> bool) -> Stack {
        let mut at = stack;
        while at != Stack::EMPTY {
            let node = self.node(at);
            if node.jump != Stack::EMPTY && holds(self.node(node.jump)) {
                at = node.jump;
            } else if node.parent != Stack::EMPTY && holds(self.node(node.parent)) {
                at = node.parent;
            } else {
                break;
            }
        }
        at
    }

    /// The first `depth` functions of a stack, or all if it has no more.
    pub(super) fn prefix(&self, stack: Stack, depth: u32) -> Stack {
        match depth {
            0 => Stack::EMPTY,
            _ if depth >= self.depth(stack) => stack,
            _ => self.outermost(stack, |node| node.depth >= depth),
        }
    }

    /// Whether `stack` begins with all of `prefix`.
    pub(super) fn begins_with(&self, stack: Stack, prefix: Stack) -> bool {
        self.depth(prefix) <= self.depth(stack) && self.prefix(stack, self.depth(prefix)) == prefix
    }

    /// What two stacks have in common at their beginning.
    pub(super) fn common(&self, a: Stack, b: Stack) -> Stack {
        let depth = self.depth(a).min(self.depth(b));
        let (mut a, mut b) = (self.prefix(a, depth), self.prefix(b, depth));
        while a != b {
            let (node_a, node_b) = (self.node(a), self.node(b));
            (a, b) = if node_a.jump == node_b.jump {
                (node_a.parent, node_b.parent)
            } else {
                (node_a.jump, node_b.jump)
            };
        }
        a
    }

    /// The longest stack that has a native function on top, is longer than `depth` and shorter than `stack`.
    pub(super) fn last_native(&self, stack: Stack, depth: u32) -> Option<Stack> {
        let native = self.node(self.parent(stack)).native;
        (self.depth(native) > depth).then_some(native)
    }

    /// The shortest such stack.
    pub(super) fn first_native(&self, stack: Stack, depth: u32) -> Option<Stack> {
        let last = self.last_native(stack, depth)?;
        let before = self.node(self.prefix(stack, depth)).natives;
        Some(self.outermost(last, |node| node.natives > before))
    }

    /// `stack` as it goes on above `base`, with which it disagrees: from behind the first place where the function
    /// on top of `base` is found again, or else from the place where they part. \[cpu 4\]
    pub(super) fn moved_onto(&mut self, base: Stack, stack: Stack, spend: &mut impl FnMut(u32)) -> Stack {
        if let Some(&moved) = self.moved.get(&(base, stack)) {
            return moved;
        }
        let common = self.common(base, stack);
        spend(self.depth(stack) - self.depth(common));
        let mut rest = Vec::new();
        let mut at = stack;
        while at != common {
            rest.push(self.function(at));
            at = self.parent(at);
        }
        let top = self.function(base);
        rest.truncate(rest.iter().rposition(|&function| function == top).unwrap_or(rest.len()));
        let moved = rest.iter().rev().fold(base, |stack, &function| self.step(stack, function));
        self.moved.insert((base, stack), moved);
        moved
    }
}

/// The names of the rules that the trace has.
struct Known {
    root: Option<NameId>,
    collector: Option<NameId>,
    program: Option<NameId>,
    idle: HashSet<NameId, RandomState>,
}

impl Known {
    fn new(names: &Names<'_>, rules: &SampleRules) -> Self {
        let find = |name: &str| names.find(name.as_bytes());
        Self {
            root: find(rules.root),
            collector: find(rules.collector),
            program: find(rules.program),
            idle: rules.idle.iter().filter_map(|name| find(name)).collect(),
        }
    }

    fn is_meta(&self, name: NameId) -> bool {
        self.collector == Some(name) || self.idle.contains(&name)
    }
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;

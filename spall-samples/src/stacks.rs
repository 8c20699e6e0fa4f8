//! Call stacks as nodes of one tree, so that two stacks are compared without a look at their frames.
#![allow(clippy::indexing_slicing, reason = "nodes and functions are numbered by this module")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::recorded::Recorded;
use spall_model::{Frame, FrameId, NameId, Names, Profile, SampleRules, Trace, TraceView, index32};

/// A call stack: the path from the root of the tree to this node. Equal stacks are one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Stack(u32);

impl Stack {
    /// The stack without functions, which is the root of the tree.
    pub(super) const EMPTY: Self = Self(0);
}

/// A function: all call frames of one name and source, with any callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Function(u32);

/// The meaning of a call frame of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameRole {
    /// The frame is a function, with this stack.
    Stack(Stack),
    /// The frame means that no function is known to run. On a thread without slices it is shown as a function, with
    /// the stack `shown`. `unreadable` is whether the profiler also reports it when it cannot read the stack.
    Idle { unreadable: bool, shown: Stack },
    /// The frame is a function that runs on top of whatever ran before.
    OnTop(Function),
}

impl FrameRole {
    /// Returns the stack of functions; empty if none is known to run.
    pub(super) fn stack(self) -> Stack {
        match self {
            Self::Stack(stack) => stack,
            Self::Idle { .. } | Self::OnTop(_) => Stack::EMPTY,
        }
    }
}

/// A stack in the tree of stacks.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: Stack,
    /// A shorter stack further away. By parents and jumps any beginning of a stack is reached in O(log depth) steps.
    jump: Stack,
    /// The number of functions of the stack.
    depth: u32,
    /// The function on top of the stack.
    function: Function,
    /// The number of native functions of the stack.
    natives: u32,
    /// The longest beginning of the stack whose top is native; empty if there is none.
    native: Stack,
}

/// All stacks of a profile.
#[derive(Debug)]
pub(super) struct Stacks {
    /// The positions in the trace of the frames that the stacks are made of.
    frames: Range<usize>,
    /// All stacks, each after its parent.
    nodes: Vec<Node>,
    /// The stack that has a function on top of another stack.
    children: HashMap<(Stack, Function), Stack, RandomState>,
    /// One call frame of each function.
    functions: Vec<FrameId>,
    /// Whether each function is native, by the rules of the runtime.
    is_native: Vec<bool>,
    /// The meaning of each frame of the profile.
    roles: Vec<FrameRole>,
    /// What the program says of the functions that record. [cpu 5.4](crate::rules::cpu#5.4)
    recorded: Recorded,
    /// The functions that record, with the numbers of their paths.
    recorders: HashMap<Function, u32, RandomState>,
    /// The results of [`Stacks::moved_onto`], by its two stacks and whether the second one is cut off.
    moved: HashMap<(Stack, Stack, bool), Stack, RandomState>,
}

impl Default for Stacks {
    /// Returns a tree that has only the empty stack.
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
            children: HashMap::default(),
            functions: Vec::new(),
            is_native: Vec::new(),
            roles: Vec::new(),
            recorded: Recorded::default(),
            recorders: HashMap::default(),
            moved: HashMap::default(),
        }
    }
}

impl Stacks {
    /// Returns the stacks of all frames of a profile.
    pub(super) fn of_profile(trace: &Trace, profile: &Profile, rules: &SampleRules) -> Self {
        let first = profile.frames().start().index();
        let mut stacks = Self::new(trace.frames_of(profile), first, trace.names(), rules);
        if profile.frames_are_shared() {
            stacks.find_recorded(trace);
        }
        stacks
    }

    /// Finds the functions that record slices.
    fn find_recorded(&mut self, trace: &Trace) {
        self.recorded = Recorded::new(trace);
        if self.recorded.is_empty() {
            return;
        }
        for (function, frame) in (0..).map(Function).zip(&self.functions) {
            let Some(frame) = trace.frames().get(frame.index()) else { continue };
            if let Some(path) = self.recorded.path(&trace.name(frame.name)) {
                self.recorders.insert(function, path);
            }
        }
    }

    /// Returns whether the program says of any function of the stacks which slices it records.
    pub(super) fn has_recorded(&self) -> bool {
        !self.recorders.is_empty()
    }

    /// Returns the beginning of a stack down to its innermost function that records slices of a name, among the innermost 256.
    /// [cpu 5.4](crate::rules::cpu#5.4)
    pub(super) fn recorded(&self, name: NameId, stack: Stack) -> Option<Stack> {
        let stacks = core::iter::successors(Some(stack), |&stack| Some(self.parent(stack)));
        let mut stacks = stacks.take_while(|&stack| stack != Stack::EMPTY).take(256);
        stacks.find(|&stack| {
            let path = self.recorders.get(&self.function(stack));
            path.is_some_and(|&path| self.recorded.has(name, path))
        })
    }

    /// Returns whether these are the stacks of a profile.
    pub(super) fn are_of(&self, profile: &Profile) -> bool {
        self.frames == profile.frames().indices() && !self.frames.is_empty()
    }

    /// Returns the stacks of frames that are at position `first` of a trace.
    fn new(frames: &[Frame], first: usize, names: &Names, rules: &SampleRules) -> Self {
        let mut stacks = Self { frames: first..first + frames.len(), ..Self::default() };
        let known = RuleNames::new(names, rules);
        let functions = stacks.find_functions(frames, first, rules);
        stacks.find_meanings(frames, first, &functions, &known);
        stacks
    }

    /// Returns the function of each frame. Frames that differ only in their callers are one function.
    fn find_functions(&mut self, frames: &[Frame], first: usize, rules: &SampleRules) -> Vec<Function> {
        let mut by_frame = HashMap::<Frame, Function, RandomState>::default();
        let function_of = |(index, frame): (usize, &Frame)| {
            *by_frame.entry(Frame { parent: None, ..*frame }).or_insert_with(|| {
                self.functions.push(FrameId(index32(first + index)));
                self.is_native.push((rules.is_native)(frame));
                Function(index32(self.functions.len() - 1))
            })
        };
        frames.iter().enumerate().map(function_of).collect()
    }

    /// Finds the meaning of each frame. Callers may come after the frames that they call. So the way up to a frame
    /// with a known meaning is kept in a list, and gone back from the outermost frame.
    fn find_meanings(&mut self, frames: &[Frame], first: usize, functions: &[Function], known: &RuleNames) {
        let mut roles = alloc::vec![None; frames.len()];
        let mut waiting = Vec::new();
        for start in 0..frames.len() {
            let mut at = start;
            while roles[at].is_none() {
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
                let role = if is_root(frame) {
                    FrameRole::Stack(Stack::EMPTY)
                } else if caller.is_none_or(|caller| is_root(&frames[caller])) && known.is_meta(frame.name) {
                    if known.on_top == Some(frame.name) {
                        FrameRole::OnTop(function)
                    } else {
                        let shown = self.step(Stack::EMPTY, function);
                        FrameRole::Idle { unreadable: known.unreadable == Some(frame.name), shown }
                    }
                } else {
                    let below = match caller.and_then(|caller| roles[caller]) {
                        Some(FrameRole::Stack(stack)) => stack,
                        _ => Stack::EMPTY,
                    };
                    FrameRole::Stack(self.step(below, function))
                };
                roles[at] = Some(role);
            }
        }
        self.roles = roles.into_iter().map(|found| found.unwrap_or(FrameRole::Stack(Stack::EMPTY))).collect();
    }

    /// Returns the meaning of the call frame at a position of the profile.
    pub(super) fn role(&self, frame: usize) -> FrameRole {
        self.roles[frame]
    }

    /// Returns the node of a stack.
    fn node(&self, stack: Stack) -> &Node {
        &self.nodes[stack.0 as usize]
    }

    /// Returns the stack that has `function` on top of `stack`, which is added if it is new.
    fn step(&mut self, stack: Stack, function: Function) -> Stack {
        if let Some(&found) = self.children.get(&(stack, function)) {
            return found;
        }
        let below = *self.node(stack);
        let jump = *self.node(below.jump);
        let new = Stack(index32(self.nodes.len()));
        let is_native = self.is_native[function.0 as usize];
        self.nodes.push(Node {
            parent: stack,
            // Two successive jumps of equal length are joined to one, as in a skew binary number. So the lengths of
            // jumps on the way to the root grow like powers of two.
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
        self.children.insert((stack, function), new);
        new
    }

    /// Returns the number of functions of a stack.
    pub(super) fn depth(&self, stack: Stack) -> u32 {
        self.node(stack).depth
    }

    /// Returns the stack without its top; the empty stack for the empty stack.
    pub(super) fn parent(&self, stack: Stack) -> Stack {
        self.node(stack).parent
    }

    /// Returns the function on top of a stack, which must not be empty.
    pub(super) fn function(&self, stack: Stack) -> Function {
        self.node(stack).function
    }

    /// Returns one of the call frames of a function.
    pub(super) fn frame(&self, function: Function) -> FrameId {
        self.functions[function.0 as usize]
    }

    /// Returns the shortest beginning of `stack` for which `holds`, which must hold for all longer beginnings as well.
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

    /// Returns the outermost `depth` functions of a stack, or all if it has no more.
    pub(super) fn prefix(&self, stack: Stack, depth: u32) -> Stack {
        match depth {
            0 => Stack::EMPTY,
            _ if depth >= self.depth(stack) => stack,
            _ => self.outermost(stack, |node| node.depth >= depth),
        }
    }

    /// Returns whether `stack` begins with all of `prefix`.
    pub(super) fn begins_with(&self, stack: Stack, prefix: Stack) -> bool {
        self.depth(prefix) <= self.depth(stack) && self.prefix(stack, self.depth(prefix)) == prefix
    }

    /// Returns the longest common beginning of two stacks.
    pub(super) fn common(&self, a: Stack, b: Stack) -> Stack {
        let depth = self.depth(a).min(self.depth(b));
        let (mut a, mut b) = (self.prefix(a, depth), self.prefix(b, depth));
        // Stacks of one depth have jumps of one length, so that both walks stay at the same depth. A jump to a common
        // stack may be too far, and then the parents are taken.
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

    /// Returns the longest beginning of `stack` that has a native function on top, is longer than `depth` and shorter
    /// than `stack`; `None` if there is none.
    pub(super) fn last_native(&self, stack: Stack, depth: u32) -> Option<Stack> {
        let native = self.node(self.parent(stack)).native;
        (self.depth(native) > depth).then_some(native)
    }

    /// Returns the shortest beginning of `stack` that has a native function on top, is longer than `depth` and
    /// shorter than `stack`; `None` if there is none.
    pub(super) fn first_native(&self, stack: Stack, depth: u32) -> Option<Stack> {
        let last = self.last_native(stack, depth)?;
        let before = self.node(self.prefix(stack, depth)).natives;
        Some(self.outermost(last, |node| node.natives > before))
    }

    /// Returns `base` with the functions of `stack` on top that may run above it, for two stacks that disagree.
    /// [cpu 4](crate::rules::cpu#4)
    ///
    /// If the function on top of `base` occurs again in the part of `stack` that disagrees, these are the functions
    /// above its last occurrence. Otherwise they are all functions of that part. Of a stack that is cut off they are all
    /// functions. [cpu 5.3](crate::rules::cpu#5.3)
    ///
    /// `spend` gets the number of functions looked at. Results are kept, so that the same two stacks cost nothing
    /// again.
    pub(super) fn moved_onto(
        &mut self,
        base: Stack,
        stack: Stack,
        is_cut_off: bool,
        spend: &mut impl FnMut(u32),
    ) -> Stack {
        if let Some(&moved) = self.moved.get(&(base, stack, is_cut_off)) {
            return moved;
        }
        let common = if is_cut_off { Stack::EMPTY } else { self.common(base, stack) };
        spend(self.depth(stack) - self.depth(common));
        let mut rest = Vec::new();
        let mut at = stack;
        while at != common {
            rest.push(self.function(at));
            at = self.parent(at);
        }
        if !is_cut_off {
            let top = self.function(base);
            rest.truncate(rest.iter().rposition(|&function| function == top).unwrap_or(rest.len()));
        }
        let moved = rest.iter().rev().fold(base, |stack, &function| self.step(stack, function));
        self.moved.insert((base, stack, is_cut_off), moved);
        moved
    }
}

/// The names of the rules, by their numbers in the trace; `None` for a name that the trace does not have.
struct RuleNames {
    root: Option<NameId>,
    on_top: Option<NameId>,
    unreadable: Option<NameId>,
    idle: HashSet<NameId, RandomState>,
}

impl RuleNames {
    /// Returns the names of the rules, looked up in a trace.
    fn new(names: &Names, rules: &SampleRules) -> Self {
        // Functions without a name are functions, and not what a rule without a name is about.
        let find = |name: &str| names.find(name.as_bytes()).filter(|_| !name.is_empty());
        Self {
            root: find(rules.root),
            on_top: find(rules.on_top),
            unreadable: find(rules.unreadable),
            idle: rules.idle.iter().filter_map(|name| find(name)).collect(),
        }
    }

    /// Returns whether frames of this name directly below the root are not ordinary functions.
    fn is_meta(&self, name: NameId) -> bool {
        self.on_top == Some(name) || self.idle.contains(&name)
    }
}

#[cfg(test)]
mod tests;

//! The stacks of a file, and the samples that stand for their costs.

use alloc::{format, string::String, vec, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    Budget, ByteRange, CallGraph, Clock, DiagnosticKind, EstimatedCall, Event, FrameEvent, FrameParent,
    FrameTable, Id, MetaEvent, NameId, Receiver, SampleStack, StackNode, StackTree, Text, Thread, Ticks,
    Unit, UnitName, Value, ValueSample, ValueType, ValueTypes, index32,
};

use super::costs::Row;
use super::exact::{Exact, ExactCall};
use super::state::State;

/// The process of a file that names none.
const PROCESS: i64 = 1;

/// The function below which all lies that has no place in the tree of a graph.
const REST: u32 = u32::MAX - 1;

/// What a node of a tree costs, in bytes of the file: a call frame and a sample.
const NODE: u64 = Budget::FRAME + Budget::SAMPLE;

/// Hands over all profiles of a file.
pub(super) fn hand_over(state: &State, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) {
    let mut output = Output {
        state,
        bytes,
        to,
        events: Vec::new(),
        rests: Vec::new(),
        frames: StackTree::default(),
        budget: Budget::default(),
    };
    output.choose_events();
    let types = output.value_types();
    let unit = types.default_type().map_or(Unit::Nanoseconds(1.0), |of| of.unit);
    output.event(&Event::Clock(Clock::new(unit)));
    let process = Id::Number(state.process.unwrap_or(PROCESS));
    if !state.command.is_empty() {
        output.event(&Event::ProcessName(process, Text::plain(&state.command)));
    }
    if output.events.is_empty() {
        ValueTypes::say_nothing_was_sampled(output.to);
    }
    let parts = output.parts();
    let max_nodes = output.max_nodes(&parts);
    let calls = state.exact.as_ref().map(Exact::calls);
    let are_exact = output.exact_events(calls.as_deref());
    output.say_what_is_estimated(&are_exact);
    for (part, number) in parts.iter().zip(0..) {
        let mut stacks = Stacks { n_types: output.events.len(), ..Stacks::default() };
        if let Some(calls) = calls.as_ref().filter(|_| are_exact.contains(&true)) {
            output.add_calls(calls, &are_exact, &mut stacks);
        }
        if are_exact.contains(&false) {
            output.add_graph(part, &are_exact, max_nodes, &mut stacks);
        }
        if !stacks.values.is_empty() {
            let number = state.threads.keys().get(number).copied().unwrap_or(1);
            let thread = Thread::new(process, number);
            types.begin(thread, bytes, output.to);
            output.samples(&stacks, thread, &types);
        }
    }
    output.report_rests();
}

/// A file whose profiles are handed over.
struct Output<'s, 't> {
    state: &'s State,
    bytes: ByteRange,
    to: &'t mut dyn for<'e> Receiver<'e>,
    /// The events that something costs.
    events: Vec<usize>,
    /// What each of them has below [`REST`], and in all.
    rests: Vec<(f64, u64)>,
    frames: StackTree,
    budget: Budget,
}

/// The blocks of a thread, and the calls between them.
#[derive(Debug, Default)]
struct Part {
    blocks: Vec<u32>,
    calls: Vec<u32>,
    /// The caller and the callee of each of these, as positions among the blocks.
    ends: Vec<(u32, u32)>,
}

/// The stacks of a thread, and what each costs.
#[derive(Debug, Default)]
struct Stacks {
    tree: StackTree,
    /// The costs of the nodes, as real and as whole numbers, those of each in a row of [`Stacks::n_types`].
    weights: Vec<f64>,
    values: Vec<i64>,
    n_types: usize,
}

impl Stacks {
    /// Returns the node of a call.
    fn child(&mut self, caller: Option<u32>, function: u32) -> Option<u32> {
        let node = self.tree.child(caller, function, u64::MAX).number()?;
        if self.values.len() <= node as usize * self.n_types {
            self.values.resize((node as usize + 1) * self.n_types, 0);
            self.weights.resize(self.values.len(), 0.0);
        }
        Some(node)
    }

    /// Adds a cost to a node.
    fn add(&mut self, node: Option<u32>, of: usize, weight: f64, whole: u64) {
        let Some(at) = node.map(|node| node as usize * self.n_types + of) else { return };
        if let (Some(sum), Some(value)) = (self.weights.get_mut(at), self.values.get_mut(at)) {
            *sum += weight;
            *value = value.saturating_add_unsigned(whole);
        }
    }
}

impl Output<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        self.to.receive(event, self.bytes);
    }

    fn report(&mut self, kind: DiagnosticKind, at: u64) {
        self.to.receive(&Event::Diagnostic(kind), ByteRange::new(at, at));
    }

    /// Returns the name of an event.
    fn name(&self, event: usize) -> String {
        let name = self.state.events.keys().get(event).copied().unwrap_or(NameId::EMPTY);
        String::from_utf8_lossy(self.state.texts.bytes(name)).into_owned()
    }

    /// Finds the events that something costs, and reports sums that cannot be drawn. [callgrind
    /// 1.2](spall_model::rules::callgrind#1.2)
    fn choose_events(&mut self) {
        let mut totals = vec![0_u64; self.state.events.keys().len()];
        let costs = &self.state.costs;
        for (_, _, row) in (0..costs.n_blocks()).filter_map(|block| costs.get_block(block)) {
            for (total, event) in totals.iter_mut().zip(0..) {
                let sum = row.sums.get(event);
                *total = total.saturating_add(own(row, event));
                if sum < 0 {
                    self.report(DiagnosticKind::NegativeWeight, row.at);
                }
            }
        }
        self.events = (0..totals.len()).filter(|&event| totals.get(event) > Some(&0)).collect();
        self.rests =
            self.events.iter().map(|&event| (0.0, totals.get(event).copied().unwrap_or(0))).collect();
    }

    /// Returns what the events count. [callgrind 2.8](spall_model::rules::callgrind#2.8)
    fn value_types(&self) -> ValueTypes {
        let of = |name: String| {
            let unit = match &*name {
                "Time_(10ns)" => Unit::Nanoseconds(10.0),
                "Time_(µs)" => Unit::Nanoseconds(1000.0),
                "Time" if self.state.is_of_xdebug => Unit::Nanoseconds(1000.0),
                "Memory" | "Memory_(bytes)" if self.state.is_of_xdebug => Unit::Bytes,
                name => Unit::Count(UnitName::new(name)),
            };
            ValueType { name, unit, ticks: Ticks(1) }
        };
        ValueTypes::new(self.events.iter().map(|&event| of(self.name(event))).collect(), 0)
    }

    /// Puts blocks together with those that they call. Calls of functions without a block are reported. [callgrind
    /// 2.4](spall_model::rules::callgrind#2.4)
    fn parts(&mut self) -> Vec<Part> {
        let costs = &self.state.costs;
        let mut parts: Vec<Part> = Vec::new();
        parts.resize_with(self.state.threads.keys().len(), Part::default);
        let mut positions = Vec::with_capacity(costs.n_blocks() as usize);
        // The block of the functions of a thread, an object and a name, if there is only one.
        let mut by_name: HashMap<(u32, NameId, NameId), Option<u32>, RandomState> = HashMap::default();
        for block in 0..costs.n_blocks() {
            let Some((thread, function, _)) = costs.get_block(block) else { continue };
            let Some(part) = parts.get_mut(thread as usize) else { continue };
            positions.push(index32(part.blocks.len()));
            part.blocks.push(block);
            if let Some(function) = costs.function(function) {
                by_name
                    .entry((thread, function.object, function.name))
                    .and_modify(|only| *only = None)
                    .or_insert(Some(block));
            }
        }
        let position = |block: u32| positions.get(block as usize).copied().unwrap_or(0);
        for call in 0..costs.n_calls() {
            let Some((block, callee, row)) = costs.get_call(call) else { continue };
            let thread = costs.get_block(block).map_or(0, |(thread, ..)| thread);
            let named = || {
                let function = costs.function(callee)?;
                *by_name.get(&(thread, function.object, function.name))?
            };
            match (costs.find_block(thread, callee).or_else(named), parts.get_mut(thread as usize)) {
                (Some(callee), Some(part)) => {
                    part.calls.push(call);
                    part.ends.push((position(block), position(callee)));
                }
                _ => self.to.receive(
                    &Event::Diagnostic(DiagnosticKind::UnknownEntry),
                    ByteRange::new(row.at, row.at),
                ),
            }
        }
        parts
    }

    /// Returns how many nodes the tree of each graph may have, so that the bytes of the file pay for all of them, and for all
    /// functions below [`REST`].
    fn max_nodes(&self, parts: &[Part]) -> usize {
        let n_types = self.events.len().max(1) as u64;
        let n_parts = parts.iter().filter(|part| !part.blocks.is_empty()).count().max(1) as u64;
        let paid = (self.bytes.end + Budget::FREE) / NODE;
        let of_rests = u64::from(self.state.costs.n_blocks()).saturating_mul(n_types);
        let of_tree = paid.saturating_sub(of_rests) / (n_parts * n_types);
        usize::try_from(of_tree).map_or(CallGraph::MAX_NODES, |nodes| nodes.min(CallGraph::MAX_NODES))
    }

    /// Returns of each event whether the tree of the calls has its costs: they add up, and none is below 0, for which a tree has no
    /// place. [callgrind 3.7](spall_model::rules::callgrind#3.7)
    fn exact_events(&self, calls: Option<&[ExactCall<'_>]>) -> Vec<bool> {
        let is_exact = |&event: &usize| {
            let is_above = |call: &ExactCall<'_>| call.costs.get(event).is_none_or(|&cost| cost >= 0);
            let adds_up = self.state.exact.as_ref().is_some_and(|exact| exact.adds_up(event));
            adds_up && calls.is_some_and(|calls| calls.iter().all(is_above))
        };
        self.events.iter().map(is_exact).collect()
    }

    /// Says which stacks are those of a graph, in a fact of the file.
    fn say_what_is_estimated(&mut self, are_exact: &[bool]) {
        let (key, text) = CallGraph::FACT;
        let text = match are_exact.contains(&true) {
            _ if self.state.costs.n_calls() == 0 || !are_exact.contains(&false) => return,
            false => String::from(text),
            true => {
                let estimated = self.events.iter().zip(are_exact).filter(|&(_, is_exact)| !is_exact);
                let names: Vec<_> = estimated.map(|(&event, _)| self.name(event)).collect();
                format!("{text}: {}", names.join(", "))
            }
        };
        self.event(&Event::Meta(MetaEvent::new(Text::from(key), Value::Text(Text::from(&*text)))));
    }

    /// Adds the stacks that the graph of a thread stands for, for the events that are not exact. [callgrind
    /// 3](spall_model::rules::callgrind#3)
    fn add_graph(&mut self, part: &Part, are_exact: &[bool], max_nodes: usize, stacks: &mut Stacks) {
        let costs = &self.state.costs;
        let graph = CallGraph::new(part.blocks.len(), &part.ends);
        let function = |number: u32| {
            let block = part.blocks.get(number as usize).and_then(|&block| costs.get_block(block));
            block.map_or(REST, |(_, function, _)| function)
        };
        let events = self.events.iter().zip(are_exact).zip(0..).filter(|((_, is_exact), _)| !**is_exact);
        for ((&event, _), of) in events {
            let cost = |row: Option<(u32, u32, &Row)>| row.map_or(0, |(_, _, row)| own(row, event));
            let owns: Vec<u64> = part.blocks.iter().map(|&block| cost(costs.get_block(block))).collect();
            if owns.iter().all(|&own| own == 0) {
                continue;
            }
            let of_calls: Vec<u64> = part.calls.iter().map(|&call| cost(costs.get_call(call))).collect();
            let tree = graph.tree(&owns, &of_calls, max_nodes);
            let is_kept = have_costs(&tree.nodes);
            let mut nodes: Vec<Option<u32>> = Vec::with_capacity(tree.nodes.len());
            for (node, is_kept) in tree.nodes.iter().zip(is_kept) {
                let caller = node.caller.and_then(|caller| nodes.get(caller as usize).copied().flatten());
                let child = if is_kept { stacks.child(caller, function(node.function)) } else { None };
                stacks.add(child, of, node.weight, node.whole);
                nodes.push(child);
            }
            for node in &tree.rest {
                let rest = stacks.child(None, REST);
                let child = stacks.child(rest, function(node.function));
                stacks.add(child, of, node.weight, node.whole);
                if let Some((sum, _)) = self.rests.get_mut(of) {
                    *sum += node.weight;
                }
            }
        }
    }

    /// Adds the stacks of the calls themselves, for the events that are exact. [callgrind
    /// 3.7](spall_model::rules::callgrind#3.7)
    fn add_calls(&self, calls: &[ExactCall<'_>], are_exact: &[bool], stacks: &mut Stacks) {
        let mut nodes: Vec<Option<u32>> = Vec::with_capacity(calls.len());
        for call in calls {
            let caller = call.caller.and_then(|caller| nodes.get(caller as usize).copied().flatten());
            let node = stacks.child(caller, call.function);
            for ((&event, is_exact), of) in self.events.iter().zip(are_exact).zip(0..) {
                let cost =
                    call.costs.get(event).filter(|_| *is_exact).and_then(|&cost| u64::try_from(cost).ok());
                #[expect(clippy::cast_precision_loss, reason = "a weight is a float")]
                if let Some(cost) = cost {
                    stacks.add(node, of, cost as f64, cost);
                }
            }
            nodes.push(node);
        }
    }

    /// Hands over the samples of a thread, in the order of its tree.
    fn samples(&mut self, stacks: &Stacks, thread: Thread<'_>, types: &ValueTypes) {
        let calls: Vec<(Option<u32>, u32)> = stacks.tree.calls().collect();
        let (mut first, mut next) = (vec![None; calls.len() + 1], vec![None; calls.len()]);
        for (node, &(caller, _)) in calls.iter().enumerate().rev() {
            let first = first.get_mut(caller.map_or(calls.len(), |caller| caller as usize));
            if let (Some(first), Some(next)) = (first, next.get_mut(node)) {
                (*next, *first) = (*first, Some(index32(node)));
            }
        }
        let mut time = 0;
        let mut path = Vec::from([(first.last().copied().flatten(), None)]);
        while let Some((node, caller)) = path.pop() {
            let Some(node) = node else { continue };
            let function = calls.get(node as usize).map_or(REST, |&(_, function)| function);
            let frame = self.frame(caller, function);
            let row = node as usize * stacks.n_types..(node as usize + 1) * stacks.n_types;
            let weights = stacks.weights.get(row.clone()).unwrap_or_default();
            if weights.iter().any(|&weight| weight > 0.0) {
                let stack = frame.map_or(SampleStack::Unknown, |frame| SampleStack::Frame(Id::from(frame)));
                let values = stacks.values.get(row).unwrap_or_default();
                let mut sample = ValueSample::new(thread, stack, values, self.bytes);
                sample.weights = weights;
                types.sample(&sample, &mut time, &mut self.budget, self.to);
            }
            path.push((next.get(node as usize).copied().flatten(), caller));
            path.push((first.get(node as usize).copied().flatten(), frame));
        }
    }

    /// Returns the call frame of a function below its caller, which is handed over if it is new. It is the caller if the bytes of
    /// the file do not pay for it.
    fn frame(&mut self, caller: Option<u32>, function: u32) -> Option<u32> {
        let node = self.frames.child(caller, function, self.bytes.end);
        if let StackNode::New(node) = node {
            let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
            let mut frame = FrameEvent::new(FrameTable::Shared, node, parent, Text::from("(rest)"));
            if let Some(place) = self.state.costs.function(function) {
                let text = |name| self.state.texts.bytes(name);
                let file = Some(text(place.file)).filter(|file| !file.is_empty() && file != b"???");
                frame.name = Text::plain(text(place.name));
                frame.url = Text::plain(file.unwrap_or_else(|| text(place.object)));
                frame.line = self.state.costs.line(function).checked_sub(1);
            }
            self.event(&Event::Frame(frame));
        }
        if node == StackNode::Unpaid {
            self.event(&Event::Diagnostic(DiagnosticKind::StackLimit));
        }
        node.number().or(caller)
    }

    /// Says how much of each event has no place in a tree. [callgrind 3.5](spall_model::rules::callgrind#3.5)
    fn report_rests(&mut self) {
        let rests = core::mem::take(&mut self.rests);
        for (&event, &(rest, total)) in self.events.clone().iter().zip(&rests) {
            if rest > 0.0 {
                #[expect(clippy::cast_precision_loss, reason = "it is shown to few places")]
                let percent = rest / total.max(1) as f64 * 100.0;
                let text = format!("{percent:.4} % of {}", self.name(event));
                self.event(&Event::Diagnostic(DiagnosticKind::CallGraphLimit));
                self.event(&Event::Meta(MetaEvent::new(
                    Text::from("(rest)"),
                    Value::Text(Text::from(&*text)),
                )));
            }
        }
    }
}

/// Returns a cost that can be drawn: a sum below 0 is none.
fn own(row: &Row, event: usize) -> u64 {
    u64::try_from(row.sums.get(event)).unwrap_or(0)
}

/// Returns of each node whether it or one below it costs something.
fn have_costs(nodes: &[EstimatedCall]) -> Vec<bool> {
    let mut have: Vec<bool> = nodes.iter().map(|node| node.weight > 0.0).collect();
    for (at, node) in nodes.iter().enumerate().rev() {
        let has_costs = have.get(at) == Some(&true);
        if let Some(caller) = node.caller.and_then(|caller| have.get_mut(caller as usize)) {
            *caller |= has_costs;
        }
    }
    have
}

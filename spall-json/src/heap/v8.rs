//! The reader of V8's sampling heap profiles. [heap 3](crate::rules::heap#3)

use alloc::{vec, vec::Vec};

use spall_model::{
    Budget, Clock, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, Interner, Receiver,
    SampleStack, Text, Thread, Ticks, Unit, ValueSample, ValueType, ValueTypes, index32,
};

use super::{Document, THREAD};
use crate::call::file_range;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, KeyToken, Token, TokenKind};
use crate::scalar;
use crate::table::Cell;

/// The process of all samples.
const PROCESS: Id<'static> = Id::Number(1);

/// Reads a file.
pub(crate) fn read(data: &[u8], to: &mut dyn for<'e> Receiver<'e>) -> Result<(), JsonError> {
    let document = Document { data, to };
    let mut reader = Reader { document, nodes: Vec::new(), frames: Vec::new() };
    let mut pos = reader.document.start()?;
    let (mut head, mut samples, mut facts) = (None, None, Vec::new());
    while let Some(key) = lexer::next_key(data, &mut pos).map_err(|error| reader.document.error(error))? {
        if key.is(data, b"head") && data.get(key.value) == Some(&b'{') && head.is_none() {
            head = Some(key.value);
            reader.tree(&mut pos)?;
            continue;
        }
        let value = lexer::token(data, key.value).map_err(|error| reader.document.error(error))?;
        pos = value.end;
        if key.is(data, b"samples") && value.kind == TokenKind::Array {
            samples = Some(value);
        } else {
            facts.push((key, value));
        }
    }
    if head.is_none() {
        return Err(JsonError::new(JsonErrorKind::NotATrace, 0));
    }
    for (key, value) in facts {
        reader.document.fact(&key, value);
    }
    reader.document.end(pos);
    reader.hand_over(samples)
}

/// A node of the tree of calls.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The node of the caller, or [`ROOT`].
    caller: u32,
    /// The position of the node, and that of its function.
    at: usize,
    function: Option<usize>,
    /// The bytes that the function has allocated itself.
    size: i64,
    id: Option<i64>,
}

/// The caller of the outermost node.
const ROOT: u32 = u32::MAX;

/// What is open while the tree is walked over.
enum Open {
    Node(u32),
    /// The callees of a node.
    Callees(u32),
}

/// A file that is read.
struct Reader<'a, 't> {
    document: Document<'a, 't>,
    nodes: Vec<Node>,
    /// The call frame of each node that was handed over: its own or that of a caller.
    frames: Vec<Option<u32>>,
}

impl<'a> Reader<'a, '_> {
    /// Reads the tree that begins at `pos`, and moves `pos` behind it. Callees may lie in callees as deep as they like. [heap
    /// 3.4](crate::rules::heap#3.4)
    fn tree(&mut self, pos: &mut usize) -> Result<(), JsonError> {
        let data = self.document.data;
        let mut open = Vec::from([self.begin(ROOT, pos)]);
        while let Some(innermost) = open.last() {
            match *innermost {
                Open::Node(node) => {
                    let key = lexer::next_key(data, pos).map_err(|error| self.document.error(error))?;
                    match key {
                        None => drop(open.pop()),
                        Some(key) if key.is(data, b"children") && data.get(key.value) == Some(&b'[') => {
                            *pos = key.value + 1;
                            open.push(Open::Callees(node));
                        }
                        Some(key) => {
                            let value = lexer::token(data, key.value);
                            let value = value.map_err(|error| self.document.error(error))?;
                            *pos = value.end;
                            self.member(node, &key, value);
                        }
                    }
                }
                Open::Callees(node) => match lexer::item_start(data, *pos) {
                    Some(at) if data.get(at) == Some(&b'{') => {
                        *pos = at;
                        open.push(self.begin(node, pos));
                    }
                    _ => match self.document.next_item(pos)? {
                        Some(other) => {
                            self.document.report(DiagnosticKind::NotAnEvent, (other.start, other.end))
                        }
                        None => drop(open.pop()),
                    },
                },
            }
        }
        Ok(())
    }

    /// Begins the node whose brace is at `pos`, and moves `pos` behind that.
    fn begin(&mut self, caller: u32, pos: &mut usize) -> Open {
        let node = index32(self.nodes.len());
        self.nodes.push(Node { caller, at: *pos, function: None, size: 0, id: None });
        *pos += 1;
        Open::Node(node)
    }

    /// Reads a member of a node.
    fn member(&mut self, node: u32, key: &KeyToken, value: Token) {
        let data = self.document.data;
        let size = if key.is(data, b"selfSize") { Some(self.document.amount(Some(value))) } else { None };
        let Some(node) = self.nodes.get_mut(node as usize) else { return };
        if key.is(data, b"callFrame") {
            node.function = Some(value.start);
        } else if key.is(data, b"id") {
            node.id = scalar::number(value.bytes(data)).and_then(|id| id.as_i64());
        }
        node.size = size.unwrap_or(node.size);
    }

    fn hand_over(&mut self, samples: Option<Token>) -> Result<(), JsonError> {
        self.document.event(&Event::Clock(Clock::new(Unit::Bytes)), (0, 0));
        let space = ValueType { name: "space/bytes".into(), unit: Unit::Bytes, ticks: Ticks(1) };
        let types = ValueTypes::new(Vec::from([space]), 0);
        let thread = Thread { pid: PROCESS, tid: THREAD };
        types.begin(thread, file_range(0, (0, 0)), self.document.to);
        self.call_frames();
        let allocations = samples.map(|samples| self.allocations(samples)).transpose()?.flatten();
        let by_node = || {
            let sizes = self.nodes.iter().zip(0..).filter(|(node, _)| node.size > 0);
            sizes.map(|(node, number)| (number, node.size)).collect()
        };
        let sizes: Vec<(u32, i64)> = allocations.unwrap_or_else(by_node);
        if sizes.is_empty() {
            ValueTypes::say_nothing_was_sampled(self.document.to);
        }
        let (mut at, mut budget) = (0, Budget::default());
        for (node, size) in sizes {
            let frame = self.frames.get(node as usize).copied().flatten();
            let stack = frame.map_or(SampleStack::Unknown, |frame| SampleStack::Frame(Id::from(frame)));
            let place = self.nodes.get(node as usize).map_or(0, |node| node.at);
            let sizes = [size];
            let sample = ValueSample::new(thread, stack, &sizes, file_range(0, (place, place)));
            types.sample(&sample, &mut at, &mut budget, self.document.to);
        }
        Ok(())
    }

    /// Hands over the call frames of all nodes that the bytes of the file pay for.
    fn call_frames(&mut self) {
        let mut budget = Budget::default();
        for number in 0..index32(self.nodes.len()) {
            let Some(&node) = self.nodes.get(number as usize) else { break };
            let caller = self.frames.get(node.caller as usize).copied().flatten();
            let bytes = (node.at, node.at);
            let frame = if budget.spend(Budget::FRAME, self.document.data.len() as u64) {
                let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
                let frame = self.call_frame(&node, number, parent);
                self.document.event(&Event::Frame(frame), bytes);
                Some(number)
            } else {
                self.document.report(DiagnosticKind::StackLimit, bytes);
                caller
            };
            self.frames.push(frame);
        }
    }

    fn call_frame(&self, node: &Node, id: u32, parent: FrameParent<'static>) -> FrameEvent<'a> {
        let data = self.document.data;
        let keys: [&[u8]; 5] = [b"functionName", b"url", b"lineNumber", b"columnNumber", b"scriptId"];
        let cells = node.function.map_or([None; 5], |function| lexer::members(data, function, keys));
        let [name, url, line, column, script] =
            cells.map(|token| Cell { data, token: token.unwrap_or(Token::EMPTY) });
        let name = if name.text().is_empty() { Text::from("(anonymous)") } else { name.text() };
        let mut frame = FrameEvent::new(FrameTable::Shared, id, parent, name);
        (frame.url, frame.line, frame.column) = (url.text(), line.index(), column.index());
        let script = scalar::text_or_number(data, script.token).and_then(|text| scalar::number(text.raw()));
        frame.source = script.and_then(|script| script.as_i64()).unwrap_or(0);
        frame
    }

    /// Returns the nodes of all allocations with their sizes, in the order of the allocations, or `None` if there are none, or if
    /// they do not add up to the sizes of the nodes. [heap 3.3](crate::rules::heap#3.3)
    fn allocations(&mut self, samples: Token) -> Result<Option<Vec<(u32, i64)>>, JsonError> {
        let data = self.document.data;
        let mut ids = Interner::default();
        let are_unique = self.nodes.iter().zip(0..).all(|(node, number)| ids.add(node.id) == number);
        let mut allocations: Vec<(i64, u32, i64)> = Vec::new();
        let mut sums = vec![0_i64; self.nodes.len()];
        let mut all_fit = true;
        let mut pos = samples.start + 1;
        while let Some(sample) = self.document.next_item(&mut pos)? {
            let facts = lexer::members(data, sample.start, [b"size", b"nodeId", b"ordinal"]);
            let facts = facts.map(|fact| scalar::number(fact?.bytes(data))?.as_i64());
            let [Some(size @ 1..), id @ Some(_), Some(ordinal)] = facts else {
                self.document.report(DiagnosticKind::BadField, (sample.start, sample.end));
                all_fit = false;
                continue;
            };
            let Some(node) = ids.find(&id) else {
                // Node.js keeps samples of nodes that it leaves out of the tree.
                self.document.report(DiagnosticKind::UnknownEntry, (sample.start, sample.end));
                all_fit = false;
                continue;
            };
            if let Some(sum) = sums.get_mut(node as usize) {
                *sum = sum.saturating_add(size);
            }
            allocations.push((ordinal, node, size));
        }
        if allocations.is_empty() || !all_fit {
            return Ok(None);
        }
        let sizes = self.nodes.iter().map(|node| node.size);
        if !are_unique || !sizes.eq(sums) {
            self.document.report(DiagnosticKind::SampleCount, (samples.start, samples.end));
            return Ok(None);
        }
        allocations.sort_by_key(|&(ordinal, ..)| ordinal);
        Ok(Some(allocations.into_iter().map(|(_, node, size)| (node, size)).collect()))
    }
}

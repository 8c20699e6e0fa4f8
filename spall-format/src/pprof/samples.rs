//! Samples with their stacks, times and threads.

use alloc::{format, string::String, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    ArgsBuilder, Budget, ByteRange, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, Receiver,
    SampleStack, StackNode, StackTree, Text, Thread, ValueSample, ValueTypes,
};

use super::schema::{Label, inner};
use super::tables::Tables;
use crate::protobuf::{Damaged, Fields, Message as _, Packed, repeated};

/// The process and the thread of samples that name none.
pub(super) const PROCESS: i64 = 1;
const THREAD: i64 = 1;

/// Stands for a location that the profile does not have.
const UNKNOWN: u32 = u32::MAX;

/// The keys of labels that name the thread. [profiles 3.2](spall_model::rules::profiles#3.2)
const THREAD_KEYS: [&[u8]; 4] = [b"thread", b"tid", b"thread_id", b"goroutine"];

/// The number of locations of a sample that are compared with those of the next one.
const MAX_LAST: usize = 1024;

/// The samples of a profile, one after the other.
pub(super) struct Samples<'t, 'a> {
    pub(super) tables: &'t Tables<'a>,
    pub(super) types: &'t ValueTypes,
    tree: StackTree,
    /// The innermost functions of locations with several ones, by the caller and the location, and what pays for them.
    inlined: HashMap<(Option<u32>, u32), u32, RandomState>,
    inlined_budget: Budget,
    /// What pays for the further values of samples.
    further_values: Budget,
    /// The sum of the values before of each thread that a sample has named.
    times: HashMap<ThreadLabels<'a>, i64, RandomState>,
    /// The outermost locations of the sample before, with their nodes: samples that follow each other have many in common.
    last: Vec<(u32, u32)>,
    /// Memory that is used again and again.
    values: Vec<i64>,
    locations: Vec<u32>,
}

impl<'t, 'a> Samples<'t, 'a> {
    pub(super) fn new(tables: &'t Tables<'a>, types: &'t ValueTypes) -> Self {
        Self {
            tables,
            types,
            tree: StackTree::default(),
            inlined: HashMap::default(),
            last: Vec::new(),
            inlined_budget: Budget::default(),
            further_values: Budget::default(),
            times: HashMap::default(),
            values: Vec::new(),
            locations: Vec::new(),
        }
    }

    /// Hands over a sample: a sample for each of its values that is not 0.
    pub(super) fn add(&mut self, sample: &'a [u8], bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) {
        if let Err(fault) = self.try_add(sample, bytes, to) {
            to.receive(&Event::Diagnostic(fault), bytes);
        }
    }

    fn try_add(
        &mut self,
        sample: &'a [u8],
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<(), DiagnosticKind> {
        let is_damaged = self.read_numbers(sample).is_err();
        let types = self.types;
        if is_damaged || self.values.len() != types.all().len() {
            return Err(DiagnosticKind::DamagedRecord);
        }
        if self.values.iter().any(|&value| value < 0) {
            to.receive(&Event::Diagnostic(DiagnosticKind::NegativeWeight), bytes);
        }
        if self.values.iter().all(|&value| value <= 0) {
            return Ok(());
        }
        let stack = self.stack(bytes, to)?;

        let mut args = ArgsBuilder::new();
        let labels = self.labels(sample, &mut args);
        let thread = labels.thread();
        let at = self.times.entry(labels).or_insert_with(|| {
            types.begin(thread, bytes, to);
            if labels.number.is_some() && !labels.name.is_empty() {
                to.receive(&Event::ThreadName(thread, Text::plain(labels.name)), bytes);
            }
            0
        });
        let mut sample = ValueSample::new(thread, stack, &self.values, bytes);
        sample.args = args.args();
        types.sample(&sample, at, &mut self.further_values, to);
        Ok(())
    }

    /// Reads the values and the locations of a sample.
    fn read_numbers(&mut self, sample: &[u8]) -> Result<(), Damaged> {
        self.values.clear();
        self.locations.clear();
        for field in Fields::new(sample) {
            match field? {
                (inner::VALUE, values) => {
                    self.values.extend(values.numbers(Packed::Varint).map(u64::cast_signed));
                }
                (inner::LOCATION_ID, ids) => {
                    let ids = ids.numbers(Packed::Varint);
                    self.locations.extend(ids.map(|id| self.tables.location(id).unwrap_or(UNKNOWN)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the labels of a sample to its arguments, but for those that name its thread.
    fn labels(&self, sample: &'a [u8], args: &mut ArgsBuilder<'_>) -> ThreadLabels<'a> {
        let mut thread = ThreadLabels { process: PROCESS, number: None, name: b"" };
        for label in repeated(sample, inner::LABEL).map(Label::of) {
            let key = self.tables.string(label.key);
            let text = self.tables.string(label.str);
            if THREAD_KEYS.contains(&key) {
                let number = core::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                match number.or((label.str == 0).then_some(label.num)) {
                    Some(number) => thread.number = Some(number),
                    None => thread.name = text,
                }
            } else if key == b"pid" && label.str == 0 {
                thread.process = label.num;
            } else if label.str == 0 {
                args.add(Text::plain(key), label.num);
                let unit = self.tables.string(label.num_unit);
                if !unit.is_empty() && unit != key {
                    args.add(Text::plain(&[key, b"_unit"].concat()), Text::plain(unit));
                }
            } else {
                args.add(Text::plain(key), Text::plain(text));
            }
        }
        thread
    }

    /// Finds the innermost call frame of the sample that was read, and hands over those that are new.
    fn stack(
        &mut self,
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<SampleStack<'static>, DiagnosticKind> {
        if self.locations.contains(&UNKNOWN) {
            return Err(DiagnosticKind::UnknownEntry);
        }
        let mut innermost = None;
        let locations = core::mem::take(&mut self.locations);
        let mut is_whole = true;
        for (&location, depth) in locations.iter().rev().zip(0..) {
            if let Some(&(_, node)) = self.last.get(depth).filter(|&&(before, _)| before == location) {
                innermost = Some(node);
                continue;
            }
            self.last.truncate(depth);
            is_whole = self.location(&mut innermost, location, bytes, to);
            let Some(node) = innermost.filter(|_| is_whole) else { break };
            if depth == self.last.len() && depth < MAX_LAST {
                self.last.push((location, node));
            }
        }
        self.last.truncate(locations.len());
        self.locations = locations;
        if !is_whole {
            to.receive(&Event::Diagnostic(DiagnosticKind::StackLimit), bytes);
        }
        Ok(innermost.map_or(SampleStack::Unknown, |node| SampleStack::Frame(Id::from(node))))
    }

    /// Finds the node of the innermost function of a location below a caller, and puts it in its place. Returns whether all
    /// functions are there: where the budget is spent, only the outermost ones are.
    fn location(
        &mut self,
        innermost: &mut Option<u32>,
        location: u32,
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> bool {
        let tables = self.tables;
        let functions = match tables.functions_at(location) {
            [] => return self.call(innermost, location, None, bytes, to),
            [function] => return self.call(innermost, location, Some(*function), bytes, to),
            several => several,
        };
        let call = (*innermost, location);
        if let Some(&known) = self.inlined.get(&call) {
            *innermost = Some(known);
            return true;
        }
        let is_whole =
            functions.iter().all(|&function| self.call(innermost, location, Some(function), bytes, to));
        // Such an entry takes less memory than a call frame, and its functions may be known.
        let is_whole = is_whole && self.inlined_budget.spend(Budget::FRAME, bytes.end);
        if let Some(node) = innermost.filter(|_| is_whole) {
            self.inlined.insert(call, node);
        }
        is_whole
    }

    /// Finds the node of a function at a location below a caller, and puts it in its place. A location without a function is one
    /// itself. Returns whether the node is paid for.
    fn call(
        &mut self,
        innermost: &mut Option<u32>,
        location: u32,
        function: Option<u32>,
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> bool {
        // Even numbers are locations, odd ones functions.
        let number =
            function.map_or(location.saturating_mul(2) & !1, |function| function.saturating_mul(2) | 1);
        let node = self.tree.child(*innermost, number, bytes.end);
        if let StackNode::New(node) = node {
            let parent = innermost.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
            let (address, library) = self.tables.address(location).unwrap_or_default();
            let address = if function.is_none() { format!("{address:#x}") } else { String::new() };
            let mut frame = FrameEvent::new(FrameTable::Shared, node, parent, Text::from(&*address));
            frame.url = Text::plain(library);
            if let Some(function) = function.and_then(|function| self.tables.function(function)) {
                frame.name = Text::plain(function.name);
                frame.url = if function.file.is_empty() { frame.url } else { Text::plain(function.file) };
                frame.line = u32::try_from(function.line).ok().and_then(|line| line.checked_sub(1));
            }
            to.receive(&Event::Frame(frame), bytes);
        }
        *innermost = node.number().or(*innermost);
        node != StackNode::Unpaid
    }
}

/// What the labels of a sample say about its thread: a number, or a name, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ThreadLabels<'a> {
    process: i64,
    number: Option<i64>,
    name: &'a [u8],
}

impl<'a> ThreadLabels<'a> {
    fn thread(self) -> Thread<'a> {
        match self.number {
            None if !self.name.is_empty() => Thread::new(self.process, Id::Text(self.name)),
            number => Thread::new(self.process, number.unwrap_or(THREAD)),
        }
    }
}

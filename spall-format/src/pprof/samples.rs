//! Samples with their stacks, times and threads.

use alloc::{format, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    ArgsBuilder, ByteRange, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, ProfileEvent,
    ProfileId, Receiver, SampleEvent, SampleStack, Text, Thread, Tick,
};

use super::schema::{Label, inner};
use super::tables::Tables;
use super::value_type::ValueTypes;
use crate::protobuf::{Fields, Message as _, Packed, repeated, scalars};
use crate::stack_tree::{Node, StackTree};

/// The process and the thread of samples that name none.
pub(super) const PROCESS: i64 = 1;
const THREAD: i64 = 1;

/// A value takes a byte in a file, and a hundred in a trace. So there are at most one sample for so many bytes of the file
/// beside so many ones, which bounds the memory of any file. A sample with a stack takes more than this for each value.
const BYTES_PER_SAMPLE: u64 = 7;
const FREE_SAMPLES: u64 = 8192;

/// The keys of labels that name the thread. [profiles 3.2](spall_model::rules::profiles#3.2)
const THREAD_KEYS: [&[u8]; 4] = [b"thread", b"tid", b"thread_id", b"goroutine"];

/// The samples of a profile, one after the other.
pub(super) struct Samples<'t, 'a> {
    pub(super) tables: &'t Tables<'a>,
    pub(super) types: &'t ValueTypes,
    tree: StackTree,
    /// The sum of the values before of each thread that a sample has named.
    times: HashMap<ThreadLabels<'a>, i64, RandomState>,
    n_samples: u64,
    /// Memory that is used again and again.
    values: Vec<i64>,
    locations: Vec<u64>,
}

impl<'t, 'a> Samples<'t, 'a> {
    pub(super) fn new(tables: &'t Tables<'a>, types: &'t ValueTypes) -> Self {
        let (times, values, locations) = (HashMap::default(), Vec::new(), Vec::new());
        Self { tables, types, tree: StackTree::default(), times, n_samples: 0, values, locations }
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
        self.values.clear();
        self.values.extend(scalars(sample, inner::VALUE, Packed::Varint).map(u64::cast_signed));
        let types = self.types;
        let default = self.values.get(types.default).copied().zip(types.all.get(types.default));
        let is_damaged = Fields::new(sample).any(|field| field.is_err());
        let (value, default) = default
            .filter(|_| !is_damaged && self.values.len() == types.all.len())
            .ok_or(DiagnosticKind::DamagedRecord)?;
        if self.values.iter().any(|&value| value < 0) {
            to.receive(&Event::Diagnostic(DiagnosticKind::NegativeWeight), bytes);
            self.values.iter_mut().for_each(|value| *value = (*value).max(0));
        }
        if self.values.iter().all(|&value| value == 0) {
            return Ok(());
        }
        let stack = self.stack(sample, bytes, to)?;

        let mut args = ArgsBuilder::new();
        let labels = self.labels(sample, &mut args);
        let thread = labels.thread();
        if !self.times.contains_key(&labels) {
            for (of, number) in types.all.iter().zip(0..) {
                let is_default = number == types.default;
                let profile = ProfileId::OfThread(thread, Text::plain(of.name.as_bytes()));
                let facts = ProfileEvent::new(profile).with_weights(of.weights(is_default));
                let facts = if is_default { facts.with_rank(3) } else { facts };
                to.receive(&Event::Profile(facts), bytes);
            }
            if labels.number.is_some() && !labels.name.is_empty() {
                to.receive(&Event::ThreadName(thread, Text::plain(labels.name)), bytes);
            }
        }
        let at = self.times.entry(labels).or_default();
        let mut is_full = false;
        for (&value, of) in self.values.iter().zip(&types.all).filter(|&(&value, _)| value != 0) {
            if self.n_samples >= FREE_SAMPLES + bytes.end / BYTES_PER_SAMPLE {
                is_full = true;
                break;
            }
            self.n_samples += 1;
            let profile = ProfileId::OfThread(thread, Text::plain(of.name.as_bytes()));
            let mut sample = SampleEvent::new(profile, Tick(*at), stack);
            #[expect(clippy::cast_precision_loss, reason = "a weight is a float")]
            {
                sample.weight = value as f64;
            }
            sample.in_list = true;
            sample.args = args.args();
            to.receive(&Event::Sample(sample), bytes);
        }
        let end = value.max(0).checked_mul(default.ticks.0).and_then(|time| at.checked_add(time));
        if end.is_none() {
            to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), bytes);
        }
        *at = end.unwrap_or(i64::MAX);
        if is_full { Err(DiagnosticKind::SampleCount) } else { Ok(()) }
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

    /// Finds the innermost call frame of a sample, and hands over those that are new.
    fn stack(
        &mut self,
        sample: &[u8],
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<SampleStack<'static>, DiagnosticKind> {
        self.locations.clear();
        self.locations.extend(scalars(sample, inner::LOCATION_ID, Packed::Varint));
        let mut innermost = None;
        for at in (0..self.locations.len()).rev() {
            let id = self.locations.get(at).copied().unwrap_or_default();
            let location = self.tables.location(id).ok_or(DiagnosticKind::UnknownEntry)?;
            let node = self.location(innermost, location, bytes, to).ok_or(DiagnosticKind::StackLimit)?;
            innermost = Some(node);
        }
        Ok(innermost.map_or(SampleStack::Unknown, |node| SampleStack::Frame(Id::from(node))))
    }

    /// Finds the node of the innermost function of a location below a caller. Returns `None` if there are too many nodes.
    fn location(
        &mut self,
        caller: Option<u32>,
        location: u32,
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Option<u32> {
        let tables = self.tables;
        // Even numbers are locations, odd ones functions.
        let (whole, read) = (location.checked_mul(2)?, bytes.end);
        if let Some(node) = self.tree.get(caller, whole) {
            return Some(node);
        }
        let mut say = |node, caller: Option<u32>, name, file, line| {
            let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
            let mut frame = FrameEvent::new(FrameTable::Shared, node, parent, name);
            (frame.url, frame.line) = (Text::plain(file), line);
            to.receive(&Event::Frame(frame), bytes);
        };
        let functions = tables.functions_at(location);
        if functions.is_empty() {
            let Node::New(node) = self.tree.child(caller, whole, read) else { return None };
            let (address, library) = tables.address(location)?;
            say(node, caller, Text::from(&*format!("{address:#x}")), library, None);
            return Some(node);
        }
        let mut innermost = caller;
        for &at in functions {
            let node = match self.tree.child(innermost, at.checked_mul(2)? + 1, read) {
                Node::Known(node) => node,
                Node::New(node) => {
                    let function = tables.function(at)?;
                    let line = u32::try_from(function.line).ok().and_then(|line| line.checked_sub(1));
                    let library = tables.address(location).map(|(_, library)| library);
                    let file = Some(function.file).filter(|file| !file.is_empty()).or(library);
                    say(node, innermost, Text::plain(function.name), file.unwrap_or_default(), line);
                    node
                }
                Node::None => return None,
            };
            innermost = Some(node);
        }
        let node = innermost?;
        self.tree.insert(caller, whole, node, read).then_some(node)
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

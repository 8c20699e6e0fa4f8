//! The markers of a thread. [profiles 2.3](crate::rules::profiles#2.3)

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use spall_model::{
    Args, ArgsBuilder, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, Receiver, Scope, Text,
    Thread, ThreadEvent, Tick, TrackEvent, Value,
};

use crate::args::json_args;
use crate::outline::Part;
use crate::table::{Cell, NONE, Rows};

use super::stacks::Stacks;
use super::thread::Times;
use super::{Reader, text};

/// A field of a marker whose value is the number of a text.
struct Field<'a> {
    key: Text<'a>,
    /// What the text says of a flow that it is the id of; `None` if it is no such id.
    flow: Option<FlowPhase>,
}

/// The types of markers whose data have numbers of texts instead of texts, and the fields of those.
#[derive(Default)]
pub(super) struct Schemas<'a>(BTreeMap<&'a [u8], Vec<Field<'a>>>);

impl<'a> Schemas<'a> {
    pub(super) fn new(list: impl Iterator<Item = Args<'a>>) -> Self {
        let fields = |schema: Args<'a>| match schema.get(b"fields").or_else(|| schema.get(b"data")) {
            Some(Value::List(fields)) => fields,
            _ => Args::NONE,
        };
        let field = |(_, field): (_, Value<'a>)| {
            let Value::Map(field) = field else { return None };
            let flow = match &*text(field, b"format").unescape() {
                b"unique-string" => None,
                b"flow-id" => Some(FlowPhase::Pass),
                b"terminating-flow-id" => Some(FlowPhase::Stop),
                _ => return None,
            };
            Some(Field { key: text(field, b"key"), flow })
        };
        let mut schemas = Self::default();
        for schema in list {
            let fields: Vec<_> = fields(schema).iter().filter_map(field).collect();
            if !fields.is_empty() {
                schemas.0.insert(text(schema, b"name").raw(), fields);
            }
        }
        schemas
    }

    /// Returns the fields of a marker with these data that are numbers of texts.
    fn fields(&self, args: Args<'a>) -> &[Field<'a>] {
        let fields = || self.0.get(type_of(args).raw());
        if self.0.is_empty() { &[] } else { fields().map_or(&[], Vec::as_slice) }
    }

    /// Returns what a marker says of flows, with the id of each.
    fn flows(&self, data: &'a [u8], stacks: &Stacks<'a>) -> Vec<(FlowPhase, Text<'a>)> {
        if data.first() != Some(&b'{') {
            return Vec::new();
        }
        let args = json_args(data);
        let of_field = |field: &Field<'a>| {
            let id = match args.get(field.key.raw())? {
                Value::I64(number) => stacks.string(u32::try_from(number).ok()?)?,
                Value::Text(id) => id,
                _ => return None,
            };
            Some((field.flow?, id))
        };
        self.fields(args).iter().filter(|field| field.flow.is_some()).filter_map(of_field).collect()
    }

    /// Hands `then` the arguments of a marker, with the texts that they mean.
    fn with_args<T>(&self, data: &'a [u8], stacks: &Stacks<'a>, then: impl FnOnce(Args<'_>) -> T) -> T {
        if data.first() != Some(&b'{') {
            return then(Args::NONE);
        }
        let args = json_args(data);
        let fields = self.fields(args);
        if fields.is_empty() {
            return then(args);
        }
        let mut builder = ArgsBuilder::new();
        for (key, value) in args.iter() {
            let named = match value {
                Value::I64(number) if fields.iter().any(|field| field.key == key) => {
                    u32::try_from(number).ok().and_then(|number| stacks.string(number))
                }
                _ => None,
            };
            builder.add(key, named.map_or(value, Value::Text));
        }
        then(builder.args())
    }
}

/// Returns the type of a marker with these data. It is the first member in what Firefox writes, and the others are not looked
/// at.
fn type_of(data: Args<'_>) -> Text<'_> {
    match data.iter().find(|(key, _)| key.is(b"type")) {
        Some((_, Value::Text(kind))) => kind,
        _ => Text::EMPTY,
    }
}

/// A marker, which may wait for its end. It may be six bytes of a file, so it is small.
struct Open<'a> {
    at: Tick,
    /// The data as they are in the file, which is nothing or `null` if there are none.
    data: &'a [u8],
    start: usize,
    len: u32,
    category: u32,
}

const _: () = assert!(size_of::<Open<'_>>() <= 40);

impl Open<'_> {
    fn bytes(&self) -> (usize, usize) {
        (self.start, self.start + self.len as usize)
    }
}

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    /// Reads the markers of a thread, which are on a track below it.
    pub(super) fn markers(&mut self, table: Part<'_, 'a>, thread: Thread<'_>, stacks: &Stacks<'a>) {
        let id = format!("markers {}", self.n_threads);
        let track = Thread { pid: thread.pid, tid: Id::Text(id.as_bytes()) };
        let event = TrackEvent { parent: thread, ..TrackEvent::new(track, Text::from("Markers")) };
        let mut is_said = false;
        // The begins of each name. The end belongs to the last of them.
        let mut open: BTreeMap<u32, Vec<Open<'a>>> = BTreeMap::new();
        let columns = ["name", "startTime", "endTime", "phase", "category", "data"];
        let mut rows = Rows::new(table, columns);
        while let Some(&[name, start, end, phase, category, data]) = rows.read() {
            let bytes = name.bytes();
            if !core::mem::replace(&mut is_said, true) {
                self.out.event(&Event::Track(event), bytes);
            }
            let mut times = Times::new(self.shift, self.thousands);
            let nothing = Cell { data: name.data, token: crate::lexer::Token::EMPTY };
            let Some(number) = name.index() else {
                self.out.report(DiagnosticKind::UnknownEntry, bytes);
                continue;
            };
            let is_end = phase.index() == Some(3);
            let first = if is_end { end } else { start };
            let Some(at) = times.next(first, nothing, &mut self.out, bytes) else { continue };
            let len = u32::try_from(bytes.1 - bytes.0).unwrap_or(0);
            let category = category.index().unwrap_or(NONE);
            let data = data.token.bytes(data.data);
            let marker = Open { at, data, start: bytes.0, len, category };
            match phase.index() {
                Some(0) => self.marker(track, number, &marker, None, stacks),
                Some(1) => {
                    let Some(end) = times.next(end, nothing, &mut self.out, bytes) else { continue };
                    self.marker(track, number, &marker, Some(end), stacks);
                }
                Some(2) => open.entry(number).or_default().push(marker),
                Some(3) => match open.get_mut(&number).and_then(Vec::pop) {
                    Some(mut begin) => {
                        if begin.data.first() != Some(&b'{') {
                            begin.data = data;
                        }
                        self.marker(track, number, &begin, Some(at), stacks);
                    }
                    None => self.out.report(DiagnosticKind::UnmatchedEnd, bytes),
                },
                _ => self.out.report(DiagnosticKind::UnknownEvent, bytes),
            }
        }
        for (name, open) in open {
            for marker in open {
                let event = self.marker_event(track, name, &marker, stacks);
                self.schemas.with_args(marker.data, stacks, |args| {
                    self.out.event(&Event::Unfinished(ThreadEvent { args, ..event }), marker.bytes());
                });
                let flows = self.schemas.flows(marker.data, stacks);
                self.marker_flows(&event, &flows, marker.bytes());
            }
        }
    }

    /// Hands over a marker: a slice if it has an end or a flow, else an instant.
    fn marker(
        &mut self,
        track: Thread<'_>,
        name: u32,
        marker: &Open<'a>,
        end: Option<Tick>,
        stacks: &Stacks<'a>,
    ) {
        let event = self.marker_event(track, name, marker, stacks);
        let flows = self.schemas.flows(marker.data, stacks);
        // Flows are between slices.
        let end = end.or_else(|| (!flows.is_empty()).then_some(event.at));
        self.schemas.with_args(marker.data, stacks, |args| {
            let event = ThreadEvent { args, ..event };
            let event = match end {
                Some(end) => Event::Complete(event, end - event.at),
                None => Event::Instant(event, Scope::Thread),
            };
            self.out.event(&event, marker.bytes());
        });
        self.marker_flows(&event, &flows, marker.bytes());
    }

    /// Hands over the flows of the marker before.
    fn marker_flows(
        &mut self,
        event: &ThreadEvent<'_>,
        flows: &[(FlowPhase, Text<'a>)],
        bytes: (usize, usize),
    ) {
        for &(phase, id) in flows {
            let id = Id::Text(id.raw());
            let flow = FlowEvent::new(phase, FlowBind::Slice, event.thread, event.at, id, Text::EMPTY);
            self.out.event(&Event::Flow(flow), bytes);
        }
    }

    fn marker_event<'e>(
        &mut self,
        track: Thread<'e>,
        name: u32,
        marker: &Open<'a>,
        stacks: &Stacks<'a>,
    ) -> ThreadEvent<'e>
    where
        'a: 'e,
    {
        let name = stacks.string(name);
        if name.is_none() {
            self.out.report(DiagnosticKind::UnknownEntry, marker.bytes());
        }
        let mut event = ThreadEvent::new(track, marker.at, name.unwrap_or(Text::EMPTY));
        let category = self.categories.get(marker.category as usize);
        event.category = category.copied().unwrap_or(Text::EMPTY);
        event
    }
}

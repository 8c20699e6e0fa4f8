//! Samples that say themselves which thread was sampled, and the frames that they share. \[json 1\]

use spall_model::{
    Args, DiagnosticKind, Event, FrameEvent, FrameParent, SampleStack, Text, ThreadSampleEvent, Value,
};

use crate::cpu_profile::{id_at, named};
use crate::fields::Field;
use crate::id;
use crate::lexer::{self, Key, Kind, Token};
use crate::record::Record;
use crate::value::{self, JSON_SAMPLE};

/// What a key of the document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Frames by their ids.
    Frames,
    Samples,
    /// One of these or something else: the data ends too early.
    Unclear,
}

/// Whether a key of the document holds frames or samples: at least one, to tell them from what others write there.
pub(crate) fn table(data: &[u8], key: &Key) -> Option<Table> {
    let bracket = *data.get(key.value)?;
    let inside = key.value + 1;
    let (table, first) = match bracket {
        b'[' if key.is(data, b"samples") => (Table::Samples, lexer::skip_blanks(data, inside)),
        b'{' if key.is(data, b"stackFrames") => {
            let mut pos = inside;
            let first = match lexer::next_key(data, &mut pos) {
                Ok(first) => first?,
                Err(lexer::Stop::Incomplete) => return Some(Table::Unclear),
                Err(lexer::Stop::Damaged(_)) => return None,
            };
            (Table::Frames, lexer::skip_blanks(data, first.value))
        }
        _ => return None,
    };
    match first {
        Some((_, b'{')) => Some(table),
        Some(_) => None,
        None => Some(Table::Unclear),
    }
}

/// The frame of a member of `stackFrames`; `None` if it is no object.
pub(crate) fn stack_frame<'a>(data: &'a [u8], key: &Key, value: Token) -> Option<FrameEvent<'a>> {
    if value.kind != Kind::Object {
        return None;
    }
    let (mut name, mut category, mut parent) = (Text::EMPTY, Text::EMPTY, None);
    let mut pos = value.start + 1;
    while let Ok(Some(member)) = lexer::next_member(data, &mut pos) {
        if member.key.is(data, b"name") {
            name = value::text(data, member.value);
        } else if member.key.is(data, b"category") {
            category = value::text(data, member.value);
        } else if member.key.is(data, b"parent") {
            parent = id_at(data, member.value);
        }
    }
    let kind = if key.escaped { Kind::EscapedString } else { Kind::String };
    let id = id::of_key(kind, data.get(key.inside.0 - 1..key.inside.1 + 1)?)?;
    Some(FrameEvent {
        id,
        parent: parent.map_or(FrameParent::Unknown, FrameParent::Id),
        name: named(name),
        url: category,
        script: 0,
        line: None,
        column: None,
    })
}

/// Where the fields stand that only samples have.
#[derive(Debug, Clone, Copy, Default)]
struct SampleFields {
    frame: Option<Token>,
    stack: Option<Token>,
    weight: Option<Token>,
}

impl<'a> Record<'a, '_> {
    /// Whether a `P` event is a part of a V8 profile, or would be if it had any content.
    pub(crate) fn is_of_profile(&mut self) -> bool {
        let name = self.text(Field::Name);
        name.is(b"Profile") || name.is(b"ProfileChunk")
    }

    /// A `P` event, or an element of the document's `samples`.
    pub(crate) fn sample(&mut self, in_list: bool) -> Option<Event<'a>> {
        if in_list && self.fields.is_empty() {
            return None;
        }
        let (at, _) = self.start()?;
        let fields = self.sample_fields();
        let thread = self.thread(true);
        let any_process =
            in_list && self.value_of(Field::Pid).is_none() && self.value_of(Field::Tid).is_some();
        let stack = self.sample_stack(fields);
        let name = self.text(Field::Name);
        let weight = self.weight(fields.weight);
        let bytes = self.data.get(self.object.0..self.object.1).unwrap_or_default();
        let args = Args::new(bytes, &JSON_SAMPLE);
        let has_more = args.fields().next().is_some() || args.iter().next().is_some();
        let args = if has_more { args } else { Args::NONE };
        let mut sample = ThreadSampleEvent::new(thread, at, name, stack);
        sample.any_process = any_process;
        sample.in_list = in_list;
        sample.weight = weight;
        sample.args = args;
        Some(Event::ThreadSample(sample))
    }

    fn sample_fields(&self) -> SampleFields {
        let mut fields = SampleFields::default();
        let mut pos = self.object.0 + 1;
        while let Ok(Some(member)) = lexer::next_member(self.data, &mut pos) {
            let value = Some(member.value).filter(|&value| self.bytes(value) != b"null");
            if member.key.is(self.data, b"sf") {
                fields.frame = value;
            } else if member.key.is(self.data, b"stack") {
                fields.stack = value;
            } else if member.key.is(self.data, b"weight") {
                fields.weight = value;
            }
        }
        fields
    }

    fn sample_stack(&mut self, fields: SampleFields) -> SampleStack<'a> {
        if let Some(token) = fields.frame {
            if let Some(frame) = id_at(self.data, token) {
                return SampleStack::Frame(frame);
            }
            self.note_at(DiagnosticKind::BadField, token);
        } else if let Some(token) = fields.stack {
            if token.kind == Kind::Array {
                return SampleStack::Names;
            }
            self.note_at(DiagnosticKind::BadField, token);
        }
        SampleStack::Unknown
    }

    /// How much a sample counts: 1 unless it says otherwise.
    fn weight(&mut self, token: Option<Token>) -> f64 {
        let Some(token) = token else { return 1.0 };
        let text = match token.kind {
            Kind::String => value::inside(self.bytes(token)).trim_ascii(),
            _ => self.bytes(token),
        };
        #[allow(clippy::cast_precision_loss, reason = "a weight is a float, as in every reader")]
        let weight = match value::number(text) {
            Some(Value::I64(weight)) => weight as f64,
            Some(Value::U64(weight)) => weight as f64,
            Some(Value::F64(weight)) => weight,
            _ => f64::NAN,
        };
        if weight.is_finite() {
            return weight;
        }
        self.note_at(DiagnosticKind::BadField, token);
        1.0
    }
}

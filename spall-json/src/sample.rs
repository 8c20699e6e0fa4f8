//! The reader of samples that name their thread, and of the frames that they share. [json
//! 1](crate::rules::json#1)

use spall_model::{
    Args, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, ProfileId, SampleEvent, SampleStack,
    Text,
};

use crate::args::JSON_SAMPLE;
use crate::decoder::Decoder;
use crate::fields::Field;
use crate::id;
use crate::lexer::{self, KeyToken, Token, TokenError, TokenKind};
use crate::scalar;

/// A key of the document that holds a part of a sampling profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleTable {
    /// The object `stackFrames`, which has frames by their ids.
    Frames,
    /// The list `samples`.
    Samples,
}

/// Returns which table the key begins, and `None` if it is another key. A table has at least one entry; without one,
/// the key may be something else of that name. Returns an error if the data ends before the first entry.
pub(crate) fn table(data: &[u8], key: &KeyToken) -> Result<Option<SampleTable>, TokenError> {
    let inside = key.value + 1;
    let (table, first) = match data.get(key.value) {
        Some(b'[') if key.is(data, b"samples") => (SampleTable::Samples, inside),
        Some(b'{') if key.is(data, b"stackFrames") => {
            let mut pos = inside;
            match lexer::next_key(data, &mut pos) {
                Ok(Some(first)) => (SampleTable::Frames, first.value),
                Err(TokenError::Incomplete) => return Err(TokenError::Incomplete),
                Ok(None) | Err(TokenError::Damaged(_)) => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    match lexer::skip_blanks(data, first) {
        Some((_, b'{')) => Ok(Some(table)),
        Some(_) => Ok(None),
        None => Err(TokenError::Incomplete),
    }
}

/// Returns the frame of a member of `stackFrames`, or `None` if its value is no object.
pub(crate) fn stack_frame<'a>(data: &'a [u8], key: &KeyToken, value: Token) -> Option<FrameEvent<'a>> {
    if value.kind != TokenKind::Object {
        return None;
    }
    let [name, category, parent] = lexer::members(data, value.start, [b"name", b"category", b"parent"]);
    let text = |token: Option<Token>| token.map_or(Text::EMPTY, |token| scalar::text(data, token));
    let parent = parent.and_then(|parent| id::key(data, parent));
    let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
    let id = id::key(data, key.token())?;
    let mut frame = FrameEvent::new(FrameTable::Shared, id, parent, function_name(text(name)));
    // The model has no category of frames. The URL takes its place, because both tell functions of one name apart.
    frame.url = text(category);
    Some(frame)
}

/// Returns the name of a function, or `(anonymous)` if the name in the file is empty.
pub(crate) fn function_name(name: Text<'_>) -> Text<'_> {
    if name.is_empty() { Text::plain(b"(anonymous)") } else { name }
}

impl<'a> Decoder<'a, '_, '_> {
    /// Returns whether a `P` event belongs to a V8 profile by its name, even if it has no content.
    pub(crate) fn is_of_cpu_profile(&mut self) -> bool {
        let name = self.text(Field::Name);
        name.is(b"Profile") || name.is(b"ProfileChunk")
    }

    /// Returns the sample of a `P` event, or of an element of the document's `samples` if `in_list`.
    pub(crate) fn sample(&mut self, in_list: bool) -> Option<Event<'a>> {
        if in_list && self.record.fields.is_empty() {
            return None;
        }
        let (at, _) = self.time()?;
        let data = self.record.data;
        // They are looked for here, so that other events are not searched for keys that they never have.
        let [frame, stack, weight] = lexer::members(data, self.record.object.0, [b"sf", b"stack", b"weight"])
            .map(|value| value.filter(|value| !value.is_null(data)));
        let thread = self.thread(true);
        // Only the whole trace can tell which process has the thread, so the search is left to the builder. \[json
        // 3.2\]
        let any_process = in_list && self.token(Field::Pid).is_none() && self.token(Field::Tid).is_some();
        let stack = self.sample_stack(frame, stack);
        let name = self.text(Field::Name);
        let weight = self.weight(weight);
        // The arguments borrow the whole event, from which `stack` and further fields are decoded when they are needed.
        let args = Args::new(self.record.bytes(), &JSON_SAMPLE);
        let has_more = args.fields().next().is_some() || args.iter().next().is_some();
        let args = if has_more { args } else { Args::NONE };
        let mut sample = SampleEvent::new(ProfileId::OfThread(thread, name), at, stack);
        sample.any_process = any_process;
        sample.in_list = in_list;
        sample.weight = weight;
        sample.args = args;
        Some(Event::Sample(sample))
    }

    /// Returns the stack of a sample, which is a shared frame or a list of names among its fields.
    fn sample_stack(&mut self, frame: Option<Token>, names: Option<Token>) -> SampleStack<'a> {
        if let Some(token) = frame {
            if let Some(frame) = id::key(self.record.data, token) {
                return SampleStack::Frame(frame);
            }
            self.report_at(DiagnosticKind::BadField, token);
        } else if let Some(token) = names {
            if token.kind == TokenKind::Array {
                return SampleStack::Names;
            }
            self.report_at(DiagnosticKind::BadField, token);
        }
        SampleStack::Unknown
    }

    /// Returns the weight of a sample, which is 1 if the file does not give a finite number.
    fn weight(&mut self, token: Option<Token>) -> f64 {
        let Some(token) = token else { return 1.0 };
        let data = self.record.data;
        let text = match token.kind {
            TokenKind::String => token.inside(data).trim_ascii(),
            _ => token.bytes(data),
        };
        if let Some(weight) = scalar::float(text) {
            return weight;
        }
        self.report_at(DiagnosticKind::BadField, token);
        1.0
    }
}

//! What the fields of one event mean. \[json 1\]

use spall_model::{
    Args, AsyncPhase, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent,
    MetaEvent, ObjectPhase, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Value,
};

use crate::cpu_profile::{Cursor, Envelope, Holder};
use crate::decimal::{Nanos, Rounded};
use crate::fields::{Field, FieldSet, Fields, KEYED_EVENT, THREAD_EVENT};
use crate::id;
use crate::lexer::{self, Kind, Token};
use crate::value::{self, JSON_ARGS, JSON_EVENT, JSON_KEYED_EVENT};

/// The things wrong with one event, of which the caller wants one at a time.
///
/// An event is read again for each, so that nothing has to be stored.
#[derive(Debug)]
pub(crate) struct Notes {
    wanted: usize,
    pub(crate) count: usize,
    pub(crate) found: Option<(DiagnosticKind, (usize, usize))>,
}

impl Notes {
    pub(crate) fn new(wanted: usize) -> Self {
        Self { wanted, count: 0, found: None }
    }

    #[cold]
    fn add(&mut self, kind: DiagnosticKind, bytes: (usize, usize)) {
        if self.count == self.wanted {
            self.found = Some((kind, bytes));
        }
        self.count += 1;
    }
}

/// One event of the file: its fields, and the data in which they stand.
#[derive(Debug)]
pub(crate) struct Record<'a, 'f> {
    pub(crate) data: &'a [u8],
    pub(crate) fields: &'f Fields,
    /// The whole object.
    pub(crate) object: (usize, usize),
    pub(crate) notes: Notes,
}

impl<'a> Record<'a, '_> {
    /// The event, or `None` if it says nothing or has to be left out; the notes tell.
    pub(crate) fn event(&mut self) -> Option<Event<'a>> {
        match self.phase() {
            Some(b'B') => self.begin_or_end().map(Event::Begin),
            Some(b'E') => self.begin_or_end().map(Event::End),
            Some(b'X') => self.complete().map(|(event, length)| match length {
                Some(length) => Event::Complete(event, length),
                None => Event::Unfinished(event),
            }),
            phase => self.other_event(phase),
        }
    }

    /// The first byte of `ph`. \[json 1\]
    #[inline(always)]
    pub(crate) fn phase(&self) -> Option<u8> {
        self.first_byte(Field::Ph)
    }

    #[inline(always)]
    pub(crate) fn begin_or_end(&mut self) -> Option<ThreadEvent<'a>> {
        let (at, _) = self.start()?;
        Some(self.thread_event(at, true))
    }

    /// A complete event and its length, if it has one.
    #[inline(always)]
    pub(crate) fn complete(&mut self) -> Option<(ThreadEvent<'a>, Option<Ticks>)> {
        let (at, start) = self.start()?;
        let length = self.slice_duration().map(|duration| self.length(at, start, duration));
        Some((self.thread_event(at, true), length))
    }

    #[inline(never)]
    pub(crate) fn other_event(&mut self, phase: Option<u8>) -> Option<Event<'a>> {
        let Some(phase) = phase else {
            if !self.fields.is_empty() {
                self.note(DiagnosticKind::MissingPhase);
            }
            return None;
        };
        Some(match phase {
            b'i' | b'I' | b'R' => {
                let (at, _) = self.start()?;
                let scope = self.scope();
                Event::Instant(self.thread_event(at, scope == Scope::Thread), scope)
            }
            b'C' => return self.counter(),
            b'M' | b'm' => return self.metadata(),
            b'b' => Event::Async(AsyncPhase::Begin, self.keyed_event(false)?),
            b'n' => Event::Async(AsyncPhase::Instant, self.keyed_event(false)?),
            b'e' => Event::Async(AsyncPhase::End, self.keyed_event(false)?),
            b'S' => Event::Async(AsyncPhase::Start, self.keyed_event(false)?),
            b'T' => return self.state_or_step(),
            b'p' => Event::Async(AsyncPhase::StepPast, self.keyed_event(false)?),
            b'F' => Event::Async(AsyncPhase::Finish, self.keyed_event(false)?),
            b'N' => Event::Object(ObjectPhase::New, self.keyed_event(true)?),
            b'O' => Event::Object(ObjectPhase::Snapshot, self.keyed_event(true)?),
            b'D' => Event::Object(ObjectPhase::Delete, self.keyed_event(true)?),
            b's' => Event::Flow(self.flow(FlowPhase::Start)?),
            b't' => Event::Flow(self.flow(FlowPhase::Step)?),
            b'f' => Event::Flow(self.flow(FlowPhase::End)?),
            b'P' | b'V' | b'v' | b'c' | b'(' | b')' => {
                let (at, _) = self.start()?;
                Event::Other(self.thread_event(at, true), phase)
            }
            _ => {
                self.note(DiagnosticKind::UnknownEvent);
                return None;
            }
        })
    }

    /// The arrow end that a slice carries in its own fields. \[json 3.7\]
    pub(crate) fn slice_flow(&mut self, event: &Event<'a>) -> Option<FlowEvent<'a>> {
        if !self.fields.has(Field::BindId) {
            return None;
        }
        let (Event::Begin(slice) | Event::Complete(slice, _) | Event::Unfinished(slice)) = event else {
            return None;
        };
        let phase = match (self.is_set(Field::FlowIn), self.is_set(Field::FlowOut)) {
            (false, false) => return None,
            (false, true) => FlowPhase::Start,
            (true, true) => FlowPhase::Step,
            (true, false) => FlowPhase::End,
        };
        let id = self.key_field(Field::BindId)?;
        Some(FlowEvent {
            phase,
            bind: FlowBind::Slice,
            thread: slice.thread,
            at: slice.at,
            id,
            local: false,
            name: slice.name,
            category: slice.category,
        })
    }

    /// The CPU profile, or the part of one, that the event holds, and the event that names it. \[cpu 1\]
    #[inline]
    pub(crate) fn profile(&mut self, event: &Event<'a>) -> Option<(Cursor, Event<'a>)> {
        let (holder, event) = match event {
            Event::Other(event, b'P') if event.name.is(b"Profile") => (Holder::Head, event),
            Event::Other(event, b'P') if event.name.is(b"ProfileChunk") => (Holder::Chunk, event),
            Event::Instant(event, _) | Event::Complete(event, _) if event.name.raw() == b"CpuProfile" => {
                (Holder::Whole, event)
            }
            _ => return None,
        };
        let args = self.value_of(Field::Args).filter(|args| args.kind == Kind::Object)?;
        let record = self.data.get(self.object.0..self.object.1)?;
        let id = self.value_of(Field::Id).and_then(|id| id::of_key(id.kind, self.bytes(id)));
        let envelope = Envelope { holder, thread: event.thread, at: event.at, id };
        Cursor::of_event(record, args.start - self.object.0, envelope)
    }

    /// The length of a complete event: `dur`, or else a `tdur` that is more than nothing.
    #[inline]
    fn slice_duration(&mut self) -> Option<Nanos> {
        self.duration(Field::Dur).or_else(|| {
            let duration = self.duration(Field::Tdur).filter(|duration| duration.is_positive())?;
            self.note(DiagnosticKind::DurationFromThreadClock);
            Some(duration)
        })
    }

    fn state_or_step(&mut self) -> Option<Event<'a>> {
        if !self.fields.has(Field::Id)
            && !self.fields.has(Field::Id2)
            && let Some(duration) = self.duration(Field::Dur)
        {
            let (at, start) = self.start()?;
            let length = self.length(at, start, duration);
            return Some(Event::State(self.thread_event(at, true), length));
        }
        Some(Event::Async(AsyncPhase::StepInto, self.keyed_event(false)?))
    }

    fn counter(&mut self) -> Option<Event<'a>> {
        let (at, _) = self.start()?;
        Some(Event::Counter(CounterEvent {
            pid: self.process(),
            at,
            name: self.text(Field::Name),
            id: self.id().map(|(id, _)| id),
            category: self.text(Field::Cat),
            series: self.args(KEYED_EVENT),
        }))
    }

    /// An event on a thread. That the file does not say the thread is noted if it is `required`.
    #[inline(always)]
    fn thread_event(&mut self, at: Tick, required: bool) -> ThreadEvent<'a> {
        self.check_thread_clock();
        ThreadEvent {
            thread: self.thread(required),
            at,
            name: self.text(Field::Name),
            category: self.text(Field::Cat),
            args: self.args(THREAD_EVENT),
        }
    }

    fn keyed_event(&mut self, object: bool) -> Option<KeyedEvent<'a>> {
        let (at, _) = self.start()?;
        let Some((id, local)) = self.id() else {
            self.note(DiagnosticKind::MissingId);
            return None;
        };
        let args = self.args(KEYED_EVENT);
        self.check_thread_clock();
        Some(KeyedEvent {
            pid: self.process(),
            at,
            id,
            // The ids of objects belong to their process unless they say otherwise.
            local: local.unwrap_or(object),
            scoped: self.value_of(Field::KeyScope).is_some(),
            name: self.text(Field::Name),
            category: self.text(Field::Cat),
            args,
        })
    }

    fn flow(&mut self, phase: FlowPhase) -> Option<FlowEvent<'a>> {
        let (at, _) = self.start()?;
        let Some((id, local)) = self.id() else {
            self.note(DiagnosticKind::MissingId);
            return None;
        };
        let enclosing = phase != FlowPhase::End || self.first_byte(Field::BindingPoint) == Some(b'e');
        Some(FlowEvent {
            phase,
            bind: if enclosing { FlowBind::Enclosing } else { FlowBind::Next },
            thread: self.thread(true),
            at,
            id,
            local: local.unwrap_or(false),
            name: self.text(Field::Name),
            category: self.text(Field::Cat),
        })
    }

    fn metadata(&mut self) -> Option<Event<'a>> {
        let name = self.text(Field::Name);
        let is = |key: &[u8]| name.is(key);
        let event = if is(b"process_name") {
            self.argument_text(b"name").map(|text| Event::ProcessName(self.process(), text))
        } else if is(b"thread_name") {
            self.argument_text(b"name").map(|text| Event::ThreadName(self.thread(true), text))
        } else if is(b"process_sort_index") {
            self.argument_integer(b"sort_index").map(|index| Event::ProcessSortIndex(self.process(), index))
        } else if is(b"thread_sort_index") {
            self.argument_integer(b"sort_index").map(|index| Event::ThreadSortIndex(self.thread(true), index))
        } else if is(b"process_labels") {
            self.argument_text(b"labels").map(|text| Event::ProcessLabels(self.process(), text))
        } else {
            let value = self.value_of(Field::Args).map_or(Value::Null, |token| self.value(token));
            Some(Event::Meta(MetaEvent { thread: Some(self.thread(false)), key: name, value }))
        };
        if event.is_none() {
            self.note(DiagnosticKind::BadMetadata);
        }
        event
    }

    /// Notes something about the event as a whole.
    #[cold]
    fn note(&mut self, kind: DiagnosticKind) {
        self.notes.add(kind, self.object);
    }

    #[cold]
    fn note_at(&mut self, kind: DiagnosticKind, token: Token) {
        self.notes.add(kind, (token.start, token.end));
    }

    /// Where `field` stands, unless it is absent or `null`.
    #[inline]
    fn value_of(&self, field: Field) -> Option<Token> {
        let token = self.fields.get(field)?;
        (token.kind != Kind::Bare || self.bytes(token) != b"null").then_some(token)
    }

    #[inline]
    fn bytes(&self, token: Token) -> &'a [u8] {
        self.data.get(token.start..token.end).unwrap_or_default()
    }

    fn value(&self, token: Token) -> Value<'a> {
        value::value(self.data, token)
    }

    /// The text of a string, or of a number.
    #[inline]
    fn text_at(&self, token: Token) -> Option<Text<'a>> {
        let bytes = self.bytes(token);
        match token.kind {
            Kind::String => Some(Text::plain(value::inside(bytes))),
            Kind::EscapedString => Some(Text::escaped(value::inside(bytes))),
            Kind::Integer | Kind::Decimal => Some(Text::plain(bytes)),
            Kind::Bare => value::number(bytes).map(|_| Text::plain(bytes)),
            Kind::Object | Kind::Array => None,
        }
    }

    #[inline(always)]
    fn text(&mut self, field: Field) -> Text<'a> {
        match self.fields.get(field) {
            None => Text::EMPTY,
            Some(Token { kind: Kind::String, start, end, .. }) => {
                Text::plain(self.data.get(start + 1..end.saturating_sub(1)).unwrap_or_default())
            }
            Some(_) => self.unusual_text(field),
        }
    }

    #[inline(never)]
    fn unusual_text(&mut self, field: Field) -> Text<'a> {
        let Some(token) = self.value_of(field) else { return Text::EMPTY };
        self.text_at(token).unwrap_or_else(|| {
            self.note_at(DiagnosticKind::BadField, token);
            Text::EMPTY
        })
    }

    /// The first byte of a string, escapes decoded.
    #[inline]
    fn first_byte(&self, field: Field) -> Option<u8> {
        let token = self.fields.get(field)?;
        match token.kind {
            Kind::String if token.end - token.start > 2 => self.data.get(token.start + 1).copied(),
            Kind::String => Some(0),
            Kind::EscapedString => {
                let piece = self.text_at(token)?.pieces().next()?;
                piece.bytes(&mut [0; 4]).first().copied()
            }
            _ => None,
        }
    }

    fn is_set(&self, field: Field) -> bool {
        self.value_of(field).is_some_and(|token| match token.kind {
            Kind::Integer | Kind::Decimal => token.number != 0,
            Kind::Bare => self.bytes(token) != b"false",
            Kind::String | Kind::EscapedString => self.text_at(token).is_some_and(|text| text.is(b"true")),
            Kind::Object | Kind::Array => false,
        })
    }

    fn scope(&mut self) -> Scope {
        match self.first_byte(Field::InstantScope) {
            Some(b'p') => Scope::Process,
            Some(b'g') => Scope::Global,
            Some(b't') => Scope::Thread,
            _ => {
                if let Some(token) = self.value_of(Field::InstantScope) {
                    self.note_at(DiagnosticKind::BadField, token);
                }
                Scope::Thread
            }
        }
    }

    /// Microseconds, as a number or as a string with blanks around.
    #[inline]
    fn micros(&self, token: Token) -> Option<Nanos> {
        let bytes = self.bytes(token);
        match token.kind {
            Kind::Integer => Some(Nanos::from_whole(token.number * 1000)),
            Kind::Decimal => Some(Nanos::from_whole(token.number)),
            Kind::Bare => Nanos::from_micros(bytes),
            Kind::String => Nanos::from_micros(value::inside(bytes).trim_ascii()),
            _ => None,
        }
    }

    /// When the event happens, rounded and not.
    #[inline(always)]
    fn start(&mut self) -> Option<(Tick, Nanos)> {
        let (whole, ns) = match self.fields.get(Field::Ts) {
            // Sixteen digits and three decimals: more than fits is unusual, too.
            Some(Token { kind: Kind::Integer, number, .. }) => (number * 1000, i64::try_from(number * 1000)),
            Some(Token { kind: Kind::Decimal, number, .. }) => (number, i64::try_from(number)),
            _ => return self.unusual_start(),
        };
        match ns {
            Ok(ns) => Some((Tick(ns), Nanos::from_whole(whole))),
            Err(_) => self.unusual_start(),
        }
    }

    #[inline(never)]
    fn unusual_start(&mut self) -> Option<(Tick, Nanos)> {
        let Some(token) = self.value_of(Field::Ts) else {
            self.note(DiagnosticKind::MissingTime);
            return None;
        };
        let Some(start) = self.micros(token) else {
            self.note_at(DiagnosticKind::BadTime, token);
            return None;
        };
        let Rounded { ns, clamped } = start.round();
        if clamped {
            self.note_at(DiagnosticKind::TimeOutOfRange, token);
        }
        Some((Tick(ns), start))
    }

    #[inline(always)]
    fn duration(&mut self, field: Field) -> Option<Nanos> {
        match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => Some(Nanos::from_whole(number * 1000)),
            Token { kind: Kind::Decimal, number, .. } => Some(Nanos::from_whole(number)),
            _ => self.unusual_duration(field),
        }
    }

    #[inline(never)]
    fn unusual_duration(&mut self, field: Field) -> Option<Nanos> {
        let token = self.value_of(field)?;
        let duration = self.micros(token);
        if duration.is_none() {
            self.note_at(DiagnosticKind::BadDuration, token);
        }
        duration
    }

    /// The length of which the end is exact when rounded. \[json 3.5\]
    #[inline]
    fn length(&mut self, at: Tick, start: Nanos, duration: Nanos) -> Ticks {
        let Rounded { ns, clamped } = start.add_round(duration);
        // A start beyond the range is known already.
        if clamped && !start.round().clamped {
            self.note(DiagnosticKind::TimeOutOfRange);
        }
        Tick(ns).since(at)
    }

    /// The thread clock is read by whoever wants it; here it is only seen to be a number.
    #[inline]
    fn check_thread_clock(&mut self) {
        self.duration_or_note(Field::Tts);
        if self.fields.has(Field::Dur) {
            self.duration_or_note(Field::Tdur);
        }
    }

    #[inline]
    fn duration_or_note(&mut self, field: Field) {
        if self.fields.get(field).is_some_and(|token| token.kind != Kind::Integer) {
            self.duration(field);
        }
    }

    /// The process; 0 if the file does not say it.
    #[inline(always)]
    fn process(&mut self) -> Id<'a> {
        self.id_field(Field::Pid, id::of_process_or_thread).unwrap_or(Id::Number(0))
    }

    /// The thread; one that the file does not say is the process. \[json 2\]
    #[inline(always)]
    fn thread(&mut self, required: bool) -> Thread<'a> {
        let pid = self.process();
        let tid = self.id_field(Field::Tid, id::of_process_or_thread);
        if tid.is_none() && required {
            self.note(DiagnosticKind::MissingThread);
        }
        Thread { pid, tid: tid.unwrap_or(pid) }
    }

    fn key_field(&mut self, field: Field) -> Option<Id<'a>> {
        self.id_field(field, id::of_key)
    }

    #[inline(always)]
    fn id_field(&mut self, field: Field, read: fn(Kind, &'a [u8]) -> Option<Id<'a>>) -> Option<Id<'a>> {
        match self.fields.get(field)? {
            // Sixteen digits fit.
            Token { kind: Kind::Integer, number, .. } => i64::try_from(number).ok().map(Id::Number),
            _ => self.unusual_id(field, read),
        }
    }

    #[inline(never)]
    fn unusual_id(&mut self, field: Field, read: fn(Kind, &'a [u8]) -> Option<Id<'a>>) -> Option<Id<'a>> {
        let token = self.value_of(field)?;
        let id = read(token.kind, self.bytes(token));
        if id.is_none() {
            self.note_at(DiagnosticKind::BadField, token);
        }
        id
    }

    /// The key of an async, flow or object event, and whether `id2` says that it is local or not.
    fn id(&mut self) -> Option<(Id<'a>, Option<bool>)> {
        if let Some(id2) = self.value_of(Field::Id2).filter(|token| token.kind == Kind::Object) {
            for (key, local) in [(&b"local"[..], true), (b"global", false)] {
                let id = self.member(id2, key).and_then(|token| id::of_key(token.kind, self.bytes(token)));
                if let Some(id) = id {
                    return Some((id, Some(local)));
                }
            }
        }
        self.key_field(Field::Id).map(|id| (id, None))
    }

    /// The value of `key` in the object at `token`, unless absent or `null`; the last one if it is repeated.
    fn member(&self, token: Token, key: &[u8]) -> Option<Token> {
        let mut pos = token.start + 1;
        let mut found = None;
        while let Ok(Some(member)) = lexer::next_member(self.data, &mut pos) {
            if member.key.is(self.data, key) {
                found = Some(member.value);
            }
        }
        found.filter(|&token| token.kind != Kind::Bare || self.bytes(token) != b"null")
    }

    fn argument(&self, key: &[u8]) -> Option<Token> {
        let args = self.value_of(Field::Args).filter(|token| token.kind == Kind::Object)?;
        self.member(args, key)
    }

    fn argument_text(&self, key: &[u8]) -> Option<Text<'a>> {
        self.argument(key).and_then(|token| self.text_at(token))
    }

    fn argument_integer(&self, key: &[u8]) -> Option<i64> {
        let token = self.argument(key)?;
        self.micros(token)?.whole_micros()
    }

    /// The arguments, together with the fields that `represented` does not cover, if there are any.
    #[inline(always)]
    fn args(&mut self, represented: FieldSet) -> Args<'a> {
        let args = match self.fields.get(Field::Args) {
            None => Args::NONE,
            // `{}`
            Some(Token { kind: Kind::Object, start, end, .. }) if end - start == 2 => Args::NONE,
            Some(_) => self.args_value(),
        };
        if !self.fields.has_more_than(represented) {
            return args;
        }
        let format = if represented == KEYED_EVENT { &JSON_KEYED_EVENT } else { &JSON_EVENT };
        Args::new(self.data.get(self.object.0..self.object.1).unwrap_or_default(), format)
    }

    fn args_value(&mut self) -> Args<'a> {
        let Some(token) = self.value_of(Field::Args) else { return Args::NONE };
        let bytes = self.bytes(token);
        match token.kind {
            Kind::Object if is_empty_object(bytes) => Args::NONE,
            Kind::String if bytes.len() <= 2 => Args::NONE,
            Kind::Object | Kind::String | Kind::EscapedString => Args::new(bytes, &JSON_ARGS),
            Kind::Array | Kind::Integer | Kind::Decimal | Kind::Bare => {
                self.note_at(DiagnosticKind::BadField, token);
                Args::NONE
            }
        }
    }
}

/// What is left of an event that holds a CPU profile: an instant happened all the same.
pub(crate) fn beside_profile(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Instant(event, scope) => {
            Some(Event::Instant(ThreadEvent { args: Args::NONE, ..event }, scope))
        }
        _ => None,
    }
}

#[inline]
fn is_empty_object(bytes: &[u8]) -> bool {
    lexer::skip_blanks(bytes, 1).is_some_and(|(_, byte)| byte == b'}')
}

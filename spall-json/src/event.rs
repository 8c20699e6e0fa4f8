//! What the fields of one event mean. \[json 1\]

use spall_model::{
    Args, AsyncPhase, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent,
    MetaEvent, ObjectPhase, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Value,
};

use crate::decimal::{Nanos, Rounded};
use crate::fields::{Field, FieldSet, Fields, KEYED_EVENT, Place, THREAD_EVENT};
use crate::id;
use crate::lexer::{self, Kind};
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
        let Some(phase) = self.first_byte(Field::Ph) else {
            if !self.fields.is_empty() {
                self.note(DiagnosticKind::MissingPhase);
            }
            return None;
        };
        Some(match phase {
            b'B' => Event::Begin(self.thread_event()?.0),
            b'E' => Event::End(self.thread_event()?.0),
            b'X' => return self.complete(),
            b'i' | b'I' | b'R' => return self.instant(),
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
            b'P' | b'V' | b'v' | b'c' | b'(' | b')' => Event::Other(self.thread_event()?.0, phase),
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

    fn complete(&mut self) -> Option<Event<'a>> {
        let (event, start) = self.thread_event()?;
        let duration = self.duration(Field::Dur).or_else(|| {
            let duration = self.duration(Field::Tdur).filter(|duration| duration.is_positive())?;
            self.note(DiagnosticKind::DurationFromThreadClock);
            Some(duration)
        });
        Some(match duration {
            Some(duration) => Event::Complete(event, self.length(event.at, start, duration)),
            None => Event::Unfinished(event),
        })
    }

    fn instant(&mut self) -> Option<Event<'a>> {
        let (event, _) = self.thread_event_of(true)?;
        Some(Event::Instant(event, self.scope()))
    }

    fn state_or_step(&mut self) -> Option<Event<'a>> {
        if !self.fields.has(Field::Id)
            && !self.fields.has(Field::Id2)
            && let Some(duration) = self.duration(Field::Dur)
        {
            let (event, start) = self.thread_event()?;
            return Some(Event::State(event, self.length(event.at, start, duration)));
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

    fn thread_event(&mut self) -> Option<(ThreadEvent<'a>, Nanos)> {
        self.thread_event_of(false)
    }

    /// An event on a thread, and its start before rounding. `wide`: it may be about more than its thread.
    #[inline]
    fn thread_event_of(&mut self, wide: bool) -> Option<(ThreadEvent<'a>, Nanos)> {
        let (at, start) = self.start()?;
        let wide = wide && matches!(self.first_byte(Field::Scope), Some(b'g' | b'p'));
        let event = ThreadEvent {
            thread: self.thread(!wide),
            at,
            name: self.text(Field::Name),
            category: self.text(Field::Cat),
            args: self.args(THREAD_EVENT),
        };
        self.check_thread_clock();
        Some((event, start))
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
            scoped: args.field(b"scope").is_some_and(|scope| scope != Value::Null),
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
            let value = self.place(Field::Args).map_or(Value::Null, |place| self.value(place));
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
    fn note_at(&mut self, kind: DiagnosticKind, place: Place) {
        self.notes.add(kind, (place.start, place.end));
    }

    /// Where `field` stands, unless it is absent or `null`.
    #[inline]
    fn place(&self, field: Field) -> Option<Place> {
        let place = self.fields.get(field)?;
        (place.kind != Kind::Bare || self.bytes(place) != b"null").then_some(place)
    }

    #[inline]
    fn bytes(&self, place: Place) -> &'a [u8] {
        self.data.get(place.start..place.end).unwrap_or_default()
    }

    fn value(&self, place: Place) -> Value<'a> {
        value::value(place.kind, self.bytes(place))
    }

    /// The text of a string, or of a number.
    #[inline]
    fn text_at(&self, place: Place) -> Option<Text<'a>> {
        let bytes = self.bytes(place);
        match place.kind {
            Kind::String => Some(Text::plain(value::inside(bytes))),
            Kind::EscapedString => Some(Text::escaped(value::inside(bytes))),
            Kind::Bare => value::number(bytes).map(|_| Text::plain(bytes)),
            Kind::Object | Kind::Array => None,
        }
    }

    #[inline]
    fn text(&mut self, field: Field) -> Text<'a> {
        let Some(place) = self.place(field) else { return Text::EMPTY };
        self.text_at(place).unwrap_or_else(|| {
            self.note_at(DiagnosticKind::BadField, place);
            Text::EMPTY
        })
    }

    /// The first byte of a string, escapes decoded.
    #[inline]
    fn first_byte(&self, field: Field) -> Option<u8> {
        let place = self.fields.get(field)?;
        match place.kind {
            Kind::String if place.end - place.start > 2 => self.data.get(place.start + 1).copied(),
            Kind::String => Some(0),
            Kind::EscapedString => {
                let piece = self.text_at(place)?.pieces().next()?;
                piece.bytes(&mut [0; 4]).first().copied()
            }
            _ => None,
        }
    }

    fn is_set(&self, field: Field) -> bool {
        self.place(field).is_some_and(|place| match place.kind {
            Kind::Bare => !matches!(self.bytes(place), b"false" | b"0"),
            Kind::String | Kind::EscapedString => self.text_at(place).is_some_and(|text| text.is(b"true")),
            Kind::Object | Kind::Array => false,
        })
    }

    fn scope(&mut self) -> Scope {
        match self.first_byte(Field::Scope) {
            Some(b'p') => Scope::Process,
            Some(b'g') => Scope::Global,
            Some(b't') => Scope::Thread,
            _ => {
                if let Some(place) = self.place(Field::Scope) {
                    self.note_at(DiagnosticKind::BadField, place);
                }
                Scope::Thread
            }
        }
    }

    /// Microseconds, as a number or as a string with blanks around.
    #[inline]
    fn micros(&self, place: Place) -> Option<Nanos> {
        let bytes = self.bytes(place);
        match place.kind {
            Kind::Bare => Nanos::from_micros(bytes),
            Kind::String => Nanos::from_micros(value::inside(bytes).trim_ascii()),
            _ => None,
        }
    }

    /// When the event happens, rounded and not.
    #[inline]
    fn start(&mut self) -> Option<(Tick, Nanos)> {
        let Some(place) = self.place(Field::Ts) else {
            self.note(DiagnosticKind::MissingTime);
            return None;
        };
        let Some(start) = self.micros(place) else {
            self.note_at(DiagnosticKind::BadTime, place);
            return None;
        };
        let Rounded { ns, clamped } = start.round();
        if clamped {
            self.note_at(DiagnosticKind::TimeOutOfRange, place);
        }
        Some((Tick(ns), start))
    }

    #[inline]
    fn duration(&mut self, field: Field) -> Option<Nanos> {
        let place = self.place(field)?;
        let duration = self.micros(place);
        if duration.is_none() {
            self.note_at(DiagnosticKind::BadDuration, place);
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
        let integer =
            |place: Place| place.kind == Kind::Bare && self.bytes(place).iter().all(u8::is_ascii_digit);
        if self.fields.get(field).is_some_and(|place| !integer(place)) {
            self.duration(field);
        }
    }

    /// The process; 0 if the file does not say it.
    #[inline]
    fn process(&mut self) -> Id<'a> {
        self.id_field(Field::Pid, id::of_process_or_thread).unwrap_or(Id::Number(0))
    }

    /// The thread; one that the file does not say is the process. \[json 2\]
    #[inline]
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

    #[inline]
    fn id_field(&mut self, field: Field, read: fn(Kind, &'a [u8]) -> Option<Id<'a>>) -> Option<Id<'a>> {
        let place = self.place(field)?;
        let id = read(place.kind, self.bytes(place));
        if id.is_none() {
            self.note_at(DiagnosticKind::BadField, place);
        }
        id
    }

    /// The key of an async, flow or object event, and whether `id2` says that it is local or not.
    fn id(&mut self) -> Option<(Id<'a>, Option<bool>)> {
        if let Some(id2) = self.place(Field::Id2).filter(|place| place.kind == Kind::Object) {
            for (key, local) in [(&b"local"[..], true), (b"global", false)] {
                let id = self.member(id2, key).and_then(|place| id::of_key(place.kind, self.bytes(place)));
                if let Some(id) = id {
                    return Some((id, Some(local)));
                }
            }
        }
        self.key_field(Field::Id).map(|id| (id, None))
    }

    /// The value of `key` in the object at `place`, unless absent or `null`; the last one if it is repeated.
    fn member(&self, place: Place, key: &[u8]) -> Option<Place> {
        let mut pos = place.start + 1;
        let mut found = None;
        while let Ok(Some(member)) = lexer::next_member(self.data, &mut pos) {
            if member.key.is(self.data, key) {
                found = Some(Place { kind: member.kind, start: member.value.0, end: member.value.1 });
            }
        }
        found.filter(|&place| place.kind != Kind::Bare || self.bytes(place) != b"null")
    }

    fn argument(&self, key: &[u8]) -> Option<Place> {
        let args = self.place(Field::Args).filter(|place| place.kind == Kind::Object)?;
        self.member(args, key)
    }

    fn argument_text(&self, key: &[u8]) -> Option<Text<'a>> {
        self.argument(key).and_then(|place| self.text_at(place))
    }

    fn argument_integer(&self, key: &[u8]) -> Option<i64> {
        let place = self.argument(key)?;
        self.micros(place)?.whole_micros()
    }

    /// The arguments, together with the fields that `represented` does not cover, if there are any.
    #[inline]
    fn args(&mut self, represented: FieldSet) -> Args<'a> {
        let args = match self.place(Field::Args) {
            None => Args::NONE,
            Some(place) => self.args_at(place),
        };
        if !self.fields.has_more_than(represented) {
            return args;
        }
        let format = if represented == KEYED_EVENT { &JSON_KEYED_EVENT } else { &JSON_EVENT };
        Args::new(self.data.get(self.object.0..self.object.1).unwrap_or_default(), format)
    }

    #[inline]
    fn args_at(&mut self, place: Place) -> Args<'a> {
        let bytes = self.bytes(place);
        match place.kind {
            Kind::Object if is_empty_object(bytes) => Args::NONE,
            Kind::String if bytes.len() <= 2 => Args::NONE,
            Kind::Object | Kind::String | Kind::EscapedString => Args::new(bytes, &JSON_ARGS),
            Kind::Array | Kind::Bare => {
                self.note_at(DiagnosticKind::BadField, place);
                Args::NONE
            }
        }
    }
}

#[inline]
fn is_empty_object(bytes: &[u8]) -> bool {
    lexer::skip_blanks(bytes, 1).is_some_and(|(_, byte)| byte == b'}')
}

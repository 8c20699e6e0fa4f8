//! The fields of one event: its texts, times, ids and arguments, whatever a file writes them as. \[json 1\] \[json 2\]

use spall_model::{Args, DiagnosticKind, Id, Scope, Text, Thread, Tick, Ticks, Value};

use crate::decimal::{Nanos, Rounded};
use crate::fields::{COUNTER_EVENT, FLOW_EVENT, Field, FieldSet, Fields, KEYED_EVENT};
use crate::id;
use crate::lexer::{self, Kind, Token};
use crate::value::{self, JSON_ARGS, JSON_COUNTER_EVENT, JSON_EVENT, JSON_FLOW_EVENT, JSON_KEYED_EVENT};

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
    /// Notes something about the event as a whole.
    #[cold]
    pub(crate) fn note(&mut self, kind: DiagnosticKind) {
        self.notes.add(kind, self.object);
    }

    #[cold]
    pub(crate) fn note_at(&mut self, kind: DiagnosticKind, token: Token) {
        self.notes.add(kind, (token.start, token.end));
    }

    /// Where `field` stands, unless it is absent or `null`.
    #[inline]
    pub(crate) fn value_of(&self, field: Field) -> Option<Token> {
        let token = self.fields.get(field)?;
        (token.kind != Kind::Bare || self.bytes(token) != b"null").then_some(token)
    }

    #[inline]
    pub(crate) fn bytes(&self, token: Token) -> &'a [u8] {
        self.data.get(token.start..token.end).unwrap_or_default()
    }

    pub(crate) fn value(&self, token: Token) -> Value<'a> {
        value::value(self.data, token)
    }

    /// The text of a string, or of a number.
    #[inline]
    pub(crate) fn text_at(&self, token: Token) -> Option<Text<'a>> {
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
    pub(crate) fn text(&mut self, field: Field) -> Text<'a> {
        match self.fields.get(field) {
            None => Text::EMPTY,
            Some(Token { kind: Kind::String, start, end, .. }) => {
                Text::plain(self.data.get(start + 1..end - 1).unwrap_or_default())
            }
            Some(_) => self.unusual_text(field),
        }
    }

    #[inline(never)]
    pub(crate) fn unusual_text(&mut self, field: Field) -> Text<'a> {
        let Some(token) = self.value_of(field) else { return Text::EMPTY };
        self.text_at(token).unwrap_or_else(|| {
            self.note_at(DiagnosticKind::BadField, token);
            Text::EMPTY
        })
    }

    /// The first byte of a string, escapes decoded.
    #[inline]
    pub(crate) fn first_byte(&self, field: Field) -> Option<u8> {
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

    pub(crate) fn is_set(&self, field: Field) -> bool {
        self.value_of(field).is_some_and(|token| match token.kind {
            Kind::Integer | Kind::Decimal => token.number != 0,
            Kind::Bare => self.bytes(token) != b"false",
            Kind::String | Kind::EscapedString => self.text_at(token).is_some_and(|text| text.is(b"true")),
            Kind::Object | Kind::Array => false,
        })
    }

    pub(crate) fn scope(&mut self) -> Scope {
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
    pub(crate) fn micros(&self, token: Token) -> Option<Nanos> {
        let bytes = self.bytes(token);
        match token.kind {
            Kind::Integer => Some(Nanos::from_whole(token.number * 1000)),
            Kind::Decimal => Some(Nanos::from_whole(token.number)),
            Kind::Bare => Nanos::from_micros(bytes),
            Kind::String => Nanos::from_micros(value::inside(bytes).trim_ascii()),
            Kind::EscapedString => {
                let decoded = &mut [0; value::MAX_ESCAPED_NUMBER];
                Nanos::from_micros(value::unescaped(value::inside(bytes), decoded)?.trim_ascii())
            }
            Kind::Object | Kind::Array => None,
        }
    }

    /// When the event happens, rounded and not.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> Option<(Tick, Nanos)> {
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
    pub(crate) fn unusual_start(&mut self) -> Option<(Tick, Nanos)> {
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
    pub(crate) fn duration(&mut self, field: Field) -> Option<Nanos> {
        match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => Some(Nanos::from_whole(number * 1000)),
            Token { kind: Kind::Decimal, number, .. } => Some(Nanos::from_whole(number)),
            _ => self.unusual_duration(field),
        }
    }

    #[inline(never)]
    pub(crate) fn unusual_duration(&mut self, field: Field) -> Option<Nanos> {
        let token = self.value_of(field)?;
        let duration = self.micros(token);
        if duration.is_none() {
            self.note_at(DiagnosticKind::BadDuration, token);
        }
        duration
    }

    /// The length of which the end is exact when rounded. \[json 3.5\]
    #[inline]
    pub(crate) fn length(&mut self, at: Tick, start: Nanos, duration: Nanos) -> Ticks {
        let Rounded { ns, clamped } = start.add_round(duration);
        // A start beyond the range is known already.
        if clamped && !start.round().clamped {
            self.note(DiagnosticKind::TimeOutOfRange);
        }
        Tick(ns) - at
    }

    /// The thread clock is read by whoever wants it; here it is only seen to be a number.
    #[inline]
    pub(crate) fn check_thread_clock(&mut self) {
        self.duration_or_note(Field::Tts);
        if self.fields.has(Field::Dur) {
            self.duration_or_note(Field::Tdur);
        }
    }

    #[inline]
    pub(crate) fn duration_or_note(&mut self, field: Field) {
        if self.fields.get(field).is_some_and(|token| token.kind != Kind::Integer) {
            self.duration(field);
        }
    }

    /// The process; 0 if the file does not say it.
    #[inline(always)]
    pub(crate) fn process(&mut self) -> Id<'a> {
        self.id_field(Field::Pid, id::of_process_or_thread).unwrap_or(Id::Number(0))
    }

    /// The thread; one that the file does not say is the process. \[json 2\]
    #[inline(always)]
    pub(crate) fn thread(&mut self, required: bool) -> Thread<'a> {
        let pid = self.process();
        let tid = self.id_field(Field::Tid, id::of_process_or_thread);
        if tid.is_none() && required {
            self.note(DiagnosticKind::MissingThread);
        }
        Thread { pid, tid: tid.unwrap_or(pid) }
    }

    pub(crate) fn key_field(&mut self, field: Field) -> Option<Id<'a>> {
        self.id_field(field, id::of_key)
    }

    #[inline(always)]
    pub(crate) fn id_field(
        &mut self,
        field: Field,
        read: fn(Kind, &'a [u8]) -> Option<Id<'a>>,
    ) -> Option<Id<'a>> {
        match self.fields.get(field)? {
            // Sixteen digits fit.
            Token { kind: Kind::Integer, number, .. } => i64::try_from(number).ok().map(Id::Number),
            _ => self.unusual_id(field, read),
        }
    }

    #[inline(never)]
    pub(crate) fn unusual_id(
        &mut self,
        field: Field,
        read: fn(Kind, &'a [u8]) -> Option<Id<'a>>,
    ) -> Option<Id<'a>> {
        let token = self.value_of(field)?;
        let id = read(token.kind, self.bytes(token));
        if id.is_none() {
            self.note_at(DiagnosticKind::BadField, token);
        }
        id
    }

    /// The key of an async, flow or object event, and whether `id2` says that it is local or not.
    pub(crate) fn id(&mut self) -> Option<(Id<'a>, Option<bool>)> {
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
    pub(crate) fn member(&self, token: Token, key: &[u8]) -> Option<Token> {
        let mut pos = token.start + 1;
        let mut found = None;
        while let Ok(Some(member)) = lexer::next_member(self.data, &mut pos) {
            if member.key.is(self.data, key) {
                found = Some(member.value);
            }
        }
        found.filter(|&token| token.kind != Kind::Bare || self.bytes(token) != b"null")
    }

    pub(crate) fn argument(&self, key: &[u8]) -> Option<Token> {
        let args = self.value_of(Field::Args).filter(|token| token.kind == Kind::Object)?;
        self.member(args, key)
    }

    /// Whether there is an argument `key`. What it nests is not looked at: a snapshot is large.
    pub(crate) fn has_argument(&self, key: &[u8]) -> bool {
        let args = self.value_of(Field::Args).filter(|token| token.kind == Kind::Object);
        let Some(mut pos) = args.map(|args| args.start + 1) else { return false };
        while let Ok(Some(found)) = lexer::next_key(self.data, &mut pos) {
            let nested = matches!(self.data.get(found.value), Some(b'{' | b'['));
            if nested && found.is(self.data, key) {
                return true;
            }
            match lexer::token(self.data, found.value) {
                Ok(_) if found.is(self.data, key) => return true,
                Ok(value) => pos = value.end,
                Err(_) => return false,
            }
        }
        false
    }

    pub(crate) fn argument_text(&self, key: &[u8]) -> Option<Text<'a>> {
        self.argument(key).and_then(|token| self.text_at(token))
    }

    /// An integer, spelt as that of a process may be.
    pub(crate) fn argument_integer(&self, key: &[u8]) -> Option<i64> {
        let token = self.argument(key)?;
        match id::of_process_or_thread(token.kind, self.bytes(token))? {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        }
    }

    /// The arguments, together with the fields that `represented` does not cover, if there are any.
    #[inline(always)]
    pub(crate) fn args(&mut self, represented: FieldSet) -> Args<'a> {
        let args = match self.fields.get(Field::Args) {
            None => Args::NONE,
            // `{}`
            Some(Token { kind: Kind::Object, start, end, .. }) if end - start == 2 => Args::NONE,
            Some(_) => self.args_value(),
        };
        if !self.fields.has_more_than(represented) {
            return args;
        }
        let format = match represented {
            KEYED_EVENT => &JSON_KEYED_EVENT,
            COUNTER_EVENT => &JSON_COUNTER_EVENT,
            FLOW_EVENT => &JSON_FLOW_EVENT,
            _ => &JSON_EVENT,
        };
        Args::new(self.data.get(self.object.0..self.object.1).unwrap_or_default(), format)
    }

    pub(crate) fn args_value(&mut self) -> Args<'a> {
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

#[inline]
fn is_empty_object(bytes: &[u8]) -> bool {
    lexer::skip_blanks(bytes, 1).is_some_and(|(_, byte)| byte == b'}')
}

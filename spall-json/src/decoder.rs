//! The decoder of an event's fields in any spelling, which also reports their faults. [json
//! 1](crate::rules::json#1) [json 2](crate::rules::json#2)
//!
//! A field is first read as [`Record`] reads it, which costs a comparison or two. Other spellings follow where that fails.

use spall_model::{Args, DiagnosticKind, Id, Scope, Text, Thread, Tick, Ticks};

use crate::args;
use crate::call::Call;
use crate::decimal::{Nanos, Rounded};
use crate::fields::{COUNTER_EVENT, Field, FieldSet};
use crate::id;
use crate::lexer::{self, Token, TokenKind};
use crate::record::Record;
use crate::scalar;

/// A decoder of the fields of one event. It reports faults in the order in which it is asked for the fields.
pub(crate) struct Decoder<'a, 'f, 't> {
    pub(crate) record: Record<'a, 'f>,
    pub(crate) call: &'f mut Call<'a, 't>,
}

impl<'a> Decoder<'a, '_, '_> {
    /// Reports a diagnostic about the event as a whole.
    pub(crate) fn report(&mut self, kind: DiagnosticKind) {
        self.call.report(kind, self.record.object);
    }

    /// Reports a diagnostic about one value.
    pub(crate) fn report_at(&mut self, kind: DiagnosticKind, token: Token) {
        self.call.report(kind, (token.start, token.end));
    }

    /// Returns the bytes of a value.
    pub(crate) fn bytes(&self, token: Token) -> &'a [u8] {
        token.bytes(self.record.data)
    }

    /// Returns whether the event has `field`, `null` included.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.record.fields.has(field)
    }

    /// Returns the value of `field`, unless it is absent or `null`.
    #[inline]
    pub(crate) fn token(&self, field: Field) -> Option<Token> {
        self.record.fields.get(field).copied().filter(|token| !token.is_null(self.record.data))
    }

    /// Returns the text of a string or a number, or the empty text if the field is absent.
    #[inline]
    pub(crate) fn text(&mut self, field: Field) -> Text<'a> {
        if let Some(text) = self.record.text(field) {
            return text;
        }
        let Some(token) = self.token(field) else { return Text::EMPTY };
        scalar::text_or_number(self.record.data, token).unwrap_or_else(|| {
            self.report_at(DiagnosticKind::BadField, token);
            Text::EMPTY
        })
    }

    /// Returns whether a field that is a truth value is true, in any spelling.
    pub(crate) fn is_set(&self, field: Field) -> bool {
        self.token(field).is_some_and(|token| match token.kind {
            TokenKind::Integer(number) | TokenKind::Decimal { thousandths: number } => number != 0,
            TokenKind::Bare => self.bytes(token) != b"false",
            TokenKind::String | TokenKind::EscapedString => scalar::text(self.record.data, token).is(b"true"),
            TokenKind::Object | TokenKind::Array => false,
        })
    }

    /// Returns the scope of an instant, which is its thread if the file does not give a valid one.
    pub(crate) fn scope(&mut self) -> Scope {
        match self.record.first_byte(Field::InstantScope) {
            Some(b'p') => Scope::Process,
            Some(b'g') => Scope::Global,
            Some(b't') => Scope::Thread,
            _ => {
                if let Some(token) = self.token(Field::InstantScope) {
                    self.report_at(DiagnosticKind::BadField, token);
                }
                Scope::Thread
            }
        }
    }

    /// Returns the time of the event, rounded and exact. One that is missing, bad or out of range is reported; `None` is
    /// returned if there is none.
    #[inline]
    pub(crate) fn time(&mut self) -> Option<(Tick, Nanos)> {
        if let Some(at) = self.record.time() {
            return Some((at, Nanos::from_whole(at.0.unsigned_abs())));
        }
        let Some(token) = self.token(Field::Ts) else {
            self.report(DiagnosticKind::MissingTime);
            return None;
        };
        let Some(exact) = scalar::micros(self.record.data, token) else {
            self.report_at(DiagnosticKind::BadTime, token);
            return None;
        };
        let Rounded { ns, clamped } = exact.round();
        if clamped {
            self.report_at(DiagnosticKind::TimeOutOfRange, token);
        }
        Some((Tick(ns), exact))
    }

    /// Returns the duration in `field`. Returns `None` if it is absent, or if it is not a number, which is reported.
    #[inline]
    pub(crate) fn duration(&mut self, field: Field) -> Option<Nanos> {
        if let Some(ns) = self.record.micros(field) {
            return Some(Nanos::from_whole(ns));
        }
        let token = self.token(field)?;
        let duration = scalar::micros(self.record.data, token);
        if duration.is_none() {
            self.report_at(DiagnosticKind::BadDuration, token);
        }
        duration
    }

    /// Returns the duration from `at`, which is `exact` rounded, to the rounded end. An end or a duration out of range is
    /// clamped and reported. [json
    /// 3.1](crate::rules::json#3.1)
    pub(crate) fn rounded_duration(&mut self, at: Tick, exact: Nanos, duration: Nanos) -> Ticks {
        let Rounded { ns, clamped } = exact.add_round(duration);
        let is_clamped = clamped || ns.checked_sub(at.0).is_none();
        // A time out of range was reported already.
        if is_clamped && !exact.round().clamped {
            self.report(DiagnosticKind::TimeOutOfRange);
        }
        Tick(ns) - at
    }

    /// Reports a thread clock that shows no time. Its value stays among the further fields of the event. [json
    /// 6](crate::rules::json#6)
    #[inline]
    pub(crate) fn check_thread_clock(&mut self) {
        self.check_thread_time(Field::Tts);
        if self.has(Field::Dur) {
            self.check_thread_time(Field::Tdur);
        }
    }

    #[inline]
    fn check_thread_time(&mut self, field: Field) {
        if self.record.micros(field).is_none()
            && let Some(token) = self.token(field)
            && scalar::thread_time(self.record.data, token).is_none()
        {
            self.report_at(DiagnosticKind::BadThreadTime, token);
        }
    }

    /// Returns the id of the process, which is 0 if the file does not give it.
    #[inline]
    pub(crate) fn process(&mut self) -> Id<'a> {
        self.id(Field::Pid, id::process_or_thread).unwrap_or(Id::Number(0))
    }

    /// Returns the thread. If the file does not give a thread, its id is that of the process, which is reported if the
    /// thread is `required`. [json 2](crate::rules::json#2)
    #[inline]
    pub(crate) fn thread(&mut self, required: bool) -> Thread<'a> {
        let pid = self.process();
        let tid = self.id(Field::Tid, id::process_or_thread);
        if tid.is_none() && required {
            self.report(DiagnosticKind::MissingThread);
        }
        Thread { pid, tid: tid.unwrap_or(pid) }
    }

    /// Returns the id in `field`, which `read` decodes if it is no plain number.
    #[inline]
    pub(crate) fn id(&mut self, field: Field, read: fn(&'a [u8], Token) -> Option<Id<'a>>) -> Option<Id<'a>> {
        if let Some(id) = self.record.id(field) {
            return Some(id);
        }
        let token = self.token(field)?;
        let id = read(self.record.data, token);
        if id.is_none() {
            self.report_at(DiagnosticKind::BadField, token);
        }
        id
    }

    /// Returns the key of an async event, an object, a flow or a counter, and whether `id2` makes it local to the
    /// process (`Some(true)`) or global.
    pub(crate) fn key(&mut self) -> Option<(Id<'a>, Option<bool>)> {
        if let Some(id2) = self.token(Field::Id2).filter(|token| token.kind == TokenKind::Object) {
            for (key, local) in [(&b"local"[..], true), (b"global", false)] {
                let id = self.member(id2, key).and_then(|token| id::key(self.record.data, token));
                if let Some(id) = id {
                    return Some((id, Some(local)));
                }
            }
        }
        self.id(Field::Id, id::key).map(|id| (id, None))
    }

    /// Returns the value of `key` in the object `token`, unless it is absent or `null`.
    fn member(&self, token: Token, key: &[u8]) -> Option<Token> {
        let [value] = lexer::members(self.record.data, token.start, [key]);
        value.filter(|value| !value.is_null(self.record.data))
    }

    /// Returns the arguments if they are an object.
    fn args_object(&self) -> Option<Token> {
        self.token(Field::Args).filter(|token| token.kind == TokenKind::Object)
    }

    /// Returns whether there is an argument `key`.
    pub(crate) fn has_argument(&self, key: &[u8]) -> bool {
        let data = self.record.data;
        let Some(mut pos) = self.args_object().map(|args| args.start + 1) else { return false };
        while let Ok(Some(found)) = lexer::next_key(data, &mut pos) {
            // A snapshot may be megabytes of objects: its end is not looked for.
            let is_nested = matches!(data.get(found.value), Some(b'{' | b'['));
            if is_nested && found.is(data, key) {
                return true;
            }
            match lexer::token(data, found.value) {
                Ok(_) if found.is(data, key) => return true,
                Ok(value) => pos = value.end,
                Err(_) => return false,
            }
        }
        false
    }

    /// Returns the argument `key` if it is a string or a number.
    pub(crate) fn text_argument(&self, key: &[u8]) -> Option<Text<'a>> {
        scalar::text_or_number(self.record.data, self.member(self.args_object()?, key)?)
    }

    /// Returns the argument `key` if it is an integer, in any spelling that the id of a process may have.
    pub(crate) fn integer_argument(&self, key: &[u8]) -> Option<i64> {
        let token = self.member(self.args_object()?, key)?;
        match id::process_or_thread(self.record.data, token)? {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        }
    }

    /// Returns the arguments, together with the fields that `represented` does not have.
    #[inline]
    pub(crate) fn args(&mut self, represented: FieldSet) -> Args<'a> {
        if let Some(args) = self.record.args(represented) {
            return args;
        }
        let args = self.unusual_args(represented);
        self.record.with_further_fields(args, represented)
    }

    /// Decodes arguments that are not a plain object, and reports what cannot be any.
    fn unusual_args(&mut self, represented: FieldSet) -> Args<'a> {
        let Some(token) = self.token(Field::Args) else { return Args::NONE };
        let bytes = self.bytes(token);
        match token.kind {
            TokenKind::Object if is_empty_object(bytes) => Args::NONE,
            // The empty string, whose two bytes are its quotes.
            TokenKind::String if bytes.len() <= 2 => Args::NONE,
            // PHP writes an empty object so.
            TokenKind::Array if lexer::item_start(bytes, 1).is_none() => Args::NONE,
            _ if args::is_args(self.record.data, token, represented == COUNTER_EVENT) => {
                args::json_args(bytes)
            }
            _ => {
                self.report_at(DiagnosticKind::BadField, token);
                Args::NONE
            }
        }
    }
}

/// Returns whether an object has no members.
fn is_empty_object(bytes: &[u8]) -> bool {
    lexer::skip_blanks(bytes, 1).is_some_and(|(_, byte)| byte == b'}')
}

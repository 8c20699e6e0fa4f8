//! Slices written as nearly all are: numbers for times and ids, strings for texts.
//!
//! What is written otherwise is left to [`Record::event`](crate::record::Record::event), which gives the same for
//! everything that is read here. Hardly a call is made and nothing is noted, so that an event never has to be put
//! together in memory.

use spall_model::{Args, Id, Text, Thread, ThreadEvent, Tick, Ticks};

use crate::decimal::{Nanos, Rounded};
use crate::fields::{Field, Fields, THREAD_EVENT};
use crate::lexer::{self, Kind, Token};
use crate::value::{JSON_ARGS, JSON_EVENT};

/// One event of the file: its fields, and the data in which they stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a, 'f> {
    pub(crate) data: &'a [u8],
    pub(crate) fields: &'f Fields,
    /// The whole object.
    pub(crate) object: (usize, usize),
}

impl<'a> Plain<'a, '_> {
    /// The first byte of `ph`.
    #[inline(always)]
    pub(crate) fn phase(self) -> Option<u8> {
        match self.fields.get(Field::Ph)? {
            Token { kind: Kind::String, start, .. } => self.data.get(start + 1).copied(),
            _ => None,
        }
    }

    /// The event on its thread, whatever its phase.
    #[inline(always)]
    pub(crate) fn event(self) -> Option<ThreadEvent<'a>> {
        if !self.is_number_or_absent(Field::Tts) || !self.is_number_or_absent(Field::Tdur) {
            return None;
        }
        Some(ThreadEvent {
            thread: Thread { pid: self.id(Field::Pid)?, tid: self.id(Field::Tid)? },
            at: Tick(self.nanos(Field::Ts)?),
            name: self.text(Field::Name)?,
            category: self.text(Field::Cat)?,
            args: self.args()?,
        })
    }

    /// The length of a complete event that begins at `at`.
    #[inline(always)]
    pub(crate) fn length(self, at: Tick) -> Option<Ticks> {
        let length = match self.fields.get(Field::Dur)? {
            // Both are whole nanoseconds: so is the end, and nothing is rounded.
            Token { kind: Kind::Integer | Kind::Decimal, .. } => self.nanos(Field::Dur)?,
            token if token.kind == Kind::Bare => return self.rounded_length(at, token),
            _ => return None,
        };
        at.0.checked_add(length).map(|_| Ticks(length))
    }

    /// The length if it has more than three decimals. \[json 3.5\]
    #[inline(never)]
    fn rounded_length(self, at: Tick, token: Token) -> Option<Ticks> {
        let duration = Nanos::from_micros(self.data.get(token.start..token.end)?)?;
        let Rounded { ns, clamped } = Nanos::from_whole(u64::try_from(at.0).ok()?).add_round(duration);
        (!clamped).then(|| Tick(ns) - at)
    }

    #[inline(always)]
    fn is_number_or_absent(self, field: Field) -> bool {
        matches!(self.fields.get(field), None | Some(Token { kind: Kind::Integer | Kind::Decimal, .. }))
    }

    #[inline(always)]
    fn id(self, field: Field) -> Option<Id<'a>> {
        match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => i64::try_from(number).ok().map(Id::Number),
            _ => None,
        }
    }

    #[inline(always)]
    fn nanos(self, field: Field) -> Option<i64> {
        // Sixteen digits and three decimals may be more than fits.
        i64::try_from(match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => number * 1000,
            Token { kind: Kind::Decimal, number, .. } => number,
            _ => return None,
        })
        .ok()
    }

    #[inline(always)]
    fn text(self, field: Field) -> Option<Text<'a>> {
        let Some(Token { kind, start, end, .. }) = self.fields.get(field) else { return Some(Text::EMPTY) };
        let inside = self.data.get(start + 1..end - 1);
        match kind {
            Kind::String => inside.map(Text::plain),
            Kind::EscapedString => inside.map(Text::escaped),
            _ => None,
        }
    }

    #[inline(always)]
    fn args(self) -> Option<Args<'a>> {
        let args = match self.fields.get(Field::Args) {
            None => Args::NONE,
            // `{}`
            Some(Token { kind: Kind::Object, start, end, .. }) if end - start == 2 => Args::NONE,
            Some(Token { kind: Kind::Object, start, end, .. }) => match self.data.get(start..end)? {
                // There may be nothing but blanks.
                [_, first, ..] if lexer::is_blank(*first) => return None,
                object => Args::new(object, &JSON_ARGS),
            },
            _ => return None,
        };
        if !self.fields.has_more_than(THREAD_EVENT) {
            return Some(args);
        }
        self.data.get(self.object.0..self.object.1).map(|event| Args::new(event, &JSON_EVENT))
    }
}

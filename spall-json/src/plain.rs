//! Slices written as nearly all are: numbers for times and ids, strings for texts.
//!
//! What is written otherwise is left to [`Record::event`], which gives the same for everything that is read here. No
//! call is made and nothing is noted, so that an event never has to be put together in memory.

use spall_model::{Args, Id, Text, Thread, ThreadEvent, Tick, Ticks};

use crate::decimal::{Nanos, Rounded};
use crate::fields::{Field, THREAD_EVENT};
use crate::lexer::{self, Kind, Token};
use crate::record::Record;
use crate::value::{JSON_ARGS, JSON_EVENT};

impl<'a> Record<'a, '_> {
    /// The event on its thread, whatever its phase.
    #[inline(always)]
    pub(crate) fn plain_event(&self) -> Option<ThreadEvent<'a>> {
        if !matches!(
            self.fields.get(Field::Tts),
            None | Some(Token { kind: Kind::Integer | Kind::Decimal, .. })
        ) {
            return None;
        }
        Some(ThreadEvent {
            thread: Thread { pid: self.plain_id(Field::Pid)?, tid: self.plain_id(Field::Tid)? },
            at: Tick(self.plain_nanos(Field::Ts)?),
            name: self.plain_text(Field::Name)?,
            category: self.plain_text(Field::Cat)?,
            args: self.plain_args()?,
        })
    }

    /// The length of a complete event that begins at `at`.
    #[inline(always)]
    pub(crate) fn plain_length(&self, at: Tick) -> Option<Ticks> {
        if !matches!(
            self.fields.get(Field::Tdur),
            None | Some(Token { kind: Kind::Integer | Kind::Decimal, .. })
        ) {
            return None;
        }
        let length = match self.fields.get(Field::Dur)? {
            // Both are whole nanoseconds: so is the end, and nothing is rounded.
            Token { kind: Kind::Integer | Kind::Decimal, .. } => self.plain_nanos(Field::Dur)?,
            token => return self.rounded_length(at, token),
        };
        at.0.checked_add(length).map(|_| Ticks(length))
    }

    /// As [`Record::length`], of a length with more than three decimals.
    #[inline(never)]
    fn rounded_length(&self, at: Tick, token: Token) -> Option<Ticks> {
        let duration = self.micros(token)?;
        let Rounded { ns, clamped } = Nanos::from_whole(u64::try_from(at.0).ok()?).add_round(duration);
        (!clamped).then(|| Tick(ns).since(at))
    }

    #[inline(always)]
    fn plain_id(&self, field: Field) -> Option<Id<'a>> {
        match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => i64::try_from(number).ok().map(Id::Number),
            _ => None,
        }
    }

    #[inline(always)]
    fn plain_nanos(&self, field: Field) -> Option<i64> {
        // Sixteen digits and three decimals may be more than fits.
        i64::try_from(match self.fields.get(field)? {
            Token { kind: Kind::Integer, number, .. } => number * 1000,
            Token { kind: Kind::Decimal, number, .. } => number,
            _ => return None,
        })
        .ok()
    }

    #[inline(always)]
    fn plain_text(&self, field: Field) -> Option<Text<'a>> {
        let Some(Token { kind, start, end, .. }) = self.fields.get(field) else { return Some(Text::EMPTY) };
        let inside = self.data.get(start + 1..end - 1);
        match kind {
            Kind::String => inside.map(Text::plain),
            Kind::EscapedString => inside.map(Text::escaped),
            _ => None,
        }
    }

    #[inline(always)]
    fn plain_args(&self) -> Option<Args<'a>> {
        if self.fields.has_more_than(THREAD_EVENT) {
            return self.data.get(self.object.0..self.object.1).map(|event| Args::new(event, &JSON_EVENT));
        }
        match self.fields.get(Field::Args) {
            None => Some(Args::NONE),
            // `{}`
            Some(Token { kind: Kind::Object, start, end, .. }) if end - start == 2 => Some(Args::NONE),
            Some(Token { kind: Kind::Object, start, end, .. }) => match self.data.get(start..end)? {
                // There may be nothing but blanks.
                [_, first, ..] if lexer::is_blank(*first) => None,
                object => Some(Args::new(object, &JSON_ARGS)),
            },
            _ => None,
        }
    }
}

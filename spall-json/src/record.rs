//! The usual spellings of an event's fields: numbers for times and ids, strings for texts.
//!
//! Each usual spelling is decoded here and nowhere else. Nothing is reported: a method returns `None` for whatever is
//! written otherwise, and the [`Decoder`](crate::decoder::Decoder), which starts from these methods, looks closer.
//! The parser calls them directly for slices, most of every file. They are inlined and make hardly a call, so that the
//! event is built where the caller wants it. Slices that go through the decoder as well cost 8 % (Chromium) to 19 %
//! (begin/end traces) more instructions for the whole file. JSON to events (begin-end) takes 9 % more without
//! `inline(always)` here.

use spall_model::{Args, Id, Text, Thread, ThreadEvent, Tick, Ticks};

use crate::args;
use crate::decimal::{Nanos, Rounded};
use crate::fields::{Field, FieldSet, Fields, KEYED_EVENT, THREAD_EVENT};
use crate::lexer::{self, Token, TokenKind};

/// An event of the file, with its fields and the data that holds them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a, 'f> {
    pub(crate) data: &'a [u8],
    pub(crate) fields: &'f Fields,
    /// The range of the whole object.
    pub(crate) object: (usize, usize),
}

// By reference, here and for tokens: a copy that was just written waits for its stores, which made reading events of many kinds
// a tenth slower.
impl<'a> Record<'a, '_> {
    /// Returns the bytes of the whole object.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.data.get(self.object.0..self.object.1).unwrap_or_default()
    }

    /// Returns the first byte of a string, escapes decoded, or 0 if the string is empty, and `None` if the field is
    /// absent or no string.
    // Without the attributes in this file, the job `JSON to events, begin-end` takes 11 % more instructions.
    #[inline(always)]
    pub(crate) fn first_byte(&self, field: Field) -> Option<u8> {
        match self.fields.get(field)? {
            &Token { kind: TokenKind::String, start, end, .. } if end - start > 2 => {
                self.data.get(start + 1).copied()
            }
            Token { kind: TokenKind::String, .. } => Some(0),
            token if token.kind == TokenKind::EscapedString => first_escaped_byte(token, self.data),
            _ => None,
        }
    }

    /// Returns the event on its thread, whatever its phase.
    #[inline(always)]
    pub(crate) fn thread_event(&self) -> Option<ThreadEvent<'a>> {
        if !self.is_number_or_absent(Field::Tts) || !self.is_number_or_absent(Field::Tdur) {
            return None;
        }
        Some(ThreadEvent {
            thread: Thread { pid: self.id(Field::Pid)?, tid: self.id(Field::Tid)? },
            at: self.time()?,
            name: self.text(Field::Name)?,
            category: self.text(Field::Cat)?,
            args: self.args(THREAD_EVENT)?,
        })
    }

    /// Returns the duration of a complete event that begins at `at`, its [`time`](Self::time).
    #[inline(always)]
    pub(crate) fn duration(&self, at: Tick) -> Option<Ticks> {
        match self.micros(Field::Dur) {
            // Both are whole nanoseconds: so is the end, and nothing is rounded.
            Some(ns) => {
                let ns = i64::try_from(ns).ok()?;
                at.0.checked_add(ns).map(|_| Ticks(ns))
            }
            None => rounded_duration(self.fields.get(Field::Dur)?, self.data, at),
        }
    }

    /// Returns whether `field` is a plain number or absent.
    #[inline(always)]
    pub(crate) fn is_number_or_absent(&self, field: Field) -> bool {
        matches!(
            self.fields.get(field),
            None | Some(Token { kind: TokenKind::Integer(_) | TokenKind::Decimal { .. }, .. })
        )
    }

    /// Returns an id that is a number.
    #[inline(always)]
    pub(crate) fn id(&self, field: Field) -> Option<Id<'a>> {
        match self.fields.get(field)? {
            // Sixteen digits fit.
            &Token { kind: TokenKind::Integer(number), .. } => i64::try_from(number).ok().map(Id::Number),
            _ => None,
        }
    }

    /// Returns a number of microseconds with up to three decimals, in nanoseconds.
    #[inline(always)]
    pub(crate) fn micros(&self, field: Field) -> Option<u64> {
        match *self.fields.get(field)? {
            // Sixteen digits times 1000 fit.
            Token { kind: TokenKind::Integer(micros), .. } => Some(micros * 1000),
            Token { kind: TokenKind::Decimal { thousandths }, .. } => Some(thousandths),
            _ => None,
        }
    }

    /// Returns the time of the event.
    #[inline(always)]
    pub(crate) fn time(&self) -> Option<Tick> {
        i64::try_from(self.micros(Field::Ts)?).ok().map(Tick)
    }

    /// Returns a text that is a string, or the empty text if the field is absent.
    #[inline(always)]
    pub(crate) fn text(&self, field: Field) -> Option<Text<'a>> {
        let Some(&Token { kind, start, end, .. }) = self.fields.get(field) else { return Some(Text::EMPTY) };
        let inside = self.data.get(start + 1..end - 1);
        match kind {
            TokenKind::String => inside.map(Text::plain),
            TokenKind::EscapedString => inside.map(Text::escaped),
            _ => None,
        }
    }

    /// Returns arguments that are an object or absent, together with the fields that `represented` does not have.
    #[inline(always)]
    pub(crate) fn args(&self, represented: FieldSet) -> Option<Args<'a>> {
        let args = match self.fields.get(Field::Args) {
            None => Args::NONE,
            // `{}`
            Some(&Token { kind: TokenKind::Object, start, end, .. }) if end - start == 2 => Args::NONE,
            Some(token) if token.kind == TokenKind::Object => {
                match self.data.get(token.start..token.end)? {
                    // There may be nothing but blanks, which are no arguments.
                    [_, first, ..] if lexer::is_blank(*first) => return None,
                    bytes => args::json_args(bytes),
                }
            }
            _ => return None,
        };
        Some(self.with_further_fields(args, represented))
    }

    /// Returns the arguments of an event with a key that has none but its thread, which the model's event has no place for.
    pub(crate) fn keyed_thread(&self) -> Option<Args<'a>> {
        let is_alone =
            self.fields.get(Field::Args).is_none() && self.fields.has_more_by_only(Field::Tid, KEYED_EVENT);
        let tid = self.fields.get(Field::Tid).filter(|_| is_alone)?;
        // With the byte behind it, which ends a number.
        Some(args::keyed_thread(self.data.get(tid.start..=tid.end)?))
    }

    /// Returns `args`; if the event has fields that `represented` does not have, arguments that hold these, too.
    #[inline(always)]
    pub(crate) fn with_further_fields(&self, args: Args<'a>, represented: FieldSet) -> Args<'a> {
        if self.fields.has_more_than(represented) {
            args::whole_event(self.bytes(), represented)
        } else {
            args
        }
    }
}

/// Returns the first byte of a string with escapes.
fn first_escaped_byte(token: &Token, data: &[u8]) -> Option<u8> {
    let piece = Text::escaped(token.inside(data)).pieces().next()?;
    piece.bytes(&mut [0; 4]).first().copied()
}

/// Returns a duration that has more than three decimals. Both ends are then rounded, not the duration. [json
/// 3.1](crate::rules::json#3.1)
fn rounded_duration(token: &Token, data: &[u8], at: Tick) -> Option<Ticks> {
    if token.kind != TokenKind::Bare {
        return None;
    }
    let duration = Nanos::from_micros(token.bytes(data))?;
    let Rounded { ns, clamped } = Nanos::from_whole(u64::try_from(at.0).ok()?).add_round(duration);
    (!clamped).then(|| Tick(ns) - at)
}

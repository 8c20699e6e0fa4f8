//! The fields of an event: the token of each field that the parser knows. [json 1](crate::rules::json#1)
//!
//! [`Fields::read`] is the plain way to find them, a key at a time. [`KeyPredictor`](crate::predict::KeyPredictor) is
//! the fast one, which finds the same.

use spall_model::Text;

use crate::lexer::{self, KeyToken, Token, TokenError};

macro_rules! fields {
    ($($name:ident = $key:literal,)*) => {
        /// A field of an event that the parser knows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Field {
            $($name,)*
            /// Any other field.
            Unknown,
        }

        impl Field {
            const COUNT: usize = Self::Unknown as usize + 1;

            /// Returns the field with this key, which holds no escapes.
            #[inline]
            fn of_plain_key(key: &[u8]) -> Self {
                match key {
                    $($key => Self::$name,)*
                    _ => Self::Unknown,
                }
            }

            /// Returns the field with this key, whose escapes are not decoded.
            fn of_escaped_key(key: &[u8]) -> Self {
                let key = Text::escaped(key);
                $(if key.is($key) {
                    return Self::$name;
                })*
                Self::Unknown
            }
        }
    };
}

fields! {
    Name = b"name",
    Cat = b"cat",
    Ph = b"ph",
    Ts = b"ts",
    Dur = b"dur",
    Pid = b"pid",
    Tid = b"tid",
    Args = b"args",
    Id = b"id",
    Id2 = b"id2",
    Tts = b"tts",
    Tdur = b"tdur",
    InstantScope = b"s",
    KeyScope = b"scope",
    BindingPoint = b"bp",
    BindId = b"bind_id",
    FlowIn = b"flow_in",
    FlowOut = b"flow_out",
}

impl Field {
    /// Returns the field that `key` names.
    #[inline]
    pub(crate) fn of_key(data: &[u8], key: &KeyToken) -> Self {
        let name = key.bytes(data);
        if key.escaped { Self::of_escaped_key(name) } else { Self::of_plain_key(name) }
    }
}

/// A set of fields, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FieldSet(pub(crate) u32);

impl FieldSet {
    /// Returns the set of these fields.
    const fn of(fields: &[Field]) -> Self {
        let mut bits = 0;
        let mut rest = fields;
        while let [field, tail @ ..] = rest {
            bits |= 1 << *field as u32;
            rest = tail;
        }
        Self(bits)
    }

    /// Returns whether the set has `field`.
    #[inline]
    pub(crate) fn has(self, field: Field) -> bool {
        self.0 & 1 << field as u32 != 0
    }

    #[inline]
    fn insert(&mut self, field: Field) {
        self.0 |= 1 << field as u32;
    }

    #[inline]
    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

use Field::{
    Args, BindId, BindingPoint, Cat, Dur, FlowIn, FlowOut, Id, Id2, InstantScope, KeyScope, Name, Ph, Pid,
    Tid, Ts,
};

/// The fields that are in [`spall_model::ThreadEvent`] or in the variant of [`spall_model::Event`] around it.
pub(crate) const THREAD_EVENT: FieldSet = FieldSet::of(&[
    Name,
    Cat,
    Ph,
    Ts,
    Dur,
    Pid,
    Tid,
    Args,
    InstantScope,
    BindingPoint,
    BindId,
    FlowIn,
    FlowOut,
]);

/// The fields that are in [`spall_model::KeyedEvent`]. The thread is not among them.
pub(crate) const KEYED_EVENT: FieldSet = FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Args, Id, Id2, KeyScope]);

/// The fields that are in [`spall_model::SampleEvent`], without those that only samples have.
pub(crate) const SAMPLE: FieldSet = FieldSet::of(&[Name, Ph, Ts, Pid, Tid, Args]);

/// The fields that are in [`spall_model::FlowEvent`].
pub(crate) const FLOW_EVENT: FieldSet =
    FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Tid, Args, Id, Id2, BindingPoint]);

/// The fields that are in [`spall_model::CounterEvent`], and the thread.
///
/// The thread of a counter means nothing. Keeping it would make the whole event the arguments, in which each reader of
/// the series has to look for them.
pub(crate) const COUNTER_EVENT: FieldSet = FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Tid, Args, Id, Id2]);

/// The known fields of one event, as tokens of the data that was read.
///
/// The parser owns one value and uses it for every event. Clearing 19 tokens for each event would take too long, so a
/// set says which of them are valid.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    present: FieldSet,
    values: [Token; Field::COUNT],
}

impl Fields {
    /// Returns the fields of an event that has none.
    pub(crate) const fn new() -> Self {
        Self { present: FieldSet(0), values: [Token::EMPTY; Field::COUNT] }
    }

    /// Reads the object whose brace is at `start` and returns its end.
    pub(crate) fn read(&mut self, data: &[u8], start: usize) -> Result<usize, TokenError> {
        self.clear();
        let mut pos = start + 1;
        while let Some(key) = lexer::next_key(data, &mut pos)? {
            let value = lexer::token(data, key.value)?;
            pos = value.end;
            self.set(Field::of_key(data, &key), value);
        }
        Ok(pos)
    }

    /// Removes all fields.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.present = FieldSet(0);
    }

    /// Sets the value of a field. The last one counts where an event repeats it.
    #[inline]
    pub(crate) fn set(&mut self, field: Field, value: Token) {
        // All unknown fields share one slot: whether there are any is all that is asked of them.
        if let Some(slot) = self.values.get_mut(field as usize) {
            *slot = value;
        }
        self.present.insert(field);
    }

    /// Returns the value of `field`, if the event has it.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> Option<&Token> {
        if !self.present.has(field) {
            return None;
        }
        self.values.get(field as usize)
    }

    /// Returns whether the event has `field`, `null` included.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.present.has(field)
    }

    /// Returns whether the event has no field at all, not even an unknown one.
    pub(crate) fn is_empty(&self) -> bool {
        self.present.0 == 0
    }

    /// Returns whether the event has `field`, which `represented` does not have, and else no other such field.
    pub(crate) fn has_more_by_only(&self, field: Field, represented: FieldSet) -> bool {
        self.present.without(represented) == FieldSet::of(&[field])
    }

    /// Returns whether the event has fields that `represented` does not have.
    #[inline]
    pub(crate) fn has_more_than(&self, represented: FieldSet) -> bool {
        self.present.without(represented).0 != 0
    }
}

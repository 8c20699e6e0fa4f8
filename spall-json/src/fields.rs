//! The fields of an event: where in the data each known one stands. \[json 1\]

use spall_model::Text;

use crate::lexer::{self, Key, Stop, Token};

macro_rules! fields {
    ($($name:ident = $key:literal,)*) => {
        /// A field of an event that means something to the reader.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Field {
            $($name,)*
            /// Any other one.
            Unknown,
        }

        impl Field {
            const COUNT: usize = Self::Unknown as usize + 1;

            /// The field with this key, which holds no escapes.
            #[inline]
            fn of_plain_key(key: &[u8]) -> Self {
                match key {
                    $($key => Self::$name,)*
                    _ => Self::Unknown,
                }
            }

            /// The field with this key, whose escapes are not decoded.
            #[cold]
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
    /// The field that has the key `key` of the object in `data`.
    #[inline]
    pub(crate) fn of_key(data: &[u8], key: &Key) -> Self {
        let name = data.get(key.inside.0..key.inside.1).unwrap_or_default();
        if key.escaped { Self::of_escaped_key(name) } else { Self::of_plain_key(name) }
    }
}

/// A set of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FieldSet(u32);

impl FieldSet {
    const fn of(fields: &[Field]) -> Self {
        let mut bits = 0;
        let mut rest = fields;
        while let [field, tail @ ..] = rest {
            bits |= 1 << *field as u32;
            rest = tail;
        }
        Self(bits)
    }

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

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

use Field::{
    Args, BindId, BindingPoint, Cat, Dur, FlowIn, FlowOut, Id, Id2, InstantScope, KeyScope, Name, Ph, Pid,
    Tid, Ts,
};

/// What [`spall_model::ThreadEvent`] and its phase say.
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

/// What [`spall_model::KeyedEvent`] says. The thread is not part of it.
pub(crate) const KEYED_EVENT: FieldSet = FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Args, Id, Id2, KeyScope]);

/// What [`spall_model::ThreadSampleEvent`] and its phase say, but for the fields that only samples have.
pub(crate) const SAMPLE: FieldSet = FieldSet::of(&[Name, Ph, Ts, Pid, Tid, Args]);

/// As [`THREAD_EVENT`], of one end of an arrow.
pub(crate) const FLOW_EVENT: FieldSet =
    FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Tid, Args, Id, Id2, BindingPoint]);

/// What [`spall_model::CounterEvent`] says, and the thread, which means nothing there: to keep it would mean to seek
/// the series in the whole event.
pub(crate) const COUNTER_EVENT: FieldSet = FieldSet::of(&[Name, Cat, Ph, Ts, Pid, Tid, Args, Id, Id2]);

/// The known fields of one event. Kept by the reader and used again for every event; positions are those of the
/// data that was read, which is the same as long as the event is.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    present: FieldSet,
    values: [Token; Field::COUNT],
}

impl Fields {
    pub(crate) const fn new() -> Self {
        Self { present: FieldSet(0), values: [Token::NOWHERE; Field::COUNT] }
    }

    /// Reads the object whose brace is at `start` and returns its end.
    pub(crate) fn read(&mut self, data: &[u8], start: usize) -> Result<usize, Stop> {
        self.clear();
        let mut pos = start + 1;
        while let Some(member) = lexer::next_member(data, &mut pos)? {
            self.set(Field::of_key(data, &member.key), member.value);
        }
        Ok(pos)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.present = FieldSet(0);
    }

    /// Notes the value of a field; the last one counts where a file repeats it.
    #[inline(always)]
    pub(crate) fn set(&mut self, field: Field, value: Token) {
        if let Some(slot) = self.values.get_mut(field as usize) {
            *slot = value;
        }
        self.present.insert(field);
    }

    /// The value of `field`, if the event has it.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> Option<Token> {
        if !self.present.has(field) {
            return None;
        }
        self.values.get(field as usize).copied()
    }

    /// Whether the event has `field`, `null` included.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.present.has(field)
    }

    /// Whether the event has no field at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Whether the event has more than the fields of `represented`.
    #[inline]
    pub(crate) fn has_more_than(&self, represented: FieldSet) -> bool {
        !self.present.without(represented).is_empty()
    }
}

//! Arguments deserialised into types of the caller.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
};

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::{Args, Entries, Value};

/// The number of lists and objects inside one another that are read. Types that contain themselves could go deeper, and
/// would exhaust the stack.
const MAX_DEPTH: u8 = 128;

/// Reads arguments of any format into a type that implements [`Deserialize`].
///
/// Text without escapes is borrowed from the input. A key that repeats is an error for a struct, as serde defines it.
///
/// ```
/// use serde::Deserialize;
/// use spall_model::{ArgsBuilder, from_args};
///
/// #[derive(Deserialize)]
/// struct Frame<'a> {
///     number: u32,
///     stage: Option<&'a str>,
/// }
///
/// let mut builder = ArgsBuilder::new();
/// builder.add("number", 7).add("stage", "draw");
/// let frame: Frame<'_> = from_args(&builder.args())?;
/// assert_eq!((frame.number, frame.stage), (7, Some("draw")));
/// # Ok::<(), spall_model::ArgsError>(())
/// ```
///
/// # Errors
/// This returns [`ArgsError`] when the arguments do not fit the type, or when they nest deeper than 128.
pub fn from_args<'a, T: Deserialize<'a>>(args: &Args<'a>) -> Result<T, ArgsError> {
    T::deserialize(Decoder { value: Value::Map(*args), depth: 0 })
}

/// The reason why arguments do not fit a type, from [`from_args`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgsError {
    message: String,
}

impl core::fmt::Display for ArgsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ArgsError {}

impl serde::de::Error for ArgsError {
    fn custom<T: core::fmt::Display>(message: T) -> Self {
        Self { message: message.to_string() }
    }
}

/// A value, and the number of lists and objects around it.
#[derive(Clone, Copy)]
struct Decoder<'a> {
    value: Value<'a>,
    depth: u8,
}

impl<'a> Decoder<'a> {
    /// Returns the entries of a list or an object that is this value, or an error if it nests too deep.
    fn inside(self, args: Args<'a>) -> Result<Inside<'a>, ArgsError> {
        if self.depth == MAX_DEPTH {
            return Err(ArgsError::custom("arguments nest too deep"));
        }
        Ok(Inside { entries: args.iter(), value: None, depth: self.depth + 1 })
    }
}

impl<'a> Deserializer<'a> for Decoder<'a> {
    type Error = ArgsError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ArgsError> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(value),
            Value::I64(value) => visitor.visit_i64(value),
            Value::U64(value) => visitor.visit_u64(value),
            Value::F64(value) => visitor.visit_f64(value),
            Value::Text(text) => match text.decode() {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            Value::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Value::List(items) => visitor.visit_seq(self.inside(items)?),
            Value::Map(entries) => visitor.visit_map(self.inside(entries)?),
            _ => visitor.visit_unit(),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ArgsError> {
        if self.value == Value::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ArgsError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgsError> {
        match self.value {
            // A variant without content is a text.
            Value::Text(name) => visitor.visit_enum(name.decode().into_deserializer()),
            Value::Map(entries) if entries.iter().nth(1).is_some() => {
                Err(ArgsError::custom("expected an object with one key, the variant"))
            }
            Value::Map(entries) => visitor.visit_enum(MapAccessDeserializer::new(self.inside(entries)?)),
            _ => Err(ArgsError::custom("expected a variant")),
        }
    }

    forward_to_deserialize_any! {
        <W: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The rest of a list or an object.
struct Inside<'a> {
    entries: Entries<'a>,
    /// The value of the key that was read last.
    value: Option<Value<'a>>,
    depth: u8,
}

impl<'a> SeqAccess<'a> for Inside<'a> {
    type Error = ArgsError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ArgsError> {
        let Some((_, value)) = self.entries.next() else { return Ok(None) };
        seed.deserialize(Decoder { value, depth: self.depth }).map(Some)
    }
}

impl<'a> MapAccess<'a> for Inside<'a> {
    type Error = ArgsError;

    fn next_key_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ArgsError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(Decoder { value: Value::Text(key), depth: self.depth }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, ArgsError> {
        let value = self.value.take().unwrap_or(Value::Null);
        seed.deserialize(Decoder { value, depth: self.depth })
    }
}

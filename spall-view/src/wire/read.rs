//! Values from MessagePack. A type reads the one kind of value that it is written as. With a reader that hands it whatever comes,
//! each type has code for all kinds, which was a quarter of the engine in WebAssembly.

use core::fmt::Display;

use rmp::{
    Marker,
    decode::{self, ExtMeta},
};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
    value::{BorrowedBytesDeserializer, Error, SeqAccessDeserializer},
};
use serde::forward_to_deserialize_any;

use crate::since::EXTENSION;

/// Reads the value that some bytes in MessagePack are. Fields have their names, variants too.
///
/// # Errors
/// If the bytes are no such value, or more than one.
pub fn value<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let mut reader = Reader { rest: bytes };
    let value = T::deserialize(&mut reader)?;
    if reader.rest.is_empty() { Ok(value) } else { Err(wrong("there are bytes behind the value")) }
}

/// What is not read yet.
struct Reader<'de> {
    rest: &'de [u8],
}

/// Parts of a value that follow one another.
struct Parts<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: u32,
}

fn wrong(error: impl Display) -> Error {
    Error::custom(error)
}

impl<'de> Reader<'de> {
    fn marker(&self) -> Result<Marker, Error> {
        self.rest.first().map(|&byte| Marker::from_u8(byte)).ok_or_else(|| wrong("the value is cut short"))
    }

    fn take(&mut self, length: u32) -> Result<&'de [u8], Error> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| wrong("the value is cut short"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn bool(&mut self) -> Result<bool, Error> {
        decode::read_bool(&mut self.rest).map_err(wrong)
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        let length = decode::read_str_len(&mut self.rest).map_err(wrong)?;
        core::str::from_utf8(self.take(length)?).map_err(wrong)
    }

    /// A whole number, of which those that are not negative are unsigned.
    fn whole(&mut self) -> Result<Result<u64, i64>, Error> {
        if matches!(self.marker()?, Marker::U64) {
            return decode::read_u64(&mut self.rest).map(Ok).map_err(wrong);
        }
        let number: i64 = decode::read_int(&mut self.rest).map_err(wrong)?;
        Ok(u64::try_from(number).map_err(|_| number))
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of JavaScript")]
    fn number(&mut self) -> Result<f64, Error> {
        match self.marker()? {
            Marker::F32 => decode::read_f32(&mut self.rest).map(f64::from).map_err(wrong),
            Marker::F64 => decode::read_f64(&mut self.rest).map_err(wrong),
            _ => Ok(self.whole()?.map_or_else(|number| number as f64, |number| number as f64)),
        }
    }

    /// Whether nothing stands here; if so it is read.
    fn is_nil(&mut self) -> Result<bool, Error> {
        let is_nil = matches!(self.marker()?, Marker::Null);
        self.take(is_nil.into())?;
        Ok(is_nil)
    }

    fn list(&mut self) -> Result<Parts<'_, 'de>, Error> {
        let left = decode::read_array_len(&mut self.rest).map_err(wrong)?;
        Ok(Parts { reader: self, left })
    }

    fn map(&mut self) -> Result<Parts<'_, 'de>, Error> {
        let left = decode::read_map_len(&mut self.rest).map_err(wrong)?;
        Ok(Parts { reader: self, left })
    }

    /// Skips a value with all that is in it.
    fn skip(&mut self) -> Result<(), Error> {
        let mut left = 1_u64;
        while left > 0 {
            left -= 1;
            let size = |reader: &mut Self, bytes: u32| {
                let size = reader.take(bytes)?.iter().fold(0_u32, |size, &byte| size << 8 | u32::from(byte));
                Ok::<_, Error>(size)
            };
            let marker = self.marker()?;
            self.take(1)?;
            let bytes = match marker {
                Marker::Null | Marker::True | Marker::False | Marker::FixPos(_) | Marker::FixNeg(_) => 0,
                Marker::U8 | Marker::I8 => 1,
                Marker::U16 | Marker::I16 | Marker::FixExt1 => 2,
                Marker::FixExt2 => 3,
                Marker::U32 | Marker::I32 | Marker::F32 => 4,
                Marker::FixExt4 => 5,
                Marker::U64 | Marker::I64 | Marker::F64 => 8,
                Marker::FixExt8 => 9,
                Marker::FixExt16 => 17,
                Marker::FixStr(size) => size.into(),
                Marker::Str8 | Marker::Bin8 => size(self, 1)?,
                Marker::Str16 | Marker::Bin16 => size(self, 2)?,
                Marker::Str32 | Marker::Bin32 => size(self, 4)?,
                Marker::Ext8 => size(self, 1)?.saturating_add(1),
                Marker::Ext16 => size(self, 2)?.saturating_add(1),
                Marker::Ext32 => size(self, 4)?.saturating_add(1),
                Marker::FixArray(_)
                | Marker::Array16
                | Marker::Array32
                | Marker::FixMap(_)
                | Marker::Map16
                | Marker::Map32 => {
                    let (parts, each) = match marker {
                        Marker::FixArray(parts) => (parts.into(), 1),
                        Marker::FixMap(parts) => (parts.into(), 2),
                        Marker::Array16 => (size(self, 2)?, 1),
                        Marker::Map16 => (size(self, 2)?, 2),
                        Marker::Array32 => (size(self, 4)?, 1),
                        _ => (size(self, 4)?, 2),
                    };
                    left += u64::from(parts) * each;
                    0
                }
                Marker::Reserved => return Err(wrong("a byte is no value")),
            };
            self.take(bytes)?;
        }
        Ok(())
    }
}

/// Methods that hand on a whole number.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.whole()? {
                Ok(number) => visitor.visit_u64(number),
                Err(number) => visitor.visit_i64(number),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    /// What may be of several kinds is a number.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.marker()? {
            Marker::F32 | Marker::F64 => visitor.visit_f64(self.number()?),
            _ => self.deserialize_i64(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.bool()?)
    }

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_nil()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_nil()? {
            visitor.visit_unit()
        } else {
            Err(wrong("something stands where nothing should"))
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &str, visitor: V) -> Result<V::Value, Error> {
        if name != EXTENSION {
            return visitor.visit_newtype_struct(self);
        }
        let ExtMeta { typeid, size } = decode::read_ext_meta(&mut self.rest).map_err(wrong)?;
        let parts = Extension { kind: Some(typeid), bytes: self.take(size)? };
        visitor.visit_newtype_struct(SeqAccessDeserializer::new(parts))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.map()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &str,
        _fields: &[&str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(self.map()?)
    }

    /// A variant is its name, or a map of its name and what it has.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &str,
        _variants: &[&str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let left = match self.marker()? {
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => self.map()?.left,
            _ => 0,
        };
        match left {
            0 | 1 => visitor.visit_enum(Parts { reader: self, left }),
            _ => Err(wrong("a variant has one name")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit_struct }
}

/// The kind of an extension, and then its bytes.
struct Extension<'de> {
    kind: Option<i8>,
    bytes: &'de [u8],
}

impl<'de> SeqAccess<'de> for Extension<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let part = match self.kind.take() {
            Some(kind) => seed.deserialize(kind.into_deserializer())?,
            None => seed.deserialize(BorrowedBytesDeserializer::new(self.bytes))?,
        };
        Ok(Some(part))
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        None
    }
}

impl<'de> MapAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.reader)
    }
}

impl<'de> EnumAccess<'de> for Parts<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(&mut *self.reader)?;
        Ok((variant, self))
    }
}

impl Parts<'_, '_> {
    /// Whether a variant has something, as it should.
    fn filled(&self) -> Result<(), Error> {
        if self.left == 1 { Ok(()) } else { Err(wrong("a variant has nothing but its name")) }
    }
}

impl<'de> VariantAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        if self.left == 0 || self.reader.is_nil()? {
            Ok(())
        } else {
            Err(wrong("a variant has more than its name"))
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.filled()?;
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Error> {
        self.filled()?;
        visitor.visit_seq(self.reader.list()?)
    }

    fn struct_variant<V: Visitor<'de>>(self, _fields: &[&str], visitor: V) -> Result<V::Value, Error> {
        self.filled()?;
        visitor.visit_map(self.reader.map()?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot begin fails")]

    use alloc::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Numbers, Question};

    fn bytes(value: &impl Serialize) -> Vec<u8> {
        rmp_serde::to_vec_named(value).unwrap()
    }

    #[test]
    fn a_question_is_what_it_is_in_json() {
        let all: Vec<Value> = serde_json::from_str(&crate::types::asked()).unwrap();
        assert!(all.len() > 40);
        // Numbers of one kind are lists there.
        for asked in all.into_iter().filter(|asked| asked.get("compare").is_none()) {
            let expected: Question = serde_json::from_value(asked.clone()).unwrap();
            let bytes = bytes(&asked);
            let is: Question = value(&bytes).unwrap();
            assert_eq!(format!("{is:?}"), format!("{expected:?}"));
            for end in 0..bytes.len() {
                assert!(value::<Question>(&bytes[..end]).is_err(), "{asked} without the bytes from {end} on");
            }
            assert!(value::<Question>(&[&bytes[..], &[0xc0]].concat()).is_err(), "{asked} and one byte more");
        }
    }

    #[test]
    fn numbers_of_one_kind_come_back() {
        for numbers in [vec![], vec![1.5], vec![0.0, -7.0], vec![f64::MAX; 100], vec![0.1; 9000]] {
            let numbers = Numbers(numbers);
            let bytes = bytes(&numbers);
            assert_eq!(value::<Numbers<f64>>(&bytes).unwrap(), numbers);
            assert!(value::<Numbers<u32>>(&bytes).is_err() && value::<Vec<f64>>(&bytes).is_err());
            assert!(value::<Numbers<f64>>(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn numbers_are_read_in_each_way_of_writing_them() {
        for number in [0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 32, u64::MAX] {
            assert_eq!(value::<u64>(&bytes(&number)).unwrap(), number);
        }
        for number in [-1, -32, -33, -128, -129, -32_768, -32_769, -(1 << 31), i64::MIN, i64::MAX] {
            assert_eq!(value::<i64>(&bytes(&number)).unwrap(), number);
        }
        assert_eq!(value::<f64>(&bytes(&1.5_f32)).unwrap(), 1.5);
        assert_eq!(value::<f64>(&bytes(&-7)).unwrap(), -7.0);
        assert_eq!(value::<f32>(&bytes(&u64::MAX)).unwrap(), u64::MAX as f32);
        assert!(
            value::<u8>(&bytes(&256)).is_err()
                && value::<u64>(&bytes(&-1)).is_err()
                && value::<i64>(&bytes(&1.5)).is_err()
        );
    }

    #[test]
    fn fields_that_nobody_knows_are_skipped() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Known {
            a: u8,
        }
        let long = "x".repeat(70_000);
        let others = json!([null, true, -1, 300, 70_000, 1.5, "text", long, &long[..300], [[], [1, [2]]], {"b": {"c": []}}, vec![0; 20], vec![0; 70_000]]);
        for other in others.as_array().unwrap() {
            let bytes = bytes(&json!({"0": other, "a": 5, "z": other}));
            assert_eq!(value::<Known>(&bytes).unwrap(), Known { a: 5 }, "{other}");
            assert!(value::<Known>(&bytes[..bytes.len() - 1]).is_err(), "{other}");
        }
        // Lists that are deeper than any stack, and longer than any memory.
        let head = [0x82, 0xa1, b'0'];
        let deep = [&head[..], &vec![0x91; 1 << 20], &[0xc0, 0xa1, b'a', 5]].concat();
        assert_eq!(value::<Known>(&deep).unwrap(), Known { a: 5 });
        for marker in [0xdd, 0xdf, 0xdb, 0xc6, 0xc9] {
            assert!(value::<Known>(&[&head[..], &[marker, 255, 255, 255, 255, 1]].concat()).is_err());
        }
        assert!(value::<Vec<u64>>(&[0xdd, 255, 255, 255, 255, 1]).is_err());
        assert!(value::<BTreeMap<u8, u8>>(&[0xdf, 255, 255, 255, 255, 1]).is_err());
    }
}

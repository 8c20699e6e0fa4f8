//! Times and numbers as they cross to a frontend.

use core::{fmt, ops::Deref};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};
use spall_trace::model::Ticks;

/// A time, as ticks since the origin of an [`Engine`](crate::Engine).
///
/// It is serialised as a number. A reader whose numbers have 53 bits, such as JavaScript, gets it exactly up to 2⁵³ ticks from
/// the origin; a time beyond that is rounded. A fraction of a tick that is read is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Since(pub Ticks);

/// The largest number of ticks that a number of 64 bits with a fraction has exactly.
const EXACT: u64 = 1 << 53;

impl Serialize for Since {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Ticks(ticks) = self.0;
        if ticks.unsigned_abs() <= EXACT {
            serializer.serialize_i64(ticks)
        } else {
            serializer.serialize_f64(ticks as f64)
        }
    }
}

impl<'de> Deserialize<'de> for Since {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Since;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of ticks")
            }

            fn visit_i64<E: Error>(self, ticks: i64) -> Result<Since, E> {
                Ok(Since(Ticks(ticks)))
            }

            fn visit_u64<E: Error>(self, ticks: u64) -> Result<Since, E> {
                Ok(Since(Ticks(i64::try_from(ticks).unwrap_or(i64::MAX))))
            }

            #[expect(clippy::cast_possible_truncation, reason = "a fraction is cut, and the rest saturates")]
            fn visit_f64<E: Error>(self, ticks: f64) -> Result<Since, E> {
                Ok(Since(Ticks(ticks as i64)))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// Numbers of one kind. They are serialised as bytes, the least significant byte of each number first, so that a frontend
/// gets them in one piece.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Numbers<T>(pub Vec<T>);

impl<T> Deref for Numbers<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Serialize for Numbers<$number> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
                serializer.serialize_bytes(&bytes)
            }
        })*
    };
}

numbers!(f32, f64, u32);

/// Reads numbers from their bytes. Bytes behind the last whole number are left out.
impl<'de> Deserialize<'de> for Numbers<f64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of numbers")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
                core::iter::from_fn(|| list.next_element().transpose()).collect()
            }
        }
        let bytes = deserializer.deserialize_bytes(Bytes)?;
        Ok(Self(bytes.as_chunks().0.iter().copied().map(f64::from_le_bytes).collect()))
    }
}

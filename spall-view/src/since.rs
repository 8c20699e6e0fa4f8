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
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "number"))]
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

/// Numbers of one kind, which a frontend gets in one piece. They are serialised as a tag, which says their kind, and bytes, the
/// least significant byte of each number first; in MessagePack, as an extension.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Numbers<T>(pub Vec<T>);

/// The name by which a serializer of MessagePack knows an extension.
pub(crate) const EXTENSION: &str = "_ExtStruct";

impl<T> Deref for Numbers<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

struct Bytes<B>(B);

impl Serialize for Bytes<&[u8]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes<Vec<u8>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
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
        deserializer.deserialize_bytes(Any).map(Self)
    }
}

macro_rules! numbers {
    ($($number:ty = $tag:literal $array:literal),*) => {
        $(#[cfg(test)]
        impl ts_rs::TS for Numbers<$number> {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(_: &ts_rs::Config) -> String {
                $array.into()
            }

            fn inline(_: &ts_rs::Config) -> String {
                $array.into()
            }
        }

        impl Serialize for Numbers<$number> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
                serializer.serialize_newtype_struct(EXTENSION, &($tag, Bytes(&*bytes)))
            }
        }

        /// Reads numbers from their bytes. Bytes behind the last whole number are left out.
        impl<'de> Deserialize<'de> for Numbers<$number> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Extension;
                impl<'de> Visitor<'de> for Extension {
                    type Value = Vec<u8>;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("numbers of one kind")
                    }

                    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Vec<u8>, D::Error> {
                        match <(i8, Bytes<Vec<u8>>)>::deserialize(inner)? {
                            ($tag, Bytes(bytes)) => Ok(bytes),
                            _ => Err(D::Error::custom("numbers of another kind")),
                        }
                    }
                }
                let bytes = deserializer.deserialize_newtype_struct(EXTENSION, Extension)?;
                Ok(Self(bytes.as_chunks().0.iter().copied().map(<$number>::from_le_bytes).collect()))
            }
        })*
    };
}

numbers!(f32 = 1_i8 "Float32Array", f64 = 2_i8 "Float64Array", u32 = 3_i8 "Uint32Array");

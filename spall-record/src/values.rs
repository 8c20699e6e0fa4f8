//! Arguments whose keys are those of their site: their values as words.
//!
//! | value | words |
//! |---|---|
//! | `null`, a truth value | a tag |
//! | a number | a tag, and the number |
//! | a text | a tag, with the length in bytes above it, and the text as [`put_text`] puts it |

use core::fmt::{self, Write as _};

use spall_model::{Text, Value};
use zerocopy::IntoBytes as _;

use crate::short_text::ShortText;

const NULL: u64 = 0;
const FALSE: u64 = 1;
const TRUE: u64 = 2;
const I64: u64 = 3;
const U64: u64 = 4;
const F64: u64 = 5;
const TEXT: u64 = 6;
const TAG_BITS: u32 = 8;
const TAG: u64 = (1 << TAG_BITS) - 1;

/// Returns how many words the values take, or `None` if one of them is of another kind than those above.
#[inline]
pub(crate) fn n_words(values: &[Value<'_>]) -> Option<usize> {
    values.iter().try_fold(0, |n_words, value| {
        let of_value = match value {
            Value::Null | Value::Bool(_) => 1,
            Value::I64(_) | Value::U64(_) | Value::F64(_) => 2,
            Value::Text(text) if !text.is_escaped() => 1 + text.raw().len().div_ceil(8),
            _ => return None,
        };
        Some(n_words + of_value)
    })
}

/// Calls `put` with each word of the values.
#[inline]
pub(crate) fn put(values: &[Value<'_>], put: &mut impl FnMut(u64)) {
    for value in values {
        let (tag, number) = match *value {
            Value::I64(number) => (I64, number.cast_unsigned()),
            Value::U64(number) => (U64, number),
            Value::F64(number) => (F64, number.to_bits()),
            Value::Text(text) => {
                put(TEXT | (text.raw().len() as u64) << TAG_BITS);
                put_text(text.raw(), put);
                continue;
            }
            Value::Bool(value) => {
                put(if value { TRUE } else { FALSE });
                continue;
            }
            _ => {
                put(NULL);
                continue;
            }
        };
        put(tag);
        put(number);
    }
}

/// Calls `put` with the words whose memory has a text, and zeros behind it.
#[inline]
pub(crate) fn put_text(text: &[u8], put: &mut impl FnMut(u64)) {
    let (whole, rest) = text.as_chunks::<8>();
    whole.iter().for_each(|word| put(u64::from_ne_bytes(*word)));
    if !rest.is_empty() {
        put(padded(rest));
    }
}

/// Returns a word whose memory has up to seven bytes, and zeros behind them.
#[inline]
fn padded(bytes: &[u8]) -> u64 {
    let little_endian = match (bytes.first_chunk(), bytes.last_chunk()) {
        // The two halves overlap in bytes that are equal in both.
        (Some(first), Some(last)) => {
            let shift = 8 * (bytes.len() - 4);
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift
        }
        _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    little_endian.to_le()
}

/// The values in some words.
#[derive(Debug, Clone)]
pub(crate) struct Values<'a>(pub(crate) &'a [u64]);

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        let (&first, rest) = self.0.split_first()?;
        let length = match first & TAG {
            NULL | FALSE | TRUE => 0,
            I64 | U64 | F64 => 8,
            _ => usize::try_from(first >> TAG_BITS).ok()?,
        };
        let (words, rest) = rest.split_at_checked(length.div_ceil(8))?;
        self.0 = rest;
        let number = words.first().copied().unwrap_or(0);
        Some(match first & TAG {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            I64 => Value::I64(number.cast_signed()),
            U64 => Value::U64(number),
            F64 => Value::F64(f64::from_bits(number)),
            _ => Value::Text(Text::plain(words.as_bytes().get(..length)?)),
        })
    }
}

/// Puts keys and values into a text as [`Args`](spall_model::Args) are shown, which takes a multiple of the time. The error
/// says that there was more.
pub(crate) fn write(keys: &[&str], values: Values<'_>, text: &mut ShortText) -> fmt::Result {
    for (index, (key, value)) in keys.iter().zip(values).enumerate() {
        if index > 0 {
            text.write_str(", ")?;
        }
        // The key of arguments that are one text.
        if keys != ["text"] || !matches!(value, Value::Text(_)) {
            text.write_str(key)?;
            text.push(b"=")?;
        }
        match value {
            Value::U64(number) => text.write_number(number)?,
            Value::I64(number) => {
                if number < 0 {
                    text.push(b"-")?;
                }
                text.write_number(number.unsigned_abs())?;
            }
            Value::F64(number) => text.write_float(number)?,
            Value::Bool(value) => text.write_str(if value { "true" } else { "false" })?,
            Value::Text(value) if let Ok(value) = str::from_utf8(value.raw()) => text.write_str(value)?,
            _ => write!(text, "{value}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use spall_model::ArgsBuilder;

    use super::*;

    #[test]
    fn values_are_read_back_and_shown_as_arguments_are() {
        let of_text = |text| Value::Text(Text::plain(text));
        let all = [
            Value::Null,
            Value::Bool(false),
            Value::Bool(true),
            Value::I64(i64::MIN),
            Value::I64(0),
            Value::U64(u64::MAX),
            Value::F64(-0.1),
            Value::F64(1e21),
            Value::F64(3.25),
            of_text(b""),
            of_text(b"seven b"),
            of_text(b"eight by"),
            of_text(b"bad \xff UTF-8"),
        ];
        let check = |keys: &[&str], values: &[Value<'_>]| {
            let mut words = Vec::new();
            put(values, &mut |word| words.push(word));
            assert_eq!(Some(words.len()), n_words(values));
            assert!(Values(&words).eq(values.iter().copied()));
            let mut builder = ArgsBuilder::new();
            keys.iter().zip(values).for_each(|(&key, &value)| _ = builder.add(key, value));
            let mut text = ShortText::new();
            write(keys, Values(&words), &mut text).unwrap();
            assert_eq!(text.as_bytes(), builder.args().to_string().as_bytes());
        };
        for value in all {
            check(&["key"], &[value]);
            check(&["text"], &[value]);
            check(&["text", "other"], &[value, value]);
        }
        check(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"], &all);
    }
}

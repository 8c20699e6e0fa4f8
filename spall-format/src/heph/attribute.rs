//! The decoder of an event's attributes. [heph B.1](crate::rules::heph#B.1)

use spall_model::{Args, ArgsFormat, Text, Value};

use super::wire::value_type;
use crate::cursor::Cursor;

/// The encoding of the [`Args`] of a Heph event, whose bytes are the attributes as they stand in the packet.
static ATTRIBUTES: ArgsFormat = ArgsFormat::new("heph attributes", next_attribute);

/// The encoding of the elements of an array attribute, whose bytes are the type, the count and the values.
static ARRAY: ArgsFormat = ArgsFormat::new("heph array", next_element);

/// Returns attributes as arguments of an event. Iteration over them ends silently where the bytes are damaged. They are
/// [`Args::NONE`] if there are no attributes.
#[inline]
pub(super) fn args(attributes: &[u8]) -> Args<'_> {
    if attributes.is_empty() { Args::NONE } else { Args::new(attributes, &ATTRIBUTES) }
}

/// Returns the attributes before the first damaged one.
#[inline]
pub(super) fn whole(attributes: &[u8]) -> &[u8] {
    let mut pos = 0;
    while pos < attributes.len() && next_attribute(attributes, &mut pos).is_some() {}
    attributes.get(..pos).unwrap_or_default()
}

/// Decodes one attribute. Returns `None` at the end, and if the attribute is not whole.
fn next_attribute<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let mut input = Cursor::new(bytes, *pos);
    let name = counted(&mut input)?;
    let typed = input.pos();
    let kind = input.u8().ok()?;
    let value = if kind & value_type::ARRAY == 0 {
        scalar(&mut input, kind)?
    } else {
        // An array is only stepped over here. Its bytes start at the type, so that its elements can be decoded alone.
        // The type of an empty array is not checked, because writers store any: Rust's `[u16; 0]` is written as type 0.
        for _ in 0..length(&mut input)? {
            scalar(&mut input, kind & !value_type::ARRAY)?;
        }
        Value::List(Args::new(input.since(typed), &ARRAY))
    };
    *pos = input.pos();
    Some((Text::plain(name), value))
}

/// Decodes one element of an array whose bytes start with type and count.
fn next_element<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    const HEAD: usize = 3;
    let (&kind, _) = bytes.split_first()?;
    // The count is not needed: the bytes of an array end with its last element.
    let mut input = Cursor::new(bytes, (*pos).max(HEAD));
    let value = scalar(&mut input, kind & !value_type::ARRAY)?;
    *pos = input.pos();
    Some((Text::EMPTY, value))
}

/// Reads a length or count.
fn length(input: &mut Cursor<'_>) -> Option<u16> {
    input.array().ok().map(u16::from_be_bytes)
}

/// Reads a length and that many bytes.
fn counted<'a>(input: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let length = length(input)?;
    input.take(usize::from(length)).ok()
}

/// Reads a value of a type that is not an array.
fn scalar<'a>(input: &mut Cursor<'a>, kind: u8) -> Option<Value<'a>> {
    Some(match kind {
        value_type::U64 => Value::U64(u64::from_be_bytes(input.array().ok()?)),
        value_type::I64 => Value::I64(i64::from_be_bytes(input.array().ok()?)),
        value_type::F64 => Value::F64(f64::from_be_bytes(input.array().ok()?)),
        value_type::TEXT => Value::Text(Text::plain(counted(input)?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bytes: &[u8]) -> usize {
        args(bytes).iter().count()
    }

    #[test]
    fn b1_every_scalar_type() {
        let bytes = b"\0\x01u\x01\xff\xff\xff\xff\xff\xff\xff\xff\0\x01i\x02\x80\0\0\0\0\0\0\0\0\x01f\x03\x40\x09\x21\xfb\x54\x44\x2d\x18\0\0\x04\0\x02ab";
        let args = args(bytes);
        assert_eq!(args.get(b"u"), Some(Value::U64(u64::MAX)));
        assert_eq!(args.get(b"i"), Some(Value::I64(i64::MIN)));
        assert_eq!(args.get(b"f"), Some(Value::F64(core::f64::consts::PI)));
        assert_eq!(args.get(b""), Some(Value::Text(Text::plain(b"ab"))));
        assert_eq!(whole(bytes), bytes);
    }

    #[test]
    fn b1_arrays_are_lists() {
        let bytes = b"\0\x01a\x84\0\x03\0\0\0\x01x\0\x02yy\0\x01b\x81\0\x01\0\0\0\0\0\0\0\x07";
        let mut attributes = args(bytes).iter();
        let Some((_, Value::List(texts))) = attributes.next() else { panic!("a list") };
        assert!(texts.iter().map(|(_, value)| value).eq([
            Value::Text(Text::EMPTY),
            Value::Text(Text::plain(b"x")),
            Value::Text(Text::plain(b"yy"))
        ]));
        let Some((_, Value::List(numbers))) = attributes.next() else { panic!("a list") };
        assert!(numbers.iter().map(|(_, value)| value).eq([Value::U64(7)]));
        assert_eq!(attributes.next(), None);
    }

    #[test]
    fn b2_an_empty_array_may_have_any_type() {
        let bytes = b"\0\x01u\x80\0\0\0\x01v\x85\0\0";
        assert_eq!(names(bytes), 2);
        let Some((_, Value::List(list))) = args(bytes).iter().next() else { panic!("a list") };
        assert_eq!(list.iter().count(), 0);
    }

    #[test]
    fn b5_damage_ends_the_attributes_before_it() {
        let undamaged = b"\0\x01u\x01\0\0\0\0\0\0\0\x01";
        for damage in [
            &b"\0"[..],
            b"\0\x01v",
            b"\0\x01v\0",
            b"\0\x01v\x05\0",
            b"\0\x01v\x80\0\x01",
            b"\0\x01v\x81\xff\xff",
        ] {
            let bytes = [&undamaged[..], damage].concat();
            assert_eq!(names(&bytes), 1, "{damage:x?}");
            assert_eq!(whole(&bytes), undamaged, "{damage:x?}");
        }
    }
}

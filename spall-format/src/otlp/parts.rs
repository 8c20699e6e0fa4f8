//! The fields of a message, the last of which may be cut.

use crate::protobuf::{Fields, Wire};
use crate::varint::varint;

/// A field of a message, or what is left of a damaged one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// A field.
    Whole(u32, Wire<'a>),
    /// A field whose length is beyond the end of the message, as far as it is there.
    Cut(u32, &'a [u8]),
    /// Bytes that are no field.
    Damaged(&'a [u8]),
}

/// Returns the fields of a message. What cannot be read is the last part.
pub(super) fn parts(message: &[u8]) -> impl Iterator<Item = Part<'_>> + Clone {
    let mut fields = Fields::new(message);
    core::iter::from_fn(move || {
        let rest = fields.rest();
        Some(match fields.next()? {
            Ok((number, value)) => Part::Whole(number, value),
            Err(_) => cut(rest).unwrap_or(Part::Damaged(rest)),
        })
    })
}

/// Returns the field at the start of `rest` if it is one of bytes that are not all there.
fn cut(rest: &[u8]) -> Option<Part<'_>> {
    let (key, key_length) = varint(rest)?;
    let behind_key = rest.get(key_length..)?;
    let (length, length_bytes) = varint(behind_key)?;
    let content = behind_key.get(length_bytes..)?;
    let number = u32::try_from(key >> 3).ok().filter(|&number| number != 0)?;
    (key & 7 == 2 && length > content.len() as u64).then_some(Part::Cut(number, content))
}

/// Returns the bytes of a field that holds messages, and whether they are cut.
pub(super) fn message_of<'a>(part: Part<'a>, numbers: &[u32]) -> Option<(&'a [u8], bool)> {
    match part {
        Part::Whole(number, Wire::Bytes(bytes)) if numbers.contains(&number) => Some((bytes, false)),
        Part::Cut(number, bytes) if numbers.contains(&number) => Some((bytes, true)),
        _ => None,
    }
}

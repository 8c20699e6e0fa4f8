//! The arguments of track events that say their names themselves. [perfetto 4.5](crate::rules::perfetto#4.5)

use core::cell::Cell;

use spall_model::{ArgsBuilder, OpenEntry, Text, Value};

use super::proto::numbers::interned_data;
use super::sequence::Sequence;
use super::strings::Strings;
use crate::protobuf::{Fields, FromWire as _, Wire};

/// Reads a text that is a JSON value.
pub(super) type ReadJson = for<'a> fn(&'a [u8]) -> Value<'a>;

/// What arguments refer to.
pub(super) struct Source<'s> {
    pub(super) sequence: &'s Sequence,
    pub(super) strings: &'s Strings,
    pub(super) json: ReadJson,
    /// The size in bytes at which arguments are given up, because they refer to texts that are much longer.
    pub(super) limit: u64,
    /// Whether an interned entry was asked for that is not there.
    pub(super) is_missing: Cell<bool>,
}

/// Takes the size of arguments from the bytes that they may still take. Arguments that are longer are removed. Returns whether
/// they are kept.
pub(super) fn pay(args: &mut ArgsBuilder<'static>, budget: &mut u64) -> bool {
    let rest = budget.checked_sub(args.args().bytes().len() as u64);
    match rest {
        Some(rest) => *budget = rest,
        None => args.clear(),
    }
    rest.is_some()
}

/// The number of lists and maps inside one another that are read. What lies deeper is left out.
const MAX_DEPTH: usize = 32;

/// A list or map whose values are being added.
struct Level<'a> {
    /// The fields of the message that has the values.
    fields: Fields<'a>,
    /// The number of the field that has the values.
    number: u32,
    /// The fields that have the keys, if they are not in the values.
    keys: Option<Fields<'a>>,
    is_list: bool,
    /// Whether the values are nested values and not annotations.
    is_nested: bool,
    entry: OpenEntry,
}

/// What an annotation, or a nested value, holds.
enum Content<'a> {
    None,
    Scalar(Value<'a>),
    Pointer(u64),
    /// A list or map in a message: the number of the field that has its values, and whether it is a list.
    Inside(&'a [u8], u32, bool, bool),
}

impl<'s> Source<'s> {
    /// Returns an interned text or message.
    pub(super) fn text(&self, table: u32, iid: u64) -> Option<&'s [u8]> {
        let place = self.sequence.interned.get(table, iid);
        if place.is_none() {
            self.is_missing.set(true);
        }
        place.map(|place| self.strings.get(place))
    }

    /// Returns whether arguments have reached the limit. Then they are dropped as a whole.
    pub(super) fn is_too_long(&self, args: &ArgsBuilder<'_>) -> bool {
        args.args().bytes().len() as u64 > self.limit
    }

    /// Adds the arguments that a field of a track event has.
    pub(super) fn argument(&self, number: u32, value: Wire<'_>, args: &mut ArgsBuilder<'static>) {
        match (number, value) {
            (4, Wire::Bytes(annotation)) => self.annotation(annotation, args),
            (4, _) => {}
            _ => self.typed(number, value, args),
        }
    }

    /// Adds a debug annotation with everything in it.
    fn annotation<'a>(&'a self, message: &'a [u8], args: &mut ArgsBuilder<'static>) {
        let (key, content) = self.read_annotation(message);
        if let Content::Scalar(value) = content {
            args.add(Text::plain(key), value);
            return;
        }
        // A fixed stack instead of recursion, because the file decides how deep it gets.
        let mut levels: [Option<Level<'a>>; MAX_DEPTH] = [const { None }; MAX_DEPTH];
        let mut depth = 0;
        let mut next = Some(((key, content), false));
        loop {
            if self.is_too_long(args) {
                return;
            }
            if let Some(((key, content), in_list)) = next.take() {
                let key = if in_list { b"" } else { key };
                let key = Text::plain(key);
                match (content, levels.get_mut(depth)) {
                    (Content::None, _) | (Content::Inside(..), None) => {
                        args.add(key, Value::Null);
                    }
                    (Content::Scalar(value), _) => {
                        args.add(key, value);
                    }
                    (Content::Pointer(address), _) => {
                        args.add(key, Text::plain(hexadecimal(address, &mut [0; 18])));
                    }
                    (Content::Inside(message, number, is_list, is_nested), Some(slot)) => {
                        let entry = if is_list { args.begin_list(key) } else { args.begin_map(key) };
                        let keys = (is_nested && !is_list).then(|| Fields::new(message));
                        *slot = Some(Level {
                            fields: Fields::new(message),
                            number,
                            keys,
                            is_list,
                            is_nested,
                            entry,
                        });
                        depth += 1;
                    }
                }
            }
            let Some(slot) = depth.checked_sub(1).and_then(|top| levels.get_mut(top)) else { return };
            let Some(level) = slot else { return };
            match next_bytes(&mut level.fields, level.number) {
                Some(message) if level.is_nested => {
                    let key = level.keys.as_mut().and_then(|keys| next_bytes(keys, nested::KEYS));
                    next = Some(((key.unwrap_or_default(), read_nested(message)), level.is_list));
                }
                Some(message) => next = Some((self.read_annotation(message), level.is_list)),
                None => {
                    if let Some(level) = slot.take() {
                        args.end(level.entry);
                    }
                    depth -= 1;
                }
            }
        }
    }

    /// Returns the name and the content of an annotation. The last value counts.
    fn read_annotation<'a>(&'a self, message: &'a [u8]) -> (&'a [u8], Content<'a>) {
        let (mut name, mut content): (&[u8], _) = (b"", Content::None);
        for (number, value) in Fields::new(message).map_while(Result::ok) {
            let scalar = |value: Option<Value<'a>>| value.map_or(Content::None, Content::Scalar);
            content = match (number, value) {
                (1, Wire::Varint(iid)) => {
                    name = self.text(interned_data::DEBUG_ANNOTATION_NAMES, iid).unwrap_or_default();
                    continue;
                }
                (10, Wire::Bytes(text)) => {
                    name = text;
                    continue;
                }
                (2, value) => scalar(bool::from_wire(value).map(Value::Bool)),
                (3, value) => scalar(u64::from_wire(value).map(Value::U64)),
                (4, value) => scalar(i64::from_wire(value).map(Value::I64)),
                (5, value) => scalar(f64::from_wire(value).map(Value::F64)),
                (6, Wire::Bytes(text)) => Content::Scalar(Value::Text(Text::plain(text))),
                (7, Wire::Varint(address)) => Content::Pointer(address),
                (8, Wire::Bytes(message)) => read_nested(message),
                (9, Wire::Bytes(json)) => Content::Scalar((self.json)(json)),
                (14, Wire::Bytes(bytes)) => Content::Scalar(Value::Bytes(bytes)),
                (17, Wire::Varint(iid)) => scalar(
                    self.text(interned_data::DEBUG_ANNOTATION_STRING_VALUES, iid)
                        .map(|text| Value::Text(Text::plain(text))),
                ),
                (11 | 12, Wire::Bytes(_)) => {
                    // One of them says what the annotation is, and the values are read later.
                    if matches!(content, Content::Inside(..)) {
                        continue;
                    }
                    Content::Inside(message, number, number == 12, false)
                }
                _ => continue,
            };
        }
        (name, content)
    }
}

/// The numbers of the fields of a nested value.
mod nested {
    pub(super) const KEYS: u32 = 2;
    pub(super) const MAP_VALUES: u32 = 3;
    pub(super) const LIST_VALUES: u32 = 4;
}

/// Returns the content of a nested value, the older form of lists and maps.
fn read_nested(message: &[u8]) -> Content<'_> {
    let mut content = Content::None;
    for (number, value) in Fields::new(message).map_while(Result::ok) {
        content = match (number, value) {
            (1, Wire::Varint(1)) => Content::Inside(message, nested::MAP_VALUES, false, true),
            (1, Wire::Varint(2)) => Content::Inside(message, nested::LIST_VALUES, true, true),
            (5, Wire::Varint(number)) => Content::Scalar(Value::I64(number.cast_signed())),
            (6, value) => {
                f64::from_wire(value).map_or(Content::None, |number| Content::Scalar(Value::F64(number)))
            }
            (7, Wire::Varint(flag)) => Content::Scalar(Value::Bool(flag != 0)),
            (8, Wire::Bytes(text)) => Content::Scalar(Value::Text(Text::plain(text))),
            _ => continue,
        };
    }
    content
}

/// Returns the next value of a repeated field that is bytes.
fn next_bytes<'a>(fields: &mut Fields<'a>, number: u32) -> Option<&'a [u8]> {
    fields.map_while(Result::ok).find_map(|field| match field {
        (found, Wire::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    })
}

/// Returns a number as `0x` and its hexadecimal digits.
fn hexadecimal(number: u64, buffer: &mut [u8; 18]) -> &[u8] {
    let n_digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
    let length = 2 + n_digits as usize;
    for (slot, at) in buffer.iter_mut().zip(0_u32..).take(length) {
        *slot = match at {
            0 => b'0',
            1 => b'x',
            _ => {
                let shift = 4 * (n_digits + 1 - at);
                *b"0123456789abcdef".get((number >> shift & 15) as usize).unwrap_or(&b'0')
            }
        };
    }
    buffer.get(..length).unwrap_or_default()
}

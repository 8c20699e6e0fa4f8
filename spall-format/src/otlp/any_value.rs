//! Values with a type. [otel 2.3](crate::rules::otel#2.3)

use alloc::vec::Vec;

use spall_model::{
    ArgsBuilder, OpenEntry, Text, Value,
    services::{MAX_VALUE_DEPTH, attribute_key},
};

use super::schema::{KeyValue, field};
use crate::protobuf::{Fields, FromWire as _, Message as _, Wire};

/// A list or a map that is being read.
struct Open<'a> {
    entry: Option<OpenEntry>,
    fields: Fields<'a>,
    /// The number of the field that has the values.
    number: u32,
    is_map: bool,
}

/// What is wrong with attributes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Faults {
    pub(super) is_too_deep: bool,
    pub(super) is_damaged: bool,
}

/// A value: a scalar, or the message of a list or of a map.
enum Decoded<'a> {
    Scalar(Value<'a>),
    List(&'a [u8]),
    Map(&'a [u8]),
}

/// Adds the attributes in the field `number` of a message. Keys that mean something else get a prefix, unless they are those of
/// a resource.
pub(super) fn add_attributes(
    message: &[u8],
    number: u32,
    is_resource: bool,
    args: &mut ArgsBuilder<'static>,
) -> Faults {
    let mut faults = Faults::default();
    let fields = Fields::new(message);
    let mut open = Vec::from([Open { entry: None, fields, number, is_map: true }]);
    while let Some(top) = open.last_mut() {
        let item = match top.fields.next() {
            Some(Ok((number, Wire::Bytes(item)))) if number == top.number => item,
            Some(Ok(_)) => continue,
            end => {
                faults.is_damaged |= end.is_some();
                if let Some(entry) = open.pop().and_then(|open| open.entry) {
                    args.end(entry);
                }
                continue;
            }
        };
        let (key, value) = match top.is_map {
            true => {
                let entry = KeyValue::of(item);
                (Text::plain(entry.key), entry.value)
            }
            false => (Text::EMPTY, item),
        };
        let prefixed;
        let key = if open.len() == 1 && !is_resource {
            prefixed = attribute_key(key);
            Text::plain(&prefixed)
        } else {
            key
        };
        let (message, is_map) = match decode(value, &mut faults) {
            Decoded::Scalar(value) => {
                let _ = args.add(key, value);
                continue;
            }
            Decoded::List(_) | Decoded::Map(_) if open.len() >= MAX_VALUE_DEPTH => {
                faults.is_too_deep = true;
                let _ = args.add(key, Value::Null);
                continue;
            }
            Decoded::List(list) => (list, false),
            Decoded::Map(map) => (map, true),
        };
        let entry = if is_map { args.begin_map(key) } else { args.begin_list(key) };
        let fields = Fields::new(message);
        open.push(Open { entry: Some(entry), fields, number: field::VALUES, is_map });
    }
    faults
}

/// Returns what a value is. Of several types the last one counts.
fn decode<'a>(message: &'a [u8], faults: &mut Faults) -> Decoded<'a> {
    let mut decoded = Decoded::Scalar(Value::Null);
    for field in Fields::new(message) {
        let Ok((number, wire)) = field else {
            faults.is_damaged = true;
            break;
        };
        decoded = match (number, wire) {
            (1, Wire::Bytes(text)) => Decoded::Scalar(Value::Text(Text::plain(text))),
            (2, Wire::Varint(value)) => Decoded::Scalar(Value::Bool(value != 0)),
            (3, Wire::Varint(value)) => Decoded::Scalar(Value::I64(value.cast_signed())),
            (4, Wire::Fixed64(_)) => match f64::from_wire(wire) {
                Some(value) => Decoded::Scalar(Value::F64(value)),
                None => continue,
            },
            (5, Wire::Bytes(list)) => Decoded::List(list),
            (6, Wire::Bytes(map)) => Decoded::Map(map),
            (7, Wire::Bytes(bytes)) => Decoded::Scalar(Value::Bytes(bytes)),
            _ => continue,
        };
    }
    decoded
}

//! The typed arguments of track events: messages whose fields have names in the schema. [perfetto
//! 4.5](crate::rules::perfetto#4.5)
//!
//! The schema's own tables say the names. What is not in them keeps its numbers.

use spall_model::{ArgsBuilder, Text, Value};

use super::args::Source;
use super::proto::args::{SOURCE_LOCATION, TRACK_EVENT};
use super::proto::numbers::interned_data;
use super::proto::{
    ArgField as Field, ArgKind as Kind,
    ArgKind::{Flag, Float, Interned, Left, List, Message, Name, Place, Signed, Unsigned},
};
use super::schema::Names;
use super::track::digits;
use crate::protobuf::{Fields, FromWire as _, Packed, Wire};

impl Source<'_> {
    /// Adds an argument of a track event that is not a debug annotation.
    pub(super) fn typed(&self, number: u32, value: Wire<'_>, args: &mut ArgsBuilder<'static>) {
        self.field(find(TRACK_EVENT, number).map(|(_, field)| field), (number, value), args);
    }

    /// Adds a field, under its number if it is not known. A value of another wire type than that of the schema stays raw.
    fn field(&self, field: Option<Field>, (number, value): (u32, Wire<'_>), args: &mut ArgsBuilder<'static>) {
        let mut buffer = [0; 20];
        let Some((_, name, kind)) = field else {
            args.add(Text::plain(digits(u64::from(number), &mut buffer)), raw(value));
            return;
        };
        let shown = match (kind, value) {
            (Left, _) => return,
            (Message(fields), Wire::Bytes(message)) => return self.message(name, message, fields, args),
            (Interned(table), Wire::Varint(iid)) => match self.text(table, iid) {
                Some(text) => Value::Text(Text::plain(text)),
                None => return,
            },
            (Place, Wire::Varint(iid)) => match self.text(interned_data::SOURCE_LOCATIONS, iid) {
                Some(place) => return self.message(name, place, SOURCE_LOCATION, args),
                None => return,
            },
            (Signed, Wire::Varint(number)) => Value::I64(number.cast_signed()),
            (Float, value) => f64::from_wire(value).map_or_else(|| raw(value), Value::F64),
            (Flag, Wire::Varint(number)) => Value::Bool(number != 0),
            (Kind::Text, Wire::Bytes(text)) => Value::Text(Text::plain(text)),
            (Name(names), Wire::Varint(number)) => {
                Names(names).get(number).map_or(Value::U64(number), |name| Value::Text(Text::from(name)))
            }
            (_, value) => raw(value),
        };
        args.add(name, shown);
    }

    /// Adds a message as a map. How deep messages are read is said by the tables above, not by the file.
    fn message(&self, key: &str, message: &[u8], fields: &[Field], args: &mut ArgsBuilder<'static>) {
        let entry = args.begin_map(key);
        self.fields(message, fields, args);
        args.end(entry);
    }

    /// Adds the fields of a message.
    fn fields(&self, message: &[u8], fields: &[Field], args: &mut ArgsBuilder<'static>) {
        // The fields that were added, by their places in the table. A list is added where it occurs first. An interned name
        // says nothing beside the same name as text.
        let mut added = 0_u128;
        for (number, value) in Fields::new(message).map_while(Result::ok) {
            if self.is_too_long(args) {
                break;
            }
            let (at, field) = find(fields, number).unzip();
            let is_again =
                |name| fields.iter().zip(0..).any(|(other, at)| added >> at & 1 != 0 && other.1 == name);
            let is_left = matches!(field, Some((_, name, List(_) | Interned(_))) if is_again(name));
            added |= at.map_or(0, |at| 1 << at);
            match field {
                _ if is_left => {}
                Some((_, name, List(kind))) => self.list(name, (number, *kind), message, args),
                _ => self.field(field, (number, value), args),
            }
        }
    }

    /// Adds the values of a field that repeats.
    fn list(&self, name: &str, (number, kind): (u32, Kind), message: &[u8], args: &mut ArgsBuilder<'static>) {
        let list = args.begin_list(name);
        let values = Fields::new(message).map_while(Result::ok).filter(|(found, _)| *found == number);
        for (_, value) in values {
            let is_packed = matches!((kind, value), (Unsigned | Signed | Flag | Name(_), Wire::Bytes(_)));
            if is_packed {
                let numbers = value.numbers(Packed::Varint).map(Wire::Varint);
                numbers.for_each(|value| self.field(Some((number, "", kind)), (number, value), args));
            } else {
                self.field(Some((number, "", kind)), (number, value), args);
            }
            if self.is_too_long(args) {
                break;
            }
        }
        args.end(list);
    }
}

/// Returns a field and its place in a table.
fn find(fields: &[Field], number: u32) -> Option<(usize, Field)> {
    let at = fields.binary_search_by_key(&number, |field| field.0).ok()?;
    Some((at, *fields.get(at)?))
}

/// Returns a value as it is encoded. The bytes of a message are kept.
fn raw(value: Wire<'_>) -> Value<'_> {
    match value {
        Wire::Varint(number) | Wire::Fixed64(number) => Value::U64(number),
        Wire::Fixed32(number) => Value::U64(u64::from(number)),
        Wire::Bytes(bytes) => Value::Bytes(bytes),
    }
}

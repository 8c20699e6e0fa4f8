//! What the values of samples are.

use alloc::{string::String, vec::Vec};

use spall_model::{Ticks, Unit, UnitName, ValueType, ValueTypes};

use super::{schema, tables::Tables};

/// Reads a type of value. [profiles 1.2](spall_model::rules::profiles#1.2)
pub(super) fn value_type(tables: &Tables<'_>, of: schema::ValueType<'_>) -> ValueType {
    let text = |number| String::from_utf8_lossy(tables.string(number)).into_owned();
    let (kind, unit) = (text(of.kind), text(of.unit));
    let count = |name: &str| Unit::Count(UnitName::new(name));
    let time = Unit::Nanoseconds(1.0);
    let (axis, ticks) = match &*unit {
        "nanoseconds" | "nanosecond" | "ns" => (time, 1),
        "microseconds" | "microsecond" | "us" => (time, 1000),
        "milliseconds" | "millisecond" | "ms" => (time, 1_000_000),
        "seconds" | "second" | "s" => (time, 1_000_000_000),
        "bytes" | "byte" | "B" => (Unit::Bytes, 1),
        "count" | "" => (count(&kind), 1),
        unit => (count(unit), 1),
    };
    let name = if unit.is_empty() { kind } else { [&*kind, &*unit].join("/") };
    ValueType { name, unit: axis, ticks: Ticks(ticks) }
}

/// Reads the types of value. The one that counts is that whose text is `default`, else the last one.
pub(super) fn value_types<'m>(
    tables: &Tables<'_>,
    types: impl Iterator<Item = schema::ValueType<'m>> + Clone,
    default: &[u8],
) -> ValueTypes {
    let is_default = |of: &schema::ValueType<'_>| !default.is_empty() && tables.string(of.kind) == default;
    let chosen = types.clone().position(|of| is_default(&of));
    let all: Vec<_> = types.map(|of| value_type(tables, of)).collect();
    let default = chosen.unwrap_or(all.len().saturating_sub(1));
    ValueTypes::new(all, default)
}

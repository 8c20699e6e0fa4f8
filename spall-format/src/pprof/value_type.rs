//! What the values of samples are.

use alloc::{string::String, vec::Vec};

use spall_model::{Ticks, Unit, UnitName, Weights};

use super::{schema, tables::Tables};

/// A type of value.
#[derive(Debug)]
pub(super) struct ValueType {
    /// The type and the unit, such as `cpu/nanoseconds`.
    pub(super) name: String,
    /// The unit of an axis of such values.
    pub(super) unit: Unit,
    /// How many ticks of that axis a value of 1 is.
    pub(super) ticks: Ticks,
}

impl ValueType {
    /// Reads a type of value. [profiles 1.2](spall_model::rules::profiles#1.2)
    pub(super) fn new(tables: &Tables<'_>, of: schema::ValueType<'_>) -> Self {
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
        Self { name, unit: axis, ticks: Ticks(ticks) }
    }
}

impl ValueType {
    /// Returns what the weights of samples with such values count, on the axis of the default type.
    #[expect(clippy::cast_precision_loss, reason = "it is at most a second of nanoseconds")]
    pub(super) fn weights(&self, is_default: bool) -> Weights {
        match self.unit {
            _ if is_default => Weights::Axis(self.ticks),
            Unit::Nanoseconds(_) => Weights::Counted(Unit::Nanoseconds(self.ticks.0 as f64)),
            unit => Weights::Counted(unit),
        }
    }
}

/// The types of value of a profile.
#[derive(Debug)]
pub(super) struct ValueTypes {
    pub(super) all: Vec<ValueType>,
    /// The position of the one that counts: the default of the file, else the last one.
    pub(super) default: usize,
}

impl ValueTypes {
    /// Reads the types of value, of which `default` is the text of the default one.
    pub(super) fn new<'m>(
        tables: &Tables<'_>,
        types: impl Iterator<Item = schema::ValueType<'m>> + Clone,
        default: &[u8],
    ) -> Self {
        let is_default =
            |of: &schema::ValueType<'_>| !default.is_empty() && tables.string(of.kind) == default;
        let chosen = types.clone().position(|of| is_default(&of));
        let all: Vec<_> = types.map(|of| ValueType::new(tables, of)).collect();
        let default = chosen.unwrap_or(all.len().saturating_sub(1));
        Self { all, default }
    }
}

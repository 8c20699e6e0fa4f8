//! The fields of an event of the kernel, whatever the file has them as, and the texts and places that are made of them.

use alloc::string::String;
use core::fmt::{self, Write as _};

use super::fields::number as decimal;
use super::meanings::{FieldName, LISTS, Place, Template};
use super::output::{Shown, float, signed_float};

/// A value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue<'a> {
    Text(&'a [u8]),
    Unsigned(u64),
    Signed(i64),
}

/// The fields of an event.
pub(crate) trait EventFields {
    /// Returns the value of a field, if the event can have it.
    fn get(&self, name: &str) -> Option<FieldValue<'_>>;

    /// Returns the name of the function at an address.
    fn symbol(&self, address: u64) -> &[u8];
}

/// Where and when an event is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) cpu: u32,
    pub(crate) tid: i64,
    pub(crate) at: i64,
}

/// Why an event says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsaid {
    /// Its name or one of its fields is not known.
    Unknown,
    /// A field that is a number in other events is none.
    Damaged,
}

impl FieldValue<'_> {
    /// Returns the number as the value of a counter. A text that is a number is one.
    pub(super) fn float(self) -> Option<f64> {
        match self {
            Self::Unsigned(number) => Some(float(number)),
            Self::Signed(number) => Some(signed_float(number)),
            Self::Text(_) => self.integer().map(signed_float),
        }
    }

    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => Some(i64::try_from(number).unwrap_or(i64::MAX)),
            Self::Signed(number) => Some(number),
            Self::Text(text) => decimal(text),
        }
    }
}

impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => match self.integer() {
                Some(number) => number.fmt(f),
                None => Shown(text).fmt(f),
            },
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
        }
    }
}

/// Returns a field that has one of the names, which stand between bars.
pub(super) fn field<'e>(fields: &'e dyn EventFields, names: FieldName) -> Result<FieldValue<'e>, Unsaid> {
    names.split('|').find_map(|name| fields.get(name)).ok_or(Unsaid::Unknown)
}

pub(super) fn number(fields: &dyn EventFields, name: FieldName) -> Result<f64, Unsaid> {
    field(fields, name)?.float().ok_or(Unsaid::Damaged)
}

pub(super) fn integer(fields: &dyn EventFields, name: FieldName) -> Result<i64, Unsaid> {
    field(fields, name)?.integer().ok_or(Unsaid::Damaged)
}

/// Returns the bits of a number.
pub(super) fn bits(fields: &dyn EventFields, name: FieldName) -> Result<u64, Unsaid> {
    match field(fields, name)? {
        FieldValue::Unsigned(number) => Ok(number),
        other => other.integer().map(i64::cast_unsigned).ok_or(Unsaid::Damaged),
    }
}

/// Returns a field as text.
pub(super) fn shown(fields: &dyn EventFields, name: FieldName) -> Result<String, Unsaid> {
    Ok(alloc::format!("{}", field(fields, name)?))
}

/// Returns a text with the fields of an event in the places of their names.
pub(super) fn fill(template: Template, fields: &dyn EventFields, moment: Moment) -> Result<String, Unsaid> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (name, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let (name, form) = name.split_once(':').unwrap_or((name, ""));
        let value = match name {
            "@cpu" => FieldValue::Unsigned(moment.cpu.into()),
            "@tid" => FieldValue::Signed(moment.tid),
            _ => field(fields, name)?,
        };
        // Writing into memory does not fail.
        let _ = show(value, form, fields, &mut text);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

/// Writes a value in a form of [`Template`].
fn show(value: FieldValue<'_>, form: &str, fields: &dyn EventFields, to: &mut String) -> fmt::Result {
    let bits = match value {
        FieldValue::Unsigned(number) => Some(number),
        FieldValue::Signed(number) => Some(number.cast_unsigned()),
        FieldValue::Text(_) => None,
    };
    match (form, bits) {
        ("x", Some(number)) => write!(to, "{number:#x}"),
        ("device", Some(number)) => write!(to, "{}:{}", number >> 8 & 0xff, number & 0xff),
        ("kb", Some(bytes)) => write!(to, "{} kB", bytes.cast_signed() / 1024),
        ("symbol", Some(address)) => write!(to, "{}", Shown(fields.symbol(address))),
        (list, Some(number)) if !list.is_empty() => {
            let named = LISTS
                .iter()
                .filter(|(name, ..)| *name == list)
                .find_map(|(_, first, names)| names.get(usize::try_from(number.checked_sub(*first)?).ok()?));
            match named {
                Some(name) => to.write_str(name),
                None => write!(to, "{value}"),
            }
        }
        _ => write!(to, "{value}"),
    }
}

/// A place with the fields of an event in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum At {
    Thread(i64),
    Track(String),
    Apart(&'static str, String),
    Process(i64),
}

/// Returns a place with the fields of an event in it.
pub(super) fn on(place: Place, fields: &dyn EventFields, moment: Moment) -> Result<At, Unsaid> {
    Ok(match place {
        Place::Thread => At::Thread(moment.tid),
        Place::ThreadOf(tid) => At::Thread(integer(fields, tid)?),
        Place::Process(pid) => At::Process(integer(fields, pid)?),
        Place::Track(name) => At::Track(fill(name, fields, moment)?),
        Place::Apart(track, key) => At::Apart(track, fill(key, fields, moment)?),
    })
}

/// Returns whether a value is what a text says.
pub(super) fn is(value: FieldValue<'_>, wanted: &str) -> bool {
    match value {
        FieldValue::Text(text) => text == wanted.as_bytes(),
        FieldValue::Unsigned(number) => wanted.parse() == Ok(number),
        FieldValue::Signed(number) => wanted.parse() == Ok(number),
    }
}

//! The wire encoding of Protocol Buffers: a message is a list of fields, each with a number and a value.
//!
//! The encoding does not say what a field means, so this file knows no format. Nothing here recurses: a nested message
//! is a value of bytes, which the caller reads if it wants to.

use crate::varint::varint;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire<'a> {
    /// A number of a variable length, which means a bool, an enum, or an integer of any width.
    Varint(u64),
    /// Eight bytes, little-endian.
    Fixed64(u64),
    /// A text, bytes, a nested message, or packed scalars.
    Bytes(&'a [u8]),
    /// Four bytes, little-endian.
    Fixed32(u32),
}

impl<'a> Wire<'a> {
    /// Returns the numbers of a field that repeats, which are one for each field or packed into one.
    #[inline]
    pub(crate) fn numbers(self, packed: Packed) -> Numbers<'a> {
        let (one, many) = match self {
            Self::Bytes(bytes) => (None, bytes),
            other => (u64::from_wire(other), &[][..]),
        };
        Numbers { one, many: Fields::new(many), packed }
    }
}

/// Iterates over the numbers of a field.
#[derive(Debug, Clone)]
pub(crate) struct Numbers<'a> {
    one: Option<u64>,
    many: Fields<'a>,
    packed: Packed,
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if let Some(one) = self.one.take() {
            return Some(one);
        }
        match self.packed {
            _ if self.many.rest.is_empty() => None,
            Packed::Varint => self.many.varint(),
            Packed::Fixed64 => self.many.array().map(u64::from_le_bytes),
        }
    }
}

/// The error of a message whose rest cannot be read: a field of number 0, a group, or a value beyond the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damaged;

/// Iterates over the fields of a message, as pairs of a number and a value. It ends after an error.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    #[inline]
    pub(crate) const fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Returns the fields that were not read.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    // A page loads this code first, and every message would have a copy of it.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let key = u32::try_from(self.varint()?).ok()?;
        let number = Some(key >> 3).filter(|&number| number != 0)?;
        let value = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Wire::Bytes(bytes)
            }
            wire => {
                let (value, rest) = fixed(wire, self.rest)?;
                self.rest = rest;
                value
            }
        };
        Some((number, value))
    }

    #[inline(always)]
    fn varint(&mut self) -> Option<u64> {
        // Most numbers are small.
        if let [byte @ 0..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Some(u64::from(*byte));
        }
        let (number, length) = varint(self.rest)?;
        self.rest = self.rest.get(length..)?;
        Some(number)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(array)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>), Damaged>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or(Damaged))
    }
}

/// Reads a value of a fixed length at the start of `data`, and returns it with the rest. Returns `None` for other wire types.
// Out of line: without the two rare types, the others take no jump through a table.
#[inline(never)]
fn fixed(wire: u32, data: &[u8]) -> Option<(Wire<'_>, &[u8])> {
    match wire {
        1 => data.split_first_chunk().map(|(&bytes, rest)| (Wire::Fixed64(u64::from_le_bytes(bytes)), rest)),
        5 => data.split_first_chunk().map(|(&bytes, rest)| (Wire::Fixed32(u32::from_le_bytes(bytes)), rest)),
        _ => None,
    }
}

/// A type of values that a field may have. A value of another wire type leaves it as it is.
pub(crate) trait FromWire<'a>: Sized {
    fn from_wire(value: Wire<'a>) -> Option<Self>;
}

macro_rules! from_varint {
    ($($integer:ty),*) => {
        $(impl FromWire<'_> for $integer {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "a number of the encoding is as wide as its reader wants")]
            #[allow(clippy::cast_sign_loss, reason = "the bits of a signed number are those of an unsigned one")]
            fn from_wire(value: Wire<'_>) -> Option<Self> {
                match value {
                    Wire::Varint(number) | Wire::Fixed64(number) => Some(number as Self),
                    Wire::Fixed32(number) => Some(number as Self),
                    Wire::Bytes(_) => None,
                }
            }
        })*
    };
}

from_varint!(u64, i64, u32, i32);

impl FromWire<'_> for bool {
    fn from_wire(value: Wire<'_>) -> Option<Self> {
        u64::from_wire(value).map(|number| number != 0)
    }
}

impl FromWire<'_> for f64 {
    fn from_wire(value: Wire<'_>) -> Option<Self> {
        match value {
            Wire::Fixed64(bits) => Some(Self::from_bits(bits)),
            Wire::Fixed32(bits) => Some(Self::from(f32::from_bits(bits))),
            _ => None,
        }
    }
}

impl<'a> FromWire<'a> for &'a [u8] {
    #[inline(always)]
    fn from_wire(value: Wire<'a>) -> Option<Self> {
        match value {
            Wire::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<'a, T: FromWire<'a>> FromWire<'a> for Option<T> {
    #[inline(always)]
    fn from_wire(value: Wire<'a>) -> Option<Self> {
        T::from_wire(value).map(Some)
    }
}

/// A message of which some fields are known. Of a field that repeats, the last value counts.
pub(crate) trait Message<'a>: Default {
    /// Takes the value of a field. Values of unknown fields, and of other wire types, are left.
    fn take(&mut self, number: u32, value: Wire<'a>);

    /// Takes all fields of a message as far as it goes, and returns whether it is damaged.
    #[inline]
    fn take_all(&mut self, message: &'a [u8]) -> Result<(), Damaged> {
        for field in Fields::new(message) {
            let (number, value) = field?;
            self.take(number, value);
        }
        Ok(())
    }

    /// Reads a message as far as it goes, and whether it is damaged.
    #[inline]
    fn read(message: &'a [u8]) -> (Self, Result<(), Damaged>) {
        let mut this = Self::default();
        let whole = this.take_all(message);
        (this, whole)
    }

    /// Reads a message as far as it goes.
    #[inline]
    fn of(message: &'a [u8]) -> Self {
        Self::read(message).0
    }
}

/// Declares messages by their fields, each with a type and a number.
macro_rules! messages {
    ($($(#[$meta:meta])* $name:ident { $($field:ident: $type:ty = $number:pat),* $(,)? })*) => {
        $($(#[$meta])*
        #[derive(Debug, Clone, Copy, Default)]
        pub(super) struct $name<'a> {
            $(pub(super) $field: $type,)*
            _input: core::marker::PhantomData<&'a [u8]>,
        }

        impl<'a> $crate::protobuf::Message<'a> for $name<'a> {
            #[inline(always)]
            fn take(&mut self, number: u32, value: $crate::protobuf::Wire<'a>) {
                match number {
                    $($number => {
                        if let Some(value) = $crate::protobuf::FromWire::from_wire(value) {
                            self.$field = value;
                        }
                    })*
                    _ => {}
                }
            }
        })*
    };
}
pub(crate) use messages;

/// The fields of a message that may repeat. Most messages have one of them at most, and only one that has several is read
/// once more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Repeated<'a> {
    last: Option<(u32, Wire<'a>)>,
    are_several: bool,
}

impl<'a> Repeated<'a> {
    #[inline(always)]
    pub(crate) fn add(&mut self, number: u32, value: Wire<'a>) {
        self.are_several = self.last.is_some();
        self.last = Some((number, value));
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the field if there is exactly one.
    #[inline]
    pub(crate) fn single(&self) -> Option<(u32, Wire<'a>)> {
        self.last.filter(|_| !self.are_several)
    }

    /// Returns the values of a scalar field, packed or not, if no other field was added. Packed values are of the wire type
    /// `packed`.
    #[inline]
    pub(crate) fn numbers(self, message: &'a [u8], number: u32, packed: Packed) -> Scalars<'a> {
        let single = self.single().map_or(Wire::Bytes(&[]), |(_, value)| value);
        runs(single, if self.are_several { message } else { &[] }, number, packed)
    }

    /// Returns the fields in their order: those of the message for whose numbers `is_added` is true.
    #[inline]
    pub(crate) fn fields(
        self,
        message: &'a [u8],
        is_added: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (u32, Wire<'a>)> {
        let mut single = self.single();
        let mut several = Fields::new(if self.are_several { message } else { &[] }).map_while(Result::ok);
        core::iter::from_fn(move || single.take().or_else(|| several.find(|&(number, _)| is_added(number))))
    }
}

/// Returns the values of a repeated field that are bytes, such as texts and nested messages.
pub(crate) fn repeated(message: &[u8], number: u32) -> impl Iterator<Item = &[u8]> + Clone {
    Fields::new(message).map_while(Result::ok).filter_map(move |field| match field {
        (found, Wire::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    })
}

/// Returns the values of a repeated scalar field, packed or not. Packed values are of the wire type `packed`.
pub(crate) fn scalars(message: &[u8], number: u32, packed: Packed) -> Scalars<'_> {
    runs(Wire::Bytes(&[]), message, number, packed)
}

/// Returns the numbers of a value, and then those of the fields of a message.
#[inline]
fn runs<'a>(first: Wire<'a>, message: &'a [u8], number: u32, packed: Packed) -> Scalars<'a> {
    Scalars { run: first.numbers(packed), fields: Fields::new(message), number }
}

/// Iterates over the numbers of a value, and then over those of all fields of a number.
// Its own type, because most fields are one value, and the rest of the message is empty for them. `flat_map` takes twice the
// instructions.
#[derive(Debug, Clone)]
pub(crate) struct Scalars<'a> {
    run: Numbers<'a>,
    fields: Fields<'a>,
    number: u32,
}

impl Iterator for Scalars<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        match self.run.next() {
            None if !self.fields.rest.is_empty() => self.next_run(),
            number => number,
        }
    }
}

impl Scalars<'_> {
    /// Returns the first number of the next field that has one.
    fn next_run(&mut self) -> Option<u64> {
        loop {
            let (found, value) = self.fields.next()?.ok()?;
            if found == self.number {
                self.run = value.numbers(self.run.packed);
                if let Some(number) = self.run.next() {
                    return Some(number);
                }
            }
        }
    }
}

/// The wire type of packed scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packed {
    Varint,
    Fixed64,
}

/// Returns the text of a field, or the empty text if there is none.
pub(crate) fn text(message: &[u8], number: u32) -> &[u8] {
    repeated(message, number).last().unwrap_or_default()
}

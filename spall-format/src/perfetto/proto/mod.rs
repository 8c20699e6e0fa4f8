//! Tables of Perfetto's schema. A test makes them from its `.proto` files, and compares them.

#[rustfmt::skip]
pub(super) mod args;
#[rustfmt::skip]
mod kernel_events;
#[rustfmt::skip]
pub(super) mod numbers;

use kernel_events::KERNEL_EVENTS;

/// An event of the kernel.
#[derive(Debug)]
pub(super) struct KernelEvent {
    /// Its field in `FtraceEvent`.
    number: u32,
    pub(super) name: &'static str,
    /// The number, the name and the kind of each field.
    pub(super) fields: &'static [(u32, &'static str, KernelField)],
}

/// The kind of a field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelField {
    Text,
    Signed,
    Unsigned,
}

impl KernelEvent {
    /// Returns the event that is in a field.
    pub(super) fn of(number: u32) -> Option<&'static Self> {
        KERNEL_EVENTS.get(KERNEL_EVENTS.binary_search_by_key(&number, |event| event.number).ok()?)
    }
}

/// A field of a message of arguments: its number, its name and what its value is. Tables have their fields in the order of
/// numbers, and 128 at most.
pub(super) type ArgField = (u32, &'static str, ArgKind);

/// What the value of an argument is. Tables are behind two references because they refer to one another.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArgKind {
    /// Nothing that says more than the message around it.
    Left,
    /// A message whose fields are not known here.
    Raw,
    Unsigned,
    Signed,
    Float,
    Flag,
    Text,
    /// A number that stands for one of these names.
    Name(&'static &'static [&'static str]),
    /// The number of an interned text in a table.
    Interned(u32),
    /// The number of an interned place in the source code.
    Place,
    Message(&'static &'static [ArgField]),
    /// All values of a field that repeats.
    List(&'static ArgKind),
}

/// Returns the names of the fields of an event of the kernel.
#[cfg(test)]
pub(crate) fn fields_of(event: &str) -> Option<alloc::vec::Vec<&'static str>> {
    let event = KERNEL_EVENTS.iter().find(|known| known.name == event)?;
    Some(event.fields.iter().map(|(_, name, _)| *name).collect())
}

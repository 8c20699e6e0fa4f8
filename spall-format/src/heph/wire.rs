//! Packets as they lie in the file: big endian, packed. \[heph B.1\]

use zerocopy::big_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// First bytes of a metadata packet.
pub const METADATA_MAGIC: u32 = 0x75D1_1D4D;
/// First bytes of an event packet.
pub const EVENT_MAGIC: u32 = 0xC1FC_1FB7;

/// What every packet starts with. \[heph B.1\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PacketHead {
    /// [`METADATA_MAGIC`] or [`EVENT_MAGIC`].
    pub magic: U32,
    /// Length of the whole packet in bytes, this head included.
    pub size: U32,
}

/// A metadata packet up to the name of the option. \[heph B.1\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct MetadataHead {
    /// Magic and size.
    pub packet: PacketHead,
    /// Length of the name. What follows the name is the value.
    pub name_len: U16,
}

/// An event packet up to the description. \[heph B.1\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct EventHead {
    /// Magic and size.
    pub packet: PacketHead,
    /// Stream: one writer, such as a worker thread.
    pub stream: U32,
    /// Number of the packet in its stream.
    pub counter: U32,
    /// Substream: what the writer worked for, such as an actor.
    pub substream: U64,
    /// Start in nanoseconds since the epoch.
    pub start: U64,
    /// End in nanoseconds since the epoch.
    pub end: U64,
    /// Length of the description. What follows the description are the attributes.
    pub description_len: U16,
}

const _: () = assert!(size_of::<PacketHead>() == 8);
const _: () = assert!(size_of::<MetadataHead>() == 10);
const _: () = assert!(size_of::<EventHead>() == 42);

/// The type of an attribute's value, and whether it is an array. \[heph B.1\]
pub(crate) mod value_type {
    pub(crate) const U64: u8 = 1;
    pub(crate) const I64: u8 = 2;
    pub(crate) const F64: u8 = 3;
    pub(crate) const TEXT: u8 = 4;
    /// Set in the type of an array: a count of 16 bits and that many values follow.
    pub(crate) const ARRAY: u8 = 0x80;
}

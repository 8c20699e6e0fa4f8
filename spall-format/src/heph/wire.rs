//! The structs of the file: packed and big-endian. [heph B.1](crate::rules::heph#B.1)

use zerocopy::big_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// The first four bytes of a metadata packet, as a big-endian number.
pub(super) const METADATA_MAGIC: u32 = 0x75D1_1D4D;
/// The first four bytes of an event packet, as a big-endian number.
pub(super) const EVENT_MAGIC: u32 = 0xC1FC_1FB7;

/// The first 8 bytes of every packet. [heph B.1](crate::rules::heph#B.1)
#[derive(Debug, Clone, Copy, FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct PacketHead {
    /// The magic number, [`METADATA_MAGIC`] or [`EVENT_MAGIC`].
    pub(super) magic: U32,
    /// The length of the whole packet in bytes, this head included.
    pub(super) size: U32,
}

/// The fixed part of a metadata packet. The name of the option follows it. [heph B.1](crate::rules::heph#B.1)
#[derive(Debug, Clone, Copy, FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct MetadataHead {
    /// The magic number and the size.
    pub(super) packet: PacketHead,
    /// The length of the name in bytes. The value follows the name and reaches to the end of the packet.
    pub(super) name_len: U16,
}

/// The fixed part of an event packet. The description follows it. [heph B.1](crate::rules::heph#B.1)
#[derive(Debug, Clone, Copy, FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct EventHead {
    /// The magic number and the size.
    pub(super) packet: PacketHead,
    /// The number of the stream. A stream is one writer, such as a worker thread.
    pub(super) stream: U32,
    /// The number of the packet in its stream. It starts from 0 and wraps.
    pub(super) counter: U32,
    /// The number of the substream. A substream is the thing that the writer worked for, such as an actor.
    pub(super) substream: U64,
    /// The start in nanoseconds since the epoch.
    pub(super) start: U64,
    /// The end in nanoseconds since the epoch. It may be earlier than the start.
    pub(super) end: U64,
    /// The length of the description in bytes. The attributes follow the description.
    pub(super) description_len: U16,
}

const _: () = assert!(size_of::<PacketHead>() == 8);
const _: () = assert!(size_of::<MetadataHead>() == 10);
const _: () = assert!(size_of::<EventHead>() == 42);

/// The numbers of the types of an attribute's value. [heph B.1](crate::rules::heph#B.1)
pub(super) mod value_type {
    pub(crate) const U64: u8 = 1;
    pub(crate) const I64: u8 = 2;
    pub(crate) const F64: u8 = 3;
    pub(crate) const TEXT: u8 = 4;
    /// Set in the type of an array: a count of 16 bits and that many values follow.
    pub(crate) const ARRAY: u8 = 0x80;
}

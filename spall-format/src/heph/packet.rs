//! Packets, decoded but not interpreted. \[heph B.1\]

use zerocopy::FromBytes;

use super::Attributes;
use super::wire::{EVENT_MAGIC, EventHead, METADATA_MAGIC, MetadataHead, PacketHead};

/// One packet of a Heph trace, borrowed from the input.
///
/// ```
/// use spall_format::heph::Packet;
/// let bytes = b"\x75\xd1\x1d\x4d\0\0\0\x17\0\x05epoch\x16\x58\x45\xe9\x12\x14\xec\x90";
/// let Some(Packet::Metadata(metadata)) = Packet::read(bytes) else { panic!() };
/// assert_eq!(metadata.name, b"epoch");
/// assert_eq!(metadata.epoch(), Some(1_610_113_734_118_010_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    /// An option of the whole trace.
    Metadata(Metadata<'a>),
    /// Something that took time.
    Event(EventPacket<'a>),
}

/// An option of the whole trace, wherever in the file it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// Its name. Only `epoch` has ever been written. \[heph B.2\]
    pub name: &'a [u8],
    /// Its value, as the name defines it.
    pub value: &'a [u8],
    /// Whether the name's length runs over the packet's end; the name is then what there is, without a value.
    pub overrun: bool,
}

impl Metadata<'_> {
    /// The name of the option that says when time 0 was.
    pub const EPOCH: &'static [u8] = b"epoch";

    /// The Unix time of time 0 in nanoseconds, if this is a whole `epoch` option.
    #[must_use]
    pub fn epoch(&self) -> Option<u64> {
        if self.name != Self::EPOCH {
            return None;
        }
        self.value.try_into().ok().map(u64::from_be_bytes)
    }
}

/// Something that took time, on one substream of one stream.
///
/// Events are written when they finish: children stand before their parent, and the file does not say which is
/// whose. \[heph B.4\]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPacket<'a> {
    /// Stream: one writer, such as a worker thread.
    pub stream: u32,
    /// Number of the packet in its stream, from 0, wrapping.
    pub counter: u32,
    /// Substream: what the writer worked for, such as an actor; 0 is the runtime itself.
    pub substream: u64,
    /// Start in nanoseconds since the epoch.
    pub start: u64,
    /// End in nanoseconds since the epoch. Nothing makes it later than the start.
    pub end: u64,
    /// What happened.
    pub description: &'a [u8],
    /// More about it.
    pub attributes: Attributes<'a>,
    /// Whether the description's length runs over the packet's end; the description is then what there is, without
    /// attributes.
    pub overrun: bool,
}

impl<'a> Packet<'a> {
    /// Reads the packet that `data` starts with; [`packet_size`] says how long it is.
    ///
    /// `None` if `data` does not start with a packet or does not hold the whole of it.
    #[must_use]
    pub fn read(data: &'a [u8]) -> Option<Self> {
        if let Some((packet, _)) = EventPacket::read(data) {
            return Some(Self::Event(packet));
        }
        let bytes = data.get(..packet_size(data)?)?;
        let (head, rest) = MetadataHead::ref_from_prefix(bytes).ok()?;
        let (name, value, overrun) = split(rest, head.name_len.get());
        Some(Self::Metadata(Metadata { name, value, overrun }))
    }
}

impl<'a> EventPacket<'a> {
    /// Reads the event packet that `data` starts with, and says how long it is.
    #[inline]
    pub(super) fn read(data: &'a [u8]) -> Option<(Self, usize)> {
        let (head, _) = EventHead::ref_from_prefix(data).ok()?;
        if head.packet.magic.get() != EVENT_MAGIC {
            return None;
        }
        let size = usize::try_from(head.packet.size.get()).ok()?;
        let rest = data.get(size_of::<EventHead>()..size)?;
        let (description, attributes, overrun) = split(rest, head.description_len.get());
        let packet = Self {
            stream: head.stream.get(),
            counter: head.counter.get(),
            substream: head.substream.get(),
            start: head.start.get(),
            end: head.end.get(),
            description,
            attributes: Attributes::new(attributes),
            overrun,
        };
        Some((packet, size))
    }
}

/// The length in bytes of the packet that `data` starts with, as the packet has it.
///
/// `None` if there is no packet: another magic, a size that is less than the fixed part of the packet needs, or
/// fewer than 8 bytes. `data` need not hold the whole packet.
#[must_use]
pub fn packet_size(data: &[u8]) -> Option<usize> {
    let (head, _) = PacketHead::ref_from_prefix(data).ok()?;
    let least = match head.magic.get() {
        EVENT_MAGIC => size_of::<EventHead>(),
        METADATA_MAGIC => size_of::<MetadataHead>(),
        _ => return None,
    };
    usize::try_from(head.size.get()).ok().filter(|&size| size >= least)
}

/// Splits off the first `length` bytes; all of them, and `true`, if there are not so many.
fn split(bytes: &[u8], length: u16) -> (&[u8], &[u8], bool) {
    match bytes.split_at_checked(usize::from(length)) {
        Some((head, tail)) => (head, tail, false),
        None => (bytes, b"", true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b5_a_size_below_the_fixed_part_is_no_packet() {
        let mut event = [0; 42];
        event[..4].copy_from_slice(&EVENT_MAGIC.to_be_bytes());
        let mut metadata = [0; 10];
        metadata[..4].copy_from_slice(&METADATA_MAGIC.to_be_bytes());
        for size in [0, 7, 8, 9, 10, 41, 42] {
            event[7] = size;
            metadata[7] = size;
            assert_eq!(packet_size(&event).is_some(), size >= 42, "{size}");
            assert_eq!(packet_size(&metadata).is_some(), size >= 10, "{size}");
        }
    }

    #[test]
    fn b5_lengths_past_the_packet_are_cut() {
        let Some(Packet::Metadata(metadata)) = Packet::read(b"\x75\xd1\x1d\x4d\0\0\0\x0b\xff\xffx") else {
            panic!("metadata")
        };
        assert_eq!(metadata, Metadata { name: b"x", value: b"", overrun: true });
    }

    #[test]
    fn an_epoch_has_eight_bytes() {
        let epoch = |value| Metadata { name: b"epoch", value, overrun: false }.epoch();
        assert_eq!(epoch(&[0, 0, 0, 0, 0, 0, 1, 2][..]), Some(258));
        assert_eq!(epoch(&[0; 4]), None);
        assert_eq!(epoch(&[0; 10]), None);
        assert_eq!(Metadata { name: b"other", value: &[0; 8], overrun: false }.epoch(), None);
    }
}

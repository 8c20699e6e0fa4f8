//! Packets as they stand in the file. [heph B.1](crate::rules::heph#B.1)

use zerocopy::FromBytes;

use super::wire::{EVENT_MAGIC, EventHead, METADATA_MAGIC, MetadataHead, PacketHead};

/// An option of the whole trace. It may stand anywhere in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Metadata<'a> {
    /// The name of the option. No known writer uses another name than `epoch`. [heph B.2](crate::rules::heph#B.2)
    pub(super) name: &'a [u8],
    /// The value, whose meaning depends on the name.
    pub(super) value: &'a [u8],
    /// Whether the name's length runs over the end of the packet. The name is then cut there, and the value is empty.
    pub(super) overrun: bool,
}

impl<'a> Metadata<'a> {
    /// The name of the option with the Unix time of tick 0.
    pub(super) const EPOCH: &'static [u8] = b"epoch";

    /// Returns the Unix time of tick 0 in nanoseconds, or `None` if this is not an `epoch` option of 8 bytes.
    pub(super) fn epoch(&self) -> Option<u64> {
        if self.name != Self::EPOCH {
            return None;
        }
        self.value.try_into().ok().map(u64::from_be_bytes)
    }

    /// Reads the metadata packet of `size` bytes at the start of `data`.
    pub(super) fn read(data: &'a [u8], size: usize) -> Option<Self> {
        let (head, rest) = MetadataHead::ref_from_prefix(data.get(..size)?).ok()?;
        let (name, value, overrun) = split(rest, head.name_len.get());
        Some(Self { name, value, overrun })
    }
}

/// An event with start and end, on one substream of one stream.
///
/// A writer writes an event when it ends. So children stand before their parent, and the file does not say which parent
/// they belong to. [heph B.4](crate::rules::heph#B.4)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventPacket<'a> {
    /// The number of the stream. A stream is one writer, such as a worker thread.
    pub(super) stream: u32,
    /// The number of the packet in its stream. It starts from 0 and wraps.
    pub(super) counter: u32,
    /// The number of the substream. A substream is the thing that the writer worked for, such as an actor. 0 is the
    /// runtime itself.
    pub(super) substream: u64,
    /// The start in nanoseconds since the epoch.
    pub(super) start: u64,
    /// The end in nanoseconds since the epoch. It may be earlier than the start.
    pub(super) end: u64,
    /// The description, which serves as the name of the event.
    pub(super) description: &'a [u8],
    /// The attributes, which are not decoded yet.
    pub(super) attributes: &'a [u8],
    /// Whether the description's length runs over the end of the packet. The description is then cut there, and there
    /// are no attributes.
    pub(super) overrun: bool,
}

impl<'a> EventPacket<'a> {
    /// Reads the event packet at the start of `data`, and returns it with its length in bytes.
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
            attributes,
            overrun,
        };
        Some((packet, size))
    }
}

/// Returns the length in bytes that the packet at the start of `data` gives itself. `data` need not hold the whole
/// packet.
///
/// Returns `None` if `data` does not start with a packet: it has fewer than 8 bytes or another magic number, or the
/// length is less than that of the packet's fixed part.
pub(super) fn packet_size(data: &[u8]) -> Option<usize> {
    let (head, _) = PacketHead::ref_from_prefix(data).ok()?;
    let least = match head.magic.get() {
        EVENT_MAGIC => size_of::<EventHead>(),
        METADATA_MAGIC => size_of::<MetadataHead>(),
        _ => return None,
    };
    usize::try_from(head.size.get()).ok().filter(|&size| size >= least)
}

/// Splits `bytes` after `length` bytes. If there are fewer, this returns all of them and `true`.
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
        let metadata = Metadata::read(b"\x75\xd1\x1d\x4d\0\0\0\x0b\xff\xffx", 11);
        assert_eq!(metadata, Some(Metadata { name: b"x", value: b"", overrun: true }));
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

//! The search for the bounds of packets, also in damaged files. [heph B.2](crate::rules::heph#B.2),
//! [B.5](crate::rules::heph#B.5)

use super::packet::packet_size;
use super::wire::{EVENT_MAGIC, METADATA_MAGIC, PacketHead};

/// The kind and length of the piece that the input starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// A whole packet of this size.
    Packet(usize),
    /// This many bytes of a packet whose rest is missing.
    Cut(usize),
    /// This many bytes, at least 1, that are not a packet. More of them may follow.
    Junk(usize),
    /// The decision takes this many more bytes.
    NeedMore(usize),
    /// The input is finished.
    End,
}

const MAGIC: usize = size_of::<u32>();
const HEAD: usize = size_of::<PacketHead>();
/// The greatest number of bytes that are asked for at once. The size of a packet is only a claim of the file, and a
/// caller may allocate as much as it is asked for.
const MAX_HINT: usize = 64 << 10;

/// Returns the piece that `data` starts with.
///
/// A packet is whole if another packet or the end of the input follows it. Otherwise there is junk behind it, or its
/// writer was interrupted. Writers append whole packets, so the rest of an interrupted packet is missing, and the next
/// packet begins inside the size that it claims. [heph B.2](crate::rules::heph#B.2)
pub(super) fn frame(data: &[u8], eof: bool) -> Framing {
    match packet_size(data) {
        Some(size) if data.get(size..).is_some_and(starts_with_magic) => Framing::Packet(size),
        size => odd_frame(data, eof, size),
    }
}

/// Returns whether `data` starts with the magic number of a packet, as every trace does. [heph
/// B.1](crate::rules::heph#B.1)
///
/// ```
/// use spall_format::heph::starts_with_magic;
///
/// assert!(starts_with_magic(b"\xc1\xfc\x1f\xb7\0\0\0\x2c"));
/// assert!(!starts_with_magic(b"[{}]"));
/// ```
#[inline]
#[must_use]
pub fn starts_with_magic(data: &[u8]) -> bool {
    data.first_chunk().is_some_and(|magic| matches!(u32::from_be_bytes(*magic), EVENT_MAGIC | METADATA_MAGIC))
}

/// Returns the piece that `data` starts with if no whole packet with another one behind it does: the last packet, a
/// packet before damage, or damage.
fn odd_frame(data: &[u8], eof: bool, size: Option<usize>) -> Framing {
    match size {
        Some(size) => packet_before_no_packet(data, eof, size),
        None if data.is_empty() && eof => Framing::End,
        None if data.len() < HEAD && is_cut_magic(data) => {
            if eof {
                Framing::Cut(data.len())
            } else {
                Framing::NeedMore(HEAD - data.len())
            }
        }
        None => Framing::Junk(junk_len(data)),
    }
}

/// Decides where a packet of `size` bytes ends that is not followed by a whole magic number: at its size, or earlier.
fn packet_before_no_packet(data: &[u8], eof: bool, size: usize) -> Framing {
    let follows_cut_magic = data.get(size..).map(is_cut_magic);
    if !eof {
        // The bytes that follow must be there to be judged: first those of a magic number. If they are not one, a
        // packet may begin in the last bytes of this one, so the bytes of its head must be there as well.
        let needed = size.saturating_add(if follows_cut_magic == Some(false) { HEAD } else { MAGIC });
        if let Some(missing @ 1..) = needed.checked_sub(data.len()) {
            return Framing::NeedMore(missing.min(MAX_HINT));
        }
    } else if follows_cut_magic == Some(true) {
        return Framing::Packet(size);
    }
    let inside = data.get(..size.saturating_add(HEAD - 1)).unwrap_or(data);
    match find_packet(inside) {
        Some(next) => Framing::Cut(next),
        None if size <= data.len() => Framing::Packet(size),
        None => Framing::Cut(data.len()),
    }
}

/// Returns the number of bytes at the start that are not part of a packet, whatever bytes follow.
fn junk_len(data: &[u8]) -> usize {
    // The last bytes may be the start of a packet's head, which is not junk. A whole head was looked for before.
    let whole_heads = data.len().saturating_sub(HEAD - 1).max(1);
    find_packet(data).unwrap_or_else(|| {
        (whole_heads..data.len()).find(|&pos| data.get(pos..).is_some_and(is_cut_magic)).unwrap_or(data.len())
    })
}

/// Returns the position, at least 1, of the first whole packet head in `data`.
fn find_packet(data: &[u8]) -> Option<usize> {
    let heads = data.get(1..)?.windows(HEAD);
    Some(1 + heads.into_iter().position(|head| packet_size(head).is_some())?)
}

/// Returns whether `data` starts with a magic number, is the beginning of one, or is empty.
fn is_cut_magic(data: &[u8]) -> bool {
    [EVENT_MAGIC, METADATA_MAGIC].iter().any(|magic| {
        let magic = magic.to_be_bytes();
        let length = data.len().min(MAGIC);
        data.get(..length) == magic.get(..length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &[u8] = b"\x75\xd1\x1d\x4d\0\0\0\x0c\0\x02ab";

    fn check(pieces: &[&[u8]], eof: bool, expected: Framing) {
        assert_eq!(frame(&pieces.concat(), eof), expected, "{pieces:x?}, eof {eof}");
    }

    #[test]
    fn a_packet_ends_where_another_begins_or_at_the_end() {
        check(&[PACKET, PACKET], false, Framing::Packet(12));
        check(&[PACKET, &PACKET[..4]], false, Framing::Packet(12));
        check(&[PACKET], true, Framing::Packet(12));
        check(&[PACKET, &PACKET[..2]], true, Framing::Packet(12));
        check(&[PACKET], false, Framing::NeedMore(4));
        check(&[PACKET, &PACKET[..3]], false, Framing::NeedMore(1));
    }

    #[test]
    fn a_whole_packet_may_have_another_one_inside() {
        let outer = [&b"\x75\xd1\x1d\x4d\0\0\0\x16\0\0"[..], PACKET].concat();
        check(&[&outer], true, Framing::Packet(22));
        check(&[&outer, PACKET], false, Framing::Packet(22));
        // With anything else behind it, it looks like one that was cut short.
        check(&[&outer, b"x"], true, Framing::Cut(10));
    }

    #[test]
    fn junk_behind_a_packet_does_not_touch_it() {
        check(&[PACKET, b"x"], false, Framing::NeedMore(7));
        check(&[PACKET, b"x"], true, Framing::Packet(12));
        check(&[PACKET, b"12345678"], false, Framing::Packet(12));
        check(&[b"12345", PACKET], false, Framing::Junk(5));
    }

    #[test]
    fn b2_a_packet_cut_short_ends_where_the_next_one_begins() {
        check(&[&PACKET[..11], PACKET], false, Framing::Cut(11));
        check(&[&PACKET[..8], PACKET, PACKET], false, Framing::Cut(8));
        check(&[&PACKET[..11]], true, Framing::Cut(11));
        check(&[&PACKET[..3]], true, Framing::Cut(3));
        check(&[&PACKET[..3]], false, Framing::NeedMore(5));
    }

    #[test]
    fn junk_ends_before_what_may_become_a_packet() {
        check(&[b"123456789", &PACKET[..3]], false, Framing::Junk(9));
        check(&[b"123456789"], false, Framing::Junk(9));
        check(&[b"1"], false, Framing::Junk(1));
        check(&[b"1", &PACKET[..1]], true, Framing::Junk(1));
    }

    #[test]
    fn b5_a_huge_size_asks_for_little_and_is_cut_at_the_end() {
        let huge = b"\xc1\xfc\x1f\xb7\xff\xff\xff\xff and more";
        check(&[huge], false, Framing::NeedMore(MAX_HINT));
        check(&[huge], true, Framing::Cut(17));
        check(&[huge, PACKET], true, Framing::Cut(17));
    }

    #[test]
    fn nothing_is_the_end() {
        check(&[], true, Framing::End);
        check(&[], false, Framing::NeedMore(8));
    }
}

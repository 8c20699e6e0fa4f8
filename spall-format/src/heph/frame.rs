//! Finds where packets begin and end, also in damaged files. \[heph B.2, B.5\]

use super::packet::packet_size;
use super::wire::{EVENT_MAGIC, METADATA_MAGIC, PacketHead};

/// What the input starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// A packet of this size, all there.
    Packet(usize),
    /// So many bytes of a packet whose rest is missing.
    Cut(usize),
    /// So many bytes, at least 1, that are no packet. More of them may follow.
    Junk(usize),
    /// This cannot be said before so many more bytes are there.
    NeedMore(usize),
    /// Nothing.
    End,
}

const MAGIC: usize = size_of::<u32>();
const HEAD: usize = size_of::<PacketHead>();
/// No more than this is asked for at once: the size of a packet is only a claim of the file.
const MAX_HINT: usize = 64 << 10;

/// Says what `data` starts with.
///
/// A packet counts when another one, or the end of the input, follows it. If something else does, either there is
/// junk behind it, or its writer was interrupted: writers append whole packets, so the rest of an interrupted one is
/// missing and the next packet begins inside the size it claims. \[heph B.2\]
pub(super) fn frame(data: &[u8], eof: bool) -> Frame {
    match packet_size(data) {
        Some(size) if data.get(size..).is_some_and(starts_with_magic) => Frame::Packet(size),
        size => odd_frame(data, eof, size),
    }
}

/// Returns whether `data` starts with the magic number of a packet, as every trace does. \[heph B.1\]
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

/// The last packet, the ones that damage follows, and damage itself.
fn odd_frame(data: &[u8], eof: bool, size: Option<usize>) -> Frame {
    match size {
        Some(size) => packet_before_no_packet(data, eof, size),
        None if data.is_empty() && eof => Frame::End,
        None if data.len() < HEAD && is_cut_magic(data) => {
            if eof {
                Frame::Cut(data.len())
            } else {
                Frame::NeedMore(HEAD - data.len())
            }
        }
        None => Frame::Junk(junk_len(data)),
    }
}

fn packet_before_no_packet(data: &[u8], eof: bool, size: usize) -> Frame {
    let follows_cut_magic = data.get(size..).map(is_cut_magic);
    if !eof {
        // What follows must be there to be judged: first its magic, and if it is none, as much as a packet that
        // begins in the last bytes of this one needs for its head.
        let needed = size.saturating_add(if follows_cut_magic == Some(false) { HEAD } else { MAGIC });
        if let Some(missing @ 1..) = needed.checked_sub(data.len()) {
            return Frame::NeedMore(missing.min(MAX_HINT));
        }
    } else if follows_cut_magic == Some(true) {
        return Frame::Packet(size);
    }
    let inside = data.get(..size.saturating_add(HEAD - 1)).unwrap_or(data);
    match find_packet(inside) {
        Some(next) => Frame::Cut(next),
        None if size <= data.len() => Frame::Packet(size),
        None => Frame::Cut(data.len()),
    }
}

/// How many bytes from the first on start no packet, nor may do so when more of them are known.
fn junk_len(data: &[u8]) -> usize {
    let whole_heads = data.len().saturating_sub(HEAD - 1).max(1);
    find_packet(data).unwrap_or_else(|| {
        (whole_heads..data.len()).find(|&pos| data.get(pos..).is_some_and(is_cut_magic)).unwrap_or(data.len())
    })
}

/// Where, behind its first byte, `data` has a packet as far as a whole head tells.
fn find_packet(data: &[u8]) -> Option<usize> {
    let heads = data.get(1..)?.windows(HEAD);
    Some(1 + heads.into_iter().position(|head| packet_size(head).is_some())?)
}

/// Whether `data` starts with a magic, or is the beginning of one, or is empty.
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

    fn check(pieces: &[&[u8]], eof: bool, expected: Frame) {
        assert_eq!(frame(&pieces.concat(), eof), expected, "{pieces:x?}, eof {eof}");
    }

    #[test]
    fn a_packet_ends_where_another_begins_or_at_the_end() {
        check(&[PACKET, PACKET], false, Frame::Packet(12));
        check(&[PACKET, &PACKET[..4]], false, Frame::Packet(12));
        check(&[PACKET], true, Frame::Packet(12));
        check(&[PACKET, &PACKET[..2]], true, Frame::Packet(12));
        check(&[PACKET], false, Frame::NeedMore(4));
        check(&[PACKET, &PACKET[..3]], false, Frame::NeedMore(1));
    }

    #[test]
    fn a_whole_packet_may_have_another_one_inside() {
        let outer = [&b"\x75\xd1\x1d\x4d\0\0\0\x16\0\0"[..], PACKET].concat();
        check(&[&outer], true, Frame::Packet(22));
        check(&[&outer, PACKET], false, Frame::Packet(22));
        // With anything else behind it, it looks like one that was cut short.
        check(&[&outer, b"x"], true, Frame::Cut(10));
    }

    #[test]
    fn junk_behind_a_packet_does_not_touch_it() {
        check(&[PACKET, b"x"], false, Frame::NeedMore(7));
        check(&[PACKET, b"x"], true, Frame::Packet(12));
        check(&[PACKET, b"12345678"], false, Frame::Packet(12));
        check(&[b"12345", PACKET], false, Frame::Junk(5));
    }

    #[test]
    fn b2_a_packet_cut_short_ends_where_the_next_one_begins() {
        check(&[&PACKET[..11], PACKET], false, Frame::Cut(11));
        check(&[&PACKET[..8], PACKET, PACKET], false, Frame::Cut(8));
        check(&[&PACKET[..11]], true, Frame::Cut(11));
        check(&[&PACKET[..3]], true, Frame::Cut(3));
        check(&[&PACKET[..3]], false, Frame::NeedMore(5));
    }

    #[test]
    fn junk_ends_before_what_may_become_a_packet() {
        check(&[b"123456789", &PACKET[..3]], false, Frame::Junk(9));
        check(&[b"123456789"], false, Frame::Junk(9));
        check(&[b"1"], false, Frame::Junk(1));
        check(&[b"1", &PACKET[..1]], true, Frame::Junk(1));
    }

    #[test]
    fn b5_a_huge_size_asks_for_little_and_is_cut_at_the_end() {
        let huge = b"\xc1\xfc\x1f\xb7\xff\xff\xff\xff and more";
        check(&[huge], false, Frame::NeedMore(MAX_HINT));
        check(&[huge], true, Frame::Cut(17));
        check(&[huge, PACKET], true, Frame::Cut(17));
    }

    #[test]
    fn nothing_is_the_end() {
        check(&[], true, Frame::End);
        check(&[], false, Frame::NeedMore(8));
    }
}

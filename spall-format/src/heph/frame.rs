//! The search for the bounds of packets, also in damaged files. [heph B.2](crate::rules::heph#B.2),
//! [B.5](crate::rules::heph#B.5)

use super::content::{self, Content};
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
/// The greatest size of a packet that may be sound with the head of another one inside it. Without a bound, a file of
/// heads that all claim the rest of it would take quadratic time.
pub(super) const MAX_AROUND_HEAD: usize = 4 << 10;

/// Returns the piece that `data` starts with.
///
/// What a packet is follows from its own bytes, and not from what comes after it. Only the head of another packet that
/// begins in its last bytes may reach beyond them. So a cut file yields nothing that the whole one does not. [heph
/// B.2](crate::rules::heph#B.2)
pub(super) fn frame(data: &[u8], eof: bool) -> Framing {
    match packet_size(data) {
        Some(size) if size <= data.len() => whole_packet(data, eof, size),
        Some(size) if eof => cut_packet(data, size),
        Some(size) => Framing::NeedMore((size - data.len()).min(MAX_HINT)),
        None => no_packet(data, eof),
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

/// Decides where a packet ends whose `size` bytes are all there: at its size, or where another one begins inside it.
fn whole_packet(data: &[u8], eof: bool, size: usize) -> Framing {
    if size > MAX_AROUND_HEAD
        && let Some(next) = data.get(..size).and_then(find_packet)
    {
        return Framing::Cut(next);
    }
    if content::judge(data, size) == Content::Sound {
        return Framing::Packet(size);
    }
    let reach = size.saturating_add(HEAD - 1);
    match find_packet(data.get(..reach).unwrap_or(data)) {
        Some(next) => Framing::Cut(next),
        None if !may_begin_packet(data, size) => Framing::Packet(size),
        None if eof => Framing::Cut(data.len()),
        None => Framing::NeedMore(reach - data.len()),
    }
}

/// Returns whether the missing bytes behind `data` may complete the head of a packet that begins in the first `size`
/// bytes.
fn may_begin_packet(data: &[u8], size: usize) -> bool {
    let first = data.len().saturating_sub(HEAD - 1).max(1);
    (first..size).any(|pos| data.get(pos..).is_some_and(is_cut_magic))
}

/// Decides how much is left out of a packet of `size` bytes that the end of the file cuts short. If it may be sound,
/// no packet inside it is certain.
fn cut_packet(data: &[u8], size: usize) -> Framing {
    let is_over = size > MAX_AROUND_HEAD || content::judge(data, size) == Content::Faulty;
    let next = if is_over { find_packet(data) } else { None };
    Framing::Cut(next.unwrap_or(data.len()))
}

/// Returns the piece that `data` starts with if no packet does: damage, the first bytes of a head, or nothing.
fn no_packet(data: &[u8], eof: bool) -> Framing {
    if data.is_empty() && eof {
        Framing::End
    } else if data.len() >= HEAD || !is_cut_magic(data) {
        Framing::Junk(junk_len(data))
    } else if eof {
        Framing::Cut(data.len())
    } else {
        Framing::NeedMore(HEAD - data.len())
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
    extern crate alloc;
    use super::*;
    use alloc::vec;

    const PACKET: &[u8] = b"\x75\xd1\x1d\x4d\0\0\0\x0c\0\x02ab";
    /// An option with a name of 12 bytes.
    const NAMED: &[u8] = b"\x75\xd1\x1d\x4d\0\0\0\x16\0\x0ctwelve bytes";
    /// An event without a description.
    const EVENT: &[u8] = b"\xc1\xfc\x1f\xb7\0\0\0\x2a\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0a\0\0\0\0\0\0\0\x1e\0\0";

    fn check(pieces: &[&[u8]], eof: bool, expected: Framing) {
        assert_eq!(frame(&pieces.concat(), eof), expected, "{pieces:x?}, eof {eof}");
    }

    #[test]
    fn b2_a_sound_packet_is_whole_whatever_follows() {
        for eof in [false, true] {
            check(&[PACKET], eof, Framing::Packet(12));
            check(&[PACKET, PACKET], eof, Framing::Packet(12));
            check(&[PACKET, &PACKET[..2]], eof, Framing::Packet(12));
            check(&[PACKET, b"12345678"], eof, Framing::Packet(12));
        }
        check(&[&PACKET[..11]], false, Framing::NeedMore(1));
        check(&[b"12345", PACKET], false, Framing::Junk(5));
    }

    #[test]
    fn b2_a_sound_packet_may_have_another_one_inside() {
        let outer = [&b"\x75\xd1\x1d\x4d\0\0\0\x16\0\0"[..], PACKET].concat();
        for behind in [&b""[..], PACKET, b"x"] {
            check(&[&outer, behind], true, Framing::Packet(22));
        }
        check(&[&outer[..21]], true, Framing::Cut(21));
    }

    #[test]
    fn b2_a_faulty_packet_ends_where_the_next_one_begins() {
        // The first byte of the magic number of events is never part of UTF-8.
        for length in 10..22 {
            check(&[&NAMED[..length], EVENT, EVENT], false, Framing::Cut(length));
            check(&[&NAMED[..length], EVENT], true, Framing::Cut(length));
        }
        check(&[b"\xc1\xfc\x1f\xb7\0\0\0\x2b", EVENT], true, Framing::Cut(8));
        // Nothing begins inside it.
        let faulty = &[&NAMED[..21], b"\xff"].concat();
        check(&[faulty], false, Framing::Packet(22));
        check(&[faulty, b"12345678"], true, Framing::Packet(22));
    }

    #[test]
    fn b2_a_packet_in_which_another_one_may_begin_waits_for_its_head() {
        let faulty = &[&NAMED[..20], &EVENT[..2]].concat();
        check(&[faulty], false, Framing::NeedMore(7));
        check(&[faulty, &EVENT[2..7]], false, Framing::NeedMore(2));
        check(&[faulty, &EVENT[2..]], false, Framing::Cut(20));
        check(&[faulty, b"x"], false, Framing::Packet(22));
        // The whole file might have either packet, so the cut one has none.
        check(&[faulty], true, Framing::Cut(22));
        check(&[faulty, &EVENT[2..7]], true, Framing::Cut(27));
    }

    #[test]
    fn b2_the_end_of_the_file_cuts_a_packet_and_what_may_be_inside_it() {
        check(&[&PACKET[..11]], true, Framing::Cut(11));
        check(&[&PACKET[..3]], true, Framing::Cut(3));
        check(&[&PACKET[..3]], false, Framing::NeedMore(5));
        // The number at which the second packet stands may be part of the first one.
        check(&[&EVENT[..20], &EVENT[..20]], true, Framing::Cut(40));
        check(&[&NAMED[..12], &EVENT[..8]], true, Framing::Cut(12));
    }

    #[test]
    fn junk_ends_before_what_may_become_a_packet() {
        check(&[b"123456789", &PACKET[..3]], false, Framing::Junk(9));
        check(&[b"123456789"], false, Framing::Junk(9));
        check(&[b"1"], false, Framing::Junk(1));
        check(&[b"1", &PACKET[..1]], true, Framing::Junk(1));
    }

    #[test]
    fn b5_a_huge_size_asks_for_little_and_swallows_no_packet() {
        let huge = b"\xc1\xfc\x1f\xb7\xff\xff\xff\xff and more";
        check(&[huge], false, Framing::NeedMore(MAX_HINT));
        check(&[huge], true, Framing::Cut(17));
        check(&[huge, PACKET], true, Framing::Cut(17));
    }

    #[test]
    fn b5_a_large_packet_ends_where_another_one_begins() {
        let option = |size: u16| {
            let [high, low] = size.to_be_bytes();
            let mut bytes = vec![0; usize::from(size)];
            bytes[..8].copy_from_slice(&[0x75, 0xd1, 0x1d, 0x4d, 0, 0, high, low]);
            bytes[20..32].copy_from_slice(PACKET);
            bytes
        };
        check(&[&option(4096)], true, Framing::Packet(4096));
        check(&[&option(4097)], true, Framing::Cut(20));
    }

    #[test]
    fn nothing_is_the_end() {
        check(&[], true, Framing::End);
        check(&[], false, Framing::NeedMore(8));
    }
}

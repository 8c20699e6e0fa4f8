//! The decoder of raw snappy, block by block. [apitrace C.1](crate::rules::apitrace#C.1)

use super::{DecodeFailure, Output};

/// Decodes `at` and the blocks behind it. Each block has its compressed length in front.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    let mut pos = 2;
    loop {
        let rest = data.get(pos..).unwrap_or_default();
        let Some((&length, rest)) = rest.split_first_chunk() else {
            return if rest.is_empty() { Ok(()) } else { Err(DecodeFailure::Truncated { from: pos }) };
        };
        let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length == 0 {
            // The writer never makes an empty block, and the tool's own reader takes one for the end.
            return Err(DecodeFailure::Junk { from: pos });
        }
        let block = rest.get(..length);
        let (size, tags) = preamble(block.unwrap_or(rest)).ok_or(match block {
            Some(_) => DecodeFailure::Invalid { from: pos },
            None => DecodeFailure::Truncated { from: pos },
        })?;
        // The size is a number of the file. No element makes more than 64 bytes, so a block cannot make more than this.
        let size = size.min(tags.len().saturating_mul(64));
        output.reserve(size, pos)?;
        let start = output.bytes.len();
        output.bytes.resize(start + size, 0);
        let written = decode_elements(tags, output.bytes.get_mut(start..).unwrap_or_default());
        output.bytes.truncate(start + written);
        match block {
            None => return Err(DecodeFailure::Truncated { from: pos }),
            Some(_) if written < size => return Err(DecodeFailure::Invalid { from: pos }),
            Some(_) => pos += 4 + length,
        }
    }
}

/// Returns the uncompressed size of a block, which stands at its start in up to 5 bytes of 7 bits, and its elements.
fn preamble(block: &[u8]) -> Option<(usize, &[u8])> {
    let mut size = 0_u64;
    for (index, &byte) in block.iter().enumerate().take(5) {
        size |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((usize::try_from(size).ok()?, block.get(index + 1..)?));
        }
    }
    None
}

/// Decodes elements into `out`. Returns how many bytes it wrote before the end of the elements, the end of the output
/// or an invalid element.
fn decode_elements(mut tags: &[u8], out: &mut [u8]) -> usize {
    let mut pos = 0;
    loop {
        short_elements(&mut tags, out, &mut pos);
        match element(&mut tags, out, pos) {
            Some(written) => pos += written,
            None => return pos,
        }
    }
}

/// The number of bytes that one turn of [`short_elements`] may write behind its position: a literal of 16 and a copy of
/// 64.
const ROOM: usize = 16 + 64;

/// Decodes short literals, and copies whose source does not overlap their target: nearly all elements.
///
/// It stops, and returns `None`, at any other element and where there is not enough room on both sides. It copies a
/// fixed number of bytes whatever the length, which is faster than an exact copy; the bytes written too far are
/// overwritten by the next element.
// The length of an element follows from its kind through a branch, which the processor predicts, so it reads the next
// element meanwhile. A table of lengths would make each element wait for the one before.
#[inline(always)]
fn short_elements(tags: &mut &[u8], out: &mut [u8], pos: &mut usize) -> Option<()> {
    let last = out.len().checked_sub(ROOM)?;
    while *pos <= last {
        let mut head = tags.first_chunk::<17>()?;
        if head[0] & 3 == 0 {
            let [tag, bytes @ ..] = head;
            if *tag >= 16 << 2 {
                return None;
            }
            let top = usize::from(tag >> 2);
            *out.get_mut(*pos..)?.first_chunk_mut()? = *bytes;
            *tags = tags.get(top + 2..)?;
            *pos += top + 1;
            // A literal is always followed by a copy, so the loop does not have to start over.
            head = tags.first_chunk()?;
        }
        let &[tag, low, high, ..] = head;
        let top = usize::from(tag >> 2);
        let (offset, length, used) = match tag & 3 {
            1 => (usize::from(tag >> 5) << 8 | usize::from(low), (top & 7) + 4, 2),
            2 => (usize::from(high) << 8 | usize::from(low), top + 1, 3),
            _ => return None,
        };
        let from = pos.checked_sub(offset)?;
        if length > offset {
            return None;
        }
        let source = *out.get(from..)?.first_chunk::<32>()?;
        *out.get_mut(*pos..)?.first_chunk_mut()? = source;
        if length > 32 {
            let source = *out.get(from + 32..)?.first_chunk::<32>()?;
            *out.get_mut(*pos + 32..)?.first_chunk_mut()? = source;
        }
        *tags = tags.get(used..)?;
        *pos += length;
    }
    None
}

/// Decodes one element at `pos` of the output. Returns `None` if there is none or it is invalid. A literal that is
/// cut off is decoded as far as it goes, and a copy as far as there is room.
#[inline(never)]
fn element(tags: &mut &[u8], out: &mut [u8], pos: usize) -> Option<usize> {
    let (&tag, rest) = tags.split_first()?;
    let top = usize::from(tag >> 2);
    let (offset, length, rest) = match tag & 3 {
        0 => return literal(top, rest, tags, out, pos),
        1 => {
            let (&low, rest) = rest.split_first()?;
            (usize::from(tag >> 5) << 8 | usize::from(low), (top & 7) + 4, rest)
        }
        2 => {
            let (&offset, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(offset)), top + 1, rest)
        }
        _ => {
            let (&offset, rest) = rest.split_first_chunk()?;
            (usize::try_from(u32::from_le_bytes(offset)).ok()?, top + 1, rest)
        }
    };
    *tags = rest;
    copy(out, pos, offset, length)
}

/// Decodes a literal. Up to 60 bytes have their length in the tag, longer ones in up to 4 bytes behind it.
fn literal<'t>(top: usize, rest: &'t [u8], tags: &mut &'t [u8], out: &mut [u8], pos: usize) -> Option<usize> {
    let (length, rest) = match top {
        0..60 => (top + 1, rest),
        _ => {
            let (bytes, rest) = rest.split_at_checked(top - 59)?;
            let length = bytes.iter().rev().fold(0_usize, |length, &byte| length << 8 | usize::from(byte));
            (length.saturating_add(1), rest)
        }
    };
    let target = out.get_mut(pos..)?;
    let length = length.min(rest.len()).min(target.len());
    let (source, rest) = rest.split_at_checked(length)?;
    target.get_mut(..length)?.copy_from_slice(source);
    *tags = rest;
    (length > 0).then_some(length)
}

/// Copies `length` bytes from `offset` before `pos`. Source and target may overlap: that repeats a pattern.
#[inline]
fn copy(out: &mut [u8], pos: usize, offset: usize, length: usize) -> Option<usize> {
    let from = pos.checked_sub(offset).filter(|_| offset > 0)?;
    let end = out.len().min(pos + length);
    let mut filled = pos;
    while filled < end {
        // All of the pattern written so far, so that the number of steps is logarithmic.
        let step = (filled - from).min(end - filled);
        out.copy_within(from..from + step, filled);
        filled += step;
    }
    (end > pos).then_some(end - pos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn check(tags: &[u8], size: usize, expected: &[u8]) {
        for room in [0, 100] {
            let mut out = vec![0; size + room];
            // With room behind it the output is filled by the fast paths.
            let written = if room == 0 {
                decode_elements(tags, &mut out)
            } else {
                decode_elements(tags, &mut out).min(size)
            };
            assert_eq!(&out[..written], expected, "{tags:x?}, {room} bytes of room");
        }
    }

    #[test]
    fn c1_literals_of_every_kind_of_length() {
        check(&[0, b'a'], 1, b"a");
        for length in [1, 15, 16, 17, 59, 60, 61, 256, 257, 70_000] {
            let text: Vec<u8> = (0..length).map(|index: usize| index.to_le_bytes()[0]).collect();
            let bytes = (length - 1).to_le_bytes();
            let head = match length {
                1..=60 => vec![bytes[0] << 2],
                61..=256 => vec![60 << 2, bytes[0]],
                257..=65536 => vec![61 << 2, bytes[0], bytes[1]],
                _ => vec![62 << 2, bytes[0], bytes[1], bytes[2]],
            };
            check(&[head, text.clone()].concat(), length, &text);
        }
    }

    #[test]
    fn c1_copies_of_every_kind_and_overlapping_ones() {
        check(b"\x0cabcd\x01\x04", 8, b"abcdabcd");
        check(b"\x0cabcd\x1e\x01\0", 12, b"abcddddddddd");
        check(b"\x0cabcd\x0f\x03\0\0\0", 8, b"abcdbcdb");
        let mut long = vec![19 << 2];
        long.extend(0..20_u8);
        long.extend([63 << 2 | 2, 17, 0]);
        let mut expected: Vec<u8> = (0..20).collect();
        for index in 0..64 {
            expected.push(expected[3 + index]);
        }
        check(&long, 84, &expected);
    }

    #[test]
    fn c1_elements_of_all_kinds_one_after_the_other() {
        let mut random = spall_synth::Random(1);
        let mut random = |from: usize, to: usize| from + random.below(to + 1 - from);
        for _ in 0..500 {
            let (mut tags, mut text) = (Vec::new(), Vec::new());
            for index in 0..60_u8 {
                let kind = if text.is_empty() { 0 } else { random(0, 2) };
                let (length, offset) = match kind {
                    0 => (random(1, 40), 0),
                    1 => (random(4, 11), random(1, text.len().min(2047))),
                    _ => (random(1, 64), random(1, text.len().min(100))),
                };
                let [low, high, ..] = offset.to_le_bytes();
                let size = u8::try_from(length - 1).unwrap();
                match kind {
                    0 => tags.extend([vec![size << 2], vec![index; length]].concat()),
                    1 => tags.extend([high << 5 | (size - 3) << 2 | 1, low]),
                    _ => tags.extend([size << 2 | 2, low, high]),
                }
                for _ in 0..length {
                    text.push(if kind == 0 { index } else { text[text.len() - offset] });
                }
            }
            check(&tags, text.len(), &text);
        }
    }

    #[test]
    fn c1_what_makes_no_sense_ends_a_block() {
        check(b"\x0cabcd\x01\x05", 8, b"abcd");
        check(b"\x0cabcd\x01\0", 8, b"abcd");
        check(b"\x0cabcd\x02\x01", 8, b"abcd");
        check(b"\x0cab", 4, b"ab");
    }

    #[test]
    fn c6_a_huge_preamble_makes_no_huge_block() {
        let mut output = Output { bytes: Vec::new(), limit: 1 << 20 };
        assert_eq!(
            decode(b"at\x06\0\0\0\xff\xff\xff\xff\x0f\0", &mut output),
            Err(DecodeFailure::Invalid { from: 2 })
        );
        assert!(output.bytes.capacity() <= 64);
    }
}

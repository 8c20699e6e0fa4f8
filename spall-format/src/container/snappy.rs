//! Raw snappy, block by block. \[apitrace C.1\]

use super::{Output, Stop};

/// Decodes `at`, then blocks that each have their compressed length in front of them.
pub(super) fn unpack(data: &[u8], output: &mut Output) -> Result<(), Stop> {
    let mut pos = 2;
    loop {
        let rest = data.get(pos..).unwrap_or_default();
        let Some((&length, rest)) = rest.split_first_chunk() else {
            return if rest.is_empty() { Ok(()) } else { Err(Stop::Cut { from: pos }) };
        };
        let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length == 0 {
            // The writer never makes an empty block; the tool's own reader takes it for the end.
            return Err(Stop::Junk { from: pos });
        }
        let block = rest.get(..length);
        let (size, tags) = preamble(block.unwrap_or(rest)).ok_or(match block {
            Some(_) => Stop::Bad { from: pos },
            None => Stop::Cut { from: pos },
        })?;
        // A block can only say so much: no element of it makes more than 64 bytes of 3, or of 2.
        let size = size.min(tags.len().saturating_mul(64));
        if !output.has_room(size) {
            return Err(Stop::Full { at: pos });
        }
        let start = output.bytes.len();
        output.bytes.resize(start + size, 0);
        let written = decode(tags, output.bytes.get_mut(start..).unwrap_or_default());
        output.bytes.truncate(start + written);
        match block {
            None => return Err(Stop::Cut { from: pos }),
            Some(_) if written < size => return Err(Stop::Bad { from: pos }),
            Some(_) => pos += 4 + length,
        }
    }
}

/// The uncompressed size of a block, and its elements.
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

/// Decodes elements into `out`; returns how many bytes were written before the elements, the output or sense ended.
fn decode(mut tags: &[u8], out: &mut [u8]) -> usize {
    let mut pos = 0;
    while let Some(written) = element(&mut tags, out, pos) {
        pos += written;
    }
    pos
}

/// Decodes one element at `pos` of the output. `None` if there is none or it makes no sense; a literal that is cut off
/// is decoded as far as it goes, and a copy as far as there is room.
#[inline]
fn element(tags: &mut &[u8], out: &mut [u8], pos: usize) -> Option<usize> {
    let (&tag, rest) = tags.split_first()?;
    let (offset, length, rest) = match tag & 3 {
        0 => return literal(tag, rest, tags, out, pos),
        1 => {
            let (&low, rest) = rest.split_first()?;
            (usize::from(tag >> 5) << 8 | usize::from(low), usize::from(tag >> 2 & 7) + 4, rest)
        }
        2 => {
            let (&offset, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(offset)), usize::from(tag >> 2) + 1, rest)
        }
        _ => {
            let (&offset, rest) = rest.split_first_chunk()?;
            (usize::try_from(u32::from_le_bytes(offset)).ok()?, usize::from(tag >> 2) + 1, rest)
        }
    };
    *tags = rest;
    copy(out, pos, offset, length)
}

/// Elements of up to 60 bytes have their length in the tag, longer ones in up to 4 bytes behind it.
#[inline]
fn literal<'t>(tag: u8, rest: &'t [u8], tags: &mut &'t [u8], out: &mut [u8], pos: usize) -> Option<usize> {
    let short = usize::from(tag >> 2);
    // Most literals are short: a fixed number of bytes is copied whatever the length, if there are so many on both sides.
    let copied = if short < 16 {
        copy_chunk::<16>(rest, out, pos)
    } else {
        short < 60 && copy_chunk::<64>(rest, out, pos)
    };
    if copied {
        *tags = rest.get(short + 1..)?;
        return Some(short + 1);
    }
    let (length, rest) = match short {
        0..60 => (short + 1, rest),
        _ => {
            let (bytes, rest) = rest.split_at_checked(short - 59)?;
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

/// Copies the first `N` bytes of `source` to `pos`; `false` if there are not so many, or no room for them.
#[inline]
fn copy_chunk<const N: usize>(source: &[u8], out: &mut [u8], pos: usize) -> bool {
    let target = out.get_mut(pos..).and_then(|out| out.first_chunk_mut::<N>());
    let (Some(source), Some(target)) = (source.first_chunk::<N>(), target) else { return false };
    *target = *source;
    true
}

/// Copies `length` bytes from `offset` before `pos`, which may overlap what is written.
#[inline]
fn copy(out: &mut [u8], pos: usize, offset: usize, length: usize) -> Option<usize> {
    let from = pos.checked_sub(offset).filter(|_| offset > 0)?;
    // Copies have at most 64 bytes. Whatever is written too far is written again by what follows.
    if let Some(window) = out.get_mut(from..pos + 64) {
        if offset >= 16 {
            return copy_in_chunks::<16>(window, offset, length);
        } else if offset >= 8 {
            return copy_in_chunks::<8>(window, offset, length);
        }
    }
    let length = length.min(out.len() - pos);
    for index in 0..length {
        let byte = *out.get(from + index)?;
        *out.get_mut(pos + index)? = byte;
    }
    (length > 0).then_some(length)
}

/// Copies `length` bytes, rounded up to whole chunks, from the start of `window` to `offset`, which is at least `N`.
#[inline]
fn copy_in_chunks<const N: usize>(window: &mut [u8], offset: usize, length: usize) -> Option<usize> {
    let mut done = 0;
    while done < length {
        let source = *window.get(done..)?.first_chunk::<N>()?;
        *window.get_mut(done + offset..)?.first_chunk_mut::<N>()? = source;
        done += N;
    }
    Some(length)
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
            let written = if room == 0 { decode(tags, &mut out) } else { decode(tags, &mut out).min(size) };
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
    fn c1_what_makes_no_sense_ends_a_block() {
        check(b"\x0cabcd\x01\x05", 8, b"abcd");
        check(b"\x0cabcd\x01\0", 8, b"abcd");
        check(b"\x0cabcd\x02\x01", 8, b"abcd");
        check(b"\x0cab", 4, b"ab");
    }

    #[test]
    fn c6_a_huge_preamble_makes_no_huge_block() {
        let mut output = Output { bytes: Vec::new(), limit: 1 << 20 };
        assert_eq!(unpack(b"at\x06\0\0\0\xff\xff\xff\xff\x0f\0", &mut output), Err(Stop::Bad { from: 2 }));
        assert!(output.bytes.capacity() <= 64);
    }
}

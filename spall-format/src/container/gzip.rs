//! The gzip decoder. [apitrace C.1](crate::rules::apitrace#C.1)

use alloc::boxed::Box;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::crc32::crc32;
use super::{DecodeFailure, Output, STEP};

/// The greatest distance in bytes from which deflate copies. The decoder needs this much of the latest output.
const WINDOW: usize = 32 << 10;
/// The length in bytes of the checksum and the size behind a member.
const TRAILER: usize = 8;

/// Decodes all members. A missing trailer is no failure. A wrong one is reported after all members are decoded.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    // The decoder writes into a ring, and the output is a copy of it. All members share one ring: a file may have
    // many tiny ones, and clearing a ring for each would take far longer than decoding.
    let mut ring = alloc::vec![0; STEP.max(WINDOW)];
    let mut decoder = Box::new(DecompressorOxide::new());
    let (mut pos, mut wrong) = (0, None);
    while pos < data.len() {
        let (start, first) = (pos, output.bytes.len());
        let member = data.get(pos..).unwrap_or_default();
        if !member.starts_with(b"\x1f\x8b") {
            return Err(DecodeFailure::Junk { from: pos });
        }
        let head = head_len(member).ok_or(DecodeFailure::Truncated { from: pos })?;
        pos += head;
        decoder.init();
        pos += inflate(data, pos, &mut decoder, &mut ring, output)?;
        let trailer = data.get(pos..).and_then(<[u8]>::first_chunk);
        if trailer.is_some_and(|&trailer| trailer != sums(output.bytes.get(first..).unwrap_or_default())) {
            wrong.get_or_insert(start);
        }
        pos = pos.saturating_add(TRAILER);
    }
    wrong.map_or(Ok(()), |from| Err(DecodeFailure::Checksum { from }))
}

/// Decodes a zlib stream: two bytes, a deflate stream, and a checksum, which is not looked at.
pub(super) fn decode_zlib(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    // The lower half of the first byte is the method, deflate, and both together are a multiple of 31.
    match data {
        [method, flags, ..] if method & 15 == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0 => {}
        [_, _, ..] => return Err(DecodeFailure::Invalid { from: 0 }),
        _ => return Err(DecodeFailure::Truncated { from: 0 }),
    }
    let mut ring = alloc::vec![0; WINDOW];
    inflate(data, 2, &mut Box::new(DecompressorOxide::new()), &mut ring, output).map(drop)
}

/// Returns the trailer that belongs to a content: the checksum, and the lower bits of the length.
#[expect(clippy::cast_possible_truncation, reason = "the format has 32 bits for a length of any size")]
fn sums(content: &[u8]) -> [u8; TRAILER] {
    let [a, b, c, d] = crc32(content).to_le_bytes();
    let [e, f, g, h] = (content.len() as u32).to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

/// Returns the length of a member's head, or `None` if the input ends inside it.
fn head_len(member: &[u8]) -> Option<usize> {
    const FIXED: usize = 10;
    // Bits of the flags: 2 checksum of the head, 4 extra field, 8 file name, 16 comment.
    let flags = *member.get(3)?;
    let mut pos = FIXED;
    if flags & 4 != 0 {
        let &length = member.get(pos..)?.first_chunk()?;
        pos += 2 + usize::from(u16::from_le_bytes(length));
    }
    for text in [8, 16] {
        if flags & text != 0 {
            pos += member.get(pos..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        pos += 2;
    }
    (pos <= member.len()).then_some(pos)
}

/// Decodes the deflate stream at `start` and returns its length.
fn inflate(
    data: &[u8],
    start: usize,
    decoder: &mut DecompressorOxide,
    ring: &mut [u8],
    output: &mut Output,
) -> Result<usize, DecodeFailure> {
    let mut used = 0;
    let mut ring_pos = 0;
    loop {
        let input = data.get(start + used..).unwrap_or_default();
        let (status, read, written) = decompress(decoder, input, ring, ring_pos, TINFL_FLAG_HAS_MORE_INPUT);
        used += read;
        output.push(ring.get(ring_pos..ring_pos + written).unwrap_or_default(), start + used)?;
        ring_pos = (ring_pos + written) % ring.len();
        match status {
            TINFLStatus::Done => return Ok(used),
            TINFLStatus::HasMoreOutput => {}
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                return Err(DecodeFailure::Truncated { from: start + used });
            }
            _ => return Err(DecodeFailure::Invalid { from: start + used }),
        }
    }
}

//! The gzip decoder. [apitrace C.1](crate::rules::apitrace#C.1)

use alloc::boxed::Box;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::crc32::crc32;
use super::{DecodeFailure, Output, STEP};

/// The greatest distance in bytes from which deflate copies. The decoder needs this much of the latest output.
pub(super) const WINDOW: usize = 32 << 10;
/// The bytes with which every member begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The head of a member, its first 10 bytes. What its flags name follows it, and then the deflate stream. [apitrace
/// C.1](crate::rules::apitrace#C.1)
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct MemberHead {
    /// The magic number, [`MAGIC`].
    magic: [u8; 2],
    /// The number of the method, always 8, which is deflate. It is not looked at.
    method: u8,
    /// The parts between this head and the deflate stream, see [`flag`].
    flags: u8,
    /// The Unix time in seconds at which the content was last changed, or 0. It is not looked at.
    changed: U32,
    /// Whether the writer was fast or thorough. It is not looked at.
    effort: u8,
    /// The number of the system on which the writer ran. It is not looked at.
    system: u8,
}

const _: () = assert!(size_of::<MemberHead>() == 10);

/// The bits of [`MemberHead::flags`], in the order in which their parts stand in the file.
mod flag {
    /// A field of any content, behind its length in 16 bits.
    pub(super) const EXTRA: u8 = 4;
    /// The name of the file, up to a NUL.
    pub(super) const NAME: u8 = 8;
    /// A comment, up to a NUL.
    pub(super) const COMMENT: u8 = 16;
    /// A checksum of the head in 16 bits.
    pub(super) const CHECKSUM: u8 = 2;
}

/// The end of a member, the 8 bytes behind its deflate stream.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned, PartialEq)]
#[repr(C)]
struct Trailer {
    /// The CRC-32 of the content.
    checksum: U32,
    /// The lower 32 bits of the length of the content in bytes.
    length: U32,
}

const _: () = assert!(size_of::<Trailer>() == 8);

impl Trailer {
    /// Returns the trailer that belongs to a content.
    #[expect(clippy::cast_possible_truncation, reason = "the format has 32 bits for a length of any size")]
    fn of(content: &[u8]) -> Self {
        Self { checksum: crc32(content).into(), length: (content.len() as u32).into() }
    }
}

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
        if !member.starts_with(&MAGIC) {
            return Err(DecodeFailure::Junk { from: pos });
        }
        let head = head_len(member).ok_or(DecodeFailure::Truncated { from: pos })?;
        pos += head;
        decoder.init();
        pos += inflate(data, pos, &mut decoder, &mut ring, output)?;
        let content = output.bytes.get(first..).unwrap_or_default();
        let trailer = Trailer::ref_from_prefix(data.get(pos..).unwrap_or_default());
        if trailer.is_ok_and(|(trailer, _)| *trailer != Trailer::of(content)) {
            wrong.get_or_insert(start);
        }
        pos = pos.saturating_add(size_of::<Trailer>());
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

/// Returns the length of a member's head with all that follows it before the deflate stream, or `None` if the input ends
/// inside.
fn head_len(member: &[u8]) -> Option<usize> {
    let (head, mut rest) = MemberHead::ref_from_prefix(member).ok()?;
    let has = |flag| head.flags & flag != 0;
    if has(flag::EXTRA) {
        let (length, extra) = U16::ref_from_prefix(rest).ok()?;
        rest = extra.get(usize::from(length.get())..)?;
    }
    for text in [flag::NAME, flag::COMMENT] {
        if has(text) {
            let end = rest.iter().position(|&byte| byte == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if has(flag::CHECKSUM) {
        rest = rest.get(size_of::<U16>()..)?;
    }
    Some(member.len() - rest.len())
}

/// Decodes the deflate stream at `start` and returns its length.
pub(super) fn inflate(
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

//! Zip archives with one file, as people attach traces to reports. [apitrace C.1](crate::rules::apitrace#C.1)
//!
//! Entries are read from the start of the archive. Folders, and the files that macOS adds, are stepped over.

use alloc::boxed::Box;

use miniz_oxide::inflate::core::DecompressorOxide;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::crc32::crc32;
use super::gzip::{WINDOW, inflate};
use super::{DecodeFailure, Output, STEP};

/// The bytes with which an entry begins.
const ENTRY: &[u8] = b"PK\x03\x04";
/// The bytes of the sums behind an entry whose head does not have them, which may be left out.
const SUMS: &[u8] = b"PK\x07\x08";
/// What may begin behind the last entry: the list of all entries, the end of an archive without any, and records between.
const ENDS: [&[u8]; 4] = [b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x08"];

/// The head of an entry. Its name, and extra fields, stand between it and the content.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct EntryHead {
    magic: [u8; 4],
    /// The version that a reader needs. It is not looked at.
    version: U16,
    flags: U16,
    method: U16,
    /// The time at which the file was changed. It is not looked at.
    changed: U32,
    checksum: U32,
    /// The length of the compressed content; all ones if an extra field has it.
    packed: U32,
    /// The length of the content.
    length: U32,
    name: U16,
    extra: U16,
}

const _: () = assert!(size_of::<EntryHead>() == 30);

mod flag {
    /// The content is encrypted.
    pub(super) const ENCRYPTED: u16 = 1;
    /// The sums stand behind the content, and are 0 in the head.
    pub(super) const SUMS_BEHIND: u16 = 8;
}

mod method {
    pub(super) const STORED: u16 = 0;
    pub(super) const DEFLATE: u16 = 8;
}

/// Decodes the one file of an archive.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    let (mut pos, mut found, mut wrong) = (0, false, None);
    loop {
        let rest = data.get(pos..).unwrap_or_default();
        if ENDS.iter().any(|end| rest.starts_with(end)) {
            return match wrong {
                Some(from) => Err(DecodeFailure::Checksum { from }),
                None if found => Ok(()),
                None => Err(DecodeFailure::Invalid { from: pos }),
            };
        }
        if !rest.starts_with(ENTRY) {
            let is_cut = rest.len() < ENTRY.len();
            return Err(if is_cut {
                DecodeFailure::Truncated { from: pos }
            } else {
                DecodeFailure::Junk { from: pos }
            });
        }
        let cut = DecodeFailure::Truncated { from: pos };
        let (head, behind) = EntryHead::ref_from_prefix(rest).map_err(|_| cut)?;
        let (name, behind) = behind.split_at_checked(head.name.get().into()).ok_or(cut)?;
        let (extra, _) = behind.split_at_checked(head.extra.get().into()).ok_or(cut)?;
        let start = pos + size_of::<EntryHead>() + name.len() + extra.len();
        let is_left = name.ends_with(b"/") || name.starts_with(b"__MACOSX/") || name.ends_with(b".DS_Store");
        if !is_left && found {
            return Err(DecodeFailure::SeveralFiles { from: pos });
        }
        let first = output.bytes.len();
        let used = content(head, extra, (data, start), is_left, output)?;
        let decoded = output.bytes.get(first..).unwrap_or_default();
        let has_sums = head.flags.get() & flag::SUMS_BEHIND == 0;
        if !is_left && has_sums && crc32(decoded) != head.checksum.get() {
            wrong = Some(pos);
        }
        found |= !is_left;
        pos = start + used;
        if !has_sums {
            pos += sums_len(data.get(pos..).unwrap_or_default());
        }
    }
}

/// Decodes the content of an entry, unless it is left out, and returns its length in the archive.
fn content(
    head: &EntryHead,
    extra: &[u8],
    (data, start): (&[u8], usize),
    is_left: bool,
    output: &mut Output,
) -> Result<usize, DecodeFailure> {
    let flags = head.flags.get();
    if flags & flag::ENCRYPTED != 0 {
        return Err(DecodeFailure::Invalid { from: start });
    }
    let packed = match head.packed.get() {
        u32::MAX => long_length(extra).ok_or(DecodeFailure::Invalid { from: start })?,
        packed => u64::from(packed),
    };
    let rest = data.get(start..).unwrap_or_default();
    let known = usize::try_from(packed).ok().filter(|_| flags & flag::SUMS_BEHIND == 0);
    match (head.method.get(), known) {
        (_, Some(length)) if is_left => {
            rest.get(..length).map(<[u8]>::len).ok_or(DecodeFailure::Truncated { from: start })
        }
        (method::STORED, Some(length)) => {
            let stored = rest.get(..length);
            output.push(stored.unwrap_or(rest), start + length.min(rest.len()))?;
            stored.map(<[u8]>::len).ok_or(DecodeFailure::Truncated { from: data.len() })
        }
        (method::DEFLATE, _) => {
            let (before, mut ring) = (output.bytes.len(), alloc::vec![0; STEP.max(WINDOW)]);
            let used = inflate(data, start, &mut Box::new(DecompressorOxide::new()), &mut ring, output)?;
            if is_left {
                output.bytes.truncate(before);
            }
            Ok(used)
        }
        _ => Err(DecodeFailure::Invalid { from: start }),
    }
}

/// Returns the length of the compressed content that the extra fields of a large file have.
fn long_length(mut extra: &[u8]) -> Option<u64> {
    loop {
        let (id, rest) = U16::ref_from_prefix(extra).ok()?;
        let (length, rest) = U16::ref_from_prefix(rest).ok()?;
        let (field, rest) = rest.split_at_checked(length.get().into())?;
        if id.get() == 1 {
            // The length of the content comes first.
            let (_, packed) = U64::ref_from_prefix(field).ok()?;
            return U64::ref_from_prefix(packed).ok().map(|(packed, _)| packed.get());
        }
        extra = rest;
    }
}

/// Returns how many bytes of sums stand before the next entry, or the end.
fn sums_len(rest: &[u8]) -> usize {
    let mark = if rest.starts_with(SUMS) { SUMS.len() } else { 0 };
    let begins = |length: &usize| {
        let behind = rest.get(*length..).unwrap_or_default();
        behind.starts_with(ENTRY) || ENDS.iter().any(|end| behind.starts_with(end))
    };
    [mark + 12, mark + 20].into_iter().find(begins).unwrap_or(mark + 12)
}

//! The choice between the record layouts that were all called version 0. [spall A.2](crate::rules::spall#A.2)
//!
//! Nothing in the header tells them apart. So the first records are walked under each layout: version 0 as published,
//! which wins unless it fails; version 1 under a header of version 0, which a converter from JSON wrote for three
//! years; and the two drafts before publication, which are refused.

use zerocopy::IntoBytes;

use super::float_record::{FloatRecord, decode_v0, decode_v1};
use super::record::RecordError;
use super::wire::{BeginV0, EndV0, FileHeader, tag};

/// The number of records that each walk visits. They take at most some 34 kB.
const ENOUGH: usize = 64;

/// The layout of the records in a version 0 file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordLayout {
    /// Version 0 as published.
    V0,
    /// Version 1 under a header of version 0.
    V1,
    /// A draft from before publication.
    PreRelease,
}

/// Returns the layout of the records in `data`, or `None` if that takes more data. With `eof` it is never `None`.
///
/// `may_be_first_draft` is the result of [`may_be_first_draft`] for the header.
///
/// Each walk, and with it the decision, depends only on bytes that later data cannot change. So the result is the same
/// however the input is split.
pub(super) fn layout(may_be_first_draft: bool, data: &[u8], eof: bool) -> Option<RecordLayout> {
    // A walk that met the end of the data proves nothing as long as more data may follow.
    let settled = |walk: Walk| if walk.end == WalkEnd::Cut && !eof { None } else { Some(walk) };

    let published = settled(walk(data, eof, v0_length))?;
    if published.end == WalkEnd::Sound {
        return Some(RecordLayout::V0);
    }
    let json2bin = settled(walk(data, eof, v1_length))?;
    // One or two long records of a wrong layout may reach the end of a short file by chance, so the layout with more
    // records is the likelier one.
    if json2bin.end == WalkEnd::Sound && json2bin.records >= published.records {
        return Some(RecordLayout::V1);
    }
    let best = published.records.max(json2bin.records);
    let first = if may_be_first_draft { first_draft(data, eof) } else { NO_DRAFT };
    for draft in [settled(first)?, settled(second_draft(data, eof))?] {
        // A single record is found by chance too easily in a cut file.
        if draft.end != WalkEnd::Fault && draft.records >= 2 && draft.records > best {
            return Some(RecordLayout::PreRelease);
        }
    }
    Some(if json2bin.records > published.records { RecordLayout::V1 } else { RecordLayout::V0 })
}

/// The result of walking over the records under one layout.
#[derive(Debug, Clone, Copy)]
struct Walk {
    records: usize,
    end: WalkEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WalkEnd {
    /// The walk found enough records, or the end of the file right behind the last one.
    Sound,
    /// The data ends inside a record, or more records may follow.
    Cut,
    /// The walk met a type that the layout does not have.
    Fault,
}

type Length = fn(&[u8]) -> Result<usize, RecordError>;

/// Walks over up to [`ENOUGH`] records, of which `length` finds the length.
fn walk(data: &[u8], eof: bool, length: Length) -> Walk {
    let mut rest = data;
    for records in 0..ENOUGH {
        if rest.is_empty() && eof {
            return Walk { records, end: WalkEnd::Sound };
        }
        match length(rest).and_then(|length| rest.get(length..).ok_or(RecordError::Short(length))) {
            Ok(next) => rest = next,
            Err(RecordError::Short(_)) => return Walk { records, end: WalkEnd::Cut },
            Err(RecordError::Unknown(_)) => return Walk { records, end: WalkEnd::Fault },
        }
    }
    Walk { records: ENOUGH, end: WalkEnd::Sound }
}

fn v0_length(data: &[u8]) -> Result<usize, RecordError> {
    decode_v0(data).map(|(_, length)| length)
}

fn v1_length(data: &[u8]) -> Result<usize, RecordError> {
    match decode_v1(data)? {
        // The converter wrote no padding, and a search behind padding might read gigabytes.
        (FloatRecord::Pad(_), _) => Err(RecordError::Unknown(tag::PAD_SKIP)),
        (_, length) => Ok(length),
    }
}

/// Returns the length of a draft's record. These are the records of version 0 under other types. A name is never empty,
/// because the writer refused empty names.
fn draft_length(data: &[u8], begin: u8, end: u8) -> Result<usize, RecordError> {
    let tag = *data.first().ok_or(RecordError::Short(1))?;
    if tag == begin {
        let short = RecordError::Short(size_of::<BeginV0>());
        match *data.get(size_of::<BeginV0>() - 1).ok_or(short)? {
            0 => Err(RecordError::Unknown(tag)),
            name_len => Ok(size_of::<BeginV0>() + usize::from(name_len)),
        }
    } else if tag == end {
        Ok(size_of::<EndV0>())
    } else {
        Err(RecordError::Unknown(tag))
    }
}

/// The walk of a file that cannot have the layout of a draft.
const NO_DRAFT: Walk = Walk { records: 0, end: WalkEnd::Fault };

/// The length of the header in the draft of September 9 and 10.
const FIRST_DRAFT_HEADER: usize = 25;

/// Returns whether a file may be the draft of September 9 and 10. The first record of that one starts inside the 32
/// bytes that were read as the header, with the type of a begin.
pub(super) fn may_be_first_draft(header: &FileHeader) -> bool {
    header.as_bytes().get(FIRST_DRAFT_HEADER) == Some(&0)
}

/// Walks under the draft of September 9 and 10 behind a header of 32 bytes.
fn first_draft(data: &[u8], eof: bool) -> Walk {
    // This many bytes of the first record stand behind the 32 bytes, and the last one is the length of its name.
    let fixed = size_of::<BeginV0>() - (size_of::<FileHeader>() - FIRST_DRAFT_HEADER);
    match data.get(fixed - 1).map(|&name_len| usize::from(name_len)) {
        None => Walk { records: 0, end: WalkEnd::Cut },
        Some(0) => NO_DRAFT,
        Some(name_len) => match data.get(fixed + name_len..) {
            None => Walk { records: 0, end: WalkEnd::Cut },
            Some(rest) => {
                let walk = walk(rest, eof, |data| draft_length(data, 0, 1));
                Walk { records: walk.records + 1, ..walk }
            }
        },
    }
}

/// Walks under the draft of September 11, which was in use until noon.
fn second_draft(data: &[u8], eof: bool) -> Walk {
    // A stream cannot start with an end.
    if data.first() == Some(&2) { walk(data, eof, |data| draft_length(data, 2, 3)) } else { NO_DRAFT }
}

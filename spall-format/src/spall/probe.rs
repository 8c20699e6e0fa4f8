//! Which of the layouts that were all called version 0 a file has. \[spall A.2\]
//!
//! Nothing in the header tells them apart, so the first records are walked under each: published version 0, which
//! wins unless it fails; version 1 under a version 0 header, as a converter from JSON wrote it for three years; and
//! the two drafts before publication, which are refused.

use super::record::{Decode, RecordError};
use super::wire::{BeginV0, EndV0};
use super::{v0, v1};

/// How far each walk goes. At most some 34 kB.
const ENOUGH: usize = 64;

/// What the records of a version 0 file look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// As published.
    V0,
    /// Like version 1.
    V1,
    /// Like a draft.
    PreRelease,
}

/// Decides on the records in `data`; `header` is the file's header. `None` asks for more data, which `eof` rules out.
///
/// Each walk, and with it the decision, depends only on bytes that later data cannot change.
pub(super) fn layout(header: [u8; 32], data: &[u8], eof: bool) -> Option<Layout> {
    let settled = |walk: Walk| if walk.end == End::Cut && !eof { None } else { Some(walk) };

    let published = settled(walk(data, eof, v0_length))?;
    if published.end == End::Sound {
        return Some(Layout::V0);
    }
    let json2bin = settled(walk(data, eof, v1_length))?;
    // One or two long records of a wrong layout may reach the end of a short file by chance.
    if json2bin.end == End::Sound && json2bin.records >= published.records {
        return Some(Layout::V1);
    }
    let best = published.records.max(json2bin.records);
    for draft in [settled(first_draft(header, data, eof))?, settled(second_draft(data, eof))?] {
        // A single record is too easily found in a cut file.
        if draft.end != End::Fault && draft.records >= 2 && draft.records > best {
            return Some(Layout::PreRelease);
        }
    }
    Some(if json2bin.records > published.records { Layout::V1 } else { Layout::V0 })
}

#[derive(Debug, Clone, Copy)]
struct Walk {
    records: usize,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Enough records, or the end of the file behind the last one.
    Sound,
    /// The data ends inside a record, or more may follow.
    Cut,
    /// A type that the layout does not have.
    Fault,
}

type Length = fn(&[u8]) -> Result<usize, RecordError>;

fn walk(data: &[u8], eof: bool, length: Length) -> Walk {
    let mut rest = data;
    for records in 0..ENOUGH {
        if rest.is_empty() && eof {
            return Walk { records, end: End::Sound };
        }
        match length(rest).and_then(|length| rest.get(length..).ok_or(RecordError::Short(length))) {
            Ok(next) => rest = next,
            Err(RecordError::Short(_)) => return Walk { records, end: End::Cut },
            Err(RecordError::Unknown(_)) => return Walk { records, end: End::Fault },
        }
    }
    Walk { records: ENOUGH, end: End::Sound }
}

fn v0_length(data: &[u8]) -> Result<usize, RecordError> {
    v0::Record::decode(data).map(|(_, length)| length)
}

fn v1_length(data: &[u8]) -> Result<usize, RecordError> {
    match v1::Record::decode(data)? {
        // The converter wrote none, and looking behind it might take gigabytes.
        (v1::Record::Pad(_), _) => Err(RecordError::Unknown(super::wire::tag::PAD_SKIP)),
        (_, length) => Ok(length),
    }
}

/// A draft's records are those of version 0 under other types. Its writer refused empty names.
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

const NO_DRAFT: Walk = Walk { records: 0, end: End::Fault };

/// September 9 and 10: a header of 25 bytes, so that the first record lies in the header as we read it.
fn first_draft(header: [u8; 32], data: &[u8], eof: bool) -> Walk {
    let before = 25;
    // Behind the header we read there is this much of the first record, its name's length being the last byte.
    let fixed = size_of::<BeginV0>() - (header.len() - before);
    if header.get(before) != Some(&0) {
        return NO_DRAFT;
    }
    match data.get(fixed - 1).map(|&name_len| usize::from(name_len)) {
        None => Walk { records: 0, end: End::Cut },
        Some(0) => NO_DRAFT,
        Some(name_len) => match data.get(fixed + name_len..) {
            None => Walk { records: 0, end: End::Cut },
            Some(rest) => {
                let walk = walk(rest, eof, |data| draft_length(data, 0, 1));
                Walk { records: walk.records + 1, ..walk }
            }
        },
    }
}

/// September 11, until noon.
fn second_draft(data: &[u8], eof: bool) -> Walk {
    // A stream cannot start with an end.
    if data.first() == Some(&2) { walk(data, eof, |data| draft_length(data, 2, 3)) } else { NO_DRAFT }
}

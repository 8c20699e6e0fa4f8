//! The encoders of records. Each returns the length of the record, or `None` if there is no room for it.

use zerocopy::{Immutable, IntoBytes};

use super::wire::{BeginV3, EndV3, NameV3, PadSkip, tag};
use crate::clip::clip;

/// The length of the longest name or argument text in bytes. The format stores it in one byte.
pub(super) const MAX_TEXT: usize = u8::MAX as usize;

/// Writes a record to the start of `into` and returns its length. Returns `None`, and writes nothing, if there is no
/// room for it.
#[inline]
fn put<T: IntoBytes + Immutable>(into: &mut [u8], fixed: &T, first: &[u8], second: &[u8]) -> Option<usize> {
    let length = size_of::<T>() + first.len() + second.len();
    let (head, texts) = into.get_mut(..length)?.split_at_mut_checked(size_of::<T>())?;
    let (first_into, second_into) = texts.split_at_mut_checked(first.len())?;
    head.copy_from_slice(fixed.as_bytes());
    copy_text(first_into, first);
    copy_text(second_into, second);
    Some(length)
}

/// Copies a text. Most are short, and are then copied without a call.
#[inline]
fn copy_text(into: &mut [u8], text: &[u8]) {
    let copied = match text.len() {
        0 => Some(()),
        4..=8 => copy_ends::<4>(into, text),
        9..=16 => copy_ends::<8>(into, text),
        17..=32 => copy_ends::<16>(into, text),
        _ => None,
    };
    if copied.is_none() {
        into.copy_from_slice(text);
    }
}

/// Copies the first and the last `N` bytes, which overlap or touch if there are at most `2 * N`.
#[inline]
fn copy_ends<const N: usize>(into: &mut [u8], from: &[u8]) -> Option<()> {
    *into.first_chunk_mut::<N>()? = *from.first_chunk()?;
    *into.last_chunk_mut::<N>()? = *from.last_chunk()?;
    Some(())
}

#[inline]
pub(super) fn begin_v3(into: &mut [u8], when: u64, name: &[u8], args: &[u8]) -> Option<usize> {
    let ((name_len, name), (args_len, args)) = (counted(name), counted(args));
    put(into, &BeginV3 { tag: tag::BEGIN, when: when.into(), name_len, args_len }, name, args)
}

#[inline]
pub(super) fn end_v3(into: &mut [u8], when: u64) -> Option<usize> {
    put(into, &EndV3 { tag: tag::END, when: when.into() }, b"", b"")
}

pub(super) fn name_v3(into: &mut [u8], tag: u8, name: &[u8]) -> Option<usize> {
    let (name_len, name) = counted(name);
    put(into, &NameV3 { tag, name_len }, name, b"")
}

/// Writes a fact, which is padding for readers that do not know it. [spall A.5](crate::rules::spall#A.5.11)
pub(super) fn fact_v3(into: &mut [u8], key: &[u8], value: &[u8]) -> Option<usize> {
    let (_, key) = counted(key);
    let rest = MAX_FACT - (FACT.len() + key.len() + 1);
    let value = value.get(..rest).unwrap_or(value);
    let length = FACT.len() + key.len() + 1 + value.len();
    let padding = PadSkip { tag: tag::PAD_SKIP, size: u32::try_from(length).ok()?.into() };
    let head = put(into, &padding, FACT, key)?;
    let (separator, rest) = into.get_mut(head..)?.split_first_mut()?;
    *separator = b'=';
    rest.get_mut(..value.len())?.copy_from_slice(value);
    Some(head + 1 + value.len())
}

/// Returns whether a fact of a file is read again as it is: it has room, and is text that means no clock.
#[cfg(feature = "std")]
pub(super) fn is_fact(key: &[u8], value: &[u8]) -> bool {
    let has_room = key.len() <= 255 && FACT.len() + key.len() + 1 + value.len() <= MAX_FACT;
    let is_text = [key, value].iter().all(|text| core::str::from_utf8(text).is_ok());
    has_room && is_text && !key.contains(&b'=') && !matches!(key, b"unix_ns" | b"monotonic_ns")
}

/// The most bytes of padding that hold a fact. [spall A.5](crate::rules::spall#A.5.11)
pub(super) const MAX_FACT: usize = 512;

/// The bytes with which padding begins that holds a fact. [spall A.5](crate::rules::spall#A.5.11)
pub(super) const FACT: &[u8] = b"#fact ";

/// Returns the length of `text` as the format stores it, and `text` itself, cut to that length.
#[inline]
fn counted(text: &[u8]) -> (u8, &[u8]) {
    match u8::try_from(text.len()) {
        Ok(length) => (length, text),
        Err(_) => {
            let text = clip(text, MAX_TEXT);
            (u8::try_from(text.len()).unwrap_or(u8::MAX), text)
        }
    }
}

/// The records of versions 0 and 1.
#[cfg(feature = "std")]
pub(super) mod floats {
    use super::super::Version;
    use super::super::wire::{BeginV0, BeginV1, CompleteV0, EndV0, tag};
    use super::{counted, put};

    /// Writes a begin of version 0, which has no arguments, or of version 1.
    pub(in super::super) fn begin(
        into: &mut [u8],
        version: Version,
        (pid, tid): (u32, u32),
        time: f64,
        name: &[u8],
        args: &[u8],
    ) -> Option<usize> {
        let ((name_len, name), (args_len, args)) = (counted(name), counted(args));
        let (pid, tid, time) = (pid.into(), tid.into(), time.into());
        if version == Version::V0 {
            return put(into, &BeginV0 { tag: tag::BEGIN, pid, tid, time, name_len }, name, b"");
        }
        put(into, &BeginV1 { tag: tag::BEGIN, category: 0, pid, tid, time, name_len, args_len }, name, args)
    }

    /// Writes an end, which is the same in versions 0 and 1.
    pub(in super::super) fn end_v0(into: &mut [u8], (pid, tid): (u32, u32), time: f64) -> Option<usize> {
        put(into, &EndV0 { tag: tag::END, pid: pid.into(), tid: tid.into(), time: time.into() }, b"", b"")
    }

    /// Writes a complete slice of version 0.
    pub(in super::super) fn complete_v0(
        into: &mut [u8],
        (pid, tid): (u32, u32),
        time: f64,
        duration: f64,
        name: &[u8],
    ) -> Option<usize> {
        let (name_len, name) = counted(name);
        let (pid, tid, time, duration) = (pid.into(), tid.into(), time.into(), duration.into());
        put(into, &CompleteV0 { tag: tag::COMPLETE, pid, tid, time, duration, name_len }, name, b"")
    }
}

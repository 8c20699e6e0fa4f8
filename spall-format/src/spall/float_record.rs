//! Records of versions 0 and 1, whose times are floating point numbers. [spall A.2](crate::rules::spall#A.2) [spall
//! A.3](crate::rules::spall#A.3)

use zerocopy::little_endian::{F64, U32};

use super::record::{RecordError, fixed, texts};
use super::wire::{BeginV0, BeginV1, CompleteV0, EndV0, PadSkip, tag};

/// A record of version 0 or 1.
pub(super) enum FloatRecord<'a> {
    /// A slice, or one end of it.
    Slice(FloatSlice<'a>),
    /// Padding: this many bytes follow that have no meaning.
    Pad(u32),
}

/// A slice or one end of it, as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloatSlice<'a> {
    pub(super) kind: Kind,
    pub(super) pid: u32,
    pub(super) tid: u32,
    /// The time in the header's unit.
    pub(super) time: f64,
    /// The duration of a complete slice in the header's unit, and 0 for the other kinds.
    pub(super) duration: f64,
    /// The name, with its NUL if the writer counted it in. An end has none.
    pub(super) name: &'a [u8],
    /// The arguments, which are unstructured text. Version 0 has none.
    pub(super) args: &'a [u8],
}

/// The kinds of [`FloatSlice`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Begin,
    End,
    Complete,
}

/// A record and its length in bytes. The length of padding does not include the padded bytes.
pub(super) type Decoded<'a> = Result<(FloatRecord<'a>, usize), RecordError>;

/// Decodes a record of version 0, as it was published in September 2022.
#[inline]
pub(super) fn decode_v0(data: &[u8]) -> Decoded<'_> {
    match *data.first().ok_or(RecordError::Short(1))? {
        tag::BEGIN => {
            let begin = fixed::<BeginV0>(data)?;
            let texts = texts(data, size_of::<BeginV0>(), begin.name_len, 0)?;
            Ok(slice(Kind::Begin, (begin.pid, begin.tid), (begin.time, F64::ZERO), texts))
        }
        tag::END => decode_end(data),
        tag::COMPLETE => {
            let complete = fixed::<CompleteV0>(data)?;
            let texts = texts(data, size_of::<CompleteV0>(), complete.name_len, 0)?;
            let times = (complete.time, complete.duration);
            Ok(slice(Kind::Complete, (complete.pid, complete.tid), times, texts))
        }
        other => Err(RecordError::Unknown(other)),
    }
}

/// Decodes a record of version 1, October 2022 to July 2025.
#[inline]
pub(super) fn decode_v1(data: &[u8]) -> Decoded<'_> {
    match *data.first().ok_or(RecordError::Short(1))? {
        tag::BEGIN => {
            let begin = fixed::<BeginV1>(data)?;
            let texts = texts(data, size_of::<BeginV1>(), begin.name_len, begin.args_len)?;
            Ok(slice(Kind::Begin, (begin.pid, begin.tid), (begin.time, F64::ZERO), texts))
        }
        tag::END => decode_end(data),
        tag::PAD_SKIP => Ok((FloatRecord::Pad(fixed::<PadSkip>(data)?.size.get()), size_of::<PadSkip>())),
        other => Err(RecordError::Unknown(other)),
    }
}

/// Decodes an end, which is the same in both versions.
#[inline]
fn decode_end(data: &[u8]) -> Decoded<'_> {
    let end = fixed::<EndV0>(data)?;
    Ok(slice(Kind::End, (end.pid, end.tid), (end.time, F64::ZERO), (b"", b"", size_of::<EndV0>())))
}

#[inline(always)]
fn slice<'a>(
    kind: Kind,
    (pid, tid): (U32, U32),
    (time, duration): (F64, F64),
    (name, args, length): (&'a [u8], &'a [u8], usize),
) -> (FloatRecord<'a>, usize) {
    let (pid, tid, time, duration) = (pid.get(), tid.get(), time.get(), duration.get());
    (FloatRecord::Slice(FloatSlice { kind, pid, tid, time, duration, name, args }), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spall_synth::spall::File;

    #[test]
    fn records_say_what_they_lack() {
        let lacks = |data| decode_v1(data).err();
        assert_eq!(lacks(b""), Some(RecordError::Short(1)));
        assert_eq!(lacks(&[3]), Some(RecordError::Short(20)));
        let begin = File::new(1, 1.0).begin_v1(1, 1, 1.0, b"name", b"args").finish();
        assert_eq!(lacks(&begin[32..52]), Some(RecordError::Short(28)));
        assert_eq!(decode_v0(&[7]).err(), Some(RecordError::Unknown(7)));
    }
}

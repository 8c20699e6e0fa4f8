//! The parts that the record decoders of all versions share.

use core::marker::PhantomData;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// The reason for which there is no whole record at the start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The data ends inside the record, which has at least this many bytes, counted from its start. The number is exact
    /// once the data holds the fixed part of the record.
    #[error("the data ends inside a record of at least {0} bytes")]
    Short(usize),
    /// The record has this type, which the version does not have, so its length is unknown. [spall
    /// A.6](crate::rules::spall#A.6)
    #[error("unknown record type {0:#04x}")]
    Unknown(u8),
}

/// A record of one version that can be decoded from bytes.
///
/// It is implemented by [`v0::Record`](super::v0::Record), [`v1::Record`](super::v1::Record) and
/// [`v3::Record`](super::v3::Record).
///
/// ```
/// use spall_format::spall::{Decode, RecordError, v3};
///
/// // An end: type 4, and the time 5 in 8 bytes. The two bytes behind it belong to the next record.
/// let data = b"\x04\x05\0\0\0\0\0\0\0\x08\x03";
/// assert_eq!(v3::Record::decode(data), Ok((v3::Record::End { when: 5 }, 9)));
/// assert_eq!(v3::Record::decode(&data[9..]), Err(RecordError::Short(2 + 3)));
/// ```
pub trait Decode<'a>: Sized {
    /// Decodes the record at the start of `data` and returns it with its length in bytes.
    ///
    /// The length of padding is that of the record that announces it, without the [padded bytes](Self::padding).
    ///
    /// # Errors
    /// This returns [`RecordError::Short`] if `data` holds only a part of the record, and [`RecordError::Unknown`] if
    /// no record of this version has its type.
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError>;

    /// Returns the number of bytes to skip behind the record, which is 0 unless the record is padding.
    fn padding(&self) -> u32;
}

/// An iterator over the records in some bytes. An item is the position of a record in these bytes, and the record.
///
/// It yields padding as a record and skips the padded bytes. It ends after the first error.
///
/// ```
/// use spall_format::spall::{RecordError, Records, v3};
///
/// // The name "ab" of the thread, padding of 2 bytes, and a record of an unknown type.
/// let data = b"\x09\x02ab\x07\x02\0\0\0--\xff";
/// let mut records = Records::<v3::Record<'_>>::new(data);
/// assert_eq!(records.next(), Some(Ok((0, v3::Record::ThreadName(b"ab")))));
/// assert_eq!(records.next(), Some(Ok((4, v3::Record::Pad(2)))));
/// assert_eq!(records.next(), Some(Err(RecordError::Unknown(0xff))));
/// assert_eq!(records.next(), None);
/// ```
#[derive(Debug, Clone)]
pub struct Records<'a, R> {
    rest: &'a [u8],
    pos: usize,
    kind: PhantomData<R>,
}

impl<'a, R: Decode<'a>> Records<'a, R> {
    /// Creates an iterator over the records in `data`, which starts behind the header of a v3 buffer or of a v0 or v1
    /// file.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data, pos: 0, kind: PhantomData }
    }
}

impl<'a, R: Decode<'a>> Iterator for Records<'a, R> {
    type Item = Result<(usize, R), RecordError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let decoded = R::decode(self.rest).and_then(|(record, length)| {
            let padding = usize::try_from(record.padding()).unwrap_or(usize::MAX);
            let length = length.saturating_add(padding);
            self.rest = self.rest.get(length..).ok_or(RecordError::Short(length))?;
            let start = self.pos;
            self.pos += length;
            Ok((start, record))
        });
        if decoded.is_err() {
            self.rest = b"";
        }
        Some(decoded)
    }
}

impl<'a, R: Decode<'a>> core::iter::FusedIterator for Records<'a, R> {}

/// Returns the fixed part of a record, and the bytes behind it.
#[inline]
pub(super) fn fixed<T>(data: &[u8]) -> Result<(&T, &[u8]), RecordError>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    T::ref_from_prefix(data).map_err(|_| RecordError::Short(size_of::<T>()))
}

/// Returns the header of the first buffer in `data`, the bytes of its records, and the bytes behind the buffer. Of a
/// buffer that is cut off it returns the records that are left.
pub(super) fn split_buffer<T>(data: &[u8], size: impl FnOnce(&T) -> U32) -> Option<(&T, &[u8], &[u8])>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    let (header, rest) = T::ref_from_prefix(data).ok()?;
    let size = usize::try_from(size(header).get()).unwrap_or(usize::MAX).min(rest.len());
    let (records, rest) = rest.split_at_checked(size)?;
    Some((header, records, rest))
}

/// Returns the text of `length` bytes behind a fixed part of `fixed` bytes.
#[inline]
pub(super) fn text(rest: &[u8], fixed: usize, length: u8) -> Result<&[u8], RecordError> {
    let length = usize::from(length);
    rest.get(..length).ok_or(RecordError::Short(fixed + length))
}

/// Returns the name and arguments of a begin at the start of `data`, behind its fixed part, and the length of the whole
/// record.
// The length is compared with that of all data, so that the compiler knows that as many bytes can be consumed.
#[inline]
pub(super) fn texts(
    data: &[u8],
    fixed: usize,
    name_len: u8,
    args_len: u8,
) -> Result<(&[u8], &[u8], usize), RecordError> {
    let name = usize::from(name_len);
    let length = fixed + name + usize::from(args_len);
    let texts = data.get(fixed..length).and_then(|texts| texts.split_at_checked(name));
    texts.map(|(name, args)| (name, args, length)).ok_or(RecordError::Short(length))
}

/// Returns `name` without the one NUL at its end that some writers count in. [spall A.6](crate::rules::spall#A.6)
///
/// ```
/// use spall_format::spall::without_nul;
///
/// assert_eq!(without_nul(b"name\0"), b"name");
/// assert_eq!(without_nul(b"name"), b"name");
/// ```
#[must_use]
#[inline]
pub fn without_nul(name: &[u8]) -> &[u8] {
    if let [rest @ .., 0] = name { rest } else { name }
}

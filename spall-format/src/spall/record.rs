//! What the record decoders of all versions have in common.

use core::marker::PhantomData;

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// Why there is no whole record at the start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordError {
    /// The record needs at least this many bytes in all, counted from its start. Once its fixed part is there, the
    /// number is exact.
    Short(usize),
    /// No record of this version has this type, so that nothing says how long it is. \[spall A.6\]
    Unknown(u8),
}

/// A record of one version, decoded from the bytes it stands at the start of.
///
/// Implemented by [`v0::Record`](super::v0::Record), [`v1::Record`](super::v1::Record) and
/// [`v3::Record`](super::v3::Record).
pub trait Decode<'a>: Sized {
    /// Decodes the record at the start of `data`; also says how many bytes it takes. Of padding these are the five
    /// that announce it.
    ///
    /// # Errors
    /// [`RecordError::Short`] if `data` holds only a part of the record, [`RecordError::Unknown`] if it is none of this version.
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError>;

    /// How many bytes to skip behind the record: what padding announces, otherwise nothing.
    fn padding(&self) -> u32;
}

/// The records in some bytes, with their positions. Padding is yielded as a record and stepped over. Ends after the
/// first error.
#[derive(Debug, Clone)]
pub struct Records<'a, R> {
    rest: &'a [u8],
    pos: usize,
    kind: PhantomData<R>,
}

impl<'a, R: Decode<'a>> Records<'a, R> {
    /// The records of `data`: of a v3 buffer behind its header, or of a v0 or v1 file behind the file's.
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

/// The fixed part of a record.
#[inline]
pub(super) fn fixed<T>(data: &[u8]) -> Result<(&T, &[u8]), RecordError>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    T::ref_from_prefix(data).map_err(|_| RecordError::Short(size_of::<T>()))
}

/// The text of `length` bytes behind a fixed part, and what follows it.
#[inline]
pub(super) fn text(rest: &[u8], fixed: usize, length: u8) -> Result<&[u8], RecordError> {
    let length = usize::from(length);
    rest.get(..length).ok_or(RecordError::Short(fixed + length))
}

/// Name and arguments of a begin behind its fixed part, and the length of the whole record.
#[inline]
pub(super) fn texts(
    rest: &[u8],
    fixed: usize,
    name_len: u8,
    args_len: u8,
) -> Result<(&[u8], &[u8], usize), RecordError> {
    let (name, both) = (usize::from(name_len), usize::from(name_len) + usize::from(args_len));
    let texts = rest.get(..both).and_then(|texts| texts.split_at_checked(name));
    texts.map(|(name, args)| (name, args, fixed + both)).ok_or(RecordError::Short(fixed + both))
}

/// A name without the one NUL that some writers count in. \[spall A.6\]
#[must_use]
#[inline]
pub fn without_nul(name: &[u8]) -> &[u8] {
    if let [rest @ .., 0] = name { rest } else { name }
}

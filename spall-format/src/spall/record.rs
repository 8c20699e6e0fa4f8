//! The parts that the record decoders of all versions share.

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

/// Returns the fixed part of the record at the start of `data`.
#[inline]
pub(super) fn fixed<T>(data: &[u8]) -> Result<&T, RecordError>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    T::ref_from_prefix(data).map(|(fixed, _)| fixed).map_err(|_| RecordError::Short(size_of::<T>()))
}

/// Returns the name and arguments of the record at the start of `data`, behind its fixed part of `fixed` bytes, and the
/// length of the whole record.
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
#[inline]
pub(super) fn without_nul(name: &[u8]) -> &[u8] {
    if let [rest @ .., 0] = name { rest } else { name }
}

#[cfg(test)]
mod tests {
    use super::without_nul;

    #[test]
    fn a_6_one_nul_at_the_end_of_a_name_is_no_part_of_it() {
        assert_eq!(without_nul(b"name\0"), b"name");
        assert_eq!(without_nul(b"name\0\0"), b"name\0");
        assert_eq!(without_nul(b"name"), b"name");
    }
}

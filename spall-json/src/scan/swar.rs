//! Eight bytes at a time in one register.
//!
//! The test for a zero byte, `(word - 0x01…) & !word & 0x80…`, can mark a byte above the first zero by mistake but
//! never below, so the lowest mark is right.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the high bit of the bytes of `word` that equal `byte`, the lowest one reliably.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let diff = word ^ (ONES * byte as u64);
    diff.wrapping_sub(ONES) & !diff & HIGH
}

#[inline(always)]
fn first_mark(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

#[inline(always)]
fn find(data: &[u8], from: usize, marks: impl Fn(u64) -> u64) -> Option<usize> {
    let mut pos = from;
    let mut rest = data.get(from..)?;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(pos + first_mark(marks));
        }
        pos += 8;
        rest = tail;
    }
    let mut last = [0; 8];
    last.get_mut(..rest.len())?.copy_from_slice(rest);
    let marks = marks(u64::from_le_bytes(last));
    (marks != 0).then(|| pos + first_mark(marks))
}

/// The first `"` or `\` at or after `from`.
#[inline]
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |word| equal(word, b'"') | equal(word, b'\\'))
}

/// The first `"`, `{`, `}`, `[` or `]` at or after `from`.
#[inline]
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    // `{` and `[`, `}` and `]` differ in one bit.
    find(data, from, |word| {
        let folded = word | (ONES * 0x20);
        equal(word, b'"') | equal(folded, b'{') | equal(folded, b'}')
    })
}

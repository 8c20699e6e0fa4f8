//! Eight bytes at a time in one register; where a string proves to be long, 32 in a loop that compilers turn into
//! vector instructions. (Long strings, as in clang's traces: 4.1 to 6 GB/s.)
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

/// Where more than this many bytes hold nothing special, a text is long.
const SHORT: usize = 48;

#[inline(always)]
fn first_mark(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The first byte at or after `from` that `marks` marks; in a long text, what `long` finds from there on.
#[inline(always)]
fn find(
    data: &[u8],
    from: usize,
    marks: impl Fn(u64) -> u64,
    long: fn(&[u8], usize) -> Option<usize>,
) -> Option<usize> {
    let mut pos = from;
    let mut rest = data.get(from..)?;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(pos + first_mark(marks));
        }
        pos += 8;
        rest = tail;
        if pos - from == SHORT {
            return long(data, pos);
        }
    }
    find_last(rest, marks).map(|at| pos + at)
}

/// The first marked one of less than eight bytes.
#[inline(always)]
fn find_last(rest: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let mut last = [0; 8];
    last.get_mut(..rest.len())?.copy_from_slice(rest);
    let marks = marks(u64::from_le_bytes(last));
    (marks != 0).then(|| first_mark(marks))
}

/// The first special byte at or after `from`, by blocks.
#[inline(always)]
fn find_in_blocks(data: &[u8], from: usize, is_special: impl Fn(u8) -> bool) -> Option<usize> {
    let rest = data.get(from..)?;
    let (blocks, _) = rest.as_chunks::<32>();
    let special = |block: &[u8; 32]| block.iter().fold(false, |any, &byte| any | is_special(byte));
    let skipped = blocks.iter().position(special).unwrap_or(blocks.len()) * 32;
    let at = rest.get(skipped..)?.iter().position(|&byte| is_special(byte))?;
    Some(from + skipped + at)
}

/// The first `"` or `\` at or after `from`.
#[inline(always)]
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |word| equal(word, b'"') | equal(word, b'\\'), string_special_far)
}

#[inline(never)]
fn string_special_far(data: &[u8], from: usize) -> Option<usize> {
    find_in_blocks(data, from, |byte| (byte == b'"') | (byte == b'\\'))
}

/// The first `"`, `{`, `}`, `[` or `]` at or after `from`.
#[inline]
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    // `{` and `[`, `}` and `]` differ in one bit.
    let marks = |word| {
        let folded = word | (ONES * 0x20);
        equal(word, b'"') | equal(folded, b'{') | equal(folded, b'}')
    };
    find(data, from, marks, structural_far)
}

#[inline(never)]
fn structural_far(data: &[u8], from: usize) -> Option<usize> {
    find_in_blocks(data, from, |byte| (byte == b'"') | (byte | 0x20 == b'{') | (byte | 0x20 == b'}'))
}

/// The decimal digits that begin `text`, at most sixteen: their value and how many they are.
#[inline(always)]
pub(crate) fn leading_digits(text: &[u8]) -> (u64, usize) {
    let Some((first, rest)) = text.split_first_chunk::<8>() else { return few_digits(text) };
    let (high, count) = eight_digits(u64::from_le_bytes(*first));
    if count < 8 {
        return (high, count);
    }
    let (low, count) = match rest.first_chunk::<8>() {
        Some(second) => eight_digits(u64::from_le_bytes(*second)),
        None => few_digits(rest),
    };
    let scale = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    (high * scale.get(count).copied().unwrap_or(1) + low, 8 + count)
}

/// The digits that begin a text of less than eight bytes.
fn few_digits(text: &[u8]) -> (u64, usize) {
    let mut word = [0; 8];
    if let Some(front) = word.get_mut(..text.len()) {
        front.copy_from_slice(text);
    }
    eight_digits(u64::from_le_bytes(word))
}

/// The digits that begin the eight bytes of `word`, the first of which is the lowest.
#[inline(always)]
fn eight_digits(word: u64) -> (u64, usize) {
    let digits = word ^ (ONES * 0x30);
    // Marks what is more than 9. A carry can only mark too much above the first such byte.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & HIGH;
    let count = first_mark(others);
    if count == 0 {
        return (0, 0);
    }
    // The last digit becomes the highest byte, zeros come before the first. Neighbours are joined to pairs, pairs to
    // fours, fours to eight.
    let digits = digits << (64 - 8 * count);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff;
    (eight, count)
}

//! Eight bytes at a time in one register; where a string proves to be long, 32 in a loop that compilers turn into
//! vector instructions. (Long strings, as in clang's traces: 4.1 to 6 GB/s.)
//!
//! Whether a byte below 0x80 is zero shows in its high bit when one is subtracted. The borrow of a zero can mark a byte
//! above it by mistake but never one below, so the lowest mark is right.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of the bytes of `word` that equal `byte`, which is below 0x80, and of those from 0x80 on.
#[inline(always)]
fn equal_or_high(word: u64, byte: u8) -> u64 {
    (word ^ (ONES * byte as u64)).wrapping_sub(ONES)
}

/// Marks `"`.
#[inline(always)]
fn quote_marks(word: u64) -> u64 {
    equal_or_high(word, b'"') & !word & HIGH
}

/// Marks `"` and `\`.
#[inline(always)]
fn string_marks(word: u64) -> u64 {
    (equal_or_high(word, b'"') | equal_or_high(word, b'\\')) & !word & HIGH
}

/// Marks `"` and all brackets: `{` and `[`, `}` and `]` differ in one bit.
#[inline(always)]
fn structural_marks(word: u64) -> u64 {
    let folded = word | (ONES * 0x20);
    (equal_or_high(word, b'"') | equal_or_high(folded, b'{') | equal_or_high(folded, b'}')) & !word & HIGH
}

#[inline(always)]
fn first_mark(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// A text that goes on for more than so many bytes is long.
const NEAR: usize = 32;

/// The first byte at or after `from` that `marks` marks; what `far` finds if it is not near.
#[inline(always)]
fn find(
    data: &[u8],
    from: usize,
    marks: impl Fn(u64) -> u64,
    far: fn(&[u8], usize) -> Option<usize>,
) -> Option<usize> {
    let Some(near) = data.get(from..)?.first_chunk::<NEAR>() else { return far(data, from) };
    match find_in_words(near, marks) {
        Some(at) => Some(from + at),
        None => far(data, from + NEAR),
    }
}

/// The first marked byte of whole words.
#[inline(always)]
fn find_in_words(text: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    for (i, word) in text.as_chunks::<8>().0.iter().enumerate() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(8 * i + first_mark(marks));
        }
    }
    None
}

/// The first special byte at or after `from`, by blocks.
#[inline(always)]
fn find_far(
    data: &[u8],
    from: usize,
    is_special: impl Fn(u8) -> bool,
    marks: impl Fn(u64) -> u64,
) -> Option<usize> {
    let rest = data.get(from..)?;
    let (blocks, last) = rest.as_chunks::<32>();
    let special = |block: &&[u8; 32]| block.iter().fold(false, |any, &byte| any | is_special(byte));
    let at = match blocks.iter().enumerate().find(|(_, block)| special(block)) {
        Some((i, block)) => 32 * i + find_in_words(block, marks)?,
        None => {
            let mut words = [0; 32];
            words.get_mut(..last.len())?.copy_from_slice(last);
            32 * blocks.len() + find_in_words(&words, marks)?
        }
    };
    Some(from + at)
}

/// The first `"` at or after `from`.
#[inline(always)]
pub(crate) fn quote(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, quote_marks, quote_far)
}

#[inline(never)]
fn quote_far(data: &[u8], from: usize) -> Option<usize> {
    find_far(data, from, |byte| byte == b'"', quote_marks)
}

/// The first `"` or `\` at or after `from`.
#[inline(always)]
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, string_marks, string_special_far)
}

#[inline(never)]
fn string_special_far(data: &[u8], from: usize) -> Option<usize> {
    find_far(data, from, |byte| (byte == b'"') | (byte == b'\\'), string_marks)
}

/// The first `"`, `{`, `}`, `[` or `]` at or after `from`.
#[inline]
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, structural_marks, structural_far)
}

#[inline(never)]
fn structural_far(data: &[u8], from: usize) -> Option<usize> {
    let is_special = |byte| (byte == b'"') | (byte | 0x20 == b'{') | (byte | 0x20 == b'}');
    find_far(data, from, is_special, structural_marks)
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

//! Eight bytes at a time in one register; where a string proves to be long, as memchr does it.
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
    for (i, word) in near.as_chunks::<8>().0.iter().enumerate() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(from + 8 * i + first_mark(marks));
        }
    }
    far(data, from + NEAR)
}

/// The first `"` at or after `from`.
#[inline(always)]
pub(crate) fn quote(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, quote_marks, quote_far)
}

#[inline(never)]
fn quote_far(data: &[u8], from: usize) -> Option<usize> {
    data.get(from..).and_then(|rest| memchr::memchr(b'"', rest)).map(|at| from + at)
}

/// The first `"` or `\` at or after `from`.
#[inline(always)]
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, string_marks, string_special_far)
}

#[inline(never)]
fn string_special_far(data: &[u8], from: usize) -> Option<usize> {
    data.get(from..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)).map(|at| from + at)
}

/// The first `"`, `{`, `}`, `[` or `]` at or after `from`.
#[inline]
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    Structurals::new(data, from).next()
}

/// Each `"`, `{`, `}`, `[` and `]` from some position on. Only the first is sure to be one: right behind one, there may
/// be mistakes.
///
/// They are found a word at a time before it is known what the one before means. A search that begins where that ends
/// would have to wait for it. (Nested arguments: 1.13 times as fast.)
#[derive(Debug)]
pub(crate) struct Structurals<'a> {
    data: &'a [u8],
    /// Where the word behind the present one begins.
    behind: usize,
    /// What is left of the present word.
    marks: u64,
}

impl<'a> Structurals<'a> {
    #[inline(always)]
    pub(crate) fn new(data: &'a [u8], from: usize) -> Self {
        Self { data, behind: from, marks: 0 }
    }

    /// The next one.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<usize> {
        while self.marks == 0 {
            let rest = self.data.get(self.behind..)?;
            let word = match rest.first_chunk::<8>() {
                Some(word) => u64::from_le_bytes(*word),
                None if rest.is_empty() => return None,
                None => short_word(rest),
            };
            self.marks = structural_marks(word);
            self.behind += 8;
        }
        Some(self.take())
    }

    /// The next `"`. What comes before it is stepped over.
    #[inline(always)]
    pub(crate) fn next_quote(&mut self) -> Option<usize> {
        while self.marks != 0 {
            let at = self.take();
            if self.data.get(at) == Some(&b'"') {
                return Some(at);
            }
        }
        let at = quote(self.data, self.behind)?;
        self.behind = at + 1;
        Some(at)
    }

    #[inline(always)]
    fn take(&mut self) -> usize {
        let at = self.behind - 8 + first_mark(self.marks);
        self.marks &= self.marks - 1;
        at
    }
}

/// The decimal digits that begin `text`, at most sixteen: their value and how many they are.
#[inline(always)]
pub(crate) fn leading_digits(text: &[u8]) -> (u64, usize) {
    let Some((first, rest)) = text.split_first_chunk::<8>() else { return eight_digits(short_word(text)) };
    let (high, count) = eight_digits(u64::from_le_bytes(*first));
    if count < 8 {
        return (high, count);
    }
    let (low, count) = match rest.first_chunk::<8>() {
        Some(second) => eight_digits(u64::from_le_bytes(*second)),
        None => eight_digits(short_word(rest)),
    };
    let scale = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    (high * scale.get(count).copied().unwrap_or(1) + low, 8 + count)
}

/// A text of less than eight bytes, and zeros.
#[cold]
fn short_word(text: &[u8]) -> u64 {
    let mut word = [0; 8];
    if let Some(front) = word.get_mut(..text.len()) {
        front.copy_from_slice(text);
    }
    u64::from_le_bytes(word)
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

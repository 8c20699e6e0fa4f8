//! The searches of eight bytes at a time in a register ("SIMD within a register"). Long strings go to memchr.
//!
//! A mark is the high bit of a byte. Subtracting one from each byte sets the high bit of those that were zero, if all
//! bytes are below 0x80. The borrow of a zero byte can mark the byte above it by mistake, but never one below, so that
//! the lowest mark of a word is right.
//!
//! The searches are inlined, and what calls memchr is not, because a call spills the registers of the loop around it. JSON
//! to a trace takes 5 to 9 % more instructions without the one, and CPU profile to events 9 % without the other.

/// Each byte 1. Multiplied by a byte, it repeats that byte eight times.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The high bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of the bytes of `word` that equal `byte`, and of bytes from 0x80 on. The caller masks the latter.
/// `byte` must be below 0x80.
#[inline]
fn equal_or_high(word: u64, byte: u8) -> u64 {
    (word ^ (ONES * byte as u64)).wrapping_sub(ONES)
}

/// Returns `word` with each `"` marked.
#[inline]
fn quote_marks(word: u64) -> u64 {
    equal_or_high(word, b'"') & !word & HIGH
}

/// Returns `word` with each `"` and `\` marked.
#[inline]
fn string_marks(word: u64) -> u64 {
    (equal_or_high(word, b'"') | equal_or_high(word, b'\\')) & !word & HIGH
}

/// Returns `word` with each `"` and bracket marked. `{` and `[` differ in one bit only, as do `}` and `]`, so that
/// three comparisons do for five bytes.
#[inline]
fn structural_marks(word: u64) -> u64 {
    let folded = word | (ONES * 0x20);
    (equal_or_high(word, b'"') | equal_or_high(folded, b'{') | equal_or_high(folded, b'}')) & !word & HIGH
}

/// Returns the index of the first byte that is marked, or 8 if none is.
#[inline]
fn first_mark(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The number of bytes that are searched here before memchr takes over. Most strings of a trace are shorter:
/// Chromium's traces take 2 % more instructions with 16, those of other tools up to 3 % more with 64.
const NEAR: usize = 32;

/// Returns the position of the first byte at or after `from` that `marks` marks. `far` looks for it behind the first
/// [`NEAR`] bytes, and in data that is shorter.
// Without the attributes in this file, the job `JSON to events, begin-end` takes 16 % more instructions.
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

/// Returns the position of the first `"` at or after `from`.
#[inline(always)]
pub(crate) fn quote(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, quote_marks, quote_far)
}

#[inline(never)]
fn quote_far(data: &[u8], from: usize) -> Option<usize> {
    data.get(from..).and_then(|rest| memchr::memchr(b'"', rest)).map(|at| from + at)
}

/// Returns the position of the first `"` or `\` at or after `from`.
#[inline(always)]
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, string_marks, string_special_far)
}

#[inline(never)]
fn string_special_far(data: &[u8], from: usize) -> Option<usize> {
    data.get(from..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)).map(|at| from + at)
}

/// Returns the position of the first `"`, `{`, `}`, `[` or `]` at or after `from`.
#[inline]
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    Structurals::new(data, from).next()
}

/// An iterator over the positions of `"`, `{`, `}`, `[` and `]`. It may also yield the position right behind one of
/// them, where another byte stands, so the caller must look at the byte.
///
/// A word is searched whole, before the caller knows what its first mark means. A search that began anew behind each
/// mark would have to wait for the caller: this makes nested arguments 1.13 times as fast.
#[derive(Debug)]
pub(crate) struct Structurals<'a> {
    data: &'a [u8],
    /// The position behind the current word.
    behind: usize,
    /// The marks of the current word that were not yielded.
    marks: u64,
}

impl<'a> Structurals<'a> {
    /// Creates an iterator from the position `from` on.
    #[inline]
    pub(crate) fn new(data: &'a [u8], from: usize) -> Self {
        Self { data, behind: from, marks: 0 }
    }

    /// Returns the next position.
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

    /// Returns the position of the next `"`. Brackets before it are skipped.
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

    /// Removes the lowest mark and returns its position. There must be one.
    #[inline]
    fn take(&mut self) -> usize {
        let at = self.behind - 8 + first_mark(self.marks);
        self.marks &= self.marks - 1;
        at
    }
}

/// Returns the value and the number of the decimal digits that begin `text`, at most sixteen.
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

/// Returns a text of less than eight bytes, filled up with zeros. Only the end of a file needs this.
#[cold]
fn short_word(text: &[u8]) -> u64 {
    let mut word = [0; 8];
    if let Some(front) = word.get_mut(..text.len()) {
        front.copy_from_slice(text);
    }
    u64::from_le_bytes(word)
}

/// Returns the value and the number of the digits that begin the eight bytes of `word`, the first of which is the
/// lowest.
#[inline]
fn eight_digits(word: u64) -> (u64, usize) {
    let digits = word ^ (ONES * 0x30);
    // Adding 0x76 to a byte above 9 sets its high bit. A carry can only mark too much above the first such byte.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & HIGH;
    let count = first_mark(others);
    if count == 0 {
        return (0, 0);
    }
    // The shift makes the last digit the highest byte and puts zeros before the first. Three multiplications then join
    // neighbours to pairs, pairs to fours, and fours to all eight digits.
    let digits = digits << (64 - 8 * count);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff;
    (eight, count)
}

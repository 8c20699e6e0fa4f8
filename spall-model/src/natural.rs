//! The natural order of texts, in which `Worker-2` comes before `Worker-10`. [pairing 7](crate::rules::pairing#7)
//!
//! A text is a sequence of bytes and of numbers, which are its runs of decimal digits. Two texts compare by these, one after
//! the other. A number lies between the bytes below `0` and those above `9`, and numbers compare by their values, however
//! long they are. Texts that differ in leading zeros alone compare byte by byte, so that the order is total.

use core::cmp::Ordering;

/// A part of a text. The order of the variants only matters for the digits of a number, which lie between two bytes.
#[derive(PartialEq, Eq)]
enum Part<'t> {
    Byte(u8),
    /// The digits of a number without leading zeros. That of zero has none.
    Number(&'t [u8]),
}

impl Part<'_> {
    /// Returns numbers by which parts compare before the digits do: the byte, and the number of digits.
    fn rank(&self) -> (u8, usize) {
        match *self {
            Self::Byte(byte) => (byte, 0),
            Self::Number(digits) => (b'0', digits.len()),
        }
    }

    fn digits(&self) -> &[u8] {
        match *self {
            Self::Byte(_) => b"",
            Self::Number(digits) => digits,
        }
    }
}

/// The parts of a text.
struct Parts<'t>(&'t [u8]);

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        let (&first, rest) = self.0.split_first()?;
        if !first.is_ascii_digit() {
            self.0 = rest;
            return Some(Part::Byte(first));
        }
        let n_digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(n_digits)?;
        self.0 = rest;
        let n_zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        Some(Part::Number(digits.get(n_zeros..).unwrap_or_default()))
    }
}

/// Compares two texts in the natural order.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    // What both begin with has the same parts, but for a number that may go on behind it. Names are often alike up to one.
    let n_same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let n_digits = a.iter().take(n_same).rev().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = |text| <[u8]>::get(text, n_same - n_digits..).unwrap_or_default();
    let (mut parts_a, mut parts_b) = (Parts(rest(a)), Parts(rest(b)));
    loop {
        let by_part = match (parts_a.next(), parts_b.next()) {
            (Some(a), Some(b)) => a.rank().cmp(&b.rank()).then_with(|| a.digits().cmp(b.digits())),
            (None, None) => return a.cmp(b),
            (a, _) => return if a.is_none() { Ordering::Less } else { Ordering::Greater },
        };
        if by_part.is_ne() {
            return by_part;
        }
    }
}

/// The number of bytes of a key.
const KEY: usize = size_of::<u128>();

/// Returns a number that compares as the beginning of a text does in the natural order: of two texts, the one with the
/// smaller key comes first. Texts with one key may differ.
pub(crate) fn key(text: &[u8]) -> u128 {
    let mut key = [0; KEY];
    let mut to = key.iter_mut();
    let mut put = |byte| to.next().map(|to| *to = byte).is_some();
    for part in Parts(text) {
        let Part::Number(digits) = part else {
            if !put(part.rank().0) {
                break;
            }
            continue;
        };
        // The length of a number comes before its digits. One that is too long for that ends the key.
        let length = u8::try_from(digits.len()).unwrap_or(u8::MAX);
        if !put(b'0') || !put(length) || length == u8::MAX || !digits.iter().all(|&digit| put(digit)) {
            break;
        }
    }
    u128::from_be_bytes(key)
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec, vec::Vec};

    use super::*;

    #[test]
    fn pairing_7_runs_of_digits_compare_as_numbers() {
        let long = |digit, n: usize| [b"Worker-".as_slice(), &vec![digit; n], b"x"].concat();
        let mut texts: Vec<Vec<u8>> = [
            "",
            "\0",
            "\0\0",
            "-",
            "/",
            "0",
            "00",
            "0 a",
            "00 a",
            "0 b",
            "001",
            "01",
            "1",
            "1a",
            "1a0",
            "2",
            "02a3",
            "2a10",
            "9",
            "10",
            "18446744073709551615",
            "18446744073709551616",
            ":",
            "Worker",
            "Worker 1",
            "Worker-",
            "Worker-1",
            "Worker-1-9",
            "Worker-1-10",
            "Worker-02",
            "Worker-2",
            "Worker-2b",
            "Worker-10",
        ]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
        // Numbers whose lengths are around those that a key can hold.
        texts.extend([254, 255, 256, 300, 5000].map(|n| long(b'1', n)));
        texts.extend(
            [&b"Worker-:"[..], b"a long text without digits", b"a long text without digits 2"]
                .map(<[u8]>::to_vec),
        );
        texts.push(b"\xff".to_vec());
        for (at, a) in texts.iter().enumerate() {
            for (other, b) in texts.iter().enumerate() {
                let names = || (a.escape_ascii().to_string(), b.escape_ascii().to_string());
                assert_eq!(compare(a, b), at.cmp(&other), "{:?}", names());
                assert!(key(a).cmp(&key(b)) != at.cmp(&other).reverse() || at == other, "{:?}", names());
            }
        }
    }
}

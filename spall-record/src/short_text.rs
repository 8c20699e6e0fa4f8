//! Texts that are put together in memory of a fixed size.

use core::fmt::{self, Write};

/// The first bytes of a text.
pub(crate) struct ShortText {
    bytes: [u8; Self::MAX],
    length: usize,
}

impl ShortText {
    /// As much as a record of spall holds.
    const MAX: usize = 255;

    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::MAX], length: 0 }
    }

    /// Replaces the text by another one, which is cut between two characters if it is too long. Returns its bytes.
    ///
    /// Threads do this before they touch their ring: what is written may record, too.
    #[inline]
    pub(crate) fn of(&mut self, text: fmt::Arguments<'_>) -> &[u8] {
        self.clear();
        // The error says that there was more.
        let _ = self.write_fmt(text);
        self.as_bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a number, in a fraction of the time that formatting takes. One that does not fit is left out.
    pub(crate) fn write_number(&mut self, number: u64) -> fmt::Result {
        let mut digits = [0; 20];
        let (mut rest, mut n_digits) = (number, 0);
        for pair in digits.as_chunks_mut::<2>().0.iter_mut().rev() {
            let two = u8::try_from(rest % 100).unwrap_or(0);
            *pair = [b'0' + two / 10, b'0' + two % 10];
            rest /= 100;
            n_digits += 2;
            if rest == 0 {
                n_digits -= usize::from(two < 10);
                break;
            }
        }
        self.push(digits.get(digits.len() - n_digits..).unwrap_or_default())
    }

    /// Appends a number as it is displayed. One with up to six decimals takes a fraction of the time that formatting takes.
    pub(crate) fn write_float(&mut self, number: f64) -> fmt::Result {
        const UNIT: u64 = 1_000_000;
        let scaled = (number.abs() * UNIT as f64).round();
        // Fewer than 16 digits that give this number are the only ones that do.
        if !(scaled < 1e15 && scaled / UNIT as f64 == number.abs()) {
            return write!(self, "{number}");
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 0 and less than 1e15"
        )]
        let scaled = scaled as u64;
        if number.is_sign_negative() {
            self.push(b"-")?;
        }
        self.write_number(scaled / UNIT)?;
        let mut rest = scaled % UNIT;
        if rest == 0 {
            return Ok(());
        }
        let mut decimals = [b'0'; 6];
        for digit in decimals.iter_mut().rev() {
            *digit += u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
        }
        self.push(b".")?;
        let n_decimals = decimals.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
        self.push(decimals.get(..n_decimals).unwrap_or_default())
    }

    /// Appends bytes that are whole characters, if they fit.
    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> fmt::Result {
        let end = self.length + bytes.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Appends the start of a text that does not fit.
    fn fill(&mut self, text: &str) {
        let mut end = Self::MAX - self.length;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let fits = text.as_bytes().get(..end).unwrap_or_default();
        if let Some(into) = self.bytes.get_mut(self.length..self.length + fits.len()) {
            into.copy_from_slice(fits);
        }
        self.length += fits.len();
    }
}

impl Write for ShortText {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes()).inspect_err(|_| self.fill(text))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn floats_are_written_as_they_are_displayed() {
        let check = |number: f64| {
            let mut text = ShortText::new();
            text.write_float(number).unwrap();
            assert_eq!(str::from_utf8(text.as_bytes()).unwrap(), number.to_string());
        };
        for number in
            [0.0, -0.0, 0.1, 1e-6, 1e-7, 1e-100, 999_999_999.999_999, 1e9, 1e15, f64::NAN, f64::INFINITY]
        {
            check(number);
            check(-number);
        }
        // A linear congruential generator.
        let mut state = 1_u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = f64::from_bits(state);
            // Extreme exponents have more digits than fit.
            if (1e-30..1e30).contains(&bits.abs()) {
                check(bits);
            }
            let decimal = (state >> 20) as f64 / [1.0, 10.0, 1e3, 1e5, 1e6, 1e7][(state % 6) as usize];
            check(decimal);
            check(decimal / 1e6);
        }
    }
}

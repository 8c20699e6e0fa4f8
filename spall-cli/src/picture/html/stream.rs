//! The numbers and texts of a page.

/// Whole numbers of seven bits a byte, low ones first; texts behind their length.
#[derive(Debug, Default)]
pub(super) struct Stream(Vec<u8>);

impl Stream {
    pub(super) fn uint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn float(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        let text = crate::picture::clean(text);
        self.raw_text(&text);
    }

    /// A text whose control characters are meant.
    pub(super) fn raw_text(&mut self, text: &str) {
        self.uint(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        let base64 = |text: &str| base64(text.as_bytes());
        assert_eq!(["", "f", "fo", "foo", "foob"].map(base64), ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        let mut stream = Stream::default();
        for value in [0, 127, 128, u64::MAX] {
            stream.uint(value);
        }
        assert_eq!(stream.0[..4], [0, 127, 128, 1]);
        assert_eq!(stream.0[4..], [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}

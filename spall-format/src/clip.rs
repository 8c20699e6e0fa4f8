//! Cutting of texts that are longer than a format allows.

/// Returns the first `max` bytes of `text`, or up to three fewer so as not to cut a character of UTF-8.
#[cold]
pub(crate) fn clip(text: &[u8], max: usize) -> &[u8] {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let back = (0..4).find(|&back| back <= max && !continues(max - back)).unwrap_or(0);
    // Four continuation bytes in a row are not UTF-8, so there is no character to keep whole.
    text.get(..max.saturating_sub(back)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn clipping_keeps_characters_whole() {
        assert_eq!(clip("abc".as_bytes(), 5), b"abc");
        assert_eq!(clip("abc".as_bytes(), 2), b"ab");
        assert_eq!(clip("aé".as_bytes(), 2), b"a");
        assert_eq!(clip("aé".as_bytes(), 3), "aé".as_bytes());
        assert_eq!(clip("a😀b".as_bytes(), 4), b"a");
        assert_eq!(clip("a😀b".as_bytes(), 5), "a😀".as_bytes());
    }

    #[test]
    fn clipping_cuts_what_is_no_utf8_where_it_must() {
        assert_eq!(clip(&[0x80; 9], 6), [0x80; 6]);
        assert_eq!(clip(&[0x80; 2], 1), [0x80; 1]);
        assert_eq!(clip("é".as_bytes(), 0), b"");
        assert_eq!(clip(b"abc\xff\xff", 4), b"abc\xff");
    }
}

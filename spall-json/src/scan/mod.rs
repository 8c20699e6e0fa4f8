//! The searches for quotes, backslashes, brackets and digits, which are the inner loops of the parser.
//!
//! The parser uses `swar`, which looks at eight bytes at a time. `bytewise` has the same functions. It is the reference
//! that the tests compare `swar` with.

#[cfg(test)]
mod bytewise;
mod swar;

pub(crate) use swar::{Structurals, leading_digits, quote, string_special, structural};

#[cfg(test)]
mod tests {
    use spall_synth::Random;

    use super::{bytewise, swar};

    type Search = fn(&[u8], usize) -> Option<usize>;

    fn check(reference: Search, fast: Search, interesting: &[u8]) {
        let mut random = Random(7);
        for len in 0..100_usize {
            for _ in 0..20 {
                let mut bytes = [b'x'; 100];
                for byte in &mut bytes[..len] {
                    *byte = match random.below(64) {
                        0 => interesting[random.below(interesting.len())],
                        1 => random.below(u8::MAX),
                        _ => b'a' + random.below(26_u8),
                    };
                }
                let bytes = &bytes[..len];
                for from in 0..=len + 1 {
                    assert_eq!(fast(bytes, from), reference(bytes, from), "{from} {bytes:?}");
                }
            }
        }
    }

    #[test]
    fn swar_finds_what_the_bytewise_search_finds() {
        check(bytewise::quote, swar::quote, b"\"\x21\x23\xa2");
        check(bytewise::string_special, swar::string_special, b"\"\\\x21\x23\xa2\xdc");
        check(bytewise::structural, swar::structural, b"\"{}[]|~\\\xfb\xdd\x7b\x5b");
    }

    #[test]
    fn structurals_are_all_found_in_order() {
        let text = br#"{"a":[1,{"b#z|\":"~x}y{z"}],"long":"0123456789012345678901234567890123456789"} [ ""]"#;
        for from in 0..=text.len() {
            let mut found = swar::Structurals::new(text, from);
            let mut pos = from;
            while let Some(next) = bytewise::structural(text, pos) {
                let at = core::iter::from_fn(|| found.next()).find(|&at| !b"#z|\\~".contains(&text[at]));
                assert_eq!(at, Some(next), "from {from}");
                pos = next + 1;
            }
            assert_eq!(found.next(), None);
            let mut found = swar::Structurals::new(text, from);
            pos = from;
            while let Some(next) = bytewise::quote(text, pos) {
                assert_eq!(found.next_quote(), Some(next), "from {from}");
                pos = next + 1;
            }
            assert_eq!(found.next_quote(), None);
        }
    }

    #[test]
    fn swar_reads_the_digits_that_the_bytewise_version_reads() {
        let mut random = Random(3);
        for len in 0..20_usize {
            for _ in 0..2000 {
                let mut bytes = [0; 20];
                for byte in &mut bytes[..len] {
                    *byte =
                        if random.one_in(10) { random.below(u8::MAX) } else { b'0' + random.below(10_u8) };
                }
                let bytes = &bytes[..len];
                assert_eq!(swar::leading_digits(bytes), bytewise::leading_digits(bytes), "{bytes:?}");
            }
        }
        assert_eq!(swar::leading_digits(b"99999999999999999"), (9_999_999_999_999_999, 16));
    }
}

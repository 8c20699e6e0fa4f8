//! Search for the bytes that end a string or change the depth, and digits: the inner loops of the reader.
//!
//! [`plain`] is the reference, [`swar`] the one in use: eight bytes at a time in a register. Both have the same
//! functions and pass the same tests.

#[cfg(test)]
mod plain;
mod swar;

pub(crate) use swar::{Structurals, leading_digits, quote, string_special, structural};

#[cfg(test)]
mod tests {
    use super::{plain, swar};

    type Search = fn(&[u8], usize) -> Option<usize>;

    fn check(reference: Search, fast: Search, interesting: &[u8]) {
        let mut state = 7_u32;
        for len in 0..100_usize {
            for _ in 0..20 {
                let mut bytes = [b'x'; 100];
                for byte in &mut bytes[..len] {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let [_, random, choice, kind] = state.to_le_bytes();
                    *byte = match kind >> 2 {
                        0 => interesting[usize::from(choice) % interesting.len()],
                        1 => random,
                        _ => b'a' + random % 26,
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
    fn swar_finds_what_the_plain_search_finds() {
        check(plain::quote, swar::quote, b"\"\x21\x23\xa2");
        check(plain::string_special, swar::string_special, b"\"\\\x21\x23\xa2\xdc");
        check(plain::structural, swar::structural, b"\"{}[]|~\\\xfb\xdd\x7b\x5b");
    }

    #[test]
    fn structurals_are_all_found_in_order() {
        let text = br#"{"a":[1,{"b#z|\":"~x}y{z"}],"long":"0123456789012345678901234567890123456789"} [ ""]"#;
        for from in 0..=text.len() {
            let mut found = swar::Structurals::new(text, from);
            let mut pos = from;
            while let Some(next) = plain::structural(text, pos) {
                let at = core::iter::from_fn(|| found.next()).find(|&at| !b"#z|\\~".contains(&text[at]));
                assert_eq!(at, Some(next), "from {from}");
                pos = next + 1;
            }
            assert_eq!(found.next(), None);
            let mut found = swar::Structurals::new(text, from);
            pos = from;
            while let Some(next) = plain::quote(text, pos) {
                assert_eq!(found.next_quote(), Some(next), "from {from}");
                pos = next + 1;
            }
            assert_eq!(found.next_quote(), None);
        }
    }

    #[test]
    fn swar_reads_the_digits_that_plain_reads() {
        let mut state = 3_u32;
        for len in 0..20_usize {
            for _ in 0..2000 {
                let mut bytes = [0; 20];
                for byte in &mut bytes[..len] {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let [_, _, random, kind] = state.to_le_bytes();
                    *byte = if kind < 24 { random } else { b'0' + random % 10 };
                }
                let bytes = &bytes[..len];
                assert_eq!(swar::leading_digits(bytes), plain::leading_digits(bytes), "{bytes:?}");
            }
        }
        assert_eq!(swar::leading_digits(b"99999999999999999"), (9_999_999_999_999_999, 16));
    }
}

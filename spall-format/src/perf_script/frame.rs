//! The line of a call frame: `address symbol+0xoffset (dso)`. [profiles 4.1](spall_model::rules::profiles#4.1)

/// A frame as its line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameLine<'a> {
    /// Whether the line begins with an address.
    pub(super) has_address: bool,
    /// The symbol without the offset; empty if the file has none.
    pub(super) symbol: &'a [u8],
    /// The library, the program or a part of the kernel, or `inlined`; `None` if the line does not say.
    pub(super) dso: Option<&'a [u8]>,
}

impl<'a> FrameLine<'a> {
    /// Reads a line that has an address or a library, or returns `None`.
    #[inline]
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let address = split_address(line);
        let (has_address, rest) = (address.is_some(), address.map_or(line, |(_, rest)| rest));
        let Some((symbol, dso)) = split_dso(rest) else {
            return has_address.then(|| Self {
                has_address,
                symbol: without_offset(rest.trim_ascii()),
                dso: None,
            });
        };
        Some(Self {
            has_address,
            symbol: without_offset(symbol.trim_ascii()),
            dso: Some(without_offset(dso)),
        })
    }

    /// Returns whether the line has all that a line of a frame usually has, so that it is hardly anything else.
    pub(super) fn is_certain(&self) -> bool {
        self.has_address && self.dso.is_some()
    }
}

/// Splits a line into the digits of its address and what follows, or returns `None` if it begins with no address.
#[inline]
fn split_address(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = line.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len());
    let is_word = digits > 0 && matches!(line.get(digits), None | Some(b' '));
    line.split_at_checked(digits).filter(|_| is_word)
}

/// Returns the address of a line.
pub(super) fn address(line: &[u8]) -> Option<u64> {
    let (digits, _) = split_address(line.trim_ascii())?;
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(u64::from);
    digits.iter().try_fold(0_u64, |address, byte| address.checked_mul(16)?.checked_add(digit(byte)?))
}

/// Splits off the library in brackets at the end. The path of a file that was deleted ends with `(deleted)`.
#[inline]
fn split_dso(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = line.strip_suffix(b")")?;
    let path = inside.strip_suffix(b" (deleted)").unwrap_or(inside);
    let open = memchr::memrchr(b'(', path)
        .filter(|&open| open.checked_sub(1).is_none_or(|at| path.get(at) == Some(&b' ')));
    // Brackets may be a part of the path. Those behind a blank begin it.
    let open = open.or_else(|| memchr::memmem::rfind(path, b" (").map(|blank| blank + 1))?;
    Some((line.get(..open)?, inside.get(open + 1..)?))
}

/// Returns a symbol or a path without the offset at its end.
#[inline]
fn without_offset(symbol: &[u8]) -> &[u8] {
    let digits = symbol.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let name = symbol.get(..symbol.len() - digits).unwrap_or_default();
    name.strip_suffix(b"+0x").unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(bool, &str, Option<&str>)> {
        let text = |bytes| core::str::from_utf8(bytes).unwrap();
        let frame = FrameLine::of(line.as_bytes())?;
        Some((frame.has_address, text(frame.symbol), frame.dso.map(text)))
    }

    #[test]
    fn profiles_4_1_a_frame_has_an_address_a_symbol_and_a_library() {
        for (line, symbol, dso) in [
            (
                "\tffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])",
                "native_safe_halt",
                "[kernel.kallsyms]",
            ),
            ("  7f443c3671bc _IO_new_file_write (inlined)", "_IO_new_file_write", "inlined"),
            ("0 [unknown] ([unknown])", "[unknown]", "[unknown]"),
            ("7f1 main.(*T).f+0x1c8 (/bin/go)", "main.(*T).f", "/bin/go"),
            (
                "7f1 std::function<void (int, int)>::operator()(int, int) const+0x1 (/a)",
                "std::function<void (int, int)>::operator()(int, int) const",
                "/a",
            ),
            ("7f1 f+0x1 (/tmp/x (deleted))", "f", "/tmp/x (deleted)"),
            ("7f1 f+0x1 (/my files/x(1).so)", "f", "/my files/x(1).so"),
            ("7f1 f (/lib/x.so+0x12ab)", "f", "/lib/x.so"),
            ("7f1e2215d058  (/lib/libc.so)", "", "/lib/libc.so"),
        ] {
            assert_eq!(read(line), Some((true, symbol, Some(dso))), "{line}");
        }
    }

    #[test]
    fn profiles_4_1_a_frame_needs_an_address_or_a_library() {
        assert_eq!(read("  7f1 main+0x4"), Some((true, "main", None)));
        assert_eq!(read("  7f1"), Some((true, "", None)));
        assert_eq!(read("  main (/bin/a)"), Some((false, "main", Some("/bin/a"))));
        assert_eq!(read("  face::detect (/bin/a)"), Some((false, "face::detect", Some("/bin/a"))));
        for line in ["", "  THIS_IS_A_WEIRD_LINE", "  main.c:12", "a(b)"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}

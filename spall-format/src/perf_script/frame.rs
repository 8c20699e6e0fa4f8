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
    /// The place in the source, which another line has.
    pub(super) source: SourceLine<'a>,
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
                source: SourceLine::UNKNOWN,
            });
        };
        Some(Self {
            has_address,
            symbol: without_offset(symbol.trim_ascii()),
            dso: Some(without_offset(dso)),
            source: SourceLine::UNKNOWN,
        })
    }

    /// Returns whether the line has all that a line of a frame usually has, so that it is hardly anything else.
    pub(super) fn is_certain(&self) -> bool {
        self.has_address && self.dso.is_some()
    }
}

/// The place in the source of a frame, as the line behind it has it: `file:line`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SourceLine<'a> {
    /// The file; empty if perf does not know it.
    pub(super) file: &'a [u8],
    /// The line, counted from 1; 0 if perf does not know it.
    pub(super) line: u32,
}

impl<'a> SourceLine<'a> {
    /// The place of a frame of which nothing says where it is.
    pub(super) const UNKNOWN: Self = Self { file: b"", line: 0 };

    /// Reads a line that is neither a frame nor a comment, or returns `None` if it is no place in a source.
    ///
    /// perf writes `??:0`, or the library and the address in brackets, where it does not know the place.
    #[inline]
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let end = line.strip_suffix(b")").and_then(|inside| {
            let open = memchr::memmem::rfind(inside, b" (discriminator ")?;
            let number = inside.get(open + b" (discriminator ".len()..)?;
            is_number(number).then_some(open)
        });
        let line = line.get(..end.unwrap_or(line.len()))?;
        if split_address(line).is_some() {
            return None;
        }
        if let Some(inside) = line.strip_suffix(b"]") {
            let open = memchr::memrchr(b'[', inside).filter(|&open| open > 0)?;
            let address = inside.get(open + 1..)?;
            let is_address = !address.is_empty() && address.iter().all(u8::is_ascii_hexdigit);
            return is_address.then_some(Self::UNKNOWN);
        }
        let (file, number) = line.split_at_checked(memchr::memrchr(b':', line)?)?;
        let number = number.get(1..).filter(|number| is_number(number))?;
        if file.is_empty() {
            return None;
        }
        let digit = |line: u32, byte: &u8| line.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
        let line = number.iter().fold(0, digit);
        Some(if file == b"??" { Self::UNKNOWN } else { Self { file, line } })
    }
}

fn is_number(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Splits a line into the digits of its address and what follows, or returns `None` if it begins with no address.
#[inline]
fn split_address(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = line.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len());
    // Simpleperf has a tab behind the address.
    let is_word = digits > 0 && matches!(line.get(digits), None | Some(b' ' | b'\t'));
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
            ("b3cea6c4\tLock::unlock() (/system/lib/libc.so)", "Lock::unlock()", "/system/lib/libc.so"),
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
    #[test]
    fn profiles_4_1_a_line_of_a_source_has_a_file_and_a_number() {
        let read = |line: &'static str| {
            SourceLine::of(line.as_bytes())
                .map(|found| (core::str::from_utf8(found.file).unwrap(), found.line))
        };
        for (line, expected) in [
            ("  work.c:12", ("work.c", 12)),
            ("  /my files/work.c:12 (discriminator 3)\r\n", ("/my files/work.c", 12)),
            ("  work.c:0", ("work.c", 0)),
            ("  ??:0", ("", 0)),
            ("  libc.so.6[7f1a]", ("", 0)),
            ("  [kernel.kallsyms][ffffffff8103ce3b]", ("", 0)),
            ("  a.c:99999999999", ("a.c", u32::MAX)),
        ] {
            assert_eq!(read(line), Some(expected), "{line}");
        }
        for line in ["", "  THIS_IS_A_WEIRD_LINE", "7f1 main:4", ":4", "a:", "[ff]", "a[xyz]", "a.c:1x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}

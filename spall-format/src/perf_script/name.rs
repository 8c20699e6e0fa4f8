//! The names of functions, as `inferno-collapse-perf` gives them by default. [profiles 4.2](spall_model::rules::profiles#4.2)

use alloc::{borrow::Cow, vec::Vec};

/// Returns the names of the functions of a symbol, outermost first. `dso` is empty if the file does not say it.
///
/// A virtual machine for Java writes several into one symbol where it inlines. A frame that is no function has none.
pub(super) fn functions<'a>(
    symbol: &'a [u8],
    dso: &'a [u8],
    is_java: bool,
) -> impl Iterator<Item = Cow<'a, [u8]>> {
    const INLINED: &[u8] = b"_[i]";
    // Old versions of perf write the command in brackets here.
    let is_function = !symbol.starts_with(b"(") || symbol.starts_with(ANONYMOUS);
    let symbol = is_function.then(|| demangled(symbol));
    // Elsewhere, `->` is an operator of C++ or a part of a type of Rust.
    let is_jit = dso.starts_with(b"/tmp/perf-") && dso.ends_with(b".map");
    let mut rest = symbol;
    let mut is_inlined = false;
    core::iter::from_fn(move || {
        let symbol = rest.take()?;
        let arrow = if is_jit { memchr::memmem::find(&symbol, b"->") } else { None };
        let (first, inlined) = match arrow {
            Some(arrow) => (slice(&symbol, 0, arrow), Some(slice(&symbol, arrow + 2, symbol.len()))),
            None => (symbol, None),
        };
        rest = inlined;
        let mut name = tidy(first, dso, is_java);
        if core::mem::replace(&mut is_inlined, true) && memchr::memmem::find(&name, INLINED).is_none() {
            name.to_mut().extend_from_slice(INLINED);
        }
        Some(name)
    })
}

/// What C++ writes before the names of a namespace without a name.
const ANONYMOUS: &[u8] = b"(anonymous namespace)";

/// Returns a part of a text, which is borrowed if the text is.
fn slice<'a>(text: &Cow<'a, [u8]>, from: usize, to: usize) -> Cow<'a, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(from..to).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(from..to).unwrap_or_default().to_vec()),
    }
}

/// Returns the name of one function.
fn tidy<'a>(symbol: Cow<'a, [u8]>, dso: &[u8], is_java: bool) -> Cow<'a, [u8]> {
    let mut name = match &*symbol {
        b"" => Cow::Borrowed(&b" "[..]),
        // The library says more than nothing.
        b"[unknown]" if !dso.is_empty() && dso != b"[unknown]" => {
            let file = memchr::memrchr(b'/', dso).map_or(0, |slash| slash + 1);
            Cow::Owned([b"[", dso.get(file..).unwrap_or_default(), b"]"].concat())
        }
        _ => symbol,
    };
    // A semicolon separates functions in folded stacks.
    if name.contains(&b';') {
        name.to_mut().iter_mut().filter(|byte| **byte == b';').for_each(|byte| *byte = b':');
    }
    let is_class = is_java && name.starts_with(b"L") && name.contains(&b'/');
    slice(&name, usize::from(is_class), without_parameters(&name).len())
}

/// Returns a name without the list of parameters. Brackets around receivers of Go, in types and in lambdas of C++ stay.
fn without_parameters(name: &[u8]) -> &[u8] {
    let mut depth = 0_i64;
    let mut previous = 0;
    for (at, &byte) in name.iter().enumerate() {
        let rest = name.get(at..).unwrap_or_default();
        match byte {
            b'<' | b'{' | b'[' => depth += 1,
            b'>' | b'}' | b']' | b')' => depth -= 1,
            b'(' if depth == 0 && previous != b'.' && !rest.starts_with(ANONYMOUS) => {
                return name.get(..at).unwrap_or_default();
            }
            b'(' => depth += 1,
            _ => {}
        }
        previous = byte;
    }
    name
}

/// Returns a symbol of Rust without its hash, and with the characters that it stands for.
fn demangled(symbol: &[u8]) -> Cow<'_, [u8]> {
    /// The characters that have a name. `$u20$` and its like stand for a code point.
    const NAMED: [(&[u8], u8); 8] = [
        (b"SP", b'@'),
        (b"BP", b'*'),
        (b"RF", b'&'),
        (b"LT", b'<'),
        (b"GT", b'>'),
        (b"LP", b'('),
        (b"RP", b')'),
        (b"C", b','),
    ];
    let hash_at = symbol.len().saturating_sub(17);
    let Some((name, [b'h', hash @ ..])) = symbol.split_at_checked(hash_at) else {
        return Cow::Borrowed(symbol);
    };
    if hash.len() != 16 || !hash.iter().all(u8::is_ascii_hexdigit) {
        return Cow::Borrowed(symbol);
    }
    let name = name.strip_suffix(b"::").unwrap_or(name);
    let mut rest = if name.starts_with(b"_$") { name.get(1..).unwrap_or_default() } else { name };
    if !rest.contains(&b'$') && memchr::memmem::find(rest, b"..").is_none() {
        return Cow::Borrowed(rest);
    }
    let mut plain = Vec::with_capacity(rest.len());
    while let [byte, tail @ ..] = rest {
        if let Some(tail) = rest.strip_prefix(b"..") {
            plain.extend_from_slice(b"::");
            rest = tail;
        } else if *byte == b'$' {
            let code = tail.split(|&byte| byte == b'$').next().unwrap_or_default();
            let named = NAMED.iter().find(|(name, _)| *name == code).map(|&(_, character)| character);
            let Some(character) = named.or_else(|| code_point(code)) else { break };
            plain.push(character);
            rest = tail.get(code.len() + 1..).unwrap_or_default();
        } else {
            plain.push(*byte);
            rest = tail;
        }
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// Reads `u` and two hexadecimal digits, which stand for a character of ASCII.
fn code_point(code: &[u8]) -> Option<u8> {
    let digits = core::str::from_utf8(code.strip_prefix(b"u")?).ok()?;
    u8::from_str_radix(digits, 16)
        .ok()
        .filter(|byte| digits.len() == 2 && byte.is_ascii_graphic() || *byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::String, vec};

    fn names(symbol: &str, dso: &str, is_java: bool) -> Vec<String> {
        let text = |name: Cow<'_, [u8]>| String::from_utf8(name.into_owned()).unwrap();
        functions(symbol.as_bytes(), dso.as_bytes(), is_java).map(text).collect()
    }

    #[test]
    fn profiles_4_2_parameters_are_left_out() {
        for (symbol, expected) in [
            ("go/build.(*importReader).readByte", "go/build.(*importReader).readByte"),
            ("foo<Vec::<usize>>(Vec<usize>)", "foo<Vec::<usize>>"),
            (".run()V", ".run"),
            ("base(BasicType) const", "base"),
            (
                "std::function<void (int, int)>::operator(int, int)",
                "std::function<void (int, int)>::operator",
            ),
            ("{lambda(int, int)#2}::operator()", "{lambda(int, int)#2}::operator"),
            ("(anonymous namespace)::myBar()", "(anonymous namespace)::myBar"),
            ("[(foo)]::bar()", "[(foo)]::bar"),
            ("a;b", "a:b"),
            ("std::unique_ptr<T>::operator->", "std::unique_ptr<T>::operator->"),
        ] {
            assert_eq!(names(symbol, "/bin/a", false), [expected]);
        }
    }

    #[test]
    fn profiles_4_2_unknown_functions_have_the_name_of_their_library() {
        assert_eq!(names("[unknown]", "/usr/lib/libc.so.6", false), ["[libc.so.6]"]);
        assert_eq!(names("[unknown]", "[kernel.kallsyms]", false), ["[[kernel.kallsyms]]"]);
        assert_eq!(names("[unknown]", "[unknown]", false), ["[unknown]"]);
        assert_eq!(names("[unknown]", "", false), ["[unknown]"]);
        assert_eq!(names("(java)", "/bin/java", false), [""; 0]);
    }

    #[test]
    fn profiles_4_2_symbols_of_java_lose_their_types() {
        let jit = "/tmp/perf-19982.map";
        assert_eq!(names("Ljava/io/PrintStream;::print", jit, true), ["java/io/PrintStream:::print"]);
        assert_eq!(names("Ljava/io/PrintStream;::print", jit, false), ["Ljava/io/PrintStream:::print"]);
        assert_eq!(names("LCounter;::countTo", jit, true), ["LCounter:::countTo"]);
        assert_eq!(names("La/A;.f(La/B;)La/C;", jit, true), ["a/A:.f"]);
        let inlined = names("La/A;::f->La/B;::g->h_[i]", jit, true);
        assert_eq!(inlined, ["a/A:::f", "a/B:::g_[i]", "h_[i]"]);
    }

    #[test]
    fn profiles_4_2_symbols_of_rust_lose_their_hash() {
        for (symbol, expected) in [
            (
                "_$LT$grep_searcher..searcher..glue..ReadByLine$LT$$u27$s$C$$u20$M$GT$$GT$::run::h30ecedc997ad7e32",
                "<grep_searcher::searcher::glue::ReadByLine<'s, M>>::run",
            ),
            ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
            ("a.llvm$x$y::h0123456789abcdef", "a.llvm$x$y"),
            ("not_a_hash::h0123456789abcdex", "not_a_hash::h0123456789abcdex"),
            ("h0123456789abcdef", ""),
        ] {
            let expected = if expected.is_empty() { " " } else { expected };
            assert_eq!(names(symbol, "/bin/a", false), vec![expected], "{symbol}");
        }
    }
}

//! Text of a trace made fit to be shown, and numbers with units.

use std::fmt::Write;

/// The text with everything visible: control characters become their pictures (␊), and what turns the direction of
/// the text around it or must not stand in XML becomes U+FFFD.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// Returns what is shown of a character, which is another one only if it is a control character or turns directions.
pub(crate) fn visible(character: char) -> char {
    match character {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'..='\u{ffff}' => '\u{fffd}',
        other => other,
    }
}

/// Cleaned text for element content and quoted attributes of HTML and XML.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// `3 slices`, `1 slice`, `12 345 slices`.
#[must_use]
pub fn count(number: u64, what: &str) -> String {
    let mut text = grouped(&number.to_string());
    let plural = match number {
        1 => "",
        _ if what.ends_with(['s', 'x']) => "es",
        _ => "s",
    };
    _ = write!(text, " {what}{plural}");
    text
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_becomes_harmless() {
        assert_eq!(escape("</script>\"'&"), "&lt;/script&gt;&quot;&#39;&amp;");
        assert_eq!(clean("a\n\0\u{1b}[0m\u{202e}b\u{7f}\u{ffff}"), "a␊␀␛[0m\u{fffd}b␡\u{fffd}");
        assert_eq!(clean("naïve 名前 😀"), "naïve 名前 😀");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(1, "slice"), "1 slice");
        assert_eq!(count(0, "process"), "0 processes");
        assert_eq!(count(1_234_567, "slice"), "1\u{202f}234\u{202f}567 slices");
    }
}

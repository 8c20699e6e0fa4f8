//! Numbers as people read them.

/// A number with about four significant digits, or a whole one with all, in groups of three.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size >= 1e15 || (size > 0.0 && size < 1e-4) {
        return if value.is_finite() { format!("{value:.3e}") } else { value.to_string() };
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 7")]
    let decimals = if value.fract() == 0.0 { 0 } else { (3.0 - size.log10().floor()).max(0.0) as usize };
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = rest.trim_end_matches('0');
    let sign = if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { "-" } else { "" };
    format!("{sign}{}{}{rest}", grouped(whole), if rest.is_empty() { "" } else { "." })
}

/// A count in groups of three digits.
pub(crate) fn count(count: u64) -> String {
    grouped(&count.to_string())
}

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
    fn numbers_have_four_digits_or_are_whole() {
        let texts =
            [0.0, 1.5, 1234.5, -0.25, 12.3456, 1_234_567.0, 0.001_234_5, -0.0, 2e15, 1e-9].map(number);
        let expected = [
            "0",
            "1.5",
            "1\u{202f}234",
            "-0.25",
            "12.35",
            "1\u{202f}234\u{202f}567",
            "0.001234",
            "0",
            "2.000e15",
            "1.000e-9",
        ];
        assert_eq!(texts, expected);
        assert_eq!(count(12_345), "12\u{202f}345");
        assert_eq!(number(f64::NAN), "NaN");
    }
}

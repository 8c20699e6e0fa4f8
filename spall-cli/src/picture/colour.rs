//! Colours as CSS knows them.

use spall_trace::layout::{ColorKey, Theme};

/// The shade of everything that is called `name`: always the same, and the same for names that differ in digits only.
pub(crate) fn of(name: &[u8]) -> usize {
    ColorKey::without_digits(name).shade()
}

/// All shades of a theme.
pub(crate) fn shades(theme: Theme) -> [String; 32] {
    theme.shades().map(css)
}

/// The colour of text on them.
pub(crate) fn text(theme: Theme) -> String {
    css(theme.text())
}

/// A colour as CSS writes it.
pub(crate) fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

//! Calm colours: hues in even steps, each in two shades, for light pages and for dark ones.

use spall::layout::ColorKey;

/// Background of the slices on a light page.
pub(crate) const LIGHT: [&str; 32] = [
    "#fbbfc6", "#eb9c9a", "#fbc1b4", "#e8a183", "#f6c6a6", "#dea872", "#ebcc9e", "#cdb16b", "#dbd39e",
    "#b6ba72", "#c8d9a6", "#9cc283", "#b5deb5", "#81c79b", "#a4e0c8", "#6ac8b5", "#9be0db", "#61c6cd",
    "#9bdeec", "#6ac2e1", "#a4d9f9", "#81bbed", "#b5d3ff", "#9bb2f2", "#c7cdff", "#b4aaed", "#dac7f8",
    "#caa2df", "#e9c2eb", "#db9dcb", "#f5bfd9", "#e69bb3",
];

/// Background of the slices on a dark page.
pub(crate) const DARK: [&str; 32] = [
    "#764049", "#925a59", "#764237", "#905d48", "#724727", "#89633b", "#694d1c", "#7e6935", "#5c531c",
    "#6d703b", "#4b5927", "#5a7548", "#365d38", "#457959", "#1e604a", "#327a6c", "#035f5c", "#2a797e",
    "#065d6b", "#33758c", "#215976", "#467095", "#37537c", "#596a98", "#4a4d7b", "#6c6494", "#5b4875",
    "#7b5f8b", "#674469", "#875b7c", "#71415a", "#8f596b",
];

/// The colour of everything that is called `name`: always the same, and the same for names that differ in digits only.
pub(crate) fn of(name: &[u8]) -> usize {
    // The upper five bits: one of 32.
    (ColorKey::without_digits(name).0 >> 27) as usize
}

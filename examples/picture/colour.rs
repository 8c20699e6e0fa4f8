//! Sixteen calm colours, each in a light and a dark variant of even brightness.

use spall::layout::ColorKey;

/// Background of the slices on a light page.
pub(crate) const LIGHT: [&str; 16] = [
    "#e49ea8", "#f9b3a4", "#dfa680", "#e6c188", "#c1b676", "#bdd193", "#92c393", "#8fdabc", "#6fc6c0",
    "#83d6e8", "#7dbde3", "#a5caff", "#a9afea", "#d2bbf6", "#d0a2d2", "#f1b1d2",
];

/// Background of the slices on a dark page.
pub(crate) const DARK: [&str; 16] = [
    "#7b414b", "#91574b", "#774826", "#82632f", "#605619", "#61703a", "#376139", "#337860", "#00635f",
    "#217584", "#1e5c7b", "#4b6a97", "#4d5081", "#725d8f", "#6c456e", "#8b5571",
];

/// The colour of everything that is called `name`: always the same, and the same for names that differ in digits only.
pub(crate) fn of(name: &[u8]) -> usize {
    ColorKey::without_digits(name).0 as usize % LIGHT.len()
}

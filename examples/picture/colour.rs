//! Sixteen calm colours, each in a light and a dark variant of even brightness.

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
    // FNV-1a, then the high bits folded in, as the low ones alone are poor.
    let letters = name.iter().filter(|byte| !byte.is_ascii_digit());
    let hash =
        letters.fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash ^ hash >> 16) % 16) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_do_not_change_a_colour() {
        assert_eq!(of(b"worker 1"), of(b"worker 22"));
        assert_ne!(of(b"parse"), of(b"layout"));
    }
}

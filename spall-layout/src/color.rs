//! Colours for boxes, chosen by name. [layout 8.2](crate::rules::layout#8.2)

/// A number that chooses a colour. A name has the same key on every machine and in every version.
///
/// The bits of a key are well mixed, so any of them may index a palette of the caller's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColorKey(pub u32);

impl ColorKey {
    /// Returns the key of a name: the FNV-1a hash of its bytes, mixed.
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        Self::of_bytes(name.iter().copied())
    }

    /// Returns the key of a name without its digits, so that `worker 1` and `worker 2` have the same colour.
    #[must_use]
    pub fn without_digits(name: &[u8]) -> Self {
        Self::of_bytes(name.iter().copied().filter(|byte| !byte.is_ascii_digit()))
    }

    /// Returns the key of a number, to colour by track, by depth or by the magnitude of a duration.
    #[must_use]
    pub fn of_number(number: u64) -> Self {
        Self::of_bytes(number.to_le_bytes().into_iter())
    }

    /// Returns the position of the key's colour in [`Theme::shades`], from 0 to 31.
    #[must_use]
    pub fn shade(self) -> usize {
        // The upper five bits: one of 32.
        (self.0 >> 27) as usize
    }

    /// Returns the colour of the key as red, green and blue of sRGB. It has the same hue in both themes.
    ///
    /// ```
    /// use spall_layout::{ColorKey, Theme};
    /// let key = ColorKey::without_digits(b"worker 17");
    /// let [red, green, blue] = key.rgb(Theme::Dark);
    /// assert_eq!(Theme::Dark.shades()[key.shade()], [red, green, blue]);
    /// let for_a_gpu = u32::from_le_bytes([red, green, blue, 255]);
    /// # assert_eq!(for_a_gpu >> 24, 255);
    /// ```
    #[must_use]
    pub fn rgb(self, theme: Theme) -> [u8; 3] {
        theme.table().get(self.shade()).copied().map(bytes).unwrap_or_default()
    }

    /// Returns the key of a sequence of bytes.
    fn of_bytes(bytes: impl Iterator<Item = u8>) -> Self {
        let hash =
            bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let hash = (hash ^ (hash >> 16)).wrapping_mul(0x7feb_352d);
        let hash = (hash ^ (hash >> 15)).wrapping_mul(0x846c_a68b);
        Self(hash ^ (hash >> 16))
    }
}

/// A set of colours for boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Theme {
    /// The colours for a light page: pale boxes with dark text.
    #[default]
    Light,
    /// The colours for a dark page: deep boxes with white text.
    Dark,
    /// The eight colours of Okabe and Ito, for any page, with black text: people with any colour vision can tell them
    /// apart. [layout 8.4](crate::rules::layout#8.4)
    #[doc(alias = "colour-blind")]
    OkabeIto,
}

impl Theme {
    /// Returns colours for boxes, as red, green and blue of sRGB.
    ///
    /// Those for light and for dark pages are calm. Their hues differ by even steps, weaker and stronger colours
    /// alternate, and the colours at one position have the same hue in both. [`Theme::OkabeIto`] repeats eight colours.
    #[must_use]
    pub fn shades(self) -> [[u8; 3]; 32] {
        self.table().map(bytes)
    }

    /// Returns the colour of text on any of the shades. The contrast is at least 4.5 to 1, as WCAG asks for small text.
    #[must_use]
    pub const fn text(self) -> [u8; 3] {
        match self {
            Self::Light => [0x1f, 0x23, 0x28],
            Self::Dark => [0xff; 3],
            Self::OkabeIto => [0; 3],
        }
    }

    /// Returns the shades as they are written in this file.
    fn table(self) -> &'static [u32; 32] {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
            Self::OkabeIto => &OKABE_ITO,
        }
    }
}

/// Returns red, green and blue of a colour that is written `0xRRGGBB`.
fn bytes(color: u32) -> [u8; 3] {
    let [_, red, green, blue] = color.to_be_bytes();
    [red, green, blue]
}

/// The shades for a light page, each `0xRRGGBB`. Text on them is dark.
const LIGHT: [u32; 32] = [
    0xfbbfc6, 0xeb9c9a, 0xfbc1b4, 0xe8a183, 0xf6c6a6, 0xdea872, 0xebcc9e, 0xcdb16b, 0xdbd39e, 0xb6ba72,
    0xc8d9a6, 0x9cc283, 0xb5deb5, 0x81c79b, 0xa4e0c8, 0x6ac8b5, 0x9be0db, 0x61c6cd, 0x9bdeec, 0x6ac2e1,
    0xa4d9f9, 0x81bbed, 0xb5d3ff, 0x9bb2f2, 0xc7cdff, 0xb4aaed, 0xdac7f8, 0xcaa2df, 0xe9c2eb, 0xdb9dcb,
    0xf5bfd9, 0xe69bb3,
];

/// The shades for a dark page, each `0xRRGGBB` and with the hue of the shade of [`LIGHT`] at its position.
const DARK: [u32; 32] = [
    0x764049, 0x925a59, 0x764237, 0x905d48, 0x724727, 0x89633b, 0x694d1c, 0x7e6935, 0x5c531c, 0x6d703b,
    0x4b5927, 0x5a7548, 0x365d38, 0x457959, 0x1e604a, 0x327a6c, 0x035f5c, 0x2a797e, 0x065d6b, 0x33758c,
    0x215976, 0x467095, 0x37537c, 0x596a98, 0x4a4d7b, 0x6c6494, 0x5b4875, 0x7b5f8b, 0x674469, 0x875b7c,
    0x71415a, 0x8f596b,
];

/// The colours of Okabe and Ito four times, each `0xRRGGBB`. Text on them is black.
#[rustfmt::skip]
const OKABE_ITO: [u32; 32] = [
    0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0a7bbf, 0xd55e00, 0xcc79a7, 0x999999,
    0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0a7bbf, 0xd55e00, 0xcc79a7, 0x999999,
    0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0a7bbf, 0xd55e00, 0xcc79a7, 0x999999,
    0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0a7bbf, 0xd55e00, 0xcc79a7, 0x999999,
];

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn layout_8_2_color_keys_are_pinned() {
        assert_eq!(ColorKey::of(b""), ColorKey::without_digits(b"123"));
        assert_eq!(ColorKey::of(b"worker "), ColorKey::without_digits(b"worker 17"));
        assert_ne!(ColorKey::of(b"worker 1"), ColorKey::of(b"worker 2"));
        assert_eq!(
            [b"".as_slice(), b"a", b"main"].map(|name| ColorKey::of(name).0),
            [0x7414_1c20, 0x6c4e_37eb, 0x8158_376b]
        );
        assert_eq!(ColorKey::of_number(0x6e69_616d), ColorKey::of(b"main\0\0\0\0"));
    }

    /// Contrast as WCAG 2 defines it.
    fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
        let luminance = |color: [u8; 3]| -> f64 {
            let linear = |part: u8| {
                let part = f64::from(part) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            let [red, green, blue] = color.map(linear);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn layout_8_3_text_is_legible_on_every_shade() {
        for theme in [Theme::Light, Theme::Dark, Theme::OkabeIto] {
            for shade in theme.shades() {
                assert!(contrast(shade, theme.text()) >= 4.5, "{theme:?} {shade:?}");
            }
        }
        let black_on_white = contrast([0; 3], [255; 3]);
        assert!((black_on_white - 21.0).abs() < 0.01, "{black_on_white}");
    }

    #[test]
    fn layout_8_4_eight_colors_repeat() {
        let shades = Theme::OkabeIto.shades();
        for (at, shade) in shades.into_iter().enumerate() {
            assert_eq!(shades.iter().position(|&first| first == shade), Some(at % 8));
        }
        assert_eq!(shades[..4], [[0xe6, 0x9f, 0], [0x56, 0xb4, 0xe9], [0, 0x9e, 0x73], [0xf0, 0xe4, 0x42]]);
    }

    #[test]
    fn layout_8_3_a_name_has_the_same_shade_in_both_themes() {
        let key = ColorKey::of(b"main"); // 0x8158376b: the upper five bits are 16
        assert_eq!(key.shade(), 16);
        assert_eq!([key.rgb(Theme::Light), key.rgb(Theme::Dark)], [[0x9b, 0xe0, 0xdb], [0x03, 0x5f, 0x5c]]);
    }
}

//! An atlas of letters: a picture with one beside the other.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

pub const WIDTH: u32 = get_raster_width(FontWeight::Regular, RasterHeight::Size16) as u32;
pub const HEIGHT: u32 = 16;
/// The printable characters of ASCII.
const LETTERS: std::ops::RangeInclusive<char> = ' '..='~';

/// Returns the number of letters in the atlas.
pub fn count() -> u32 {
    LETTERS.count() as u32
}

/// Returns the position of a character in the atlas. Those that it does not have look like `?`, and `…` like `~`.
pub fn position(letter: char) -> u32 {
    let shown = match letter {
        '…' => '~',
        _ if LETTERS.contains(&letter) => letter,
        _ => '?',
    };
    u32::from(shown) - u32::from(*LETTERS.start())
}

/// Returns how dark each pixel of the atlas is, row by row.
pub fn atlas() -> Vec<u8> {
    let row = count() * WIDTH;
    let mut pixels = vec![0; (row * HEIGHT) as usize];
    for letter in LETTERS {
        let Some(raster) = get_raster(letter, FontWeight::Regular, RasterHeight::Size16) else { continue };
        for (y, line) in raster.rows().enumerate() {
            let at = y * row as usize + (position(letter) * WIDTH) as usize;
            pixels[at..at + line.len()].copy_from_slice(line);
        }
    }
    pixels
}

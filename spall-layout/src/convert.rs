//! Numbers of one kind as numbers of another.

use spall_model::Ticks;

/// A position in a table, or how many entries there are: of slices, tracks, rows and whatever is made of them there are
/// fewer than 2³².
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a trace has fewer than 2^32 of anything")]
pub(crate) fn to_u32(position: usize) -> u32 {
    position as u32
}

/// A length; the greatest there is in place of what cannot be expressed.
#[inline(always)]
pub(crate) fn to_ticks(length: u64) -> Ticks {
    Ticks(i64::try_from(length).unwrap_or(i64::MAX))
}

/// Ticks or parts of a column, to draw.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "24 bits are enough to draw")]
pub(crate) fn to_f32(length: u64) -> f32 {
    length as f32
}

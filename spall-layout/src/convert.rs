//! Conversions between number types that lose nothing that matters, each with its reason in one place.

use spall_model::Ticks;

/// Converts a duration. One that is too long for [`Ticks`] becomes the longest one.
pub(crate) fn to_ticks(duration: u64) -> Ticks {
    Ticks(i64::try_from(duration).unwrap_or(i64::MAX))
}

/// Converts a distance or a duration. The result is rounded to 53 significant bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits are enough to draw")]
pub(crate) fn to_f64(amount: u64) -> f64 {
    amount as f64
}

/// Converts ticks or parts of a column for drawing. The result is rounded to 24 significant bits.
#[expect(clippy::cast_precision_loss, reason = "24 bits are enough to draw")]
pub(crate) fn to_f32(amount: u64) -> f32 {
    amount as f32
}

/// Returns a duration of up to 2⁶³ − 1 ticks for drawing, rounded to 24 significant bits.
#[expect(clippy::cast_precision_loss, reason = "24 bits are enough to draw")]
pub(crate) fn ticks_f32(start: i64, end: i64) -> f32 {
    // A signed number is converted by one instruction, an unsigned one by several and a branch.
    end.wrapping_sub(start) as f32
}

//! A slice with its start and end as plain integers, which the index and the queries compare and pass around.

use spall_model::SliceId;

/// A slice of a row, with its start and end in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SliceExtent {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) id: SliceId,
}

impl SliceExtent {
    /// Returns the duration in ticks. As a `u64` it is exact even from the least to the greatest time.
    #[inline(always)]
    pub(crate) fn duration(&self) -> u64 {
        self.end.wrapping_sub(self.start).cast_unsigned()
    }
}

//! What a reader may make of the bytes that it has read.

/// What a reader may still make of a file, so that no small file makes a large trace.
///
/// A call frame may take one byte of a file, which names it by a number, and takes much more in a trace. So each has a price
/// in bytes of the file, and the bytes that were read pay for it, beside [`Budget::FREE`] ones. A reader that cannot pay for
/// a frame ends the stack of the sample at its nearest caller that is known, keeps the sample, and reports
/// [`StackLimit`](crate::DiagnosticKind::StackLimit).
///
/// ```
/// use spall_model::Budget;
///
/// let mut budget = Budget::default();
/// let n_frames = (0..1 << 20).filter(|_| budget.spend(Budget::FRAME, 1000)).count() as u64;
/// assert_eq!(n_frames, (Budget::FREE + 1000) / Budget::FRAME);
/// assert!(budget.spend(Budget::FRAME, 2000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    spent: u64,
}

impl Budget {
    /// The bytes that need not be in the file.
    pub const FREE: u64 = 1 << 16;

    /// The price of a call frame.
    pub const FRAME: u64 = 4;

    /// The price of a sample of a profile in JSON. One with a stack and a time, or a weight, takes at least as many bytes.
    pub const SAMPLE: u64 = 4;

    /// The price of a further value of a sample, for which a file may have a byte.
    pub const VALUE: u64 = 8;

    /// The price of the samples of a thread and an event that are the first ones, in the text of `perf script`. The first
    /// line of a sample has about as many bytes.
    pub const PROFILE: u64 = 64;

    /// Pays a price in bytes of a file of which `read` bytes were read so far. Returns whether they were enough.
    #[must_use]
    pub fn spend(&mut self, price: u64, read: u64) -> bool {
        let spent = self.spent.saturating_add(price);
        let is_paid = spent <= read.saturating_add(Self::FREE);
        if is_paid {
            self.spent = spent;
        }
        is_paid
    }
}

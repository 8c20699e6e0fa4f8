//! The memory in which a thread puts arguments together before it touches its ring.

use alloc::boxed::Box;
use core::cell::Cell;

use spall_model::ArgsBuilder;

use crate::record::MAX_TEXT;

thread_local! {
    /// Memory that is used again and again: to clear so much each time would cost more than to fill it.
    static BUFFER: Cell<Option<Box<[u8; MAX_TEXT]>>> = const { Cell::new(None) };
}

/// Calls `build` with a builder that takes [`MAX_TEXT`] bytes of arguments.
pub(crate) fn with_builder<T>(build: impl FnOnce(&mut ArgsBuilder<'_>) -> T) -> T {
    // A value that records while it is added finds no memory here, and gets its own.
    let kept = BUFFER.try_with(Cell::take).ok().flatten();
    let mut buffer = kept.unwrap_or_else(|| Box::new([0; MAX_TEXT]));
    let built = build(&mut ArgsBuilder::in_buffer(&mut buffer[..]));
    let _ = BUFFER.try_with(|kept| kept.set(Some(buffer)));
    built
}

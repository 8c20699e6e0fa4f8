//! Records the control loop and the interrupt handler of a microcontroller, and sends the trace over a wire.
//!
//! The loop and the handler have a buffer and a thread id each, so neither ever sees a record that the other has half
//! written. The loop owns its buffer. The buffer of the handler is shared, and used in critical sections only: the
//! handler records in one, and the loop copies the buffer out in another one, which keeps interrupts waiting for a
//! kilobyte to be copied. The wire is only used by the loop, outside of critical sections.
#![no_std]

use core::cell::RefCell;

use critical_section::Mutex;
use spall_format::FormatError;
use spall_format::spall::{BufferWriter, Header, Version};

type Buffer = BufferWriter<[u8; SIZE]>;

const SIZE: usize = 1024;
const PROCESS: u32 = 1;
const LOOP: u32 = 1;
const HANDLER: u32 = 2;

/// The buffer of the handler, and the number of events that found no room in it.
static OF_HANDLER: Mutex<RefCell<(Option<Buffer>, u32)>> = Mutex::new(RefCell::new((None, 0)));

/// Runs the control loop `n_turns` times. `cycles` reads the cycle counter of a processor with 80 MHz, and `send` sends
/// bytes over the wire.
///
/// # Errors
/// This returns an error if the buffers were too small for a record, which they are not.
pub fn control_loop(
    n_turns: u32,
    cycles: impl Fn() -> u64,
    mut send: impl FnMut(&[u8]),
) -> Result<(), FormatError> {
    send(&Header::new(Version::V3, 12.5).to_bytes());
    let mut buffer = Buffer::new([0; SIZE], PROCESS, LOOP)?;
    let mut of_handler = Buffer::new([0; SIZE], PROCESS, HANDLER)?;
    critical_section::with(|section| OF_HANDLER.borrow_ref_mut(section).0 = Some(of_handler.clone()));
    for _ in 0..n_turns {
        let mut emptied = |bytes: &[u8]| {
            send(bytes);
            Ok::<(), FormatError>(())
        };
        buffer.record(|buffer| buffer.begin(cycles(), "turn"), &mut emptied)?;
        buffer.record(|buffer| buffer.end(cycles()), &mut emptied)?;
        // The handler goes on with the empty buffer.
        critical_section::with(|section| {
            if let Some(shared) = &mut OF_HANDLER.borrow_ref_mut(section).0 {
                core::mem::swap(shared, &mut of_handler);
            }
        });
        send(of_handler.take());
    }
    send(buffer.take());
    Ok(())
}

/// The interrupt handler, which records itself.
pub fn on_interrupt(cycles: impl Fn() -> u64) {
    let start = cycles();
    // The work of the handler is here.
    critical_section::with(|section| {
        let mut shared = OF_HANDLER.borrow_ref_mut(section);
        let (Some(buffer), n_dropped) = &mut *shared else { return };
        // Without room for both, the slice is left out. A handler never waits for the wire.
        if buffer.free() < MAX_SLICE
            || buffer.begin(start, "interrupt").is_err()
            || buffer.end(cycles()).is_err()
        {
            *n_dropped += 1;
        }
    });
}

/// The bytes of the handler's two records: 11 and the name, and 9.
const MAX_SLICE: usize = 11 + "interrupt".len() + 9;

/// Returns how many slices of the handler found no room.
#[must_use]
pub fn n_dropped() -> u32 {
    critical_section::with(|section| OF_HANDLER.borrow_ref(section).1)
}

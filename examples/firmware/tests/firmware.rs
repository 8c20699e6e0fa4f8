//! The recorder on a computer, with a thread as the interrupt.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use spall_firmware::{control_loop, n_dropped, on_interrupt};
use spall_trace::model::TraceView;

#[test]
fn the_loop_and_the_handler_are_both_in_the_trace() {
    let (clock, handled, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let cycles = || clock.fetch_add(1, Ordering::Relaxed);
    // In the midst of its turns the loop waits for a whole interrupt, because a busy computer may not run the other thread.
    let n_readings = Cell::new(0);
    let cycles_of_loop = || {
        n_readings.set(n_readings.get() + 1);
        if n_readings.get() == 10_000 {
            let before = handled.load(Ordering::Relaxed);
            while handled.load(Ordering::Relaxed) < before + 2 {
                thread::yield_now();
            }
        }
        cycles()
    };
    let mut wire = Vec::new();
    let mut n_interrupts = 0;
    thread::scope(|scope| {
        let interrupts = scope.spawn(|| {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                on_interrupt(cycles);
                count += 1;
                handled.store(count, Ordering::Relaxed);
                thread::yield_now();
            }
            count
        });
        control_loop(10_000, cycles_of_loop, |bytes| wire.extend_from_slice(bytes)).unwrap();
        is_over.store(true, Ordering::Relaxed);
        n_interrupts = interrupts.join().unwrap();
    });
    let trace = spall_trace::load(&wire).unwrap();
    assert!(trace.diagnostics().is_empty(), "{:?}", trace.diagnostics());
    let count = |name: &str| trace.slices().names().iter().filter(|&&id| trace.name(id) == name).count();
    assert_eq!(count("turn"), 10_000);
    // Before the loop begins and after its last turn, nobody takes what the handler records.
    assert!(count("interrupt") + n_dropped() as usize <= n_interrupts as usize);
    assert!(count("interrupt") > 0);
}
